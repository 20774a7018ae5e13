/*
 * date.h - dates of the proleptic Gregorian calendar, and division that rounds down.
 *
 * Threads: any. Signals: async-signal-safe.
 */
#ifndef CONVERT_TEXT_DATE_H
#define CONVERT_TEXT_DATE_H

#include <stdint.h>

struct date {
    int64_t year;
    unsigned month, day; /* from 1 */
};

/* The greatest number whose product with `by`, which is positive, is not above x. */
static inline int64_t divide_down(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

/* The date of a day counted from 1970-01-01. */
struct date date_of_day(int64_t day);

#endif
