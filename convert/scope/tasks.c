/*
 * tasks.c - links the tasks that scopes handed to other threads.
 *
 * A task has the same values as the part of the scope that handed it over. Where spans are made
 * inside the task, or the route of a request is known later, at least their traces are the same.
 */
#include "convert/scope/scopes_internal.h"

#include "jfrfmt/base/array.h"
#include "jfrfmt/base/hash.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

struct link_place { /* a part of a scope whose values some task has */
    uint64_t link;
    int64_t start_ns;
    uint32_t place;
};

/* What a task and the part that handed it over have in common: their type, the value of the key,
 * and the hash of all values. 0: they have no value. */
static uint64_t values_link_of(const struct scope *p)
{
    const uint32_t common[] = {p->link, p->key, p->type};

    return p->link == 0 ? 0 : hash_text(common, sizeof(common));
}

/* The same of their traces. */
static uint64_t trace_link_of(const struct scope *p)
{
    return p->trace == 0 ? 0 : hash_text(&p->trace, sizeof(p->trace));
}

static int by_link(const void *a, const void *b)
{
    const struct link_place *x = a, *y = b;

    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int by_link_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

struct task_links {
    uint64_t *wanted; /* links of tasks, sorted */
    size_t n_wanted;
    struct link_place *places; /* parts of scopes that have one of these, sorted */
    size_t n_places;
};

static bool want_link(struct task_links *l, uint64_t link)
{
    if (link == 0)
        return true;
    if (!array_add(&l->wanted, l->n_wanted, sizeof(*l->wanted)))
        return false;
    l->wanted[l->n_wanted++] = link;
    return true;
}

/* The links of all tasks, sorted. Returns false if out of memory. */
static bool find_task_links(const struct scopes *s, struct task_links *l)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct scope *p = &s->parts[i];

        if ((p->flags & SCOPE_TASK) != 0 &&
            (!want_link(l, values_link_of(p)) || !want_link(l, trace_link_of(p))))
            return false;
    }
    if (l->n_wanted > 0)
        qsort(l->wanted, l->n_wanted, sizeof(*l->wanted), by_link_number);
    return true;
}

static bool keep_link_place(struct task_links *l, const struct scope *p, uint32_t place,
                            uint64_t link)
{
    size_t at = SORTED_FIRST(l->n_wanted, k, l->wanted[k] >= link);

    if (link == 0 || at == l->n_wanted || l->wanted[at] != link)
        return true;
    if (!array_add(&l->places, l->n_places, sizeof(*l->places)))
        return false;
    l->places[l->n_places++] = (struct link_place){link, p->start_ns, place};
    return true;
}

/* The parts of scopes that have one of these links. Returns false if out of memory. */
static bool find_link_places(const struct scopes *s, struct task_links *l)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct scope *p = &s->parts[i];

        if ((s->parts[scopes_head(s, i)].flags & SCOPE_TASK) == 0 &&
            (!keep_link_place(l, p, i, values_link_of(p)) ||
             !keep_link_place(l, p, i, trace_link_of(p))))
            return false;
    }
    if (l->n_places > 0)
        qsort(l->places, l->n_places, sizeof(*l->places), by_link);
    return true;
}

struct found_scope {
    uint32_t head; /* SCOPES_NONE: none */
    size_t n_open; /* scopes with the link that are open when the task begins */
};

/* The scope with a link that handed a task over: the last one that began before it. */
static struct found_scope scope_of_link(const struct scopes *s, const struct scope *task,
                                        uint64_t link, const struct task_links *l)
{
    const struct link_place *all = l->places;
    size_t after = SORTED_FIRST(l->n_places, k,
                                all[k].link > link ||
                                    (all[k].link == link && all[k].start_ns > task->start_ns));
    struct found_scope found = {SCOPES_NONE, 0};
    size_t most = 64; /* that are looked at */

    for (size_t i = link == 0 ? 0 : after; i-- > 0 && all[i].link == link && most-- > 0;) {
        uint32_t head = scopes_head(s, all[i].place);
        bool is_open = s->parts[head].end_ns > task->start_ns;

        if (head == found.head)
            continue;
        found.n_open += is_open;
        if (found.head == SCOPES_NONE || (is_open && found.n_open == 1))
            found.head = head;
    }
    return found;
}

/* Links a task to the scope that handed it over. An open scope is a better answer than one that has
 * ended, and equal values are a better one than equal traces. */
static void link_task(struct scopes *s, uint32_t task, const struct task_links *l)
{
    struct scope *t = &s->parts[task];
    struct found_scope by_values = scope_of_link(s, t, values_link_of(t), l);
    struct found_scope by_trace = scope_of_link(s, t, trace_link_of(t), l);
    bool is_trace_better = by_trace.n_open == 1 || by_values.head == SCOPES_NONE;
    struct found_scope found = by_values.n_open != 1 && is_trace_better ? by_trace : by_values;

    if (found.n_open > 1)
        t->flags |= SCOPE_SHARED;
    if (found.head == SCOPES_NONE || found.n_open > 1)
        s->n_unlinked++;
    else
        t->head = found.head;
}

int scopes_link_tasks(struct scopes *s)
{
    struct task_links l = {0};
    bool good = find_task_links(s, &l) && find_link_places(s, &l);

    for (uint32_t i = 0; good && i < s->n; i++)
        if ((s->parts[i].flags & SCOPE_TASK) != 0)
            link_task(s, i, &l);
    free(l.wanted);
    free(l.places);
    return good ? 0 : JFR_E_NOMEM;
}
