/*
 * span.c - events that are contexts of others: which tuple holds on a thread at a time.
 *
 * A recorder may write no context on its samples but events that last, such as a request with its
 * user. Spans are read first and joined by thread into segments: from each start or end on, the
 * values of the spans that are open then, the inner ones over the outer ones.
 *
 *     span A  user=alice  [---------------------)
 *     span B  action=pay         [-----)
 *     segments            | alice | alice, pay | alice |
 *
 * context.c then finds the segment of an event by thread and time. Spans may be nested wrongly or
 * continue in the next chunk (carried.c).
 */
#include "convert/context/internal.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

int context_add_span(struct context_run *r, const struct context_span *span)
{
    struct context_span s = *span;

    if (s.tuple == CONTEXT_NONE)
        return JFR_E_NOMEM;
    s.number = (uint32_t)context_n_spans(r);
    if (s.tuple != 0 && s.end_ns > s.start_ns)
        buf_bytes(&r->spans, &s, sizeof(s));
    return buf_ok(&r->spans) ? 0 : JFR_E_NOMEM;
}

static int read_span(struct context_run *r, const struct context_class *k,
                     const struct jfr_event *ev)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(r->chunk);
    union jfr_value v[CONTEXT_FIELDS + CONTEXT_ATTRIBUTES];
    uint32_t values[CONTEXT_ATTRIBUTES] = {0};
    const uint8_t *where = NULL;
    int64_t start, end;
    int code;

    if (k->plan == NULL)
        return 0;
    if (jfr_plan_run(k->plan, ev->body, v, &where) != 0) {
        jfr_chunk_damaged(r->chunk, ev, where, "the event ends inside a value");
        return 0;
    }
    start = v[CONTEXT_START].i;
    if (v[CONTEXT_DURATION].i <= 0 || __builtin_add_overflow(start, v[CONTEXT_DURATION].i, &end))
        return 0;
    code = context_own_values(r, k, v, ev->body.end, values);
    if (code != 0)
        return code == JFR_E_NOMEM ? code : 0;
    return context_add_span(
        r, &(struct context_span){.thread = v[CONTEXT_THREAD].key,
                                  .start_ns = jfr_epoch_ns(h, start),
                                  .end_ns = jfr_epoch_ns(h, end),
                                  .tuple = context_tuple(r, values),
                                  .is_continuation = v[CONTEXT_CONTINUATION].i != 0,
                                  .cls = (uint32_t)k->cls->index});
}

int context_read_spans(struct context_run *r)
{
    size_t n = jfr_chunk_metadata(r->chunk)->n_classes;
    bool *wanted = arena_array(jfr_chunk_arena(r->chunk), n, sizeof(*wanted));
    struct jfr_event ev;
    int code = 0;

    if (wanted == NULL)
        return JFR_E_NOMEM;
    for (size_t i = 0; i < n; i++)
        wanted[i] = r->classes[i].is_span;
    jfr_chunk_rewind(r->chunk);
    while (code == 0 && jfr_chunk_next_of(r->chunk, wanted, &ev) > 0) {
        r->has_span_events = true;
        code = read_span(r, &r->classes[ev.type->index], &ev);
    }
    jfr_chunk_rewind(r->chunk);
    return code;
}

static int by_thread_and_start(const void *a, const void *b)
{
    const struct context_span *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1; /* the outer one first */
    if (x->is_continuation &&
        y->is_continuation) /* parts of one chunk, the outer one written first */
        return x->number < y->number ? -1 : x->number > y->number;
    return x->number > y->number ? -1 : x->number < y->number; /* it was written later */
}

/* The spans that are open at a time, outermost first. */
struct open_spans {
    const struct context_span *items[CONTEXT_DEPTH];
    size_t n;
};

static int put_segment(struct context_run *r, const struct open_spans *open, size_t first,
                       int64_t start_ns)
{
    uint32_t values[CONTEXT_ATTRIBUTES] = {0}, own[CONTEXT_ATTRIBUTES];
    struct context_segment s = {.start_ns = start_ns}, *last;
    size_t n = r->segments.n / sizeof(s);

    for (size_t i = 0; i < open->n; i++) {
        context_values(r, open->items[i]->tuple, own);
        for (size_t k = 0; k < r->n_places; k++)
            if (own[k] != 0)
                values[k] = own[k];
    }
    s.tuple = context_tuple(r, values);
    if (s.tuple == CONTEXT_NONE)
        return JFR_E_NOMEM;
    last = n > first ? (struct context_segment *)(void *)r->segments.p + n - 1 : NULL;
    if (last != NULL && last->start_ns == start_ns)
        last->tuple = s.tuple;
    else
        buf_bytes(&r->segments, &s, sizeof(s));
    return buf_ok(&r->segments) ? 0 : JFR_E_NOMEM;
}

/* Closes the spans that end at or before a time, in the order of their ends. After each one a
 * segment begins, with the values of those that are still open. */
static int close_until(struct context_run *r, struct open_spans *open, size_t first, int64_t ns)
{
    int code = 0;

    while (open->n > 0 && code == 0) {
        int64_t end_ns = INT64_MAX;
        size_t at = 0;

        for (size_t i = 0; i < open->n; i++)
            if (open->items[i]->end_ns <= end_ns) {
                end_ns = open->items[i]->end_ns;
                at = i;
            }
        if (end_ns > ns)
            break;
        open->n--;
        memmove(&open->items[at], &open->items[at + 1], (open->n - at) * sizeof(open->items[0]));
        code = put_segment(r, open, first, end_ns);
    }
    return code;
}

/* Finds the open span of which `s` is the next part: same type, and it ends where `s` begins.
 * Returns open->n if there is none. */
static size_t part_before(const struct open_spans *open, const struct context_span *s)
{
    size_t at = 0;

    if (!s->is_continuation)
        return open->n;
    while (at < open->n &&
           (open->items[at]->cls != s->cls || open->items[at]->end_ns != s->start_ns))
        at++;
    return at;
}

/* Opens a span. A span that continues from an earlier chunk has begun before all spans that begin
 * in this chunk, so it is placed below them; other spans are placed on top. */
static void open_span(struct open_spans *open, const struct context_span *s)
{
    size_t at = open->n;

    if (open->n == CONTEXT_DEPTH)
        memmove(&open->items[0], &open->items[1], --at * sizeof(open->items[0]));
    open->n = at + 1;
    if (s->is_continuation)
        for (at = 0; at < open->n - 1 && open->items[at]->is_continuation; at++)
            ;
    memmove(&open->items[at + 1], &open->items[at], (open->n - 1 - at) * sizeof(open->items[0]));
    open->items[at] = s;
}

static int make_segments(struct context_run *r, const struct context_span *spans, size_t n)
{
    struct context_thread t = {.thread = spans[0].thread,
                               .first = r->segments.n / sizeof(struct context_segment)};
    struct open_spans open = {.n = 0};
    int code = 0;

    for (size_t i = 0; i < n && code == 0; i++) {
        size_t at;
        bool goes_on;

        code = close_until(r, &open, t.first, spans[i].start_ns - 1);
        at = part_before(&open, &spans[i]);
        goes_on = at < open.n;
        if (goes_on)
            open.items[at] = &spans[i];
        if (code == 0)
            code = close_until(r, &open, t.first, spans[i].start_ns);
        if (!goes_on)
            open_span(&open, &spans[i]);
        if (code == 0)
            code = put_segment(r, &open, t.first, spans[i].start_ns);
    }
    if (code == 0)
        code = close_until(r, &open, t.first, INT64_MAX);
    t.n = r->segments.n / sizeof(struct context_segment) - t.first;
    buf_bytes(&r->threads, &t, sizeof(t));
    return code != 0 || buf_ok(&r->threads) ? code : JFR_E_NOMEM;
}

int context_join_spans(struct context_run *r)
{
    const struct context_span *spans;
    size_t n = context_n_spans(r), from = 0;
    int code = 0;

    if (n == 0)
        return 0;
    qsort(r->spans.p, n, sizeof(*spans), by_thread_and_start);
    spans = context_spans(r);
    for (size_t i = 1; i <= n && code == 0; i++)
        if (i == n || spans[i].thread != spans[from].thread) {
            code = make_segments(r, spans + from, i - from);
            from = i;
        }
    return code;
}

/* The last of n segments that began at or before a time; n when there is none. */
static size_t segment_at(const struct context_segment *s, size_t n, int64_t ns)
{
    size_t behind = SORTED_FIRST(n, i, s[i].start_ns > ns);

    return behind == 0 ? n : behind - 1;
}

uint32_t context_at(struct context_run *r, uint64_t thread, int64_t ns)
{
    const struct context_thread *threads =
        (const struct context_thread *)(const void *)r->threads.p;
    const struct context_segment *s = (const struct context_segment *)(const void *)r->segments.p;
    size_t n = r->threads.n / sizeof(*threads), i = r->last_thread, at;

    if (i >= n || threads[i].thread != thread)
        i = SORTED_FIRST(n, k, threads[k].thread >= thread);
    if (i == n || threads[i].thread != thread)
        return 0;
    r->last_thread = i;
    at = segment_at(s + threads[i].first, threads[i].n, ns);
    return at == threads[i].n ? 0 : s[threads[i].first + at].tuple;
}
