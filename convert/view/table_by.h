/*
 * table_by.h - what each user, thread or event type used, and when: samples, CPU time, bytes
 * allocated, read and written, time in locks and I/O, requests.
 *
 *     struct table_by *tb = table_by_new(&options);
 *     struct run_job job = table_by_job(tb);
 *     run_all(..., &job, ...);
 *     struct table *t = table_by_table(tb);
 *
 * Samples are those of one kind (kind.h), as a profile counts them: with a stack. The sums are over
 * all events of the types that have such a number; time in locks is without that of idle threads,
 * which wait for work. Rows are sorted by samples, most first.
 */
#ifndef CONVERT_REPORT_TABLE_BY_H
#define CONVERT_REPORT_TABLE_BY_H

#include "convert/select/kind.h"
#include "convert/driver/run.h"
#include "convert/select/select.h"
#include "convert/report/table.h"
#include "convert/view/groups.h"

struct table_by_options {
    const char *const *names; /* of the keys, for people; borrowed */
    const char *const *keys; /* what rows are grouped by: of view_group_word(); borrowed */
    size_t n_keys; /* at most VIEW_KEYS */
    struct min_group min_group; /* samples of a row */
    int kind; /* enum kind; -1: the first one with samples, by event type all events */
    bool tells_rest; /* rows without a value of a key say whose they are: unattributed.h */
    struct select *select; /* borrowed */
};

struct table_by;

struct table_by *table_by_new(const struct table_by_options *opt); /* NULL: no memory */
void table_by_free(struct table_by *tb); /* NULL is allowed */

struct run_job table_by_job(struct table_by *tb);

/* The rows; NULL if out of memory. */
struct table *table_by_table(struct table_by *tb);

/* True if no kind was requested, and there are wall-clock samples beside the CPU samples in the
 * table. Valid after table_by_table(). */
bool table_by_leaves_out_wall(const struct table_by *tb);

/* Has any event a value of the i-th key? */
bool table_by_has_value(const struct table_by *tb, size_t i);

#endif
