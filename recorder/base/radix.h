/*
 * radix.h - sorts many items by a number that each of them begins with.
 *
 * Tables of a VM's library have 50 000 entries: comparing them two at a time takes five times as
 * long. Threads: any. Signals: not from signal handlers.
 */
#ifndef RECORDER_BASE_RADIX_H
#define RECORDER_BASE_RADIX_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts n items of `size` bytes, ascending by the number in their first key_n bytes (1 to 8), of
 * this machine's byte order. Items with the same number keep their order. False: no memory, and
 * nothing has changed. */
bool radix_sort(void *items, size_t n, size_t size, size_t key_n);

#endif
