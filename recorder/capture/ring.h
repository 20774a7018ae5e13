/*
 * ring.h - a fixed amount of memory through which records go from many threads to one.
 *
 *     struct ring r;
 *     ring_init(&r, memory, 1 << 20);
 *     struct record *rec = ring_reserve(&r, bytes);      any thread, also in a signal handler
 *     if (rec != NULL) { ...fill...; ring_commit(rec, bytes); }
 *
 *     while ((rec = ring_peek(&r)) != NULL) { ...read...; ring_release(&r, rec); }     one thread
 *
 * Records stay in the order in which they were reserved. A full ring refuses; it never waits and
 * never overwrites. A record that is reserved but not committed delays the records after it.
 *
 * Signals: ring_reserve() and ring_commit() are async-signal-safe and may interrupt each other.
 */
#ifndef RECORDER_CAPTURE_RING_H
#define RECORDER_CAPTURE_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* What every record begins with. 0: reserved, not committed. */
struct ring_head {
    _Atomic uint32_t size; /* of the whole record, a multiple of 8; RING_PAD: nothing in it */
};

#define RING_PAD UINT32_C(0x80000000)

struct ring {
    uint8_t *bytes;
    uint64_t size; /* a power of two */
    _Alignas(64) _Atomic uint64_t head; /* bytes ever reserved */
    _Alignas(64) _Atomic uint64_t tail; /* bytes ever released */
};

/* Over `size` zeroed bytes, a power of two >= 64 and aligned to 8, that outlive the ring. */
void ring_init(struct ring *r, void *bytes, size_t size);

/* Room for a record of n bytes, which are zero, or NULL: the ring is full, or n is more than half
 * of it. n counts from the ring_head on and is rounded up to a multiple of 8. */
void *ring_reserve(struct ring *r, size_t n);

/* Hands the record of n bytes to the reader. */
void ring_commit(void *record, size_t n);

/* Bytes that are reserved and not released. Async-signal-safe. */
static inline uint64_t ring_used(const struct ring *r)
{
    return atomic_load_explicit(&r->head, memory_order_relaxed) -
           atomic_load_explicit(&r->tail, memory_order_relaxed);
}

/* The oldest record, or NULL: there is none that was committed. */
void *ring_peek(struct ring *r);

/* Gives back the memory of what ring_peek() returned. */
void ring_release(struct ring *r, void *record);

/* Where the oldest record is, and the next one will be: places grow. */
uint64_t ring_oldest(const struct ring *r);
uint64_t ring_next(const struct ring *r);

/* Returns the record at place *at, or the next one before `end`, and leaves it in the ring. *at
 * becomes the place after it. Returns NULL if there is none (*at is then end), or if the next one
 * is not committed yet (*at is less than end). */
void *ring_look(const struct ring *r, uint64_t *at, uint64_t end);

#endif
