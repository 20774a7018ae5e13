/* trace_link.c - finds the ids of a trace and its span in the labels of a context. */
#include "convert/context/trace_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The last word of a key: "tracer-context_trace_id" ends in trace_id. */
static bool ends_in(const char *key, const char *word)
{
    static const char *const tails[] = {"", "_id", "-id", "id"};
    size_t n = strlen(key), m = strlen(word);

    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        size_t t = strlen(tails[i]);

        if (n < m + t || strcasecmp(key + n - t, tails[i]) != 0 ||
            strncasecmp(key + n - t - m, word, m) != 0)
            continue;
        if (n == m + t || strchr("_-. ", key[n - t - m - 1]) != NULL)
            return true;
    }
    return false;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly n bytes in hexadecimal, not all of them 0. */
static bool read_hex(const char *text, uint8_t *to, size_t n)
{
    uint8_t bytes[16], any = 0;
    size_t at = 0;

    for (; *text != '\0'; text++) {
        int d = digit(*text);

        if (*text == '-')
            continue;
        if (d < 0 || at == 2 * n)
            return false;
        bytes[at / 2] = (uint8_t)(at % 2 == 0 ? d << 4 : bytes[at / 2] | d);
        any |= (uint8_t)d;
        at++;
    }
    if (at != 2 * n || any == 0)
        return false;
    memcpy(to, bytes, n);
    return true;
}

static bool read_decimal(const char *text, uint8_t *to)
{
    char *end;
    uint64_t v;

    if (digit(*text) < 0 || digit(*text) > 9)
        return false;
    errno = 0;
    v = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0 || v == 0)
        return false;
    for (int i = 7; i >= 0; i--, v >>= 8)
        to[i] = (uint8_t)v;
    return true;
}

bool trace_link_is_trace(const char *key)
{
    return ends_in(key, "trace");
}

void trace_link_add(struct trace_link *link, const char *key, const char *text)
{
    if (!link->has_trace && trace_link_is_trace(key))
        link->has_trace = read_hex(text, link->id, 16);
    else if (!link->has_span && ends_in(key, "span"))
        link->has_span = read_hex(text, link->id + 16, 8) || read_decimal(text, link->id + 16);
}
