/*
 * textw.h - text of recordings for formats that take UTF-8 alone, and for cells of CSV.
 *
 * Threads, errors: those of the buf.
 */
#ifndef CONVERT_TEXT_TEXTW_H
#define CONVERT_TEXT_TEXTW_H

#include "jfrfmt/base/buf.h"

/* n bytes as valid UTF-8: pairs of surrogates are joined, what is malformed becomes U+FFFD. */
void textw_utf8(struct buf *b, const char *text, size_t n);

/* The same as a cell of RFC 4180: in quotes where it must be. With `is_guarded` a text that a
 * spreadsheet would take for a formula (it begins with = + - @, a tab or a carriage return) gets an
 * apostrophe in front. */
void textw_cell(struct buf *b, const char *text, size_t n, bool is_guarded);

#endif
