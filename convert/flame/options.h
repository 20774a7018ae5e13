/* options.h - how a page looks and what it keeps. */
#ifndef CONVERT_FLAME_OPTIONS_H
#define CONVERT_FLAME_OPTIONS_H

#include "convert/profile/facets.h"
#include "convert/select/min_group.h"

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
    const char *palette; /* "origin" (default), "safe": the same for colour-blind readers, "type",
                            "package", "grey" */
    const char *source_url; /* link of a frame with {path}, {class}, {method}, {line}; NULL: none */
    const struct buf *report; /* HTML that the page opens with, as a view of its own; its names are
                               * escaped. NULL: none. The buttons in it: convert/page/report.js */
    bool icicle; /* root on top */
    bool reverse; /* callees first */
    double min_share; /* leave out frames below this part of the total: 0.0001 is 0.01 % */
    /* The samples of the tree's profile, which make the page one that sums up anew what is picked
     * in it (facets.h). NULL: a page with sums only. The rest is about these alone. */
    const struct facets *facets;
    int facet_kind; /* enum kind that the page opens with; -1: the first with samples */
    enum facet_weight facet_weight; /* the same for the weight; FACET_COUNT: samples */
    bool is_weight_of_kind; /* in place of facet_weight: bytes of allocations, time of locks ... */
    const char *facet_list; /* names of dimensions to keep, with commas; NULL: those with up to */
    uint32_t facet_max; /* values, which is also how many are kept of any; the rest become one */
    struct min_group facet_min_group; /* samples of a thread or a value of context; those of fewer
                                       * become one, too */
    const char *diff[2]; /* what to compare, "user=alice", "input!=b.jfr"; NULL: nothing */
    const char
        *norm; /* "samples" (default), "none", "time", "requests": what sides are divided by */
};

#endif
