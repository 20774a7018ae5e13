/* node.c - how types of columns are stored. */
#include "convert/parquet/node.h"

#include <string.h>

int parquet_physical(enum parquet_type type)
{
    static const int physical[PARQUET_N_TYPES] = {
        [PARQUET_BOOLEAN] = 0, [PARQUET_INT8] = 1,  [PARQUET_INT16] = 1,  [PARQUET_INT32] = 1,
        [PARQUET_INT64] = 2,   [PARQUET_UINT8] = 1, [PARQUET_UINT16] = 1, [PARQUET_UINT32] = 1,
        [PARQUET_UINT64] = 2,  [PARQUET_FLOAT] = 4, [PARQUET_DOUBLE] = 5, [PARQUET_TIME] = 2,
        [PARQUET_STRING] = 6,  [PARQUET_ID] = 7,
    };

    return physical[type];
}

const uint8_t *parquet_find_half(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (p = memchr(p, 0xed, (size_t)(end - p))) != NULL) {
        if (end - p >= 3 && p[1] >= 0xa0)
            return p;
        p++;
    }
    return NULL;
}

void parquet_mend(uint8_t *p, size_t n)
{
    static const uint8_t replacement[] = {0xef, 0xbf, 0xbd};
    const uint8_t *half = p;

    while ((half = parquet_find_half(half, p + n)) != NULL) {
        memcpy(p + (half - p), replacement, sizeof(replacement));
        half += sizeof(replacement);
    }
}
