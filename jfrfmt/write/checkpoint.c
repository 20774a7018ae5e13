/*
 * checkpoint.c - writes the constants that no reader has yet as a checkpoint event (jfr-format §7).
 *
 * chunk.c calls it when it flushes and when it ends a chunk. A pool without new entries is left
 * out, because readers fail on an empty one.
 */
#include "jfrfmt/write/writer_internal.h"
#include "jfrfmt/write/raw.h"

/* Bytes of all pools. A pool without entries is left out: readers fail on it. */
static uint64_t pools_size(const struct consts *c, size_t *n_pools)
{
    uint64_t size = 0;

    *n_pools = 0;
    for (size_t i = 0; i < c->n_classes; i++) {
        const struct waiting *w = &c->waiting[i];

        if (w->n == 0)
            continue;
        size +=
            buf_varint_size((uint64_t)typeset_id(c->types, i)) + buf_varint_size(w->n) + w->bytes;
        ++*n_pools;
    }
    return size;
}

uint64_t checkpoint_head(struct buf *out, int64_t ticks, int64_t delta, size_t n_pools,
                         uint64_t pools_n)
{
    size_t start = out->n;
    uint64_t size;

    buf_be(out, 0, 5); /* the size, below */
    buf_varint(out, 1);
    buf_varint(out, (uint64_t)ticks);
    buf_varint(out, 0);
    buf_varint(out, (uint64_t)delta);
    buf_byte(out, 0);
    buf_varint(out, n_pools);
    if (!buf_ok(out))
        return 0;
    size = pools_n + out->n - start;
    buf_varint_at(out->p + start, size, 5);
    return size;
}

uint64_t writer_checkpoint_head(const struct consts *consts, struct buf *out, int64_t ticks,
                                int64_t delta)
{
    size_t n_pools;
    uint64_t size = pools_size(consts, &n_pools);

    return checkpoint_head(out, ticks, delta, n_pools, size);
}

static uint64_t put_waiting_pool(const struct consts *c, struct sink *sink, size_t cls)
{
    const struct waiting *w = &c->waiting[cls];
    uint8_t room[32];
    struct buf head = buf_fixed(room, sizeof(room));
    uint64_t size;

    buf_varint(&head, (uint64_t)typeset_id(c->types, cls));
    buf_varint(&head, w->n);
    sink_put(sink, room, head.n);
    size = head.n;
    for (uint32_t i = w->first; i != CONSTS_NONE; i = c->entries[i].next) {
        const struct constant *k = &c->entries[i];

        buf_reset(&head);
        buf_varint(&head, k->key);
        sink_put(sink, room, head.n);
        sink_put(sink, consts_value(c, k), k->n);
        size += head.n + k->n;
    }
    return size;
}

int writer_checkpoint_pools(const struct consts *consts, struct sink *sink, uint64_t size)
{
    uint64_t written = 0;

    for (size_t i = 0; i < consts->n_classes; i++)
        if (consts->waiting[i].n > 0)
            written += put_waiting_pool(consts, sink, i);
    return written == size ? 0 : JFR_E_FORMAT;
}
