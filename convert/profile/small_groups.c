/* small_groups.c - rows whose roots have too few samples get one root together. */
#include "convert/profile/internal.h"

#include <stdlib.h>

/* Keys, thread and state of every group, numbered; NULL if out of memory. */
static uint32_t *number_roots(const struct profile *p, struct intern *roots)
{
    size_t n = intern_n(&p->groups);
    uint32_t *root = profile_array(NULL, n, sizeof(*root));

    for (uint32_t i = 0; i < n && root != NULL; i++) {
        struct group g = profile_group(&p->groups, i);

        root[i] = intern_add(roots, g.ends, PROFILE_CLASS * sizeof(g.ends[0]));
        if (root[i] == INTERN_FAILED)
            return free(root), NULL;
    }
    return root;
}

static void join(struct profile *p, uint32_t group)
{
    struct group g = profile_group(&p->groups, group);

    for (int i = 0; i < PROFILE_CLASS; i++)
        g.ends[i] = NO_NAME;
    g.ends[PROFILE_KEY] = p->others;
    memcpy((void *)(uintptr_t)intern_get(&p->groups, group, NULL), &g, sizeof(g));
}

bool profile_join_small(struct profile *p)
{
    struct intern roots = {0};
    uint32_t *root = number_roots(p, &roots);
    uint64_t *samples = calloc(intern_n(&roots) + 1, sizeof(*samples));
    bool ok = root != NULL && samples != NULL;

    for (size_t i = 0; i < p->n_final && ok; i++) {
        uint64_t *sum = &samples[root[p->final[i].group]];

        *sum = sums_plus(*sum, p->final[i].samples);
    }
    for (uint32_t i = 0; i < intern_n(&p->groups) && ok; i++)
        if (min_group_is_small(&p->opt.min_group, samples[root[i]], p->facts.samples))
            join(p, i);
    free(root);
    free(samples);
    intern_free(&roots);
    return ok;
}
