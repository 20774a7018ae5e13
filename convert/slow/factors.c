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

void factor_add(struct factor *sum, const struct slow_scope *scope, double ns, unsigned depth)
{
    if (scope->is_slow) {
        sum->slow += ns * scope->weight;
        sum->slow_squares += ns * ns * scope->weight;
        sum->depth += ns * depth * scope->weight;
        sum->n += scope->weight > 0;
    } else {
        sum->other += ns * scope->weight;
        sum->other_squares += ns * scope->weight * ns * scope->weight;
    }
}

/* The sum of a key, which begins with nothing; NULL if out of memory. */
static struct factor *sum_of_key(struct factors *f, const char *key, size_t n)
{
    uint32_t i = intern_add(&f->keys, key, n);

    if (i == INTERN_FAILED)
        return NULL;
    if (i == factors_n(f))
        buf_bytes(&f->sums, &(struct factor){0}, sizeof(struct factor));
    return buf_ok(&f->sums) ? (struct factor *)(void *)f->sums.p + i : NULL;
}

static struct factor *sum_of_texts(struct factors *f, enum factor_kind kind, enum slow_part part,
                                   const char *what, const char *more)
{
    char key[2 + 2 * (TEXT_MOST + 1)] = {(char)kind, (char)part};
    size_t n = 2;

    n += append_key_text(key + n, what);
    n += append_key_text(key + n, more);
    return sum_of_key(f, key, n);
}

bool factors_add(struct factors *f, enum factor_kind kind, enum slow_part part, const char *what,
                 const char *more, const struct slow_scope *scope, double ns)
{
    struct factor *sum = sum_of_texts(f, kind, part, what, more);

    if (sum != NULL)
        factor_add(sum, scope, ns, 0);
    return sum != NULL;
}

static void add_factor(struct factor *sum, const struct factor *add)
{
    sum->slow += add->slow;
    sum->slow_squares += add->slow_squares;
    sum->other += add->other;
    sum->other_squares += add->other_squares;
    sum->depth += add->depth;
    sum->n += add->n;
}

bool factors_add_sum(struct factors *f, enum factor_kind kind, enum slow_part part,
                     const char *what, const struct factor *add)
{
    struct factor *sum;

    if (add->slow + add->other == 0)
        return true;
    sum = sum_of_texts(f, kind, part, what, "");
    if (sum != NULL)
        add_factor(sum, add);
    return sum != NULL;
}

bool factors_add_all(struct factors *to, const struct factors *from)
{
    for (size_t i = 0; i < factors_n(from); i++) {
        size_t n;
        const char *key = intern_get(&from->keys, (uint32_t)i, &n);
        struct factor *sum = sum_of_key(to, key, n);

        if (sum == NULL)
            return false;
        add_factor(sum, factors_get(from, i));
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
