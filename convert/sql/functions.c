/*
 * functions.c - SQL functions for recordings: percentiles, buckets of time, ends of events.
 *
 * functions_register() adds them to a database; SQLite calls the others for rows and groups. A
 * percentile gathers all values of its group and selects the two it lies between without sorting
 * them.
 */
#include "convert/sql/functions.h"

#include "convert/sql/moment.h"
#include "convert/text/date.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/quantity.h"

#include <stdlib.h>
#include <string.h>

/* --- percentiles --- */

struct values { /* of a group */
    double *items;
    size_t n, room;
    double percent;
};

static const struct {
    const char *name;
    double percent;
} percentiles[] = {{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p999", 99.9}};

static void gather_value(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct values *v = sqlite3_aggregate_context(to, sizeof(*v));
    const double *fixed = sqlite3_user_data(to);

    if (v == NULL ||
        (v->n == v->room && !array_reserve(&v->items, &v->room, v->n + 1, sizeof(*v->items)))) {
        sqlite3_result_error_nomem(to);
        return;
    }
    v->percent = argc < 2 ? *fixed : sqlite3_value_double(argv[1]);
    if (!(v->percent >= 0 && v->percent <= 100)) {
        sqlite3_result_error(to, "percentile(x, p): p is from 0 to 100", -1);
        return;
    }
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
        v->items[v->n++] = sqlite3_value_double(argv[0]);
}

/* Returns the value at place k of n values if they were sorted. Reorders them: no value before
 * place k is greater than it, and no value after it is smaller. */
static double select_value(double *x, size_t n, size_t k)
{
    size_t from = 0, to = n - 1;

    while (from < to) {
        double pivot = x[from + (to - from) / 2];
        size_t i = from, j = to;

        for (;; i++, j--) {
            double swapped;

            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i >= j)
                break;
            swapped = x[i];
            x[i] = x[j];
            x[j] = swapped;
        }
        if (k <= j)
            to = j;
        else
            from = j + 1;
    }
    return x[k];
}

static double least_of(const double *x, size_t n)
{
    double least = x[0];

    for (size_t i = 1; i < n; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}

static void end_values(sqlite3_context *to)
{
    struct values *v = sqlite3_aggregate_context(to, 0);
    double at, low, high;
    size_t k;

    if (v == NULL || v->n == 0) {
        if (v != NULL)
            free(v->items);
        return;
    }
    at = v->percent / 100 * (double)(v->n - 1);
    k = (size_t)at;
    low = select_value(v->items, v->n, k);
    high = k + 1 < v->n ? least_of(v->items + k + 1, v->n - k - 1) : low;
    sqlite3_result_double(to, low + (high - low) * (at - (double)k));
    free(v->items);
}

/* --- times --- */

static bool time_argument(sqlite3_context *to, const char *function, sqlite3_value *value,
                          int64_t *us)
{
    const char *text = (const char *)sqlite3_value_text(value);
    char *message;

    if (text != NULL && moment_read(text, us))
        return true;
    message = sqlite3_mprintf("%s: '%s' is no time such as 2026-11-28 09:15:02", function,
                              text == NULL ? "" : text);
    sqlite3_result_error(to, message == NULL ? function : message, -1);
    sqlite3_free(message);
    return false;
}

static void give_time(sqlite3_context *to, int64_t us)
{
    char text[MOMENT_CHARS];

    if (moment_show(us, text))
        sqlite3_result_text(to, text, sizeof(text), SQLITE_TRANSIENT);
}

static void bucket(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    const char *width = (const char *)sqlite3_value_text(argv[1]);
    int64_t ns, us;

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || width == NULL)
        return;
    if (quantity_time(width, &ns) != QUANTITY_OK || ns < 1000) {
        sqlite3_result_error(to, "bucket(time, width): the width is a text such as '10s' or '1m'",
                             -1);
        return;
    }
    if (sqlite3_value_type(argv[0]) == SQLITE_INTEGER)
        sqlite3_result_int64(to, divide_down(sqlite3_value_int64(argv[0]), ns) * ns);
    else if (time_argument(to, "bucket", argv[0], &us))
        give_time(to, divide_down(us, ns / 1000) * (ns / 1000));
}

static void span_end(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    int64_t us, ns = sqlite3_value_int64(argv[1]);

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    if (time_argument(to, "span_end", argv[0], &us) && !__builtin_add_overflow(us, ns / 1000, &us))
        give_time(to, us);
}

int functions_register(sqlite3 *db)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, rc;

    rc = sqlite3_create_function_v2(db, "bucket", 2, flags, NULL, bucket, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(db, "span_end", 2, flags, NULL, span_end, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(db, "percentile", 2, flags, NULL, NULL, gather_value,
                                        end_values, NULL);
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]) && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, percentiles[i].name, 1, flags,
                                        (void *)(uintptr_t)&percentiles[i].percent, NULL,
                                        gather_value, end_values, NULL);
    return rc;
}
