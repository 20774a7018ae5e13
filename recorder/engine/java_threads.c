/*
 * java_threads.c - enters Java threads into the registry when they start, with their ids and
 * names, and ends their entries.
 *
 * In: JVMTI's callbacks ThreadStart and ThreadEnd on the thread itself, and a pass over all
 * threads at the start of a recording and of each chunk. The id that the system has for a Java
 * thread is read from the VM's structures; process_vm_readv() is used where the thread may end
 * meanwhile.
 */
#include "recorder/engine/java_threads.h"

#include "recorder/engine/cpu.h"
#include "recorder/base/local_refs.h"
#include "recorder/events/objects.h"
#include "recorder/base/safe_load.h"
#include "recorder/vm/flag.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static jfieldID field_eetop;
static ptrdiff_t at_osthread = -1, at_number = -1; /* in JavaThread, in OSThread */

void java_threads_init(JNIEnv *env)
{
    field_eetop = objects_field(env, "java/lang/Thread", "eetop", "J");
    at_osthread = vm_field_offset("JavaThread", "_osthread");
    if (at_osthread < 0) /* since 25 */
        at_osthread = vm_field_offset("Thread", "_osthread");
    at_number = vm_field_offset("OSThread", "_thread_id");
}

static void *java_vm_thread_of(JNIEnv *env, jthread thread)
{
    return field_eetop == NULL ? NULL
                               : (void *)(uintptr_t)(*env)->GetLongField(env, thread, field_eetop);
}

static void set_java(struct thread *t, jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info = {0};
    jvmtiThreadGroupInfo group = {0};
    int64_t id = objects_thread_id(env, thread);

    if (id == 0 || (*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return;
    if (info.thread_group != NULL &&
        (*jvmti)->GetThreadGroupInfo(jvmti, info.thread_group, &group) != JVMTI_ERROR_NONE)
        group = (jvmtiThreadGroupInfo){0};
    threads_set_java(t, id, info.name, group.name);
    atomic_store_explicit(&t->vm_thread, java_vm_thread_of(env, thread), memory_order_relaxed);
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
    bool is_native = t != NULL && (t->is_exiting || atomic_load(&t->java_id) == 0);

    /* The main thread may be registered before its ThreadStart. */
    if (t != NULL && atomic_load(&t->java_id) == objects_thread_id(env, thread))
        return;
    if (t != NULL)
        engine_cpu_thread_end(t);
    t = threads_begin(tid);
    if (t == NULL)
        return;
    t->is_native = is_native;
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
    if (!t->is_native) /* a native thread may detach and continue; the sweep notices that */
        engine_cpu_thread_end(t);
}

/* Memory of a thread that may end at any time. */
static bool read_vm(const void *from, void *to, size_t n, bool may_fault)
{
    struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};

    if (may_fault)
        return safe_copy(to, (uintptr_t)from, n) == n;
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n)
        return true;
    if (errno != EPERM && errno != ENOSYS) /* forbidden in some containers */
        return false;
    memcpy(to, from, n);
    return true;
}

/* The system's number of a thread, 0: unknown. */
static int32_t number_of_thread(const void *vm_thread, bool may_fault)
{
    const uint8_t *os = NULL;
    int32_t tid = 0;

    if (vm_thread == NULL || at_osthread < 0 || at_number < 0 ||
        !read_vm((const uint8_t *)vm_thread + at_osthread, &os, sizeof(os), may_fault) ||
        os == NULL || !read_vm(os + at_number, &tid, sizeof(tid), may_fault))
        return 0;
    return tid;
}

/* Updates the name alone, which costs a tenth of JVMTI's GetThreadInfo(). */
static void look_at_name(struct thread *t, jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    char name[OBJECTS_NAME];
    size_t n = objects_thread_name(env, thread, name, sizeof(name));

    if (n > 0 && n < sizeof(name))
        threads_set_name(t, name);
    else
        set_java(t, jvmti, env, thread);
}

static void look_at_java_thread(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, bool may_fault)
{
    int32_t tid = number_of_thread(java_vm_thread_of(env, thread), may_fault);
    struct thread *t = tid > 0 ? threads_add(tid) : NULL;
    int64_t known = t == NULL ? -1 : atomic_load(&t->java_id);

    /* The thread may just have ended, and another one may have its id. */
    if (known == 0)
        set_java(t, jvmti, env, thread);
    else if (known == objects_thread_id(env, thread))
        look_at_name(t, jvmti, env, thread);
}

void java_threads_find_all(jvmtiEnv *jvmti, JNIEnv *env)
{
    bool may_fault = safe_load_is_first();
    jthread *all;
    jint n;

    if ((*jvmti)->GetAllThreads(jvmti, &n, &all) != JVMTI_ERROR_NONE)
        return;
    local_refs_more(env, n);
    for (jint i = 0; i < n; i++) {
        look_at_java_thread(jvmti, env, all[i], may_fault);
        (*env)->DeleteLocalRef(env, all[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
}
