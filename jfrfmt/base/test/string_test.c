#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/string.h"

#include <stdlib.h>

#define BYTES(s) (s), sizeof(s) - 1

struct row {
    const char *name;
    const char *bytes;
    size_t n;
    enum jfr_str_encoding encoding; /* of the value; JFR_STR_NULL with `fails`: refused */
    bool fails;
    const char *text; /* as UTF-8 */
    size_t text_n;
};

/* clang-format off */
static const struct row rows[] = {
    {"null", BYTES("\0"), JFR_STR_NULL, false, BYTES("")},
    {"empty", BYTES("\1"), JFR_STR_EMPTY, false, BYTES("")},
    {"constant appends nothing", BYTES("\2\x05"), JFR_STR_CONSTANT, false, BYTES("")},
    {"constant with 64-bit key", BYTES("\2\xff\xff\xff\xff\xff\xff\xff\xff\xff"), JFR_STR_CONSTANT, false, BYTES("")},
    {"utf-8", BYTES("\3\5h\xc3\xa9llo"), JFR_STR_UTF8, false, BYTES("h\xc3\xa9ll")},
    {"utf-8 of no bytes", BYTES("\3\0"), JFR_STR_UTF8, false, BYTES("")},
    {"utf-8, padded length", BYTES("\3\x81\x80\0a"), JFR_STR_UTF8, false, BYTES("a")},
    {"utf-8, four bytes", BYTES("\3\4\xf0\x9f\x98\x80"), JFR_STR_UTF8, false, BYTES("\xf0\x9f\x98\x80")},
    {"utf-8, nul inside", BYTES("\3\3a\0b"), JFR_STR_UTF8, false, BYTES("a\0b")},
    {"modified utf-8 nul", BYTES("\3\2\xc0\x80"), JFR_STR_UTF8, false, BYTES("\0")},
    {"cesu pair is joined", BYTES("\3\6\xed\xa0\xbd\xed\xb8\x80"), JFR_STR_UTF8, false, BYTES("\xf0\x9f\x98\x80")},
    {"lone high surrogate stays", BYTES("\3\4\xed\xa0\xbd!"), JFR_STR_UTF8, false, BYTES("\xed\xa0\xbd!")},
    {"lone low surrogate stays", BYTES("\3\3\xed\xb8\x80"), JFR_STR_UTF8, false, BYTES("\xed\xb8\x80")},
    {"two high surrogates stay", BYTES("\3\6\xed\xa0\xbd\xed\xa0\xbd"), JFR_STR_UTF8, false, BYTES("\xed\xa0\xbd\xed\xa0\xbd")},
    {"cesu pair cut in its second half", BYTES("\3\5\xed\xa0\xbd\xed\xb8"), JFR_STR_UTF8, false, BYTES("\xed\xa0\xbd\xef\xbf\xbd")},
    {"lone continuation byte", BYTES("\3\3a\x80z"), JFR_STR_UTF8, false, BYTES("a\xef\xbf\xbdz")},
    {"overlong slash", BYTES("\3\2\xc0\xaf"), JFR_STR_UTF8, false, BYTES("\xef\xbf\xbd\xef\xbf\xbd")},
    {"overlong in three bytes", BYTES("\3\3\xe0\x80\xaf"), JFR_STR_UTF8, false, BYTES("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")},
    {"beyond U+10FFFF", BYTES("\3\4\xf4\x90\x80\x80"), JFR_STR_UTF8, false, BYTES("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")},
    {"byte FF", BYTES("\3\1\xff"), JFR_STR_UTF8, false, BYTES("\xef\xbf\xbd")},
    {"sequence cut by the end", BYTES("\3\3\xf0\x9f\x98"), JFR_STR_UTF8, false, BYTES("\xef\xbf\xbd")},
    {"sequence cut by ascii", BYTES("\3\3\xe2\x82" "A"), JFR_STR_UTF8, false, BYTES("\xef\xbf\xbd" "A")},
    {"utf-16", BYTES("\4\3a\xe9\x01\xac\x41"), JFR_STR_UTF16, false, BYTES("a\xc3\xa9\xe2\x82\xac")},
    {"utf-16 of no units", BYTES("\4\0"), JFR_STR_UTF16, false, BYTES("")},
    {"utf-16 pair", BYTES("\4\2\xbd\xb0\x03\x80\xbc\x03"), JFR_STR_UTF16, false, BYTES("\xf0\x9f\x98\x80")},
    {"utf-16 lone high at the end", BYTES("\4\1\xbd\xb0\x03"), JFR_STR_UTF16, false, BYTES("\xed\xa0\xbd")},
    {"utf-16 lone high before a letter", BYTES("\4\2\xbd\xb0\x03" "a"), JFR_STR_UTF16, false, BYTES("\xed\xa0\xbd" "a")},
    {"utf-16 lone low", BYTES("\4\1\x80\xbc\x03"), JFR_STR_UTF16, false, BYTES("\xed\xb8\x80")},
    {"utf-16 high, then a pair", BYTES("\4\3\xbd\xb0\x03\xbd\xb0\x03\x80\xbc\x03"), JFR_STR_UTF16, false, BYTES("\xed\xa0\xbd\xf0\x9f\x98\x80")},
    {"utf-16 unit beyond 16 bits is cut", BYTES("\4\1\xe1\x80\x04"), JFR_STR_UTF16, false, BYTES("a")},
    {"utf-16 unit of nine bytes", BYTES("\4\1\xff\xff\xff\xff\xff\xff\xff\xff\xff"), JFR_STR_UTF16, false, BYTES("\xef\xbf\xbf")},
    {"latin-1", BYTES("\5\2h\xe9"), JFR_STR_LATIN1, false, BYTES("h\xc3\xa9")},
    {"latin-1 that looks like utf-8", BYTES("\5\2\xc3\xa9"), JFR_STR_LATIN1, false, BYTES("\xc3\x83\xc2\xa9")},
    {"encoding 6", BYTES("\6\1a"), JFR_STR_NULL, true, BYTES("")},
    {"encoding 255", BYTES("\xff"), JFR_STR_NULL, true, BYTES("")},
    {"nothing at all", BYTES(""), JFR_STR_NULL, true, BYTES("")},
    {"length beyond the end", BYTES("\3\5abcd"), JFR_STR_NULL, true, BYTES("")},
    {"length 2^64-1", BYTES("\3\xff\xff\xff\xff\xff\xff\xff\xff\xff" "a"), JFR_STR_NULL, true, BYTES("")},
    {"latin-1 length 2^31", BYTES("\5\x80\x80\x80\x80\x08" "a"), JFR_STR_NULL, true, BYTES("")},
    {"2^63 units", BYTES("\4\x80\x80\x80\x80\x80\x80\x80\x80\x80" "a"), JFR_STR_NULL, true, BYTES("")},
    {"cut in the middle of a unit", BYTES("\4\2a\xe9"), JFR_STR_NULL, true, BYTES("")},
    {"constant without a key", BYTES("\2"), JFR_STR_NULL, true, BYTES("")},
};
/* clang-format on */

static void reads_as(void **state)
{
    const struct row *r = *state;
    struct guarded g = guarded_copy(r->bytes, r->n, 0);
    struct cursor c = cur_over(g.bytes, g.n), skip = c;
    struct jfr_str s = jfr_str_read(&c);
    struct buf b = {0};
    char *text;

    jfr_str_skip(&skip);
    assert_ptr_equal(skip.p, c.p);
    assert_int_equal(s.encoding, r->encoding);
    assert_int_equal(jfr_str_is_null(s), r->encoding == JFR_STR_NULL);
    assert_int_equal(cur_ok(&c), !r->fails);
    assert_int_equal(cur_ok(&skip), !r->fails);
    assert_int_equal(cur_left(&c), r->encoding == JFR_STR_UTF8 && r->bytes[r->n - 1] == 'o');
    jfr_str_append_utf8(&b, s);
    assert_int_equal(b.n, r->text_n);
    assert_memory_equal(b.n == 0 ? (void *)"" : b.p, r->text, r->text_n);
    text = calloc(1, r->text_n + 2);
    memcpy(text, r->text, r->text_n);
    if (strlen(text) == r->text_n) { /* a C string cannot hold a NUL */
        bool has_text = s.encoding != JFR_STR_NULL && s.encoding != JFR_STR_CONSTANT;

        assert_int_equal(jfr_str_equals(s, text), has_text);
        text[r->text_n] = 'x';
        assert_false(jfr_str_equals(s, text));
    }
    free(text);
    buf_free(&b);
    guarded_free(&g);
}

/* Whatever is cut off, reading fails; it never reads beyond, and the failure has a place. */
static void cut_anywhere(void **state)
{
    const struct row *r = *state;

    for (size_t n = 0; n < r->n; n++) {
        struct guarded g = guarded_copy(r->bytes, n, 0);
        struct cursor c = cur_over(g.bytes, n);
        struct jfr_str s = jfr_str_read(&c);

        if (!cur_ok(&c)) {
            assert_true(jfr_str_is_null(s) && s.p == NULL && s.n_bytes == 0);
            assert_true(n == 0 || (c.fail >= g.bytes && c.fail <= g.bytes + n));
            assert_int_equal(cur_left(&c), 0);
        } else {
            assert_true(r->n - n == 1 && r->bytes[n] == 'o'); /* the one row with a byte to spare */
        }
        guarded_free(&g);
    }
}

static void latin1_is_not_taken_for_utf8(void **state)
{
    struct cursor c = cur_over("\5\2\xc3\xa9\3\2\xc3\xa9", 8);
    struct jfr_str latin1 = jfr_str_read(&c), utf8 = jfr_str_read(&c);

    (void)state;
    assert_false(jfr_str_equals(latin1, "\xc3\xa9"));
    assert_true(jfr_str_equals(latin1, "\xc3\x83\xc2\xa9"));
    assert_true(jfr_str_equals(utf8, "\xc3\xa9"));
}

static void null_and_unresolved_equal_nothing(void **state)
{
    (void)state;
    assert_false(jfr_str_equals((struct jfr_str){0}, ""));
    assert_false(jfr_str_equals((struct jfr_str){.encoding = JFR_STR_CONSTANT, .n = 1}, ""));
    assert_true(jfr_str_equals((struct jfr_str){.encoding = JFR_STR_EMPTY}, ""));
}

static void failed_cursor_reads_null(void **state)
{
    struct cursor c = cur_over("\1", 1);

    (void)state;
    cur_fail(&c);
    assert_true(jfr_str_is_null(jfr_str_read(&c)));
    assert_false(cur_ok(&c));
}

/* An ascii text in every encoding is the same text. */
static void encodings_agree(void **state)
{
    static const char bytes[] = "\3\3abc\4\3abc\5\3abc";
    struct cursor c = cur_over(bytes, sizeof(bytes) - 1);

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct jfr_str s = jfr_str_read(&c);

        assert_true(jfr_str_equals(s, "abc"));
        assert_false(jfr_str_equals(s, "ab"));
        assert_false(jfr_str_equals(s, "abd"));
        assert_false(jfr_str_equals(s, ""));
    }
    assert_true(cur_ok(&c) && cur_left(&c) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latin1_is_not_taken_for_utf8),
        cmocka_unit_test(null_and_unresolved_equal_nothing),
        cmocka_unit_test(failed_cursor_reads_null),
        cmocka_unit_test(encodings_agree),
    };

    return run_rows("string: reads", rows, reads_as) + run_rows("string: cut", rows, cut_anywhere) +
           cmocka_run_group_tests_name("string", tests, NULL, NULL);
}
