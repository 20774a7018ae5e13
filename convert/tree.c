#include "convert/tree.h"

#include "convert/profile.h"
#include "convert/stackset.h"
#include "convert/sums.h"

#include <stdlib.h>
#include <string.h>

/* The columns of a tree in one block, so that they grow and are freed together. */
struct columns {
    struct tree_name *names;
    uint32_t *depth, *name, *leaf;
    uint8_t *type;
    uint64_t *self, *samples;
    size_t n, room, n_names;
    bool has_samples; /* they are not the weights */
};

static uint32_t shared_length(const struct profile_row *a, const struct profile_row *b)
{
    uint32_t na = profile_path_n(a), nb = profile_path_n(b), i = 0;

    while (i < na && i < nb &&
           frame_name_id(profile_path_frame(a, i)) == frame_name_id(profile_path_frame(b, i)))
        i++;
    return i;
}

static bool grow(struct columns *c, size_t room)
{
    void *depth = realloc(c->depth, room * sizeof(*c->depth));
    void *name, *type, *self, *samples;

    if (depth != NULL)
        c->depth = depth;
    name = realloc(c->name, room * sizeof(*c->name));
    if (name != NULL)
        c->name = name;
    type = realloc(c->type, room * sizeof(*c->type));
    if (type != NULL)
        c->type = type;
    self = realloc(c->self, room * sizeof(*c->self));
    if (self != NULL)
        c->self = self;
    samples = realloc(c->samples, room * sizeof(*c->samples));
    if (samples != NULL)
        c->samples = samples;
    if (depth == NULL || name == NULL || type == NULL || self == NULL || samples == NULL)
        return false;
    c->room = room;
    return true;
}

static void put_node(struct columns *c, uint32_t depth, uint32_t frame)
{
    c->depth[c->n] = depth;
    c->name[c->n] = frame_name_id(frame);
    c->type[c->n] = (uint8_t)frame_type(frame);
    c->self[c->n] = c->samples[c->n] = 0;
    c->n++;
}

/* Rows come sorted, so a row's new nodes are what it does not share with the one before. */
static bool put_rows(struct columns *c, const struct profile *p)
{
    struct profile_row last = {.n = 0};

    memset(last.ends, 0xff, sizeof(last.ends));
    for (size_t i = 0; i < profile_n(p); i++) {
        struct profile_row row = profile_row(p, i);
        uint32_t n = profile_path_n(&row), shared = shared_length(&last, &row);

        if (c->room - c->n < n && !grow(c, c->room + c->room / 2 + n))
            return false;
        for (uint32_t k = shared; k < n; k++)
            put_node(c, k + 1, profile_path_frame(&row, k));
        c->self[c->n - 1] = sums_plus(c->self[c->n - 1], row.weight);
        c->samples[c->n - 1] = sums_plus(c->samples[c->n - 1], row.samples);
        c->leaf[i] = (uint32_t)c->n - 1;
        c->has_samples |= row.weight != row.samples;
        last = row;
    }
    return true;
}

/* Names of the nodes only: those of other kinds and of stacks that were not wanted stay out. */
static bool put_names(struct columns *c, const struct profile *p)
{
    uint32_t *map = calloc(profile_n_names(p) + 1, sizeof(*map)), n_names = 0;

    for (size_t i = 0; i < c->n && map != NULL; i++)
        map[c->name[i]] = 1;
    for (uint32_t i = 0; i < profile_n_names(p) && map != NULL; i++)
        map[i] = map[i] == 0 ? UINT32_MAX : n_names++;
    c->names = calloc((size_t)n_names + 1, sizeof(*c->names));
    for (size_t i = 0; i < c->n && map != NULL && c->names != NULL; i++) {
        struct tree_name *name = &c->names[map[c->name[i]]];
        size_t len;

        name->text = profile_name(p, c->name[i], &len);
        name->n = (uint32_t)len;
        c->name[i] = map[c->name[i]];
    }
    c->n_names = map == NULL ? 0 : n_names;
    free(map);
    return c->n_names > 0 && c->names != NULL;
}

int profile_tree(const struct profile *p, struct tree *tree)
{
    struct columns *c = calloc(1, sizeof(*c));

    *tree = (struct tree){.memory = c};
    if (c == NULL || !grow(c, 1024)) {
        tree_free(tree);
        return JFR_E_NOMEM;
    }
    put_node(c, 0, 0);
    c->leaf = malloc((profile_n(p) + 1) * sizeof(*c->leaf));
    if (c->leaf == NULL || !put_rows(c, p) || !put_names(c, p)) {
        tree_free(tree);
        return JFR_E_NOMEM;
    }
    tree->n_names = c->n_names;
    tree->names = c->names;
    tree->n_nodes = c->n;
    tree->depth = c->depth;
    tree->name = c->name;
    tree->type = c->type;
    tree->self = c->self;
    tree->leaf = c->leaf;
    tree->samples = c->has_samples ? c->samples : NULL;
    tree->total = profile_facts(p).weight;
    tree->n_samples = profile_facts(p).samples;
    return 0;
}

void tree_free(struct tree *t)
{
    struct columns *c = t->memory;

    if (c != NULL) {
        free(c->names);
        free(c->depth);
        free(c->name);
        free(c->type);
        free(c->self);
        free(c->samples);
        free(c->leaf);
        free(c);
    }
    *t = (struct tree){0};
}

int tree_write(const struct profile *p, struct out *out,
               int (*put)(const struct tree *t, const uint64_t *totals, struct out *out))
{
    struct tree tree = {0};
    uint64_t *totals = NULL;
    int rc = profile_tree(p, &tree);

    if (rc == 0)
        totals = tree_totals(&tree);
    if (rc == 0)
        rc = totals == NULL ? JFR_E_NOMEM : put(&tree, totals, out);
    free(totals);
    tree_free(&tree);
    return rc;
}
