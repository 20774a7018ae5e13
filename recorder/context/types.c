#include "recorder/context/context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context_type types[CONTEXT_TYPES];
static _Atomic uint32_t n_types, n_slots;
static _Atomic uint64_t n_refused;

static bool is_name(const char *s)
{
    return s != NULL && s[0] != '\0' && strlen(s) < CONTEXT_NAME_MAX;
}

static bool is_same_type(const struct context_type *t, const char *const *attributes, size_t n)
{
    if (t->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(t->attributes[i], attributes[i]) != 0)
            return false;
    return true;
}

static int refuse_type(void)
{
    atomic_fetch_add_explicit(&n_refused, 1, memory_order_relaxed);
    return 0;
}

static int add_type(const char *name, const char *const *attributes, size_t n)
{
    uint32_t i = n_types, slots = n_slots;
    struct context_type *t = &types[i];

    if (i == CONTEXT_TYPES || slots + n > CONTEXT_SLOTS)
        return refuse_type();
    strcpy(t->name, name);
    for (size_t k = 0; k < n; k++)
        strcpy(t->attributes[k], attributes[k]);
    t->n = (uint32_t)n;
    t->first = slots;
    atomic_store_explicit(&n_slots, slots + (uint32_t)n, memory_order_release);
    atomic_store(&n_types, i + 1);
    atomic_store(&context_tell_unused, true);
    return (int)i + 1;
}

static int find_or_add(const char *name, const char *const *attributes, size_t n)
{
    for (uint32_t i = 0; i < n_types; i++)
        if (strcmp(types[i].name, name) == 0)
            return is_same_type(&types[i], attributes, n) ? (int)i + 1 : refuse_type();
    return add_type(name, attributes, n);
}

int context_define(const char *name, const char *const *attributes, size_t n)
{
    bool is_good = is_name(name) && attributes != NULL && n > 0 && n <= CONTEXT_SLOTS;
    int type;

    for (size_t i = 0; i < n && is_good; i++) {
        is_good = is_name(attributes[i]);
        for (size_t k = 0; k < i && is_good; k++)
            is_good = strcmp(attributes[i], attributes[k]) != 0;
    }
    if (!is_good || context_init() != 0)
        return refuse_type();
    pthread_mutex_lock(&lock);
    type = find_or_add(name, attributes, n);
    pthread_mutex_unlock(&lock);
    return type;
}

size_t context_n_types(void)
{
    return atomic_load(&n_types);
}

const struct context_type *context_type_at(size_t index)
{
    return &types[index];
}

size_t context_n_slots(void)
{
    return atomic_load_explicit(&n_slots, memory_order_acquire);
}

const struct context_type *context_type_of(int type)
{
    return type < 1 || (size_t)type > context_n_types() ? NULL : &types[type - 1];
}

uint64_t context_types_refused(void)
{
    return n_refused;
}
