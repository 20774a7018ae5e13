#include "convert/text/html.h"
#include "jfrfmt/base/utf8.h"

/* Marks that change the direction of writing, or break lines without being seen. */
static bool is_invisible(uint32_t cp)
{
    return (cp >= 0x80 && cp < 0xa0) || cp == 0x61c || cp == 0x200e || cp == 0x200f ||
           (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff ||
           (cp >= 0xd800 && cp < 0xe000);
}

static void append_char(struct buf *b, uint32_t cp)
{
    uint8_t bytes[4];

    if (cp == '<')
        buf_str(b, "&lt;");
    else if (cp == '>')
        buf_str(b, "&gt;");
    else if (cp == '&')
        buf_str(b, "&amp;");
    else if (cp == '"')
        buf_str(b, "&quot;");
    else if (cp == '\'')
        buf_str(b, "&#39;");
    else if (is_invisible(cp))
        buf_printf(b, "\\u%04x", (unsigned)cp);
    else
        buf_bytes(b, bytes, utf8_put(bytes, cp < 0x20 ? 0x2400 + cp : cp == 0x7f ? 0x2421 : cp));
}

static void append(struct buf *b, const char *s, size_t n, bool quotes)
{
    const uint8_t *p = (const uint8_t *)s, *end = p + n;

    while (p < end) {
        uint32_t cp = utf8_next_jvm(&p, end);

        if (!quotes && (cp == '"' || cp == '\''))
            buf_byte(b, (uint8_t)cp);
        else
            append_char(b, cp);
    }
}

void html_text(struct buf *b, const char *s, size_t n)
{
    append(b, s, n, false);
}

void html_attr(struct buf *b, const char *s, size_t n)
{
    append(b, s, n, true);
}
