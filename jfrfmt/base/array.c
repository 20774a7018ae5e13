/*
 * array.c - the one place that decides how arrays grow: from 16 elements on by doubling, so that an
 * element is copied twice at most on average.
 */
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MIN ((size_t)16)

/* Elements up to which each array has exactly the room that it needs. */
#ifdef __SANITIZE_ADDRESS__
#define EXACT ((size_t)1024)
#else
#define EXACT ((size_t)0)
#endif

static bool resize(void *array, size_t room, size_t size)
{
    size_t bytes;
    void *old, *grown;

    if (__builtin_mul_overflow(room, size, &bytes))
        return false;
    memcpy(&old, array, sizeof(old)); /* a pointer of any type */
    grown = realloc(old, bytes);
    if (grown == NULL)
        return false;
    memcpy(array, &grown, sizeof(grown));
    return true;
}

bool array_add(void *array, size_t n, size_t size)
{
    if (n + 1 <= EXACT)
        return resize(array, n + 1, size);
    if (n == 0)
        return resize(array, ROOM_MIN, size);
    if (n < ROOM_MIN || (n & (n - 1)) != 0)
        return true;
    return resize(array, 2 * n, size);
}

bool array_reserve(void *array, size_t *room, size_t n, size_t size)
{
    size_t more = *room < ROOM_MIN ? ROOM_MIN : 2 * *room;

    if (n <= *room)
        return true;
    if (more < n || n <= EXACT)
        more = n;
    if (!resize(array, more, size))
        return false;
    *room = more;
    return true;
}
