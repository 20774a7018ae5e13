/*
 * agct.c - stacks by AsyncGetCallTrace: works on every HotSpot, returns less than vm_walker.c.
 *
 * AsyncGetCallTrace gives method ids and bytecode indexes, and needs an id for each method before a
 * sample is taken. JVMTI makes the ids of a class at once, so all loaded classes are visited at
 * the start and each new one when it is prepared. Names and lines are read by JVMTI on the drain
 * thread, after the samples; agct_call.c makes the call itself in the signal handler.
 */
#include "recorder/walk/agct_call.h"

#include "jfrfmt/base/arena.h"
#include "recorder/base/local_refs.h"
#include "recorder/base/walker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jvmtiEnv *ti; /* an environment of its own, so that no other code sets its class events */
static JavaVM *java_vm;
static struct arena texts;

/* AsyncGetCallTrace works only while some agent listens to ClassLoad. */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass cls)
{
    (void)jvmti, (void)env, (void)thread, (void)cls;
}

/* A method has an id only once it was requested, and AsyncGetCallTrace must not make one. */
static void make_ids(jvmtiEnv *jvmti, jclass cls)
{
    jint n;
    jmethodID *ids;

    if ((*jvmti)->GetClassMethods(jvmti, cls, &n, &ids) == JVMTI_ERROR_NONE)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
}

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass cls)
{
    (void)env, (void)thread;
    make_ids(jvmti, cls);
}

static void make_all_ids(JNIEnv *env)
{
    jint n;
    jclass *classes;

    if ((*ti)->GetLoadedClasses(ti, &n, &classes) != JVMTI_ERROR_NONE)
        return;
    local_refs_more(env, n);
    for (jint i = 0; i < n; i++) {
        make_ids(ti, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*ti)->Deallocate(ti, (unsigned char *)classes);
}

static jvmtiError listen_to_loads(jvmtiEventMode mode)
{
    jvmtiError rc = (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_CLASS_LOAD, NULL);

    return rc != JVMTI_ERROR_NONE
               ? rc
               : (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_CLASS_PREPARE, NULL);
}

static void add_capabilities(void)
{
    jvmtiCapabilities can = {0}, want = {0};

    if ((*ti)->GetPotentialCapabilities(ti, &can) != JVMTI_ERROR_NONE)
        return;
    want.can_get_line_numbers = can.can_get_line_numbers;
    (*ti)->AddCapabilities(ti, &want);
}

static bool is_started;

static int open_environment(JavaVM *vm)
{
    java_vm = vm;
    if (ti == NULL && (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_0) != JNI_OK) {
        ti = NULL;
        return -1;
    }
    add_capabilities();
    return 0;
}

void agct_describe_begin(JavaVM *vm)
{
    if (!is_started)
        open_environment(vm);
}

void agct_describe_end(void)
{
    if (!is_started)
        arena_free(&texts);
}

static int start(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, char why[200])
{
    jvmtiEventCallbacks callbacks = {
        .ClassLoad = on_class_load,
        .ClassPrepare = on_class_prepare,
    };

    (void)jvmti;
    if (open_environment(vm) != 0) {
        snprintf(why, 200, "no JVMTI environment");
        return -1;
    }
    if (agct_prepare(env, why) != 0)
        return -1;
    if ((*ti)->SetEventCallbacks(ti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE ||
        listen_to_loads(JVMTI_ENABLE) != JVMTI_ERROR_NONE) {
        snprintf(why, 200, "the VM does not report loaded classes");
        return -1;
    }
    make_all_ids(env);
    is_started = true;
    return 0;
}

static void stop(void)
{
    if (ti != NULL)
        listen_to_loads(JVMTI_DISABLE);
    is_started = false;
    arena_free(&texts);
}

/* Copies a text of JVMTI's, without `strip` bytes at both ends, and frees it. */
static const char *keep_jvmti_text(char *text, size_t strip, uint32_t *n)
{
    size_t length = text == NULL ? 0 : strlen(text);
    char *copy;

    length = length > 2 * strip ? length - 2 * strip : 0;
    copy = arena_alloc(&texts, length + 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text + strip, length);
    if (copy != NULL)
        copy[length] = '\0';
    if (text != NULL)
        (*ti)->Deallocate(ti, (unsigned char *)text);
    *n = copy == NULL ? 0 : (uint32_t)length;
    return copy;
}

static int by_bci(const void *a, const void *b)
{
    const struct line_entry *x = a, *y = b;

    return (x->bci > y->bci) - (x->bci < y->bci);
}

static void keep_lines(jmethodID method, struct method_info *info)
{
    jvmtiLineNumberEntry *table;
    struct line_entry *lines;
    jint n;

    if ((*ti)->GetLineNumberTable(ti, method, &n, &table) != JVMTI_ERROR_NONE)
        return;
    lines = n > 0 ? arena_alloc(&texts, (size_t)n * sizeof(*lines)) : NULL;
    for (jint i = 0; lines != NULL && i < n; i++)
        lines[i] =
            (struct line_entry){(uint16_t)table[i].start_location, (uint16_t)table[i].line_number};
    (*ti)->Deallocate(ti, (unsigned char *)table);
    if (lines == NULL)
        return;
    qsort(lines, (size_t)n, sizeof(*lines), by_bci);
    info->lines = lines;
    info->n_lines = (uint32_t)n;
}

static bool is_hidden_name(const char *name, uint32_t n)
{
    return memmem(name, n, "+0x", 3) != NULL || memmem(name, n, ".0x", 3) != NULL ||
           memmem(name, n, "/0x", 3) != NULL;
}

/* JVMTI writes the address of a hidden class after a '.', which the VM itself calls '+'. */
static void name_as_the_vm(char *signature)
{
    char *dot = signature == NULL ? NULL : strstr(signature, ".0x");

    if (dot != NULL)
        *dot = '+';
}

static bool describe_class(JNIEnv *env, jmethodID method, struct method_info *info)
{
    jclass cls;
    char *signature = NULL;

    if ((*ti)->GetMethodDeclaringClass(ti, method, &cls) != JVMTI_ERROR_NONE)
        return false;
    if ((*ti)->GetClassSignature(ti, cls, &signature, NULL) == JVMTI_ERROR_NONE)
        name_as_the_vm(signature);
    if (signature != NULL)
        info->cls = keep_jvmti_text(signature, 1, &info->cls_n);
    (*env)->DeleteLocalRef(env, cls);
    if (info->cls == NULL)
        return false;
    info->is_hidden = is_hidden_name(info->cls, info->cls_n);
    return true;
}

static bool describe(uint64_t id, struct method_info *info)
{
    jmethodID method = (jmethodID)(uintptr_t)id;
    JNIEnv *env;
    char *name = NULL, *descriptor = NULL;

    memset(info, 0, sizeof(*info));
    if (method == NULL || ti == NULL ||
        (*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK ||
        !describe_class(env, method, info) ||
        (*ti)->GetMethodName(ti, method, &name, &descriptor, NULL) != JVMTI_ERROR_NONE)
        return false;
    info->name = keep_jvmti_text(name, 0, &info->name_n);
    info->descriptor = keep_jvmti_text(descriptor, 0, &info->descriptor_n);
    (*ti)->GetMethodModifiers(ti, method, &info->modifiers);
    keep_lines(method, info);
    return info->name != NULL && info->descriptor != NULL;
}

const struct walker walk_agct = {
    .name = "agct",
    .start = start,
    .walk = agct_walk,
    .describe = describe,
    .stop = stop,
};
