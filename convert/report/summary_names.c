#include "convert/report/summary_names.h"

#include "jfrfmt/base/utf8.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const void *key, size_t n)
{
    const uint8_t *p = key;
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

static uint32_t *slot_of(const struct names *names, const void *key, size_t n)
{
    size_t i = hash(key, n) & names->mask;

    for (; names->slots[i] != 0; i = (i + 1) & names->mask) {
        uint32_t at = names->slots[i] - 1;

        if (names->bytes[at] == n && memcmp(names->text[at], key, n) == 0)
            break;
    }
    return &names->slots[i];
}

static bool grow(struct names *names)
{
    size_t room = names->room == 0 ? 64 : 2 * names->room;
    const char **text = realloc(names->text, room * sizeof(*text));
    uint32_t *bytes, *slots;

    if (text != NULL)
        names->text = text;
    bytes = realloc(names->bytes, room * sizeof(*bytes));
    if (bytes != NULL)
        names->bytes = bytes;
    slots = calloc(2 * room, sizeof(*slots));
    if (text == NULL || bytes == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(names->slots);
    names->slots = slots;
    names->room = room;
    names->mask = 2 * room - 1;
    for (size_t i = 0; i < names->n; i++)
        *slot_of(names, text[i], bytes[i]) = (uint32_t)i + 1;
    return true;
}

size_t names_add(struct names *names, const void *key, size_t n)
{
    uint32_t *slot;

    if (n > UINT32_MAX || (names->n == names->room && !grow(names)))
        return NAMES_NONE;
    slot = slot_of(names, key, n);
    if (*slot == 0) {
        char *copy = arena_strndup(names->arena, key, n);

        if (copy == NULL)
            return NAMES_NONE;
        names->text[names->n] = copy;
        names->bytes[names->n] = (uint32_t)n;
        *slot = (uint32_t)++names->n;
    }
    return *slot - 1;
}

size_t names_find(const struct names *names, const void *key, size_t n)
{
    uint32_t *slot = names->n == 0 ? NULL : slot_of(names, key, n);

    return slot == NULL || *slot == 0 ? NAMES_NONE : *slot - 1;
}

void names_free(struct names *names)
{
    free(names->text);
    free(names->bytes);
    free(names->slots);
    *names = (struct names){0};
}

static bool is_hidden(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void names_plain(struct buf *b, const char *text)
{
    const uint8_t *p = (const uint8_t *)text, *end = p + (text == NULL ? 0 : strlen(text));
    uint8_t bytes[4];

    while (p < end) {
        uint32_t c = utf8_next(&p, end);

        if (is_hidden(c))
            buf_printf(b, "\\u%04x", c);
        else
            buf_bytes(b, bytes, utf8_put(bytes, c));
    }
}

size_t names_plain_width(const char *text)
{
    const uint8_t *p = (const uint8_t *)text, *end = p + (text == NULL ? 0 : strlen(text));
    size_t n = 0;

    while (p < end)
        n += is_hidden(utf8_next(&p, end)) ? 6 : 1;
    return n;
}
