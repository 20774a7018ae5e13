/*
 * hash.h - a hash of bytes for tables in memory; not for files, it differs from run to run.
 * Signals: async-signal-safe.
 */
#ifndef JFRFMT_BASE_HASH_H
#define JFRFMT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Every byte and n count; `seed` makes collisions unpredictable to whoever chooses the bytes. */
static inline uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
    const uint8_t *p = bytes;
    uint64_t h = seed ^ (n * 0x9e3779b97f4a7c15u), word;

    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = hash_mix(h ^ word, 0xd6e8feb86659fd93u);
    }
    word = 0;
    memcpy(&word, p, n);
    h = hash_mix(h ^ word, 0xa0761d6478bd642fu);
    return h ^ h >> 32;
}

#endif
