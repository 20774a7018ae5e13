/*
 * contexts.h - the attributes of events' contexts as columns, in a structure `context`.
 *
 *     struct contexts c = {0};
 *     contexts_load(&c);                                    once for each chunk
 *     fill_class(..., &c.node, c.node != NULL)
 *     contexts_put(&c, &fill, context_run, &ev);            after the fields of each event
 *
 * A column appears with the first event that has the attribute, if the table's choice wants it.
 * Threads: as the table's file.
 */
#ifndef CONVERT_COLUMNS_CONTEXTS_H
#define CONVERT_COLUMNS_CONTEXTS_H

#include "convert/columns/fill.h"
#include "convert/context/context.h"

#define CONTEXTS_NAME "context"

struct contexts { /* of a table */
    struct parquet_node *node; /* NULL: no event had a context yet */
    struct buf ranges; /* of struct fill_range, by tuple of the chunk */
};

/* Starts with a chunk that was just loaded, or with cells that are kept no more (fill_expire()). */
void contexts_load(struct contexts *c);
void contexts_free(struct contexts *c);

/* Lack of memory is fill->values->failed. */
void contexts_put(struct contexts *c, struct fill *fill, struct context_run *context,
                  const struct jfr_event *ev);

#endif
