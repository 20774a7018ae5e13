/*
 * summary_names.c - names of a recording made fit for a terminal, which they could control.
 */
#include "convert/report/summary_names.h"

#include "jfrfmt/base/utf8.h"

#include <string.h>

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
