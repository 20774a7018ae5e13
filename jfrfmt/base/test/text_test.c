#include "jfrfmt/base/text.h"
#include "jfrfmt/test/testing.h"

/* clang-format off */
static const struct text_row {
    const char *name, *in, *want;
    size_t n;
} texts[] = {
    {"ascii", "abc", "abc", 3},
    {"two and three bytes", "\xc3\xb6\xe2\x82\xac", "\xc3\xb6\xe2\x82\xac", 5},
    {"real four bytes", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 4},
    {"a surrogate pair", "\xed\xa0\xbd\xed\xb8\x80", "\xf0\x9f\x98\x80", 6},
    {"a lone high surrogate", "\xed\xa0\xbdx", "\xef\xbf\xbdx", 4},
    {"a lone low surrogate", "\xed\xb8\x80", "\xef\xbf\xbd", 3},
    {"a high surrogate at the end", "a\xed\xa0\xbd", "a\xef\xbf\xbd", 4},
    {"a byte that starts nothing", "a\x80z", "a\xef\xbf\xbdz", 3},
    {"cut in the middle", "a\xe2\x82", "a\xef\xbf\xbd", 3},
};
/* clang-format on */

static void text_becomes_real(void **state)
{
    const struct text_row *row = *state;
    struct guarded g = guarded_copy(row->in, row->n, 0);
    struct buf b = {0};

    text_append(&b, (const char *)g.bytes, g.n);
    assert_int_equal(b.n, strlen(row->want));
    assert_memory_equal(b.p, row->want, b.n);
    buf_free(&b);
    guarded_free(&g);
}

int main(void)
{
    return run_rows("text", texts, text_becomes_real);
}
