/*
 * text.h - text from a JVM made into the UTF-8 that recordings must hold.
 *
 * JVMTI and JNI hand out modified UTF-8 (NUL as C0 80, characters beyond U+FFFF as two surrogates
 * of three bytes each), which readers of recordings show as replacement characters.
 * Signals: async-signal-safe on a fixed buffer.
 */
#ifndef JFRFMT_BASE_TEXT_H
#define JFRFMT_BASE_TEXT_H

#include "jfrfmt/base/buf.h"

#include <stddef.h>

/* Appends n bytes of UTF-8 or modified UTF-8 as real UTF-8. Surrogate pairs are joined, C0 80
 * becomes U+0000, malformed parts and lone surrogates become U+FFFD. */
void text_append(struct buf *out, const char *text, size_t n);

#endif
