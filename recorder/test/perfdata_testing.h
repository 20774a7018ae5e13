/*
 * perfdata_testing.h - a block of counters as the VM lays it out, for tests.
 *
 *     perfdata_begin();
 *     perfdata_put_number("java.threads.live", 42);
 *     perfdata_use(perfdata_block, perfdata_block_n);
 */
#ifndef RECORDER_TEST_PERFDATA_TESTING_H
#define RECORDER_TEST_PERFDATA_TESTING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static _Alignas(8) uint8_t perfdata_block[8192];
static size_t perfdata_block_n;
static int32_t perfdata_entries;

static inline void perfdata_put32(size_t at, int32_t v)
{
    memcpy(perfdata_block + at, &v, 4);
}

/* One entry; its name is padded so that data is aligned to 8. */
static inline void perfdata_put(const char *name, char type, int32_t vector_n, const void *data,
                                size_t n)
{
    size_t name_n = strlen(name) + 1, data_at = (20 + name_n + 7) / 8 * 8;
    size_t at = perfdata_block_n, length = (data_at + n + 7) / 8 * 8;

    perfdata_put32(at, (int32_t)length);
    perfdata_put32(at + 4, 20);
    perfdata_put32(at + 8, vector_n);
    perfdata_block[at + 12] = (uint8_t)type;
    perfdata_put32(at + 16, (int32_t)data_at);
    memcpy(perfdata_block + at + 20, name, name_n);
    memcpy(perfdata_block + at + data_at, data, n);
    perfdata_block_n += length;
    perfdata_put32(28, ++perfdata_entries);
}

static inline void perfdata_put_number(const char *name, int64_t v)
{
    perfdata_put(name, 'J', 0, &v, 8);
}

/* Head of an empty block of this machine's byte order, version 2.0, complete. */
static inline void perfdata_begin(void)
{
    static const uint8_t head[8] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};

    memset(perfdata_block, 0, sizeof(perfdata_block));
    memcpy(perfdata_block, head, sizeof(head));
    perfdata_block[4] = *(const uint8_t *)&(const uint16_t){1};
    perfdata_put32(24, 32);
    perfdata_entries = 0;
    perfdata_block_n = 32;
}

#endif
