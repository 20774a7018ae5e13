/*
 * utf8.h - code points out of bytes that may be anything.
 *
 *     while (p < end)
 *         use(utf8_next(&p, end));
 *
 * Async-signal-safe; no state.
 */
#ifndef JFRFMT_BASE_UTF8_H
#define JFRFMT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu

/* The next code point as Java's decoder sees it, and *p moved after it; *p < end. A malformed part
 * gives one U+FFFD and is as long as what Java replaces by one; a surrogate in three bytes is such
 * a part. */
uint32_t utf8_next(const uint8_t **p, const uint8_t *end);

/* The same for text that a JVM may have written in modified UTF-8: C0 80 is U+0000, a surrogate
 * pair in twice three bytes is the character it stands for, and a lone surrogate comes as it is. */
uint32_t utf8_next_jvm(const uint8_t **p, const uint8_t *end);

/* Writes a code point (surrogates too, in three bytes) to `at`, which has room for four. Returns
 * the number of bytes, 1..4. */
size_t utf8_put(uint8_t *at, uint32_t cp);

#endif
