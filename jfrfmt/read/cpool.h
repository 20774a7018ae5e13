/*
 * cpool.h - the constant pools of a chunk: (class, key) -> value.
 *
 * Nothing is read before a pool is first requested: then the checkpoint chain is walked once, and a
 * class's entries are indexed when that class is first looked at. Values stay bytes.
 * Of two entries with one key the one from the newer checkpoint counts, as in JMC (the JDK's tool
 * takes the older one, see JFR_POOL_OLDEST). Threads: as the chunk.
 */
#ifndef JFRFMT_READ_CPOOL_H
#define JFRFMT_READ_CPOOL_H

#include "jfrfmt/base/cursor.h"

#include <stddef.h>
#include <stdint.h>

/* The constants of one class in one chunk. Entries are numbered 0..n-1 in no particular order, but
 * in the same order for the same bytes, so that callers can keep arrays beside a pool. */
struct jfr_pool;

/* Number of entries. */
size_t jfr_pool_n(const struct jfr_pool *pool);

/* Index of the entry with this key; -1 when there is none, which reads as null. Any 64-bit key is
 * legal, 0 included. pool may be NULL: -1. */
int64_t jfr_pool_find(const struct jfr_pool *pool, uint64_t key);

/* Brings near what jfr_pool_find() will read, if called some keys before it. */
void jfr_pool_expect(const struct jfr_pool *pool, uint64_t key);

/* The bytes of an entry's value: its class's fields in order (a string value for String). */
struct cursor jfr_pool_value(const struct jfr_pool *pool, size_t index);

/* The key of an entry. */
uint64_t jfr_pool_key(const struct jfr_pool *pool, size_t index);

#endif
