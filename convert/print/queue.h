/*
 * queue.h - what waits to be printed, in the order in which the JDK's tool takes it out.
 *
 * Entries with one time have no order of their own, so which of them comes first follows from how
 * the JDK's queue is built, a binary heap: an entry that is added goes up while it is less than its
 * parent, and when the first is taken the last one takes its place and goes down.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_PRINT_QUEUE_H
#define CONVERT_PRINT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct print_item { /* an event, or the start or end of one that is a context of others */
    int64_t ns; /* since 1970 */
    bool is_end; /* of two with one time the start comes first */
    bool is_context;
    bool has_thread;
    uint32_t head; /* bytes of the first line of its text */
    uint32_t n; /* bytes of the text */
    uint64_t thread; /* key */
    uint64_t number; /* of the event */
    char *text; /* malloced; of a context at its end NULL */
};

struct print_queue {
    struct print_item *items;
    size_t n, room;
};

/* Returns false if out of memory. */
bool print_queue_add(struct print_queue *q, const struct print_item *item);

/* Takes the first one; the queue must not be empty. */
struct print_item print_queue_take(struct print_queue *q);

/* Frees the queue and the texts in it. */
void print_queue_free(struct print_queue *q);

#endif
