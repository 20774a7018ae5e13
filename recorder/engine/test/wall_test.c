/* Wall-clock samples that could not be taken are counted, each once. */
#include "recorder/engine/wall.h"

#include "recorder/test/engine_testing.h"
#include "recorder/test/jvm_testing.h"
#include "recorder/capture/lost.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#define NOBODY 4000000 /* numbers from here on are of no thread of this machine */
#define VISITED 2048 /* of more threads, in a round */

static void count_one(struct thread *t, void *n)
{
    *(uint64_t *)n += !t->is_ours && !t->is_exiting;
}

static uint64_t n_threads(void)
{
    uint64_t n = 0;

    threads_each(count_one, &n);
    return n;
}

static void have_threads(int n)
{
    for (int i = 0; i < n; i++)
        assert_non_null(threads_add(NOBODY + i));
}

static void no_threads(int n)
{
    for (int i = 0; i < n; i++)
        threads_end(threads_find(NOBODY + i));
    threads_reclaim();
    threads_reclaim();
}

static void begin(const char *period)
{
    engine_begin("profiler.WallClockSample#enabled=true", period, NULL);
    jvm_use(&engine_r);
}

static bool has_come(uint64_t (*what)(void), uint64_t n)
{
    for (int i = 0; i < 60000 && what() < n; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return what() >= n;
}

/* --- too many threads --- */

static uint64_t n_unvisited(void)
{
    return lost_count(LOST_UNVISITED);
}

/* One round begins, and the end comes long before the next one. */
static void threads_that_are_not_visited_are_counted(void **state)
{
    uint64_t before = n_unvisited(), bytes = atomic_load(&lost_bytes), n;

    (void)state;
    have_threads(VISITED + 700);
    n = n_threads() - VISITED;
    assert_true(n >= 700);
    begin("profiler.WallClockSample#period=1000 s");
    assert_int_equal(engine_wall.start(&engine_r), 0);
    assert_true(has_come(n_unvisited, before + n));
    engine_finish(&engine_wall);
    assert_int_equal(n_unvisited() - before, n);
    assert_int_equal(atomic_load(&lost_bytes) - bytes, n * sizeof(struct record));
    no_threads(VISITED + 700);
}

/* So short an interval takes a processor, or all that the sampler gets of one. */
static void rounds_that_are_left_out_are_counted(void **state)
{
    uint64_t before = n_unvisited();

    (void)state;
    assert_true(n_threads() < VISITED);
    have_threads(100);
    begin("profiler.WallClockSample#period=10 us");
    assert_int_equal(engine_wall.start(&engine_r), 0);
    assert_true(has_come(n_unvisited, before + 100));
    engine_finish(&engine_wall);
    no_threads(100);
}

/* --- signals --- */

static _Atomic bool is_running, is_over;

/* A thread that runs, and gets signals or does not. */
static void *spin(void *is_deaf)
{
    sigset_t all;
    struct thread *t;

    sigfillset(&all);
    pthread_sigmask(is_deaf != NULL ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
    t = threads_self();
    atomic_store(&is_running, true);
    while (!atomic_load(&is_over))
        ;
    threads_end(t);
    return NULL;
}

static uint64_t n_signals(void)
{
    int64_t interval;
    uint64_t samples, n;

    engine_wall_status(&interval, &samples, &n);
    return n;
}

/* What a thread that runs lost, what was sent to it, and how many samples there are. */
static uint64_t signals_to(const char *is_deaf, uint64_t *n_sent, uint64_t *n_samples)
{
    uint64_t before = lost_count(LOST_SIGNAL), lost;
    pthread_t thread;

    atomic_store(&is_over, false);
    atomic_store(&is_running, false);
    assert_int_equal(pthread_create(&thread, NULL, spin, (void *)(uintptr_t)is_deaf), 0);
    while (!atomic_load(&is_running)) /* it does not sleep any more */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    begin("profiler.WallClockSample#period=2 ms");
    assert_int_equal(engine_wall.start(&engine_r), 0);
    assert_true(has_come(n_signals, 20));
    *n_samples = engine_finish(&engine_wall);
    *n_sent = n_signals();
    lost = lost_count(LOST_SIGNAL) - before;
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    return lost;
}

static void signals_that_do_not_arrive_are_counted(void **state)
{
    uint64_t sent, samples, lost = signals_to("deaf", &sent, &samples);

    (void)state;
    assert_int_equal(lost, sent);
    assert_int_equal(samples, 0);
}

static void signals_that_arrive_are_samples(void **state)
{
    uint64_t sent, samples, lost = signals_to(NULL, &sent, &samples);

    (void)state;
    assert_true(samples > 0);
    assert_int_equal(samples + lost, sent);
}

/* --- states --- */

static uint64_t n_unread(void)
{
    return lost_count(LOST_STATE);
}

/* As in a program that has opened all the files that it may. */
static void without_files_samples_are_lost_and_counted(void **state)
{
    uint64_t before = n_unread(), unknown = lost_count(LOST_NO_THREAD);
    struct rlimit limit, none;
    bool has;

    (void)state;
    assert_non_null(threads_self());
    begin("profiler.WallClockSample#period=2 ms");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(engine_wall.start(&engine_r), 0);
    has = has_come(n_unread, before + 3);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    engine_finish(&engine_wall);
    assert_true(has);
    assert_int_equal(lost_count(LOST_NO_THREAD), unknown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_are_not_visited_are_counted),
        cmocka_unit_test(rounds_that_are_left_out_are_counted),
        cmocka_unit_test(signals_that_do_not_arrive_are_counted),
        cmocka_unit_test(signals_that_arrive_are_samples),
        cmocka_unit_test(without_files_samples_are_lost_and_counted),
    };

    return cmocka_run_group_tests(tests, engine_init, engine_clean_up);
}
