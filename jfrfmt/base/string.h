/*
 * string.h - the text of a field, in the encoding in which it was written.
 *
 * A jfr_str borrows the chunk's bytes. Malformed UTF-8 is never an error: it reads as U+FFFD
 * (jfr-format §3.3).
 */
#ifndef JFRFMT_BASE_STRING_H
#define JFRFMT_BASE_STRING_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/cursor.h"

#include <stdbool.h>
#include <stdint.h>

enum jfr_str_encoding { /* the first byte of a string value */
    JFR_STR_NULL = 0,
    JFR_STR_EMPTY = 1,
    JFR_STR_CONSTANT = 2, /* n is a key into the pool of java.lang.String */
    JFR_STR_UTF8 = 3, /* p[0..n) */
    JFR_STR_UTF16 = 4, /* n varint units, in p[0..n_bytes) */
    JFR_STR_LATIN1 = 5, /* p[0..n) */
};

struct jfr_str {
    const uint8_t *p; /* the body; NULL when there is none */
    uint64_t n; /* bytes, UTF-16 units, or the key of a constant */
    size_t n_bytes; /* bytes of the body */
    enum jfr_str_encoding encoding;
};

/* Reads one string value. Null when it does not fit or has an unknown encoding; the cursor has then
 * failed. Never reads or allocates by the declared count alone. */
struct jfr_str jfr_str_read(struct cursor *c);

/* Steps over one string value. */
void jfr_str_skip(struct cursor *c);

static inline bool jfr_str_is_null(struct jfr_str s)
{
    return s.encoding == JFR_STR_NULL;
}

/* Appends the text as UTF-8. Surrogate pairs are joined, also pairs that were written as two
 * three-byte sequences (JVMs write thread names in modified UTF-8); a lone surrogate stays as three
 * bytes; C0 80 becomes U+0000; anything else malformed becomes U+FFFD. Null and unresolved
 * constants append nothing. */
void jfr_str_append_utf8(struct buf *b, struct jfr_str s);

/* True when the text is equal to the NUL-terminated UTF-8 `text`. Null equals nothing. */
bool jfr_str_equals(struct jfr_str s, const char *text);

#endif
