#include "jfrfmt/base/text.h"

#include "jfrfmt/base/utf8.h"

void text_append(struct buf *out, const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text, *end = p + n;

    while (p < end) {
        const uint8_t *start = p;
        uint32_t cp;

        while (p < end && *p < 0x80)
            p++;
        buf_bytes(out, start, (size_t)(p - start));
        if (p == end || !buf_reserve(out, 4))
            return;
        cp = utf8_next_jvm(&p, end);
        if (cp >= 0xd800 && cp < 0xe000)
            cp = UTF8_REPLACEMENT;
        out->n += utf8_put(out->p + out->n, cp);
    }
}
