/*
 * source.h - a recording's bytes, handed out chunk by chunk.
 *
 *     struct jfr_error err = {0};
 *     struct jfr_source *src = jfr_source_open("app.jfr.zst", &err);
 *     struct jfr_raw raw;
 *     while ((rc = jfr_source_next(src, &raw, &err)) != 0) {
 *         if (rc < 0) { report(&err); if (jfr_source_done(src)) break; err = (struct jfr_error){0};
 * continue; }
 *         ... raw.bytes, raw.n ...
 *         jfr_source_release(src, &raw);
 *     }
 *     jfr_source_close(src);
 *
 * A plain file is mapped; a pipe, standard input, gzip, zstd, lz4 frames and zip members
 * (recognized by magic, never by name, also one wrapped in the other once) are read through bounded
 * buffers: memory grows with the bytes that really arrive, never with a size that the input
 * declares, and a chunk of more than SOURCE_IN_MEMORY bytes goes to an unlinked temporary file and
 * is mapped from there.
 *
 * Threads:   jfr_source_next() from one thread at a time; jfr_source_release() from any thread.
 * Signals:   nothing here is async-signal-safe. A mapped file that shrinks while it is read raises
 *            SIGBUS, as with any mapping; jfr_source_next() re-checks the size at every chunk.
 * Ownership: a raw chunk's bytes are valid until its release; several may be held at once.
 * Errors:    a damaged place is reported once, then the next call continues after it (at the next
 *            chunk header). JFR_E_IO and JFR_E_NOMEM end the source.
 */
#ifndef JFRFMT_READ_SOURCE_H
#define JFRFMT_READ_SOURCE_H

#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_source;
struct source_block;

/* One undecoded chunk: from its magic to the next chunk's, or to the end of the input.
 * bytes[0..n) hold at least a complete chunk header of the version found there. */
struct jfr_raw {
    const uint8_t *bytes;
    size_t n; /* bytes there are; less than `declared` when the chunk is cut, more when
               * undeclared bytes follow it (a killed recorder's unflushed tail) */
    uint64_t declared; /* chunk size by its header; 0 when the header does not know */
    uint64_t offset; /* of bytes[0] in the unwrapped input */
    uint32_t index; /* 0-based number of the chunk in this input */
    int64_t recording_nanos; /* set by the caller: when the recording of this chunk began, ns since
                              * 1970; 0: the chunk is its first */
    struct source_block *block; /* private: who holds the bytes */
};

/* Opens a file by name; "-" is standard input. NULL and *err on failure. */
struct jfr_source *jfr_source_open(const char *path, struct jfr_error *err);

/* The same for an open descriptor (file, pipe or socket), which the source closes, also on failure.
 */
struct jfr_source *jfr_source_open_fd_take(int fd, struct jfr_error *err);

/* The same for n bytes in memory, which must outlive the source. Wrapped bytes are unwrapped too.
 */
struct jfr_source *jfr_source_open_mem(const void *bytes, size_t n, struct jfr_error *err);

/* The next chunk. 1 and *raw; 0 at the end; negative and *err (code, offset, chunk, text) on
 * damage: the next call continues after it unless jfr_source_done(). An input without a single
 * chunk header is JFR_E_FORMAT "not a JFR recording", an empty one JFR_E_SHORT "file is empty". */
int jfr_source_next(struct jfr_source *src, struct jfr_raw *raw, struct jfr_error *err);

/* True when the source has ended, well or badly. */
bool jfr_source_done(const struct jfr_source *src);

/* Sources of this process stop with JFR_E_LIMIT when a wrapped input unpacks to more bytes than
 * this. 0, the default: to more than 64 GB, or than 200 times what was read of it, but not before
 * 1 GB. Threads: any; sources that are open follow. */
void jfr_source_limit_unpacked(uint64_t bytes);

/* Total bytes of the unwrapped input if known beforehand (plain file, memory), else 0. */
uint64_t jfr_source_size(const struct jfr_source *src);

/* Gives the chunk's bytes back (unmaps, frees or advises the kernel). Idempotent. */
void jfr_source_release(struct jfr_source *src, struct jfr_raw *raw);

/* Closes; every raw chunk must have been released. NULL is allowed. */
void jfr_source_close(struct jfr_source *src);

#endif
