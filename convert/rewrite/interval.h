/*
 * interval.h - what is new in a recording that is being written, as a recording of its own.
 *
 *     struct interval *iv = interval_new(&edit);
 *     each time: rc = interval_take(iv, "app.jfr", since_ns, now_ns, &sink, &n_events);
 *     interval_save(iv, &text) ... interval_restore(iv, text)      in the next process
 *     interval_free(iv);
 *
 * Each event is in one interval: convert/driver/follow.h knows what was read before. An event comes
 * when the recorder has written it, so a long one comes with the interval in which it ended. Each
 * interval is whole: it has the constants that its events refer to.
 *
 * Memory: what one chunk takes, and 24 bytes for each chunk that was read. Threads: one.
 */
#ifndef CONVERT_REWRITE_INTERVAL_H
#define CONVERT_REWRITE_INTERVAL_H

#include "convert/rewrite/rewrite.h"

struct interval;

/* edit: what is removed from events; borrowed. NULL if out of memory. */
struct interval *interval_new(const struct rewrite_edit *edit);
void interval_free(struct interval *iv); /* NULL is allowed */

/* Writes what is new in a file or folder as a recording, and how many events that is; nothing if
 * there are none. Its chunks begin and end between the two times (ns since 1970), which readers
 * show as its time. 0, also if the file is not there, or negative: out of memory, or the sink's
 * error. */
int interval_take(struct interval *iv, const char *path, int64_t from_ns, int64_t to_ns,
                  const struct raw_sink *sink, uint64_t *n_events);

/* Appends what was read so far, as lines. */
void interval_save(const struct interval *iv, struct buf *text);

/* Reads that again, in a new one. False if memory is exhausted, or the lines are no such. */
bool interval_restore(struct interval *iv, const char *text);

#endif
