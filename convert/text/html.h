/*
 * html.h - text into a page: escaped, and with nothing invisible left in it.
 *
 * Control characters show as the pictures of U+2400 on (C1 ones and the marks that turn the writing
 * direction as \u202e in plain letters), so a name cannot pose as another one. Malformed UTF-8
 * becomes U+FFFD; the result is valid UTF-8 for any input bytes.
 */
#ifndef CONVERT_TEXT_HTML_H
#define CONVERT_TEXT_HTML_H

#include "jfrfmt/base/buf.h"

/* n bytes of UTF-8 as character data: & < > escaped. */
void html_text(struct buf *b, const char *s, size_t n);

/* The same for the inside of an attribute in double or single quotes. */
void html_attr(struct buf *b, const char *s, size_t n);

#endif
