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

/* When the chunk is too old, in ticks; it may be too large before. INT64_MAX: never. */
int64_t output_chunk_end(const struct recording *r);

/* Makes everything so far part of the file; begins a new chunk when one is due; tries again after a
 * failure, now and then. Failures go to the log, once. now: 0 = now, and no new chunk, since a copy
 * or the end of the recording follows. */
void output_flush(struct recording *r, int64_t now);

/* Copies what was flushed to another file. 0, or -1 and one line. */
int output_dump(const struct recording *r, const char *path, struct buf *reply,
                char why[REPLY_WHY]);

void output_status(struct buf *reply);

/* Closes the file; nothing if there is none. */
void output_close(struct recording *r);

#endif
