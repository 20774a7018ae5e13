#include "recorder/base/throttle.h"

#include "jfrfmt/test/testing.h"

#include <pthread.h>

#define SECOND INT64_C(1000000000)

/* How many of one event each `step` ns pass within `span` ns. */
static int64_t passed(int64_t events, int64_t ns, int64_t step, int64_t span)
{
    struct throttle t;
    int64_t n = 0;

    throttle_init(&t, events, ns);
    for (int64_t at = 60 * SECOND; at < 60 * SECOND + span; at += step)
        n += throttle_take(&t, at);
    return n;
}

static void rates(void **state)
{
    (void)state;
    assert_int_equal(passed(INT64_MAX, 1, 1000, SECOND), 1000000);
    assert_int_equal(passed(100, SECOND, 1000, SECOND), 100);
    assert_int_equal(passed(100, SECOND, 1000, 3 * SECOND), 300);
    assert_int_equal(passed(100, SECOND, 1000, SECOND / 2), 50);
    assert_int_equal(passed(100, SECOND, SECOND / 20, SECOND), 20); /* fewer come than may pass */
    assert_int_equal(passed(3, SECOND, 1000, SECOND), 3);
    assert_int_equal(passed(0, SECOND, 1000, SECOND), 0);
    assert_int_equal(passed(60, 60 * SECOND, SECOND / 100, 60 * SECOND), 60);
    assert_int_equal(passed(INT64_MAX - 1, 1, 1000, SECOND), 1000000);
}

static void *take(void *arg)
{
    int64_t n = 0;

    for (int i = 0; i < 100000; i++)
        n += throttle_take(arg, 7 * SECOND + i);
    return (void *)(intptr_t)n;
}

static void threads_share_the_rate(void **state)
{
    struct throttle t;
    pthread_t threads[4];
    int64_t n = 0;
    void *one;

    (void)state;
    throttle_init(&t, 5000, SECOND);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take, &t), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &one);
        n += (intptr_t)one;
    }
    assert_int_equal(n, 500); /* all within one window */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(threads_share_the_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
