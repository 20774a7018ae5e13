/*
 * entries.c - keeps the text that a layout makes of a constant, for all events of a chunk that use
 * it.
 *
 * Texts are written one after the other into one buffer; `places` has where each begins. The texts
 * end with the chunk: json_entries_reset().
 */
#include "convert/json/entries.h"

struct place {
    size_t at, n;
};

static uint64_t add(struct json_entries *s, struct json_shape *shape, size_t i,
                    json_make_entry make, void *ctx)
{
    struct place place = {.at = s->text.n};

    make(ctx, shape, i, &s->text);
    place.n = s->text.n - place.at;
    buf_bytes(&s->places, &place, sizeof(place));
    return buf_ok(&s->text) && buf_ok(&s->places) ? s->places.n / sizeof(place) : 0;
}

uint64_t json_entries_number(struct json_entries *s, struct jfr_chunk *chunk,
                             struct json_shape *shape, size_t i, json_make_entry make, void *ctx)
{
    if (shape->ids == NULL)
        shape->ids = arena_array(jfr_chunk_arena(chunk), jfr_pool_n(shape->pool), sizeof(uint64_t));
    if (shape->ids == NULL)
        return 0;
    if (shape->ids[i] == 0)
        shape->ids[i] = add(s, shape, i, make, ctx);
    return shape->ids[i];
}

struct json_text json_entries_text(const struct json_entries *s, uint64_t number)
{
    struct place place;

    if (number == 0 || !buf_ok(&s->text) || !buf_ok(&s->places))
        return (struct json_text){"", 0};
    memcpy(&place, s->places.p + (number - 1) * sizeof(place), sizeof(place));
    if (place.n == 0)
        return (struct json_text){"", 0};
    return (struct json_text){(const char *)s->text.p + place.at, place.n};
}

void json_entries_drop_last(struct json_entries *s, struct json_shape *shape, size_t i)
{
    struct place place;

    if (shape->ids == NULL || shape->ids[i] == 0)
        return;
    shape->ids[i] = 0;
    s->places.n -= sizeof(place);
    memcpy(&place, s->places.p + s->places.n, sizeof(place));
    s->text.n = place.at;
}

void json_entries_reset(struct json_entries *s)
{
    buf_reset(&s->places);
    buf_reset(&s->text);
}

void json_entries_free(struct json_entries *s)
{
    buf_free(&s->places);
    buf_free(&s->text);
}
