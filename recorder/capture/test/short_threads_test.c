/* The samples of short threads stand for all of their CPU time, one thread's for another's. */
#include "recorder/capture/short_threads.h"

#include "jfrfmt/test/testing.h"

#include <string.h>

#define MS INT64_C(1000000)
#define TICK (4 * MS)

static struct thread threads[64];

static int set_up(void **state)
{
    (void)state;
    memset(threads, 0, sizeof threads);
    for (int i = 0; i < 64; i++)
        threads[i].timer = -1; /* of no process: setting it fails */
    return 0;
}

/* n threads that live for `life`, of which every k-th is caught by one tick. Told time. */
static int64_t live_and_die(int n, int k, int64_t life, int64_t interval)
{
    int64_t told = 0;

    for (int i = 0; i < n; i++) {
        struct thread *t = &threads[i % 64];

        short_threads_begin(t,
                            7 * MS); /* what a thread has used before it has a timer is not told */
        if (i % k == k - 1)
            told += short_threads_weight(t, 1) * interval;
        short_threads_end(t, 7 * MS + life);
        short_threads_forget(t);
    }
    return told;
}

static void one_of_many_stands_for_the_others(void **state)
{
    (void)state;
    short_threads_open(1 * MS, TICK);
    /* as often as ticks would catch them by chance, much rarer, and more often */
    assert_in_range(live_and_die(4000, 4, MS, MS), 3980 * MS, 4020 * MS);
    assert_in_range(live_and_die(4000, 40, MS, MS), 3940 * MS, 4060 * MS);
    assert_in_range(live_and_die(4000, 2, MS, MS), 3980 * MS, 4060 * MS);
}

static void also_with_intervals_longer_than_a_tick(void **state)
{
    (void)state;
    short_threads_open(20 * MS, TICK);
    assert_in_range(live_and_die(4000, 5, MS, 20 * MS), 3940 * MS, 4060 * MS);
}

static void young_threads_are_told_by_ticks(void **state)
{
    int64_t told = 0;

    (void)state;
    short_threads_open(1 * MS, TICK);
    short_threads_begin(&threads[0], 0);
    assert_true(short_threads_is_fresh(&threads[0]));
    for (int i = 0; i < SHORT_TICKS; i++)
        told += short_threads_weight(&threads[0], 1);
    assert_false(short_threads_is_fresh(&threads[0]));
    assert_int_equal(told, SHORT_TICKS * 4);
    /* from then on by intervals, and by the kernel's count */
    assert_int_equal(short_threads_weight(&threads[0], 1), 1);
    assert_int_equal(short_threads_weight(&threads[0], 5), 5);
}

static void nobody_pays_for_a_thread_that_could_not_be_sampled(void **state)
{
    (void)state;
    short_threads_open(1 * MS, TICK);
    short_threads_begin(&threads[0], 0);
    short_threads_end(&threads[0], 5000 * MS); /* it blocked our signal */
    short_threads_begin(&threads[1], -1); /* its clock could not be read */
    short_threads_end(&threads[1], 50 * MS);
    short_threads_begin(&threads[2], 0);
    short_threads_end(&threads[2], -1);
    short_threads_begin(&threads[3], 0);
    assert_int_equal(short_threads_weight(&threads[3], 1), 4);
}

static void the_timer_of_the_process_counts_as_it_is(void **state)
{
    (void)state;
    short_threads_open(1 * MS, TICK);
    assert_int_equal(short_threads_weight(&threads[0], 3), 3);
    short_threads_begin(&threads[1], 0);
    short_threads_forget(&threads[1]);
    assert_int_equal(short_threads_weight(&threads[1], 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_of_many_stands_for_the_others, set_up),
        cmocka_unit_test_setup(also_with_intervals_longer_than_a_tick, set_up),
        cmocka_unit_test_setup(young_threads_are_told_by_ticks, set_up),
        cmocka_unit_test_setup(nobody_pays_for_a_thread_that_could_not_be_sampled, set_up),
        cmocka_unit_test_setup(the_timer_of_the_process_counts_as_it_is, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
