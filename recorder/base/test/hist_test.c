#include "recorder/base/hist.h"

#include "jfrfmt/test/testing.h"

static void every_value_is_in_its_slot(void **state)
{
    uint64_t v = 0;

    (void)state;
    for (unsigned slot = 0; slot < 40 * 8; slot++) {
        assert_int_equal(hist_slot(v), slot);
        assert_int_equal(hist_slot(hist_value(slot)), slot);
        v = hist_value(slot) + 1;
    }
    assert_true(hist_slot(UINT64_MAX) < HIST_SLOTS);
    assert_true(hist_value(hist_slot(UINT64_MAX)) >= UINT64_MAX - 1);
}

static void quantiles_are_near(void **state)
{
    static struct hist h;

    (void)state;
    for (uint64_t i = 1; i <= 1000; i++)
        hist_add(&h, i * 100);
    assert_int_equal(hist_n(&h), 1000);
    assert_in_range(hist_quantile(&h, 0.5), 50000, 57000);
    assert_in_range(hist_quantile(&h, 0.99), 99000, 100000);
    assert_int_equal(hist_quantile(&h, 1), 100000);
    hist_reset(&h);
    assert_int_equal(hist_n(&h), 0);
    assert_int_equal(hist_quantile(&h, 0.5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_in_its_slot),
        cmocka_unit_test(quantiles_are_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
