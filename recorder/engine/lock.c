/*
 * lock.c - events of contended monitors and of Object.wait(), each from two callbacks of JVMTI.
 *
 * The two may come on different carrier threads (virtual threads since JDK 24), so the beginning is
 * stored by the id of the Java thread (waits.h).
 *
 * No callback reports which thread holds the monitor. The wall-clock sampler finds it for waits
 * that it encounters (lock_find_holder()), and stores it beside the beginning of the wait.
 */
#include "recorder/engine/lock.h"

#include "recorder/engine/lock_holder.h"
#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/log.h"
#include "recorder/capture/lost.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"
#include "recorder/capture/threads.h"
#include "recorder/capture/waits.h"

#include <string.h>

enum kind {
    ENTER,
    WAIT
};

struct lock_data {
    int64_t identity, timeout_ms;
    uint64_t holder; /* pack_thread(); 0: unknown */
    bool is_timed_out;
};

static jvmtiEnv *jvmti; /* of this engine alone */
static struct waits waiting[2]; /* by kind */
static _Atomic bool has_enters; /* for the sampler: JavaMonitorEnter is being recorded */
static struct {
    bool is_on, with_stack;
    int64_t threshold_ns;
} kinds[2];

/* A thread as records name it, in one word that is not 0. */
static uint64_t pack_thread(const struct thread *t)
{
    return (uint64_t)(threads_index(t) + 1) << 32 | atomic_load(&t->generation);
}

static uint64_t packed_thread_key(struct recording *r, uint64_t packed)
{
    struct record of = {.thread = (uint32_t)(packed >> 32) - 1, .generation = (uint32_t)packed};

    return packed == 0 ? 0 : drain_thread(r, &of);
}

static void begin(JNIEnv *env, jthread thread, enum kind kind, int64_t value)
{
    if (emit_wanted() &&
        !waits_begin(&waiting[kind], objects_thread_id(env, thread), emit_now(), value))
        lost_add(LOST_WAITS, 1);
}

static void end(JNIEnv *env, jthread thread, jobject object, enum kind kind, bool is_timed_out)
{
    struct lock_data data = {.is_timed_out = is_timed_out};
    char cls[OBJECTS_TEXT];
    int64_t began, took;
    size_t n;

    if (!waits_end(&waiting[kind], objects_thread_id(env, thread), &began, &data.timeout_ms,
                   &data.holder))
        return;
    took = emit_now() - began;
    if (took < kinds[kind].threshold_ns || !emit_wanted())
        return;
    data.identity = objects_identity(jvmti, object);
    n = objects_class(jvmti, env, object, cls);
    emit(&(struct emit){.engine = &engine_lock,
                        .kind = (uint8_t)kind,
                        .with_stack = kinds[kind].with_stack,
                        .ticks = began,
                        .duration = took,
                        .data = &data,
                        .n_data = sizeof(data),
                        .text = cls,
                        .n_text = n + 1,
                        .thread_key = objects_virtual_key(env, thread)});
}

static void JNICALL on_enter(jvmtiEnv *ti, JNIEnv *env, jthread thread, jobject object)
{
    (void)ti, (void)object;
    begin(env, thread, ENTER, 0);
}

static void JNICALL on_entered(jvmtiEnv *ti, JNIEnv *env, jthread thread, jobject object)
{
    (void)ti;
    end(env, thread, object, ENTER, false);
}

static void JNICALL on_wait(jvmtiEnv *ti, JNIEnv *env, jthread thread, jobject object, jlong ms)
{
    (void)ti, (void)object;
    begin(env, thread, WAIT, ms);
}

static void JNICALL on_waited(jvmtiEnv *ti, JNIEnv *env, jthread thread, jobject object,
                              jboolean timed_out)
{
    (void)ti;
    end(env, thread, object, WAIT, timed_out);
}

void lock_find_holder(JNIEnv *env, int64_t java_id, int64_t now)
{
    int64_t began, id;
    struct thread *holder;

    if (!atomic_load(&has_enters) || (began = waits_began(&waiting[ENTER], java_id)) == 0 ||
        now - began < kinds[ENTER].threshold_ns / 2)
        return;
    id = lock_holder(env, java_id);
    if (id < 0)
        return; /* perhaps at the next visit */
    holder = id == 0 ? NULL : threads_find_java(id);
    waits_note(&waiting[ENTER], java_id, began, holder == NULL ? 0 : pack_thread(holder));
}

/* --- the engine --- */

static const jvmtiCapabilities monitors = {.can_generate_monitor_events = 1};

static const struct {
    jvmtiEvent event;
    enum kind kind;
} events[] = {
    {JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, ENTER},
    {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, ENTER},
    {JVMTI_EVENT_MONITOR_WAITED, WAIT},
    {JVMTI_EVENT_MONITOR_WAIT, WAIT},
};

static bool make_environment(struct recording *r)
{
    jvmtiEventCallbacks callbacks = {
        .MonitorContendedEnter = on_enter,
        .MonitorContendedEntered = on_entered,
        .MonitorWait = on_wait,
        .MonitorWaited = on_waited,
    };

    if (jvmti != NULL)
        return true;
    return (*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) == JNI_OK &&
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) == JVMTI_ERROR_NONE;
}

static bool switch_locks_on(void)
{
    if ((*jvmti)->AddCapabilities(jvmti, &monitors) != JVMTI_ERROR_NONE)
        return false;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (kinds[events[i].kind].is_on &&
            (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i].event, NULL) !=
                JVMTI_ERROR_NONE)
            return false;
    return true;
}

static void read_lock_kind(struct recording *r, enum kind kind, enum event e)
{
    const struct event_settings *s = settings_of(r->settings, e);

    kinds[kind].is_on = s->is_enabled;
    kinds[kind].with_stack = s->with_stack;
    kinds[kind].threshold_ns = s->threshold_ns;
}

static int start(struct recording *r)
{
    read_lock_kind(r, ENTER, EV_JAVA_MONITOR_ENTER);
    read_lock_kind(r, WAIT, EV_JAVA_MONITOR_WAIT);
    if (!kinds[ENTER].is_on && !kinds[WAIT].is_on)
        return 1;
    if (!make_environment(r)) {
        log_line(LOG_WARNING, "no events of monitors: no JVMTI");
        return -1;
    }
    waits_clear(&waiting[ENTER]);
    waits_clear(&waiting[WAIT]);
    if (!switch_locks_on()) {
        log_line(LOG_WARNING, "no events of monitors: this VM does not give them");
        return -1;
    }
    atomic_store(&has_enters, kinds[ENTER].is_on);
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store(&has_enters, false);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, events[i].event, NULL);
    (*jvmti)->RelinquishCapabilities(jvmti, &monitors);
}

static void write(struct recording *r, const struct record *rec)
{
    enum event e = rec->kind == ENTER ? EV_JAVA_MONITOR_ENTER : EV_JAVA_MONITOR_WAIT;
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec), cls, holder;
    struct lock_data data;

    memcpy(&data, record_data(rec), sizeof(data));
    holder = packed_thread_key(r, data.holder);
    cls = drain_class(r, (const char *)record_data(rec) + sizeof(data));
    jfr_event_begin(r->writer, r->types[e], rec->ticks);
    jfr_put_long(r->writer, rec->duration);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_key(r->writer, cls);
    jfr_put_key(r->writer, holder); /* of Object.wait(): the notifier, which is not known */
    if (rec->kind == WAIT) {
        jfr_put_long(r->writer, data.timeout_ms);
        jfr_put_boolean(r->writer, data.is_timed_out);
    }
    jfr_put_long(r->writer, data.identity);
    context_event_end(r, e, rec);
}

struct engine engine_lock = {
    .name = "lock",
    .start = start,
    .write = write,
    .stop = stop,
};
