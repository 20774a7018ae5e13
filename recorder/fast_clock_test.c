#include "recorder/fast_clock.h"

#include "jfrfmt/testing.h"

/* A moment lies between what the slow clock says before and after it, but for the errors. */
static void a_moment_is_when_it_was(void **state)
{
    (void)state;
    fast_clock_init();
    for (int i = 0; i < 200; i++) {
        struct timespec pause = {0, 200000};
        int64_t before = fast_clock_ns(), at, after;
        uint64_t moment = fast_clock_now();

        after = fast_clock_ns();
        nanosleep(&pause, NULL);
        at = fast_clock_ticks(moment);
        assert_in_range(at - before + 50000, 0, after - before + 100000);
    }
    print_message("the processor's counter is%s used\n", fast_clock.is_counter ? "" : " not");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_is_when_it_was),
    };

    return cmocka_run_group_tests_name("fast clock", tests, NULL, NULL);
}
