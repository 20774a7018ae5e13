/*
 * event.h - the events of one type as a table: a row for each, a column for each field.
 *
 *     struct view_events *e = view_events_new("GarbageCollection", select, SIZE_MAX);
 *     struct run_job job = view_events_job(e);
 *     run_all(..., &job, ...);                              one thread
 *     struct table *t = view_events_found(e) ? view_events_table(e) : NULL;
 *
 * Fields of structs have columns of their own ("heapSpace.start"), arrays have none. A type that
 * gets further fields in a later chunk gets further columns; the rows are in the order of their
 * start times.
 */
#ifndef CONVERT_VIEW_EVENT_H
#define CONVERT_VIEW_EVENT_H

#include "convert/driver/run.h"
#include "convert/select/select.h"
#include "convert/report/table.h"

struct view_events;

/* type: a name as "jdk.ThreadStart" or "ThreadStart"; borrowed, as is `select`, which may be NULL.
 * Not more than `limit` rows are kept. NULL if out of memory. */
struct view_events *view_events_new(const char *type, struct select *select, size_t limit);
void view_events_free(struct view_events *e); /* NULL is allowed */

struct run_job view_events_job(struct view_events *e);

/* Has any chunk such a type? */
bool view_events_found(const struct view_events *e);

/* The table, which borrows from e. NULL if out of memory. */
struct table *view_events_table(struct view_events *e);

#endif
