#include "convert/text/timespec.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>

#define S INT64_C(1000000000)
#define DAY (86400 * S)
#define START (20777 * DAY + (9 * 3600 + 34 * 60 + 16) * S) /* 2026-11-20T09:34:16Z */

struct row {
    const char *name; /* the text */
    int64_t want;
    const char *error; /* NULL: good */
};

#define NO_UNIT "a duration needs a unit: ns us ms s m h d"
#define NO_NUMBER "a duration is a number with a unit, as in 20ms"

/* clang-format off */
static const struct row durations[] = {
    {"20ms", 20000000, NULL}, {"3s", 3 * S, NULL}, {"2m", 120 * S, NULL}, {"1h", 3600 * S, NULL},
    {"1d", DAY, NULL}, {"7ns", 7, NULL}, {"7us", 7000, NULL}, {"7\xc2\xb5s", 7000, NULL}, {"20 ms", 20000000, NULL},
    {"1.5s", 1500000000, NULL}, {"0.000000001s", 1, NULL}, {"1h30m", 5400 * S, NULL}, {"1 h 30 m", 5400 * S, NULL},
    {"0", 0, NULL}, {"0s", 0, NULL}, {"106751d", 106751 * DAY, NULL}, {"9223372036s", 9223372036 * S, NULL},
    {"9223372037s", 0, "the duration is too long"}, {"106752d", 0, "the duration is too long"},
    {"200000d 200000d", 0, "the duration is too long"},
    {"", 0, NO_NUMBER}, {"s", 0, NO_NUMBER}, {"-1s", 0, NO_NUMBER}, {"1.s", 0, NO_NUMBER}, {".5s", 0, NO_NUMBER},
    {"1s x", 0, NO_NUMBER}, {"1234567890123456789ns", 0, NO_NUMBER},
    {"20", 0, NO_UNIT}, {"20xs", 0, NO_UNIT}, {"1h30", 0, NO_UNIT}, {"1.5.5s", 0, NO_UNIT}, {"2M", 0, NO_UNIT},
};

#define SIZE_UNIT "unknown unit of a size: k M G T, or kB MB GB TB"
#define NO_SIZE "a size is a number with or without a unit, as in 64kB"

static const struct row sizes[] = {
    {"0", 0, NULL}, {"4096", 4096, NULL}, {"5B", 5, NULL}, {"64kB", 65536, NULL}, {"64KB", 65536, NULL},
    {"1MiB", 1048576, NULL}, {"1 KiB", 1024, NULL}, {"10M", 10485760, NULL}, {"10k", 10240, NULL}, {"10K", 10240, NULL},
    {"1.5G", 1610612736, NULL}, {"2GB", INT64_C(2) << 30, NULL}, {"5m", 5 << 20, NULL}, {"5mb", 5 << 20, NULL}, {"5Mib", 5 << 20, NULL}, {"1T", INT64_C(1) << 40, NULL}, {"1TB", INT64_C(1) << 40, NULL},
    {"8388607T", 8388607 * (INT64_C(1) << 40), NULL}, {"8388608T", 0, "the size is too large"},
    {"", 0, NO_SIZE}, {"-1", 0, NO_SIZE}, {"9999999999999999999", 0, NO_SIZE}, {"M", 0, NO_SIZE}, {"1mm", 0, SIZE_UNIT}, {"1MiBx", 0, SIZE_UNIT},
    {"1k 1", 0, SIZE_UNIT}, {"1kk", 0, SIZE_UNIT},
};

#define ZONE "a zone is Z or an offset, as in +01:00"

static const struct row zones[] = {
    {"Z", 0, NULL}, {"UTC", 0, NULL}, {"+05:30", 19800, NULL}, {"-0330", -12600, NULL}, {"+02", 7200, NULL},
    {"-00:00:01", -1, NULL}, {"+18:00", 64800, NULL}, {"+18:01", 0, ZONE}, {"+01:60", 0, ZONE}, {"+1", 0, ZONE},
    {"01:00", 0, ZONE}, {"+01:0", 0, ZONE}, {"Zz", 0, ZONE}, {"", 0, ZONE}, {"Europe/Berlin", 0, ZONE},
};

#define AFTER "a time ends with Z or an offset, as in +01:00"
#define CLOCK "no such time of day; it is written as 09:34:16"
#define DATE "no such date; it is written as 2026-11-20"

/* Seconds behind START, for a recording of a day and an hour read at +01:00, so from 10:34:16. */
static const struct row points[] = {
    {"2026-11-20T09:34:16Z", 0, NULL}, {"2026-11-20 10:34:17+01:00", 1, NULL}, {"2026-11-20T09:34Z", -16, NULL},
    {"2026-11-20Z", -(9 * 3600 + 34 * 60 + 16), NULL}, {"1970-01-01T00:00:00Z", -START / S, NULL},
    {"2026-11-20T09:34:16.9999999999Z", 0, NULL}, {"2024-02-29T00:00Z", (19782 * DAY - START) / S - 0, NULL},
    {"0000-03-01Z", 0, "the year is out of range"}, {"9999-12-31Z", 0, "the year is out of range"},
    {"2026-11-20T09:34:16", 0, "a date needs a zone: Z or an offset, as in +01:00"},
    {"2026-02-29Z", 0, DATE}, {"2100-02-29Z", 0, DATE}, {"2026-13-01Z", 0, DATE}, {"2026-00-01Z", 0, DATE}, {"2026-1-1Z", 0, DATE},
    {"2026-01-00Z", 0, DATE}, {"20260-01-01Z", 0, DATE}, {"2026-11-20T24:00Z", 0, CLOCK}, {"2026-11-20T9:00Z", 0, CLOCK},
    {"2026-11-20T09:00x", 0, AFTER}, {"2026-11-20x", 0, AFTER},
    {"10:34:16", 0, NULL}, {"10:34", 86400 - 16, NULL}, {"11:34:16", 3600, NULL}, {"09:34:17Z", 1, NULL}, {"09:35", 82844, NULL},
    {"01:00", 51944, NULL}, {"10:34:16.5", 0, NULL}, {"11:34:17+01:00", 3601, NULL},
    {"25:00", 0, CLOCK}, {"10:60", 0, CLOCK}, {"10:34:61", 0, CLOCK}, {"1:00", 0, CLOCK}, {"10:34:16.", 0, CLOCK}, {"10:34x", 0, AFTER},
    {"10s", 10, NULL}, {"+10s", 10, NULL}, {"0", 0, NULL}, {"-30s", 90000 - 30, NULL}, {"-0", 90000, NULL}, {"-1h30m", 84600, NULL},
    {"50%", 45000, NULL}, {"0%", 0, NULL}, {"100%", 90000, NULL}, {"33.3333333%", 29999, NULL},
    {"0.00000000000000001%", 0, NULL},
    {"101%", 0, "a share is between 0% and 100%"}, {"-5%", 0, "a share is between 0% and 100%"}, {"x%", 0, "a share is between 0% and 100%"},
    {"", 0, "a time is 10s, -30s, 50%, 09:34:16 or 2026-11-20T09:34:16Z"},
    {"noon", 0, "a time is 10s, -30s, 50%, 09:34:16 or 2026-11-20T09:34:16Z"},
    {"10", 0, NO_UNIT}, {"--1s", 0, NO_NUMBER}, {"+", 0, NO_NUMBER},
};
/* clang-format on */

static void assert_error(const struct row *t, int rc, const struct jfr_error *err)
{
    char want[200];

    assert_int_equal(rc, t->error == NULL ? 0 : JFR_E_FORMAT);
    if (t->error == NULL)
        return;
    snprintf(want, sizeof(want), "'%s': %s", t->name, t->error);
    assert_string_equal(err->text, want);
}

static void duration(void **state)
{
    const struct row *t = *state;
    struct jfr_error err = {0};
    int64_t ns = 0;

    assert_error(t, timespec_duration(t->name, &ns, &err), &err);
    assert_int_equal(ns, t->want);
}

static void size(void **state)
{
    const struct row *t = *state;
    struct jfr_error err = {0};
    uint64_t bytes = 0;

    assert_error(t, timespec_size(t->name, &bytes, &err), &err);
    assert_int_equal(bytes, t->want);
}

static void zone(void **state)
{
    const struct row *t = *state;
    struct jfr_error err = {0};
    int32_t zone_s;

    assert_error(t, timespec_zone(t->name, &zone_s, &err), &err);
    if (t->error == NULL)
        assert_int_equal(zone_s, t->want);
}

static void point(void **state)
{
    const struct row *t = *state;
    struct jfr_error err = {0};
    struct time_point p;
    int64_t ns;

    assert_error(t, timespec_point(t->name, false, &p, &err), &err);
    if (t->error != NULL)
        return;
    ns = timespec_resolve(&p, START, START + DAY + 3600 * S, 3600);
    assert_int_equal((ns - START) / S, t->want);
}

static void fractions_count(void **state)
{
    struct jfr_error err = {0};
    struct time_point p;

    (void)state;
    assert_int_equal(timespec_point("2026-11-20T09:34:16.067027526Z", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, 0, 0, 0), START + 67027526);
    assert_int_equal(timespec_point("00:00:00.5Z", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, 0, 0, 0), 500000000);
}

static void a_known_zone_serves_where_the_text_has_none(void **state)
{
    struct jfr_error err = {0};
    struct time_point p;

    (void)state;
    assert_int_equal(timespec_point("2026-11-20T10:34:16", true, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, 0, 0, 3600), START);
    assert_int_equal(timespec_point("2026-11-20T10:34:16Z", true, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, 0, 0, 3600), START + 3600 * S);
}

/* A clock time before the start of a short recording stays before it: nothing lies there. */
static void a_clock_time_outside_the_recording_is_on_its_first_day(void **state)
{
    struct jfr_error err = {0};
    struct time_point p;

    (void)state;
    assert_int_equal(timespec_point("09:00Z", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, START, START + 60 * S, 0), START - (34 * 60 + 16) * S);
    assert_int_equal(timespec_point("23:00Z", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, -S, S, 0), -3600 * S);
}

static void far_ends_saturate(void **state)
{
    struct jfr_error err = {0};
    struct time_point p;

    (void)state;
    assert_int_equal(timespec_point("100000d", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, INT64_MAX - 1, INT64_MAX, 0), INT64_MAX);
    assert_int_equal(timespec_point("-100000d", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, INT64_MIN, INT64_MIN + 1, 0), INT64_MIN);
    assert_int_equal(timespec_point("100%", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, INT64_MIN, INT64_MAX, 0), INT64_MAX);
    assert_int_equal(timespec_point("00:00", false, &p, &err), 0);
    assert_int_equal(timespec_resolve(&p, INT64_MIN, INT64_MIN, 0), INT64_MIN);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_count),
        cmocka_unit_test(a_known_zone_serves_where_the_text_has_none),
        cmocka_unit_test(a_clock_time_outside_the_recording_is_on_its_first_day),
        cmocka_unit_test(far_ends_saturate),
    };

    return run_rows("timespec: durations", durations, duration) +
           run_rows("timespec: sizes", sizes, size) + run_rows("timespec: zones", zones, zone) +
           run_rows("timespec: points", points, point) +
           cmocka_run_group_tests_name("timespec", tests, NULL, NULL);
}
