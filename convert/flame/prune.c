/*
 * prune.c - leaves out the parts of a stack tree that are too narrow to be drawn.
 *
 * In: a tree and the least weight. Out: a new tree, in which each node has the weight that was
 * hidden below it; samples of a hidden node count for its parent, and names that no node uses any
 * more are dropped.
 */
#include "convert/flame/prune.h"
#include "jfrfmt/base/error.h"

#include <stdlib.h>
#include <string.h>

/* Columns of the new tree, cut from one block; each as long as the old tree's. */
struct columns {
    uint64_t *self, *samples, *hidden, *total;
    uint32_t *depth, *name, *path, *name_map, *map;
    struct tree_name *names;
    uint8_t *type;
};

static void *cut(uint8_t **at, size_t n, size_t size)
{
    void *p = *at;

    *at += (n * size + 15) & ~(size_t)15;
    return p;
}

static void *columns_new(struct columns *c, size_t nodes, size_t names)
{
    size_t node_bytes = 4 * sizeof(uint64_t) + 4 * sizeof(uint32_t) + 1;
    size_t name_bytes = sizeof(struct tree_name) + sizeof(uint32_t);
    uint8_t *block = calloc(nodes + names + 20, node_bytes + name_bytes);
    uint8_t *at = block;

    if (block == NULL)
        return NULL;
    c->self = cut(&at, nodes, sizeof(uint64_t));
    c->samples = cut(&at, nodes, sizeof(uint64_t));
    c->hidden = cut(&at, nodes, sizeof(uint64_t));
    c->total = cut(&at, nodes, sizeof(uint64_t));
    c->names = cut(&at, names, sizeof(struct tree_name));
    c->depth = cut(&at, nodes, sizeof(uint32_t));
    c->name = cut(&at, nodes, sizeof(uint32_t));
    c->path = cut(&at, nodes + 1, sizeof(uint32_t));
    c->map = cut(&at, nodes, sizeof(uint32_t));
    c->name_map = cut(&at, names, sizeof(uint32_t));
    c->type = cut(&at, nodes, 1);
    return block;
}

/* Totals from the back: when node i is reached, sum[depth] holds what its subtree weighs. `hidden`
 * serves as the sums; it is all zero again afterwards, as every level is closed by its parent. */
static void add_up(const struct tree *t, uint64_t *total, uint64_t *sum)
{
    for (size_t i = t->n_nodes; i-- > 0;) {
        uint32_t d = t->depth[i];

        total[i] = t->self[i] + (d + 1 < t->n_nodes ? sum[d + 1] : 0);
        if (d + 1 < t->n_nodes)
            sum[d + 1] = 0;
        sum[d] += total[i];
    }
    sum[0] = 0;
}

/* Leaves out node i, at depth d, with all below it; its parent takes note. Returns the last one. */
static size_t drop_subtree(const struct tree *t, size_t i, const struct columns *c)
{
    uint32_t d = t->depth[i];
    uint32_t parent = c->path[d - 1];

    c->hidden[parent] += c->total[i];
    for (;; i++) {
        c->map[i] = parent;
        c->samples[parent] += t->samples != NULL ? t->samples[i] : 0;
        if (i + 1 == t->n_nodes || t->depth[i + 1] <= d)
            return i;
    }
}

/* Copies what stays; path[d] is the new index of the last node kept at depth d. */
static size_t keep_nodes(const struct tree *t, double least, const struct columns *c)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_nodes; i++) {
        if (i > 0 && (double)c->total[i] < least) {
            i = drop_subtree(t, i, c);
            continue;
        }
        c->path[t->depth[i]] = c->map[i] = (uint32_t)n;
        c->depth[n] = t->depth[i];
        c->name[n] = t->name[i];
        c->type[n] = t->type[i];
        c->self[n] = t->self[i];
        c->samples[n] += t->samples != NULL ? t->samples[i] : 0;
        n++;
    }
    return n;
}

/* Numbers the names that are still used, in their old order. */
static size_t keep_names(const struct tree *t, size_t n_nodes, const struct columns *c)
{
    size_t n = 0;

    for (size_t i = 0; i < n_nodes; i++)
        c->name_map[c->name[i]] = 1;
    for (size_t i = 0; i < t->n_names; i++)
        if (c->name_map[i] != 0) {
            c->names[n] = t->names[i];
            c->name_map[i] = (uint32_t)n++;
        }
    for (size_t i = 0; i < n_nodes; i++)
        c->name[i] = c->name_map[c->name[i]];
    return n;
}

int prune_tree(const struct tree *t, double share, struct pruned *p)
{
    struct columns c;
    void *block = columns_new(&c, t->n_nodes, t->n_names);

    if (block == NULL)
        return JFR_E_NOMEM;
    add_up(t, c.total, c.hidden);
    *p = (struct pruned){.tree = *t, .hidden = c.hidden, .map = c.map, .memory = block};
    p->tree.n_nodes = keep_nodes(t, share * (double)t->total, &c);
    p->tree.n_names = keep_names(t, p->tree.n_nodes, &c);
    p->tree.names = c.names;
    p->tree.depth = c.depth;
    p->tree.name = c.name;
    p->tree.type = c.type;
    p->tree.self = c.self;
    p->tree.samples = t->samples != NULL ? c.samples : NULL;
    p->tree.memory = NULL;
    return 0;
}

void prune_free(struct pruned *p)
{
    free(p->memory);
    *p = (struct pruned){0};
}
