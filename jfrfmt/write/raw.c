/* raw.c - chunks of bytes that are encoded already: header, chain of checkpoints, sizes. rewrite.c
 * of this folder and convert/rewrite call it. */
#include "jfrfmt/write/raw.h"

#include "jfrfmt/write/live.h"

void raw_begin(struct raw_writer *w, int64_t start_nanos, int64_t start_ticks)
{
    w->base = w->passed + w->b.n;
    w->checkpoint = 0;
    w->start_nanos = start_nanos;
    w->start_ticks = start_ticks;
    buf_fill(&w->b, w->b.n + LIVE_HEADER);
}

int raw_pass(struct raw_writer *w)
{
    if (w->rc == 0 && !buf_ok(&w->b))
        w->rc = JFR_E_NOMEM;
    if (w->rc == 0)
        w->rc = w->to.write(w->to.ctx, w->b.p, w->b.n);
    w->passed += w->b.n;
    buf_reset(&w->b);
    return w->rc;
}

void raw_append(struct raw_writer *w, const struct buf *bytes)
{
    if (w->to.patch == NULL || bytes->n < RAW_HIGH) {
        buf_bytes(&w->b, bytes->p, bytes->n);
        return;
    }
    if (raw_pass(w) == 0)
        w->rc = w->to.write(w->to.ctx, bytes->p, bytes->n);
    w->passed += bytes->n;
}

void raw_checkpoint(struct raw_writer *w, size_t n_pools, uint64_t pools_n)
{
    uint64_t at = raw_size(w);

    checkpoint_head(&w->b, w->start_ticks, w->checkpoint == 0 ? 0 : (int64_t)(w->checkpoint - at),
                    n_pools, pools_n);
    w->checkpoint = at;
}

int raw_end(struct raw_writer *w, const struct buf *metadata, int64_t duration_ns)
{
    const struct jfr_clock clock = {w->per_second, w->start_ticks, w->start_ticks, 0, 0};
    const struct live_chunk chunk = {
        .start_nanos = w->start_nanos, .start_ticks = w->start_ticks, .clock = clock};
    uint8_t header[LIVE_HEADER];
    uint64_t metadata_at;

    if (w->checkpoint == 0)
        raw_checkpoint(w, 0, 0);
    metadata_at = raw_size(w);
    buf_bytes(&w->b, metadata->p, metadata->n);
    if (!buf_ok(&w->b) || !buf_ok(metadata))
        w->rc = w->rc == 0 ? JFR_E_NOMEM : w->rc;
    live_header(header, &chunk, raw_size(w), w->checkpoint, metadata_at, duration_ns);
    if (w->rc == 0 && w->base >= w->passed)
        memcpy(w->b.p + (w->base - w->passed), header, sizeof(header));
    else if (w->rc == 0)
        w->rc = w->to.patch(w->to.ctx, w->base, header, sizeof(header));
    return raw_pass(w);
}

bool raw_close_event(struct buf *b, size_t at)
{
    size_t n = b->n - at, more = 0;

    while ((n + more) >> 7 * (more + 1) != 0)
        more++;
    if (!buf_reserve(b, more))
        return false;
    if (more > 0)
        memmove(b->p + at + 1 + more, b->p + at + 1, n - 1);
    b->n += more;
    buf_varint_at(b->p + at, n + more, (unsigned)more + 1);
    return more <= 4;
}

void raw_free(struct raw_writer *w)
{
    buf_free(&w->b);
}
