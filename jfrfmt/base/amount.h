/*
 * amount.h - bytes and times as people read them: "512 B", "1.2 MB", "310 ms".
 *
 * For options and settings, which people write, see quantity.h. What imitates the JDK's tool has
 * forms of its own.
 *
 * Threads: any. Signals: no.
 */
#ifndef JFRFMT_BASE_AMOUNT_H
#define JFRFMT_BASE_AMOUNT_H

#include "jfrfmt/base/buf.h"

/* Whole bytes below 1000; from there on one decimal and a power of 1000: kB, MB, GB, TB, PB, EB. */
void amount_put_bytes(struct buf *b, int64_t bytes);

/* Three digits at least, in ns, us, ms or s. */
void amount_put_ns(struct buf *b, int64_t ns);

/* The bytes as a string; `text` has room for it. Returns text. */
const char *amount_bytes(int64_t bytes, char text[32]);

#endif
