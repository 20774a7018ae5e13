/*
 * threads.c - events of Java threads that begin and end (JVMTI).
 *
 * The new thread makes a record when it begins. The thread that starts it makes another one, with
 * its own identity and stack. The two come in either order and are joined here by the id of the new
 * thread. A thread that native code has attached has no parent.
 */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/log.h"
#include "recorder/capture/lost.h"
#include "recorder/base/native_hook.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

/* How long a start waits for the record of its parent, and that for the start, in ns: on a busy
 * machine a thread begins late. With more than PARENTS_MAX they wait for PATIENCE only: each failed
 * start leaves one. */
#define PATIENCE INT64_C(200000000)
#define PARENTS_PATIENCE INT64_C(10000000000)
#define PARENTS_MAX 1000

enum kind {
    PARENT,
    START,
    END
};

struct thread_data {
    int64_t id; /* of the new thread */
};

struct half {
    int64_t id, ticks;
    uint64_t thread, stack; /* of the parent, or the new thread and nothing */
    uint32_t epoch; /* in which these are known */
    struct record record; /* for the context */
    uint32_t context[RECORD_CONTEXT];
};

struct halves {
    struct half *list;
    size_t n, room;
};

static struct halves parents, starts;
static jvmtiEnv *jvmti; /* of this engine alone */
static _Atomic bool wants_start, with_stack;

static void JNICALL hook_start(JNIEnv *env, jobject thread);

static struct native_hook hooks[] = {
    {"java/lang/Thread", "start0", "()V", (void *)(uintptr_t)hook_start},
};

/* --- on the threads --- */

static void emit_thread(JNIEnv *env, jthread thread, enum kind kind)
{
    struct thread_data data = {objects_thread_id(env, thread)};

    emit(&(struct emit){.engine = &engine_threads,
                        .kind = (uint8_t)kind,
                        .with_stack = kind == PARENT && atomic_load(&with_stack),
                        .data = &data,
                        .n_data = sizeof(data)});
}

static void JNICALL hook_start(JNIEnv *env, jobject thread)
{
    void (*original)(JNIEnv *, jobject);

    *(void **)&original = native_hook_original(&hooks[0]);
    if (atomic_load_explicit(&wants_start, memory_order_relaxed) && emit_wanted())
        emit_thread(env, thread, PARENT);
    original(env, thread);
}

static void JNICALL on_java_thread_start(jvmtiEnv *ti, JNIEnv *env, jthread thread)
{
    (void)ti;
    if (emit_wanted())
        emit_thread(env, thread, START);
}

static void JNICALL on_java_thread_end(jvmtiEnv *ti, JNIEnv *env, jthread thread)
{
    (void)ti;
    if (emit_wanted())
        emit_thread(env, thread, END);
}

/* --- joining --- */

/* Keeps one half. A start that cannot be kept is a lost event; without its parent a start only has
 * no parent. */
static void add(struct halves *h, const struct half *half)
{
    if (array_reserve(&h->list, &h->room, h->n + 1, sizeof(*h->list)))
        h->list[h->n++] = *half;
    else if (h == &starts)
        lost_record(LOST_MEMORY, 1, sizeof(struct record));
}

static void drop_half(struct halves *h, size_t i)
{
    h->list[i] = h->list[--h->n];
}

/* Copies what context_event_end() needs, since the record is released before the event is written.
 */
static struct half half_of(struct recording *r, const struct record *rec)
{
    struct half half = {.ticks = rec->ticks, .record = *rec, .epoch = r->constants_epoch};
    struct thread_data data;

    memcpy(&data, record_data(rec), sizeof(data));
    half.id = data.id;
    half.thread = context_thread(r, rec);
    half.stack = rec->kind == PARENT ? drain_stack(r, rec) : 0;
    half.record.n_data = 0;
    half.record.n_frames = 0;
    if (record_context(rec) != NULL)
        memcpy(half.context, record_context(rec), sizeof(half.context));
    return half;
}

/* A record and its context as they lie in a ring. */
struct whole {
    struct record record;
    uint32_t context[RECORD_CONTEXT];
};

static void write_start(struct recording *r, const struct half *start, const struct half *parent)
{
    struct jfr_writer *w = r->writer;
    struct whole whole = {.record = start->record};

    memcpy(whole.context, start->context, sizeof(whole.context));
    jfr_event_begin(w, r->types[EV_THREAD_START], start->ticks);
    jfr_put_key(w, start->thread);
    jfr_put_key(w, parent != NULL ? parent->stack : 0);
    jfr_put_key(w, start->thread);
    jfr_put_key(w, parent != NULL ? parent->thread : 0);
    context_event_end(r, EV_THREAD_START, &whole.record);
}

/* The parent of a start: its place, or parents.n. */
static size_t find_parent(const struct recording *r, int64_t id)
{
    size_t k = 0;

    while (k < parents.n &&
           (parents.list[k].id != id || parents.list[k].epoch != r->constants_epoch))
        k++;
    return k;
}

static void forget_parents(int64_t now)
{
    int64_t patience = parents.n > PARENTS_MAX ? PATIENCE : PARENTS_PATIENCE;

    for (size_t k = 0; k < parents.n;)
        if (parents.list[k].ticks < now - patience)
            drop_half(&parents, k);
        else
            k++;
}

static void join(struct recording *r, int64_t older_than)
{
    for (size_t i = 0; i < starts.n;) {
        size_t k = find_parent(r, starts.list[i].id);

        if (k == parents.n && starts.list[i].ticks > older_than) {
            i++;
            continue;
        }
        write_start(r, &starts.list[i], k == parents.n ? NULL : &parents.list[k]);
        if (k < parents.n)
            drop_half(&parents, k);
        drop_half(&starts, i);
    }
}

/* --- the engine --- */

static bool make_environment(struct recording *r)
{
    jvmtiEventCallbacks callbacks = {.ThreadStart = on_java_thread_start,
                                     .ThreadEnd = on_java_thread_end};

    if (jvmti != NULL)
        return true;
    return (*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) == JNI_OK &&
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) == JVMTI_ERROR_NONE;
}

static int start(struct recording *r)
{
    bool starts_too = settings_of(r->settings, EV_THREAD_START)->is_enabled;
    bool ends_too = settings_of(r->settings, EV_THREAD_END)->is_enabled;

    if (!starts_too && !ends_too)
        return 1;
    if (!make_environment(r)) {
        log_line(LOG_WARNING, "no events of threads: no JVMTI");
        return -1;
    }
    parents.n = starts.n = 0;
    atomic_store(&with_stack, settings_of(r->settings, EV_THREAD_START)->with_stack);
    if (starts_too && native_hook_install(r->vm, r->env, hooks, 1) != 1)
        log_line(LOG_INFO, "jdk.ThreadStart has no parents: Thread.start0 cannot be intercepted");
    if (starts_too)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, NULL);
    if (ends_too)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, NULL);
    atomic_store(&wants_start, starts_too);
    return 0;
}

static void write(struct recording *r, const struct record *rec)
{
    struct half half = half_of(r, rec);

    if (rec->kind == PARENT) {
        add(&parents, &half);
    } else if (rec->kind == START) {
        add(&starts, &half);
    } else {
        jfr_event_begin(r->writer, r->types[EV_THREAD_END], rec->ticks);
        jfr_put_key(r->writer, half.thread);
        jfr_put_key(r->writer, half.thread);
        context_event_end(r, EV_THREAD_END, rec);
    }
}

static void tick(struct recording *r, int64_t now)
{
    (void)now;
    join(r, r->drained_ticks - PATIENCE);
    forget_parents(r->drained_ticks);
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store(&wants_start, false);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_THREAD_START, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_THREAD_END, NULL);
}

static void close_threads(struct recording *r)
{
    join(r, INT64_MAX);
    free(parents.list);
    free(starts.list);
    parents = starts = (struct halves){0};
}

struct engine engine_threads = {
    .name = "threads",
    .start = start,
    .write = write,
    .tick = tick,
    .stop = stop,
    .close = close_threads,
};
