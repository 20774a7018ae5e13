/*
 * compress.h - an output packed as the ending of its name says: .gz, .zst or .lz4.
 *
 *     struct compress *p = compress_new("app.jfr.zst", &out);
 *     compress_put(p, bytes, n);
 *     rc = compress_end(p);                                     frees it
 *
 * Errors: the first one sticks; 0, the error of `out`, or JFR_E_NOMEM. Threads: one at a time.
 */
#ifndef CONVERT_TEXT_COMPRESS_H
#define CONVERT_TEXT_COMPRESS_H

#include "convert/text/out.h"

struct compress;

/* Does a file of this name get packed? NULL and "-": no. */
bool compress_is_name(const char *name);

/* NULL if out of memory; `out` is borrowed. The name must be one of compress_is_name(). */
struct compress *compress_new(const char *name, struct out *out);
int compress_put(struct compress *p, const void *bytes, size_t n);

/* Ends the stream and frees p, which may be NULL (then JFR_E_NOMEM). */
int compress_end(struct compress *p);

#endif
