/* timespec.c - reads durations, sizes and points in time, and says what is wrong with them. */
#include "convert/text/timespec.h"

#include "jfrfmt/base/quantity.h"
#include "jfrfmt/base/ascii.h"

#include <stddef.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_DAY (86400 * NS_PER_S)
#define ZONE_MOST (18 * 3600)
#define WHOLE 100000000 /* 100 percent, in millionths */

static int fail(struct jfr_error *err, const char *text, const char *what)
{
    return jfr_fail(err, JFR_E_FORMAT, 0, "'%.60s': %s", text, what);
}

static int64_t saturate(__int128 v)
{
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

/* A duration at p; `text` is the whole word for messages. */
static int read_duration(const char *text, const char *p, int64_t *ns, struct jfr_error *err)
{
    switch (quantity_time(p, ns)) {
    case QUANTITY_OK:
        return 0;
    case QUANTITY_NO_NUMBER:
        return fail(err, text, "a duration is a number with a unit, as in 20ms");
    case QUANTITY_NO_UNIT:
        return fail(err, text, "a duration needs a unit: ns us ms s m h d");
    default:
        return fail(err, text, "the duration is too long");
    }
}

int timespec_duration(const char *text, int64_t *ns, struct jfr_error *err)
{
    return read_duration(text, text, ns, err);
}

int timespec_size(const char *text, uint64_t *bytes, struct jfr_error *err)
{
    int64_t n;

    switch (quantity_size(text, &n)) {
    case QUANTITY_OK:
        *bytes = (uint64_t)n;
        return 0;
    case QUANTITY_NO_NUMBER:
        return fail(err, text, "a size is a number with or without a unit, as in 64kB");
    case QUANTITY_NO_UNIT:
        return fail(err, text, "unknown unit of a size: k M G T, or kB MB GB TB");
    default:
        return fail(err, text, "the size is too large");
    }
}

/* Exactly n digits. */
static bool read_digits(const char **p, int n, int *value)
{
    *value = 0;
    for (int i = 0; i < n; i++, (*p)++) {
        if (!ascii_is_digit(**p))
            return false;
        *value = *value * 10 + (**p - '0');
    }
    return true;
}

static bool read_char(const char **p, char c)
{
    if (**p != c)
        return false;
    (*p)++;
    return true;
}

/* Z, UTC, or a sign and HH, HHMM, HH:MM, HH:MM:SS. */
static bool read_zone(const char **p, int32_t *zone_s)
{
    int sign = **p == '-' ? -1 : 1, h, m = 0, s = 0;
    bool colon;

    *zone_s = 0;
    if (strncmp(*p, "UTC", 3) == 0) {
        *p += 3;
        return true;
    }
    if (read_char(p, 'Z') || read_char(p, 'z'))
        return true;
    if ((!read_char(p, '+') && !read_char(p, '-')) || !read_digits(p, 2, &h))
        return false;
    colon = read_char(p, ':');
    if ((colon || ascii_is_digit(**p)) && !read_digits(p, 2, &m))
        return false;
    if (colon && read_char(p, ':') && !read_digits(p, 2, &s))
        return false;
    *zone_s = sign * (h * 3600 + m * 60 + s);
    return m < 60 && s < 60 && h * 3600 + m * 60 + s <= ZONE_MOST;
}

int timespec_zone(const char *text, int32_t *zone_s, struct jfr_error *err)
{
    const char *p = text;

    if (!read_zone(&p, zone_s) || *p != '\0')
        return fail(err, text, "a zone is Z or an offset, as in +01:00");
    return 0;
}

/* HH:MM[:SS[.fraction]] as ns since midnight. */
static bool read_clock(const char **p, int64_t *ns)
{
    int h, m, s = 0;
    int64_t unit = NS_PER_S / 10;

    if (!read_digits(p, 2, &h) || !read_char(p, ':') || !read_digits(p, 2, &m))
        return false;
    if (read_char(p, ':') && !read_digits(p, 2, &s))
        return false;
    *ns = (h * 3600 + m * 60 + s) * NS_PER_S;
    if (h > 23 || m > 59 || s > 59)
        return false;
    if (read_char(p, '.')) {
        if (!ascii_is_digit(**p))
            return false;
        for (; ascii_is_digit(**p); (*p)++, unit /= 10)
            *ns += (**p - '0') * unit;
    }
    return true;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* YYYY-MM-DD as days since 1970. */
static bool read_date(const char **p, int64_t *day)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    int y, m, d, last;

    if (!read_digits(p, 4, &y) || !read_char(p, '-') || !read_digits(p, 2, &m) ||
        !read_char(p, '-') || !read_digits(p, 2, &d) || m < 1 || m > 12)
        return false;
    last = before[m] - before[m - 1] + (m == 2 && is_leap(y));
    *day = (int64_t)y * 365 + (y + 3) / 4 - (y + 99) / 100 + (y + 399) / 400 - 719528 +
           before[m - 1] + (m > 2 && is_leap(y)) + d - 1;
    return d >= 1 && d <= last;
}

/* The zone at the end of a point, if there is one. False when something else is there. */
static bool read_end(const char *p, struct time_point *point)
{
    if (*p == '\0')
        return true;
    point->has_zone = true;
    return read_zone(&p, &point->zone_s) && *p == '\0';
}

static int absolute(const char *text, bool zone_known, struct time_point *point,
                    struct jfr_error *err)
{
    const char *p = text;
    int64_t day, in_day = 0;
    __int128 ns;

    if (!read_date(&p, &day))
        return fail(err, text, "no such date; it is written as 2026-11-20");
    if ((read_char(&p, 'T') || read_char(&p, ' ')) && !read_clock(&p, &in_day))
        return fail(err, text, "no such time of day; it is written as 09:34:16");
    if (!read_end(p, point))
        return fail(err, text, "a time ends with Z or an offset, as in +01:00");
    if (!point->has_zone && !zone_known)
        return fail(err, text, "a date needs a zone: Z or an offset, as in +01:00");
    ns = (__int128)day * NS_PER_DAY + in_day - point->zone_s * NS_PER_S;
    if (ns != saturate(ns))
        return fail(err, text, "the year is out of range");
    point->kind = TIME_POINT_ABSOLUTE;
    point->value = (int64_t)ns;
    return 0;
}

static int clock_time(const char *text, struct time_point *point, struct jfr_error *err)
{
    const char *p = text;

    if (!read_clock(&p, &point->value))
        return fail(err, text, "no such time of day; it is written as 09:34:16");
    if (!read_end(p, point))
        return fail(err, text, "a time ends with Z or an offset, as in +01:00");
    point->kind = TIME_POINT_CLOCK;
    return 0;
}

static int share(const char *text, struct time_point *point, struct jfr_error *err)
{
    const char *p = text;
    struct quantity_number v;

    if (!quantity_number(&p, &v) || strcmp(p, "%") != 0 || v.digits > (__int128)100 * v.scale)
        return fail(err, text, "a share is between 0% and 100%");
    point->kind = TIME_POINT_SHARE;
    point->value = (int64_t)((__int128)v.digits * (WHOLE / 100) / v.scale);
    return 0;
}

int timespec_point(const char *text, bool zone_known, struct time_point *point,
                   struct jfr_error *err)
{
    size_t n = strlen(text), digits = strspn(text, "0123456789");
    bool is_signed = text[0] == '+' || text[0] == '-';

    *point = (struct time_point){0};
    if (digits > 0 && text[digits] == '-')
        return absolute(text, zone_known, point, err);
    if (digits > 0 && text[digits] == ':')
        return clock_time(text, point, err);
    if (n > 0 && text[n - 1] == '%')
        return share(text, point, err);
    point->kind = text[0] == '-' ? TIME_POINT_FROM_END : TIME_POINT_FROM_START;
    if (!is_signed && !ascii_is_digit(text[0]))
        return fail(err, text, "a time is 10s, -30s, 50%, 09:34:16 or 2026-11-20T09:34:16Z");
    return read_duration(text, text + is_signed, &point->value, err);
}

static __int128 clock_on_day(const struct time_point *point, int64_t start_ns, int64_t end_ns,
                             int32_t zone_s)
{
    __int128 offset = (point->has_zone ? point->zone_s : zone_s) * (__int128)NS_PER_S;
    __int128 local = start_ns + offset, in_day = local % NS_PER_DAY, ns;

    if (in_day < 0)
        in_day += NS_PER_DAY;
    ns = local - in_day + point->value - offset;
    return ns < start_ns && ns + NS_PER_DAY <= end_ns ? ns + NS_PER_DAY : ns;
}

int64_t timespec_resolve(const struct time_point *point, int64_t start_ns, int64_t end_ns,
                         int32_t zone_s)
{
    switch (point->kind) {
    case TIME_POINT_ABSOLUTE:
        return saturate((__int128)point->value -
                        (point->has_zone ? 0 : (__int128)zone_s * NS_PER_S));
    case TIME_POINT_CLOCK:
        return saturate(clock_on_day(point, start_ns, end_ns, zone_s));
    case TIME_POINT_FROM_START:
        return saturate((__int128)start_ns + point->value);
    case TIME_POINT_FROM_END:
        return saturate((__int128)end_ns - point->value);
    case TIME_POINT_SHARE:
        return saturate(start_ns + ((__int128)end_ns - start_ns) * point->value / WHOLE);
    case TIME_POINT_NONE:
        break;
    }
    return start_ns;
}
