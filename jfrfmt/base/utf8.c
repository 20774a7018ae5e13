/*
 * utf8.c - UTF-8 to code points and back, and the modified UTF-8 that JVMs write.
 *
 * Malformed bytes become U+FFFD, one for each maximal part that begins a valid sequence, so that
 * the same bytes are shown the same way by every converter.
 */
#include "jfrfmt/base/utf8.h"

#include <stdbool.h>

static bool in_range(const uint8_t *p, const uint8_t *end, uint8_t low, uint8_t high)
{
    return p < end && *p >= low && *p <= high;
}

/* A sequence of several bytes; surrogates come as they are. The second byte alone tells an overlong
 * form and a value beyond U+10FFFF, so a malformed part ends where its first wrong byte stands. */
static uint32_t next_long(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    uint8_t lead = *p++, low = 0x80, high = 0xbf;
    int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    uint32_t cp = lead & (0x3f >> more);

    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    *at = p;
    if (lead < 0xc2 || lead > 0xf4)
        return UTF8_REPLACEMENT;
    for (int i = 0; i < more; i++) {
        if (!in_range(p, end, low, high)) {
            cp = UTF8_REPLACEMENT;
            break;
        }
        cp = cp << 6 | (*p++ & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    *at = p;
    return cp;
}

uint32_t utf8_next(const uint8_t **p, const uint8_t *end)
{
    uint32_t cp;

    if (**p < 0x80)
        return *(*p)++;
    cp = next_long(p, end);
    return cp >= 0xd800 && cp < 0xe000 ? UTF8_REPLACEMENT : cp;
}

uint32_t utf8_next_jvm(const uint8_t **p, const uint8_t *end)
{
    const uint8_t *at = *p;
    uint32_t cp;

    if (at[0] < 0x80)
        return *(*p)++;
    if (at[0] == 0xc0 && end - at >= 2 && at[1] == 0x80) {
        *p = at + 2;
        return 0;
    }
    cp = next_long(p, end);
    at = *p;
    if (cp >= 0xd800 && cp < 0xdc00 && end - at >= 3 && at[0] == 0xed) {
        uint32_t low = next_long(&at, end);

        if (low >= 0xdc00 && low < 0xe000) {
            *p = at;
            return 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return cp;
}

size_t utf8_put(uint8_t *at, uint32_t cp)
{
    if (cp < 0x80) {
        at[0] = (uint8_t)cp;
        return 1;
    }
    if (cp < 0x800) {
        at[0] = (uint8_t)(0xc0 | cp >> 6);
        at[1] = (uint8_t)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        at[0] = (uint8_t)(0xe0 | cp >> 12);
        at[1] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
        at[2] = (uint8_t)(0x80 | (cp & 0x3f));
        return 3;
    }
    at[0] = (uint8_t)(0xf0 | cp >> 18);
    at[1] = (uint8_t)(0x80 | (cp >> 12 & 0x3f));
    at[2] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
    at[3] = (uint8_t)(0x80 | (cp & 0x3f));
    return 4;
}
