/*
 * waits.c - a hash table with open addressing, in which each thread has the slot of its own key.
 *
 * A slot is claimed by an exchange of its key and freed by storing 0. Its other fields belong to
 * the thread of the key, but for the note, which another thread may leave.
 */
#include "recorder/capture/waits.h"

#include <stddef.h>

#define PROBES 64 /* slots looked at */

static struct wait *slot_at(struct waits *w, int64_t key, unsigned probe)
{
    uint64_t hash = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);

    return &w->slots[((hash >> 40) + probe) & (WAITS_SLOTS - 1)];
}

static struct wait *find_wait(struct waits *w, int64_t key)
{
    for (unsigned i = 0; i < PROBES; i++) {
        struct wait *s = slot_at(w, key, i);

        if (atomic_load_explicit(&s->key, memory_order_acquire) == key)
            return s;
    }
    return NULL;
}

/* Only the thread of the key claims a slot for it, so no key gets two slots. */
static struct wait *claim(struct waits *w, int64_t key)
{
    for (unsigned i = 0; i < PROBES; i++) {
        struct wait *s = slot_at(w, key, i);
        int64_t none = 0;

        /* Pairs with the release in waits_end(): the slot is no longer being read. */
        if (atomic_compare_exchange_strong_explicit(&s->key, &none, key, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return s;
    }
    return NULL;
}

bool waits_begin(struct waits *w, int64_t key, int64_t began, int64_t value)
{
    struct wait *s = key == 0 ? NULL : find_wait(w, key);

    if (s == NULL && key != 0)
        s = claim(w, key);
    if (s == NULL)
        return false;
    atomic_store_explicit(&s->began, began, memory_order_relaxed);
    s->value = value;
    return true;
}

bool waits_end(struct waits *w, int64_t key, int64_t *began, int64_t *value, uint64_t *note)
{
    struct wait *s = key == 0 ? NULL : find_wait(w, key);

    if (s == NULL)
        return false;
    *began = atomic_load_explicit(&s->began, memory_order_relaxed);
    *value = s->value;
    *note = atomic_load_explicit(&s->noted, memory_order_acquire) == *began
                ? atomic_load_explicit(&s->note, memory_order_relaxed)
                : 0;
    /* Pairs with the exchange in claim(). */
    atomic_store_explicit(&s->key, 0, memory_order_release);
    return true;
}

int64_t waits_began(struct waits *w, int64_t key)
{
    struct wait *s = key == 0 ? NULL : find_wait(w, key);
    int64_t began = s == NULL ? 0 : atomic_load_explicit(&s->began, memory_order_relaxed);

    return began != 0 && atomic_load_explicit(&s->noted, memory_order_relaxed) == began ? 0 : began;
}

void waits_note(struct waits *w, int64_t key, int64_t began, uint64_t note)
{
    struct wait *s = find_wait(w, key);

    if (s == NULL)
        return;
    atomic_store_explicit(&s->note, note, memory_order_relaxed);
    /* Last: the thread of the key reads the note only if it is of its own wait. */
    atomic_store_explicit(&s->noted, began, memory_order_release);
}

void waits_clear(struct waits *w)
{
    for (unsigned i = 0; i < WAITS_SLOTS; i++)
        atomic_store_explicit(&w->slots[i].key, 0, memory_order_relaxed);
}
