/*
 * reader.h - read a recording, one event at a time.
 *
 *     struct jfr_error err = {0};
 *     struct jfr_reader *r = jfr_reader_open("app.jfr", &err);
 *     struct jfr_event ev;
 *     while ((rc = jfr_reader_next(r, &ev)) != 0) {
 *         if (rc < 0)
 *             fprintf(stderr, "%s\n", jfr_reader_error(r)->text);   and continue
 *         else if (ev.type != NULL)
 *             ... ev.type->name, plans over jfr_reader_chunk(r) ...
 *     }
 *     jfr_reader_close(r);
 *
 * Threads:   a reader belongs to one thread at a time; different readers share nothing.
 * Signals:   nothing here is async-signal-safe.
 * Ownership: an event, its type and all that hangs on it live until the next chunk is entered.
 */
#ifndef JFRFMT_READ_READER_H
#define JFRFMT_READ_READER_H

#include "jfrfmt/read/chunk.h"

struct jfr_reader;

/* Opens a file ("-": standard input), plain or wrapped. NULL and *err on failure. */
struct jfr_reader *jfr_reader_open(const char *path, struct jfr_error *err);

/* Reads from a source instead, which the reader owns from here on, also on failure. */
struct jfr_reader *jfr_reader_open_source_take(struct jfr_source *src, struct jfr_error *err);

/* Moves to the next event, entering the next chunk when one ends. 1 and *ev; 0 at the end of the
 * recording; negative where something was damaged: jfr_reader_error() says what, and the next call
 * continues after the damage. JFR_E_IO and JFR_E_NOMEM are final: they repeat. */
int jfr_reader_next(struct jfr_reader *r, struct jfr_event *ev);

/* The chunk that the last event came from. */
struct jfr_chunk *jfr_reader_chunk(struct jfr_reader *r);

/* The error that the last negative answer stands for. */
const struct jfr_error *jfr_reader_error(const struct jfr_reader *r);

void jfr_reader_close(struct jfr_reader *r); /* NULL is allowed */

#endif
