/*
 * flame_testing.h - stack trees for tests, built from rows in pre-order.
 *
 *     struct rows r = {0};
 *     add_row(&r, 0, NAME(""), FRAME_ROOT, 0);
 *     add_row(&r, 1, NAME("main"), FRAME_JIT, 7);
 *     struct built b = build(&r, false);             b.t is the tree
 */
#ifndef CONVERT_TEST_FLAME_TESTING_H
#define CONVERT_TEST_FLAME_TESTING_H

#include "convert/profile/tree.h"
#include "jfrfmt/test/testing.h"

#include <stdbool.h>
#include <stdlib.h>

struct row {
    uint32_t depth;
    struct tree_name name;
    uint8_t type;
    uint64_t self, samples;
};

struct rows {
    struct row *p;
    size_t n, room;
};

#define NAME(literal) ((struct tree_name){literal, sizeof(literal) - 1})

static inline void add_row(struct rows *r, uint32_t depth, struct tree_name name, uint8_t type,
                           uint64_t self)
{
    if (r->n == r->room) {
        r->room = r->room > 0 ? r->room * 2 : 64;
        r->p = realloc(r->p, r->room * sizeof(*r->p));
        assert_non_null(r->p);
    }
    r->p[r->n++] = (struct row){depth, name, type, self, self * 3 + 1};
}

static inline int by_bytes(const void *a, const void *b)
{
    const struct tree_name *x = a, *y = b;
    int c = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);

    return c != 0 ? c : (x->n > y->n) - (x->n < y->n);
}

/* A tree whose arrays can be changed. */
struct built {
    struct tree t;
    struct tree_name *names;
    uint32_t *depth, *name;
    uint8_t *type;
    uint64_t *self, *samples;
};

/* `samples` are 3 * self + 1, or left out. */
static inline struct built build(const struct rows *r, bool with_samples)
{
    struct built b = {.t = {.n_nodes = r->n}};
    size_t n = 0;

    b.names = calloc(r->n, sizeof(*b.names));
    b.depth = calloc(r->n, sizeof(*b.depth));
    b.name = calloc(r->n, sizeof(*b.name));
    b.type = calloc(r->n, 1);
    b.self = calloc(r->n, sizeof(*b.self));
    b.samples = calloc(r->n, sizeof(*b.samples));
    for (size_t i = 0; i < r->n; i++)
        b.names[i] = r->p[i].name;
    qsort(b.names, r->n, sizeof(*b.names), by_bytes);
    for (size_t i = 0; i < r->n; i++)
        if (n == 0 || by_bytes(&b.names[n - 1], &b.names[i]) != 0)
            b.names[n++] = b.names[i];
    for (size_t i = 0; i < r->n; i++) {
        const struct tree_name *found =
            bsearch(&r->p[i].name, b.names, n, sizeof(*b.names), by_bytes);
        b.depth[i] = r->p[i].depth;
        b.name[i] = (uint32_t)(found - b.names);
        b.type[i] = r->p[i].type;
        b.t.total += b.self[i] = r->p[i].self;
        b.t.n_samples += b.samples[i] = r->p[i].samples;
    }
    b.t.n_names = n;
    b.t.names = b.names;
    b.t.depth = b.depth;
    b.t.name = b.name;
    b.t.type = b.type;
    b.t.self = b.self;
    b.t.samples = with_samples ? b.samples : NULL;
    return b;
}

static inline void built_free(struct built *b)
{
    free(b->names);
    free(b->depth);
    free(b->name);
    free(b->type);
    free(b->self);
    free(b->samples);
}

#endif
