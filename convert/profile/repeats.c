/*
 * repeats.c - the memory of the table of repeated events.
 *
 * The table is cleared for each chunk. A small chunk gets a small one, which stays in the caches of
 * the processor.
 */
#include "convert/profile/repeats.h"

#include <stdlib.h>

#define PLACES_LEAST 256
#define PLACES_MOST 65536 /* 2 MB */
#define BYTES_OF_PLACE 256 /* of the chunk: about twelve events */

bool repeats_begin(struct repeats *r, uint64_t chunk_bytes)
{
    size_t n = PLACES_LEAST;

    while (n < PLACES_MOST && n < chunk_bytes / BYTES_OF_PLACE)
        n *= 2;
    if (n > r->room) {
        free(r->places);
        r->places = aligned_alloc(64, n * sizeof(*r->places));
        r->room = r->places == NULL ? 0 : n;
    }
    r->n = n;
    if (r->places != NULL)
        memset(r->places, 0, n * sizeof(*r->places));
    return r->places != NULL;
}

void repeats_free(struct repeats *r)
{
    free(r->places);
    *r = (struct repeats){NULL, 0, 0};
}
