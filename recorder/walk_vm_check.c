#include "recorder/walk_vm_check.h"

#include "recorder/local_refs.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_METHODS = 200,
    MAX_THREADS = 16,
    MAX_FRAMES = 64,
    TRIES = 3,
    LAST_WITH_POINTERS = 25 /* releases in which a jmethodID points at the Method* */
};

struct check {
    struct walk_vm_state *state;
    jvmtiEnv *jvmti;
    JNIEnv *env;
    char *why;
    int n_methods;
};

static bool is_text(const char *bytes, uint32_t n, const char *text)
{
    return strlen(text) == n && memcmp(bytes, text, n) == 0;
}

static int differs(struct check *c, const char *what, const char *name)
{
    snprintf(c->why, 200, "the walker and JVMTI disagree on %s of %s", what, name);
    return -1;
}

/* 0 too where JVMTI does not tell, for want of the capability. */
static int check_lines(struct check *c, jmethodID id, const struct vm_entry *e, const char *name)
{
    jvmtiLineNumberEntry *lines = NULL;
    jint n = 0;
    int rc = 0;

    if ((*c->jvmti)->GetLineNumberTable(c->jvmti, id, &n, &lines) != 0)
        return 0;
    if ((uint32_t)n != e->n_lines || (n > 0 && (lines[n - 1].start_location > e->lines[n - 1].bci ||
                                                lines[0].start_location < e->lines[0].bci)))
        rc = differs(c, "the lines", name);
    for (jint i = 0; i < n && rc == 0; i++) {
        uint32_t k = 0;

        while (k < e->n_lines && !(e->lines[k].bci == lines[i].start_location &&
                                   e->lines[k].line == lines[i].line_number))
            k++;
        if (k == e->n_lines)
            rc = differs(c, "the lines", name);
    }
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)lines);
    return rc;
}

static int check_method(struct check *c, jmethodID id, const char *cls)
{
    struct vm_walker *w = &c->state->walker;
    char *name = NULL, *descriptor = NULL;
    const struct vm_entry *e;
    uintptr_t method = 0;
    int rc = 0;

    if ((*c->jvmti)->GetMethodName(c->jvmti, id, &name, &descriptor, NULL) != 0)
        return 0;
    safe_load_pointer((uintptr_t)id, &method);
    e = vm_dict_get(&w->dict, vm_dict_method(&w->dict, &w->vm, method));
    if (e == NULL || !is_text(e->text, e->cls_n, cls) ||
        !is_text(e->text + e->cls_n, e->name_n, name) ||
        !is_text(e->text + e->cls_n + e->name_n, e->descriptor_n, descriptor))
        rc = differs(c, "the name", name);
    else
        rc = check_lines(c, id, e, name);
    c->n_methods++;
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)name);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)descriptor);
    return rc;
}

static int check_class(struct check *c, const char *name)
{
    jclass cls = (*c->env)->FindClass(c->env, name);
    jmethodID *ids = NULL;
    jint n = 0;
    int rc = 0;

    (*c->env)->ExceptionClear(c->env);
    if (cls == NULL || (*c->jvmti)->GetClassMethods(c->jvmti, cls, &n, &ids) != 0)
        return 0;
    for (jint i = 0; i < n && rc == 0 && c->n_methods < MAX_METHODS; i++)
        rc = check_method(c, ids[i], name);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)ids);
    (*c->env)->DeleteLocalRef(c->env, cls);
    return rc;
}

static int check_methods(struct check *c)
{
    static const char *const classes[] = {"java/lang/Object", "java/lang/Thread",
                                          "java/util/HashMap", "java/lang/String"};
    int rc = 0;

    if (c->state->walker.vm.major > LAST_WITH_POINTERS)
        return 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes && rc == 0; i++)
        rc = check_class(c, classes[i]);
    if (rc == 0 && c->n_methods < MAX_METHODS / 2)
        rc = differs(c, "the number", "methods");
    return rc;
}

/* By name and place, which works whatever a jmethodID is. */
static bool same_frame(struct check *c, const struct vm_frame *f, const jvmtiFrameInfo *j)
{
    const struct vm_entry *e = vm_dict_get(&c->state->walker.dict, f->id);
    char *name = NULL, *descriptor = NULL;
    bool same = false;

    if (e != NULL && (*c->jvmti)->GetMethodName(c->jvmti, j->method, &name, &descriptor, NULL) == 0)
        same = is_text(e->text + e->cls_n, e->name_n, name) &&
               is_text(e->text + e->cls_n + e->name_n, e->descriptor_n, descriptor) &&
               (j->location == -1 || j->location == f->bci);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)name);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)descriptor);
    return same;
}

/* 1: the stacks are equal; 0: they are not. */
static int same_stack(struct check *c, uintptr_t thread, const jvmtiFrameInfo *frames, jint n)
{
    struct vm_walk w;
    struct vm_frame f;
    jint i = 0;

    vm_walk_anchor(&w, &c->state->walker, thread, VM_WALK_NO_CARRIER);
    while (vm_walk_next(&w, &f))
        if (f.kind <= FRAME_NATIVE_METHOD && (i == n || !same_frame(c, &f, &frames[i++])))
            return i == MAX_FRAMES;
    return i == n && (w.reason == WALK_END || w.reason == WALK_NO_JAVA);
}

/* A thread that waits; another one may have gone on between the two looks, so its anchor must be
 * the same before and after. 1: equal, 0: not, -1: it would not stand still. */
static int check_thread(struct check *c, jthread thread)
{
    const struct vm_layout *l = &c->state->walker.vm.l;
    uintptr_t at = vm_thread_of(&c->state->threads, c->env, thread), before, after;
    struct vm_slot sp = {l->thread.anchor.at + l->thread.last_sp.at, 8};
    jvmtiFrameInfo frames[MAX_FRAMES];
    jint n = 0;
    int same = -1;

    for (int i = 0; i < TRIES && same != 1 && at != 0; i++) {
        if (!vm_load_ptr(at, sp, &before) || before == 0 ||
            (*c->jvmti)->GetStackTrace(c->jvmti, thread, 0, MAX_FRAMES, frames, &n) != 0 || n == 0)
            return -1;
        same = same_stack(c, at, frames, n);
        if (!vm_load_ptr(at, sp, &after) || after != before)
            same = -1;
    }
    return same;
}

static int check_stacks(struct check *c)
{
    jthread *threads = NULL;
    jint n = 0;
    int rc = 0;

    if ((*c->jvmti)->GetAllThreads(c->jvmti, &n, &threads) != 0)
        return 0;
    local_refs_more(c->env, n);
    for (jint i = 0; i < n; i++) {
        if (i < MAX_THREADS && rc == 0 && check_thread(c, threads[i]) == 0)
            rc = differs(c, "the stack", "a waiting thread");
        (*c->env)->DeleteLocalRef(c->env, threads[i]);
    }
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)threads);
    return rc;
}

/* An environment of our own that may see line tables, which costs the VM nothing; NULL: none. */
static jvmtiEnv *with_lines(JNIEnv *env)
{
    jvmtiCapabilities caps = {.can_get_line_numbers = 1};
    jvmtiEnv *own = NULL;
    JavaVM *vm;

    if ((*env)->GetJavaVM(env, &vm) != 0 ||
        (*vm)->GetEnv(vm, (void **)&own, JVMTI_VERSION_1_2) != JNI_OK)
        return NULL;
    (*own)->AddCapabilities(own, &caps);
    return own;
}

int walk_vm_check(struct walk_vm_state *state, jvmtiEnv *jvmti, JNIEnv *env, char why[200])
{
    jvmtiEnv *own = with_lines(env);
    struct check c = {.state = state, .jvmti = own != NULL ? own : jvmti, .env = env, .why = why};
    int rc = check_methods(&c) != 0 || check_stacks(&c) != 0 ? -1 : 0;

    if (own != NULL)
        (*own)->DisposeEnvironment(own);
    return rc;
}
