/* frame_line.h - line numbers back out of names that were made with name_options.lines. */
#ifndef CONVERT_PROFILE_FRAME_LINE_H
#define CONVERT_PROFILE_FRAME_LINE_H

#include <stddef.h>
#include <stdint.h>

/* The number after the last colon, and *n cut to what stands before it; 0 and *n as it was when
 * the text does not end like that. */
static inline int64_t frame_line_split(const char *text, size_t *n)
{
    size_t at = *n;
    int64_t line = 0;

    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
        at--;
    if (at == *n || *n - at > 9 || at < 2 || text[at - 1] != ':')
        return 0;
    for (size_t i = at; i < *n; i++)
        line = line * 10 + (text[i] - '0');
    *n = at - 1;
    return line;
}

#endif
