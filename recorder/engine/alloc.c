/* alloc.c - samples of allocated objects (JVMTI's SampledObjectAlloc, since 11).
 *
 * The VM samples each thread after a random number of bytes with a known mean. A sample of an
 * object of size s stands for s / (1 - exp(-s / mean)) bytes: the sum of these weights is the
 * number of bytes allocated, whatever the sizes are. The setting limits samples per time; so the
 * mean grows while there are too many and shrinks again, and the sums stay right. */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/capture/wake.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/log.h"
#include "recorder/base/thread_local.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"

#include <string.h>

#define SHORTEST (512 << 10) /* bytes between samples, the VM's own default */
#define LONGEST (1 << 30)
#define LOOK_NS INT64_C(100000000) /* the mean is adjusted so often at most */

struct alloc_data {
    int64_t weight;
};

static jvmtiEnv *jvmti; /* of this engine alone */
static _Atomic int32_t mean; /* bytes; 0: off */
static _Atomic int64_t n_samples;
static _Atomic int64_t enough; /* n_samples at which the mean has to be adjusted; 0: never */

/* The mean by which the VM chose when to sample this thread next; 0: not known to this engine. */
static __thread int32_t mean_before SIGNAL_SAFE;

static bool with_stack;
static int32_t shortest;
static int64_t limit; /* samples in LOOK_NS; SETTINGS_OFF: none */
static int64_t next_look, samples_before;

/* exp(-x) for x >= 0 without libm: exact to 1e-12 where the weight depends on it. */
static double exp_minus(double x)
{
    double term = 1, sum = 1, y = x;
    int halves = 0;

    if (x > 40)
        return 0;
    for (; y > 0.5; halves++)
        y /= 2;
    for (int i = 1; i < 14; i++) {
        term *= -y / i;
        sum += term;
    }
    while (halves-- > 0)
        sum *= sum;
    return sum;
}

/* Bytes that a sample of this size stands for. A small x would cancel out in 1 - exp(-x). */
static int64_t weight_of_object(jlong size, int32_t bytes)
{
    double x = (double)size / bytes;
    double p = x < 1e-4 ? x - x * x / 2 : 1 - exp_minus(x);

    return size <= 0 ? bytes : (int64_t)((double)size / p + 0.5);
}

static void JNICALL on_sample(jvmtiEnv *env_ti, JNIEnv *env, jthread thread, jobject object,
                              jclass cls, jlong size)
{
    int32_t bytes = atomic_load_explicit(&mean, memory_order_relaxed);
    int32_t chosen_by = mean_before == 0 ? bytes : mean_before;
    struct alloc_data data;
    char signature[OBJECTS_TEXT];
    size_t n;

    (void)object;
    if (bytes == 0 || !emit_wanted())
        return;
    if (atomic_fetch_add_explicit(&n_samples, 1, memory_order_relaxed) + 1 ==
        atomic_load_explicit(&enough, memory_order_relaxed))
        wake();
    mean_before = bytes;
    data.weight = weight_of_object(size, chosen_by);
    n = objects_signature(env_ti, cls, signature);
    emit(&(struct emit){.engine = &engine_alloc,
                        .with_stack = with_stack,
                        .data = &data,
                        .n_data = sizeof(data),
                        .text = signature,
                        .n_text = n + 1,
                        .thread_key = objects_virtual_key(env, thread)});
}

/* --- the engine --- */

static bool make_environment(struct recording *r)
{
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sample};

    if (jvmti != NULL)
        return true;
    return (*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK &&
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) == JVMTI_ERROR_NONE;
}

static bool set_mean(int32_t bytes)
{
    if ((*jvmti)->SetHeapSamplingInterval(jvmti, bytes) != JVMTI_ERROR_NONE)
        return false;
    atomic_store(&mean, bytes);
    return true;
}

static const jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};

static bool switch_alloc_on(void)
{
    jvmtiCapabilities can;

    memset(&can, 0, sizeof(can));
    return (*jvmti)->GetPotentialCapabilities(jvmti, &can) == JVMTI_ERROR_NONE &&
           can.can_generate_sampled_object_alloc_events &&
           (*jvmti)->AddCapabilities(jvmti, &sampling) == JVMTI_ERROR_NONE && set_mean(shortest) &&
           (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                              NULL) == JVMTI_ERROR_NONE;
}

static void begin_look(int64_t now)
{
    samples_before = atomic_load(&n_samples);
    next_look = now + LOOK_NS;
    atomic_store(&enough, limit == SETTINGS_OFF ? 0 : samples_before + limit + 1);
}

static int start(struct recording *r)
{
    const struct event_settings *s = settings_of(r->settings, EV_OBJECT_ALLOCATION_SAMPLE);
    int64_t given = r->options->alloc;

    if (given == 0 || (given == REC_UNSET && (!s->is_enabled || s->throttle_events == 0)))
        return 1;
    with_stack = s->with_stack;
    shortest = given == REC_UNSET ? SHORTEST : given > LONGEST ? LONGEST : (int32_t)given;
    limit = SETTINGS_OFF;
    if (given == REC_UNSET && s->throttle_events != SETTINGS_OFF)
        limit = (int64_t)((double)s->throttle_events * LOOK_NS / (double)s->throttle_ns) + 1;
    begin_look(emit_now());
    engine_alloc.next_tick = 0;
    if (!make_environment(r) || !switch_alloc_on()) {
        atomic_store(&mean, 0);
        log_line(LOG_WARNING, "no jdk.ObjectAllocationSample: this VM has no allocation sampling "
                              "(it came with JDK 11), or another agent has taken it");
        return -1;
    }
    return 0;
}

/* Adjusts the mean if there are too many samples, or far too few. Not at each small change: a
 * thread uses the new mean only after its next sample, which the old mean has chosen. */
static void tick(struct recording *r, int64_t now)
{
    int64_t n, bytes = atomic_load(&mean);

    (void)r;
    if (limit == SETTINGS_OFF)
        return;
    if (now < next_look) {
        if (atomic_load(&n_samples) >= atomic_load(&enough))
            engine_alloc.next_tick = next_look;
        return;
    }
    n = (atomic_load(&n_samples) - samples_before) * LOOK_NS / (now - next_look + LOOK_NS);
    begin_look(now);
    if (n > limit)
        bytes = bytes * n / limit * 5 / 4;
    else if (n < limit / 4)
        bytes /= 2;
    bytes = bytes < shortest ? shortest : bytes > LONGEST ? LONGEST : bytes;
    if (bytes != atomic_load(&mean))
        set_mean((int32_t)bytes);
    engine_alloc.next_tick = bytes > shortest ? next_look : 0;
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store(&mean, 0);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                       NULL);
    (*jvmti)->RelinquishCapabilities(jvmti, &sampling);
}

static void write(struct recording *r, const struct record *rec)
{
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec), cls;
    struct alloc_data data;

    memcpy(&data, record_data(rec), sizeof(data));
    cls = drain_class(r, (const char *)record_data(rec) + sizeof(data));
    jfr_event_begin(r->writer, r->types[EV_OBJECT_ALLOCATION_SAMPLE], rec->ticks);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_key(r->writer, cls);
    jfr_put_long(r->writer, data.weight);
    context_event_end(r, EV_OBJECT_ALLOCATION_SAMPLE, rec);
}

struct engine engine_alloc = {
    .name = "alloc",
    .start = start,
    .write = write,
    .tick = tick,
    .stop = stop,
};
