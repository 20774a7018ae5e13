/*
 * jsonw.h - JSON values onto a struct buf: strings in two flavours, and numbers.
 *
 *     jsonw_jfr_str(&o->b, s);                       as the JDK's tool prints it
 *     jsonw_jfr_plain(&o->b, s);                     our own layouts: UTF-8
 *     jsonw_str(&o->b, name, n);                     our own layouts, from UTF-8 text
 *     jsonw_u64(&o->b, count);
 *
 * Layout (commas, blanks, keys) is the caller's. Whatever the input bytes are, the result is valid
 * JSON and valid UTF-8. Errors: those of the buf.
 */
#ifndef CONVERT_TEXT_JSONW_H
#define CONVERT_TEXT_JSONW_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/string.h"

#include <stdint.h>

/* Quoted, pure ASCII, one \uxxxx per UTF-16 unit as Java's String has them, '/' escaped. Null is
 * `null`. A JFR_STR_CONSTANT must have been resolved; it prints as null. */
void jsonw_jfr_str(struct buf *b, struct jfr_str s);

/* Quoted UTF-8, escaped only where JSON requires it. Surrogate pairs are joined, however they were
 * written; a lone surrogate becomes U+FFFD. Null and unresolved constants are `null`. */
void jsonw_jfr_plain(struct buf *b, struct jfr_str s);

/* n bytes of UTF-8 (or modified UTF-8) text, quoted, as jsonw_jfr_plain() does it. */
void jsonw_str(struct buf *b, const char *s, size_t n);

/* The same for text that stands inside <script type="application/json">: < > & U+2028 U+2029 are
 * escaped too, so that nothing in it can end the element or open a comment. */
void jsonw_script(struct buf *b, const char *s, size_t n);

void jsonw_i64(struct buf *b, int64_t v);
void jsonw_u64(struct buf *b, uint64_t v);

/* Java's decimal text (javatext.h); null when it is not a finite number. */
void jsonw_double(struct buf *b, double v);
void jsonw_float(struct buf *b, float v);

#endif
