/* summary_names.h - names made fit for a terminal. */
#ifndef CONVERT_REPORT_SUMMARY_NAMES_H
#define CONVERT_REPORT_SUMMARY_NAMES_H

#include "jfrfmt/base/buf.h"

/* Appends UTF-8 text for a terminal: what is malformed becomes U+FFFD, control characters and
 * those that turn the writing direction or break lines are spelt \uXXXX. NULL appends nothing. */
void names_plain(struct buf *b, const char *text);

/* How many columns names_plain() fills, every character counted as one. */
size_t names_plain_width(const char *text);

#endif
