/* Samples that a signal brings and that cannot be written are counted, by what they stand for. The
 * signals are sent as the kernel's timers send them. */
#include "recorder/engine/cpu.h"

#include "recorder/test/engine_testing.h"
#include "recorder/capture/lost.h"
#include "recorder/capture/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#define MOST 1000000 /* events of one signal */

/* A timer of the whole process expired on the calling thread, and n times more before this. */
static void expire(int n)
{
    char why[200];
    siginfo_t info = {.si_signo = signals_install(why), .si_code = SI_TIMER};
    pid_t pid = getpid(), tid = (pid_t)syscall(SYS_gettid);

    assert_true(info.si_signo > 0);
    info.si_overrun = n;
    info.si_value.sival_ptr = (void *)(uintptr_t)threads_cookie(NULL, SIGNAL_CPU);
    assert_int_equal(syscall(SYS_rt_tgsigqueueinfo, pid, tid, info.si_signo, &info), 0);
}

static void begin(void)
{
    engine_begin(NULL);
    signals_route(SIGNAL_CPU, &engine_cpu, 0);
}

/* engine_cpu was not started: it has no timers to stop. */
static uint64_t finish(void)
{
    struct engine written = engine_cpu;

    written.stop = written.close = NULL;
    return engine_finish(&written);
}

static void *expire_five_times(void *arg)
{
    (void)arg;
    expire(3);
    expire(0);
    return NULL;
}

static void samples_of_threads_that_are_not_known_are_counted(void **state)
{
    uint64_t before = lost_count(LOST_NO_THREAD);
    pthread_t thread;

    (void)state;
    begin();
    assert_int_equal(pthread_create(&thread, NULL, expire_five_times, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(lost_count(LOST_NO_THREAD) - before, 5);
    assert_int_equal(finish(), 0);
}

static void expiries_are_events(void **state)
{
    uint64_t before = lost_count(LOST_MISSED);

    (void)state;
    threads_self();
    begin();
    expire(6);
    assert_int_equal(finish(), 7);
    assert_int_equal(lost_count(LOST_MISSED), before);
}

static void more_expiries_than_are_written_are_counted(void **state)
{
    uint64_t before = lost_count(LOST_MISSED);

    (void)state;
    threads_self();
    begin();
    expire(MOST + 41);
    assert_int_equal(finish(), MOST);
    assert_int_equal(lost_count(LOST_MISSED) - before, 42);
}

static _Atomic bool is_over;

static void *work_deaf(void *arg)
{
    struct thread *t = threads_self();
    sigset_t all;

    (void)arg;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    engine_cpu_thread_begin(t);
    while (!atomic_load(&is_over))
        ;
    threads_end(t);
    return NULL;
}

/* 150 ms of CPU time at least, in which all signals are blocked. */
static void time_without_a_signal_is_counted(void **state)
{
    static const struct rec_options options;
    uint64_t before = lost_count(LOST_SIGNAL);
    struct timespec cpu = {0};
    clockid_t clock;
    pthread_t thread;

    (void)state;
    engine_begin("jdk.ExecutionSample#enabled=true", "jdk.ExecutionSample#period=1 ms", NULL);
    engine_r.options = &options;
    assert_int_equal(engine_cpu.start(&engine_r), 0);
    atomic_store(&is_over, false);
    assert_int_equal(pthread_create(&thread, NULL, work_deaf, NULL), 0);
    assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
    while (cpu.tv_sec == 0 && cpu.tv_nsec < 150000000)
        clock_gettime(clock, &cpu);
    engine_finish(&engine_cpu);
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    assert_in_range(lost_count(LOST_SIGNAL) - before, 101, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_threads_that_are_not_known_are_counted),
        cmocka_unit_test(expiries_are_events),
        cmocka_unit_test(more_expiries_than_are_written_are_counted),
        cmocka_unit_test(time_without_a_signal_is_counted),
    };

    return cmocka_run_group_tests(tests, engine_init, engine_clean_up);
}
