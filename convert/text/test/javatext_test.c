/*
 * Rows of the table that the JDK's tool was seen to print, and "--print KIND": texts for raw values
 * on standard input, which javatext_test.sh compares with what a JVM makes of them.
 */
#include "convert/text/javatext.h"

#include "jfrfmt/test/testing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct time_row {
    const char *name;
    char unit; /* 'n' ns, 'm' ms */
    int64_t value;
    int32_t zone_s;
    const char *want;
};

/* clang-format off */
static const struct time_row times[] = {
    {"nine digits", 'n', 1795167256649435864, 0, "2026-11-20T09:34:16.649435864Z"},
    {"half an hour east", 'n', 1795167375605415499, 19800, "2026-11-20T15:06:15.605415499+05:30"},
    {"west", 'n', 1795167375000000000, -12600, "2026-11-20T06:06:15-03:30"},
    {"offset with seconds", 'm', 0, 3601, "1970-01-01T01:00:01+01:00:01"},
    {"largest offset", 'm', 0, 64800, "1970-01-01T18:00+18:00"},
    {"smallest offset", 'm', 0, -64800, "1969-12-31T06:00-18:00"},
    {"offset too large", 'm', 0, 64801, "1970-01-01T00:00Z"},
    {"offset far too small", 'm', 0, INT32_MIN, "1970-01-01T00:00Z"},
    {"zero", 'm', 0, 0, "1970-01-01T00:00Z"},
    {"three digits", 'm', 100, 0, "1970-01-01T00:00:00.100Z"},
    {"six digits", 'n', 1000, 0, "1970-01-01T00:00:00.000001Z"},
    {"one nanosecond", 'n', 1, 0, "1970-01-01T00:00:00.000000001Z"},
    {"one minute", 'm', 60000, 0, "1970-01-01T00:01Z"},
    {"one second", 'm', 1000, 0, "1970-01-01T00:00:01Z"},
    {"before 1970", 'n', -1, 0, "1969-12-31T23:59:59.999999999Z"},
    {"leap day", 'm', 951782400000, 0, "2000-02-29T00:00Z"},
    {"no leap day", 'm', 4107542400000, 0, "2100-03-01T00:00Z"},
    {"day before no leap day", 'm', 4107542399999, 0, "2100-02-28T23:59:59.999Z"},
    {"last year of four digits", 'm', 253402300799999, 0, "9999-12-31T23:59:59.999Z"},
    {"first year of five digits", 'm', 253402300800000, 0, "+10000-01-01T00:00Z"},
    {"year zero", 'm', -62167219200000, 0, "0000-01-01T00:00Z"},
    {"before year zero", 'm', -62167219200001, 0, "-0001-12-31T23:59:59.999Z"},
    {"year -10000", 'm', -377736739200000, 0, "-10000-01-01T00:00Z"},
    {"largest ms", 'm', INT64_MAX, 0, "+292278994-08-17T07:12:55.807Z"},
    {"nearly smallest ms", 'm', INT64_MIN + 1, 0, "-292275055-05-16T16:47:04.193Z"},
    {"largest ns", 'n', INT64_MAX, 0, "2262-04-11T23:47:16.854775807Z"},
    {"smallest ns", 'n', INT64_MIN, 0, "1677-09-21T00:12:43.145224192Z"},
};
/* clang-format on */

static void assert_text(struct buf *b, const char *want)
{
    buf_byte(b, '\0');
    assert_true(buf_ok(b));
    assert_string_equal((char *)b->p, want);
    buf_free(b);
}

static void time_text(void **state)
{
    const struct time_row *t = *state;
    struct buf b = {0};

    if (t->unit == 'n')
        javatext_time_ns(&b, t->value, t->zone_s);
    else
        javatext_time_ms(&b, t->value, t->zone_s);
    assert_text(&b, t->want);
}

static void a_missing_time_is_the_smallest_of_all(void **state)
{
    struct buf b = {0};

    (void)state;
    javatext_time_missing(&b);
    assert_text(&b, "-999999999-01-01T00:00+18:00");
}

struct span_row {
    const char *name;
    int64_t value;
    enum javatext_unit unit;
    const char *want; /* for 25 */
    const char *want17; /* NULL: the same */
};

/* clang-format off */
static const struct span_row spans[] = {
    {"zero", 0, JAVATEXT_MS, "PT0S", NULL},
    {"one nanosecond", 1, JAVATEXT_NS, "PT0.000000001S", NULL},
    {"1500 ns", 1500, JAVATEXT_NS, "PT0.0000015S", NULL},
    {"2.5 ms", 2500, JAVATEXT_US, "PT0.0025S", NULL},
    {"minute and seconds", 61500000000, JAVATEXT_NS, "PT1M1.5S", NULL},
    {"a whole minute", 60, JAVATEXT_S, "PT1M", NULL},
    {"no minutes", 3601, JAVATEXT_S, "PT1H1S", NULL},
    {"fraction behind hours", 3600000001, JAVATEXT_US, "PT1H0.000001S", NULL},
    {"days are hours", 90061, JAVATEXT_S, "PT25H1M1S", NULL},
    {"240 hours", 864000, JAVATEXT_S, "PT240H", NULL},
    {"hour and a quarter", 4500000, JAVATEXT_MS, "PT1H15M", NULL},
    {"minus one nanosecond", -1, JAVATEXT_NS, "PT-0.000000001S", NULL},
    {"minus 1.5 s", -1500, JAVATEXT_MS, "PT-1.5S", NULL},
    {"minus 61.5 s", -61500, JAVATEXT_MS, "PT-1M-1.5S", NULL},
    {"minus hours", -129542145, JAVATEXT_MS, "PT-35H-59M-2.145S", NULL},
    {"missing, ns", INT64_MIN, JAVATEXT_NS, "PT-2562047788015215H-30M-8S", NULL},
    {"missing, s", INT64_MIN, JAVATEXT_S, "PT-2562047788015215H-30M-8S", NULL},
    {"forever, ns", INT64_MAX, JAVATEXT_NS, "PT2562047788015215H30M7.999999999S", "PT2562047H47M16.854775807S"},
    {"forever, ms", INT64_MAX, JAVATEXT_MS, "PT2562047788015215H30M7.999999999S", "PT2562047788015H12M55.807S"},
    {"forever, s", INT64_MAX, JAVATEXT_S, "PT2562047788015215H30M7.999999999S", "PT2562047788015215H30M7S"},
    {"nearly forever", INT64_MAX - 1, JAVATEXT_NS, "PT2562047H47M16.854775806S", NULL},
    {"nearly missing", INT64_MIN + 1, JAVATEXT_NS, "PT-2562047H-47M-16.854775807S", NULL},
};
/* clang-format on */

static void span_text(void **state)
{
    const struct span_row *t = *state;
    struct buf b = {0};

    javatext_span(&b, t->value, t->unit, 25);
    assert_text(&b, t->want);
    javatext_span(&b, t->value, t->unit, 17);
    assert_text(&b, t->want17 != NULL ? t->want17 : t->want);
}

struct number_row {
    const char *name; /* the text */
    double value;
    bool is_float;
};

/* clang-format off */
static const struct number_row numbers[] = {
    {"0.001", 0.001, false}, {"1.0E-4", 0.0001, false}, {"9.999999999999998E-4", 0.0009999999999999998, false},
    {"9999999.0", 9999999, false}, {"1.0E7", 1e7, false}, {"9999999.999999998", 9999999.999999998, false},
    {"1.2345678E7", 12345678, false}, {"100.0", 100, false}, {"120.5", 120.5, false}, {"1234567.0", 1234567, false},
    {"0.5", 0.5, false}, {"0.0123", 0.0123, false}, {"1.0", 1, false}, {"-1.5", -1.5, false},
    {"0.0", 0.0, false}, {"-0.0", -0.0, false}, {"4.9E-324", 4.9E-324, false}, {"2.0E-323", 2E-323, false},
    {"1.7976931348623157E308", 1.7976931348623157E308, false}, {"2.2250738585072014E-308", 0x1p-1022, false},
    {"1.0E23", 1e23, false}, {"2.0E23", 2e23, false}, {"8.41E21", 8.41e21, false},
    {"5.684341886080802E-14", 0x1p-44, false}, {"9.007199254740992E15", 0x1p53, false},
    {"1.2345679E17", 1.23456789E17f, true}, {"9.007199E15", 9007199254740993.0f, true}, {"0.1", 0.1f, true},
    {"3.4028235E38", 3.4028235E38f, true}, {"1.4E-45", 1.4E-45f, true}, {"0.001", 0.001f, true},
    {"9.8E-45", 9.8E-45f, true}, {"1.1754944E-38", 0x1p-126f, true}, {"3.3554432E7", 0x1p25f, true},
    {"NaN", NAN, false}, {"Infinity", INFINITY, false}, {"-Infinity", -INFINITY, true},
};
/* clang-format on */

static void number_text(void **state)
{
    const struct number_row *t = *state;
    struct buf b = {0};

    if (t->is_float)
        javatext_float(&b, (float)t->value);
    else
        javatext_double(&b, t->value);
    assert_text(&b, t->name);
}

/* kind: d double bits, f float bits, i seconds, nanoseconds and zone, n/u/m/s a duration */
static void print_one(struct buf *b, char kind, const char *line)
{
    int64_t v = 0, ns = 0, zone = 0;
    double d;
    float f;

    sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64, &v, &ns, &zone);
    memcpy(&d, &v, sizeof(d));
    memcpy(&f, &(int32_t){(int32_t)v}, sizeof(f));
    if (kind == 'd')
        javatext_double(b, d);
    else if (kind == 'f')
        javatext_float(b, f);
    else if (kind == 'i')
        javatext_time(b, v, (uint32_t)ns, (int32_t)zone);
    else
        javatext_span(b, v, (enum javatext_unit)(strchr("nums", kind) - "nums"), 25);
}

static int print(char kind)
{
    struct buf b = {0};
    char line[100];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        print_one(&b, kind, line);
        buf_byte(&b, '\n');
        if (fwrite(b.p, 1, b.n, stdout) != b.n)
            return 1;
        buf_reset(&b);
    }
    buf_free(&b);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_time_is_the_smallest_of_all),
    };

    if (argc == 3 && strcmp(argv[1], "--print") == 0)
        return print(argv[2][0]);
    return run_rows("javatext: times", times, time_text) +
           run_rows("javatext: durations", spans, span_text) +
           run_rows("javatext: numbers", numbers, number_text) +
           cmocka_run_group_tests_name("javatext", tests, NULL, NULL);
}
