/*
 * consts.c - constants with their keys, found by key and by content; what the chunk at hand needs
 * of them.
 */
#include "jfrfmt/write/consts.h"

#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024
#define SHORT_KEYS 127 /* of one byte */
#define OFTEN 32 /* references; fewer, and what happens to come first has all short keys */

static uint64_t content_hash(uint32_t cls, const uint8_t *value, size_t n)
{
    return hash_bytes(value, n, hash_seed + cls);
}

static uint64_t key_hash(uint32_t cls, uint64_t key)
{
    return hash_number(key) + cls;
}

/* Adds entry c->n to the tables and to the count. Cannot fail: set_room() made room for it. */
static void index_last(struct consts *c)
{
    const struct constant *k = &c->entries[c->n];

    hashtable_add(&c->by_content, k->hash, c->n);
    if (k->is_hashed)
        hashtable_add(&c->by_key, key_hash(k->cls, k->key), c->n);
    c->n++;
}

static bool set_room(struct consts *c, size_t room)
{
    size_t entries_room = c->room, marks_room = c->room;

    if (!array_reserve(&c->entries, &entries_room, room, sizeof(*c->entries)) ||
        !array_reserve(&c->marks, &marks_room, room, sizeof(*c->marks)) ||
        !hashtable_reserve(&c->by_content, room) || !hashtable_reserve(&c->by_key, room))
        return false;
    c->room = room;
    return true;
}

int consts_types_added(struct consts *c)
{
    for (; c->n_classes < c->types->n; c->n_classes++) {
        if (!array_add(&c->waiting, c->n_classes, sizeof(*c->waiting)) ||
            !array_add(&c->numbers, c->n_classes, sizeof(*c->numbers)))
            return JFR_E_NOMEM;
        c->waiting[c->n_classes] = (struct waiting){.first = CONSTS_NONE};
        c->numbers[c->n_classes] = (struct numbers){0};
    }
    return 0;
}

int consts_init(struct consts *c, const struct typeset *types, size_t room)
{
    *c = (struct consts){.types = types, .chunk = 1};
    if (consts_types_added(c) != 0)
        return JFR_E_NOMEM;
    if (room == 0)
        return set_room(c, FIRST_ROOM) ? 0 : JFR_E_NOMEM;
    /* Half for values; an entry and its slots (at most three of each table) take 96 bytes. */
    if (!set_room(c, room / 2 / 96 + 16) || !buf_reserve(&c->values, room / 2))
        return JFR_E_NOMEM;
    c->values.fixed = true;
    c->is_fixed = true;
    return 0;
}

static bool is_same(const struct consts *c, const struct constant *k, const uint8_t *value,
                    size_t n)
{
    return k->n == n && memcmp(consts_value(c, k), value, n) == 0;
}

static const struct constant *find_content(const struct consts *c, uint32_t cls, uint32_t hash,
                                           const uint8_t *value, size_t n)
{
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&c->by_content, hash, &at)) != HASHTABLE_END;)
        if (c->entries[i].cls == cls && is_same(c, &c->entries[i], value, n))
            return &c->entries[i];
    return NULL;
}

static size_t find_defined(const struct consts *c, uint32_t cls, uint64_t key)
{
    uint64_t hash = key_hash(cls, key);
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&c->by_key, hash, &at)) != HASHTABLE_END;)
        if (c->entries[i].key == key && c->entries[i].cls == cls)
            return i;
    return SIZE_MAX;
}

/* The entry with this key, or SIZE_MAX. A key that was given here tells its place. */
static inline size_t find_key(const struct consts *c, uint32_t cls, uint64_t key)
{
    const struct numbers *given = &c->numbers[cls];
    uint64_t i = key - given->base - 1;

    return i < given->n && given->places != NULL && given->places[i] != CONSTS_NONE
               ? given->places[i]
               : find_defined(c, cls, key);
}

bool consts_has(const struct consts *c, uint32_t cls, uint64_t key)
{
    return find_key(c, cls, key) != SIZE_MAX;
}

static void ignore(void *ctx, uint32_t cls, uint64_t key)
{
    (void)ctx;
    (void)cls;
    (void)key;
}

/* True when the bytes are exactly one value of the class. */
static bool is_value(const struct consts *c, uint32_t cls, const uint8_t *value, size_t n)
{
    struct cursor cur = cur_over(value, n);

    return cls < c->n_classes && n < UINT32_MAX &&
           typeset_walk(&c->types->layouts[cls], &cur, ignore, NULL) && cur_left(&cur) == 0;
}

/* A new entry, or NULL when there is no room. */
static struct constant *add(struct consts *c, uint32_t cls, uint64_t hash, const uint8_t *value,
                            size_t n)
{
    struct constant *k;

    if ((c->n == c->room &&
         (c->is_fixed || c->room > UINT32_MAX / 4 || !set_room(c, c->room * 2))) ||
        !buf_reserve(&c->values, n)) {
        c->values.failed = false;
        c->refused++;
        return NULL;
    }
    k = &c->entries[c->n];
    *k = (struct constant){
        .at = c->values.n,
        .n = (uint32_t)n,
        .cls = cls,
        .hash = (uint32_t)hash,
    };
    c->marks[c->n] = (struct mark){.born = c->chunk};
    buf_bytes(&c->values, value, n);
    return k;
}

/* Gives the class's next number to the entry at `place`. False: no memory. */
static bool number(struct consts *c, struct numbers *of, uint32_t place)
{
    if (!c->is_fixed && !array_reserve(&of->places, &of->room, of->n + 1, sizeof(*of->places)))
        return false;
    if (of->places != NULL)
        of->places[of->n] = place;
    of->n++;
    return true;
}

/* The next key of a class, for the entry that is about to be added; 0: no memory. A key that the
 * caller has defined is passed over. */
static uint64_t next_key(struct consts *c, uint32_t cls)
{
    struct numbers *of = &c->numbers[cls];

    while (find_defined(c, cls, of->base + of->n + 1) != SIZE_MAX)
        if (!number(c, of, CONSTS_NONE))
            return 0;
    return number(c, of, (uint32_t)c->n) ? of->base + of->n : 0;
}

uint64_t consts_intern(struct consts *c, uint32_t cls, const uint8_t *value, size_t n)
{
    uint32_t hash = (uint32_t)content_hash(cls, value, n);
    const struct constant *known = find_content(c, cls, hash, value, n);
    struct constant *k;

    if (known != NULL)
        return known->key;
    if (!is_value(c, cls, value, n))
        return 0;
    k = add(c, cls, hash, value, n);
    if (k == NULL)
        return 0;
    k->key = next_key(c, cls);
    k->is_hashed = c->is_fixed;
    if (k->key == 0) {
        c->refused++;
        return 0;
    }
    index_last(c);
    return k->key;
}

void consts_favour(struct consts *c, uint32_t cls)
{
    c->numbers[cls].base = SHORT_KEYS;
    c->numbers[cls].short_max = SHORT_KEYS;
}

/* Gives the constant at `place` a second key. */
static void shorten(struct consts *c, size_t place)
{
    struct constant from = c->entries[place], *k;
    struct numbers *of = &c->numbers[from.cls];

    /* add() counts what it refuses, and this is no loss. */
    if ((c->is_fixed && c->n == c->room) || !buf_reserve(&c->values, from.n)) {
        c->values.failed = false;
        return;
    }
    k = add(c, from.cls, from.hash, consts_value(c, &from), from.n);
    if (k == NULL)
        return;
    k->key = k->short_key = ++of->n_short;
    k->is_hashed = true;
    c->entries[place].short_key = k->short_key;
    index_last(c);
}

uint64_t consts_short(struct consts *c, uint32_t cls, uint64_t key)
{
    const struct numbers *of = &c->numbers[cls];
    size_t place = find_key(c, cls, key);
    bool has_left = of->n_short < of->short_max && of->base + of->n > SHORT_KEYS; /* ours to give */

    if (place == SIZE_MAX)
        return key;
    if (has_left && c->entries[place].short_key == 0 && ++c->entries[place].uses == OFTEN)
        shorten(c, place);
    return c->entries[place].short_key != 0 ? c->entries[place].short_key : key;
}

enum consts_defined consts_define(struct consts *c, uint32_t cls, uint64_t key,
                                  const uint8_t *value, size_t n, bool is_permanent)
{
    size_t old = find_key(c, cls, key);
    struct constant *k;

    if (old != SIZE_MAX)
        return is_same(c, &c->entries[old], value, n) ? CONSTS_SAME : CONSTS_OTHER;
    if (!is_value(c, cls, value, n))
        return CONSTS_BAD;
    k = add(c, cls, content_hash(cls, value, n), value, n);
    if (k == NULL)
        return CONSTS_NO_ROOM;
    k->key = key;
    k->is_permanent = is_permanent;
    k->is_hashed = true;
    index_last(c);
    return CONSTS_NEW;
}

/* Puts a constant on the list of its class, and on the work list after the one that refers to it.
 */
static void enlist(struct consts *c, uint32_t cls, size_t place)
{
    struct constant *k = &c->entries[place];
    struct waiting *w = &c->waiting[cls];
    uint32_t i = (uint32_t)place;

    c->marks[place].chunk = c->chunk;
    k->next = k->work = CONSTS_NONE;
    if (w->n++ == 0)
        w->first = i;
    else
        c->entries[w->last].next = i;
    w->last = i;
    w->bytes += buf_varint_size(k->key) + k->n;
    if (c->work_last != CONSTS_NONE)
        c->entries[c->work_last].work = i;
    c->work_last = i;
}

/* Enlists a constant unless the chunk has it. False when there is none. Frames refer to the same
 * methods again and again, which is seen here without looking for the constant. */
static bool refer(struct consts *c, uint32_t cls, uint64_t key)
{
    struct seen *seen = &c->seen[(key + 61 * cls) % CONSTS_SEEN];
    size_t place;

    if (seen->key == key && seen->cls == cls && seen->chunk == c->chunk)
        return true;
    place = find_key(c, cls, key);
    if (place == SIZE_MAX)
        return false;
    if (c->marks[place].chunk != c->chunk)
        enlist(c, cls, place);
    *seen = (struct seen){key, cls, c->chunk};
    return true;
}

static void enlist_ref(void *ctx, uint32_t cls, uint64_t key)
{
    refer(ctx, cls, key);
}

bool consts_need(struct consts *c, uint32_t cls, uint64_t key)
{
    c->work_last = CONSTS_NONE;
    if (!refer(c, cls, key))
        return false;
    for (uint32_t i = c->work_last; i != CONSTS_NONE; i = c->entries[i].work) {
        const struct constant *k = &c->entries[i];
        struct cursor cur = cur_over(consts_value(c, k), k->n);

        typeset_walk(&c->types->layouts[k->cls], &cur, enlist_ref, c);
    }
    return true;
}

void consts_next_chunk(struct consts *c)
{
    consts_written(c);
    c->chunk++;
}

void consts_written(struct consts *c)
{
    for (size_t i = 0; i < c->n_classes; i++)
        c->waiting[i] = (struct waiting){.first = CONSTS_NONE};
}

static bool is_kept(const struct consts *c, size_t i)
{
    const struct mark *m = &c->marks[i];

    return c->entries[i].is_permanent || c->chunk - m->born <= 1 ||
           (m->chunk != 0 && c->chunk - m->chunk <= 1);
}

void consts_forget(struct consts *c)
{
    size_t kept = 0, bytes = 0;

    for (size_t i = 0; i < c->n; i++) {
        struct constant *k = &c->entries[kept];

        if (!is_kept(c, i))
            continue;
        *k = c->entries[i];
        memmove(c->values.p + bytes, c->values.p + k->at, k->n);
        k->at = bytes;
        k->is_hashed = true;
        c->marks[kept] = c->marks[i];
        bytes += k->n;
        kept++;
    }
    c->values.n = bytes;
    for (size_t i = 0; i < c->n_classes; i++) {
        c->numbers[i].base += c->numbers[i].n;
        c->numbers[i].n = 0;
    }
    hashtable_reset(&c->by_content);
    hashtable_reset(&c->by_key);
    c->n = 0;
    while (c->n < kept)
        index_last(c);
    consts_next_chunk(c);
}

uint64_t consts_bytes(const struct consts *c)
{
    return c->values.n + c->n * (sizeof(*c->entries) + sizeof(*c->marks));
}

void consts_free(struct consts *c)
{
    free(c->entries);
    free(c->marks);
    hashtable_free(&c->by_content);
    hashtable_free(&c->by_key);
    free(c->waiting);
    for (size_t i = 0; i < c->n_classes; i++)
        free(c->numbers[i].places);
    free(c->numbers);
    c->values.fixed = false;
    buf_free(&c->values);
    *c = (struct consts){0};
}
