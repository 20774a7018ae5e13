/*
 * facets_order.c - puts the samples of a thread in the order of time, called by facets_finish.c.
 *
 * A recorder with several buffers writes the samples of a thread as a few long runs, each in order:
 * 2 million samples were 3 runs. So runs are merged pair by pair; samples without order are runs of
 * one or two, and cost what a merge sort costs.
 */
#include "convert/profile/facets_internal.h"

#include <stdlib.h>

/* Merges two runs of samples that are in the order of time, from[0..middle) and from[middle..n). Of
 * equal times those of the first run come first. */
static void merge_runs(const struct facets_entry *samples, const uint32_t *from, size_t middle,
                       size_t n, uint32_t *to)
{
    size_t i = 0, j = middle;

    for (size_t k = 0; k < n; k++) {
        bool is_first =
            j == n || (i < middle && samples[from[i]].time_ns <= samples[from[j]].time_ns);

        to[k] = from[is_first ? i++ : j++];
    }
}

/* Merges runs that begin at starts[0..n_runs) pair by pair, until one is left. starts[n_runs] is
 * the end. The result is in *order; *spare is as large. */
static void merge_all_runs(const struct facets_entry *samples, uint32_t **order, uint32_t **spare,
                           uint32_t *starts, size_t n_runs)
{
    while (n_runs > 1) {
        uint32_t *from = *order, *to = *spare, end = starts[n_runs];
        size_t n = 0;

        for (size_t r = 0; r < n_runs; r += 2) {
            uint32_t at = starts[r], next = r + 1 < n_runs ? starts[r + 2] : end;

            merge_runs(samples, from + at, starts[r + 1] - at, next - at, to + at);
            starts[n++] = at;
        }
        starts[n] = end;
        n_runs = n;
        *order = to;
        *spare = from;
    }
}

/* Puts n samples in this order. */
static bool apply_order(struct facets_entry *samples, const uint32_t *order, size_t n)
{
    struct facets_entry *kept = malloc(n * sizeof(*kept));

    if (kept == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        kept[i] = samples[order[i]];
    memcpy(samples, kept, n * sizeof(*kept));
    free(kept);
    return true;
}

/* Puts n samples of one thread, which are n_runs runs, in the order of time. */
static bool sort_runs(struct facets_entry *samples, size_t n, size_t n_runs)
{
    uint32_t *order = malloc(n * sizeof(*order)), *spare = malloc(n * sizeof(*spare));
    uint32_t *starts = malloc((n_runs + 1) * sizeof(*starts));
    bool ok = order != NULL && spare != NULL && starts != NULL;
    size_t n_starts = 0;

    for (size_t i = 0; i < n && ok; i++) {
        if (i == 0 || samples[i - 1].time_ns > samples[i].time_ns)
            starts[n_starts++] = (uint32_t)i;
        order[i] = (uint32_t)i;
    }
    if (ok) {
        starts[n_starts] = (uint32_t)n;
        merge_all_runs(samples, &order, &spare, starts, n_starts);
    }
    free(spare);
    free(starts);
    ok = ok && apply_order(samples, order, n);
    free(order);
    return ok;
}

bool facets_sort(struct facets_entry *samples, size_t n)
{
    size_t n_runs = 1;

    for (size_t i = 1; i < n; i++)
        n_runs += samples[i - 1].time_ns > samples[i].time_ns;
    return n_runs == 1 || sort_runs(samples, n, n_runs);
}
