/*
 * consts.c - constants of the loaded chunk to keys of the output.
 *
 * A constant gets its key when its content is known, which takes the keys of those it refers to:
 * so they are visited first, depth first, with Tarjan's search for the cycles among them. The
 * members of a cycle are identified by what a walk around it finds, repeated as often as it has
 * members: each is hashed with the hashes of the others in place of their keys, again and again.
 * The same cycle in another chunk has the same hashes, and so the same keys.
 */
#include "convert/rewrite/internal.h"

#include "jfrfmt/base/array.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define CYCLE_MAX 256 /* members of a cycle that are identified; a larger one is never shared */
#define SPARSE 8 /* slots of a table for each constant at most */
#define PLACES_MAX ((uint64_t)1 << 22)
#define HEAD 20 /* bytes of a key, and a share in those of its pool, at most */

struct hash hash_of(uint64_t kind, const void *bytes, size_t n)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(bytes, n, hash_seed + kind * 0x9e3779b97f4a7c15u);

    return (struct hash){h.low64, h.high64};
}

static bool is_it(const struct known *k, struct hash hash)
{
    return k->hash.low == hash.low && k->hash.high == hash.high;
}

struct known *known_at(struct known_table *t, struct hash hash)
{
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&t->places, hash.low, &at)) != HASHTABLE_END;)
        if (is_it(&t->rows[i], hash))
            return &t->rows[i];
    if (!array_reserve(&t->rows, &t->room, t->n + 1, sizeof(*t->rows)) ||
        !hashtable_add(&t->places, hash.low, t->n))
        return NULL;
    t->rows[t->n] = (struct known){.hash = hash};
    return &t->rows[t->n++];
}

void known_free(struct known_table *t)
{
    free(t->rows);
    hashtable_free(&t->places);
    *t = (struct known_table){0};
}

static void *top(struct buf *stack, size_t size)
{
    return stack->p + stack->n - size;
}

static struct node *node_of(struct rewrite *rw, struct ref r)
{
    return &rw->in[r.cls].nodes[r.index];
}

/* Room for a place of each key below n; there is none when keys are large or memory is exhausted.
 */
static void make_places(struct out_class *out, uint64_t n)
{
    size_t room = out->n_places;

    if (n <= room || n > PLACES_MAX ||
        !array_reserve(&out->places, &out->n_places, n, sizeof(*out->places)))
        return;
    memset(out->places + room, 0, (out->n_places - room) * sizeof(*out->places));
}

/* Makes the table of keys that were looked up before. */
static bool make_found(struct rewrite *rw, struct in_class *in, size_t n)
{
    struct arena *arena = jfr_chunk_arena(rw->chunk);
    uint64_t first = UINT64_MAX, last = 0;
    unsigned bits = 4;

    for (size_t i = 0; i < n; i++) {
        uint64_t key = jfr_pool_key(in->pool, i);

        first = key < first ? key : first;
        last = key > last ? key : last;
    }
    if (n > 0 && last - first < n * SPARSE) {
        in->first = first;
        in->span = last - first + 1;
        in->direct = arena_array(arena, in->span, sizeof(*in->direct));
        make_places(&rw->classes[in->out], last + 1);
        return in->direct != NULL;
    }
    while ((size_t)1 << bits < 2 * n)
        bits++;
    in->found = arena_array(arena, (size_t)1 << bits, sizeof(*in->found));
    in->found_shift = 64 - bits;
    return in->found != NULL;
}

static bool open_pool(struct rewrite *rw, uint32_t cls)
{
    struct in_class *in = &rw->in[cls];
    size_t n;

    in->pool = jfr_chunk_pool(rw->chunk, &jfr_chunk_metadata(rw->chunk)->classes[cls]);
    n = jfr_pool_n(in->pool);
    in->nodes = arena_array(jfr_chunk_arena(rw->chunk), n + 1, sizeof(*in->nodes));
    if (in->pool == NULL || in->nodes == NULL || !make_found(rw, in, n))
        rw->rc = JFR_E_NOMEM;
    else
        in->is_open = true;
    return in->is_open;
}

/* Puts the copied value of a constant into rw->scratch. */
static bool encode(struct rewrite *rw, struct ref r)
{
    const struct jfr_class *cls = &jfr_chunk_metadata(rw->chunk)->classes[r.cls];
    const struct program *p = rewrite_program(rw, cls);
    struct cursor value = jfr_pool_value(rw->in[r.cls].pool, r.index);

    buf_reset(&rw->scratch);
    return !p->is_bad && rewrite_copy(rw, p->ops, p->ops + p->n, &value, &rw->scratch) &&
           buf_ok(&rw->scratch);
}

uint64_t rewrite_constant(struct rewrite *rw, uint32_t cls, struct hash hash, uint32_t *place)
{
    struct out_class *out = &rw->classes[rw->in[cls].out];
    struct known *known = *place < rw->known.n ? &rw->known.rows[*place] : NULL;

    if (known == NULL || !is_it(known, hash))
        known = known_at(&rw->known, hash);
    if (known == NULL) {
        rw->rc = JFR_E_NOMEM;
        return KEY_NONE;
    }
    *place = (uint32_t)(known - rw->known.rows);
    if (known->value == 0)
        known->value = ++out->last_key;
    if (known->stamp == rw->stats.n_chunks + 1)
        return known->value;
    known->stamp = rw->stats.n_chunks + 1;
    rw->pools_n += HEAD + rw->scratch.n;
    buf_varint(&out->pool, known->value);
    buf_bytes(&out->pool, rw->scratch.p, rw->scratch.n);
    out->n++;
    rewrite_use(rw, &jfr_chunk_metadata(rw->chunk)->classes[cls]);
    if (!buf_ok(&out->pool))
        rw->rc = JFR_E_NOMEM;
    return known->value;
}

static void settle(struct rewrite *rw, struct ref r, struct hash hash)
{
    const struct out_class *out = &rw->classes[rw->in[r.cls].out];
    uint64_t key = jfr_pool_key(rw->in[r.cls].pool, r.index);
    uint32_t place = key < out->n_places ? out->places[key] : 0;

    node_of(rw, r)->key = rewrite_constant(rw, r.cls, hash, &place);
    if (key < out->n_places)
        out->places[key] = place;
}

/* While a constant is copied, the memory is fetched in which it will probably be found. */
static void foresee(struct rewrite *rw, struct ref r)
{
    const struct out_class *out = &rw->classes[rw->in[r.cls].out];
    uint64_t key = jfr_pool_key(rw->in[r.cls].pool, r.index);

    if (key < out->n_places)
        __builtin_prefetch(&rw->known.rows[out->places[key]]);
}

static struct hash content(struct rewrite *rw, struct ref r, uint64_t kind)
{
    return hash_of(kind + rw->in[r.cls].out, rw->scratch.p, rw->scratch.n);
}

/* The constants from `first` on in rw->open are a cycle. */
static void settle_cycle(struct rewrite *rw, size_t first)
{
    size_t n = rw->open.n / sizeof(struct ref) - first;
    const struct ref *members = (const struct ref *)(const void *)rw->open.p + first;
    struct hash *hashes = malloc(n * sizeof(*hashes));
    size_t rounds = n > CYCLE_MAX ? 1 : n;

    if (hashes == NULL) {
        rw->rc = JFR_E_NOMEM;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        node_of(rw, members[i])->is_moving = true;
        node_of(rw, members[i])->key = n > CYCLE_MAX ? ++rw->salt << 1 | 1 : 1;
    }
    for (; rounds > 0; rounds--) {
        for (size_t i = 0; i < n; i++) {
            encode(rw, members[i]);
            hashes[i] = content(rw, members[i], HASH_CYCLE);
        }
        for (size_t i = 0; i < n; i++)
            node_of(rw, members[i])->key = hashes[i].low >> 1 | 1;
    }
    for (size_t i = 0; i < n && rw->rc == 0; i++) {
        struct known *known = known_at(&rw->known, hashes[i]);

        if (known == NULL)
            rw->rc = JFR_E_NOMEM;
        else if (known->value == 0)
            known->value = ++rw->classes[rw->in[members[i].cls].out].last_key;
        node_of(rw, members[i])->key = known == NULL ? KEY_NONE : known->value;
        node_of(rw, members[i])->is_moving = false;
    }
    for (size_t i = 0; i < n && rw->rc == 0; i++) {
        encode(rw, members[i]);
        settle(rw, members[i], hashes[i]);
    }
    free(hashes);
}

/* Looks at a constant for the first time. It is settled when all it refers to is known. */
static void visit(struct rewrite *rw, struct ref r)
{
    struct node *node = node_of(rw, r);
    struct frame frame = {.at = r, .next = rw->refs.n / sizeof(struct ref)};

    foresee(rw, r);
    node->order = node->low = ++rw->order;
    if (!encode(rw, r)) {
        rw->refs.n = frame.next * sizeof(struct ref);
        node->key = KEY_NONE;
        return;
    }
    frame.end = rw->refs.n / sizeof(struct ref);
    if (frame.end == frame.next) {
        settle(rw, r, content(rw, r, 0));
        return;
    }
    buf_bytes(&rw->open, &r, sizeof(r));
    buf_bytes(&rw->frames, &frame, sizeof(frame));
}

/* All that `r` refers to has been looked at. */
static void leave(struct rewrite *rw, struct ref r)
{
    size_t first = rw->open.n / sizeof(struct ref), refs = rw->refs.n;
    const struct ref *open = (const struct ref *)(const void *)rw->open.p;

    if (node_of(rw, r)->low != node_of(rw, r)->order)
        return;
    do
        first--;
    while (open[first].cls != r.cls || open[first].index != r.index);
    encode(rw, r);
    if (rw->refs.n == refs && first + 1 == rw->open.n / sizeof(struct ref))
        settle(rw, r, content(rw, r, 0));
    else
        settle_cycle(rw, first);
    rw->refs.n = refs;
    rw->open.n = first * sizeof(struct ref);
}

static void lower_link(struct rewrite *rw, struct ref r, uint32_t to)
{
    if (node_of(rw, r)->low > to)
        node_of(rw, r)->low = to;
}

/* One step of the search; the frame on top is the one to continue with. */
static void step(struct rewrite *rw)
{
    struct frame *frame = top(&rw->frames, sizeof(*frame));
    struct ref at = frame->at, r;
    const struct node *node;

    if (frame->next < frame->end) {
        r = ((const struct ref *)(const void *)rw->refs.p)[frame->next++];
        node = node_of(rw, r);
        if (node->key != 0)
            return;
        if (node->order == 0)
            visit(rw, r);
        else
            lower_link(rw, at, node->order);
        return;
    }
    rw->frames.n -= sizeof(*frame);
    leave(rw, at);
    if (rw->frames.n > 0) {
        frame = top(&rw->frames, sizeof(*frame));
        lower_link(rw, frame->at, node_of(rw, at)->low);
    }
}

static void search(struct rewrite *rw, struct ref r)
{
    rw->is_collecting = true;
    rw->refs.n = rw->frames.n = rw->open.n = 0;
    visit(rw, r);
    while (rw->frames.n > 0 && rw->rc == 0) {
        step(rw);
        if (!buf_ok(&rw->refs) || !buf_ok(&rw->frames) || !buf_ok(&rw->open))
            rw->rc = JFR_E_NOMEM;
    }
    rw->is_collecting = false;
}

uint64_t rewrite_key(struct rewrite *rw, uint32_t cls, uint64_t key, bool *is_final)
{
    struct ref r = {.cls = cls};
    const struct node *node;
    int64_t i;

    if (is_final != NULL)
        *is_final = rw->rc == 0;
    if (rw->rc != 0 || (!rw->in[cls].is_open && !open_pool(rw, cls)))
        return 0;
    i = jfr_pool_find(rw->in[cls].pool, key);
    if (i < 0)
        return 0;
    r.index = (uint32_t)i;
    node = node_of(rw, r);
    if (node->key == 0 && !rw->is_collecting)
        search(rw, r);
    else if (node->key == 0)
        buf_bytes(&rw->refs, &r, sizeof(r));
    if (is_final != NULL)
        *is_final = node->key != 0 && !node->is_moving && rw->rc == 0; /* KEY_NONE is final */
    return rw->rc != 0 || node->key == KEY_NONE ? 0 : node->key;
}

/* In the order of the chunk's own metadata: that of all classes of the output would remember chunks
 * of which nothing was kept. */
void rewrite_checkpoint(struct rewrite *rw)
{
    uint64_t size = 0;
    size_t n_pools = 0;

    for (size_t i = 0; i < rw->n_in; i++) {
        const struct out_class *c = &rw->classes[rw->in[i].out];

        if (c->n == 0)
            continue;
        size += buf_varint_size((uint64_t)c->id) + buf_varint_size(c->n) + c->pool.n;
        n_pools++;
    }
    if (n_pools == 0)
        return;
    raw_checkpoint(&rw->out, n_pools, size);
    for (size_t i = 0; i < rw->n_in; i++) {
        struct out_class *c = &rw->classes[rw->in[i].out];

        if (c->n == 0)
            continue;
        buf_varint(&rw->out.b, (uint64_t)c->id);
        buf_varint(&rw->out.b, c->n);
        raw_append(&rw->out, &c->pool);
        buf_reset(&c->pool);
        c->n = 0;
    }
    rw->pools_n = 0;
}
