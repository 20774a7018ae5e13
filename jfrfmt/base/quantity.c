/*
 * quantity.c - reads times and sizes as people write them.
 *
 * Both the programs' options (convert/text/timespec.c) and the agent's (recorder/settings) use it.
 */
#include "jfrfmt/base/quantity.h"
#include "jfrfmt/base/ascii.h"

#include <string.h>
#include <strings.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_DAY (86400 * NS_PER_S)
#define DIGITS_MOST 18

bool quantity_number(const char **p, struct quantity_number *v)
{
    const char *at = *p;
    bool point = false;
    int n = 0;

    *v = (struct quantity_number){0, 1};
    for (; ascii_is_digit(*at) || (*at == '.' && !point && n > 0); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        if (++n > DIGITS_MOST)
            return false;
        v->digits = v->digits * 10 + (*at - '0');
        v->scale *= point ? 10 : 1;
    }
    *p = at;
    return n > 0 && at[-1] != '.';
}

struct unit {
    const char *name;
    int64_t value;
};

static const struct unit time_units[] = {
    {"ns", 1},         {"us", 1000},    {"\xc2\xb5s", 1000}, /* the micro sign */
    {"ms", 1000000},   {"s", NS_PER_S}, {"m", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S},
    {"d", NS_PER_DAY}, {NULL, 0},
};

static const struct unit size_units[] = {
    {"", 1},
    {"b", 1},
    {"k", INT64_C(1) << 10},
    {"kb", INT64_C(1) << 10},
    {"kib", INT64_C(1) << 10},
    {"m", INT64_C(1) << 20},
    {"mb", INT64_C(1) << 20},
    {"mib", INT64_C(1) << 20},
    {"g", INT64_C(1) << 30},
    {"gb", INT64_C(1) << 30},
    {"gib", INT64_C(1) << 30},
    {"t", INT64_C(1) << 40},
    {"tb", INT64_C(1) << 40},
    {"tib", INT64_C(1) << 40},
    {NULL, 0},
};

/* The unit after a number, perhaps after blanks: everything up to a digit, a blank or the end.
 * 0 when there is none of this name. */
static int64_t read_unit(const char **p, const struct unit *units,
                         int (*compare)(const char *, const char *, size_t))
{
    size_t n;

    *p += strspn(*p, " ");
    n = strcspn(*p, " .0123456789");
    for (; units->name != NULL; units++) {
        if (strlen(units->name) == n && compare(units->name, *p, n) == 0) {
            *p += n;
            return units->value;
        }
    }
    return 0;
}

enum quantity_error quantity_time(const char *text, int64_t *ns)
{
    const char *p = text;
    __int128 sum = 0;

    if (strcmp(p, "0") == 0) {
        *ns = 0;
        return QUANTITY_OK;
    }
    do {
        struct quantity_number v;
        int64_t unit;

        if (!quantity_number(&p, &v))
            return QUANTITY_NO_NUMBER;
        unit = read_unit(&p, time_units, strncmp);
        if (unit == 0)
            return QUANTITY_NO_UNIT;
        sum += (__int128)v.digits * unit / v.scale;
        if (sum > INT64_MAX)
            return QUANTITY_TOO_LARGE;
        p += strspn(p, " ");
    } while (*p != '\0');
    *ns = (int64_t)sum;
    return QUANTITY_OK;
}

enum quantity_error quantity_size(const char *text, int64_t *bytes)
{
    const char *p = text;
    struct quantity_number v;
    int64_t unit;
    __int128 sum;

    if (!quantity_number(&p, &v))
        return QUANTITY_NO_NUMBER;
    unit = read_unit(&p, size_units, strncasecmp);
    if (unit == 0 || *p != '\0')
        return QUANTITY_NO_UNIT;
    sum = (__int128)v.digits * unit / v.scale;
    if (sum > INT64_MAX)
        return QUANTITY_TOO_LARGE;
    *bytes = (int64_t)sum;
    return QUANTITY_OK;
}
