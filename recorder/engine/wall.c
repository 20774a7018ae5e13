/*
 * wall.c - samples of wall-clock time: a thread of the recorder visits all threads once for each
 * interval.
 *
 * In: the registry of threads, their states in /proc, stacks of sleeping Java threads by JVMTI.
 * Out: signals to running threads, whose handlers make the records, and records of sleeping
 * threads, made here. It never wakes a sleeping thread.
 */
#include "recorder/engine/wall.h"

#include "recorder/walk/agct_call.h"
#include "recorder/capture/capture.h"
#include "recorder/context/context.h"
#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/capture/thread_names.h"
#include "recorder/capture/virtual_names.h"
#include "recorder/engine/java_threads.h"
#include "recorder/engine/lock.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/local_refs.h"
#include "recorder/base/log.h"
#include "recorder/base/random.h"
#include "recorder/capture/lost.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"
#include "recorder/capture/signals.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/hashtable.h"
#include "jfrfmt/base/now.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_NS INT64_C(50000000)
#define SECOND INT64_C(1000000000)
/* A sleeping thread with no more CPU time since its last sample was not awake. */
#define IDLE_NS 20000
#define VISITS_MAX 2048 /* per interval; of more threads a random part is visited */
#define SHARE 4 /* the sampler may use 1/SHARE of a processor */
#define DEPTH 512

enum kind {
    RAN = SIGNAL_WALL,
    ASLEEP,
    STILL_ASLEEP
};

struct visit { /* one thread's place in a round */
    struct thread *t;
    jthread java; /* local reference, or NULL */
};

static struct {
    struct recording *r;
    int64_t interval; /* ns, 0: off */
    int signal;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_stopping;
    uint64_t random;
    JNIEnv *env; /* of the sampler */
    struct visit *round;
    size_t n, room;
    struct hashtable by_id; /* places in the round by Java id */
    jvmtiFrameInfo java_frames[DEPTH];
    struct frame frames[DEPTH];
    _Atomic uint64_t n_samples, n_signals;
    uint64_t came; /* of signals, before this recording */
} wall = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- which threads are visited --- */

static void add_visit(struct thread *t, void *arg)
{
    (void)arg;
    if (t->is_ours || t->is_exiting)
        return;
    if (array_reserve(&wall.round, &wall.room, wall.n + 1, sizeof(*wall.round)))
        wall.round[wall.n++] = (struct visit){t, NULL};
    else
        lost_record(LOST_MEMORY, 1, sizeof(struct record));
}

static void shuffle(void)
{
    for (size_t i = wall.n; i > 1; i--) {
        size_t k = (size_t)random_below(&wall.random, (int64_t)i);
        struct visit v = wall.round[k];

        wall.round[k] = wall.round[i - 1];
        wall.round[i - 1] = v;
    }
}

static int64_t visit_id_of(const struct visit *v)
{
    return atomic_load_explicit(&v->t->java_id, memory_order_relaxed);
}

/* The Java threads among the n that are visited. False: no memory. */
static bool index_by_id(size_t n)
{
    hashtable_reset(&wall.by_id);
    for (size_t i = 0; i < n; i++) {
        int64_t id = visit_id_of(&wall.round[i]);

        if (id != 0 && !hashtable_add(&wall.by_id, hash_number((uint64_t)id), i))
            return false;
    }
    return true;
}

static struct visit *visit_of(int64_t id)
{
    uint64_t hash = hash_number((uint64_t)id);
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&wall.by_id, hash, &at)) != HASHTABLE_END;)
        if (visit_id_of(&wall.round[i]) == id)
            return &wall.round[i];
    return NULL;
}

/* Finds the java.lang.Thread objects of the visited threads, which JVMTI needs for their stacks. */
static void find_java_threads(size_t n_visited)
{
    jvmtiEnv *ti = wall.r->jvmti;
    jthread *all;
    jint n;

    if (!index_by_id(n_visited) || (*ti)->GetAllThreads(ti, &n, &all) != JVMTI_ERROR_NONE)
        return;
    local_refs_more(wall.env, n);
    for (jint i = 0; i < n; i++) {
        struct visit *v = visit_of(objects_thread_id(wall.env, all[i]));

        if (v != NULL)
            v->java = all[i];
    }
    (*ti)->Deallocate(ti, (unsigned char *)all);
}

/* --- a visit --- */

/* Reads the state ('R', 'S', ...) and the kernel name of a thread. */
static char look_at_thread(const struct thread *t, char comm[NAMES_COMM])
{
    char path[64], text[512], *end, *begin;
    ssize_t n = -1;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", t->tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    if (n <= 0)
        return 0;
    text[n] = 0;
    begin = strchr(text, '(');
    end = strrchr(text, ')'); /* names may hold anything */
    if (begin == NULL || end == NULL || end[1] != ' ')
        return 0;
    for (size_t i = 0; ++begin < end && i < NAMES_COMM - 1; i++)
        comm[i] = *begin;
    return end[2];
}

static void note_context(int32_t tid, struct context_record *record, void *arg)
{
    struct thread *t = threads_find(tid);

    (void)arg;
    if (t != NULL)
        t->wall_context = record;
}

/* The context and virtual thread of a thread, to notice that they have changed. */
struct work {
    bool is_set;
    uint32_t ids[RECORD_CONTEXT];
};

static void read_work(const struct thread *t, struct work *w)
{
    w->is_set = t->wall_context != NULL && context_read_other(t->wall_context, t->tid, w->ids);
}

/* Is it the same as at the last sample? */
static bool is_same_work(const struct thread *t, const struct work *w)
{
    return w->is_set == t->wall_has_ids &&
           (!w->is_set || memcmp(w->ids, t->wall_ids, sizeof(w->ids)) == 0);
}

static void keep_work(struct thread *t, const struct work *w)
{
    t->wall_has_ids = w->is_set;
    if (w->is_set)
        memcpy(t->wall_ids, w->ids, sizeof(w->ids));
}

static void put(struct thread *t, const struct record *head)
{
    if (!capture_enter())
        return;
    capture_other(t, head, wall.frames, t->wall_has_ids ? t->wall_ids : NULL);
    capture_leave();
}

static void put_thread_name(struct thread *t, const char comm[NAMES_COMM])
{
    if (!capture_enter())
        return;
    thread_names_native(t, comm);
    capture_leave();
}

static void write_idle(struct thread *t, int64_t now)
{
    struct record head = {.engine = engine_wall.id,
                          .kind = STILL_ASLEEP,
                          .state = JFR_STATE_SLEEPING,
                          .weight = t->wall_idle,
                          .ticks = t->wall_since,
                          .thread_key = t->wall_virtual,
                          .duration = now - t->wall_since};

    if (t->wall_idle > 0)
        put(t, &head);
    t->wall_idle = 0;
}

/* As many frames as the option allows. */
static int most_frames(void)
{
    int64_t given = wall.r->options->depth;

    return given == REC_UNSET || given >= DEPTH ? DEPTH - 1 : (int)given;
}

/* Frames, and whether there are more. */
static int java_stack(jthread thread, bool *is_cut)
{
    jvmtiEnv *ti = wall.r->jvmti;
    jint n = 0, most = most_frames();

    *is_cut = false;
    if ((*ti)->GetStackTrace(ti, thread, 0, most + 1, wall.java_frames, &n) != JVMTI_ERROR_NONE)
        return 0;
    if (n > most) {
        *is_cut = true;
        n = most;
    }
    for (jint i = 0; i < n; i++) {
        const jvmtiFrameInfo *f = &wall.java_frames[i];

        wall.frames[i] = (struct frame){
            .method = (uint64_t)(uintptr_t)f->method,
            .bci = (int32_t)f->location,
            .kind = f->location < 0 ? FRAME_NATIVE_METHOD : FRAME_COMPILED,
        };
    }
    return n;
}

/* The stack of a virtual thread that waits with its carrier. */
static bool virtual_stack(jthread carrier, struct record *head)
{
    const struct walker *walker = wall.r->walker;
    struct waiting w;

    if (carrier == NULL || walker->walk_waiting == NULL ||
        !walker->walk_waiting(wall.env, carrier, wall.frames, most_frames(), &w))
        return false;
    virtual_names_read(walker, w.id, w.object);
    head->thread_key = w.id;
    head->n_frames = (uint32_t)w.n;
    head->reason = (uint8_t)w.reason;
    return true;
}

/* Finds the stack of a waiting thread without waking it. */
static void waiting_stack(jthread thread, struct record *head)
{
    bool is_cut = false;
    int n;

    if (virtual_stack(thread, head))
        return;
    n = thread == NULL ? 0 : java_stack(thread, &is_cut);
    if (n > 0) {
        head->flags |= RECORD_JMETHODS;
    } else { /* a native thread would have to be woken for its stack */
        wall.frames[0] = (struct frame){.kind = FRAME_REASON, .bci = WALK_NO_JAVA};
        n = 1;
    }
    head->n_frames = (uint32_t)n;
    head->reason = is_cut ? WALK_TRUNCATED : WALK_END;
}

static void visit_sleeping(struct visit *v, const char comm[NAMES_COMM], int64_t now, int64_t cpu)
{
    struct record head = {.engine = engine_wall.id,
                          .kind = ASLEEP,
                          .state = JFR_STATE_SLEEPING,
                          .weight = 1,
                          .ticks = now,
                          .duration = wall.interval,
                          .flags = RECORD_HAS_STACK};

    waiting_stack(v->java, &head);
    v->t->wall_virtual = head.thread_key;
    if (v->t->java_id == 0)
        put_thread_name(v->t, comm);
    put(v->t, &head);
    v->t->wall_asleep = true;
    v->t->wall_cpu = cpu;
}

static void wake_up(struct thread *t)
{
    siginfo_t info = {.si_signo = wall.signal, .si_code = SI_QUEUE};

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)threads_cookie(t, SIGNAL_WALL);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), t->tid, wall.signal, &info) == 0)
        atomic_fetch_add_explicit(&wall.n_signals, 1, memory_order_relaxed);
    else
        lost_record(LOST_SIGNAL, 1, sizeof(struct record));
}

static void visit_thread(struct visit *v)
{
    int64_t cpu = threads_cpu(v->t), now = jfr_writer_now();
    char comm[NAMES_COMM] = "";
    struct work work;

    if (cpu < 0)
        return; /* it has ended */
    lock_find_holder(wall.env, visit_id_of(v), now);
    read_work(v->t, &work);
    if (v->t->wall_asleep && cpu - v->t->wall_cpu <= IDLE_NS && is_same_work(v->t, &work)) {
        if (v->t->wall_idle++ == 0)
            v->t->wall_since = now - wall.interval;
        if (now - v->t->wall_since >= SECOND)
            write_idle(v->t, now);
        return;
    }
    write_idle(v->t, now);
    keep_work(v->t, &work);
    v->t->wall_asleep = false;
    switch (look_at_thread(v->t, comm)) {
    case 'R':
        wake_up(v->t);
        break;
    case 'Z':
    case 'X':
        break; /* it has ended, as main threads may before the others */
    case 0:
        if (threads_cpu(v->t) >= 0)
            lost_record(LOST_STATE, 1, sizeof(struct record));
        break;
    default:
        visit_sleeping(v, comm, now, cpu);
        break;
    }
}

/* --- the sampler --- */

static bool sleep_until(int64_t ticks)
{
    struct timespec until = {ticks / SECOND, ticks % SECOND};
    bool goes_on;

    pthread_mutex_lock(&wall.lock);
    while (!wall.is_stopping && pthread_cond_timedwait(&wall.wake, &wall.lock, &until) == 0)
        ;
    goes_on = !wall.is_stopping;
    pthread_mutex_unlock(&wall.lock);
    return goes_on;
}

/* One interval: every thread once. */
static bool do_round(int64_t begin)
{
    JNIEnv *env = wall.env;
    bool goes_on = true;
    size_t n;

    wall.n = 0;
    threads_each(add_visit, NULL);
    context_each_thread(note_context, NULL);
    shuffle();
    n = wall.n < VISITS_MAX ? wall.n : VISITS_MAX;
    lost_record(LOST_UNVISITED, wall.n - n, (wall.n - n) * sizeof(struct record));
    if ((*env)->PushLocalFrame(env, 64) != 0)
        return sleep_until(begin + wall.interval);
    find_java_threads(n);
    for (size_t i = 0; goes_on && i < n; i++) {
        /* about a millisecond apart, or several at once */
        int64_t at = begin + wall.interval / (int64_t)n * (int64_t)i;

        if (at - jfr_writer_now() > SECOND / 1000)
            goes_on = sleep_until(at);
        if (goes_on)
            visit_thread(&wall.round[i]);
    }
    (*env)->PopLocalFrame(env, NULL);
    return goes_on && sleep_until(begin + wall.interval);
}

/* Returns the number of intervals from the beginning of a round to the next round, by the time and
 * CPU time that the round took. Visits of intervals that are left out are counted as lost. */
static int64_t next_round(int64_t took, int64_t cpu)
{
    int64_t late = took / wall.interval, dear = (cpu * SHARE + wall.interval - 1) / wall.interval;
    int64_t n = late > dear ? late : dear;

    if (n <= 1)
        return 1;
    lost_record(LOST_UNVISITED, wall.n * (uint64_t)(n - 1),
                wall.n * (uint64_t)(n - 1) * sizeof(struct record));
    return n;
}

static void *sampler_main(void *arg)
{
    JavaVM *vm = wall.r->vm;
    JavaVMAttachArgs args = {JNI_VERSION_1_6, (char *)(uintptr_t) "jfrkit sampler", NULL};
    struct thread *self = threads_self();
    int64_t begin = jfr_writer_now(), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID), now;

    (void)arg;
    prctl(PR_SET_NAME, "jfrkit sampler");
    if (self != NULL)
        self->is_ours = true;
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&wall.env, &args) != JNI_OK)
        return NULL;
    while (sleep_until(begin) && do_round(begin)) {
        begin += wall.interval *
                 next_round(jfr_writer_now() - begin, now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
        cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    now = jfr_writer_now();
    for (size_t i = 0; i < wall.n; i++)
        write_idle(wall.round[i].t, now);
    (*vm)->DetachCurrentThread(vm);
    if (self != NULL)
        threads_exiting(self);
    return NULL;
}

/* Clears what was stored about a thread in an earlier recording. */
static void forget_thread(struct thread *t, void *arg)
{
    (void)arg;
    t->wall_asleep = false;
    t->wall_idle = 0;
    t->wall_stack = 0;
    t->wall_virtual = 0;
}

static int start(struct recording *r)
{
    const struct event_settings *s = settings_of(r->settings, EV_WALL_CLOCK_SAMPLE);
    pthread_condattr_t attr;
    char why[200];

    atomic_store(&wall.n_samples, 0);
    atomic_store(&wall.n_signals, 0);
    wall.came = signals_came(SIGNAL_WALL);
    wall.interval = 0;
    if (!s->is_enabled)
        return 1;
    wall.signal = signals_install(why);
    if (wall.signal < 0) {
        log_line(LOG_ERROR, "wall: %s", why);
        return -1;
    }
    signals_route(SIGNAL_WALL, &engine_wall, JFR_STATE_RUNNABLE);
    agct_describe_begin(r->vm);
    wall.r = r;
    wall.interval = s->period_ns > 0 ? s->period_ns : DEFAULT_NS;
    wall.random = random_seed();
    wall.is_stopping = false;
    threads_each(forget_thread, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&wall.wake, &attr);
    pthread_condattr_destroy(&attr);
    /* The drain thread has all signals blocked, and its children inherit that. */
    if (pthread_create(&wall.thread, NULL, sampler_main, NULL) != 0) {
        wall.interval = 0;
        log_line(LOG_ERROR, "wall: no thread for the sampler");
        return -1;
    }
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    pthread_mutex_lock(&wall.lock);
    wall.is_stopping = true;
    pthread_cond_signal(&wall.wake);
    pthread_mutex_unlock(&wall.lock);
    pthread_join(wall.thread, NULL);
    free(wall.round);
    hashtable_free(&wall.by_id);
    wall.round = NULL;
    wall.n = wall.room = 0;
}

/* Counts signals that did not arrive: another one of ours was pending for the thread, or it has
 * ended. */
static void close_wall(struct recording *r)
{
    uint64_t sent = atomic_load(&wall.n_signals), came = signals_came(SIGNAL_WALL) - wall.came;

    (void)r;
    if (sent > came)
        lost_record(LOST_SIGNAL, sent - came, (sent - came) * sizeof(struct record));
    agct_describe_end();
}

/* The stack of a record, or of the sample before it. */
static uint64_t wall_stack_of(struct recording *r, const struct record *rec)
{
    struct thread *t = threads_at(rec->thread, rec->generation);
    uint64_t stack;

    if (rec->kind == STILL_ASLEEP)
        return t != NULL ? t->wall_stack : 0;
    stack = drain_stack(r, rec);
    if (t != NULL)
        t->wall_stack = stack;
    return stack;
}

static void write_wall_sample(struct recording *r, const struct record *rec)
{
    uint64_t thread = context_thread(r, rec), stack = wall_stack_of(r, rec);

    jfr_event_begin(r->writer, r->types[EV_WALL_CLOCK_SAMPLE], rec->ticks);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_key(r->writer, rec->state);
    jfr_put_int(r->writer, (int32_t)rec->weight);
    jfr_put_long(r->writer, rec->duration > 0 ? rec->duration : wall.interval);
    if (context_event_end(r, EV_WALL_CLOCK_SAMPLE, rec) == 0)
        atomic_fetch_add_explicit(&wall.n_samples, rec->weight, memory_order_relaxed);
}

void engine_wall_status(int64_t *interval_ns, uint64_t *n_samples, uint64_t *n_signals)
{
    *interval_ns = wall.interval;
    *n_samples = atomic_load(&wall.n_samples);
    *n_signals = atomic_load(&wall.n_signals);
}

struct engine engine_wall = {
    .name = "wall",
    .start = start,
    .write = write_wall_sample,
    .stop = stop,
    .close = close_wall,
};
