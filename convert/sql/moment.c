/*
 * moment.c - time stamps as texts of a fixed width, and back.
 *
 * In: microseconds since 1970, or a text as users write times (timespec.h). The fixed width makes
 * the order of the texts that of the moments, so SQLite compares them as texts.
 */
#include "convert/sql/moment.h"

#include "convert/text/date.h"
#include "convert/text/timespec.h"

#include <string.h>

#define DAY_US INT64_C(86400000000)

static char *put_digits(char *to, unsigned n, uint32_t x)
{
    for (unsigned i = n; i-- > 0; x /= 10)
        to[i] = (char)('0' + x % 10);
    return to + n;
}

bool moment_show(int64_t us, char text[MOMENT_CHARS])
{
    int64_t day = divide_down(us, DAY_US);
    int64_t of_day = us - day * DAY_US;
    uint32_t seconds = (uint32_t)(of_day / 1000000), fraction = (uint32_t)(of_day % 1000000);
    struct date date = date_of_day(day);
    char *to = text;

    if (date.year < 0 || date.year > 9999)
        return false;
    to = put_digits(to, 4, (uint32_t)date.year);
    *to++ = '-';
    to = put_digits(to, 2, date.month);
    *to++ = '-';
    to = put_digits(to, 2, date.day);
    *to++ = ' ';
    to = put_digits(to, 2, seconds / 3600);
    *to++ = ':';
    to = put_digits(to, 2, seconds / 60 % 60);
    *to++ = ':';
    to = put_digits(to, 2, seconds % 60);
    *to++ = '.';
    put_digits(to, 6, fraction);
    return true;
}

bool moment_read(const char *text, int64_t *us)
{
    struct time_point point;
    struct jfr_error err = {0};

    if (timespec_point(text, true, &point, &err) != 0 || point.kind != TIME_POINT_ABSOLUTE)
        return false;
    *us = divide_down(point.value, 1000);
    return true;
}

bool moment_is_shown(const char *text)
{
    size_t n = strlen(text);
    char shown[MOMENT_CHARS];
    int64_t us;

    return n >= 10 && n <= sizeof(shown) && moment_read(text, &us) && moment_show(us, shown) &&
           strncmp(shown, text, n) == 0;
}

bool moment_of_shown(const char *text, int64_t *us)
{
    return moment_is_shown(text) && moment_read(text, us);
}
