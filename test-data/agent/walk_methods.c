/* Every method of every class that is loaded: name, signature, class, flags, line table. */
#include "test-data/agent/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    long classes, methods, names, generics, tables, lines, wrong, no_slot;
} sum;

static int wrong(const char *what, const struct vm_entry *e, const char *want)
{
    if (sum.wrong++ < 5)
        fprintf(stderr, "WALK wrong %s: %.*s, JVMTI says %s\n", what,
                e != NULL ? (int)(e->cls_n + e->name_n + e->descriptor_n + e->generic_n) : 1,
                e != NULL ? e->text : "?", want);
    return 1;
}

static int is(const char *bytes, uint32_t n, const char *text)
{
    return strlen(text) == n && memcmp(bytes, text, n) == 0;
}

/* JVMTI's form of a class name, in which hidden classes have a dot for the plus, and, up to JDK 14,
 * anonymous ones end in a slash and the identity hash of the Class, which is no part of the name.
 */
static int same_class(const struct vm_entry *e, char *signature)
{
    size_t n = strlen(signature);
    char *dot = strrchr(signature, '.'), *slash = strrchr(signature, '/');

    if (dot != NULL && strncmp(dot, ".0x", 3) == 0)
        *dot = '+';
    if (slash != NULL && strspn(slash + 1, "0123456789;") == strlen(slash + 1))
        n = (size_t)(slash - signature) + 1;
    signature[n - 1] = '\0';
    return is(e->text, e->cls_n, signature + 1);
}

static void check_lines(const struct vm_entry *e, jmethodID id)
{
    jvmtiLineNumberEntry *lines;
    jint n = 0;

    if (agent.jvmti[0]->GetLineNumberTable(agent.jvmti, id, &n, &lines) != 0) {
        if (e->n_lines != 0)
            wrong("lines", e, "there are none");
        return;
    }
    sum.tables++;
    sum.lines += n;
    for (jint i = 1; i < n; i++) /* stable: the order of equal ones is the table's */
        for (jint k = i; k > 0 && lines[k].start_location < lines[k - 1].start_location; k--) {
            jvmtiLineNumberEntry t = lines[k];

            lines[k] = lines[k - 1];
            lines[k - 1] = t;
        }
    if ((uint32_t)n != e->n_lines)
        wrong("number of lines", e, "another");
    for (jint i = 0; i < n && (uint32_t)i < e->n_lines; i++)
        if (lines[i].start_location != e->lines[i].bci ||
            lines[i].line_number != e->lines[i].line) {
            wrong("line", e, "another");
            break;
        }
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)lines);
}

static void check_method(jmethodID id, const char *signature)
{
    char *name = NULL, *descriptor = NULL, *generic = NULL, *cls = strdup(signature);
    uintptr_t method = method_of(id);
    const struct vm_entry *e;
    jint modifiers = 0;

    if (method == 0) {
        sum.no_slot++;
    } else if (agent.jvmti[0]->GetMethodName(agent.jvmti, id, &name, &descriptor, &generic) == 0) {
        sum.methods++;
        e = vm_dict_get(&agent.state->walker.dict,
                        vm_dict_method(&agent.state->walker.dict, &agent.state->walker.vm, method));
        agent.jvmti[0]->GetMethodModifiers(agent.jvmti, id, &modifiers);
        if (e == NULL) {
            wrong("method", NULL, name);
        } else {
            const char *text = e->text;

            if (!same_class(e, cls))
                wrong("class", e, cls);
            if (!is(text + e->cls_n, e->name_n, name))
                wrong("name", e, name);
            if (!is(text + e->cls_n + e->name_n, e->descriptor_n, descriptor))
                wrong("descriptor", e, descriptor);
            if (generic != NULL)
                sum.generics++;
            if (!is(text + e->cls_n + e->name_n + e->descriptor_n, e->generic_n,
                    generic != NULL ? generic : ""))
                wrong("generic signature", e, generic != NULL ? generic : "none");
            if ((e->modifiers & 0xfff) != (modifiers & 0xfff))
                wrong("modifiers", e, name);
            check_lines(e, id);
        }
    }
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)name);
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)descriptor);
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)generic);
    free(cls);
}

static void check_class(jclass cls)
{
    char *signature = NULL;
    jmethodID *ids = NULL;
    jint n = 0;

    if (agent.jvmti[0]->GetClassMethods(agent.jvmti, cls, &n, &ids) != 0)
        return;
    sum.classes++;
    if (agent.jvmti[0]->GetClassSignature(agent.jvmti, cls, &signature, NULL) == 0)
        for (jint i = 0; i < n; i++)
            check_method(ids[i], signature);
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)signature);
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)ids);
}

void check_methods(JNIEnv *env)
{
    jclass *classes;
    jint n = 0;

    if (agent.jvmti[0]->GetLoadedClasses(agent.jvmti, &n, &classes) != 0)
        return;
    for (jint i = 0; i < n; i++) {
        check_class(classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)classes);
    fprintf(stderr,
            "WALK methods classes=%ld methods=%ld generic=%ld tables=%ld lines=%ld no_slot=%ld "
            "wrong=%ld\n",
            sum.classes, sum.methods, sum.generics, sum.tables, sum.lines, sum.no_slot, sum.wrong);
}
