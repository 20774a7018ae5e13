/*
 * hash.h - hashes of bytes and of numbers for tables in memory.
 *
 * hash_number() and hash_text() use a seed that is drawn at random for each process. The author of
 * a recording therefore cannot choose keys that have the same hash. The hashes differ from run to
 * run, so they must not be written to files.
 *
 * Threads: any. Signals: async-signal-safe.
 */
#ifndef JFRFMT_BASE_HASH_H
#define JFRFMT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Drawn from getrandom(2) before main(), or when the library is loaded. A test may set it while no
 * table is in use. */
extern uint64_t hash_seed;

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Every byte and n count; `seed` makes collisions unpredictable to an attacker who chooses the
 * bytes. */
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

/* The hash of n bytes in this process. */
static inline uint64_t hash_text(const void *bytes, size_t n)
{
    return hash_bytes(bytes, n, hash_seed);
}

/* The hash of a number in this process. Two numbers never have the same 64 bits. */
static inline uint64_t hash_number(uint64_t key)
{
    uint64_t h = key ^ hash_seed;

    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

#endif
