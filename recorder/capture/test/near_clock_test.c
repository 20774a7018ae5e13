/* The clock and the counter are the test's own: nothing here depends on the machine. */
#include "jfrfmt/test/testing.h"

#include <stdbool.h>
#include <stdint.h>

static struct {
    uint64_t counter;
    int64_t ns;
    int n_asked; /* how often the clock was */
    uint64_t asking; /* counts that it takes */
    bool is_counted;
} machine;

static uint64_t counter(void)
{
    return machine.counter;
}

static int64_t clock_of_machine(void)
{
    machine.n_asked++;
    machine.counter += machine.asking;
    return machine.ns;
}

#define NEAR_COUNTER() counter()
#define NEAR_CLOCK() clock_of_machine()
#define NEAR_IS_COUNTED() machine.is_counted

#include "recorder/capture/near_clock.c" /* NOLINT(bugprone-suspicious-include): with the macros above */

#define GHZ 3
#define MS 1000000

static int begin(void **state)
{
    (void)state;
    machine.counter = 12345;
    machine.ns = 1000000000;
    machine.n_asked = 0;
    machine.asking = 100;
    machine.is_counted = true;
    near_asked = first = (struct near_pair){0};
    near_window = near_rate = 0;
    is_usable = false;
    return 0;
}

static void pass(int64_t ns)
{
    machine.ns += ns;
    machine.counter += (uint64_t)(ns * GHZ);
}

/* The counter is as exact as asking takes: 100 counts are 33 ns. */
static void assert_near(void)
{
    int64_t is = near_clock_now();

    assert_true(is >= machine.ns - 200 && is <= machine.ns + 200);
}

static void ready(void)
{
    near_clock_init();
    pass(30 * MS);
    near_clock_now(); /* finds out how fast it runs */
    assert_true(near_window > 0);
    machine.n_asked = 0;
}

static void until_the_rate_is_known_the_clock_is_asked(void **state)
{
    (void)state;
    near_clock_init();
    for (int i = 0; i < 10; i++) {
        pass(MS);
        machine.n_asked = 0;
        assert_int_equal(near_clock_now(), machine.ns);
        assert_int_equal(machine.n_asked, 1);
    }
    assert_int_equal(near_window, 0);
}

static void then_it_is_asked_once_in_a_window(void **state)
{
    (void)state;
    ready();
    for (int i = 0; i < 1000; i++) {
        pass(1000);
        assert_near();
    }
    assert_in_range(machine.n_asked, 4, 6); /* 1 ms */
}

static void a_long_wait_is_exact(void **state)
{
    (void)state;
    ready();
    pass(3000 * (int64_t)MS);
    assert_int_equal(near_clock_now(), machine.ns);
    assert_near();
    assert_true(near_window > 0);
}

static void a_clock_that_is_slewed_is_followed(void **state)
{
    (void)state;
    ready();
    for (int i = 0; i < 100000; i++) {
        pass(1000);
        machine.ns += i % 2; /* 500 ppm */
        assert_near();
    }
    assert_true(near_window > 0);
    assert_true(machine.n_asked < 1000);
}

static void who_was_interrupted_asks_again(void **state)
{
    (void)state;
    ready();
    pass(MS);
    machine.asking = 100000;
    assert_int_equal(near_clock_now(), machine.ns);
    assert_int_equal(near_clock_now(), machine.ns);
    assert_int_equal(machine.n_asked, 2);
    machine.asking = 100;
    machine.ns += 2 * 100000 / GHZ; /* which is what passed meanwhile */
    near_clock_now();
    near_clock_now();
    assert_int_equal(machine.n_asked, 3);
    assert_true(near_window > 0);
}

static void a_counter_that_jumps_is_left_alone(void **state)
{
    int64_t jump = *(const int64_t *)*state;

    ready();
    assert_near();
    pass(MS);
    machine.counter += (uint64_t)jump;
    assert_int_equal(near_clock_now(), machine.ns);
    assert_int_equal(near_window, 0);
    for (int i = 0; i < 10; i++) {
        pass(10 * MS);
        assert_int_equal(near_clock_now(), machine.ns);
    }
    assert_int_equal(near_window, 0);
}

static void elsewhere_it_is_the_clock(void **state)
{
    (void)state;
    machine.is_counted = false;
    near_clock_init();
    for (int i = 0; i < 100; i++) {
        pass(MS);
        assert_int_equal(near_clock_now(), machine.ns);
    }
    assert_int_equal(machine.n_asked, 100);
}

static void a_counter_that_stands_still_is_left_alone(void **state)
{
    (void)state;
    near_clock_init();
    machine.asking = 0;
    machine.ns += 30 * MS;
    assert_int_equal(near_clock_now(), machine.ns);
    machine.ns += 30 * MS;
    assert_int_equal(near_clock_now(), machine.ns);
    assert_int_equal(near_window, 0);
}

int main(void)
{
    static const int64_t forth = 10 * MS * (int64_t)GHZ, back = -forth;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(until_the_rate_is_known_the_clock_is_asked, begin),
        cmocka_unit_test_setup(then_it_is_asked_once_in_a_window, begin),
        cmocka_unit_test_setup(a_long_wait_is_exact, begin),
        cmocka_unit_test_setup(a_clock_that_is_slewed_is_followed, begin),
        cmocka_unit_test_setup(who_was_interrupted_asks_again, begin),
        {"a counter that jumps forth", a_counter_that_jumps_is_left_alone, begin, NULL,
         (void *)(uintptr_t)&forth},
        {"a counter that jumps back", a_counter_that_jumps_is_left_alone, begin, NULL,
         (void *)(uintptr_t)&back},
        cmocka_unit_test_setup(elsewhere_it_is_the_clock, begin),
        cmocka_unit_test_setup(a_counter_that_stands_still_is_left_alone, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
