/*
 * array.h - arrays that grow while elements are added.
 *
 *     struct row *rows = NULL;
 *     size_t n = 0;
 *     if (!array_add(&rows, n, sizeof(*rows)))
 *         return JFR_E_NOMEM;
 *     rows[n++] = row;
 *     free(rows);
 *
 * array_add() needs no variable for the room, since the room follows from n. array_reserve() is for
 * arrays that are emptied and filled again, or grow by several elements at once.
 *
 * In a build with AddressSanitizer the room of a small array is exact, so that a read of the
 * element after the last one is found.
 *
 * Threads: an array belongs to one thread at a time. Signals: not async-signal-safe.
 */
#ifndef JFRFMT_BASE_ARRAY_H
#define JFRFMT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for element n of an array that has n elements and got its room from this function
 * alone. `array` is the address of the pointer, which is NULL for n = 0. Returns false if out of
 * memory; the array is then as before. The new memory is not initialized. */
bool array_add(void *array, size_t n, size_t size);

/* Makes room for n elements in all; *room is the number there is room for, 0 with a NULL pointer.
 * Otherwise like array_add(). */
bool array_reserve(void *array, size_t *room, size_t n, size_t size);

#endif
