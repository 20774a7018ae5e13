#include "recorder/capture/virtual_names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct place {
    _Atomic uint64_t id;
    char name[VIRTUAL_NAME];
} places[8192];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct place *place_of(uint64_t id)
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
    return atomic_load_explicit(&place_of(id)->id, memory_order_relaxed) == id;
}

void virtual_names_put(uint64_t id, const char *name)
{
    struct place *p = place_of(id);

    pthread_mutex_lock(&lock);
    virtual_names_cut(p->name, name);
    atomic_store_explicit(&p->id, id, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

void virtual_names_get(uint64_t id, char out[VIRTUAL_NAME])
{
    const struct place *p = place_of(id);

    out[0] = '\0';
    pthread_mutex_lock(&lock);
    if (id != 0 && p->id == id)
        memcpy(out, p->name, VIRTUAL_NAME);
    pthread_mutex_unlock(&lock);
}
