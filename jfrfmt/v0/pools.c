/*
 * pools.c - reads the constants of a 0.9 chunk.
 *
 * A key may have several values over time. Entries are sorted by pool, key and time, and v0_find()
 * returns the one that was valid at a given time.
 */
#include "jfrfmt/v0/model.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

static void load_entry(struct v0_chunk *ch, struct cursor *c, uint32_t content, int64_t time)
{
    const struct v0_content *t = &ch->contents[content];
    struct v0_entry e = {.content = content, .time = time};

    e.key = v0_read_integer(c, t->key_type);
    e.value = c->p;
    for (size_t i = 0; i < t->value->n_fields && cur_ok(c); i++)
        v0_skip(c, &t->value->fields[i]);
    if (cur_ok(c) && t->layout.n_cols > 0)
        buf_bytes(&ch->entry_room, &e, sizeof(e));
}

static void load_pools(struct v0_chunk *ch, struct cursor *c, int64_t time)
{
    while (cur_left(c) > 0) {
        uint32_t content = v0_content_of(ch, (int32_t)cur_be(c, 4));
        const struct v0_content *t;
        size_t n;

        if (content == 0) {
            cur_fail(c); /* an unknown pool: the length of its values is not known */
            return;
        }
        t = &ch->contents[content - 1];
        n = v0_read_count(c, v0_size(t->key_type) + t->value->min_size);
        while (n-- > 0 && cur_ok(c))
            load_entry(ch, c, content - 1, time);
    }
}

static int by_pool_key(const void *a, const void *b)
{
    const struct v0_entry *x = a, *y = b;

    if (x->content != y->content)
        return x->content < y->content ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void sort_entries(struct v0_chunk *ch)
{
    ch->entries = (void *)ch->entry_room.p;
    ch->n_entries = ch->entry_room.n / sizeof(*ch->entries);
    if (ch->n_entries > 0)
        qsort(ch->entries, ch->n_entries, sizeof(*ch->entries), by_pool_key);
    for (size_t i = 0; i < ch->n_entries; i++) {
        struct v0_content *t = &ch->contents[ch->entries[i].content];
        if (t->n_entries++ == 0)
            t->first = i;
    }
}

/* The chain runs from the last checkpoint to the first. Each must end before the one visited before
 * it begins, so the work is bounded by the bytes. */
void v0_load_constants(struct v0_chunk *ch)
{
    uint64_t at = ch->last_checkpoint, end = ch->metadata;

    while (at != 0) {
        struct cursor c = cur_over(ch->in.bytes, (size_t)end);
        uint64_t size, type, next;
        int64_t time;

        cur_bytes(&c, at);
        size = cur_be(&c, 4);
        type = cur_be(&c, 4);
        time = (int64_t)cur_be(&c, 8);
        next = cur_be(&c, 8);
        if (at < 16 || !cur_ok(&c) || type != 1 || size < 24 || size > end - at) {
            v0_damage(ch, JFR_E_FORMAT, ch->in.bytes + (at < end ? at : end),
                      "the chain of checkpoints is broken");
            break;
        }
        c.end = ch->in.bytes + at + size;
        load_pools(ch, &c, time);
        if (!cur_ok(&c))
            v0_damage(ch, JFR_E_FORMAT, c.fail, "a checkpoint is damaged");
        end = at;
        at = next;
    }
    sort_entries(ch);
}

/* A checkpoint has the constants of the events that were written before it. So the value at a time
 * is in the first checkpoint that is not earlier, which is where the search ends. */
const struct v0_entry *v0_find(const struct v0_chunk *ch, uint32_t content, uint64_t key,
                               int64_t time)
{
    const struct v0_content *t = &ch->contents[content];
    const struct v0_entry *e;
    size_t first;

    if (t->n_entries == 0)
        return NULL; /* ch->entries may be NULL, and NULL + 0 is undefined */
    e = ch->entries + t->first;
    first = SORTED_FIRST(t->n_entries, i, e[i].key > key || (e[i].key == key && e[i].time >= time));
    return first < t->n_entries && e[first].key == key ? &e[first] : NULL;
}
