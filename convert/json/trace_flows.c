/*
 * trace_flows.c - finds the slices of one trace and writes an arrow from each to the next on
 * another thread.
 */
#include "convert/json/trace_flows.h"

#include "convert/text/jsonw.h"
#include "convert/context/trace_link.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

#define TRACE_BYTES 16

enum { /* what is known of a tuple; else a trace + TUPLE_TRACE */
    TUPLE_NEW,
    TUPLE_NONE,
    TUPLE_TRACE,
};

struct trace_flows {
    struct intern traces; /* ids */
    struct buf slices; /* of struct trace_slice */
    struct buf tuples; /* of uint32_t by tuple of the chunk */
};

struct trace_flows *trace_flows_new(void)
{
    return calloc(1, sizeof(struct trace_flows));
}

void trace_flows_free(struct trace_flows *f)
{
    if (f == NULL)
        return;
    intern_free(&f->traces);
    buf_free(&f->slices);
    buf_free(&f->tuples);
    free(f);
}

void trace_flows_reset(struct trace_flows *f)
{
    intern_reset(&f->traces);
    buf_reset(&f->slices);
    buf_reset(&f->tuples);
}

static uint32_t flow_of_tuple(struct trace_flows *f, const struct context_run *r, uint32_t tuple)
{
    struct trace_link link = {{0}};
    uint32_t id;

    for (size_t i = 0; i < context_n_attributes(r); i++) {
        const char *text = context_attribute_text(r, tuple, i, NULL);

        if (text != NULL)
            trace_link_add(&link, context_attribute(r, i), text);
    }
    if (!link.has_trace)
        return TUPLE_NONE;
    id = intern_add(&f->traces, link.id, TRACE_BYTES);
    return id == INTERN_FAILED ? TUPLE_NEW : id + TUPLE_TRACE;
}

bool trace_flows_add(struct trace_flows *f, const struct context_run *r, uint32_t tuple,
                     const struct trace_slice *slice)
{
    size_t end = (tuple + (size_t)1) * sizeof(uint32_t);
    struct trace_slice s = *slice;
    uint32_t *known;

    if (tuple == 0 || tuple == CONTEXT_NONE)
        return tuple == 0;
    if (!buf_fill(&f->tuples, end))
        return false;
    known = (uint32_t *)(void *)f->tuples.p + tuple;
    if (*known == TUPLE_NEW)
        *known = flow_of_tuple(f, r, tuple);
    if (*known < TUPLE_TRACE)
        return *known == TUPLE_NONE;
    s.trace = *known - TUPLE_TRACE;
    buf_bytes(&f->slices, &s, sizeof(s));
    return buf_ok(&f->slices);
}

bool trace_flows_merge(struct trace_flows *to, const struct trace_flows *from)
{
    const struct trace_slice *slices = (const struct trace_slice *)(const void *)from->slices.p;

    for (size_t i = 0; i < from->slices.n / sizeof(*slices); i++) {
        struct trace_slice s = slices[i];

        s.trace = intern_add(&to->traces, intern_get(&from->traces, s.trace, NULL), TRACE_BYTES);
        if (s.trace == INTERN_FAILED)
            return false;
        buf_bytes(&to->slices, &s, sizeof(s));
    }
    return buf_ok(&to->slices);
}

/* --- arrows ----------------------------------------------------------------------------------- */

void trace_put_us(struct buf *b, int64_t ns)
{
    buf_printf(b, "%s%lld.%03d", ns < 0 ? "-" : "", llabs(ns / 1000), abs((int)(ns % 1000)));
}

static int compare(const void *a, const void *b)
{
    const struct trace_slice *x = a, *y = b;

    if (x->trace != y->trace)
        return x->trace < y->trace ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

static bool is_same_thread(const struct trace_slice *a, const struct trace_slice *b)
{
    return a->trace == b->trace && a->pid == b->pid && a->tid == b->tid;
}

/* Leaves the first slice of each that follow on one thread. Their number. */
static size_t thin_out(struct trace_slice *s, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (kept == 0 || !is_same_thread(&s[kept - 1], &s[i]))
            s[kept++] = s[i];
    return kept;
}

static void put_arrow(const struct trace_slice *s, char phase, struct buf *b)
{
    buf_printf(b, ",\n{\"ph\":\"%c\",\"name\":\"trace\",\"cat\":\"trace\",\"id\":", phase);
    jsonw_u64(b, (uint64_t)s->trace + 1);
    if (phase == 'f')
        buf_str(b, ",\"bp\":\"e\"");
    buf_str(b, ",\"ts\":");
    trace_put_us(b, s->start_ns);
    buf_str(b, ",\"pid\":");
    jsonw_u64(b, s->pid);
    buf_str(b, ",\"tid\":");
    jsonw_i64(b, s->tid);
    buf_byte(b, '}');
}

int trace_flows_put(struct trace_flows *f, struct out *out)
{
    struct trace_slice *s = (struct trace_slice *)(void *)f->slices.p;
    size_t n = f->slices.n / sizeof(*s);
    int rc = 0;

    if (n < 2)
        return 0;
    qsort(s, n, sizeof(*s), compare);
    n = thin_out(s, n);
    for (size_t i = 0; i < n && rc == 0; i++) {
        bool is_first = i == 0 || s[i - 1].trace != s[i].trace;
        bool is_last = i + 1 == n || s[i + 1].trace != s[i].trace;

        if (is_first && is_last)
            continue;
        put_arrow(&s[i], is_first ? 's' : is_last ? 'f' : 't', &out->b);
        rc = out_check(out);
    }
    return rc;
}
