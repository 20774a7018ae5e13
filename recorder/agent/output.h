/*
 * output.h - the file of a recording: its name, flushes, chunks, limits, copies.
 *
 * Threads: the drain thread only.
 */
#ifndef RECORDER_AGENT_OUTPUT_H
#define RECORDER_AGENT_OUTPUT_H

#include "jfrfmt/base/buf.h"
#include "recorder/capture/engine.h"
#include "recorder/agent/reply.h"
#include "recorder/capture/engine.h"

/* Opens the file that the options name; sets r->writer and r->file. 0, or -1 and one line. */
int output_open(struct recording *r, char why[REPLY_WHY]);

/* The next flush begins a new chunk. */
bool output_is_chunk_due(const struct recording *r, int64_t now);

/* When the chunk will be too old, in ticks (it may be too large earlier); INT64_MAX: never. */
int64_t output_chunk_end(const struct recording *r);

/* Writes everything so far to the file. Begins a new chunk if one is due. After a failure, it tries
 * again from time to time; a failure is logged once. now: ticks; 0: the current time, and no new
 * chunk, since a copy or the end of the recording follows. */
void output_flush(struct recording *r, int64_t now);

/* Copies what was flushed to another file. 0, or -1 and one line. */
int output_dump(const struct recording *r, const char *path, struct buf *reply,
                char why[REPLY_WHY]);

void output_status(struct buf *reply);

/* Closes the file. Without effect if there is none. */
void output_close(struct recording *r);

#endif
