#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/error.h"

static void says_what_and_where(void **state)
{
    struct jfr_error err = {.chunk = 7};

    (void)state;
    assert_int_equal(jfr_fail(&err, JFR_E_FORMAT, 1234, "bad size %d", 0), JFR_E_FORMAT);
    assert_int_equal(err.code, JFR_E_FORMAT);
    assert_int_equal(err.offset, 1234);
    assert_int_equal(err.chunk, 7);
    assert_string_equal(err.text, "bad size 0");
}

static void first_error_wins(void **state)
{
    struct jfr_error err = {0};

    (void)state;
    jfr_fail(&err, JFR_E_SHORT, 1, "cause");
    assert_int_equal(jfr_fail(&err, JFR_E_IO, 2, "consequence"), JFR_E_SHORT);
    assert_int_equal(err.offset, 1);
    assert_string_equal(err.text, "cause");
}

static void text_is_one_printable_line(void **state)
{
    struct jfr_error err = {0};

    (void)state;
    jfr_fail(&err, JFR_E_FORMAT, 0, "name %s.", "a\nb\x1b[31m\x7f\xc3\xa9~");
    assert_string_equal(err.text, "name a?b?[31m???~.");
}

static void long_text_is_cut(void **state)
{
    struct jfr_error err = {0};

    (void)state;
    jfr_fail(&err, JFR_E_FORMAT, 0, "%0500d", 1);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_and_where),
        cmocka_unit_test(first_error_wins),
        cmocka_unit_test(text_is_one_printable_line),
        cmocka_unit_test(long_text_is_cut),
    };

    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
