/*
 * ring.c - a ring buffer of many writers and one reader, without locks.
 *
 * A writer reserves by moving `head` with a compare-and-swap, and commits by storing the size of
 * its record. The reader stops at a record whose size is still 0, and zeroes what it releases.
 * Writers may be signal handlers that interrupt each other.
 */
#include "recorder/capture/ring.h"

#include <string.h>

#define TRIES 1000

void ring_init(struct ring *r, void *bytes, size_t size)
{
    r->bytes = bytes;
    r->size = size;
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
}

static struct ring_head *head_at(const struct ring *r, uint64_t position)
{
    return (struct ring_head *)(void *)(r->bytes + (position & (r->size - 1)));
}

/* ASYNC-SIGNAL-SAFE */
void *ring_reserve(struct ring *r, size_t n)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

    n = (n + 7) & ~(size_t)7;
    if (n > r->size / 2)
        return NULL;
    for (int i = 0; i < TRIES; i++) {
        uint64_t left = r->size - (head & (r->size - 1)); /* to the end of the memory */
        uint64_t pad = left < n ? left : 0;
        /* Pairs with the release in ring_release(): what was read there is zero by now. */
        uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

        if (head + pad + n - tail > r->size)
            return NULL;
        if (!atomic_compare_exchange_weak_explicit(&r->head, &head, head + pad + n,
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        if (pad > 0)
            atomic_store_explicit(&head_at(r, head)->size, RING_PAD | (uint32_t)pad,
                                  memory_order_release);
        return head_at(r, head + pad);
    }
    return NULL;
}

/* ASYNC-SIGNAL-SAFE */
void ring_commit(void *record, size_t n)
{
    struct ring_head *h = record;

    /* Pairs with the acquire in ring_peek(): a reader that sees the size sees the whole record. */
    atomic_store_explicit(&h->size, (uint32_t)((n + 7) & ~(size_t)7), memory_order_release);
}

static void release_record(struct ring *r, struct ring_head *h, uint32_t n)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

    /* The next record may begin anywhere in here, and its size has to read as 0 until then. */
    memset((void *)h, 0, n);
    atomic_store_explicit(&r->tail, tail + n, memory_order_release);
}

void *ring_peek(struct ring *r)
{
    for (;;) {
        uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
        struct ring_head *h = head_at(r, tail);
        uint32_t size = atomic_load_explicit(&h->size, memory_order_acquire);

        if (size == 0)
            return NULL;
        if ((size & RING_PAD) == 0)
            return h;
        release_record(r, h, size & ~RING_PAD);
    }
}

void ring_release(struct ring *r, void *record)
{
    struct ring_head *h = record;

    release_record(r, h, atomic_load_explicit(&h->size, memory_order_relaxed));
}

uint64_t ring_oldest(const struct ring *r)
{
    return atomic_load_explicit(&r->tail, memory_order_relaxed);
}

uint64_t ring_next(const struct ring *r)
{
    return atomic_load_explicit(&r->head, memory_order_acquire);
}

void *ring_look(const struct ring *r, uint64_t *at, uint64_t end)
{
    while (*at < end) {
        struct ring_head *h = head_at(r, *at);
        uint32_t size = atomic_load_explicit(&h->size, memory_order_acquire);

        if (size == 0)
            return NULL;
        *at += size & ~RING_PAD;
        if ((size & RING_PAD) == 0)
            return h;
    }
    return NULL;
}
