/*
 * gzip.h - an output packed with gzip: the same bytes whenever they are made.
 *
 *     struct gzip *z = gzip_new(out);
 *     gzip_put(z, bytes, n);
 *     rc = gzip_end(z);                                     frees it
 *
 * Errors: the first one sticks; 0, the error of `out`, or JFR_E_NOMEM. Threads: one at a time.
 */
#ifndef CONVERT_TEXT_GZIP_H
#define CONVERT_TEXT_GZIP_H

#include "convert/text/out.h"

struct gzip;

struct gzip *gzip_new(struct out *out); /* NULL if out of memory; `out` is borrowed */
int gzip_put(struct gzip *z, const void *bytes, size_t n);

/* Ends the stream and frees z, which may be NULL (then JFR_E_NOMEM). */
int gzip_end(struct gzip *z);

#endif
