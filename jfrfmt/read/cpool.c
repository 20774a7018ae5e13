/*
 * cpool.c - finds the constants of a chunk, without decoding their values.
 *
 * One walk over the chain of checkpoints notes where the values of each class begin. An index by
 * key is made for a class when that class is first looked at. Damage becomes errors of the chunk,
 * and no byte is read twice, so that overlapping checkpoints cannot cost more than the file's size.
 */
#include "jfrfmt/read/cpool.h"

#include "jfrfmt/read/chunk_internal.h"
#include "jfrfmt/read/plan.h"
#include "jfrfmt/base/intern.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>

/* `place` holds where the value lies in the chunk and, in its low bits, how many bytes it takes:
 * SIZE_UNKNOWN where they do not fit. */
struct entry {
    uint64_t key;
    uint64_t place;
};

#define SIZE_BITS 24
#define SIZE_UNKNOWN ((UINT64_C(1) << SIZE_BITS) - 1)

struct jfr_pool {
    struct jfr_chunk *chunk;
    struct buf entries; /* of struct entry, in the order of the walk: newest checkpoint first */
    uint32_t *slots; /* where the keys lie close together: entry + 1 at key - min_key */
    size_t room; /* of slots */
    struct hashtable places; /* of the entries otherwise */
    uint64_t min_key, max_key;
    bool is_direct, is_indexed;
};

static size_t n_entries(const struct jfr_pool *pool)
{
    return pool->entries.n / sizeof(struct entry);
}

static const struct entry *entries(const struct jfr_pool *pool)
{
    return (const struct entry *)(const void *)pool->entries.p;
}

static void free_pool(struct jfr_pool *pool)
{
    if (pool == NULL)
        return;
    buf_free(&pool->entries);
    free(pool->slots);
    hashtable_free(&pool->places);
    free(pool);
}

/* What the last chunk did not use is returned: memory follows the chunk, not the maximum. */
static struct jfr_pool *reset_pool(struct jfr_pool *pool)
{
    if (pool == NULL || pool->entries.n == 0) {
        free_pool(pool);
        return NULL;
    }
    buf_reset(&pool->entries);
    hashtable_reset(&pool->places);
    pool->is_indexed = false;
    return pool;
}

int cpools_reset(struct cpools *cp, size_t n_classes)
{
    size_t room = cp->room;

    if (!array_reserve(&cp->pools, &cp->room, n_classes, sizeof(*cp->pools)))
        return JFR_E_NOMEM;
    for (; room < cp->room; room++)
        cp->pools[room] = NULL;
    for (size_t i = 0; i < cp->n_pools; i++)
        cp->pools[i] = reset_pool(cp->pools[i]);
    cp->n_pools = n_classes;
    cp->is_walked = false;
    return 0;
}

void cpools_free(struct cpools *cp)
{
    for (size_t i = 0; i < cp->room; i++)
        free_pool(cp->pools[i]);
    free(cp->pools);
    *cp = (struct cpools){0};
}

/* The pool of a class, made when its first constant comes. NULL if out of memory. */
static struct jfr_pool *make_pool(struct jfr_chunk *chunk, const struct jfr_class *cls)
{
    struct jfr_pool **pool = &chunk->cpools.pools[cls->index];

    if (*pool == NULL)
        *pool = calloc(1, sizeof(**pool));
    if (*pool != NULL)
        (*pool)->chunk = chunk;
    return *pool;
}

static bool add_pool_entry(struct jfr_pool *pool, uint64_t key, uint64_t offset, uint64_t size)
{
    struct entry e = {key, offset << SIZE_BITS | (size < SIZE_UNKNOWN ? size : SIZE_UNKNOWN)};

    if (n_entries(pool) == 0)
        pool->min_key = pool->max_key = key;
    if (key < pool->min_key)
        pool->min_key = key;
    if (key > pool->max_key)
        pool->max_key = key;
    buf_bytes(&pool->entries, &e, sizeof(e));
    return buf_ok(&pool->entries) && n_entries(pool) < UINT32_MAX;
}

/* Reads one pool of a checkpoint: stores where each value lies, and decodes none. */
static int walk_pool(struct jfr_chunk *chunk, struct cursor *c)
{
    uint64_t at = (uint64_t)(c->p - chunk->bytes);
    int64_t id = (int64_t)cur_varint(c);
    uint64_t n = cur_varint(c);
    const struct jfr_class *cls = jfr_metadata_by_id(&chunk->metadata, id);
    const struct jfr_plan *skip = cls == NULL ? NULL : jfr_plan_for_skipping(chunk, cls);
    struct jfr_pool *pool;

    if (n > cur_left(c))
        cur_fail(c);
    if (!arena_ok(&chunk->arena))
        return JFR_E_NOMEM;
    if (!cur_ok(c))
        return 0;
    if (skip == NULL) {
        chunk_error(chunk, JFR_E_FORMAT, at, "checkpoint holds constants of %s class %lld",
                    cls == NULL ? "undeclared" : "undecodable", (long long)id);
        cur_fail(c);
        return 0;
    }
    pool = make_pool(chunk, cls);
    if (pool == NULL)
        return JFR_E_NOMEM;
    for (; n > 0 && cur_ok(c); n--) {
        uint64_t key = cur_varint(c);
        uint64_t offset = (uint64_t)(c->p - chunk->bytes), size;

        jfr_plan_skip(skip, c);
        size = (uint64_t)(c->p - chunk->bytes) - offset;
        if (!cur_ok(c) || size == 0)
            continue; /* cut off; or a value without bytes, which equals a missing one */
        if (!add_pool_entry(pool, key, offset, size))
            return JFR_E_NOMEM;
    }
    return 0;
}

/* The checkpoints that were read, so that none is read twice and a cycle ends. */
struct visits {
    struct intern seen; /* of uint64_t: offsets */
    uint64_t bytes_left; /* what is left of the chunk if checkpoints do not overlap */
};

/* Reads the checkpoint at `offset`. *delta: where the next one of the chain lies, 0 = nowhere. */
static int walk_checkpoint(struct jfr_chunk *chunk, struct visits *v, uint64_t offset,
                           int64_t *delta)
{
    struct cursor c = chunk_event_bytes(chunk, offset, 1);
    size_t damages = chunk->n_damages;
    uint64_t n_pools;
    int rc = 0;

    *delta = 0;
    if (cur_left(&c) > v->bytes_left) {
        chunk_error(chunk, JFR_E_FORMAT, offset, "checkpoints overlap");
        return 0;
    }
    v->bytes_left -= cur_left(&c);
    cur_varint(&c); /* size */
    cur_varint(&c); /* type */
    cur_varint(&c); /* start */
    cur_varint(&c); /* duration */
    *delta = (int64_t)cur_varint(&c);
    cur_bytes(&c, 1); /* mask: only for readers of a running JVM's repository */
    n_pools = cur_varint(&c);
    if (!cur_ok(&c))
        *delta = 0;
    for (; n_pools > 0 && cur_ok(&c) && rc == 0; n_pools--)
        rc = walk_pool(chunk, &c);
    if (rc == 0 && !cur_ok(&c) && chunk->n_damages == damages)
        chunk_error(chunk, JFR_E_FORMAT, offset, "checkpoint event is damaged");
    return rc;
}

/* 1 when new, 0 when seen before, JFR_E_NOMEM. */
static int visit_checkpoint(struct visits *v, uint64_t offset)
{
    size_t n = intern_n(&v->seen);
    uint32_t id = intern_add(&v->seen, &offset, sizeof(offset));

    return id == INTERN_FAILED ? JFR_E_NOMEM : id == n;
}

/* Follows the chain from the header's checkpoint; *whole says whether its end was reached. */
static int walk_chain(struct jfr_chunk *chunk, struct visits *v, bool *whole)
{
    uint64_t offset = chunk->header.checkpoint;
    size_t damages = chunk->n_damages;
    int64_t delta = 0;
    int rc;

    do {
        if (offset < JFR_CHUNK_HEADER_SIZE || offset >= chunk->n) {
            chunk_error(chunk, JFR_E_FORMAT, offset, "checkpoint chain leads outside of the chunk");
            break;
        }
        rc = visit_checkpoint(v, offset);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            chunk_error(chunk, JFR_E_FORMAT, offset, "checkpoint chain is cyclic");
            break;
        }
        rc = walk_checkpoint(chunk, v, offset, &delta);
        if (rc != 0)
            return rc;
        offset += (uint64_t)delta;
    } while (delta != 0);
    *whole = chunk->n_damages == damages;
    return 0;
}

/* Reads the checkpoints among the events from `from` on that were not read yet, newest first. */
static int walk_strays(struct jfr_chunk *chunk, struct visits *v, uint64_t from)
{
    struct buf offsets = {0}; /* of uint64_t */
    size_t at = chunk->at;
    struct jfr_event ev;
    int64_t delta;
    int rc = 0;

    jfr_chunk_rewind(chunk);
    while (jfr_chunk_next_any(chunk, &ev) > 0)
        if (ev.type_id == 1 && ev.offset >= from)
            buf_bytes(&offsets, &ev.offset, sizeof(ev.offset));
    chunk->at = at;
    if (!buf_ok(&offsets))
        rc = JFR_E_NOMEM;
    for (size_t i = offsets.n / sizeof(uint64_t); i-- > 0 && rc == 0;) {
        uint64_t offset = ((uint64_t *)(void *)offsets.p)[i];

        rc = visit_checkpoint(v, offset);
        if (rc > 0)
            rc = walk_checkpoint(chunk, v, offset, &delta);
    }
    buf_free(&offsets);
    return rc;
}

/* Finds all checkpoints. In an unfinished chunk those after its declared end are newer than the
 * chain, so they are read first. If the chain is broken, or the header has no offset of it yet, all
 * checkpoints between the events are read. */
static int cpools_walk(struct jfr_chunk *chunk)
{
    struct visits v = {.bytes_left = chunk->n};
    bool whole = !chunk->is_unfinished;
    int rc = 0;

    chunk->cpools.is_walked = true;
    if (chunk->is_unfinished && chunk->header.size < chunk->end)
        rc = walk_strays(chunk, &v, chunk->header.size);
    if (rc == 0 && chunk->header.checkpoint != 0)
        rc = walk_chain(chunk, &v, &whole);
    if (rc == 0 && !whole)
        rc = walk_strays(chunk, &v, 0);
    intern_free(&v.seen);
    return rc;
}

/* The entries by their keys, where these lie close together. */
static bool index_direct(struct jfr_pool *pool, enum jfr_pool_rule rule)
{
    size_t n = (size_t)(pool->max_key - pool->min_key) + 1;

    if (!array_reserve(&pool->slots, &pool->room, n, sizeof(*pool->slots)))
        return false;
    memset(pool->slots, 0, n * sizeof(*pool->slots));
    for (size_t i = 0; i < n_entries(pool); i++) {
        uint32_t *slot = &pool->slots[entries(pool)[i].key - pool->min_key];

        if (*slot == 0 || rule == JFR_POOL_OLDEST)
            *slot = (uint32_t)i + 1;
    }
    return true;
}

static uint32_t find_place(const struct jfr_pool *pool, uint64_t key)
{
    return hashtable_find_key(&pool->places, key, entries(pool), sizeof(struct entry));
}

static bool index_by_hash(struct jfr_pool *pool, enum jfr_pool_rule rule)
{
    if (!hashtable_reserve(&pool->places, n_entries(pool)))
        return false;
    for (size_t i = 0; i < n_entries(pool); i++) {
        uint64_t key = entries(pool)[i].key;
        uint32_t known = find_place(pool, key);

        if (known == HASHTABLE_END) {
            if (!hashtable_add(&pool->places, hash_number(key), i))
                return false;
        } else if (rule == JFR_POOL_OLDEST) {
            hashtable_move(&pool->places, hash_number(key), known, (uint32_t)i);
        }
    }
    return true;
}

static bool index_pool(struct jfr_pool *pool, enum jfr_pool_rule rule)
{
    pool->is_direct = pool->max_key - pool->min_key < 4 * n_entries(pool) + 64;
    pool->is_indexed = pool->is_direct ? index_direct(pool, rule) : index_by_hash(pool, rule);
    return pool->is_indexed;
}

const struct jfr_pool *jfr_chunk_pool(struct jfr_chunk *chunk, const struct jfr_class *cls)
{
    static const struct jfr_pool empty;
    struct jfr_pool *pool;

    if (!chunk->cpools.is_walked && cpools_walk(chunk) != 0)
        chunk->arena.failed = true;
    if (!arena_ok(&chunk->arena))
        return NULL;
    if (cls->is_unknown || cls->index >= chunk->cpools.n_pools)
        return &empty;
    pool = chunk->cpools.pools[cls->index];
    if (pool == NULL || pool->entries.n == 0)
        return &empty;
    if (!pool->is_indexed && !index_pool(pool, chunk->pool_rule)) {
        chunk->arena.failed = true;
        return NULL;
    }
    return pool;
}

size_t jfr_pool_n(const struct jfr_pool *pool)
{
    return pool == NULL ? 0 : n_entries(pool);
}

int64_t jfr_pool_find(const struct jfr_pool *pool, uint64_t key)
{
    uint32_t place;

    if (pool == NULL || pool->entries.n == 0 || key < pool->min_key || key > pool->max_key)
        return -1;
    if (pool->is_direct)
        return (int64_t)pool->slots[key - pool->min_key] - 1;
    place = find_place(pool, key);
    return place == HASHTABLE_END ? -1 : (int64_t)place;
}

void jfr_pool_expect(const struct jfr_pool *pool, uint64_t key)
{
    if (pool == NULL || pool->entries.n == 0 || key < pool->min_key || key > pool->max_key)
        return;
    if (pool->is_direct)
        __builtin_prefetch(&pool->slots[key - pool->min_key]);
    else
        hashtable_expect(&pool->places, hash_number(key));
}

struct cursor jfr_pool_value(const struct jfr_pool *pool, size_t index)
{
    const struct jfr_chunk *chunk = pool->chunk;
    uint64_t offset = entries(pool)[index].place >> SIZE_BITS;
    uint64_t size = entries(pool)[index].place & SIZE_UNKNOWN;

    return cur_over(chunk->bytes + offset, size < SIZE_UNKNOWN ? size : chunk->n - offset);
}

uint64_t jfr_pool_key(const struct jfr_pool *pool, size_t index)
{
    return entries(pool)[index].key;
}

struct jfr_str jfr_chunk_resolve(struct jfr_chunk *chunk, struct jfr_str s)
{
    const struct jfr_pool *pool;
    struct cursor value;
    int64_t i;

    if (s.encoding != JFR_STR_CONSTANT)
        return s;
    if (chunk->string_class == NULL)
        return (struct jfr_str){0};
    pool = jfr_chunk_pool(chunk, chunk->string_class);
    i = jfr_pool_find(pool, s.n);
    if (i < 0)
        return (struct jfr_str){0};
    value = jfr_pool_value(pool, (size_t)i);
    s = jfr_str_read(&value);
    return s.encoding == JFR_STR_CONSTANT ? (struct jfr_str){0} : s;
}
