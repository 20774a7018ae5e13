/*
 * chunk.c - what has been gathered becomes part of the file: flushes and chunks.
 *
 * A flush writes the waiting events, then a checkpoint with the constants that they need, then the
 * header that makes both visible (live.c, or sink.c for a stream). A rotation ends the chunk with
 * its metadata and begins the next one, whose clock continues on the same base. Called by one
 * thread, that of the writer. A failure of the sink is kept and returned once.
 */
#include "jfrfmt/write/writer_internal.h"

#define MIB ((uint64_t)1 << 20)
#define FOLLOW_NS 500000000 /* a shorter span tells little of how two clocks run */
#define CHUNK_FULL (LIVE_CHUNK_MAX / 2)

/* When the chunk begins, as the file counts. */
static int64_t chunk_ticks(const struct jfr_writer *w)
{
    return clock_moment(&w->chunk.clock, w->chunk.start_ticks);
}

void jfr_writer_follow(struct jfr_writer *w, const struct jfr_clock *clock)
{
    int64_t begin = chunk_ticks(w), in_ns = clock->at_ns - w->chunk.start_ticks;

    if (w->chunk.clock.per_second == 0 || clock->per_second != w->chunk.clock.per_second ||
        in_ns < FOLLOW_NS || clock->ticks <= begin)
        return;
    w->chunk.clock = (struct jfr_clock){.per_second = clock->per_second,
                                        .ticks = begin,
                                        .at_ns = w->chunk.start_ticks,
                                        .so_many = clock->ticks - begin,
                                        .in_ns = in_ns};
}

bool writer_renew_metadata(struct jfr_writer *w)
{
    struct typeset_region region = {w->options.locale, w->options.gmt_offset_ms};
    int64_t id = (int64_t)(writer_random(w) >> 2); /* 62 bits: a varint of nine bytes at most */

    buf_reset(&w->metadata);
    if (!typeset_write(&w->types, &w->metadata, chunk_ticks(w), id, &region)) {
        jfr_fail(&w->error, JFR_E_NOMEM, 0, "no memory for metadata");
        return false;
    }
    w->chunk.metadata = w->metadata.p;
    w->chunk.metadata_n = w->metadata.n;
    return true;
}

/* Keeps the sink's failure as ours; what is buffered is lost. */
static int fail(struct jfr_writer *w)
{
    const struct jfr_error *e = sink_error(w->sink);

    if (e->code != 0)
        jfr_fail(&w->error, (enum jfr_errc)e->code, e->offset, "%s", e->text);
    w->stats.n_lost += w->n_buffered;
    w->stats.n_lost_bytes += w->events.n;
    for (size_t i = 0; i < w->types.n; i++)
        w->types.layouts[i].n_events = w->types.layouts[i].n_flushed;
    w->n_buffered = 0;
    buf_reset(&w->events);
    sink_clear(w->sink);
    return w->error.code;
}

static void flushed(struct jfr_writer *w, uint64_t bytes)
{
    w->stats.n_events += w->n_buffered;
    for (size_t i = 0; i < w->types.n; i++)
        w->types.layouts[i].n_flushed = w->types.layouts[i].n_events;
    w->stats.n_bytes += bytes;
    w->n_buffered = 0;
    buf_reset(&w->events);
    consts_written(&w->consts);
    w->is_new_types = false;
}

static bool has_waiting(const struct consts *c)
{
    for (size_t i = 0; i < c->n_classes; i++)
        if (c->waiting[i].n > 0)
            return true;
    return false;
}

/* The checkpoint that goes to offset `at`, its head in *head. 0 when there is nothing for it. */
static uint64_t chunk_checkpoint_head(struct jfr_writer *w, struct buf *head, uint64_t at,
                                      uint64_t previous)
{
    int64_t delta = previous == 0 ? 0 : (int64_t)(previous - at);

    if (previous != 0 && !has_waiting(&w->consts))
        return 0;
    return writer_checkpoint_head(&w->consts, head, chunk_ticks(w), delta);
}

static void put_chunk_checkpoint(struct jfr_writer *w, const struct buf *head, uint64_t size)
{
    if (size == 0)
        return;
    sink_put(w->sink, head->p, head->n);
    if (writer_checkpoint_pools(&w->consts, w->sink, size - head->n) != 0)
        jfr_fail(&w->error, JFR_E_FORMAT, 0, "a checkpoint is not as long as it says");
}

static int64_t chunk_duration(struct jfr_writer *w, int64_t now)
{
    if (now - w->chunk.start_ticks > w->duration)
        w->duration = now - w->chunk.start_ticks;
    return w->duration;
}

/* Begins the chunk's clock: later than the last one's, on the same base. */
static struct live_chunk next_chunk(struct jfr_writer *w, int64_t now)
{
    struct live_chunk c = w->chunk;
    int64_t step = chunk_duration(w, now);

    if (step == 0)
        step = 1;
    c.start_ticks += step;
    c.start_nanos += step;
    return c;
}

static void set_chunk(struct jfr_writer *w, const struct live_chunk *chunk)
{
    w->chunk = *chunk;
    w->duration = 0;
    w->is_new_chunk = true;
    consts_next_chunk(&w->consts);
}

static int flush_stream(struct jfr_writer *w, int64_t now)
{
    uint8_t header[LIVE_HEADER], room[64];
    struct buf head = buf_fixed(room, sizeof(room));
    uint64_t checkpoint = LIVE_HEADER + w->metadata.n + w->events.n, size;
    struct live_chunk next = next_chunk(w, now);

    if (w->n_buffered == 0 && w->stats.n_events > 0)
        return 0;
    size = chunk_checkpoint_head(w, &head, checkpoint, 0);
    live_header(header, &w->chunk, checkpoint + size, checkpoint, LIVE_HEADER,
                chunk_duration(w, now));
    sink_put(w->sink, header, sizeof(header));
    sink_put(w->sink, w->metadata.p, w->metadata.n);
    sink_put(w->sink, w->events.p, w->events.n);
    put_chunk_checkpoint(w, &head, size);
    if (w->error.code != 0 || sink_mark(w->sink) != 0 ||
        (w->options.sync && sink_sync(w->sink) != 0))
        return fail(w);
    flushed(w, w->events.n + size);
    w->stats.n_chunks++;
    set_chunk(w, &next);
    return 0;
}

static int open_live(struct jfr_writer *w)
{
    uint64_t extent = w->options.extent == 0 ? 32 * MIB : w->options.extent;

    if (live_open(&w->live, w->sink, 0, extent, &w->chunk) == 0)
        w->is_new_types = false;
    else if (sink_error(w->sink)->code != JFR_E_IO || sink_in_order(w->sink) != 0)
        return fail(w);
    return 0;
}

static int flush_live(struct jfr_writer *w, int64_t now)
{
    struct live_body body = {.duration_ns = chunk_duration(w, now), .sync = w->options.sync};
    uint64_t metadata = w->is_new_types ? w->metadata.n : 0, size, at = live_at(&w->live);
    uint8_t room[64];
    struct buf head = buf_fixed(room, sizeof(room));
    int rc;

    w->live.chunk.metadata = w->metadata.p;
    w->live.chunk.metadata_n = w->metadata.n;
    size = chunk_checkpoint_head(w, &head, at + w->events.n + metadata, w->live.checkpoint);
    if (w->events.n + metadata + size == 0)
        return live_duration(&w->live, body.duration_ns) == 0 ? 0 : fail(w);
    rc = live_reserve(&w->live, w->events.n + metadata + size);
    if (rc == JFR_E_LIMIT)
        jfr_fail(&w->error, JFR_E_LIMIT, at, "more than a chunk can hold");
    if (rc != 0)
        return fail(w);
    sink_put(w->sink, w->events.p, w->events.n);
    sink_put(w->sink, w->metadata.p, metadata);
    put_chunk_checkpoint(w, &head, size);
    body.metadata = metadata == 0 ? 0 : at + w->events.n;
    body.checkpoint = size == 0 ? 0 : at + w->events.n + metadata;
    if (w->error.code != 0 || live_commit(&w->live, &body) != 0)
        return fail(w);
    flushed(w, w->events.n + size);
    return 0;
}

static int rotate_live(struct jfr_writer *w, int64_t now)
{
    struct live_chunk next = next_chunk(w, now);

    if (live_rotate(&w->live, &next) != 0)
        return fail(w);
    w->stats.n_chunks++;
    set_chunk(w, &next);
    return 0;
}

/* What must be there before the first body. */
static int begin_file(struct jfr_writer *w)
{
    if (w->is_new_types && !writer_renew_metadata(w))
        return fail(w);
    if (w->is_open)
        return 0;
    if (sink_is_file(w->sink) && open_live(w) != 0)
        return w->error.code;
    if (sink_publish(w->sink) != 0)
        return fail(w);
    w->is_open = true;
    w->stats.n_chunks += sink_is_file(w->sink);
    return 0;
}

int writer_flush(struct jfr_writer *w, int64_t now)
{
    if (w->error.code != 0 || begin_file(w) != 0)
        return w->error.code;
    if (!sink_is_file(w->sink))
        return flush_stream(w, now);
    if (flush_live(w, now) != 0)
        return w->error.code;
    return w->live.cover - w->live.base > CHUNK_FULL ? rotate_live(w, now) : 0;
}

/* Reports a failure to the caller once. */
static int answer(struct jfr_writer *w)
{
    if (w->error.code == 0)
        return 0;
    if (w->is_reported)
        return 1;
    w->is_reported = true;
    return w->error.code;
}

static int64_t or_now(int64_t ticks)
{
    return ticks == 0 ? jfr_writer_now() : ticks;
}

int jfr_writer_flush(struct jfr_writer *w, int64_t now_ticks)
{
    writer_flush(w, or_now(now_ticks));
    return answer(w);
}

int jfr_writer_rotate(struct jfr_writer *w, int64_t now_ticks)
{
    int64_t now = or_now(now_ticks);

    if (writer_flush(w, now) == 0 && sink_is_file(w->sink))
        rotate_live(w, now);
    return answer(w);
}

int jfr_writer_forget(struct jfr_writer *w, int64_t now_ticks)
{
    int rc = w->is_new_chunk ? answer(w) : jfr_writer_rotate(w, now_ticks);

    consts_forget(&w->consts);
    return rc;
}

int jfr_writer_retry(struct jfr_writer *w)
{
    if (w->live.is_broken)
        return w->error.code;
    w->error = (struct jfr_error){0};
    w->is_reported = false;
    return 0;
}

void writer_finish(struct jfr_writer *w)
{
    if (w->error.code == 0 && sink_is_file(w->sink) && live_finish(&w->live) != 0)
        fail(w);
}
