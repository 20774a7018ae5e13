/* Bytes and times in the unit in which they are short. */
#include "jfrfmt/base/amount.h"
#include "jfrfmt/test/testing.h"

static void bytes_have_one_decimal_from_1000_on(void **state)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } rows[] = {
        {0, "0 B"},
        {1, "1 B"},
        {999, "999 B"},
        {1000, "1.0 kB"},
        {999949, "999.9 kB"},
        {999950, "1.0 MB"}, /* not 1000.0 kB */
        {-1500, "-1.5 kB"},
        {1234567890, "1.2 GB"},
        {INT64_MAX, "9.2 EB"},
        {INT64_MIN, "-9.2 EB"},
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(amount_bytes(rows[i].bytes, text), rows[i].text);
}

static void times_have_three_digits(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {
        {0, "0 s"},
        {999, "999 ns"},
        {1500, "1.5 us"},
        {12345678, "12.3 ms"},
        {-2000000000, "-2 s"},
        {99900000000, "99.9 s"},
        {123400000000, "123 s"},
        {INT64_MAX, "9223372037 s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf b = {0};

        amount_put_ns(&b, rows[i].ns);
        buf_byte(&b, '\0');
        assert_true(buf_ok(&b));
        assert_string_equal((const char *)b.p, rows[i].text);
        buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_have_one_decimal_from_1000_on),
        cmocka_unit_test(times_have_three_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
