/*
 * names.c - threads that change their own names. For Java threads a hook of Thread.setNativeName
 * reports it, which setName calls; the kernel names of native threads are compared at each sample.
 *
 * The new name is a record in the ring of the thread, so earlier samples keep the old name. A
 * change that is lost here, and one that another thread makes (since JDK 21 that calls no native
 * method), is found when the next chunk begins, by java_threads_find_all(). Names of virtual
 * threads are not updated.
 */
#include "recorder/capture/thread_names.h"

#include "recorder/capture/capture.h"
#include "recorder/capture/emit.h"
#include "recorder/base/log.h"
#include "recorder/base/native_hook.h"
#include "recorder/events/objects.h"
#include "recorder/capture/threads.h"
#include "recorder/base/throttle.h"

#include <string.h>

#define NAME_ROOM 512 /* bytes of a name; a longer one is cut */
#define CHANGES_PER_SECOND 10000 /* more are dropped, to leave room for samples */

struct name_data {
    int64_t id; /* Thread.getId() of the one with the new name */
};

static _Atomic bool is_on;
static struct throttle throttle;

static void JNICALL hook_set_name(JNIEnv *env, jobject thread, jstring name);

static struct native_hook hooks[] = {
    {"java/lang/Thread", "setNativeName", "(Ljava/lang/String;)V",
     (void *)(uintptr_t)hook_set_name},
};

/* --- on the threads --- */

static void emit_name(JNIEnv *env, jobject thread, jstring name)
{
    struct name_data data = {objects_thread_id(env, thread)};
    struct thread *t = threads_self();
    jsize n = name == NULL ? 0 : (*env)->GetStringUTFLength(env, name);
    char text[NAME_ROOM];

    if (t == NULL || data.id == 0 || atomic_load(&t->java_id) != data.id || n <= 0 ||
        n >= NAME_ROOM || !throttle_take(&throttle, emit_now()))
        return;
    (*env)->GetStringUTFRegion(env, name, 0, (*env)->GetStringLength(env, name), text);
    emit(&(struct emit){.engine = &engine_names,
                        .is_aside = true,
                        .data = &data,
                        .n_data = sizeof(data),
                        .text = text,
                        .n_text = (size_t)n});
}

static void JNICALL hook_set_name(JNIEnv *env, jobject thread, jstring name)
{
    void (*original)(JNIEnv *, jobject, jstring);

    *(void **)&original = native_hook_original(&hooks[0]);
    if (atomic_load_explicit(&is_on, memory_order_relaxed) && emit_wanted())
        emit_name(env, thread, name);
    original(env, thread, name);
}

/* --- the engine --- */

static int start(struct recording *r)
{
    throttle_init(&throttle, CHANGES_PER_SECOND, INT64_C(1000000000));
    if (native_hook_install(r->vm, r->env, hooks, 1) != 1) {
        log_line(LOG_INFO, "new names of threads are known with the next chunk only: "
                           "Thread.setNativeName cannot be intercepted");
        return 1;
    }
    atomic_store(&is_on, true);
    return 0;
}

static void write(struct recording *r, const struct record *rec)
{
    struct thread *t = threads_at(rec->thread, rec->generation);
    struct name_data data = {0}; /* of a thread that is not Java's */
    size_t at = rec->kind == THREAD_NAME_JAVA ? sizeof(data) : 0, n = rec->n_data - at;
    char name[NAME_ROOM];

    (void)r;
    memcpy(&data, record_data(rec), at);
    if (t == NULL || atomic_load(&t->java_id) != data.id)
        return;
    memcpy(name, (const char *)record_data(rec) + at, n);
    name[n] = '\0';
    threads_set_name(t, name);
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store(&is_on, false);
}

struct engine engine_names = {
    .name = "names",
    .start = start,
    .write = write,
    .stop = stop,
};
