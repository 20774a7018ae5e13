/*
 * stack_memo.c - methods numbered by their key and strings; stacks found by a hash of their bytes.
 */
#include "convert/profile/stack_memo.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct memo_method {
    uint64_t key, strings; /* strings: a hash of them */
    uint32_t note;
};

struct memo_stack {
    struct stack_hash hash;
    uint64_t start; /* of its methods in `frames` */
    uint32_t n, stack;
};

static struct memo_method *methods(const struct stack_memo *m)
{
    return (struct memo_method *)(void *)m->methods.p;
}

static uint32_t *epochs(const struct stack_memo *m)
{
    return (uint32_t *)(void *)m->epochs.p;
}

static struct memo_stack *stacks(const struct stack_memo *m)
{
    return (struct memo_stack *)(void *)m->stacks.p;
}

/* Does the chunk define all methods that there are? */
static bool are_all_defined(const struct stack_memo *m)
{
    return m->n_defined == m->methods.n / sizeof(struct memo_method);
}

static uint32_t find_stack(const struct stack_memo *m, struct stack_hash hash)
{
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&m->stack_places, hash.low, &at)) != HASHTABLE_END;)
        if (stacks(m)[i].hash.low == hash.low && stacks(m)[i].hash.high == hash.high)
            break;
    return i;
}

void stack_memo_begin(struct stack_memo *m)
{
    if (m->epoch++ == UINT32_MAX)
        stack_memo_clear(m);
    m->n_defined = 0;
}

void stack_memo_clear(struct stack_memo *m)
{
    buf_reset(&m->methods);
    buf_reset(&m->epochs);
    buf_reset(&m->stacks);
    buf_reset(&m->frames);
    hashtable_reset(&m->method_numbers);
    hashtable_reset(&m->stack_places);
}

uint32_t stack_memo_define(struct stack_memo *m, uint64_t key, const void *strings, size_t n)
{
    struct memo_method method = {.key = key, .strings = hash_text(strings, n)};
    uint32_t number = (uint32_t)(m->methods.n / sizeof(method));
    uint32_t known = hashtable_find_key(&m->method_numbers, key, methods(m), sizeof(method));

    if (known != HASHTABLE_END && methods(m)[known].strings == method.strings) {
        m->n_defined += epochs(m)[known] != m->epoch;
        epochs(m)[known] = m->epoch;
        return known;
    }
    buf_bytes(&m->methods, &method, sizeof(method));
    buf_bytes(&m->epochs, &m->epoch, sizeof(m->epoch));
    m->n_defined++;
    if (!buf_ok(&m->methods) || !buf_ok(&m->epochs) || number == METHOD_UNKNOWN - 1)
        return METHOD_UNKNOWN;
    if (known != HASHTABLE_END)
        hashtable_move(&m->method_numbers, hash_number(key), known, number);
    else if (!hashtable_add(&m->method_numbers, hash_number(key), number))
        return METHOD_UNKNOWN;
    return number;
}

uint32_t *stack_memo_note(const struct stack_memo *m, uint32_t method)
{
    return &methods(m)[method].note;
}

struct stack_hash stack_memo_hash(const void *bytes, size_t n)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(bytes, n, hash_seed);

    return (struct stack_hash){h.low64, h.high64};
}

void stack_memo_expect(const struct stack_memo *m, struct stack_hash hash)
{
    hashtable_expect(&m->stack_places, hash.low);
}

void stack_memo_expect_more(const struct stack_memo *m, struct stack_hash hash)
{
    uint32_t i = hashtable_guess(&m->stack_places, hash.low);

    if (i != HASHTABLE_END)
        __builtin_prefetch(&stacks(m)[i]);
}

/* Its methods: four lines of the cache for a stack of 64. */
void stack_memo_expect_methods(const struct stack_memo *m, struct stack_hash hash)
{
    uint32_t i = hashtable_guess(&m->stack_places, hash.low);
    const struct memo_stack *s = i == HASHTABLE_END ? NULL : &stacks(m)[i];

    if (s == NULL || s->hash.low != hash.low || are_all_defined(m))
        return;
    for (uint32_t k = 0; k < s->n; k += 16)
        __builtin_prefetch((const uint32_t *)(const void *)m->frames.p + s->start + k);
}

uint32_t stack_memo_find(const struct stack_memo *m, struct stack_hash hash)
{
    uint32_t i = find_stack(m, hash), strange = 0;
    const uint32_t *frames, *epoch = epochs(m);
    const struct memo_stack *s;

    if (i == HASHTABLE_END)
        return STACK_UNKNOWN;
    s = &stacks(m)[i];
    if (are_all_defined(m))
        return s->stack;
    frames = (const uint32_t *)(const void *)m->frames.p + s->start;
    for (uint32_t k = 0; k < s->n; k++)
        strange |= epoch[frames[k]] ^ m->epoch;
    return strange == 0 ? s->stack : STACK_UNKNOWN;
}

bool stack_memo_learn(struct stack_memo *m, struct stack_hash hash, uint32_t stack,
                      const uint32_t *frames, uint32_t n)
{
    struct memo_stack s = {hash, m->frames.n / sizeof(*frames), n, stack};
    uint32_t known = find_stack(m, hash), place = (uint32_t)(m->stacks.n / sizeof(s));

    buf_bytes(&m->stacks, &s, sizeof(s));
    buf_bytes(&m->frames, frames, n * sizeof(*frames));
    if (!buf_ok(&m->stacks) || !buf_ok(&m->frames))
        return false;
    if (known == HASHTABLE_END)
        return hashtable_add(&m->stack_places, hash.low, place);
    hashtable_move(&m->stack_places, hash.low, known, place);
    return true;
}

void stack_memo_free(struct stack_memo *m)
{
    buf_free(&m->methods);
    buf_free(&m->epochs);
    buf_free(&m->stacks);
    buf_free(&m->frames);
    hashtable_free(&m->method_numbers);
    hashtable_free(&m->stack_places);
    *m = (struct stack_memo){0};
}
