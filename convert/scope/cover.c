/*
 * cover.c - at which times a chosen scope is open on a thread: intervals that do not overlap, in
 * one array sorted by thread and time.
 */
#include "convert/scope/scopes_internal.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

struct open_time {
    int64_t start_ns, end_ns;
    uint32_t thread;
};

struct scope_cover {
    struct open_time *times;
    size_t n;
};

void scope_cover_free(struct scope_cover *cover)
{
    if (cover == NULL)
        return;
    free(cover->times);
    free(cover);
}

int scopes_cover(struct scopes *s)
{
    struct scope_cover *c = calloc(1, sizeof(*c));

    scope_cover_free(s->cover);
    s->cover = c;
    for (uint32_t i = 0; c != NULL && i < s->n; i++) {
        const struct scope *p = &s->parts[i];
        bool is_first = p->head == i || (p->flags & SCOPE_TASK) != 0;
        struct open_time *last = c->n == 0 ? NULL : &c->times[c->n - 1];

        if (!is_first || (s->parts[scopes_head(s, i)].flags & SCOPE_MARKED) == 0)
            continue;
        if (last != NULL && last->thread == p->thread && p->start_ns <= last->end_ns) {
            last->end_ns = p->end_ns > last->end_ns ? p->end_ns : last->end_ns;
            continue;
        }
        if (!array_add(&c->times, c->n, sizeof(*c->times)))
            return JFR_E_NOMEM;
        c->times[c->n++] = (struct open_time){p->start_ns, p->end_ns, p->thread};
    }
    return c == NULL ? JFR_E_NOMEM : 0;
}

bool scopes_covers(const struct scopes *s, uint32_t thread, int64_t ns)
{
    const struct open_time *t = s->cover->times;
    size_t after = SORTED_FIRST(
        s->cover->n, i, t[i].thread > thread || (t[i].thread == thread && t[i].start_ns > ns));

    return after > 0 && t[after - 1].thread == thread && ns < t[after - 1].end_ns;
}
