/*
 * queue.h - what waits to be printed, in the order in which the JDK's tool takes it out.
 *
 * Items with one time have no order of their own, so which of them comes first follows from how
 * the JDK's queue is built, a binary heap: an item that is added goes up while it is less than its
 * parent, and when the first is taken the last one takes its place and goes down.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_PRINT_QUEUE_H
#define CONVERT_PRINT_QUEUE_H

#include "convert/print/part.h"

struct print_entry {
    int64_t ns; /* of the item: most comparisons need no more */
    struct print_item *item;
};

struct print_queue {
    struct print_entry *entries;
    size_t n, room;
};

/* Adds an item, which must not move while it is in the queue. Returns false if out of memory. */
bool print_queue_add(struct print_queue *q, struct print_item *item);

/* Takes the first one; the queue must not be empty. */
struct print_item *print_queue_take(struct print_queue *q);

/* Frees the queue and releases the items in it. */
void print_queue_free(struct print_queue *q);

#endif
