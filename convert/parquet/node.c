/* node.c - how the types of columns are stored: physical types, and texts that are valid UTF-8. */
#include "convert/parquet/node.h"

#include <string.h>

enum parquet_physical parquet_physical(enum parquet_type type)
{
    static const enum parquet_physical physical[PARQUET_N_TYPES] = {
        [PARQUET_BOOLEAN] = PHYSICAL_BOOLEAN,   [PARQUET_INT8] = PHYSICAL_INT32,
        [PARQUET_INT16] = PHYSICAL_INT32,       [PARQUET_INT32] = PHYSICAL_INT32,
        [PARQUET_INT64] = PHYSICAL_INT64,       [PARQUET_UINT8] = PHYSICAL_INT32,
        [PARQUET_UINT16] = PHYSICAL_INT32,      [PARQUET_UINT32] = PHYSICAL_INT32,
        [PARQUET_UINT64] = PHYSICAL_INT64,      [PARQUET_FLOAT] = PHYSICAL_FLOAT,
        [PARQUET_DOUBLE] = PHYSICAL_DOUBLE,     [PARQUET_TIME] = PHYSICAL_INT64,
        [PARQUET_STRING] = PHYSICAL_BYTE_ARRAY, [PARQUET_ID] = PHYSICAL_FIXED_LEN_BYTE_ARRAY,
    };

    return physical[type];
}

unsigned parquet_number_bytes(enum parquet_type type)
{
    enum parquet_physical physical = parquet_physical(type);

    return physical == PHYSICAL_INT32 || physical == PHYSICAL_FLOAT ? 4 : 8;
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
