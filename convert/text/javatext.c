/*
 * javatext.c - times, durations and numbers as java.time and Double.toString() write them.
 *
 * Texts are appended to the caller's buffer. Writers of events call it for every value of these
 * kinds, so times are made digit by digit, without printf.
 */
#include "convert/text/javatext.h"

#include "convert/text/date.h"
#include "jfrfmt/base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define S_PER_DAY 86400
#define NS_PER_S 1000000000

static char *put2(char *at, unsigned v)
{
    at[0] = (char)('0' + v / 10);
    at[1] = (char)('0' + v % 10);
    return at + 2;
}

static char *put3(char *at, unsigned v)
{
    at[0] = (char)('0' + v / 100);
    return put2(at + 1, v % 100);
}

static char *put9(char *at, uint32_t v)
{
    at = put3(at, v / 1000000);
    at = put3(at, v / 1000 % 1000);
    return put3(at, v % 1000);
}

static char *put_unsigned(char *at, uint64_t v)
{
    char text[20], *p = text + sizeof(text);

    do {
        *--p = (char)('0' + v % 10);
        v /= 10;
    } while (v > 0);
    while (p < text + sizeof(text))
        *at++ = *p++;
    return at;
}

static char *put_year(char *at, int64_t year)
{
    uint64_t magnitude = year < 0 ? 0 - (uint64_t)year : (uint64_t)year;

    if (year < 0)
        *at++ = '-';
    else if (year > 9999)
        *at++ = '+';
    if (magnitude >= 10000)
        return put_unsigned(at, magnitude);
    at = put2(at, (unsigned)magnitude / 100);
    return put2(at, (unsigned)magnitude % 100);
}

/* Seconds of a minute: nothing, ":SS", or with three, six or nine digits after the point. */
static char *put_java_seconds(char *at, unsigned s, uint32_t ns)
{
    if (s == 0 && ns == 0)
        return at;
    *at++ = ':';
    at = put2(at, s);
    if (ns == 0)
        return at;
    *at++ = '.';
    put9(at, ns);
    if (ns % 1000000 == 0)
        return at + 3;
    return at + (ns % 1000 == 0 ? 6 : 9);
}

static char *put_zone(char *at, int32_t zone_s)
{
    unsigned magnitude = (unsigned)(zone_s < 0 ? -zone_s : zone_s);

    if (zone_s == 0) {
        *at++ = 'Z';
        return at;
    }
    *at++ = zone_s < 0 ? '-' : '+';
    at = put2(at, magnitude / 3600);
    *at++ = ':';
    at = put2(at, magnitude / 60 % 60);
    return put_java_seconds(at, magnitude % 60, 0);
}

void javatext_time(struct buf *b, int64_t s, uint32_t ns, int32_t zone_s)
{
    bool possible = zone_s >= -18 * 3600 && zone_s <= 18 * 3600;
    int64_t local = s + (possible ? zone_s : 0), day = divide_down(local, S_PER_DAY);
    unsigned in_day = (unsigned)(local - day * S_PER_DAY);
    struct date d = date_of_day(day);
    char *start, *at;

    if (!buf_reserve(b, 64))
        return;
    start = at = (char *)b->p + b->n;
    at = put_year(at, d.year);
    *at++ = '-';
    at = put2(at, d.month);
    *at++ = '-';
    at = put2(at, d.day);
    *at++ = 'T';
    at = put2(at, in_day / 3600);
    *at++ = ':';
    at = put2(at, in_day / 60 % 60);
    at = put_java_seconds(at, in_day % 60, ns);
    at = put_zone(at, possible ? zone_s : 0);
    b->n += (size_t)(at - start);
}

void javatext_time_ns(struct buf *b, int64_t ns, int32_t zone_s)
{
    int64_t s = divide_down(ns, NS_PER_S);

    javatext_time(b, s, (uint32_t)((uint64_t)ns - (uint64_t)s * NS_PER_S), zone_s);
}

void javatext_time_ms(struct buf *b, int64_t ms, int32_t zone_s)
{
    int64_t s = divide_down(ms, 1000);

    javatext_time(b, s, (uint32_t)((uint64_t)ms - (uint64_t)s * 1000) * 1000000, zone_s);
}

void javatext_time_missing(struct buf *b)
{
    buf_str(b, "-999999999-01-01T00:00+18:00");
}

static char *put_duration_part(char *at, bool negative, uint64_t v, char letter)
{
    if (v == 0)
        return at;
    if (negative)
        *at++ = '-';
    at = put_unsigned(at, v);
    *at++ = letter;
    return at;
}

/* A duration of s seconds and ns nanoseconds, both of one sign. */
static void append_duration(struct buf *b, bool negative, uint64_t s, uint32_t ns)
{
    char *start, *at;

    if (!buf_reserve(b, 64))
        return;
    start = at = (char *)b->p + b->n;
    *at++ = 'P';
    *at++ = 'T';
    at = put_duration_part(at, negative, s / 3600, 'H');
    at = put_duration_part(at, negative, s / 60 % 60, 'M');
    if (s % 60 != 0 || ns != 0 || s == 0) {
        if (negative)
            *at++ = '-';
        at = put_unsigned(at, s % 60);
        if (ns != 0) {
            *at++ = '.';
            at = put9(at, ns);
            while (at[-1] == '0')
                at--;
        }
        *at++ = 'S';
    }
    b->n += (size_t)(at - start);
}

void javatext_span(struct buf *b, int64_t value, enum javatext_unit unit, int compat)
{
    static const uint32_t per_s[] = {NS_PER_S, 1000000, 1000, 1};
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    if (value == INT64_MIN || (value == INT64_MAX && compat != 17))
        append_duration(b, value < 0, magnitude, value < 0 ? 0 : NS_PER_S - 1);
    else
        append_duration(b, value < 0, magnitude / per_s[unit],
                        (uint32_t)(magnitude % per_s[unit]) * (NS_PER_S / per_s[unit]));
}

/* A decimal number: digits without the point, which stands after the first one. */
struct decimal {
    char digits[20];
    int n;
    int exponent; /* of ten */
};

/* The decimal of n digits (2..17) that is nearest to v > 0. */
static struct decimal nearest_double(double v, int n)
{
    struct decimal d = {.n = n};
    char text[40];

    snprintf(text, sizeof(text), "%.*e", n - 1, v); /* d.ddde-ddd */
    d.digits[0] = text[0];
    memcpy(d.digits + 1, text + 2, (size_t)n - 1);
    d.exponent = atoi(text + n + 2);
    return d;
}

/* The next larger decimal of as many digits. */
static struct decimal above(struct decimal d)
{
    int i = d.n - 1;

    while (i >= 0 && d.digits[i] == '9')
        d.digits[i--] = '0';
    if (i >= 0) {
        d.digits[i]++;
    } else {
        d.digits[0] = '1';
        d.exponent++;
    }
    return d;
}

static bool reads_as(const struct decimal *d, double v, bool is_float)
{
    char text[40];

    snprintf(text, sizeof(text), "%.*se%d", d->n, d->digits, d->exponent - d->n + 1);
    return is_float ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v;
}

/* The shortest decimal of at least two digits that reads back as v > 0; among those the nearest.
 * With more digits the nearest decimal only gets nearer, so the number of digits can be searched
 * for by halves. A power of two has less room below than above: there the nearest may fail where
 * the next one above succeeds, and every length is tried. */
static struct decimal shortest(double v, bool is_float)
{
    int exponent, low = 2, high = is_float ? 9 : 17;
    bool is_power = frexp(v, &exponent) == 0.5;

    while (low < high) {
        int middle = is_power ? low : (low + high) / 2;
        struct decimal d = nearest_double(v, middle), up;

        if (reads_as(&d, v, is_float)) {
            high = middle;
        } else {
            up = above(d);
            if (is_power && reads_as(&up, v, is_float))
                return up;
            low = middle + 1;
        }
    }
    return nearest_double(v, low);
}

static void append_plain(struct buf *b, const struct decimal *d)
{
    int before = d->exponent + 1; /* digits before the point */

    if (before <= 0) {
        buf_str(b, "0.");
        buf_bytes(b, "00", (size_t)-before); /* v >= 0.001 */
        buf_bytes(b, d->digits, (size_t)d->n);
        return;
    }
    for (int i = 0; i < before; i++)
        buf_byte(b, i < d->n ? (uint8_t)d->digits[i] : '0');
    buf_byte(b, '.');
    if (d->n > before)
        buf_bytes(b, d->digits + before, (size_t)(d->n - before));
    else
        buf_byte(b, '0');
}

static void append_number(struct buf *b, double v, bool is_float)
{
    struct decimal d;

    if (isnan(v)) {
        buf_str(b, "NaN");
        return;
    }
    if (signbit(v))
        buf_byte(b, '-');
    v = fabs(v);
    if (isinf(v) || v == 0) {
        buf_str(b, v == 0 ? "0.0" : "Infinity");
        return;
    }
    d = shortest(v, is_float);
    while (d.n > 1 && d.digits[d.n - 1] == '0')
        d.n--;
    if (v >= 1e-3 && v < 1e7) {
        append_plain(b, &d);
        return;
    }
    buf_byte(b, (uint8_t)d.digits[0]);
    buf_byte(b, '.');
    if (d.n == 1)
        buf_byte(b, '0');
    buf_bytes(b, d.digits + 1, (size_t)d.n - 1);
    buf_printf(b, "E%d", d.exponent);
}

void javatext_double(struct buf *b, double v)
{
    append_number(b, v, false);
}

void javatext_float(struct buf *b, float v)
{
    append_number(b, v, true);
}

void javatext_string(struct buf *b, struct jfr_str s)
{
    const uint8_t *p = s.p, *end = s.p == NULL ? NULL : s.p + s.n_bytes, *from = p;

    if (s.encoding != JFR_STR_UTF8) {
        jfr_str_append_utf8(b, s);
        return;
    }
    while (p < end) {
        uint8_t text[4];

        if (*p < 0x80) {
            p++;
            continue;
        }
        buf_bytes(b, from, (size_t)(p - from));
        buf_bytes(b, text, utf8_put(text, utf8_next(&p, end)));
        from = p;
    }
    if (p != from)
        buf_bytes(b, from, (size_t)(p - from));
}
