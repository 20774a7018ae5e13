/*
 * bounds.c - the least and greatest values of a column, for statistics and page indexes.
 *
 * Engines skip row groups and pages by these, so a bound may be too wide and never too narrow: a
 * long text is cut, and its greatest bound rounded up.
 */
#include "convert/parquet/bounds.h"

#include <math.h>
#include <string.h>

static bool is_unsigned(enum parquet_type type)
{
    return type >= PARQUET_UINT8 && type <= PARQUET_UINT64;
}

static double as_real(enum parquet_type type, int64_t bits)
{
    uint32_t low = (uint32_t)bits;
    double d;
    float f;

    memcpy(&f, &low, sizeof(f));
    memcpy(&d, &bits, sizeof(d));
    return type == PARQUET_FLOAT ? (double)f : d;
}

/* -0 and +0 are equal for a query, but not for an engine that compares bits. So a least value of
 * zero becomes -0, and a greatest value of zero +0, as the Parquet format requires. */
static int64_t zero_of(enum parquet_type type, int64_t bits, bool is_least)
{
    if (as_real(type, bits) != 0)
        return bits;
    if (!is_least)
        return 0;
    return type == PARQUET_FLOAT ? INT64_C(1) << 31 : INT64_MIN;
}

static void store_bound(enum parquet_type type, int64_t v, uint8_t *to, uint8_t *n)
{
    *n = type == PARQUET_BOOLEAN ? 1 : (uint8_t)parquet_number_bytes(type);
    for (unsigned i = 0; i < *n; i++)
        to[i] = (uint8_t)((uint64_t)v >> 8 * i);
}

struct column_bounds bounds_of_numbers(enum parquet_type type, const int64_t *v, size_t n)
{
    bool is_real = type == PARQUET_FLOAT || type == PARQUET_DOUBLE;
    struct column_bounds b = {.are_exact = true};
    int64_t least = 0, most = 0;

    for (size_t i = 0; i < n; i++) {
        if (is_real && isnan(as_real(type, v[i])))
            continue;
        if (!b.are_known)
            least = most = v[i];
        b.are_known = true;
        if (is_real) {
            least = as_real(type, v[i]) < as_real(type, least) ? v[i] : least;
            most = as_real(type, v[i]) > as_real(type, most) ? v[i] : most;
        } else if (is_unsigned(type)) {
            least = (uint64_t)v[i] < (uint64_t)least ? v[i] : least;
            most = (uint64_t)v[i] > (uint64_t)most ? v[i] : most;
        } else {
            least = v[i] < least ? v[i] : least;
            most = v[i] > most ? v[i] : most;
        }
    }
    if (is_real) {
        least = zero_of(type, least, true);
        most = zero_of(type, most, false);
    }
    store_bound(type, least, b.least, &b.n_least);
    store_bound(type, most, b.most, &b.n_most);
    return b;
}

/* Whole characters of UTF-8 that fit. */
static size_t whole_characters(const uint8_t *p, size_t n, size_t room)
{
    if (n <= room)
        return n;
    for (n = room; n > 0 && (p[n] & 0xc0) == 0x80; n--) {
    }
    return n;
}

struct column_bounds bounds_of_texts(const void *least, size_t n_least, const void *most,
                                     size_t n_most)
{
    struct column_bounds b = {.are_known = true};
    size_t n = whole_characters(least, n_least, sizeof(b.least));

    b.are_exact = n == n_least;
    memcpy(b.least, least, n);
    b.n_least = (uint8_t)n;
    n = whole_characters(most, n_most, sizeof(b.most));
    memcpy(b.most, most, n);
    if (n < n_most) { /* greater than all that begins so: its last ASCII character is one higher */
        b.are_exact = false;
        while (n > 0 && b.most[n - 1] >= 0x7e)
            n--;
        if (n > 0)
            b.most[n - 1]++;
        b.are_known = n > 0;
    }
    b.n_most = (uint8_t)n;
    return b;
}

static int64_t bound_number(const void *p, size_t n)
{
    int64_t v;

    memcpy(&v, p, n < sizeof(v) ? n : sizeof(v));
    return v;
}

int bounds_compare(enum parquet_type type, const void *a, size_t n_a, const void *b, size_t n_b)
{
    int64_t x, y;
    int order;

    if (type == PARQUET_STRING || type == PARQUET_ID) {
        order = memcmp(a, b, n_a < n_b ? n_a : n_b);
        return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
    }
    x = bound_number(a, n_a);
    y = bound_number(b, n_b);
    if (is_unsigned(type))
        return ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
    return (x > y) - (x < y);
}
