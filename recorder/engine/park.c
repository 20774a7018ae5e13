/*
 * park.c - jdk.ThreadPark and jdk.ThreadSleep, by hooks of the native methods.
 *
 * A virtual thread that parks or sleeps is unmounted and does not call these methods, unless it is
 * pinned: then it also has an event jdk.VirtualThreadPinned.
 */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/io/caller.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/events/jvmti_virtual.h"
#include "recorder/base/log.h"
#include "recorder/base/native_hook.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"

#include <string.h>

#define NS_PER_MS 1000000

enum kind {
    PARK,
    SLEEP,
    PINNED,
    N_KINDS
};

struct park_data {
    int64_t timeout_ns, until_ms; /* INT64_MIN: none */
    int64_t identity;
};

struct sleep_data {
    int64_t ns;
};

/* Atomic: hooks read them while a recording begins or ends. INT64_MAX: off. */
static _Atomic int64_t park_threshold = INT64_MAX, sleep_threshold = INT64_MAX,
                       pinned_threshold = INT64_MAX;
static _Atomic bool with_stack[N_KINDS];
static jvmtiEnv *jvmti;
static jlong sleep0_unit_ns; /* unit of the argument of Thread.sleep0, which differs between JDKs */
static int sleep_skip; /* frames of a sleep that the JDK leaves out */

static void JNICALL hook_park(JNIEnv *env, jobject unsafe, jboolean is_absolute, jlong time);
static void JNICALL hook_park_8(JNIEnv *env, jobject unsafe, jboolean is_absolute, jlong time);
static void JNICALL hook_sleep(JNIEnv *env, jclass cls, jlong ms);
static void JNICALL hook_sleep0(JNIEnv *env, jclass cls, jlong time);
static void JNICALL hook_sleep_nanos(JNIEnv *env, jclass cls, jlong ns);

enum hook {
    HOOK_PARK,
    HOOK_PARK_8,
    HOOK_SLEEP,
    HOOK_SLEEP0,
    HOOK_SLEEP_NANOS,
    N_HOOKS
};

static struct native_hook hooks[N_HOOKS] = {
    [HOOK_PARK] = {"jdk/internal/misc/Unsafe", "park", "(ZJ)V", (void *)(uintptr_t)hook_park},
    [HOOK_PARK_8] = {"sun/misc/Unsafe", "park", "(ZJ)V", (void *)(uintptr_t)hook_park_8},
    [HOOK_SLEEP] = {"java/lang/Thread", "sleep", "(J)V", (void *)(uintptr_t)hook_sleep},
    [HOOK_SLEEP0] = {"java/lang/Thread", "sleep0", "(J)V", (void *)(uintptr_t)hook_sleep0},
    [HOOK_SLEEP_NANOS] = {"java/lang/Thread", "sleepNanos0", "(J)V",
                          (void *)(uintptr_t)hook_sleep_nanos},
};

/* --- park --- */

static bool is_long(const _Atomic int64_t *threshold, int64_t duration)
{
    return duration >= atomic_load_explicit(threshold, memory_order_relaxed);
}

/* Records a virtual thread that could not be unmounted. */
static void emit_pinned(uint64_t id, int64_t began, int64_t duration)
{
    emit(&(struct emit){.engine = &engine_park,
                        .kind = PINNED,
                        .with_stack = atomic_load(&with_stack[PINNED]),
                        .ticks = began,
                        .duration = duration,
                        .thread_key = id});
}

static void emit_park(JNIEnv *env, jthread thread, struct park_data *data, const struct emit *e)
{
    jobject blocker = objects_park_blocker(env, thread);
    struct emit full = *e;
    char cls[OBJECTS_TEXT];

    data->identity = objects_identity(jvmti, blocker);
    full.data = data;
    full.n_data = sizeof(*data);
    full.text = cls;
    full.n_text = objects_class(jvmti, env, blocker, cls) + 1;
    emit(&full);
    (*env)->DeleteLocalRef(env, blocker);
}

static void parked(JNIEnv *env, bool is_absolute, jlong time, int64_t began, int64_t duration)
{
    struct park_data data = {INT64_MIN, INT64_MIN, 0};
    jthread thread = NULL;
    uint64_t id;

    if ((*env)->ExceptionCheck(env) ||
        (*jvmti)->GetCurrentThread(jvmti, &thread) != JVMTI_ERROR_NONE)
        return;
    if (is_absolute)
        data.until_ms = time;
    else if (time != 0)
        data.timeout_ns = time;
    id = objects_virtual_key(env, thread);
    if (is_long(&park_threshold, duration))
        emit_park(env, thread, &data,
                  &(struct emit){.engine = &engine_park,
                                 .kind = PARK,
                                 .with_stack = atomic_load(&with_stack[PARK]),
                                 .ticks = began,
                                 .duration = duration,
                                 .thread_key = id});
    if (id != 0 && is_long(&pinned_threshold, duration))
        emit_pinned(id, began, duration);
    (*env)->DeleteLocalRef(env, thread);
}

static inline void park(enum hook hook, JNIEnv *env, jobject unsafe, jboolean is_absolute,
                        jlong time)
{
    void (*original)(JNIEnv *, jobject, jboolean, jlong);
    int64_t began, took;

    *(void **)&original = native_hook_original(&hooks[hook]);
    if ((!is_long(&park_threshold, INT64_MAX - 1) && !is_long(&pinned_threshold, INT64_MAX - 1)) ||
        !emit_wanted()) {
        original(env, unsafe, is_absolute, time);
        return;
    }
    began = emit_now();
    original(env, unsafe, is_absolute, time);
    took = emit_now() - began;
    if (is_long(&park_threshold, took) || is_long(&pinned_threshold, took))
        parked(env, is_absolute, time, began, took);
}

static void JNICALL hook_park(JNIEnv *env, jobject unsafe, jboolean is_absolute, jlong time)
{
    park(HOOK_PARK, env, unsafe, is_absolute, time);
}

static void JNICALL hook_park_8(JNIEnv *env, jobject unsafe, jboolean is_absolute, jlong time)
{
    park(HOOK_PARK_8, env, unsafe, is_absolute, time);
}

/* --- sleep --- */

/* InterruptedException may be pending afterwards, so no JNI function may be called. */
static inline void sleep_hooked(enum hook hook, JNIEnv *env, jclass cls, jlong time, jlong unit_ns)
{
    void (*original)(JNIEnv *, jclass, jlong);
    int64_t threshold = atomic_load_explicit(&sleep_threshold, memory_order_relaxed), began, took;
    struct sleep_data data;

    *(void **)&original = native_hook_original(&hooks[hook]);
    if (threshold == INT64_MAX || !emit_wanted()) {
        original(env, cls, time);
        return;
    }
    began = emit_now();
    original(env, cls, time);
    took = emit_now() - began;
    if (took < threshold)
        return;
    if (__builtin_mul_overflow(time, unit_ns, &data.ns))
        data.ns = INT64_MAX;
    emit(&(struct emit){.engine = &engine_park,
                        .kind = SLEEP,
                        .with_stack = atomic_load(&with_stack[SLEEP]),
                        .skip = sleep_skip,
                        .ticks = began,
                        .duration = took,
                        .data = &data,
                        .n_data = sizeof(data)});
}

static void JNICALL hook_sleep(JNIEnv *env, jclass cls, jlong ms)
{
    sleep_hooked(HOOK_SLEEP, env, cls, ms, NS_PER_MS);
}

static void JNICALL hook_sleep0(JNIEnv *env, jclass cls, jlong time)
{
    sleep_hooked(HOOK_SLEEP0, env, cls, time, sleep0_unit_ns);
}

static void JNICALL hook_sleep_nanos(JNIEnv *env, jclass cls, jlong ns)
{
    sleep_hooked(HOOK_SLEEP_NANOS, env, cls, ns, 1);
}

/* --- the engine --- */

static int64_t threshold_of(const struct recording *r, enum event e, enum kind kind)
{
    const struct event_settings *s = settings_of(r->settings, e);

    atomic_store(&with_stack[kind], s->with_stack);
    return s->is_enabled ? s->threshold_ns : INT64_MAX;
}

static bool is_in(enum hook a, enum hook b)
{
    return hooks[a].is_installed || hooks[b].is_installed;
}

static int start(struct recording *r)
{
    int64_t park_ns = threshold_of(r, EV_THREAD_PARK, PARK);
    int64_t sleep_ns = threshold_of(r, EV_THREAD_SLEEP, SLEEP);
    int64_t pinned_ns = threshold_of(r, EV_VIRTUAL_THREAD_PINNED, PINNED);
    bool is_21 = (*r->env)->GetVersion(r->env) >= JNI_VERSION_OF_21;

    if (!is_21)
        pinned_ns = INT64_MAX;
    if (park_ns == INT64_MAX && sleep_ns == INT64_MAX && pinned_ns == INT64_MAX)
        return 1;
    if (jvmti == NULL && (*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK)
        return -1;
    /* milliseconds in 19 and 20, nanoseconds in 21 */
    sleep0_unit_ns = is_21 ? 1 : NS_PER_MS;
    sleep_skip = io_caller_leaves_out(r->env) ? 3 : 0; /* sleepNanos0, sleepNanos and sleep */
    native_hook_install(r->vm, r->env, hooks, N_HOOKS);
    if (!is_in(HOOK_PARK, HOOK_PARK_8))
        log_line(LOG_WARNING, "no jdk.ThreadPark: Unsafe.park cannot be intercepted on this VM");
    if (!is_in(HOOK_SLEEP, HOOK_SLEEP0) && !hooks[HOOK_SLEEP_NANOS].is_installed)
        log_line(LOG_WARNING, "no jdk.ThreadSleep: Thread.sleep cannot be intercepted on this VM");
    atomic_store(&park_threshold, park_ns);
    atomic_store(&pinned_threshold, pinned_ns);
    atomic_store(&sleep_threshold, sleep_ns);
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store(&park_threshold, INT64_MAX);
    atomic_store(&pinned_threshold, INT64_MAX);
    atomic_store(&sleep_threshold, INT64_MAX);
}

static void begin(struct recording *r, const struct record *rec, enum event e)
{
    jfr_event_begin(r->writer, r->types[e], rec->ticks);
    jfr_put_long(r->writer, rec->duration);
}

static void write_park(struct recording *r, const struct record *rec)
{
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec), cls;
    struct park_data data;
    const char *signature = (const char *)record_data(rec) + sizeof(data);

    memcpy(&data, record_data(rec), sizeof(data));
    cls = signature[0] == '\0' ? 0 : drain_class(r, signature);
    begin(r, rec, EV_THREAD_PARK);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_key(r->writer, cls);
    jfr_put_long(r->writer, data.timeout_ns);
    jfr_put_long(r->writer, data.until_ms);
    jfr_put_long(r->writer, data.identity);
    context_event_end(r, EV_THREAD_PARK, rec);
}

static void write_sleep(struct recording *r, const struct record *rec)
{
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec);
    struct sleep_data data;

    memcpy(&data, record_data(rec), sizeof(data));
    begin(r, rec, EV_THREAD_SLEEP);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_long(r->writer, data.ns);
    context_event_end(r, EV_THREAD_SLEEP, rec);
}

/* The VM does not report why a thread is pinned. */
static void write_pinned(struct recording *r, const struct record *rec)
{
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec), carrier;
    struct record on_carrier = *rec;

    on_carrier.thread_key = 0;
    carrier = drain_thread(r, &on_carrier);
    begin(r, rec, EV_VIRTUAL_THREAD_PINNED);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_string(r->writer, "LockSupport.park");
    jfr_put_string(r->writer, NULL);
    jfr_put_key(r->writer, carrier);
    context_event_end(r, EV_VIRTUAL_THREAD_PINNED, rec);
}

static void write(struct recording *r, const struct record *rec)
{
    if (rec->kind == PARK)
        write_park(r, rec);
    else if (rec->kind == SLEEP)
        write_sleep(r, rec);
    else
        write_pinned(r, rec);
}

struct engine engine_park = {
    .name = "park",
    .start = start,
    .write = write,
    .stop = stop,
};
