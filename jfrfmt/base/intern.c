/*
 * intern.c - stores the texts in the order of their ids, and finds an id with a hash table.
 */
#include "jfrfmt/base/intern.h"

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

static uint32_t find(const struct intern *in, uint64_t hash, const void *bytes, size_t n)
{
    uint32_t id;

    for (size_t at = 0; (id = hashtable_next(&in->ids, hash, &at)) != HASHTABLE_END;) {
        size_t m;
        const char *text = intern_get(in, id, &m);

        if (m == n && memcmp(text, bytes, n) == 0)
            break;
    }
    return id;
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
    const void *text = n == 0 ? "" : bytes;
    uint64_t hash = hash_text(text, n);
    uint32_t id = find(in, hash, text, n);

    if (id != INTERN_FAILED)
        return id;
    id = (uint32_t)intern_n(in);
    if (!hashtable_reserve(&in->ids, (size_t)id + 1) || !append(in, text, n))
        return INTERN_FAILED;
    hashtable_add(&in->ids, hash, id); /* there is room */
    return id;
}

uint32_t intern_find(const struct intern *in, const void *bytes, size_t n)
{
    const void *text = n == 0 ? "" : bytes;

    return find(in, hash_text(text, n), text, n);
}

bool intern_add_all(struct intern *in, const struct intern *from, uint32_t *map)
{
    for (uint32_t i = 0; i < intern_n(from); i++) {
        size_t n;
        const char *text = intern_get(from, i, &n);
        uint32_t id = intern_add(in, text, n);

        if (id == INTERN_FAILED)
            return false;
        if (map != NULL)
            map[i] = id;
    }
    return true;
}

void intern_reset(struct intern *in)
{
    buf_reset(&in->text);
    buf_reset(&in->starts);
    hashtable_reset(&in->ids);
}

void intern_free(struct intern *in)
{
    buf_free(&in->text);
    buf_free(&in->starts);
    hashtable_free(&in->ids);
    *in = (struct intern){0};
}
