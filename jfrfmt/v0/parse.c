/*
 * parse.c - the metadata of a 0.9 chunk, and how its values lie in the bytes (jfr-format §14).
 *
 * Numbers have a fixed width there, and structures may contain structures and arrays. The input may
 * be hostile: structures that contain themselves, that are nested too deeply, or whose values have
 * no bytes are refused, so that later loops end and cost no more than the chunk has bytes.
 */
#include "jfrfmt/v0/model.h"

#include <stdlib.h>

#define MAX_DEPTH 16 /* of structures in structures; real files have 2 */

bool v0_text_is(struct v0_text t, const char *s)
{
    return t.n == strlen(s) && (t.n == 0 || memcmp(t.p, s, t.n) == 0);
}

int v0_damage(struct v0_chunk *ch, enum jfr_errc code, const uint8_t *where, const char *what)
{
    uint64_t offset = ch->in.base + (where == NULL ? 0 : (uint64_t)(where - ch->in.bytes));
    int rc = jfr_fail(ch->err, code, offset, "%s", what);

    if (ch->rc == 0)
        ch->rc = rc;
    return rc;
}

static const uint8_t sizes[] = {
    [V0_BOOLEAN] = 1, [V0_S8] = 1,   [V0_U8] = 1,     [V0_S16] = 2,   [V0_U16] = 2,
    [V0_S32] = 4,     [V0_U32] = 4,  [V0_S64] = 8,    [V0_U64] = 8,   [V0_FLOAT] = 4,
    [V0_DOUBLE] = 8,  [V0_UTF8] = 2, [V0_STRING] = 4, [V0_ARRAY] = 4, [V0_STRUCTS] = 4,
};

unsigned v0_size(uint8_t type)
{
    return sizes[type];
}

uint64_t v0_read_integer(struct cursor *c, uint8_t type)
{
    uint64_t v = cur_be(c, sizes[type]);

    switch (type) {
    case V0_S8:
        return (uint64_t)(int8_t)v;
    case V0_S16:
        return (uint64_t)(int16_t)v;
    case V0_S32:
        return (uint64_t)(int32_t)v;
    default:
        return v;
    }
}

size_t v0_read_count(struct cursor *c, uint64_t min_size)
{
    uint64_t n = cur_be(c, 4);

    if (n <= INT32_MAX && n <= cur_left(c) / min_size)
        return (size_t)n;
    cur_fail(c);
    return 0;
}

uint64_t v0_element_size(const struct v0_field *f)
{
    return f->sub != NULL ? f->sub->min_size : sizes[f->element];
}

static void skip_v0_element(struct cursor *c, const struct v0_field *f)
{
    if (f->sub != NULL)
        for (size_t i = 0; i < f->sub->n_fields && cur_ok(c); i++)
            v0_skip(c, &f->sub->fields[i]);
    else if (f->element == V0_UTF8)
        cur_bytes(c, cur_be(c, 2));
    else if (f->element == V0_STRING)
        cur_bytes(c, 2 * (uint64_t)v0_read_count(c, 2));
    else
        cur_bytes(c, sizes[f->element]);
}

void v0_skip(struct cursor *c, const struct v0_field *f)
{
    size_t n = 1;

    if (f->type == V0_ARRAY || f->type == V0_STRUCTS)
        n = v0_read_count(c, v0_element_size(f));
    while (n-- > 0 && cur_ok(c))
        skip_v0_element(c, f);
}

static struct v0_text read_v0_text(struct cursor *c)
{
    size_t n = (size_t)cur_be(c, 2);
    const uint8_t *p = cur_bytes(c, n);

    return (struct v0_text){(const char *)p, p == NULL ? 0 : n};
}

static void skip_texts(struct cursor *c)
{
    size_t n = v0_read_count(c, 2);

    while (n-- > 0 && cur_ok(c))
        read_v0_text(c);
}

/* A reference to one of the n structures at `structs`; fails when there is none. */
static struct v0_struct *read_struct(struct cursor *c, struct v0_struct *structs, size_t n)
{
    uint64_t index = cur_be(c, 4);

    if (index < n)
        return &structs[index];
    cur_fail(c);
    return NULL;
}

#define FIELD_SIZE (3 * 2 + 2 + 3 * 4)

static void read_v0_field(struct cursor *c, struct v0_field *f, struct v0_struct *structs, size_t n)
{
    uint64_t sub = 0;

    f->name = read_v0_text(c);
    f->label = read_v0_text(c);
    f->description = read_v0_text(c);
    cur_be(c, 1); /* the direction of a thread transition: nothing in 2.1 shows it */
    f->type = f->element = (uint8_t)cur_be(c, 1);
    f->content = (int32_t)cur_be(c, 4);
    if (f->type == V0_STRUCT || f->type == V0_STRUCTS)
        f->sub = read_struct(c, structs, n);
    else
        sub = cur_be(c, 4); /* of primitives a relation key: nothing in 2.1 shows it */
    cur_be(c, 4); /* unused */
    if (f->type == V0_ARRAY && sub < V0_ARRAY)
        f->element = (uint8_t)sub;
    if (f->sub == NULL && f->element >= V0_ARRAY)
        cur_fail(c);
}

/* Works out depth and least size. False when structures hold themselves, go too deep, or a value
 * would take no bytes: then a count could ask for work that no byte pays for. */
static bool settle_struct(struct v0_struct *s, unsigned level)
{
    unsigned below = 0;

    if (s->depth > 0 || level == MAX_DEPTH)
        return s->depth > 0 && s->depth + level <= MAX_DEPTH;
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct v0_field *f = &s->fields[i];
        uint64_t size = sizes[f->type];
        if (f->sub != NULL) {
            if (f->sub->n_fields == 0 || !settle_struct(f->sub, level + 1))
                return false;
            below = f->sub->depth > below ? f->sub->depth : below;
            if (f->type == V0_STRUCT)
                size = f->sub->min_size;
        }
        s->min_size += size;
        if (s->min_size > UINT32_MAX)
            s->min_size = UINT32_MAX; /* never met by any value, so no need for the sum */
    }
    s->depth = below + 1;
    return true;
}

static struct v0_struct *read_structs(struct v0_chunk *ch, struct cursor *c, size_t *n)
{
    struct v0_struct *structs;

    *n = v0_read_count(c, 4);
    structs = arena_array(&ch->arena, *n, sizeof(*structs));
    for (size_t i = 0; i < *n && structs != NULL && cur_ok(c); i++) {
        struct v0_struct *s = &structs[i];
        s->n_fields = v0_read_count(c, FIELD_SIZE);
        s->fields = arena_array(&ch->arena, s->n_fields, sizeof(*s->fields));
        for (size_t k = 0; k < s->n_fields && s->fields != NULL && cur_ok(c); k++)
            read_v0_field(c, &s->fields[k], structs, *n);
    }
    if (!arena_ok(&ch->arena))
        cur_fail(c);
    for (size_t i = 0; i < *n && cur_ok(c); i++)
        if (!settle_struct(&structs[i], 0))
            cur_fail(c);
    return structs;
}

static void read_event_type(struct v0_chunk *ch, struct cursor *c, struct v0_text uri,
                            struct v0_struct *structs, size_t n)
{
    struct v0_event_type t = {.uri = uri};

    t.id = (int32_t)cur_be(c, 4);
    t.label = read_v0_text(c);
    t.description = read_v0_text(c);
    t.path = read_v0_text(c);
    t.has_start = cur_be(c, 1) != 0;
    t.has_thread = cur_be(c, 1) != 0;
    t.has_stack = cur_be(c, 1) != 0;
    cur_be(c, 1); /* requestable */
    t.body = read_struct(c, structs, n);
    cur_be(c, 4); /* unused */
    if (cur_ok(c))
        buf_bytes(&ch->event_room, &t, sizeof(t));
}

static void read_content(struct v0_chunk *ch, struct cursor *c, struct v0_struct *structs, size_t n)
{
    struct v0_content t = {.id = (int32_t)cur_be(c, 4)};

    t.name = read_v0_text(c);
    t.label = read_v0_text(c);
    t.key_type = (uint8_t)cur_be(c, 1);
    t.value = read_struct(c, structs, n);
    if (!v0_is_integer(t.key_type))
        cur_fail(c);
    if (cur_ok(c))
        buf_bytes(&ch->content_room, &t, sizeof(t));
}

static void read_producer(struct v0_chunk *ch, struct cursor *c)
{
    struct v0_struct *structs;
    struct v0_text uri;
    size_t n, n_structs;

    cur_be(c, 4); /* id */
    read_v0_text(c); /* name */
    read_v0_text(c); /* description */
    uri = read_v0_text(c);
    skip_texts(c); /* relation keys */
    structs = read_structs(ch, c, &n_structs);
    n = v0_read_count(c, 4 + 3 * 2 + 4 + 2 * 4);
    while (n-- > 0 && cur_ok(c))
        read_event_type(ch, c, uri, structs, n_structs);
    n = v0_read_count(c, 4 + 2 * 2 + 1 + 4);
    while (n-- > 0 && cur_ok(c))
        read_content(ch, c, structs, n_structs);
}

static int by_event_id(const void *a, const void *b)
{
    const struct v0_event_type *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int by_content_id(const void *a, const void *b)
{
    const struct v0_content *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void take_arrays(struct v0_chunk *ch)
{
    ch->events = (void *)ch->event_room.p;
    ch->n_events = ch->event_room.n / sizeof(*ch->events);
    ch->contents = (void *)ch->content_room.p;
    ch->n_contents = ch->content_room.n / sizeof(*ch->contents);
    if (ch->n_events > 0)
        qsort(ch->events, ch->n_events, sizeof(*ch->events), by_event_id);
    if (ch->n_contents > 0)
        qsort(ch->contents, ch->n_contents, sizeof(*ch->contents), by_content_id);
}

const struct v0_event_type *v0_event_type_of(const struct v0_chunk *ch, int32_t id)
{
    struct v0_event_type wanted = {.id = id};

    return ch->n_events == 0
               ? NULL
               : bsearch(&wanted, ch->events, ch->n_events, sizeof(wanted), by_event_id);
}

uint32_t v0_content_of(const struct v0_chunk *ch, int32_t id)
{
    struct v0_content wanted = {.id = id};
    const struct v0_content *t = NULL;

    if (ch->n_contents > 0)
        t = bsearch(&wanted, ch->contents, ch->n_contents, sizeof(wanted), by_content_id);
    return t == NULL ? 0 : (uint32_t)(t - ch->contents) + 1;
}

/* Where the metadata event lies; it is the chunk's last. */
static int find_metadata_event(struct v0_chunk *ch, struct cursor *event)
{
    struct cursor c = cur_over(ch->in.bytes, ch->in.n);
    uint64_t at, size;

    cur_bytes(&c, 8);
    at = cur_be(&c, 8);
    if (!cur_ok(&c))
        return v0_damage(ch, JFR_E_SHORT, c.fail, "the chunk header is cut off");
    if (ch->in.n > UINT32_MAX)
        return v0_damage(ch, JFR_E_LIMIT, NULL, "the chunk is larger than 4 GiB");
    if (at < 16)
        return v0_damage(ch, JFR_E_FORMAT, ch->in.bytes + 8, "the metadata lies in the header");
    cur_bytes(&c, at - 16);
    size = cur_be(&c, 4);
    if (!cur_ok(&c) || size > cur_left(&c) + 4)
        return v0_damage(ch, JFR_E_SHORT, ch->in.bytes + ch->in.n,
                         "the chunk is cut off: its metadata, which comes last, is missing");
    if (size < 8 || cur_be(&c, 4) != 0)
        return v0_damage(ch, JFR_E_FORMAT, ch->in.bytes + at, "there is no metadata event here");
    *event = cur_over(c.p, (size_t)size - 8);
    ch->metadata = (size_t)at;
    return 0;
}

/* A structure is listed once but shown with each type that has it. */
static bool shares_too_much(const struct v0_chunk *ch)
{
    uint64_t n = 0;

    for (size_t i = 0; i < ch->n_events; i++)
        n += ch->events[i].body->n_fields;
    for (size_t i = 0; i < ch->n_contents; i++)
        n += ch->contents[i].value->n_fields;
    return n > 1000 + (ch->in.n - ch->metadata) / 8; /* a field takes at least 20 bytes */
}

int v0_parse_metadata(struct v0_chunk *ch)
{
    struct cursor c;
    size_t n;
    int rc = find_metadata_event(ch, &c);

    if (rc != 0)
        return rc;
    n = v0_read_count(&c, 4 + 3 * 2 + 4 * 4);
    while (n-- > 0 && cur_ok(&c))
        read_producer(ch, &c);
    ch->start_ms = (int64_t)cur_be(&c, 8);
    ch->end_ms = (int64_t)cur_be(&c, 8);
    ch->start_ticks = (int64_t)cur_be(&c, 8);
    ch->ticks_per_second = (int64_t)cur_be(&c, 8);
    ch->last_checkpoint = cur_be(&c, 8);
    ch->locale = read_v0_text(&c);
    ch->gmt_offset_ms = (int32_t)cur_be(&c, 4);
    if (!arena_ok(&ch->arena) || !buf_ok(&ch->event_room) || !buf_ok(&ch->content_room))
        return v0_damage(ch, JFR_E_NOMEM, NULL, "out of memory");
    if (!cur_ok(&c))
        return v0_damage(ch, JFR_E_FORMAT, c.fail, "the metadata is damaged");
    if (ch->ticks_per_second <= 0)
        return v0_damage(ch, JFR_E_FORMAT, c.p, "the clock frequency is not positive");
    take_arrays(ch);
    if (shares_too_much(ch))
        return v0_damage(ch, JFR_E_LIMIT, c.p, "too many types share their fields");
    return 0;
}
