/* date.c - from days to dates. */
#include "convert/text/date.h"

/* Proleptic Gregorian date of a day counted from 1970-01-01. Years are taken to begin in March, so
 * that the leap day is the last of its year and a month's start is linear in its number. */
struct date date_of_day(int64_t epoch_day)
{
    int64_t day = epoch_day + 719468; /* since 0000-03-01 */
    int64_t era = divide_down(day, 146097); /* 400 years */
    unsigned in_era = (unsigned)(day - era * 146097);
    unsigned year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    unsigned in_year = in_era - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * in_year + 2) / 153; /* 0 = March */
    struct date d = {era * 400 + year, month < 10 ? month + 3 : month - 9,
                     in_year - (153 * month + 2) / 5 + 1};

    d.year += d.month <= 2;
    return d;
}
