#include "jfrfmt/base/intern.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const uint64_t *starts(const struct intern *in)
{
    return (const uint64_t *)(const void *)in->starts.p;
}

size_t intern_n(const struct intern *in)
{
    return in->starts.n == 0 ? 0 : in->starts.n / sizeof(uint64_t) - 1;
}

const char *intern_get(const struct intern *in, uint32_t id, size_t *n)
{
    const uint64_t *at = starts(in) + id;

    if (n != NULL)
        *n = (size_t)(at[1] - at[0] - 1);
    return (const char *)in->text.p + at[0];
}

/* The table's own address keeps whoever chooses the bytes from choosing the collisions too. */
static size_t slot_of(const struct intern *in, const void *bytes, size_t n)
{
    size_t h = (size_t)XXH3_64bits_withSeed(bytes, n, (uintptr_t)in->slots);

    for (h &= in->n_slots - 1; in->slots[h] != 0; h = (h + 1) & (in->n_slots - 1)) {
        size_t m;
        const char *text = intern_get(in, in->slots[h] - 1, &m);

        if (m == n && memcmp(text, bytes, n) == 0)
            break;
    }
    return h;
}

static bool grow(struct intern *in)
{
    size_t n = in->n_slots == 0 ? 256 : 2 * in->n_slots;
    uint32_t *slots = calloc(n, sizeof(*slots));

    if (slots == NULL)
        return false;
    free(in->slots);
    in->slots = slots;
    in->n_slots = n;
    for (uint32_t id = 0; id < intern_n(in); id++) {
        size_t m;
        const char *text = intern_get(in, id, &m);

        slots[slot_of(in, text, m)] = id + 1;
    }
    return true;
}

static bool append(struct intern *in, const void *bytes, size_t n)
{
    uint64_t end = in->text.n + n + 1, zero = 0;

    if (!buf_reserve(&in->text, n + 1) || !buf_reserve(&in->starts, 2 * sizeof(end)))
        return false;
    if (in->starts.n == 0)
        buf_bytes(&in->starts, &zero, sizeof(zero));
    buf_bytes(&in->text, bytes, n);
    buf_byte(&in->text, 0);
    buf_bytes(&in->starts, &end, sizeof(end));
    return true;
}

uint32_t intern_add(struct intern *in, const void *bytes, size_t n)
{
    uint32_t id = (uint32_t)intern_n(in);
    size_t slot;

    if (2 * (size_t)id >= in->n_slots && !grow(in))
        return INTERN_FAILED;
    slot = slot_of(in, n == 0 ? "" : bytes, n);
    if (in->slots[slot] != 0)
        return in->slots[slot] - 1;
    if (id == INTERN_FAILED - 1 || !append(in, bytes, n))
        return INTERN_FAILED;
    in->slots[slot] = id + 1;
    return id;
}

uint32_t intern_find(const struct intern *in, const void *bytes, size_t n)
{
    size_t slot = in->n_slots == 0 ? 0 : slot_of(in, n == 0 ? "" : bytes, n);

    return in->n_slots == 0 || in->slots[slot] == 0 ? INTERN_FAILED : in->slots[slot] - 1;
}

void intern_reset(struct intern *in)
{
    buf_reset(&in->text);
    buf_reset(&in->starts);
    if (in->slots != NULL)
        memset(in->slots, 0, in->n_slots * sizeof(*in->slots));
}

void intern_free(struct intern *in)
{
    buf_free(&in->text);
    buf_free(&in->starts);
    free(in->slots);
    *in = (struct intern){0};
}
