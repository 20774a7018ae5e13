/*
 * factors.c - sums of time by what it may be due to: a monitor, a file, a pause, code. For each the
 * time in slow scopes, and in those around the median, with the squares from which the error of a
 * difference follows: events are taken as independent of each other.
 */
#include "convert/slow/slow_internal.h"

#define TEXT_MOST 400 /* bytes of each text */

static size_t append_key_text(char *to, const char *text)
{
    size_t n = strnlen(text, TEXT_MOST);

    memcpy(to, text, n);
    to[n] = '\0';
    return n + 1;
}

bool factors_add(struct factors *f, enum factor_kind kind, enum slow_part part, const char *what,
                 const char *more, const struct slow_scope *scope, double ns, unsigned depth)
{
    char key[2 + 2 * (TEXT_MOST + 1)] = {(char)kind, (char)part};
    size_t n = 2;
    struct factor *sum;
    uint32_t i;

    if (scope->weight == 0)
        return true;
    n += append_key_text(key + n, what);
    n += append_key_text(key + n, more);
    i = intern_add(&f->keys, key, n);
    if (i == INTERN_FAILED)
        return false;
    if (i == factors_n(f))
        buf_bytes(&f->sums, &(struct factor){0}, sizeof(struct factor));
    if (!buf_ok(&f->sums))
        return false;
    sum = (struct factor *)(void *)f->sums.p + i;
    if (scope->is_slow) {
        sum->slow += ns;
        sum->slow_squares += ns * ns;
        sum->depth += ns * depth;
        sum->n++;
    } else {
        sum->other += ns * scope->weight;
        sum->other_squares += ns * scope->weight * ns * scope->weight;
    }
    return true;
}

bool factors_add_all(struct factors *to, const struct factors *from)
{
    for (size_t i = 0; i < factors_n(from); i++) {
        const struct factor *add = factors_get(from, i);
        size_t n;
        const char *key = intern_get(&from->keys, (uint32_t)i, &n);
        uint32_t at = intern_add(&to->keys, key, n);
        struct factor *sum;

        if (at == INTERN_FAILED)
            return false;
        if (at == factors_n(to))
            buf_bytes(&to->sums, &(struct factor){0}, sizeof(struct factor));
        if (!buf_ok(&to->sums))
            return false;
        sum = (struct factor *)(void *)to->sums.p + at;
        sum->slow += add->slow;
        sum->slow_squares += add->slow_squares;
        sum->other += add->other;
        sum->other_squares += add->other_squares;
        sum->depth += add->depth;
        sum->n += add->n;
    }
    return true;
}

void factors_reset(struct factors *f)
{
    intern_reset(&f->keys);
    buf_reset(&f->sums);
}

void factors_free(struct factors *f)
{
    intern_free(&f->keys);
    buf_free(&f->sums);
}

size_t factors_n(const struct factors *f)
{
    return f->sums.n / sizeof(struct factor);
}

struct factor_key factors_key(const struct factors *f, size_t i)
{
    const char *key = intern_get(&f->keys, (uint32_t)i, NULL);

    return (struct factor_key){(enum factor_kind)key[0], (enum slow_part)key[1], key + 2,
                               key + 2 + strlen(key + 2) + 1};
}

const struct factor *factors_get(const struct factors *f, size_t i)
{
    return (const struct factor *)(const void *)f->sums.p + i;
}
