#include "recorder/java_threads.h"

#include "recorder/engine_cpu.h"
#include "recorder/local_refs.h"
#include "recorder/vm_flag.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static jfieldID field_tid, field_eetop;
static ptrdiff_t at_osthread = -1, at_number = -1; /* in JavaThread, in OSThread */

void java_threads_init(JNIEnv *env)
{
    jclass cls = (*env)->FindClass(env, "java/lang/Thread");

    if (cls != NULL) {
        field_tid = (*env)->GetFieldID(env, cls, "tid", "J");
        if ((*env)->ExceptionCheck(env))
            (*env)->ExceptionClear(env);
        field_eetop = (*env)->GetFieldID(env, cls, "eetop", "J");
    }
    (*env)->ExceptionClear(env);
    at_osthread = vm_field_offset("JavaThread", "_osthread");
    if (at_osthread < 0) /* since 25 */
        at_osthread = vm_field_offset("Thread", "_osthread");
    at_number = vm_field_offset("OSThread", "_thread_id");
}

int64_t java_thread_id(JNIEnv *env, jthread thread)
{
    return field_tid == NULL || thread == NULL ? 0 : (*env)->GetLongField(env, thread, field_tid);
}

static void *vm_thread_of(JNIEnv *env, jthread thread)
{
    return field_eetop == NULL ? NULL
                               : (void *)(uintptr_t)(*env)->GetLongField(env, thread, field_eetop);
}

static void set_java(struct thread *t, jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info = {0};
    jvmtiThreadGroupInfo group = {0};
    int64_t id = java_thread_id(env, thread);

    if (id == 0 || (*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return;
    if (info.thread_group != NULL &&
        (*jvmti)->GetThreadGroupInfo(jvmti, info.thread_group, &group) != JVMTI_ERROR_NONE)
        group = (jvmtiThreadGroupInfo){0};
    threads_set_java(t, id, info.name, group.name);
    atomic_store_explicit(&t->vm_thread, vm_thread_of(env, thread), memory_order_relaxed);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)group.name);
    (*env)->DeleteLocalRef(env, group.parent);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
}

void java_threads_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    int32_t tid = (int32_t)syscall(SYS_gettid);
    struct thread *t = threads_find(tid);

    /* The main thread may be known before the VM says that it starts. */
    if (t != NULL && atomic_load(&t->java_id) == java_thread_id(env, thread))
        return;
    if (t != NULL)
        engine_cpu_thread_end(t);
    t = threads_begin(tid);
    if (t == NULL)
        return;
    set_java(t, jvmti, env, thread);
    engine_cpu_thread_begin(t);
}

void java_threads_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct thread *t = threads_find((int32_t)syscall(SYS_gettid));

    if (t == NULL)
        return;
    if (t->key == 0) /* not written yet: its last name is the best one */
        set_java(t, jvmti, env, thread);
    threads_exiting(t);
    engine_cpu_thread_end(t);
}

/* Memory of a thread that may end at any time. */
static bool read_vm(const void *from, void *to, size_t n)
{
    struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};

    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n)
        return true;
    if (errno != EPERM && errno != ENOSYS) /* forbidden in some containers */
        return false;
    memcpy(to, from, n);
    return true;
}

/* The system's number of a thread, 0: unknown. */
static int32_t number_of(const void *vm_thread)
{
    const uint8_t *os = NULL;
    int32_t tid = 0;

    if (vm_thread == NULL || at_osthread < 0 || at_number < 0 ||
        !read_vm((const uint8_t *)vm_thread + at_osthread, &os, sizeof(os)) || os == NULL ||
        !read_vm(os + at_number, &tid, sizeof(tid)))
        return 0;
    return tid;
}

/* Not that of a thread which has just ended, and whose number this one has. */
static bool is_of(struct thread *t, int64_t id)
{
    int64_t known = atomic_load(&t->java_id);

    return known == 0 || known == id;
}

void java_threads_find_all(jvmtiEnv *jvmti, JNIEnv *env)
{
    jthread *all;
    jint n;

    if ((*jvmti)->GetAllThreads(jvmti, &n, &all) != JVMTI_ERROR_NONE)
        return;
    local_refs_more(env, n);
    for (jint i = 0; i < n; i++) {
        int32_t tid = number_of(vm_thread_of(env, all[i]));
        struct thread *t = tid > 0 ? threads_add(tid) : NULL;

        if (t != NULL && is_of(t, java_thread_id(env, all[i])))
            set_java(t, jvmti, env, all[i]);
        (*env)->DeleteLocalRef(env, all[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
}
