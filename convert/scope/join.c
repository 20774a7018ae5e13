/*
 * join.c - joins the parts of each scope.
 *
 * All parts of a thread are walked in the order of their starts, with the scopes that are open:
 *
 *     part 1 [------)            a continuation joins the open scope of its type that ends where it
 *     part 2        [-----)      starts; of several the outer one, since recorders write it first
 *       inner         [--)       is a scope of its own
 */
#include "convert/scope/scopes_internal.h"

#include <stdlib.h>

#define OPEN_MOST 32 /* scopes around one another; the outer ones beyond that are forgotten */

struct open_scopes {
    uint32_t heads[OPEN_MOST]; /* outer ones first */
    size_t n;
};

/* Until they are joined `head` holds the order in which parts were read. */
static int by_thread_and_time(const void *a, const void *b)
{
    const struct scope *x = a, *y = b;
    bool is_part = (x->flags & y->flags & SCOPE_CONTINUES) != 0;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (((x->flags ^ y->flags) & SCOPE_CONTINUES) != 0) /* what began before is around the rest */
        return (x->flags & SCOPE_CONTINUES) != 0 ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    if (x->head == y->head)
        return 0;
    /* Of parts the outer one is written first, of whole scopes the inner one, which ends first. */
    return (x->head < y->head) == is_part ? -1 : 1;
}

/* Brings the parts of each thread together, in place: a part is exchanged for the one that is where
 * it belongs, until each is. starts: where those of each thread begin; `next` becomes where they
 * end. */
static void group_by_thread(struct scopes *s, const size_t *starts, size_t *next, size_t n_threads)
{
    for (size_t t = 0; t < n_threads; t++)
        while (next[t] < starts[t + 1]) {
            struct scope *p = &s->parts[next[t]], other;
            size_t to = p->thread;

            if (to == t) {
                next[t]++;
                continue;
            }
            other = s->parts[next[to]];
            s->parts[next[to]++] = *p;
            *p = other;
        }
}

/* Sorts the parts thread by thread, since a sort of all of them would need as much memory again.
 * Returns false if out of memory. */
static bool sort_parts(struct scopes *s)
{
    size_t n = intern_n(&s->threads);
    size_t *starts = calloc(n + 2, sizeof(*starts)), *next = calloc(n + 1, sizeof(*next));
    bool good = starts != NULL && next != NULL;

    for (size_t i = 0; good && i < s->n; i++)
        starts[s->parts[i].thread + 1]++;
    for (size_t t = 0; good && t < n; t++) {
        starts[t + 1] += starts[t];
        next[t] = starts[t];
    }
    if (good)
        group_by_thread(s, starts, next, n);
    for (size_t t = 0; good && t < n; t++)
        if (starts[t + 1] > starts[t])
            qsort(s->parts + starts[t], starts[t + 1] - starts[t], sizeof(*s->parts),
                  by_thread_and_time);
    free(starts);
    free(next);
    return good;
}

static void close_scopes(const struct scopes *s, struct open_scopes *open, const struct scope *next)
{
    size_t kept = 0;

    for (size_t i = 0; i < open->n; i++) {
        const struct scope *o = &s->parts[open->heads[i]];
        bool may_continue = o->end_ns == next->start_ns && (next->flags & SCOPE_CONTINUES) != 0;

        if (o->thread == next->thread && (o->end_ns > next->start_ns || may_continue))
            open->heads[kept++] = open->heads[i];
    }
    open->n = kept;
}

/* The open scope that a part continues; NULL if there is none. */
static struct scope *continued_scope(struct scopes *s, const struct open_scopes *open,
                                     const struct scope *part)
{
    for (size_t i = 0; i < open->n; i++) {
        struct scope *o = &s->parts[open->heads[i]];

        if (o->type == part->type && o->end_ns == part->start_ns)
            return o;
    }
    return NULL;
}

static void begin_scope(struct scopes *s, struct open_scopes *open, uint32_t place)
{
    struct scope *p = &s->parts[place];

    p->head = place;
    if ((p->flags & SCOPE_CONTINUES) != 0)
        p->flags |= SCOPE_TASK;
    if (open->n == OPEN_MOST)
        memmove(open->heads, open->heads + 1, --open->n * sizeof(open->heads[0]));
    open->heads[open->n++] = place;
}

static void join_parts(struct scopes *s)
{
    struct open_scopes open = {.n = 0};

    for (uint32_t i = 0; i < s->n; i++) {
        struct scope *p = &s->parts[i], *before = NULL;

        close_scopes(s, &open, p);
        if ((p->flags & SCOPE_CONTINUES) != 0)
            before = continued_scope(s, &open, p);
        if (before == NULL) {
            begin_scope(s, &open, i);
            s->n_tasks += (p->flags & SCOPE_TASK) != 0;
            s->n_scopes += (p->flags & SCOPE_TASK) == 0;
            continue;
        }
        p->head = (uint32_t)(before - s->parts);
        before->end_ns = p->end_ns;
    }
}

/* A scope has the first key that any of its parts has. Tasks are linked before, since they have the
 * values of one part. */
static void inherit_keys(struct scopes *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct scope *p = &s->parts[i];
        struct scope *head = &s->parts[p->head];

        if (p->key == 0 || (head->key != 0 && p->key_rank >= head->key_rank))
            continue;
        head->key = p->key;
        head->key_rank = p->key_rank;
    }
}

int scopes_join(struct scopes *s)
{
    int rc = 0;

    if (s->n == 0)
        return 0;
    if (!sort_parts(s))
        return JFR_E_NOMEM;
    join_parts(s);
    if (s->n_tasks > 0)
        rc = scopes_link_tasks(s);
    inherit_keys(s);
    return rc;
}
