/*
 * virtual_names.c - a table from ids of virtual threads to names, of fixed size, without locks.
 *
 * A writer owns a place while its id is BEING_WRITTEN, and gives up if another writer owns it. A
 * reader copies the name and checks that the id is the same before and after.
 */
#include "recorder/capture/virtual_names.h"

#include <stdatomic.h>
#include <string.h>

enum {
    WORDS = VIRTUAL_NAME / 8
};

#define BEING_WRITTEN UINT64_MAX /* no thread's id */

static struct place {
    _Atomic uint64_t id;
    _Atomic uint64_t name[WORDS];
} places[8192];

static struct place *place_of_name(uint64_t id)
{
    return &places[id % (sizeof(places) / sizeof(places[0]))];
}

void virtual_names_cut(char out[VIRTUAL_NAME], const char *name)
{
    size_t n = strnlen(name, VIRTUAL_NAME);

    while (n == VIRTUAL_NAME || (n > 0 && ((uint8_t)name[n] & 0xc0) == 0x80))
        n--;
    memcpy(out, name, n);
    out[n] = '\0';
}

bool virtual_names_has(uint64_t id)
{
    return atomic_load_explicit(&place_of_name(id)->id, memory_order_relaxed) == id;
}

void virtual_names_put(uint64_t id, const char *name)
{
    struct place *p = place_of_name(id);
    uint64_t before = atomic_load_explicit(&p->id, memory_order_relaxed), words[WORDS] = {0};

    if (before == BEING_WRITTEN ||
        !atomic_compare_exchange_strong_explicit(&p->id, &before, BEING_WRITTEN,
                                                 memory_order_acquire, memory_order_relaxed))
        return;
    atomic_thread_fence(memory_order_release);
    virtual_names_cut((char *)words, name);
    for (int i = 0; i < WORDS; i++)
        atomic_store_explicit(&p->name[i], words[i], memory_order_relaxed);
    atomic_store_explicit(&p->id, id, memory_order_release);
}

void virtual_names_get(uint64_t id, char out[VIRTUAL_NAME])
{
    struct place *p = place_of_name(id);
    uint64_t words[WORDS];

    out[0] = '\0';
    if (id == 0 || atomic_load_explicit(&p->id, memory_order_acquire) != id)
        return;
    for (int i = 0; i < WORDS; i++)
        words[i] = atomic_load_explicit(&p->name[i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&p->id, memory_order_relaxed) == id)
        memcpy(out, words, VIRTUAL_NAME);
}

void virtual_names_read(const struct walker *walker, uint64_t id, uintptr_t object)
{
    char name[VIRTUAL_NAME];

    if (virtual_names_has(id))
        return;
    walker->virtual_name(object, name, sizeof(name));
    virtual_names_put(id, name);
}
