/*
 * virtual.c - gives each virtual thread a context record of its own, and switches records when a
 * virtual thread is mounted or unmounted.
 *
 * The record is stored in JVMTI's thread-local storage of the virtual thread. HotSpot's extension
 * events for mounting and unmounting call the functions here on the carrier thread; they are
 * enabled by the first virtual thread that sets a context.
 */
#include "recorder/context/virtual.h"

#include "recorder/context/context.h"
#include "recorder/base/log.h"
#include "recorder/events/objects.h"

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Of JDK 21, whatever headers this is compiled with. */
#define JNI_21 0x00150000
#define EVENT_VIRTUAL_THREAD_END 88
#define EVENT_FIRST 50 /* of the table of callbacks */
#define CAPABILITY_BYTE 5 /* can_support_virtual_threads */
#define CAPABILITY_BIT 16

static JavaVM *java_vm;
static jvmtiEnv *ti; /* its own, for its storage */
static jclass thread_class;
static jmethodID current_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int state; /* 0: not tried; 1: events are on; -1: cannot be */

static void JNICALL on_mount(jvmtiEnv *env, JNIEnv *jni, jthread thread, ...)
{
    void *record = NULL;

    (void)jni;
    (*env)->GetThreadLocalStorage(env, thread, &record);
    context_swap(record);
}

static void JNICALL on_unmount(jvmtiEnv *env, JNIEnv *jni, jthread thread, ...)
{
    (void)env, (void)jni, (void)thread;
    context_swap(NULL);
}

static void JNICALL on_context_thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    void *record = NULL;

    (void)jni;
    (*env)->GetThreadLocalStorage(env, thread, &record);
    if (record == NULL)
        return;
    (*env)->SetThreadLocalStorage(env, thread, NULL);
    context_thread_ends(record);
    context_swap(NULL);
    context_record_free(record);
}

static bool add_capability(void)
{
    jvmtiCapabilities have, want;

    memset(&have, 0, sizeof(have));
    memset(&want, 0, sizeof(want));
    if ((*ti)->GetPotentialCapabilities(ti, &have) != JVMTI_ERROR_NONE ||
        (((const uint8_t *)&have)[CAPABILITY_BYTE] & CAPABILITY_BIT) == 0)
        return false;
    ((uint8_t *)&want)[CAPABILITY_BYTE] = CAPABILITY_BIT;
    return (*ti)->AddCapabilities(ti, &want) == JVMTI_ERROR_NONE;
}

static bool enable(jint index, jvmtiExtensionEvent callback)
{
    return (*ti)->SetExtensionEventCallback(ti, index, callback) == JVMTI_ERROR_NONE &&
           (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, (jvmtiEvent)index, NULL) ==
               JVMTI_ERROR_NONE;
}

static bool enable_extensions(void)
{
    jvmtiExtensionEventInfo *events = NULL;
    jint n = 0;
    int done = 0;

    if ((*ti)->GetExtensionEvents(ti, &n, &events) != JVMTI_ERROR_NONE)
        return false;
    for (jint i = 0; i < n; i++) {
        if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount") == 0)
            done += enable(events[i].extension_event_index, (jvmtiExtensionEvent)on_mount);
        if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
            done += enable(events[i].extension_event_index, (jvmtiExtensionEvent)on_unmount);
    }
    (*ti)->Deallocate(ti, (unsigned char *)events);
    return done == 2;
}

static bool switch_on(void)
{
    void *callbacks[EVENT_VIRTUAL_THREAD_END - EVENT_FIRST + 1] = {NULL};

    if ((*java_vm)->GetEnv(java_vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK || !add_capability())
        return false;
    callbacks[EVENT_VIRTUAL_THREAD_END - EVENT_FIRST] = (void *)on_context_thread_end;
    return (*ti)->SetEventCallbacks(ti, (const jvmtiEventCallbacks *)(const void *)callbacks,
                                    sizeof(callbacks)) == JVMTI_ERROR_NONE &&
           (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, (jvmtiEvent)EVENT_VIRTUAL_THREAD_END,
                                           NULL) == JVMTI_ERROR_NONE &&
           enable_extensions();
}

static bool are_events_on(void)
{
    int now = atomic_load(&state);

    if (now != 0)
        return now > 0;
    pthread_mutex_lock(&lock);
    if (atomic_load(&state) == 0) {
        bool is_on = switch_on();

        if (!is_on)
            log_line(LOG_WARNING,
                     "this VM does not report when virtual threads change their carrier: "
                     "they have no context");
        atomic_store(&state, is_on ? 1 : -1);
    }
    pthread_mutex_unlock(&lock);
    return atomic_load(&state) > 0;
}

/* Returns the id of the virtual thread that runs, and its name; 0 if none runs. */
static uint64_t virtual_key(JNIEnv *env, char name[OBJECTS_NAME])
{
    jobject thread = (*env)->CallStaticObjectMethod(env, thread_class, current_thread);
    uint64_t key = 0;

    if ((*env)->ExceptionCheck(env)) /* -Xcheck:jni requires a check before the next call */
        (*env)->ExceptionClear(env);
    else if (objects_is_virtual(env, thread)) {
        key = (uint64_t)objects_thread_id(env, thread);
        objects_thread_name(env, thread, name, OBJECTS_NAME);
    }
    (*env)->DeleteLocalRef(env, thread);
    return key;
}

/* A thread sets a context for the first time, or for the first time since it was mounted. */
static struct context_record *first_use(bool *refuse)
{
    char name[OBJECTS_NAME];
    struct context_record *record;
    uint64_t key;
    JNIEnv *env;

    if ((*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK ||
        (*env)->ExceptionCheck(env))
        return NULL;
    key = virtual_key(env, name);
    if (key == 0)
        return NULL;
    *refuse = true;
    if (!are_events_on())
        return NULL;
    record = context_record_new();
    if (record == NULL)
        return NULL;
    if ((*ti)->SetThreadLocalStorage(ti, NULL, record) != JVMTI_ERROR_NONE) {
        context_record_free(record);
        return NULL;
    }
    context_belongs(record, key, name);
    *refuse = false;
    return record;
}

void context_virtual_init(JavaVM *vm)
{
    JNIEnv *env;
    jclass cls;

    pthread_mutex_lock(&lock);
    if (java_vm == NULL && (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK &&
        (*env)->GetVersion(env) >= JNI_21) {
        cls = (*env)->FindClass(env, "java/lang/Thread");
        thread_class = cls == NULL ? NULL : (*env)->NewGlobalRef(env, cls);
        current_thread = cls == NULL ? NULL
                                     : (*env)->GetStaticMethodID(env, cls, "currentThread",
                                                                 "()Ljava/lang/Thread;");
        if (current_thread != NULL) {
            java_vm = vm;
            atomic_store(&context_first_use, first_use);
        }
        (*env)->ExceptionClear(env);
    }
    pthread_mutex_unlock(&lock);
}

/* Some readers distinguish threads by the id of the system. A virtual thread has none, so its Java
 * id is used in its place. */
uint64_t context_thread(struct recording *r, const struct record *rec)
{
    char name[CONTEXT_THREAD_NAME];

    if (rec->thread_key != 0) {
        context_thread_name(rec->context, rec->thread_key, name);
        jfr_writer_thread(r->writer, rec->thread_key,
                          &(struct jfr_thread_def){.java_name = name,
                                                   .java_id = (int64_t)rec->thread_key,
                                                   .os_id = (int64_t)rec->thread_key,
                                                   .is_virtual = true});
    }
    return drain_thread(r, rec);
}
