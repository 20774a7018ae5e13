/*
 * page_in.h - a flame-graph page (flame.h) read back: the stacks that it opens with.
 *
 *     if (page_in_is(bytes, n))
 *         rc = page_in_stacks(bytes, n, &out, &err);       as collapsed.h writes them
 *
 * Pages may come from anybody: whatever one announces is checked against what is there, the
 * sections against their checksum, and a page whose stacks would be written as more than
 * PAGE_IN_GROWTH times its size is refused.
 *
 * Threads: no state. Signals: no.
 */
#ifndef CONVERT_PAGE_IN_H
#define CONVERT_PAGE_IN_H

#include "convert/out.h"

#define PAGE_IN_GROWTH 4096

/* Do the bytes begin like a page? */
bool page_in_is(const void *bytes, size_t n);

/* Appends the stacks, sorted as in the page, one per line. 0, the error of `out`, or negative and
 * *err (JFR_E_FORMAT, JFR_E_SHORT, JFR_E_UNSUPPORTED, JFR_E_LIMIT, JFR_E_NOMEM). */
int page_in_stacks(const void *bytes, size_t n, struct out *out, struct jfr_error *err);

#endif
