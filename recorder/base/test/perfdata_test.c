/* A block of counters as the VM lays it out, and damaged ones. */
#include "recorder/base/perfdata.h"

#include "jfrfmt/test/testing.h"
#include "recorder/test/perfdata_testing.h"

#include <stdlib.h>

static int build(void **state)
{
    (void)state;
    perfdata_begin();
    perfdata_put_number("java.threads.live", 42);
    perfdata_put("sun.gc.cause", 'B', 16, "System.gc()\0\0\0\0\0", 16);
    perfdata_put_number("sun.ci.threads", -1);
    return 0;
}

static void numbers_and_texts(void **state)
{
    char text[64];

    (void)state;
    assert_true(perfdata_use(perfdata_block, perfdata_block_n));
    assert_int_equal(*perfdata_number("java.threads.live"), 42);
    assert_int_equal(*perfdata_number("sun.ci.threads"), -1);
    assert_null(perfdata_number("sun.gc.cause"));
    assert_null(perfdata_number("java.threads"));
    assert_int_equal(perfdata_text("sun.gc.cause", text, sizeof(text)), 11);
    assert_string_equal(text, "System.gc()");
    assert_int_equal(perfdata_text("sun.gc.cause", text, 4), 11);
    assert_string_equal(text, "Sys");
    assert_int_equal(perfdata_text("java.threads.live", text, sizeof(text)), -1);
    assert_int_equal(perfdata_text("none", text, sizeof(text)), -1);
}

static void a_live_number_changes(void **state)
{
    const int64_t *live;

    (void)state;
    assert_true(perfdata_use(perfdata_block, perfdata_block_n));
    live = perfdata_number("java.threads.live");
    *(int64_t *)(uintptr_t)live = 43;
    assert_int_equal(*perfdata_number("java.threads.live"), 43);
}

static void what_is_no_block_is_refused(void **state)
{
    (void)state;
    assert_false(perfdata_use(perfdata_block, 31));
    perfdata_block[5] = 3;
    assert_false(perfdata_use(perfdata_block, perfdata_block_n));
    perfdata_block[5] = 2;
    perfdata_block[4] ^= 1;
    assert_false(perfdata_use(perfdata_block, perfdata_block_n));
    assert_null(perfdata_number("java.threads.live"));
    perfdata_block[4] ^= 1;
    perfdata_block[0] = 0;
    assert_false(perfdata_use(perfdata_block, perfdata_block_n));
}

/* Whatever stands in the sizes, nothing outside is read. */
static void damage_is_survived(void **state)
{
    static const int32_t values[] = {-1, 0, 1, 19, 21, 32, 1 << 20, INT32_MAX, INT32_MIN};

    for (size_t at = 24; at < 160; at += 4)
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            struct guarded g;
            char text[64];

            build(state);
            perfdata_put32(at, values[i]);
            g = guarded_copy(perfdata_block, perfdata_block_n, 0);
            if (perfdata_use(g.bytes, g.n)) {
                perfdata_number("java.threads.live");
                perfdata_number("sun.ci.threads");
                perfdata_text("sun.gc.cause", text, sizeof(text));
            }
            guarded_free(&g);
        }
    assert_true(perfdata_use(perfdata_block, 32)); /* cut off behind the prologue */
    assert_null(perfdata_number("java.threads.live"));
}

static void a_program_without_a_vm_has_none(void **state)
{
    (void)state;
    assert_false(perfdata_open());
    assert_null(perfdata_number("java.threads.live"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(numbers_and_texts, build),
        cmocka_unit_test_setup(a_live_number_changes, build),
        cmocka_unit_test_setup(what_is_no_block_is_refused, build),
        cmocka_unit_test_setup(damage_is_survived, build),
        cmocka_unit_test(a_program_without_a_vm_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
