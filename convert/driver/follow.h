/*
 * follow.h - a job over recordings that are being written: over a file that grows, or the files
 * that come into a folder.
 *
 *     struct follow *f = follow_new(&how);
 *     while (...) {
 *         rc = follow_poll(f, "app.jfr", &is_there, &out);     what is new in it
 *         sleep
 *     }
 *     follow_free(f);
 *
 * Only what the recorder has completed is read: events below the size that the chunk's header
 * declares, whose constants are in the file by then. Each event is handed to the job once, also if
 * its chunk comes again in another file. What was in a file that is removed is read to its end.
 *
 * Memory: what one chunk takes, and the job. Threads: one.
 */
#ifndef CONVERT_DRIVER_FOLLOW_H
#define CONVERT_DRIVER_FOLLOW_H

#include "convert/driver/run.h"

struct follow;

struct follow_how {
    struct run_job job; /* with worker_new; that of convert/json or convert/print */
    /* Called after the new events of a chunk, with the job's `shared`: the job passes on what it
     * kept. NULL: it keeps nothing. */
    int (*end)(void *shared, struct out *out);
};

/* NULL if out of memory. */
struct follow *follow_new(const struct follow_how *how);
void follow_free(struct follow *f); /* NULL is allowed */

/* Runs the job over what is new in a file, or in the files of a folder whose names end in .jfr or
 * .part, by name. Returns 0, also if there is nothing yet; or a negative code: out of memory, or
 * the error of the output. *is_there: the file or folder exists. */
int follow_poll(struct follow *f, const char *path, bool *is_there, struct out *out);

/* The same for a job that does not write to `out`, which is not flushed. */
int follow_read(struct follow *f, const char *path, bool *is_there, struct out *out);

/* Appends which events were read, as lines of numbers, for another process that continues there. */
void follow_save(const struct follow *f, struct buf *text);

/* Reads these lines; before the first poll. False if memory is exhausted or they are no such. */
bool follow_restore(struct follow *f, const char *text);

/* From now on only what comes after the present end of the file or folder is read. */
int follow_skip_present(struct follow *f, const char *path);

#endif
