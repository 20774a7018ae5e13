/*
 * waterfall.c - what happened in the scopes that are listed one by one, for a picture of each: the
 * stretches of its time line, the waits of its tasks, and the samples.
 */
#include "convert/slow/timeline.h"

#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

#define LINES_MOST 3000 /* of a scope; a picture has room for no more */

/* --- of a chunk --- */

static uint32_t where_of_piece(struct slow_worker *w, const struct piece *p)
{
    const char *where = slow_stacks_where(&w->stacks, p->stack);
    uint32_t i = *where == '\0' ? INTERN_FAILED : intern_add(&w->texts, where, strlen(where));

    return i == INTERN_FAILED ? 0 : i + 1;
}

static void keep_line(struct slow_worker *w, const struct slow_scope *scope, const struct piece *p,
                      int64_t start_ns, int64_t end_ns)
{
    const struct kept_line line = {.rank = scope->rank,
                                   .is_task = p->is_task,
                                   .is_cpu = p->kind == SLOW_EVENT_CPU,
                                   .part = (uint8_t)p->part,
                                   .start_ns = start_ns,
                                   .end_ns = end_ns,
                                   .thread = p->thread,
                                   .name = p->thread_name,
                                   .what = p->what,
                                   .where = where_of_piece(w, p)};

    buf_bytes(&w->lines, &line, sizeof(line));
}

void waterfall_keep(struct slow_worker *w, const struct slow_scope *scope, const struct piece *p,
                    size_t n_own, size_t n)
{
    const struct stretch *t = (const void *)w->stretches.p;
    size_t n_stretches = w->stretches.n / sizeof(*t), kept = 0;

    for (size_t i = 0; i < n_stretches && kept < LINES_MOST; i++, kept++)
        keep_line(w, scope, t[i].of, t[i].start_ns, t[i].end_ns);
    for (size_t i = 0; i < n && kept < LINES_MOST; i++)
        if (p[i].kind == SLOW_EVENT_CPU || p[i].kind == SLOW_EVENT_WALL ||
            (i >= n_own && p[i].kind == SLOW_EVENT_WAIT)) {
            keep_line(w, scope, &p[i], p[i].start_ns, p[i].end_ns);
            kept++;
        }
    w->has_too_many_lines |= kept == LINES_MOST;
}

/* --- of all --- */

/* The number that a text of a worker has for all, + 1. False if out of memory. */
static bool merge_line_text(struct slow *s, const struct slow_worker *w, uint32_t *text)
{
    size_t n;
    const char *p = *text == 0 ? NULL : intern_get(&w->texts, *text - 1, &n);
    uint32_t i = p == NULL ? 0 : intern_add(&s->line_texts, p, n);

    *text = p == NULL ? 0 : i + 1;
    return i != INTERN_FAILED;
}

bool waterfall_merge(struct slow *s, const struct slow_worker *w)
{
    const struct kept_line *from = (const void *)w->lines.p;

    for (size_t i = 0; i < w->lines.n / sizeof(*from); i++) {
        struct kept_line line = from[i];
        struct slow_scope *c = &s->chosen[s->slowest[line.rank - 1]];

        if (c->n_lines == LINES_MOST) {
            s->facts.has_too_many_lines = true;
            continue;
        }
        c->n_lines++;
        if (!merge_line_text(s, w, &line.name) || !merge_line_text(s, w, &line.what) ||
            !merge_line_text(s, w, &line.where))
            return false;
        buf_bytes(&s->lines, &line, sizeof(line));
    }
    return buf_ok(&s->lines);
}

static int by_line(const void *a, const void *b)
{
    const struct kept_line *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->is_task != y->is_task)
        return x->is_task ? 1 : -1;
    if (x->is_task && x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->is_cpu - y->is_cpu;
}

void slow_sort_lines(struct slow *s)
{
    size_t n = s->lines.n / sizeof(struct kept_line);

    if (n > 0)
        qsort(s->lines.p, n, sizeof(struct kept_line), by_line);
}

static const char *line_text(const struct slow *s, uint32_t text)
{
    return text == 0 ? "" : intern_get(&s->line_texts, text - 1, NULL);
}

bool slow_line(const struct slow *s, size_t i, size_t k, struct slow_line *line)
{
    const struct kept_line *l = (const void *)s->lines.p;
    size_t n = s->lines.n / sizeof(*l), first = SORTED_FIRST(n, at, l[at].rank > i);

    if (k >= n - first || l[first + k].rank != i + 1)
        return false;
    l += first + k;
    *line = (struct slow_line){.start_ns = l->start_ns,
                               .end_ns = l->end_ns,
                               .thread = l->thread,
                               .name = line_text(s, l->name),
                               .is_task = l->is_task,
                               .is_cpu = l->is_cpu,
                               .part = (enum slow_part)l->part,
                               .what = line_text(s, l->what),
                               .where = line_text(s, l->where)};
    return true;
}

bool slow_next_task(const struct slow *s, size_t i, size_t *at, struct slow_task *task)
{
    while (*at < s->n_intervals) {
        const struct slow_interval *v = &s->intervals[(*at)++];

        if (!v->is_task || v->scope != s->slowest[i])
            continue;
        *task = (struct slow_task){v->thread, v->start_ns, v->end_ns};
        return true;
    }
    return false;
}
