/* testing_fuzz.h - what the fuzz targets of the reader share: headers put right after a mutation.
 */
#ifndef JFRFMT_TEST_TESTING_FUZZ_H
#define JFRFMT_TEST_TESTING_FUZZ_H

#include "jfrfmt/jfr.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n, size_t max);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed);

static inline void put_be(uint8_t *at, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(v >> 8 * (7 - i));
}

/* Makes the n bytes a finished chunk: its size is n, and its header names the last metadata event
 * and the last checkpoint among its events. */
static inline void mend_chunk(uint8_t *bytes, size_t n)
{
    size_t at = JFR_CHUNK_HEADER_SIZE;

    if (n < JFR_CHUNK_HEADER_SIZE)
        return;
    memcpy(bytes, "FLR\0\0\2\0\1", 8);
    put_be(bytes + 8, n);
    bytes[64] = 0;
    while (at < n) {
        struct cursor c = cur_over(bytes + at, n - at);
        uint64_t size = cur_varint(&c), type = cur_varint(&c);

        if (!cur_ok(&c) || size == 0 || size > n - at)
            break;
        if (type < 2)
            put_be(bytes + (type == 0 ? 24 : 16), at);
        at += size;
    }
}

/* Where the next chunk begins behind `at`, or n. */
static inline size_t next_magic(const uint8_t *bytes, size_t n, size_t at)
{
    const uint8_t *p = at < n ? memmem(bytes + at, n - at, "FLR\0", 4) : NULL;

    return p == NULL ? n : (size_t)(p - bytes);
}

#endif
