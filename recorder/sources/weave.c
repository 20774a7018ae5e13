/*
 * weave.c - changes class files when the VM loads or retransforms them.
 *
 * sources.c calls it. The VM calls on_class_file() for every class, on the thread that loads it;
 * only classes of targets.c go to jfrkit.weave.Weaver. Retransforming happens in one call,
 * since each call stops the program for a moment. The callback stays enabled as long as the source
 * is on: without it, an agent that retransforms the same class later would undo the change.
 */
#include "recorder/sources/weave.h"

#include "jfrfmt/base/array.h"
#include "recorder/base/boot_classes.h"
#include "recorder/base/local_refs.h"
#include "recorder/base/log.h"
#include "recorder/context/java.h"
#include "recorder/sources/hooks.h"
#include "recorder/sources/targets.h"
#include "recorder/sources/tasks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/sources/woven_classes.h"

#define FRAME 16 /* local references of a call */

/* How often the VM showed a class file of each target since weave_on(). */
static _Atomic uint32_t n_shown[TARGETS_MAX];

static jvmtiEnv *jvmti; /* of its own */
static jclass hooks, spans, native, weaver;
static jmethodID weave;
static _Atomic bool is_on[SOURCE_N];
static _Atomic uint32_t changed_libraries;

static void complain_of_class(JNIEnv *env, const char *name)
{
    static _Atomic unsigned n;

    (*env)->ExceptionClear(env);
    if (atomic_fetch_add(&n, 1) < 3)
        log_line(LOG_WARNING, "contexts: the class %s could not be changed and is left as it is",
                 name);
}

/* --- in the VM's callback --- */

static jbyteArray call_weaver(JNIEnv *env, const char *name, const unsigned char *data, jint n)
{
    jbyteArray file = (*env)->NewByteArray(env, n);
    jstring text = file == NULL ? NULL : (*env)->NewStringUTF(env, name);
    jobject changed = NULL;

    if (text != NULL) {
        (*env)->SetByteArrayRegion(env, file, 0, n, (const jbyte *)data);
        changed = (*env)->CallStaticObjectMethod(env, weaver, weave, text, file);
    }
    if ((*env)->ExceptionCheck(env)) {
        complain_of_class(env, name);
        return NULL;
    }
    return changed;
}

static void change_class(jvmtiEnv *ti, JNIEnv *env, const struct target *t,
                         const unsigned char *data, jint n, jint *new_n, unsigned char **new_data)
{
    jbyteArray changed;
    jint m;

    if ((*env)->PushLocalFrame(env, FRAME) != 0) {
        complain_of_class(env, t->name);
        return;
    }
    changed = call_weaver(env, t->name, data, n);
    m = changed == NULL ? 0 : (*env)->GetArrayLength(env, changed);
    if (m > 0 && (*ti)->Allocate(ti, m, new_data) == JVMTI_ERROR_NONE) {
        (*env)->GetByteArrayRegion(env, changed, 0, m, (jbyte *)*new_data);
        *new_n = m;
        atomic_fetch_or(&changed_libraries, t->is_part ? 0 : 1U << t->library);
    }
    (*env)->PopLocalFrame(env, NULL);
}

static void JNICALL on_class_file(jvmtiEnv *ti, JNIEnv *env, jclass redefined, jobject loader,
                                  const char *name, jobject domain, jint n,
                                  const unsigned char *data, jint *new_n, unsigned char **new_data)
{
    const struct target *t = name == NULL ? NULL : target_of(name, strlen(name));

    (void)redefined, (void)loader, (void)domain;
    if (t == NULL || env == NULL || !atomic_load(&is_on[weave_libraries[t->library].source]))
        return;
    change_class(ti, env, t, data, n, new_n, new_data);
    atomic_fetch_add(&n_shown[t - targets], 1);
}

/* --- the classes --- */

static jclass global_class(JNIEnv *env, const char *name)
{
    jclass cls = (*env)->FindClass(env, name), global;

    if (cls == NULL)
        return NULL;
    global = (*env)->NewGlobalRef(env, cls);
    (*env)->DeleteLocalRef(env, cls);
    return global;
}

static bool connect_native(JNIEnv *env)
{
    native = global_class(env, "jfrkit/weave/Native");
    return native != NULL && boot_class_initialize(env, "jfrkit/weave/TaskClasses") &&
           boot_class_initialize(env, "jfrkit/weave/TaskTable") &&
           (*env)->RegisterNatives(env, native, tasks_natives, TASKS_NATIVES) == JNI_OK &&
           context_java_add(env, native);
}

static jbyteArray queue_node_file(JNIEnv *env, jclass maker)
{
    jmethodID make = (*env)->GetStaticMethodID(env, maker, "classFile", "()[B");
    jbyteArray file = make == NULL ? NULL : (*env)->CallStaticObjectMethod(env, maker, make);

    return (*env)->ExceptionCheck(env) ? NULL : file;
}

/* The class of nodes with a context is in a package of the JDK and made by the weaver. Without it
 * queues are left as they are. */
static void define_queue_node(JNIEnv *env)
{
    jclass maker = (*env)->FindClass(env, "jfrkit/weave/QueueNode"), node = NULL;
    jfieldID is_defined =
        maker == NULL ? NULL : (*env)->GetStaticFieldID(env, maker, "isDefined", "Z");
    jbyteArray file = is_defined == NULL ? NULL : queue_node_file(env, maker);
    jbyte *bytes = file == NULL ? NULL : (*env)->GetByteArrayElements(env, file, NULL);

    if (bytes != NULL) {
        node = (*env)->DefineClass(env, NULL, NULL, bytes, (*env)->GetArrayLength(env, file));
        (*env)->ReleaseByteArrayElements(env, file, bytes, JNI_ABORT);
    }
    if (node != NULL)
        (*env)->SetStaticBooleanField(env, maker, is_defined, JNI_TRUE);
    else
        complain_of_class(env, "java/util/concurrent/LinkedBlockingQueue");
    (*env)->DeleteLocalRef(env, node);
    (*env)->DeleteLocalRef(env, file);
    (*env)->DeleteLocalRef(env, maker);
}

static bool make_classes(JNIEnv *env)
{
    if (!boot_classes_define(env, woven_classes, woven_classes_n))
        return false;
    hooks = global_class(env, "jfrkit/weave/Hooks");
    spans = global_class(env, "jfrkit/weave/Spans");
    weaver = global_class(env, "jfrkit/weave/Weaver");
    if (hooks == NULL || spans == NULL || weaver == NULL)
        return false;
    weave = (*env)->GetStaticMethodID(env, weaver, "weave", "(Ljava/lang/String;[B)[B");
    if (weave == NULL)
        return false;
    define_queue_node(env);
    return connect_native(env) &&
           (*env)->RegisterNatives(env, hooks, hooks_natives, HOOKS_NATIVES) == JNI_OK;
}

static bool make_environment(JavaVM *vm)
{
    jvmtiCapabilities needed = {.can_retransform_classes = 1};
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class_file};

    return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_0) == JNI_OK &&
           (*jvmti)->AddCapabilities(jvmti, &needed) == JVMTI_ERROR_NONE &&
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) == JVMTI_ERROR_NONE;
}

/* Runs once in a JVM, whether or not it succeeds. */
static int make_all(JavaVM *vm, JNIEnv *env, char why[WEAVE_WHY])
{
    static enum {
        NEVER,
        DONE,
        FAILED
    } state;

    if (state == NEVER) {
        state = woven_classes_n > 0 && make_environment(vm) && make_classes(env) ? DONE : FAILED;
        (*env)->ExceptionClear(env);
    }
    if (state == DONE)
        return 0;
    snprintf(why, WEAVE_WHY, "%s",
             woven_classes_n == 0
                 ? "this agent was built without ASM (see make), so it cannot change classes"
                 : "this VM does not let an agent change classes");
    return -1;
}

jclass weave_hooks(void)
{
    return hooks;
}

jclass weave_spans(void)
{
    return spans;
}

jclass weave_native(void)
{
    return native;
}

/* --- loaded classes --- */

/* Of a signature: "Lorg/slf4j/MDC;". */
static const struct target *target_of_class(jvmtiEnv *ti, jclass cls)
{
    const struct target *t = NULL;
    char *signature = NULL;

    if ((*ti)->GetClassSignature(ti, cls, &signature, NULL) != JVMTI_ERROR_NONE)
        return NULL;
    if (signature[0] == 'L')
        t = target_of(signature + 1, strlen(signature) - 2);
    (*ti)->Deallocate(ti, (unsigned char *)signature);
    return t;
}

/* Calls f() for each loaded class of a wanted source. If f() returns true it keeps the reference.
 */
static void each_target(jvmtiEnv *ti, JNIEnv *env, const bool is_wanted[SOURCE_N],
                        bool (*f)(const struct target *t, jclass cls, void *arg), void *arg)
{
    jclass *classes = NULL;
    jint n = 0;

    if ((*ti)->GetLoadedClasses(ti, &n, &classes) != JVMTI_ERROR_NONE)
        return;
    local_refs_more(env, n);
    for (jint i = 0; i < n; i++) {
        const struct target *t = target_of_class(ti, classes[i]);

        if (t == NULL || !is_wanted[weave_libraries[t->library].source] || !f(t, classes[i], arg))
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*ti)->Deallocate(ti, (unsigned char *)classes);
}

static bool note_library(const struct target *t, jclass cls, void *arg)
{
    uint32_t *found = arg;

    (void)cls;
    if (!t->is_part)
        *found |= 1U << t->library;
    return false;
}

uint32_t weave_look(jvmtiEnv *ti, JNIEnv *env, const bool is_wanted[SOURCE_N])
{
    uint32_t found = 0;

    each_target(ti, env, is_wanted, note_library, &found);
    return found;
}

struct list {
    jclass *classes;
    jint n;
    const bool *is_selected; /* by target; NULL: all */
};

static bool collect(const struct target *t, jclass cls, void *arg)
{
    struct list *list = arg;

    if ((list->is_selected != NULL && !list->is_selected[t - targets]) ||
        !array_add(&list->classes, (size_t)list->n, sizeof(*list->classes)))
        return false;
    list->classes[list->n++] = cls;
    return true;
}

static void retransform_one(jclass cls)
{
    jvmtiError error = (*jvmti)->RetransformClasses(jvmti, 1, &cls);
    const struct target *t;

    if (error == JVMTI_ERROR_NONE)
        return;
    t = target_of_class(jvmti, cls);
    log_line(LOG_WARNING, "contexts: the VM refused to change the class %s (JVMTI error %d)",
             t == NULL ? "?" : t->name, (int)error);
}

/* is_selected: by target; NULL: all. One class that is refused refuses the whole call, so then each
 * is tried alone. */
static void retransform(JNIEnv *env, const bool is_wanted[SOURCE_N], const bool *is_selected)
{
    struct list list = {.is_selected = is_selected};

    each_target(jvmti, env, is_wanted, collect, &list);
    if (list.n > 0 && (*jvmti)->RetransformClasses(jvmti, list.n, list.classes) != JVMTI_ERROR_NONE)
        for (jint i = 0; i < list.n; i++)
            retransform_one(list.classes[i]);
    for (jint i = 0; i < list.n; i++)
        (*env)->DeleteLocalRef(env, list.classes[i]);
    free(list.classes);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
}

int weave_on(JavaVM *vm, JNIEnv *env, const bool is_wanted[SOURCE_N], char why[WEAVE_WHY])
{
    if (make_all(vm, env, why) != 0)
        return -1;
    atomic_store(&changed_libraries, 0);
    for (size_t i = 0; i < n_targets; i++)
        atomic_store(&n_shown[i], 0);
    for (enum source s = 0; s < SOURCE_N; s++)
        atomic_store(&is_on[s], is_wanted[s]);
    /* What is loaded from now on is changed when it is; then what has been loaded before. */
    if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                           NULL) != JVMTI_ERROR_NONE) {
        snprintf(why, WEAVE_WHY, "this VM does not report class files");
        return -1;
    }
    retransform(env, is_wanted, NULL);
    return 0;
}

static bool count_loaded(const struct target *t, jclass cls, void *arg)
{
    uint32_t *n_loaded = arg;

    (void)cls;
    n_loaded[t - targets]++;
    return false;
}

/* A class that is shown by weave_on() and by another agent's change counts twice, so a class of the
 * same name in another loader may be overlooked; both must happen within seconds. */
bool weave_missed(JNIEnv *env, const bool is_wanted[SOURCE_N])
{
    uint32_t n_loaded[TARGETS_MAX] = {0};
    bool is_missed[TARGETS_MAX], is_any = false;

    each_target(jvmti, env, is_wanted, count_loaded, n_loaded);
    for (size_t i = 0; i < n_targets; i++) {
        is_missed[i] = n_loaded[i] > atomic_load(&n_shown[i]);
        is_any |= is_missed[i];
    }
    if (is_any)
        retransform(env, is_wanted, is_missed);
    return is_any;
}

void weave_off(JNIEnv *env)
{
    bool was_on[SOURCE_N];

    for (enum source s = 0; s < SOURCE_N; s++)
        was_on[s] = atomic_exchange(&is_on[s], false);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
    retransform(env, was_on, NULL);
}

uint32_t weave_changed(void)
{
    return atomic_load(&changed_libraries);
}

bool weave_has_otel_agent(uint32_t libraries)
{
    return (libraries & 1U << OTEL_AGENT) != 0;
}
