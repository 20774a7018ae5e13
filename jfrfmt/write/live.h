/*
 * live.h - a recording file that is legal at every instant, while it grows.
 *
 * The file is longer than what has been recorded: it is made long beforehand, sparse, and its last
 * chunk says that size from the start. The part not yet used lies inside one event, the cover, of
 * the type of checkpoints but outside their chain, which every reader steps over. What is written
 * goes after the cover's first 16 bytes and appears when the cover shrinks to those. So each step
 * is one write that shows either the old state or the new one, and a killed process leaves a
 * finished recording. Internal to the writer.
 *
 *     live_open(&l, sink, 0, extent, &chunk);
 *     live_reserve(&l, n);                then exactly n bytes by sink_put(), at live_at(&l)
 *     live_commit(&l, &body);             now they are seen
 *     live_rotate(&l, &chunk);            a new chunk, also by one write
 *     live_finish(&l);                    cut to what is used
 *
 * What holds is that the bytes on disk are legal after any system call, and after any part of one
 * that ends with a page.
 */
#ifndef JFRFMT_WRITE_LIVE_H
#define JFRFMT_WRITE_LIVE_H

#include "jfrfmt/read/clock.h"
#include "jfrfmt/write/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_HEADER 68
#define LIVE_CHUNK_MAX ((uint64_t)1 << 30) /* readers hold event sizes in 31 bits */

/* What a chunk begins with. */
struct live_chunk {
    int64_t start_nanos, start_ticks; /* ns */
    struct jfr_clock clock; /* of the file */
    const uint8_t *metadata; /* the event */
    size_t metadata_n;
};

struct live {
    struct sink *sink;
    uint64_t step; /* by which the file grows; at least as much is always covered */
    uint64_t base; /* file offsets: of the chunk, */
    uint64_t cover; /* its cover, */
    uint64_t end; /* and the end of both */
    uint64_t body; /* bytes reserved for the body being written */
    uint64_t checkpoint; /* file offset of the newest one in the chunk */
    struct live_chunk chunk; /* the one being written; its metadata is the owner's to keep */
    bool is_broken; /* a write failed, and what readers see now is unknown */
};

/* What a body contains, as file offsets; 0 = not in it. */
struct live_body {
    uint64_t checkpoint, metadata;
    int64_t duration_ns;
    bool sync;
};

/* The header of a chunk of `size` bytes, into out[0..68). */
void live_header(uint8_t *out, const struct live_chunk *chunk, uint64_t size, uint64_t checkpoint,
                 uint64_t metadata, int64_t duration_ns);

/* Begins a chunk at `base`, which is 0 or the end of the chunks that the file has, and makes the
 * file so much longer. Before the file has its name, or at 0. All functions return 0 or what the
 * sink said.
 */
int live_open(struct live *l, struct sink *sink, uint64_t base, uint64_t extent,
              const struct live_chunk *chunk);

/* Makes room for n bytes and seeks there. JFR_E_LIMIT: the chunk is full. */
int live_reserve(struct live *l, uint64_t n);

/* Where the body goes. */
static inline uint64_t live_at(const struct live *l)
{
    return l->cover + 16;
}

/* Makes the reserved bytes, which have all been put, part of the recording. */
int live_commit(struct live *l, const struct live_body *body);

/* Sets the duration of the chunk. */
int live_duration(struct live *l, int64_t duration_ns);

/* Ends the chunk where its cover begins and starts another one there. */
int live_rotate(struct live *l, const struct live_chunk *chunk);

/* Truncates the file after the last commit. */
int live_finish(struct live *l);

#endif
