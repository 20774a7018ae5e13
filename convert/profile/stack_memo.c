#include "convert/profile/stack_memo.h"

#include "jfrfmt/base/hash.h"

#include <stdlib.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct memo_method {
    uint64_t key, strings; /* strings: a hash of them */
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

/* The seed keeps whoever chooses the keys from choosing the collisions too. */
static size_t key_slot(const struct stack_memo *m, uint64_t key)
{
    size_t h = (size_t)hash_mix(key ^ m->seed, 0x9e3779b97f4a7c15u) & (m->n_method_slots - 1);

    while (m->method_slots[h] != 0 && methods(m)[m->method_slots[h] - 1].key != key)
        h = (h + 1) & (m->n_method_slots - 1);
    return h;
}

static size_t stack_slot(const struct stack_memo *m, struct stack_hash hash)
{
    size_t h = (size_t)hash.low & (m->n_stack_slots - 1);

    for (; m->stack_slots[h] != 0; h = (h + 1) & (m->n_stack_slots - 1)) {
        const struct stack_hash *known = &stacks(m)[m->stack_slots[h] - 1].hash;

        if (known->low == hash.low && known->high == hash.high)
            break;
    }
    return h;
}

bool stack_memo_begin(struct stack_memo *m)
{
    if (m->seed == 0 && getrandom(&m->seed, sizeof(m->seed), GRND_NONBLOCK) != sizeof(m->seed))
        m->seed = 0x9e3779b97f4a7c15u;
    if (m->epoch++ == UINT32_MAX)
        stack_memo_clear(m);
    m->n_defined = 0;
    if (m->method_slots == NULL) {
        m->n_method_slots = m->n_stack_slots = 1024;
        m->method_slots = calloc(m->n_method_slots, sizeof(*m->method_slots));
        m->stack_slots = calloc(m->n_stack_slots, sizeof(*m->stack_slots));
    }
    return m->method_slots != NULL && m->stack_slots != NULL;
}

void stack_memo_clear(struct stack_memo *m)
{
    buf_reset(&m->methods);
    buf_reset(&m->epochs);
    buf_reset(&m->stacks);
    buf_reset(&m->frames);
    m->n_keys = 0;
    if (m->method_slots != NULL)
        memset(m->method_slots, 0, m->n_method_slots * sizeof(*m->method_slots));
    if (m->stack_slots != NULL)
        memset(m->stack_slots, 0, m->n_stack_slots * sizeof(*m->stack_slots));
}

/* A table twice as large, all free; the old one is returned through *old with its size. */
static bool double_slots(uint32_t **slots, size_t *n, uint32_t **old, size_t *n_old)
{
    uint32_t *larger = calloc(2 * *n, sizeof(*larger));

    *old = *slots;
    *n_old = *n;
    if (larger == NULL)
        return false;
    *slots = larger;
    *n *= 2;
    return true;
}

static bool grow_methods(struct stack_memo *m)
{
    uint32_t *old;
    size_t n;

    if (!double_slots(&m->method_slots, &m->n_method_slots, &old, &n))
        return false;
    for (size_t i = 0; i < n; i++)
        if (old[i] != 0)
            m->method_slots[key_slot(m, methods(m)[old[i] - 1].key)] = old[i];
    free(old);
    return true;
}

static bool grow_stacks(struct stack_memo *m)
{
    uint32_t *old;
    size_t n;

    if (!double_slots(&m->stack_slots, &m->n_stack_slots, &old, &n))
        return false;
    for (size_t i = 0; i < n; i++)
        if (old[i] != 0)
            m->stack_slots[stack_slot(m, stacks(m)[old[i] - 1].hash)] = old[i];
    free(old);
    return true;
}

uint32_t stack_memo_define(struct stack_memo *m, uint64_t key, const void *strings, size_t n)
{
    struct memo_method method = {key, XXH3_64bits_withSeed(strings, n, m->seed)};
    uint32_t number = (uint32_t)(m->methods.n / sizeof(method));
    size_t slot;

    if (2 * m->n_keys >= m->n_method_slots && !grow_methods(m))
        return METHOD_UNKNOWN;
    slot = key_slot(m, key);
    if (m->method_slots[slot] != 0) {
        const struct memo_method *known = &methods(m)[m->method_slots[slot] - 1];

        if (known->strings == method.strings) {
            m->n_defined += epochs(m)[m->method_slots[slot] - 1] != m->epoch;
            epochs(m)[m->method_slots[slot] - 1] = m->epoch;
            return m->method_slots[slot] - 1;
        }
    } else {
        m->n_keys++;
    }
    buf_bytes(&m->methods, &method, sizeof(method));
    buf_bytes(&m->epochs, &m->epoch, sizeof(m->epoch));
    m->n_defined++;
    if (!buf_ok(&m->methods) || !buf_ok(&m->epochs) || number == METHOD_UNKNOWN - 1)
        return METHOD_UNKNOWN;
    m->method_slots[slot] = number + 1;
    return number;
}

struct stack_hash stack_memo_hash(const struct stack_memo *m, const void *bytes, size_t n)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(bytes, n, m->seed);

    return (struct stack_hash){h.low64, h.high64};
}

void stack_memo_expect(const struct stack_memo *m, struct stack_hash hash)
{
    __builtin_prefetch(&m->stack_slots[hash.low & (m->n_stack_slots - 1)]);
}

void stack_memo_expect_more(const struct stack_memo *m, struct stack_hash hash)
{
    uint32_t i = m->stack_slots[hash.low & (m->n_stack_slots - 1)];

    if (i != 0)
        __builtin_prefetch(&stacks(m)[i - 1]);
}

uint32_t stack_memo_find(const struct stack_memo *m, struct stack_hash hash)
{
    uint32_t i = m->stack_slots[stack_slot(m, hash)], strange = 0;
    const uint32_t *frames, *epoch = epochs(m);
    const struct memo_stack *s;

    if (i == 0)
        return STACK_UNKNOWN;
    s = &stacks(m)[i - 1];
    if (m->n_defined == m->methods.n / sizeof(struct memo_method))
        return s->stack; /* the chunk defines them all */
    frames = (const uint32_t *)(const void *)m->frames.p + s->start;
    for (uint32_t k = 0; k < s->n; k++)
        strange |= epoch[frames[k]] ^ m->epoch;
    return strange == 0 ? s->stack : STACK_UNKNOWN;
}

bool stack_memo_learn(struct stack_memo *m, struct stack_hash hash, uint32_t stack,
                      const uint32_t *frames, uint32_t n)
{
    struct memo_stack s = {hash, m->frames.n / sizeof(*frames), n, stack};
    size_t slot;

    if (2 * (m->stacks.n / sizeof(s)) >= m->n_stack_slots && !grow_stacks(m))
        return false;
    slot = stack_slot(m, hash);
    buf_bytes(&m->stacks, &s, sizeof(s));
    buf_bytes(&m->frames, frames, n * sizeof(*frames));
    if (!buf_ok(&m->stacks) || !buf_ok(&m->frames))
        return false;
    m->stack_slots[slot] = (uint32_t)(m->stacks.n / sizeof(s));
    return true;
}

void stack_memo_free(struct stack_memo *m)
{
    buf_free(&m->methods);
    buf_free(&m->epochs);
    buf_free(&m->stacks);
    buf_free(&m->frames);
    free(m->method_slots);
    free(m->stack_slots);
    *m = (struct stack_memo){0};
}
