/*
 * flame_facets.h - the samples of a page, packed so that a browser can sum them up anew for any
 * choice of values.
 *
 * Sections beside the tree:
 *     leaf          varint per stack: nodes from the end of the stack before to the end of this one
 *     leaf.self     varint per stack: weight of what the page opens with
 *
 * Sections behind the script, where n is the number of samples, which stand in the order of time:
 *     dim.size      varint per value of every dimension that is kept, 0 ("no value") left out:
 *                   bytes
 *     dim.text      these bytes
 *     s.time        varint per sample: ticks since the one before
 *     s.leaf        which of the stacks, as a column
 *     s.0, s.1 ...  the value in a dimension, as a column; none where all samples have the same
 *     w.count ...   varint per sample whose event type has the weight
 *
 * A column holds numbers below 256^width as `width` planes of n bytes, low bytes first. Columns but
 * that of the thread hold 0 for "as in the sample before of the same thread", else the number + 1:
 * a thread mostly goes on with what it did.
 */
#ifndef CONVERT_FLAME_FACETS_H
#define CONVERT_FLAME_FACETS_H

#include "convert/facets.h"
#include "convert/flame.h"
#include "convert/flame_pack.h"

struct flame_facets;

/* What of f goes to the page. `map` is the node of the page by node of f's tree; NULL: they are the
 * same. NULL when memory is short. */
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

/* The member "facets" of the header, with a comma behind. */
void flame_facets_head(const struct flame_facets *ff, struct buf *b);

#endif
