/*
 * stacktable.c - JSON in which each stack stands once, under a name made of its text.
 *
 * It is a layout of convert/json. An event has the name of its stack in place of the stack, and a
 * table of all stacks follows the events. The name is a hash of the text, so that equal stacks have
 * the same name in all recordings.
 */
#include "convert/json/internal.h"
#include "convert/json/entries.h"
#include "jfrfmt/base/intern.h"

#include <inttypes.h>
#include <stdlib.h>

struct chunk_stacks { /* of a worker, in the order of the events */
    struct json_worker *w;
    struct json_entries stacks;
    struct buf ids; /* of uint64_t, by number */
};

struct all_stacks {
    struct intern ids; /* of uint64_t */
    struct buf text; /* `,"ID":STACK` each */
};

/* The name of a stack in the output, so it depends on the text alone. Two multiplications a word:
 * texts are long, and each is hashed once. Never 0. */
static uint64_t id_of_text(const uint8_t *p, size_t n)
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

static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b);

static bool put_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct chunk_stacks *cs = ctx;
    struct json_text text;
    uint64_t number, id;

    if (!shape->is_stack)
        return false;
    number = json_entries_number(&cs->stacks, cs->w->values.shapes.chunk, shape, i, make_stack, cs);
    text = json_entries_text(&cs->stacks, number);
    if (number > cs->ids.n / sizeof(id)) {
        id = id_of_text((const uint8_t *)text.p, text.n);
        buf_bytes(&cs->ids, &id, sizeof(id));
    }
    if (number == 0 || !buf_ok(&cs->ids)) {
        cs->w->values.failed = true;
        buf_str(b, "null");
        return true;
    }
    memcpy(&id, cs->ids.p + (number - 1) * sizeof(id), sizeof(id));
    buf_printf(b, "\"%016" PRIx64 "\"", id);
    return true;
}

/* A stack within it stands there as it is. */
static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct chunk_stacks *cs = ctx;

    cs->w->values.put_entry = NULL;
    json_value_entry(&cs->w->values, shape, i, b);
    cs->w->values.put_entry = put_stack;
}

static void *worker_new(struct json_worker *w)
{
    struct chunk_stacks *cs = calloc(1, sizeof(*cs));

    if (cs != NULL)
        cs->w = w;
    w->values.put_entry = put_stack;
    w->values.ctx = cs;
    return cs;
}

static void worker_free(void *own)
{
    struct chunk_stacks *cs = own;

    json_entries_free(&cs->stacks);
    buf_free(&cs->ids);
    free(cs);
}

static void load(struct json_worker *w)
{
    struct chunk_stacks *cs = w->own;

    json_entries_reset(&cs->stacks);
    buf_reset(&cs->ids);
}

static int merge(void *shared, struct json_worker *w)
{
    struct chunk_stacks *cs = w->own;
    struct all_stacks *all = shared;
    const uint64_t *ids = (const void *)cs->ids.p;

    for (size_t i = 0; i < cs->ids.n / sizeof(*ids); i++) {
        struct json_text text = json_entries_text(&cs->stacks, i + 1);
        size_t n = intern_n(&all->ids);
        uint32_t known = intern_add(&all->ids, &ids[i], sizeof(ids[i]));

        if (known == INTERN_FAILED)
            return JFR_E_NOMEM;
        if (known < n)
            continue;
        buf_printf(&all->text, ",\n\"%016" PRIx64 "\":", ids[i]);
        buf_bytes(&all->text, text.p, text.n);
    }
    return buf_ok(&all->text) ? 0 : JFR_E_NOMEM;
}

static void *shared_new(void)
{
    return calloc(1, sizeof(struct all_stacks));
}

static void stack_table_free(void *shared)
{
    struct all_stacks *all = shared;

    intern_free(&all->ids);
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
    .shared_free = stack_table_free,
    .finish = finish,
};
