/*
 * view.h - the questions that one asks of a recording most often, each a table: hot methods,
 * allocations by class, pauses of the collector, reads by path, settings, ...
 *
 *     const struct view *v = view_named("hot-methods");
 *     struct view_run *r = view_run_new(v, select);
 *     struct run_job job = view_job(r);
 *     run_all(..., &job, ...);                              one thread if select_is_serial()
 *     struct table *t = view_table(r, false, false);
 *
 * Names and numbers are those of `jfr view` of JDK 25, the words in the columns our own.
 *
 * A view is a row of the table in defs.c: which events, which paths tell rows apart (up to six:
 * fields, threads, contexts, buckets of time ...), and for each column a sum of a path. Other sums
 * of fields are views, too, described by words.h or by a struct view (internal.h): reading,
 * threads, merging and order are the same for all. What adds up something else, as table_by.h does,
 * has the groups of groups.h and keys of view_group_word(), and columns of its own.
 */
#ifndef CONVERT_VIEW_VIEW_H
#define CONVERT_VIEW_VIEW_H

#include "convert/driver/run.h"
#include "convert/select/select.h"
#include "convert/report/table.h"

struct view;
struct view_run;

const struct view *view_named(const char *name); /* NULL: no such view */

size_t view_n(void);
const struct view *view_at(size_t i); /* sorted by name */
const char *view_name(const struct view *v);
const char *view_title(const struct view *v);

/* Simple names of the event types that it shows, "GarbageCollection,GCPhasePause"; NULL: all. */
const char *view_types(const struct view *v);

/* `select` may be NULL; borrowed. NULL if out of memory. */
struct view_run *view_run_new(const struct view *v, struct select *select);
void view_run_free(struct view_run *r); /* NULL is allowed */

struct run_job view_job(struct view_run *r);

/* The table. for_people: what is one row of many columns becomes a row for each. whole: also the
 * rows that the view itself leaves out, after the first 25 for example. NULL if out of memory.
 */
struct table *view_table(struct view_run *r, bool for_people, bool whole);

#endif
