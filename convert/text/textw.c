#include "convert/text/textw.h"

#include "jfrfmt/base/utf8.h"

void textw_utf8(struct buf *b, const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text, *end = p + n, *start;

    while (p < end) {
        uint32_t cp;

        for (start = p; p < end && *p < 0x80; p++)
            ;
        buf_bytes(b, start, (size_t)(p - start));
        if (p == end || !buf_reserve(b, 4))
            break;
        cp = utf8_next_jvm(&p, end);
        if (cp >= 0xd800 && cp < 0xe000)
            cp = UTF8_REPLACEMENT;
        b->n += utf8_put(b->p + b->n, cp);
    }
}

static bool needs_quotes(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
            return true;
    return n > 0 && (text[0] == ' ' || text[n - 1] == ' ');
}

void textw_cell(struct buf *b, const char *text, size_t n, bool is_guarded)
{
    bool quoted, guarded;

    if (n == 0)
        return;
    quoted = needs_quotes(text, n);
    guarded = is_guarded && text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL;
    if (quoted)
        buf_byte(b, '"');
    if (guarded)
        buf_byte(b, '\'');
    for (size_t i = 0, from = 0; i <= n; i++) {
        if (i < n && text[i] != '"')
            continue;
        textw_utf8(b, text + from, i - from);
        if (i < n)
            buf_str(b, "\"\"");
        from = i + 1;
    }
    if (quoted)
        buf_byte(b, '"');
}
