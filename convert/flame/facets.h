/*
 * facets.h - the samples of a page, packed so that a browser can recompute the sums for any
 * selection of values.
 *
 * Sections beside the tree:
 *     leaf          varint per stack: nodes from the end of the stack before to the end of this one
 *     leaf.self     varint per stack: its weight in the view that the page opens with
 *
 * Sections after the script. The samples are stored thread by thread, in the order of time; equal
 * neighbours, of the same values and the same stack, are a run:
 *     dim.size      varint per value of every dimension that is kept, 0 ("no value") left out:
 *                   bytes
 *     dim.text      these bytes
 *     s.group       varint per thread: its samples
 *     s.0           varint per thread: its value in the dimension 0, that of threads
 *     s.time        varint per sample: ticks since the one before of the thread, at first since the
 *                   first of all
 *     s.run         varint per run: its samples
 *     s.first       varint per stack: the first of the groups that has it
 *     s.stack       which of the stacks, as a column; stacks are numbered by s.first, then by place
 *     s.1, s.2 ...  the value in a dimension, as a column; none where all samples have the same
 *     w.count ...   varint per sample whose event type has the weight
 *
 * A column has a number for each run: 0 for "as in the run before", else the value + 1. Numbers
 * below 256^width stand in `width` planes of bytes, low ones first. A thread repeats its own
 * stacks and seldom has those of others, so few values of the high bytes are frequent.
 */
#ifndef CONVERT_FLAME_FACETS_H
#define CONVERT_FLAME_FACETS_H

#include "convert/profile/facets.h"
#include "convert/flame/options.h"
#include "convert/flame/pack.h"

struct flame_facets;

/* What of f goes to the page. `map` is the node of the page by node of f's tree; NULL: they are the
 * same. NULL if out of memory. */
struct flame_facets *flame_facets_new(const struct flame_options *opt, const uint32_t *map,
                                      size_t n_nodes);
void flame_facets_free(struct flame_facets *ff);

/* Write the sections. 0 or JFR_E_NOMEM. */
int flame_facets_sums(struct flame_facets *ff, struct pack *pack);
int flame_facets_samples(struct flame_facets *ff, struct pack *pack);

/* The weight of all samples of the kind that the page opens with; its unit; the kind's title. */
uint64_t flame_facets_total(const struct flame_facets *ff);
const char *flame_facets_unit(const struct flame_facets *ff);
const char *flame_facets_kind(const struct flame_facets *ff);

/* The member "facets" of the header, with a comma after. */
void flame_facets_head(const struct flame_facets *ff, struct buf *b);

#endif
