/*
 * encode.h - how Parquet packs numbers into the body of a page.
 *
 * All of them append to a buffer, whose error sticks. Sources of the rules: the sections of
 * Encodings.md of Apache Parquet that are named below. Threads: any.
 */
#ifndef CONVERT_PARQUET_ENCODE_H
#define CONVERT_PARQUET_ENCODE_H

#include "jfrfmt/base/buf.h"

/* Bits that hold every number up to `most`. */
unsigned encode_width(uint64_t most);

/* RLE (section "Run Length Encoding / Bit-Packing Hybrid"): n numbers below 2^width, width 0 to 32.
 * Runs of equal numbers, and groups of eight others. */
void encode_hybrid(struct buf *b, const uint32_t *v, size_t n, unsigned width);

/* Levels of a data page of version 1: four bytes with the length, then RLE of n numbers up to
 * `most`. */
void encode_levels(struct buf *b, const uint8_t *v, size_t n, uint8_t most);

/* DELTA_BINARY_PACKED (section "Delta Encoding"): differences from one number to the next, which
 * may wrap around. */
void encode_delta(struct buf *b, const int64_t *v, size_t n);

/* PLAIN: of truths one bit each; of numbers their low `size` bytes (4 or 8), the lowest first. */
void encode_bits(struct buf *b, const int64_t *v, size_t n);
void encode_plain(struct buf *b, const int64_t *v, size_t n, size_t size);

#endif
