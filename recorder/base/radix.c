#include "recorder/base/radix.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t digit_of(const uint8_t *item, size_t at)
{
    return item[at];
}

/* Moves the items into `to`, ascending by one byte of their number. False: all have the same there,
 * and nothing was moved. */
static bool pass(const uint8_t *from, uint8_t *to, size_t n, size_t size, size_t at)
{
    size_t starts[256] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        starts[digit_of(from + i * size, at)]++;
    if (starts[digit_of(from, at)] == n)
        return false;
    for (size_t d = 0; d < 256; d++) {
        size_t count = starts[d];

        starts[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        const uint8_t *item = from + i * size;

        memcpy(to + starts[digit_of(item, at)]++ * size, item, size);
    }
    return true;
}

bool radix_sort(void *items, size_t n, size_t size, size_t key_n)
{
    uint8_t *from = items, *to = n < 2 ? NULL : malloc(n * size), *room = to;

    if (n < 2)
        return true;
    if (room == NULL)
        return false;
    for (size_t k = 0; k < key_n; k++) {
        size_t at = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? k : key_n - 1 - k;
        uint8_t *sorted = to;

        if (!pass(from, to, n, size, at))
            continue;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * size);
    free(room);
    return true;
}
