/*
 * live.c - the steps in which a live file grows; the idea and its guarantee are in live.h.
 *
 * chunk.c calls it. Every function that changes what readers see ends with one write of at most a
 * page; what is written before that write lies inside the cover, where no reader looks.
 */
#include "jfrfmt/write/live.h"

#include "jfrfmt/base/buf.h"

#include <string.h>

#define COVER 16
#define PAGE 4096 /* the kernel finishes a copy into one page even for a killed process */
#define BLOCK ((uint64_t)1 << 20) /* steps are multiples of any file system's block */

/* A chunk's first event, after its header. For a reader of the chunk before, which takes the
 * magic "FL" for an event of 70 bytes and type 76, there follows a cover of the rest. */
#define GUARD 18
#define HEAD (LIVE_HEADER + GUARD)
#define MAGIC_AS_SIZE 70

static struct buf cover(uint8_t room[COVER], uint64_t size)
{
    memset(room, 0, COVER);
    buf_varint_at(room, size, 5);
    buf_varint_at(room + 5, 1, 4);
    return (struct buf){.p = room, .n = COVER};
}

void live_header(uint8_t *out, const struct live_chunk *chunk, uint64_t size, uint64_t checkpoint,
                 uint64_t metadata, int64_t duration_ns)
{
    struct buf b = buf_fixed(out, LIVE_HEADER);

    buf_bytes(&b, "FLR\0\0\2\0\1", 8); /* version 2.1 */
    buf_be(&b, size, 8);
    buf_be(&b, checkpoint, 8);
    buf_be(&b, metadata, 8);
    buf_be(&b, (uint64_t)chunk->start_nanos, 8);
    buf_be(&b, (uint64_t)duration_ns, 8);
    buf_be(&b, (uint64_t)clock_moment(&chunk->clock, chunk->start_ticks), 8);
    buf_be(&b, (uint64_t)clock_per_second(&chunk->clock), 8);
    buf_be(&b, 1, 4); /* state: finished; flags: compressed integers */
}

/* Bytes to put before a cover at `at`, so that a chunk's head fits there in one page. */
static uint64_t padding(uint64_t at)
{
    uint64_t left = PAGE - at % PAGE;

    if (left >= HEAD)
        return 0;
    return left >= COVER ? left : left + COVER;
}

/* Puts the padding and the header of the cover that ends at `end`. Returns where the cover is. */
static uint64_t put_cover(struct sink *s, uint64_t at, uint64_t end)
{
    uint8_t room[COVER], zeros[PAGE] = {0};
    uint64_t pad = padding(at);

    if (pad > 0) {
        sink_put(s, cover(room, pad).p, COVER);
        sink_put(s, zeros, pad - COVER);
    }
    sink_put(s, cover(room, end - at - pad).p, COVER);
    return at + pad;
}

static int patch_be(struct live *l, uint64_t at, uint64_t v)
{
    uint8_t room[8];
    struct buf b = buf_fixed(room, 8);

    buf_be(&b, v, 8);
    return sink_patch(l->sink, at, room, 8);
}

struct begun {
    uint64_t checkpoint, cover; /* file offsets */
    bool is_seen; /* a reader may see it: its head was being written */
};

/* Writes an empty chunk over [at, end): first all after its head, then the head. */
static int write_live_chunk(struct sink *s, uint64_t at, uint64_t end,
                            const struct live_chunk *chunk, struct begun *begun)
{
    uint8_t head[HEAD] = {0}, room[64];
    struct buf checkpoint = buf_fixed(room, sizeof(room));

    buf_byte(&checkpoint, 0); /* the size */
    buf_byte(&checkpoint, 1);
    buf_varint(&checkpoint, (uint64_t)clock_moment(&chunk->clock, chunk->start_ticks));
    buf_bytes(&checkpoint, "\0\0\0\0", 4); /* duration, end of chain, mask, no pools */
    room[0] = (uint8_t)checkpoint.n;

    begun->checkpoint = at + HEAD + chunk->metadata_n;
    sink_seek(s, at + HEAD);
    sink_put(s, chunk->metadata, chunk->metadata_n);
    sink_put(s, room, checkpoint.n);
    begun->cover = put_cover(s, begun->checkpoint + checkpoint.n, end);

    begun->is_seen = sink_flush(s) == 0;
    live_header(head, chunk, end - at, begun->checkpoint - at, HEAD, 0);
    head[LIVE_HEADER] = GUARD;
    head[LIVE_HEADER + 1] = 1;
    cover(head + MAGIC_AS_SIZE, end - at - MAGIC_AS_SIZE);
    return sink_patch(s, at, head, HEAD);
}

static void set_live_chunk(struct live *l, uint64_t base, const struct live_chunk *chunk,
                           const struct begun *begun)
{
    l->base = base;
    l->cover = begun->cover;
    l->checkpoint = begun->checkpoint;
    l->chunk = *chunk;
}

/* The size of files may be limited (RLIMIT_FSIZE, a quota): a file that cannot grow by a large step
 * may grow by a small one. Returns false and leaves the error if the step is the smallest. */
static bool take_smaller_steps(struct live *l, uint64_t least)
{
    uint64_t step = l->step / 2 / BLOCK * BLOCK;

    if (step < BLOCK || step < least)
        return false;
    l->step = step;
    sink_clear(l->sink);
    return true;
}

int live_open(struct live *l, struct sink *sink, uint64_t base, uint64_t extent,
              const struct live_chunk *chunk)
{
    struct begun begun;

    *l = (struct live){.sink = sink};
    l->step = (extent / 2 + BLOCK - 1) / BLOCK * BLOCK;
    if (l->step < BLOCK)
        l->step = BLOCK;
    while (l->step < chunk->metadata_n + PAGE)
        l->step += BLOCK;
    do
        l->end = (base + BLOCK - 1) / BLOCK * BLOCK + l->step * 2;
    while (sink_truncate(sink, l->end) != 0 && take_smaller_steps(l, chunk->metadata_n + PAGE));
    if (sink_error(sink)->code == 0 && write_live_chunk(sink, base, l->end, chunk, &begun) == 0)
        set_live_chunk(l, base, chunk, &begun);
    return sink_error(sink)->code;
}

/*
 * Makes file and chunk longer by one step. A reader must not see a longer file without a longer
 * chunk, nor the other way round, and no system call changes both. So it is done in three steps,
 * each of which leaves a legal file:
 *
 *     1. an empty chunk is written at the end of the last chunk, inside its cover, where no reader
 * looks
 *     2. a hole is inserted before it, which moves it out of the last chunk: the file is longer by
 * a chunk
 *     3. the size of the last chunk is changed to include the empty one, which then reads as an
 * unknown event and a cover
 *
 * On a file system that cannot insert holes, the file has zeros after its last chunk for a moment
 * between two calls.
 */
static int grow_once(struct live *l)
{
    struct live_chunk spare = l->chunk;
    struct begun begun;
    uint8_t room[COVER];
    uint64_t at = l->end - l->step;

    spare.start_nanos++;
    if (write_live_chunk(l->sink, at, l->end, &spare, &begun) != 0)
        return sink_error(l->sink)->code;
    if (!sink_insert(l->sink, at, l->step) && sink_truncate(l->sink, l->end + l->step) != 0)
        return sink_error(l->sink)->code;
    l->is_broken = true; /* until all three are known to be done */
    l->end += l->step;
    if (patch_be(l, l->base + 8, l->end - l->base) == 0 &&
        sink_patch(l->sink, l->cover, cover(room, l->end - l->cover).p, COVER) == 0)
        l->is_broken = false;
    return sink_error(l->sink)->code;
}

static int grow_live(struct live *l)
{
    while (grow_once(l) != 0 && !l->is_broken && take_smaller_steps(l, l->chunk.metadata_n + PAGE))
        ;
    return sink_error(l->sink)->code;
}

int live_reserve(struct live *l, uint64_t n)
{
    uint64_t behind = COVER + n + 2 * PAGE; /* with padding and the next cover */

    if (l->cover + behind + l->step - l->base > LIVE_CHUNK_MAX - l->step)
        return JFR_E_LIMIT;
    while (l->end < l->cover + behind + l->step)
        if (grow_live(l) != 0)
            return sink_error(l->sink)->code;
    l->body = n;
    return sink_seek(l->sink, live_at(l));
}

static int sync_if(struct live *l, bool wanted)
{
    return wanted ? sink_sync(l->sink) : 0;
}

int live_commit(struct live *l, const struct live_body *body)
{
    uint64_t next = put_cover(l->sink, live_at(l) + l->body, l->end);
    uint8_t room[COVER];

    sink_flush(l->sink);
    sync_if(l, body->sync);
    if (body->metadata != 0)
        patch_be(l, l->base + 24, body->metadata - l->base);
    if (body->checkpoint != 0 && patch_be(l, l->base + 16, body->checkpoint - l->base) == 0)
        l->checkpoint = body->checkpoint;
    if (live_duration(l, body->duration_ns) != 0)
        return sink_error(l->sink)->code;
    if (sink_patch(l->sink, l->cover, cover(room, COVER).p, COVER) != 0) {
        l->is_broken = true;
        return sink_error(l->sink)->code;
    }
    l->cover = next;
    return sync_if(l, body->sync);
}

int live_duration(struct live *l, int64_t duration_ns)
{
    return patch_be(l, l->base + 40, (uint64_t)duration_ns);
}

int live_rotate(struct live *l, const struct live_chunk *chunk)
{
    struct begun begun;
    uint64_t at = l->cover;
    int rc = live_reserve(l, chunk->metadata_n + 2 * PAGE);

    if (rc != 0)
        return rc;
    if (write_live_chunk(l->sink, at, l->end, chunk, &begun) != 0 ||
        patch_be(l, l->base + 8, at - l->base) != 0) {
        l->is_broken = begun.is_seen;
        return sink_error(l->sink)->code;
    }
    set_live_chunk(l, at, chunk, &begun);
    return 0;
}

/* Makes a chunk of the rest of the cover and cuts it off: a file without its last chunk is as legal
 * as with it. */
int live_finish(struct live *l)
{
    struct live_chunk rest = l->chunk;
    int rc;

    rest.start_nanos++;
    rc = live_rotate(l, &rest);
    return rc != 0 ? rc : sink_truncate(l->sink, l->base);
}
