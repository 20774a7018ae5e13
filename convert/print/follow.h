/*
 * follow.h - events of recordings that are being written: of a file that grows, or of the files
 * that come into a folder.
 *
 *     struct follow *f = follow_new(&options, select);
 *     while (...) {
 *         rc = follow_poll(f, "app.jfr", &out, &err);     what is new in it
 *         sleep
 *     }
 *     follow_free(f);
 *
 * Only what the recorder has completed is read: events below the size that the chunk's header
 * declares, whose constants are in the file by then. Each event is printed once. The events that
 * one call finds are in the order of their ends. A file that was replaced is read from its start;
 * what was in one that is removed is read to its end.
 *
 * Memory: what one chunk takes, and the texts of the events that one call finds. Threads: one.
 */
#ifndef CONVERT_PRINT_FOLLOW_H
#define CONVERT_PRINT_FOLLOW_H

#include "convert/print/print.h"

struct follow;

struct follow *follow_new(const struct print_options *options, struct select *select);
void follow_free(struct follow *f); /* NULL is allowed */

/* Prints what is new in a file, or in the files of a folder whose names end in .jfr or .part, by
 * name. Returns 0, also if there is nothing yet; or a negative code: out of memory, or the error of
 * the output. *is_there: the file or folder exists. */
int follow_poll(struct follow *f, const char *path, bool *is_there, struct out *out);

/* From now on only what comes after the present end of the file or folder is printed. */
int follow_skip_present(struct follow *f, const char *path);

#endif
