/*
 * links.c - what constants say of each other, found once so that no value is decoded for each
 * event that refers to it.
 */
#include "jfrfmt/v0/model.h"

#define RECORDER "oracle/jrockit/jfr/"

/* The first two varints of a constant as it is shown. */
static void first_two(const struct v0_chunk *ch, const struct v0_entry *e, uint64_t values[2])
{
    uint8_t room[3 * CUR_VARINT_MAX]; /* Java threads have two columns, classes three */
    struct buf b = buf_fixed(room, sizeof(room));
    struct cursor c = v0_value(ch, e);

    v0_put_cols(ch, &b, &ch->contents[e->content].layout, 0, &c, e->time);
    c = cur_over(b.p, b.n);
    values[0] = cur_varint(&c);
    values[1] = cur_varint(&c);
}

uint64_t v0_group_key(const struct v0_chunk *ch, const struct v0_entry *java_thread)
{
    uint64_t keys[2];

    first_two(ch, java_thread, keys);
    return keys[1];
}

static void link_java_thread(struct v0_chunk *ch, uint32_t i)
{
    uint64_t keys[2];
    uint32_t thread;

    first_two(ch, &ch->entries[i], keys);
    if (keys[0] == 0)
        return;
    thread = (uint32_t)(keys[0] - v0_key(ch, ch->entries));
    ch->links[i] = thread + 1;
    ch->links[thread] = i + 1;
}

/* JMC leaves out frames of the recorder's own subpackages, which top most stacks of Java events. */
static bool is_recorders(const struct v0_chunk *ch, const struct v0_entry *symbol)
{
    const struct v0_struct *s = ch->contents[symbol->content].value;
    struct cursor c = v0_value(ch, symbol);
    size_t n, prefix = strlen(RECORDER);
    const uint8_t *p;

    if (s->n_fields != 1 || s->fields[0].type != V0_UTF8)
        return false;
    n = (size_t)cur_be(&c, 2);
    p = cur_bytes(&c, n);
    return p != NULL && n > prefix && memcmp(p, RECORDER, prefix) == 0 &&
           memchr(p + prefix, '/', n - prefix) != NULL;
}

static void link_class(struct v0_chunk *ch, uint32_t i)
{
    uint64_t keys[2];

    first_two(ch, &ch->entries[i], keys);
    if (keys[1] != 0)
        ch->links[i] = ch->links[keys[1] - v0_key(ch, ch->entries)];
}

bool v0_is_hidden(const struct v0_chunk *ch, uint64_t class_key)
{
    return class_key != 0 && ch->links[class_key - v0_key(ch, ch->entries)] != 0;
}

bool v0_link_constants(struct v0_chunk *ch)
{
    ch->links = arena_array(&ch->arena, ch->n_entries, sizeof(*ch->links));
    if (ch->links == NULL)
        return false;
    for (uint32_t i = 0; i < ch->n_entries; i++)
        if (ch->contents[ch->entries[i].content].layout.cls == V0_C_SYMBOL)
            ch->links[i] = is_recorders(ch, &ch->entries[i]);
    for (uint32_t i = 0; i < ch->n_entries; i++) {
        uint32_t cls = ch->contents[ch->entries[i].content].layout.cls;
        if (cls == V0_C_JAVA_THREAD)
            link_java_thread(ch, i);
        else if (cls == V0_C_CLASS)
            link_class(ch, i);
    }
    return true;
}
