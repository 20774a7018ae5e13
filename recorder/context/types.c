/*
 * types.c - the types of contexts: their names, their attributes, and which slots of a context each
 * attribute has.
 *
 * Types are defined by any thread, under a lock, and never change or go away, so readers, signal
 * handlers among them, need none.
 */
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

static size_t slots_of(uint8_t bytes)
{
    return bytes == 0 ? 1 : bytes / 4;
}

/* The type that these would be; false: they are no good, or have too many slots. */
static bool describe_context(const char *name, const char *const *attributes, const uint8_t *bytes,
                             size_t n, struct context_type *t)
{
    if (!is_name(name) || attributes == NULL || n == 0)
        return false;
    memset(t, 0, sizeof(*t));
    strcpy(t->name, name);
    for (size_t i = 0; i < n; i++) {
        uint8_t size = bytes == NULL ? 0 : bytes[i];

        if (!is_name(attributes[i]) || size % 4 != 0 || t->n + slots_of(size) > CONTEXT_SLOTS)
            return false;
        for (uint32_t k = 0; k < t->n; k++)
            if (strcmp(attributes[i], t->attributes[k]) == 0)
                return false;
        strcpy(t->attributes[t->n], attributes[i]);
        t->bytes[t->n] = size;
        t->n += (uint32_t)slots_of(size);
    }
    return true;
}

static bool is_same_type(const struct context_type *t, const struct context_type *other)
{
    if (t->n != other->n)
        return false;
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->attributes[i], other->attributes[i]) != 0 || t->bytes[i] != other->bytes[i])
            return false;
    return true;
}

static int refuse_type(void)
{
    atomic_fetch_add_explicit(&n_refused, 1, memory_order_relaxed);
    return 0;
}

static int add_type(const struct context_type *t)
{
    uint32_t i = n_types, slots = n_slots;

    if (i == CONTEXT_TYPES || slots + t->n > CONTEXT_SLOTS)
        return refuse_type();
    types[i] = *t;
    types[i].first = slots;
    atomic_store_explicit(&n_slots, slots + t->n, memory_order_release);
    atomic_store(&n_types, i + 1);
    atomic_store(&context_report_unused, true);
    return (int)i + 1;
}

static int find_or_add(const struct context_type *t)
{
    for (uint32_t i = 0; i < n_types; i++)
        if (strcmp(types[i].name, t->name) == 0)
            return is_same_type(&types[i], t) ? (int)i + 1 : refuse_type();
    return add_type(t);
}

int context_define_sized(const char *name, const char *const *attributes, const uint8_t *bytes,
                         size_t n)
{
    struct context_type t;
    int type;

    if (!describe_context(name, attributes, bytes, n, &t) || context_init() != 0)
        return refuse_type();
    pthread_mutex_lock(&lock);
    type = find_or_add(&t);
    pthread_mutex_unlock(&lock);
    return type;
}

int context_define(const char *name, const char *const *attributes, size_t n)
{
    return context_define_sized(name, attributes, NULL, n);
}

bool context_is_text(size_t slot)
{
    for (size_t i = 0; i < context_n_types(); i++) {
        size_t first = types[i].first, at = slot - first;

        if (slot < first || at >= types[i].n)
            continue;
        return types[i].bytes[at] == 0 && types[i].attributes[at][0] != '\0';
    }
    return true;
}

bool context_is_type(const struct context_type *t, const char *const *attributes,
                     const uint8_t *bytes, size_t n)
{
    struct context_type other;

    return describe_context(t->name, attributes, bytes, n, &other) && is_same_type(t, &other);
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
