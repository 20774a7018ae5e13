/*
 * flame.h - the flame-graph page: one HTML file that needs nothing else, made from a stack tree.
 *
 *     struct flame_options opt = {.title = "app.jfr", .kind = "cpu"};
 *     rc = flame_write(&tree, &opt, &out);
 *
 * The page is a constant skeleton with style and script (convert/page/) whose policy admits nothing
 * but their hashes, around the data: packed sections (pack.h), a JSON header with their
 * directory, and behind the script the same again for the samples, so that the graph can be seen
 * before they are read. Frame names stand in the sections only, so no name can become markup.
 *
 * The sections, each a column with one entry per name or per node, numbers as varints where not
 * told otherwise: names.keep, names.more, names.text   names in order: bytes shared with the name
 * before, bytes added, and these bytes tree.up      levels closed since the node before: depth =
 * depth of that + 1 - up tree.name    index of the name, in planes: the low bytes of all nodes,
 * then the next ones tree.type    a byte: 0 for the type that the node before of the same name had
 * (at first 0), else enum frame_type + 1 tree.self    weight of the samples that end here; these
 * three not in a page with facets tree.hidden  weight of the frames below that min_share left out;
 * only if it left out any tree.samples number of samples that end here; only if the tree has it A
 * reader skips sections it does not know. Same tree and options, same bytes.
 */
#ifndef CONVERT_FLAME_FLAME_H
#define CONVERT_FLAME_FLAME_H

#include "convert/profile/facets.h"
#include "convert/select/min_group.h"
#include "convert/text/out.h"
#include "convert/profile/tree.h"

#include <stdbool.h>

/* Zero means default. Texts may hold anything. */
struct flame_options {
    const char *title; /* NULL: "Flame graph" */
    const char *subtitle; /* NULL: none */
    const char *kind; /* what was counted: "cpu", "alloc" ... */
    const char *weight; /* what the widths mean, when not the number of samples: "duration" */
    const char *unit; /* of the weights: "samples" (default), "bytes", "ns", or any word */
    const char *command; /* how the page was made */
    const char *highlight; /* what the page searches for when it opens */
    const char *theme; /* "auto" (default), "light", "dark" */
    const char *palette; /* "type" (default), "safe" for colour-blind readers, "package", "grey" */
    const char *source_url; /* link of a frame with {path}, {class}, {method}, {line}; NULL: none */
    bool icicle; /* root on top */
    bool reverse; /* callees first */
    double min_share; /* leave out frames below this part of the total: 0.0001 is 0.01 % */
    /* The samples of the tree's profile, which make the page one that sums up anew what is picked
     * in it (facets.h). NULL: a page with sums only. The rest is about these alone. */
    const struct facets *facets;
    int facet_kind; /* enum kind that the page opens with; -1: the first with samples */
    enum facet_weight facet_weight; /* the same for the weight; FACET_COUNT: samples */
    const char *facet_list; /* names of dimensions to keep, with commas; NULL: those with up to */
    uint32_t facet_max; /* values, which is also how many are kept of any; the rest become one */
    struct least facet_least; /* samples of a thread or a value of context; those of fewer become
                               * one, too */
    const char *diff[2]; /* what to compare, "user=alice", "input!=b.jfr"; NULL: nothing */
    const char
        *norm; /* "samples" (default), "none", "time", "requests": what sides are divided by */
};

/* Appends the page to *out; the caller flushes. 0, the error of `out`, or JFR_E_NOMEM. */
int flame_write(const struct tree *t, const struct flame_options *opt, struct out *out);

#endif
