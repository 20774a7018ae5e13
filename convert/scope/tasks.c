/*
 * tasks.c - links the tasks that scopes handed to other threads.
 *
 * A task has the same values as the part of the scope that handed it over, so both have the same
 * link.
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
static uint64_t task_link_of(const struct scope *p)
{
    const uint32_t common[] = {p->link, p->key, p->type};

    return p->link == 0 ? 0 : hash_text(common, sizeof(common));
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

/* The values of all tasks, sorted. Returns false if out of memory. */
static bool find_task_links(const struct scopes *s, uint64_t **links, size_t *n)
{
    for (size_t i = 0; i < s->n; i++) {
        if ((s->parts[i].flags & SCOPE_TASK) == 0 || task_link_of(&s->parts[i]) == 0)
            continue;
        if (!array_add(links, *n, sizeof(**links)))
            return false;
        (*links)[(*n)++] = task_link_of(&s->parts[i]);
    }
    if (*n > 0)
        qsort(*links, *n, sizeof(**links), by_link_number);
    return true;
}

/* The parts of scopes that have one of these values. Returns false if out of memory. */
static bool find_link_places(const struct scopes *s, const uint64_t *links, size_t n_links,
                             struct link_place **all, size_t *n)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct scope *p = &s->parts[i];
        uint64_t link = task_link_of(p);
        size_t at;

        if ((s->parts[scopes_head(s, i)].flags & SCOPE_TASK) != 0 || link == 0)
            continue;
        at = SORTED_FIRST(n_links, k, links[k] >= link);
        if (at == n_links || links[at] != link)
            continue;
        if (!array_add(all, *n, sizeof(**all)))
            return false;
        (*all)[(*n)++] = (struct link_place){link, p->start_ns, i};
    }
    if (*n > 0)
        qsort(*all, *n, sizeof(**all), by_link);
    return true;
}

/* Links a task to the scope that handed it over: the last one with its values that began before. */
static void link_task(struct scopes *s, uint32_t task, const struct link_place *all, size_t n)
{
    struct scope *t = &s->parts[task];
    uint64_t link = task_link_of(t);
    size_t after = SORTED_FIRST(
        n, k, all[k].link > link || (all[k].link == link && all[k].start_ns > t->start_ns));
    uint32_t chosen = SCOPES_NONE;
    size_t n_open = 0, most = 64; /* that are looked at */

    for (size_t i = after; i-- > 0 && all[i].link == link && most-- > 0;) {
        uint32_t head = scopes_head(s, all[i].place);
        bool is_open = s->parts[head].end_ns > t->start_ns;

        if (head == chosen)
            continue;
        n_open += is_open;
        if (chosen == SCOPES_NONE || (is_open && n_open == 1))
            chosen = head;
    }
    if (n_open > 1)
        t->flags |= SCOPE_SHARED;
    if (chosen == SCOPES_NONE || n_open > 1)
        s->n_unlinked++;
    else
        t->head = chosen;
}

int scopes_link_tasks(struct scopes *s)
{
    struct link_place *all = NULL;
    uint64_t *links = NULL;
    size_t n_links = 0, n = 0;
    bool good =
        find_task_links(s, &links, &n_links) && find_link_places(s, links, n_links, &all, &n);

    for (uint32_t i = 0; good && i < s->n; i++)
        if ((s->parts[i].flags & SCOPE_TASK) != 0)
            link_task(s, i, all, n);
    free(all);
    free(links);
    return good ? 0 : JFR_E_NOMEM;
}
