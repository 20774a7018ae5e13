/*
 * tree.c - builds a tree from the sorted rows of a profile.
 *
 * Rows that share the beginning of their path are neighbours, so one pass over the rows makes the
 * nodes in pre-order: a row adds the frames in which its path differs from the row before.
 */
#include "convert/profile/tree_internal.h"

#include "convert/profile/path.h"
#include "convert/profile/stackset.h"
#include "convert/profile/sums.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

/* How many nodes there will be beside the root. Rows come sorted, so a row's new ones are what it
 * does not share with the one before: how much it shares is noted in `leaf`. */
static bool count_nodes(struct tree_columns *c, const struct profile *p, struct path paths[2],
                        size_t *n_nodes, bool *has_samples)
{
    for (size_t i = 0; i < profile_n(p); i++) {
        struct profile_row row = profile_row(p, i);
        struct path *path = &paths[i % 2];

        if (!path_load(path, &row))
            return false;
        c->leaf[i] = path_shared_length(&paths[(i + 1) % 2], path);
        *n_nodes += path->n - c->leaf[i];
        *has_samples |= row.weight != row.samples;
    }
    return true;
}

static bool make_room(struct tree_columns *c, size_t n, bool has_samples)
{
    c->depth = malloc(n * sizeof(*c->depth));
    c->name = malloc(n * sizeof(*c->name));
    c->type = malloc(n * sizeof(*c->type));
    c->self = calloc(n, sizeof(*c->self));
    if (has_samples)
        c->samples = calloc(n, sizeof(*c->samples));
    return c->depth != NULL && c->name != NULL && c->type != NULL && c->self != NULL &&
           (c->samples != NULL || !has_samples);
}

static void put_tree_node(struct tree_columns *c, uint32_t depth, uint32_t frame)
{
    c->depth[c->n] = depth;
    c->name[c->n] = frame_name_id(frame);
    c->type[c->n] = (uint8_t)frame_type(frame);
    c->n++;
}

static bool put_rows(struct tree_columns *c, const struct profile *p, struct path *path)
{
    put_tree_node(c, 0, 0);
    for (size_t i = 0; i < profile_n(p); i++) {
        struct profile_row row = profile_row(p, i);

        if (!path_load(path, &row))
            return false;
        for (uint32_t k = c->leaf[i]; k < path->n; k++)
            put_tree_node(c, k + 1, path->frames[k]);
        c->leaf[i] = (uint32_t)c->n - 1;
        c->self[c->n - 1] = sums_plus(c->self[c->n - 1], row.weight);
        if (c->samples != NULL)
            c->samples[c->n - 1] = sums_plus(c->samples[c->n - 1], row.samples);
    }
    return true;
}

static bool put_nodes(struct tree_columns *c, const struct profile *p)
{
    struct path paths[2] = {{0}};
    bool has_samples = false, ok;
    size_t n_nodes = 1;

    c->leaf = malloc((profile_n(p) + 1) * sizeof(*c->leaf));
    ok = c->leaf != NULL && count_nodes(c, p, paths, &n_nodes, &has_samples) &&
         make_room(c, n_nodes, has_samples) && put_rows(c, p, &paths[0]);
    path_free(&paths[0]);
    path_free(&paths[1]);
    return ok;
}

/* Names of the nodes only: those of other kinds and of stacks that were not wanted stay out. */
static bool put_names(struct tree_columns *c, const struct profile *p)
{
    uint32_t *map = calloc(profile_n_names(p) + 1, sizeof(*map));

    for (size_t i = 0; i < c->n && map != NULL; i++)
        map[c->name[i]] = 1;
    c->names = calloc(profile_n_names(p) + 1, sizeof(*c->names));
    for (uint32_t i = 0; i < profile_n_names(p) && map != NULL && c->names != NULL; i++) {
        size_t len;

        if (map[i] == 0)
            continue;
        c->names[c->n_names].text = profile_name(p, i, &len);
        c->names[c->n_names].n = (uint32_t)len;
        map[i] = (uint32_t)c->n_names++;
    }
    for (size_t i = 0; i < c->n && map != NULL; i++)
        c->name[i] = map[c->name[i]];
    free(map);
    return c->n_names > 0;
}

int profile_tree(const struct profile *p, struct tree *tree)
{
    struct tree_columns *c = calloc(1, sizeof(*c));

    *tree = (struct tree){.memory = c};
    if (c == NULL || !put_nodes(c, p) || !put_names(c, p)) {
        tree_free(tree);
        return JFR_E_NOMEM;
    }
    tree_open(tree, c);
    tree->leaf = c->leaf;
    tree->total = profile_facts(p).weight;
    tree->n_samples = profile_facts(p).samples;
    return 0;
}

void tree_open(struct tree *tree, const struct tree_columns *c)
{
    tree->n_names = c->n_names;
    tree->names = c->names;
    tree->n_nodes = c->n;
    tree->depth = c->depth;
    tree->name = c->name;
    tree->type = c->type;
    tree->self = c->self;
    tree->samples = c->samples;
}

void tree_free(struct tree *t)
{
    struct tree_columns *c = t->memory;

    if (c != NULL) {
        intern_free(&c->texts);
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
