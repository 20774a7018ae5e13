/*
 * cpu.c - the engine of jdk.ExecutionSample: gives each thread a timer on its CPU time, and writes
 * the samples.
 *
 * Threads come from threads.c, as they begin and end and by a sweep at the start; the signal
 * handler (capture) takes the sample, this file turns the record into events. If the system has no
 * more timers one timer of the process serves all threads.
 */
#include "recorder/engine/cpu.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/cpu_perf.h"
#include "recorder/capture/cpu_timer.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/symbols/kernel_symbols.h"
#include "recorder/base/log.h"
#include "recorder/base/random.h"
#include "recorder/capture/lost.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"
#include "recorder/capture/short_threads.h"
#include "recorder/capture/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_NS INT64_C(10000000)
#define REPEAT_MAX 1000000
#define SECOND INT64_C(1000000000)
#define UNHEARD_NS (SECOND / 10) /* CPU time that a thread has before a signal must have come */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* timers, and what follows */
static int64_t interval; /* ns, 0: off */
static int signal_number;
static int n_timers, n_counters, process_timer = -1;
static bool is_exhausted; /* the system has no more timers */
static bool has_itimer; /* so ITIMER_PROF stands in for them */
static bool is_taken; /* another library has replaced our handler, and that was logged */
static int64_t look_at; /* ticks: when the handler is checked again */
static int64_t listen_at, listen_pause; /* when deaf threads are looked for again; ticks, ns */
static bool is_deaf_logged;
static int perf = -1; /* what cpu_perf_probe() said; negative: timers */
static uint64_t random_state;

/* tid 0: of the whole process. The timer, or -1 and errno. */
static int create(clockid_t clock, int32_t tid, uint64_t cookie)
{
    struct sigevent ev = {.sigev_signo = signal_number,
                          .sigev_notify = tid == 0 ? SIGEV_SIGNAL : SIGEV_THREAD_ID};
    int timer;

    ev.sigev_value.sival_ptr = (void *)(uintptr_t)cookie;
    if (tid != 0)
        ev.sigev_notify_thread_id = tid;
    return syscall(SYS_timer_create, clock, &ev, &timer) == 0 ? timer : -1;
}

static bool has_counter(const struct thread *t)
{
    return atomic_load_explicit(&t->perf, memory_order_relaxed) != 0;
}

/* CPU time that a thread has used without a signal, although its timer must have expired. */
static uint64_t unheard(const struct thread *t)
{
    int64_t cpu = 0;

    if (t->has_timer && short_threads_is_fresh(t))
        cpu = threads_cpu(t) - atomic_load_explicit(&t->sampled_cpu, memory_order_relaxed);
    return cpu > UNHEARD_NS + interval ? (uint64_t)cpu : 0;
}

static void disarm(struct thread *t)
{
    uint64_t lost;

    if (has_counter(t)) {
        cpu_perf_close(t);
        n_counters--;
    }
    if (!t->has_timer)
        return;
    lost = unheard(t) / (uint64_t)interval;
    lost_record(LOST_SIGNAL, lost, lost * sizeof(struct record));
    syscall(SYS_timer_delete, t->timer);
    short_threads_forget(t);
    t->has_timer = false;
    n_timers--;
}

static void disarm_each(struct thread *t, void *arg)
{
    (void)arg;
    disarm(t);
}

static int set_itimer(int64_t ns)
{
    struct timeval every = {ns / 1000000000, ns % 1000000000 / 1000};

    return setitimer(ITIMER_PROF, &(struct itimerval){every, every}, NULL);
}

/* ITIMER_PROF needs no room in the queue of signals, but it can send SIGPROF only. */
static void begin_itimer(void)
{
    has_itimer = signals_from_itimer(interval) == 0 && set_itimer(interval) == 0;
}

static void end_itimer(void)
{
    if (has_itimer)
        set_itimer(0);
    has_itimer = false;
    signals_from_itimer(0);
}

/* Signals of timers count against RLIMIT_SIGPENDING, of all processes of the user together; then
 * the error is EAGAIN. */
static void fall_back(int error)
{
    const char *why = error == EAGAIN ? "ulimit -i" : strerror(error);

    threads_each(disarm_each, NULL);
    is_exhausted = true;
    process_timer = create(CLOCK_PROCESS_CPUTIME_ID, 0, threads_cookie(NULL, SIGNAL_CPU));
    if (process_timer >= 0)
        cpu_timer_set(process_timer, 1, interval);
    else
        begin_itimer();
    log_line(LOG_WARNING, "no more timers (%s): %s", why,
             process_timer >= 0 || has_itimer ? "one timer samples all threads, less evenly"
                                              : "no CPU samples");
}

/* Opens a counter for the thread. Returns false if it has to get a timer instead. */
static bool open_counter(struct thread *t)
{
    if (perf < 0 ||
        cpu_perf_open(t, interval, 1 + random_below(&random_state, interval), signal_number) != 0)
        return false;
    n_counters++;
    return true;
}

static void arm(struct thread *t)
{
    if (t->has_timer || has_counter(t) || t->is_ours || t->is_exiting || is_exhausted ||
        open_counter(t))
        return;
    t->timer = create(threads_clock(t), t->tid, threads_cookie(t, SIGNAL_CPU));
    if (t->timer < 0) {
        if (errno != EINVAL && errno != ESRCH) /* these two: the thread has ended */
            fall_back(errno);
        return;
    }
    short_threads_begin(t, threads_cpu(t));
    t->has_timer = true;
    n_timers++;
    if (cpu_timer_set(t->timer, 1, interval) != 0)
        disarm(t);
}

static void arm_each(struct thread *t, void *arg)
{
    (void)arg;
    arm(t);
}

void engine_cpu_thread_begin(struct thread *t)
{
    pthread_mutex_lock(&lock);
    if (interval > 0)
        arm(t);
    pthread_mutex_unlock(&lock);
}

void engine_cpu_thread_end(struct thread *t)
{
    pthread_mutex_lock(&lock);
    if (t->has_timer)
        short_threads_end(t, threads_cpu(t));
    disarm(t);
    cpu_perf_forget(t);
    pthread_mutex_unlock(&lock);
}

static int64_t tick_length(void)
{
    struct timespec t;

    return clock_getres(CLOCK_MONOTONIC_COARSE, &t) == 0 && t.tv_sec == 0 ? t.tv_nsec : 4000000;
}

static int64_t wanted_interval(const struct recording *r)
{
    const struct event_settings *s = settings_of(r->settings, EV_EXECUTION_SAMPLE);

    if (!s->is_enabled)
        return 0;
    return s->period_ns > 0 ? s->period_ns : DEFAULT_NS;
}

/* Chooses counters or timers, once for a recording, as the options say. */
static void choose_engine(const struct recording *r)
{
    bool is_wanted = r->options->engine != NULL && strcmp(r->options->engine, "perf") == 0;
    char why[200];

    perf = is_wanted ? cpu_perf_probe(why) : -1;
    if (is_wanted && perf < 0)
        log_line(LOG_WARNING, "engine=perf is not allowed here (%s): timers instead", why);
    else if (perf == 0)
        log_line(LOG_INFO, "stacks without the kernel's part (%s)", why);
    if (perf > 0 && kernel_symbols_load() == 0)
        log_line(LOG_INFO, "functions of the kernel have no names: /proc/kallsyms shows none");
}

static int start(struct recording *r)
{
    char why[200];
    int64_t wanted = wanted_interval(r);

    if (wanted == 0)
        return 1;
    signal_number = signals_install(why);
    if (signal_number < 0) {
        log_line(LOG_ERROR, "cpu: %s", why);
        return -1;
    }
    signals_route(SIGNAL_CPU, &engine_cpu, JFR_STATE_RUNNABLE);
    choose_engine(r);
    is_taken = false;
    look_at = 0;
    is_deaf_logged = false;
    listen_pause = SECOND;
    listen_at = r->start_ticks + listen_pause;
    pthread_mutex_lock(&lock);
    random_state = random_seed();
    interval = wanted;
    short_threads_open(interval, tick_length());
    threads_each(arm_each, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* Logs once for a recording if another library has replaced our signal handler. */
static void check_handler(void)
{
    int taken = is_taken ? 0 : signals_taken();

    if (taken == 0)
        return;
    is_taken = true;
    log_line(LOG_WARNING,
             "another handler took signal %d (%s): there are samples only if it passes ours on",
             taken, strsignal(taken));
}

static bool blocks_signal(const struct thread *t)
{
    static const char key[] = "SigBlk:";
    char path[64], line[256];
    bool blocks = false;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/status", t->tid);
    f = fopen(path, "re");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            blocks = strtoull(line + strlen(key), NULL, 16) >> (signal_number - 1) & 1;
    if (f != NULL)
        fclose(f);
    return blocks;
}

static void count_deaf(struct thread *t, void *n)
{
    *(int *)n += unheard(t) > 0 && blocks_signal(t);
}

/* Logs once for a recording if threads block our signal: they inherit that from the process that
 * started the JVM. */
static void check_blocked_threads(void)
{
    int n = 0;

    if (is_deaf_logged)
        return;
    pthread_mutex_lock(&lock);
    threads_each(count_deaf, &n);
    pthread_mutex_unlock(&lock);
    is_deaf_logged = n > 0;
    if (n > 0)
        log_line(LOG_WARNING, "no CPU samples of threads that block signal %d (%s): %d by now",
                 signal_number, strsignal(signal_number), n);
}

static void stop(struct recording *r)
{
    (void)r;
    check_handler(); /* also for a recording of less than a second */
    check_blocked_threads();
    pthread_mutex_lock(&lock);
    threads_each(disarm_each, NULL);
    interval = 0;
    if (process_timer >= 0)
        syscall(SYS_timer_delete, process_timer);
    process_timer = -1;
    end_itimer();
    is_exhausted = false;
    pthread_mutex_unlock(&lock);
}

static void forget_counter(struct thread *t, void *arg)
{
    (void)arg;
    cpu_perf_forget(t);
}

/* No handler runs any more. */
static void close_cpu(struct recording *r)
{
    (void)r;
    pthread_mutex_lock(&lock);
    threads_each(forget_counter, NULL);
    kernel_symbols_free();
    pthread_mutex_unlock(&lock);
}

static void tick_cpu(struct recording *r, int64_t now)
{
    (void)r;
    if (now < look_at)
        return;
    look_at = now + SECOND;
    check_handler();
    if (now < listen_at)
        return;
    listen_pause *= 2;
    listen_at = now + listen_pause;
    check_blocked_threads();
}

/* A timer that expired n times before its signal was delivered stands for n intervals of CPU time.
 * They are written as n events: readers count events, none knows a weight of this type. */
static void write_sample(struct recording *r, const struct record *rec)
{
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec);
    uint32_t n = rec->weight < REPEAT_MAX ? rec->weight : REPEAT_MAX;

    if (n < rec->weight)
        lost_add(LOST_MISSED, rec->weight - n);
    for (uint32_t i = 0; i < n; i++) {
        jfr_event_begin(r->writer, r->types[EV_EXECUTION_SAMPLE], rec->ticks);
        jfr_put_key(r->writer, thread);
        jfr_put_key(r->writer, stack);
        jfr_put_key(r->writer, rec->state);
        context_event_end(r, EV_EXECUTION_SAMPLE, rec);
    }
}

void engine_cpu_status(struct cpu_status *status)
{
    pthread_mutex_lock(&lock);
    *status = (struct cpu_status){
        .interval_ns = interval,
        .n_timers = n_timers,
        .n_counters = n_counters,
        .is_process_wide = process_timer >= 0 || has_itimer,
        .with_kernel = perf > 0,
    };
    pthread_mutex_unlock(&lock);
}

struct engine engine_cpu = {
    .name = "cpu",
    .start = start,
    .write = write_sample,
    .tick = tick_cpu,
    .stop = stop,
    .close = close_cpu,
};
