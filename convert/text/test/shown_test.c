/* shown_test.c - spans and amounts as people read them, at the places where the form changes. */
#include "convert/text/shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define S (1000 * MS)

static void test_spans(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 s"},
        {999, "0.000999 ms"},
        {1500, "0.00150 ms"},
        {10000, "0.0100 ms"},
        {123456, "0.123 ms"},
        {999499, "0.999 ms"},
        {999500, "1.00 ms"},
        {12345678, "12.3 ms"},
        {999500 * 1000, "1.00 s"},
        {59949 * MS, "59.9 s"},
        {59950 * MS, "1 m 0 s"},
        {61500 * MS, "1 m 2 s"},
        {3599499 * MS, "59 m 59 s"},
        {3599999 * MS, "1 h 0 m"},
        {3600 * S + 29 * S, "1 h 0 m"},
        {3600 * S + 30 * S, "1 h 1 m"},
        {86399 * S, "1 d 0 h"},
        {12 * 86400 * S + 7 * 3600 * S + 1799 * S, "12 d 7 h"},
        {12 * 86400 * S + 7 * 3600 * S + 1800 * S, "12 d 8 h"},
        {-1500 * MS, "-1.50 s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf b = {0};

        shown_span(&b, cases[i].ns);
        buf_byte(&b, 0);
        assert_string_equal((const char *)b.p, cases[i].text);
        buf_free(&b);
    }
}

static void test_amounts(void **state)
{
    static const struct {
        double v;
        enum shown_amount what;
        const char *text;
    } cases[] = {
        {0, SHOWN_BYTES, "0 bytes"},         {1, SHOWN_BYTES, "1 byte"},
        {1023, SHOWN_BYTES, "1023 bytes"},   {1024, SHOWN_BYTES, "1.0 kB"},
        {1048575, SHOWN_BYTES, "1024.0 kB"}, {5, SHOWN_BYTE_RATE, "5 byte/s"},
        {5000, SHOWN_BYTE_RATE, "4.9 kB/s"}, {8000, SHOWN_BIT_RATE, "7.8 kbps"},
        {1024, SHOWN_BITS, "1.0 kbit"},      {-2048, SHOWN_BYTES, "-2.0 kB"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf b = {0};

        shown_amount(&b, cases[i].v, cases[i].what);
        buf_byte(&b, 0);
        assert_string_equal((const char *)b.p, cases[i].text);
        buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_amounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
