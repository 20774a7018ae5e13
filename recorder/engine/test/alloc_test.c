/* What there is no memory for is counted as lost, once each; what there is memory for is written.
 */
#include "recorder/engine/engines.h"
#include "recorder/engine/wall.h"

#include "jfrfmt/test/alloc.h"
#include "recorder/test/engine_testing.h"
#include "recorder/test/jvm_testing.h"
#include "recorder/capture/lost.h"

#include <time.h>

#define NOBODY 4000000 /* numbers from here on are of no thread of this machine */
#define THREADS 100

static uint64_t n_lost(void)
{
    return lost_count(LOST_MEMORY);
}

/* A round of the sampler that can remember nobody. */
static void threads_that_are_not_remembered_are_counted(void **state)
{
    uint64_t before = n_lost();

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_non_null(threads_add(NOBODY + i));
    engine_begin("profiler.WallClockSample#enabled=true", "profiler.WallClockSample#period=1000 s",
                 NULL);
    jvm_use(&engine_r);
    alloc_fail(1, true);
    assert_int_equal(engine_wall.start(&engine_r), 0);
    for (int i = 0; i < 60000 && n_lost() - before < THREADS; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_true(alloc_stop());
    assert_int_equal(engine_finish(&engine_wall), 0);
    assert_int_equal(n_lost() - before, THREADS);
}

static void thread_starts(int64_t id)
{
    jvm_callbacks.ThreadStart(&jvm_ti, &jvm_env, jvm_thread(id));
    engine_drain(&engine_threads);
}

/* A thread that starts waits for the word of the one that started it. */
static void starts_that_are_not_kept_are_counted(void **state)
{
    uint64_t before = n_lost(), lost;

    (void)state;
    engine_begin("jdk.ThreadEnd#enabled=true", NULL);
    jvm_use(&engine_r);
    assert_int_equal(engine_threads.start(&engine_r), 0);
    thread_starts(1); /* this thread is known to the file */
    alloc_fail(1, true);
    for (int64_t id = 2; id <= THREADS; id++)
        thread_starts(id);
    assert_true(alloc_stop());
    lost = n_lost() - before;
    assert_in_range(lost, 1, THREADS - 1);
    assert_int_equal(engine_finish(&engine_threads), THREADS - lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_are_not_remembered_are_counted), /* no others yet */
        cmocka_unit_test(starts_that_are_not_kept_are_counted),
    };

    return cmocka_run_group_tests(tests, engine_init, engine_clean_up);
}
