/*
 * rewrite.c - copies the events of chunks into new chunks, with one clock and one set of types and
 * constants. run.c feeds it; program.c decides how the bytes of a type are copied.
 */
#include "convert/rewrite/internal.h"

#include <stdlib.h>

#define FIRST_OWN_ID 20000 /* ids of classes that cannot keep theirs */
#define BEFORE                                                                         \
    INT64_C(1000000000) /* ns before the first chunk: events may begin earlier than it \
                         */
#define EVENT_SIZE_MAX ((size_t)INT32_MAX)

struct rewrite *rewrite_new(const struct rewrite_options *options)
{
    struct rewrite *rw = calloc(1, sizeof(*rw));

    if (rw == NULL)
        return NULL;
    if (options != NULL)
        rw->options = *options;
    rw->next_id = FIRST_OWN_ID;
    return rw;
}

void rewrite_free(struct rewrite *rw)
{
    if (rw == NULL)
        return;
    for (size_t i = 0; i < rw->n_classes; i++) {
        buf_free(&rw->classes[i].pool);
        free(rw->classes[i].places);
    }
    free(rw->classes);
    known_free(&rw->known);
    buf_free(&rw->first_metadata);
    buf_free(&rw->refs);
    buf_free(&rw->frames);
    buf_free(&rw->open);
    buf_free(&rw->scratch);
    buf_free(&rw->text);
    raw_free(&rw->out);
    free(rw);
}

void rewrite_to(struct rewrite *rw, const struct raw_sink *sink)
{
    struct buf room = rw->out.b;

    buf_reset(&room);
    rw->out = (struct raw_writer){.to = *sink, .b = room};
    rw->has_chunk = false;
}

const struct rewrite_stats *rewrite_stats(const struct rewrite *rw)
{
    return &rw->stats;
}

static void set_clock(struct rewrite *rw)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(rw->chunk);

    rw->is_ns = h->ticks_per_second == 1000000000;
    rw->last_tick = INT64_MIN;
}

static int64_t ticks_of(const struct rewrite *rw, int64_t nanos)
{
    return (int64_t)((uint64_t)nanos - (uint64_t)rw->base_nanos);
}

/* A chunk that was not finished does not know how long it is: until its last event. */
static int64_t duration(const struct rewrite *rw)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(rw->chunk);
    int64_t from = ticks_of(rw, h->start_nanos);

    if (h->state == 0 && h->duration_nanos > 0)
        return h->duration_nanos;
    return rw->last_tick > from ? (int64_t)((uint64_t)rw->last_tick - (uint64_t)from) : 0;
}

static void clip_times(const struct rewrite *rw, int64_t *first, int64_t *last)
{
    select_clip(rw->options.times, first, last);
    if (*first < rw->options.first_ns)
        *first = rw->options.first_ns;
    if (rw->options.last_ns > 0 && *last > rw->options.last_ns)
        *last = rw->options.last_ns;
}

/* The same of what from and to leave of the chunk. */
static int64_t clipped_duration(const struct rewrite *rw)
{
    int64_t start = jfr_chunk_header(rw->chunk)->start_nanos, ns = duration(rw);
    int64_t first = start, last = start < INT64_MAX - ns ? start + ns : INT64_MAX;

    clip_times(rw, &first, &last);
    return last > first ? last - first : 0;
}

int rewrite_begin(struct rewrite *rw, struct jfr_chunk *chunk)
{
    rw->chunk = chunk;
    rw->order = 0;
    rw->pools_n = 0;
    set_clock(rw);
    return rw->rc != 0 ? rw->rc : rewrite_classes(rw);
}

/* The output's chunk begins when there is something to be put into it. */
static void begin_chunk(struct rewrite *rw)
{
    int64_t start = jfr_chunk_header(rw->chunk)->start_nanos, end = INT64_MAX;

    if (rw->is_in_chunk)
        return;
    clip_times(rw, &start, &end);
    if (rw->stats.n_chunks > 0 && start <= rw->last_start && rw->last_start < INT64_MAX)
        start = rw->last_start + 1;
    rw->last_start = start;
    if (!rw->has_base) /* from where all chunks count ticks */
        rw->base_nanos = (int64_t)((uint64_t)start - BEFORE);
    rw->has_base = true;
    raw_begin(&rw->out, start, ticks_of(rw, start));
    rw->is_in_chunk = rw->has_chunk = true;
}

static bool copy(struct rewrite *rw, const struct program *p, const struct jfr_event *ev)
{
    struct buf *b = &rw->out.b;
    struct cursor c = ev->body;
    size_t at;

    begin_chunk(rw);
    at = b->n;
    buf_byte(b, 0);
    buf_varint(b, (uint64_t)rw->classes[rw->in[ev->type->index].out].id);
    if (!rewrite_copy(rw, p->ops, p->ops + p->n, &c, b) || b->n - at > EVENT_SIZE_MAX) {
        b->n = at;
        return false;
    }
    if (rw->options.extra.append != NULL && rw->extra_class != UINT32_MAX)
        rw->options.extra.append(rw->options.extra.ctx, ev, b);
    raw_close_event(b, at);
    rw->stats.n_events++;
    rewrite_use(rw, ev->type);
    return true;
}

static int leave_event_out(struct rewrite *rw, const struct jfr_event *ev, const char *why)
{
    rw->stats.n_damaged++;
    jfr_chunk_damaged(rw->chunk, ev, NULL, why);
    return rw->rc;
}

int rewrite_event(struct rewrite *rw, const struct jfr_event *ev)
{
    const struct program *p;

    if (ev->type == NULL) {
        rw->stats.n_undeclared++;
        return rw->rc;
    }
    if (rw->rc != 0 || rewrite_edit_class(rw->options.edit, ev->type))
        return rw->rc;
    p = &rw->in[ev->type->index].program;
    if (!p->is_made)
        p = rewrite_program(rw, ev->type);
    if (p->is_bad)
        return leave_event_out(rw, ev, "fields that cannot be decoded");
    if (p->is_checked && !rewrite_check(rw, p, ev->body))
        return leave_event_out(rw, ev, "event is shorter than its fields");
    if (p->is_checked && rw->is_unknown_id) {
        rw->stats.n_settings++;
        return rw->rc;
    }
    if (!copy(rw, p, ev))
        return leave_event_out(rw, ev, "event is shorter than its fields");
    if (rw->pools_n > POOLS_HIGH)
        rewrite_checkpoint(rw);
    if (rw->rc == 0)
        rw->rc = raw_check(&rw->out);
    return rw->rc;
}

/* Remembers the first chunk, in case that there will be no other. */
static int keep_first(struct rewrite *rw)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(rw->chunk);

    rw->first_start = h->start_nanos;
    rw->first_duration = duration(rw);
    return rewrite_metadata(rw, &rw->first_metadata, BEFORE, true);
}

int rewrite_end(struct rewrite *rw)
{
    if (rw->rc != 0)
        return rw->rc;
    if (!rw->is_in_chunk)
        return rw->stats.n_chunks > 0 || rw->first_metadata.n > 0 ? 0 : keep_first(rw);
    rw->is_in_chunk = false;
    rewrite_checkpoint(rw);
    if (rewrite_metadata(rw, &rw->scratch, rw->out.start_ticks, false) == 0)
        rw->rc = raw_end(&rw->out, &rw->scratch, clipped_duration(rw));
    rw->stats.n_chunks++;
    rw->stats.n_bytes += raw_size(&rw->out);
    return rw->rc;
}

int rewrite_finish(struct rewrite *rw)
{
    if (rw->rc != 0 || rw->has_chunk || rw->first_metadata.n == 0)
        return rw->rc;
    raw_begin(&rw->out, rw->first_start, BEFORE);
    rw->has_chunk = true;
    rw->rc = raw_end(&rw->out, &rw->first_metadata, rw->first_duration);
    rw->stats.n_chunks++;
    return rw->rc;
}
