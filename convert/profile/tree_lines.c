/*
 * tree_lines.c - builds a tree from lines of collapsed stacks ("main;run;read 12"), for
 * flame --from-stacks.
 *
 * In: a text. Out: a tree with the layout of tree.h, or the number of the line that is malformed.
 * Nodes are added as lines come, then sorted by name and put in the order in which a walk finds
 * them.
 */
#include "convert/profile/tree_internal.h"

#include "convert/profile/sums.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/error.h"

#include <stdlib.h>

struct branch { /* a node, in the order in which they were met */
    uint32_t parent, name;
    uint64_t self;
};

struct growth {
    struct intern names;
    struct intern places; /* parent and name of each node but the root, in their order */
    struct branch *nodes; /* the root first */
    size_t n, room;
};

static bool grow_node(struct growth *g, uint32_t parent, uint32_t name)
{
    if (!array_reserve(&g->nodes, &g->room, g->n + 1, sizeof(*g->nodes)))
        return false;
    g->nodes[g->n++] = (struct branch){parent, name, 0};
    return true;
}

/* The child of this name; UINT32_MAX: memory is exhausted. */
static uint32_t branch_to(struct growth *g, uint32_t parent, const char *name, size_t n)
{
    uint32_t place[2] = {parent, intern_add(&g->names, name, n)}, i;

    if (place[1] == INTERN_FAILED)
        return UINT32_MAX;
    i = intern_add(&g->places, place, sizeof(place));
    if (i == INTERN_FAILED || (i + 1 == g->n && !grow_node(g, parent, place[1])))
        return UINT32_MAX;
    return i + 1;
}

/* Reads the weight, which follows the last tab of a line, or the last blank if there is no tab.
 * *end is where that tab or blank is. */
static bool read_weight(const char *line, size_t n, uint64_t *weight, size_t *end)
{
    const char *at = memrchr(line, '\t', n);
    size_t i, digits = 0;

    at = at == NULL ? memrchr(line, ' ', n) : at;
    if (at == NULL || at == line)
        return false;
    *end = (size_t)(at - line);
    *weight = 0;
    for (i = *end + 1; i < n && line[i] >= '0' && line[i] <= '9'; i++, digits++)
        if (__builtin_mul_overflow(*weight, 10, weight) ||
            __builtin_add_overflow(*weight, (uint64_t)(line[i] - '0'), weight))
            return false;
    if (i < n && line[i] == '.')
        for (i++; i < n && line[i] >= '0' && line[i] <= '9'; i++) {
        }
    return digits > 0 && i == n;
}

/* 0, JFR_E_NOMEM or JFR_E_FORMAT. */
static int take_line(struct growth *g, const char *line, size_t n)
{
    uint64_t weight;
    uint32_t node = 0;
    size_t end;

    if (n > 0 && line[n - 1] == '\r')
        n--;
    if (n == 0)
        return 0;
    if (!read_weight(line, n, &weight, &end))
        return JFR_E_FORMAT;
    for (size_t at = 0, length; at <= end; at += length + 1) {
        const char *semicolon = memchr(line + at, ';', end - at);

        length = semicolon == NULL ? end - at : (size_t)(semicolon - (line + at));
        if (length > 0 && (node = branch_to(g, node, line + at, length)) == UINT32_MAX)
            return JFR_E_NOMEM;
    }
    g->nodes[node].self = sums_plus(g->nodes[node].self, weight);
    return 0;
}

/* --- in order --- */

static int by_name_text(const void *a, const void *b)
{
    const struct tree_name *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);

    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* Names by their texts, and for each number that a name had its new one in `rank`. The root has
 * none. */
static bool sort_names(struct growth *g, struct tree_columns *c, uint32_t *rank)
{
    size_t n = intern_n(&g->names);

    c->names = calloc(n + 1, sizeof(*c->names));
    if (c->names == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t length;

        c->names[i].text = intern_get(&g->names, (uint32_t)i, &length);
        c->names[i].n = (uint32_t)length;
    }
    qsort(c->names, n, sizeof(*c->names), by_name_text);
    c->n_names = n;
    for (size_t i = 0; i < n; i++)
        rank[intern_find(&g->names, c->names[i].text, c->names[i].n)] = (uint32_t)i;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

struct order { /* nodes by parent, then by name */
    uint32_t *first; /* of each node its first child among `children`; one more at the end */
    uint32_t *children;
};

static bool sort_children(const struct growth *g, const uint32_t *rank, struct order *to)
{
    uint64_t *keys = malloc(g->n * sizeof(*keys));
    uint32_t *at = calloc(g->n + 1, sizeof(*at));

    to->first = calloc(g->n + 1, sizeof(*to->first));
    to->children = malloc(g->n * sizeof(*to->children));
    for (size_t i = 1; i < g->n && to->first != NULL; i++)
        to->first[g->nodes[i].parent + 1]++;
    for (size_t i = 0; i < g->n && to->first != NULL; i++)
        to->first[i + 1] += to->first[i];
    if (keys == NULL || at == NULL || to->first == NULL || to->children == NULL) {
        free(keys);
        free(at);
        return false;
    }
    memcpy(at, to->first, g->n * sizeof(*at));
    for (size_t i = 1; i < g->n; i++)
        keys[at[g->nodes[i].parent]++] = (uint64_t)rank[g->nodes[i].name] << 32 | i;
    for (size_t i = 0; i < g->n; i++) {
        qsort(keys + to->first[i], to->first[i + 1] - to->first[i], sizeof(*keys), by_number);
        for (size_t k = to->first[i]; k < to->first[i + 1]; k++)
            to->children[k] = (uint32_t)keys[k];
    }
    free(keys);
    free(at);
    return true;
}

static bool make_columns(struct tree_columns *c, size_t n)
{
    c->depth = calloc(n, sizeof(*c->depth));
    c->name = calloc(n, sizeof(*c->name));
    c->type = calloc(n, sizeof(*c->type));
    c->self = calloc(n, sizeof(*c->self));
    return c->depth != NULL && c->name != NULL && c->type != NULL && c->self != NULL;
}

/* Nodes in pre-order. `now` and `next` have room for one more than the deepest node. */
static void walk_nodes(const struct growth *g, const struct order *order, const uint32_t *rank,
                       struct tree_columns *c, uint32_t *now, uint32_t *next)
{
    size_t depth = 0;

    now[0] = 0;
    next[0] = order->first[0];
    c->self[c->n++] = g->nodes[0].self;
    for (;;) {
        if (next[depth] == order->first[now[depth] + 1]) {
            if (depth-- == 0)
                return;
            continue;
        }
        now[depth + 1] = order->children[next[depth]++];
        depth++;
        next[depth] = order->first[now[depth]];
        c->depth[c->n] = (uint32_t)depth;
        c->name[c->n] = rank[g->nodes[now[depth]].name];
        c->self[c->n++] = g->nodes[now[depth]].self;
    }
}

static bool put_in_order(struct growth *g, struct tree_columns *c)
{
    uint32_t *rank = calloc(intern_n(&g->names) + 1, sizeof(*rank));
    uint32_t *now = malloc((g->n + 1) * sizeof(*now)), *next = malloc((g->n + 1) * sizeof(*next));
    struct order order = {0};
    bool ok = rank != NULL && now != NULL && next != NULL && sort_names(g, c, rank) &&
              sort_children(g, rank, &order) && make_columns(c, g->n);

    if (ok)
        walk_nodes(g, &order, rank, c, now, next);
    free(rank);
    free(now);
    free(next);
    free(order.first);
    free(order.children);
    return ok;
}

static int take_lines(struct growth *g, const char *text, size_t n, size_t *line)
{
    bool has_root =
        intern_add(&g->names, "", 0) == 0 && grow_node(g, 0, 0); /* whose name is empty */
    int rc = has_root ? 0 : JFR_E_NOMEM;

    *line = 0;
    for (size_t at = 0, length; at < n && rc == 0; at += length + 1) {
        const char *end = memchr(text + at, '\n', n - at);

        length = end == NULL ? n - at : (size_t)(end - (text + at));
        ++*line;
        rc = take_line(g, text + at, length);
    }
    return rc;
}

int tree_of_lines(const char *text, size_t n, struct tree *tree, size_t *line)
{
    struct tree_columns *c = calloc(1, sizeof(*c));
    struct growth g = {0};
    int rc = take_lines(&g, text, n, line);

    *tree = (struct tree){.memory = c};
    if (rc == 0 && (c == NULL || !put_in_order(&g, c)))
        rc = JFR_E_NOMEM;
    if (rc == 0) {
        c->texts = g.names;
        g.names = (struct intern){0};
        tree_open(tree, c);
        for (size_t i = 0; i < c->n; i++)
            tree->total = sums_plus(tree->total, c->self[i]);
        tree->n_samples = tree->total;
    } else {
        tree_free(tree);
    }
    intern_free(&g.names);
    intern_free(&g.places);
    free(g.nodes);
    return rc;
}
