/*
 * ascii.h - characters and endings of texts, whatever the locale is.
 *
 * Threads: any. Signals: async-signal-safe.
 */
#ifndef JFRFMT_BASE_ASCII_H
#define JFRFMT_BASE_ASCII_H

#include <stdbool.h>
#include <string.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Can a name of Java begin with this character? Of those beyond ASCII none is known. */
static inline bool ascii_begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static inline bool ascii_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

#endif
