/*
 * sorted_values.h - the numbers of all rows of a column, read in the order of rows and sizes.
 *
 *     while (...)
 *         rc = sorted_values_add(&s, row, &value, &err);
 *     rc = sorted_values_begin(&s, &err);
 *     while (rc == 0 && (rc = sorted_values_next(&s, &v, &err)) > 0)
 *         ... v.row, sorted_values_get(&v) ...
 *
 * Percentiles are made of them. A value takes 16 bytes. From SORTED_VALUES_HELD values on they go
 * to a file without a name (tempfile.h), in runs that are each sorted; reading merges the runs. So
 * memory is at most 16 MB, and 64 kB for each run while they are read.
 *
 * Ownership: sorted_values_free() closes the file. Threads: one at a time.
 */
#ifndef CONVERT_VIEW_SORTED_VALUES_H
#define CONVERT_VIEW_SORTED_VALUES_H

#include "convert/view/number.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/error.h"

/* A value as it is kept: number and form of a struct view_value. */
struct sorted_value {
    uint32_t row;
    uint8_t format, is_unsigned, is_real, unused;
    union {
        int64_t i;
        double d; /* is_real */
    } n;
};

#define SORTED_VALUES_HELD ((size_t)1 << 20) /* values of a column in memory */

/* All 0 but for the limit to begin with. */
struct sorted_values {
    struct buf held; /* of struct sorted_value, as added */
    size_t limit; /* values to hold before they go to the file; 0: no limit */
    int file; /* its descriptor + 1; 0: none */
    uint64_t n_spilled; /* values in the file */
    struct buf run_ends; /* of uint64_t: values up to the end of each run in the file */
    struct sorted_run *runs; /* while they are read */
    size_t n_runs, n_heap;
    uint32_t *heap; /* numbers of runs that have values left, that with the next value first */
};

/* Adds a number. 0, JFR_E_NOMEM, or JFR_E_IO and *err. */
int sorted_values_add(struct sorted_values *s, uint32_t row, const struct view_value *v,
                      struct jfr_error *err);

/* Adds all values of `from`, which has no file; rows[i] is the number of its row i. As above. */
int sorted_values_take(struct sorted_values *s, const struct sorted_values *from,
                       const uint32_t *rows, struct jfr_error *err);

/* Goes to the first value. May be called again, to read all values again; nothing may be added
 * after it. Codes as above. */
int sorted_values_begin(struct sorted_values *s, struct jfr_error *err);

/* The next value. 1, 0 at the end, or a code as above. */
int sorted_values_next(struct sorted_values *s, struct sorted_value *v, struct jfr_error *err);

struct view_value sorted_values_get(const struct sorted_value *v);

void sorted_values_reset(struct sorted_values *s); /* no values; a file is closed */
void sorted_values_free(struct sorted_values *s);

#endif
