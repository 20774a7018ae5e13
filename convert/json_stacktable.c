#include "convert/json_layout.h"

#include <inttypes.h>
#include <stdlib.h>

/* A stack met in a chunk, in the order of the events. */
struct met_stack {
    uint64_t id;
    size_t at, n; /* its text */
};

struct chunk_stacks { /* of a worker */
    struct json_worker *w;
    struct buf met; /* of struct met_stack */
    struct buf text;
};

struct all_stacks {
    uint64_t *ids; /* open addressing; 0 = free */
    size_t n, room;
    struct buf text; /* `,"ID":STACK` each */
};

/* Two multiplications a word: texts are long, and each is hashed once. Never 0. */
static uint64_t hash_text(const uint8_t *p, size_t n)
{
    unsigned __int128 h = 0x9e3779b97f4a7c15u ^ (uint64_t)n;

    for (; n > 0; p += n < 8 ? n : 8, n -= n < 8 ? n : 8) {
        uint64_t word = 0;
        memcpy(&word, p, n < 8 ? n : 8);
        h = ((uint64_t)h ^ word) * (unsigned __int128)0xd6e8feb86659fd93u;
        h = ((uint64_t)h ^ (uint64_t)(h >> 64)) * (unsigned __int128)0xa0761d6478bd642fu;
        h ^= h >> 64;
    }
    return (uint64_t)h == 0 ? 1 : (uint64_t)h;
}

static uint64_t make_id(struct chunk_stacks *cs, struct json_shape *shape, size_t i)
{
    struct met_stack met = {.at = cs->text.n};

    json_value_stack(&cs->w->values, shape, i, &cs->text);
    met.n = cs->text.n - met.at;
    met.id = hash_text(cs->text.p + met.at, met.n);
    buf_bytes(&cs->met, &met, sizeof(met));
    return met.id;
}

static void put_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct chunk_stacks *cs = ctx;
    struct jfr_chunk *chunk = cs->w->values.shapes.chunk;

    if (shape->ids == NULL)
        shape->ids = arena_array(jfr_chunk_arena(chunk), jfr_pool_n(shape->pool), sizeof(uint64_t));
    if (shape->ids == NULL) {
        cs->w->values.failed = true;
        buf_str(b, "null");
        return;
    }
    if (shape->ids[i] == 0)
        shape->ids[i] = make_id(cs, shape, i);
    if (!buf_ok(&cs->met) || !buf_ok(&cs->text))
        cs->w->values.failed = true;
    buf_printf(b, "\"%016" PRIx64 "\"", shape->ids[i]);
}

static void *worker_new(struct json_worker *w)
{
    struct chunk_stacks *cs = calloc(1, sizeof(*cs));

    if (cs != NULL)
        cs->w = w;
    w->values.put_stack = put_stack;
    w->values.ctx = cs;
    return cs;
}

static void worker_free(void *own)
{
    struct chunk_stacks *cs = own;

    buf_free(&cs->met);
    buf_free(&cs->text);
    free(cs);
}

static void load(struct json_worker *w)
{
    struct chunk_stacks *cs = w->own;

    buf_reset(&cs->met);
    buf_reset(&cs->text);
}

static uint64_t *find_id(const struct all_stacks *all, uint64_t id)
{
    size_t at = id & (all->room - 1);

    while (all->ids[at] != 0 && all->ids[at] != id)
        at = (at + 1) & (all->room - 1);
    return &all->ids[at];
}

static bool grow(struct all_stacks *all)
{
    struct all_stacks more = *all;

    if (all->room > 2 * all->n)
        return true;
    more.room = all->room == 0 ? 1024 : 2 * all->room;
    more.ids = calloc(more.room, sizeof(*more.ids));
    if (more.ids == NULL)
        return false;
    for (size_t i = 0; i < all->room; i++)
        if (all->ids[i] != 0)
            *find_id(&more, all->ids[i]) = all->ids[i];
    free(all->ids);
    *all = more;
    return true;
}

static int merge(void *shared, struct json_worker *w)
{
    struct chunk_stacks *cs = w->own;
    struct all_stacks *all = shared;
    const struct met_stack *met = (const void *)cs->met.p;

    for (size_t i = 0; i < cs->met.n / sizeof(*met); i++) {
        uint64_t *slot = grow(all) ? find_id(all, met[i].id) : NULL;
        if (slot == NULL)
            return JFR_E_NOMEM;
        if (*slot != 0)
            continue;
        *slot = met[i].id;
        all->n++;
        buf_printf(&all->text, ",\n\"%016" PRIx64 "\":", met[i].id);
        buf_bytes(&all->text, cs->text.p + met[i].at, met[i].n);
    }
    return buf_ok(&all->text) ? 0 : JFR_E_NOMEM;
}

static void *shared_new(void)
{
    return calloc(1, sizeof(struct all_stacks));
}

static void shared_free(void *shared)
{
    struct all_stacks *all = shared;

    free(all->ids);
    buf_free(&all->text);
    free(all);
}

static void finish(void *shared, const struct json_style *style, struct out *out)
{
    const struct all_stacks *all = shared;

    (void)style;
    buf_str(&out->b, "\n],\"stacks\":{");
    if (all->text.n > 0)
        buf_bytes(&out->b, all->text.p + 1, all->text.n - 1);
}

const struct json_layout json_stacktable = {
    .name = "stacktable",
    .rules = JSON_RULES_OWN,
    .stack_depth = SIZE_MAX,
    .separator = ",",
    .begin = "{\"events\":[",
    .before = ",\n",
    .after = "}",
    .end = "\n}}\n",
    .worker_new = worker_new,
    .worker_free = worker_free,
    .load = load,
    .merge = merge,
    .shared_new = shared_new,
    .shared_free = shared_free,
    .finish = finish,
};
