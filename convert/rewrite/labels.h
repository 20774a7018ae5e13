/*
 * labels.h - contexts as numbers, and what they mean: the LabelsSnapshot of Pyroscope, which takes
 * it beside a recording whose events have a field contextId.
 *
 *     struct labels *l = labels_new();
 *     labels_load(l);                                          for each chunk of the run r
 *     id = labels_id(l, r, context_event(r, &ev));
 *     rc = labels_write(l, &out);
 *
 * Ids count from 1 in the order in which contexts are met; 0 is none. The same contexts have the
 * same id in all chunks. Names of labels become letters, digits and '_', as Pyroscope wants them;
 * numbers of spans are no labels, Pyroscope reads them from the events.
 *
 * Ownership: labels_free() frees all. Threads: one at a time.
 */
#ifndef CONVERT_REWRITE_LABELS_H
#define CONVERT_REWRITE_LABELS_H

#include "convert/context/context.h"
#include "convert/text/out.h"

#define LABELS_FAILED UINT64_MAX /* in place of an id: memory is exhausted */

struct labels;

struct labels *labels_new(void); /* NULL if out of memory */
void labels_free(struct labels *l); /* NULL is allowed */

/* A chunk was loaded: its tuples are numbered anew. */
void labels_load(struct labels *l);

/* The id of a tuple of the run, or LABELS_FAILED. */
uint64_t labels_id(struct labels *l, const struct context_run *r, uint32_t tuple);

/* 0, the error of `out` or JFR_E_NOMEM. */
int labels_write(const struct labels *l, struct out *out);

#endif
