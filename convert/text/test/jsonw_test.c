/*
 * Rows, every escape at every place of a word, and "--print": byte strings in hex on standard input
 * as JSON, which jsonw_test.sh compares with Java's decoding.
 */
#include "convert/text/jsonw.h"

#include "jfrfmt/test/testing.h"
#include "jfrfmt/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1, sizeof(text) - 1
#define UTF8(text)                \
    {                             \
        BYTES(text), JFR_STR_UTF8 \
    }
#define LATIN1(text)                \
    {                               \
        BYTES(text), JFR_STR_LATIN1 \
    }
#define UTF16(units, text)                                              \
    {                                                                   \
        (const uint8_t *)(text), units, sizeof(text) - 1, JFR_STR_UTF16 \
    }

#define BAD "\xef\xbf\xbd" /* U+FFFD */

struct row {
    const char *name;
    struct jfr_str s;
    const char *jdk, *plain;
};

/* clang-format off */
static const struct row rows[] = {
    {"null", {0}, "null", "null"},
    {"empty", {.encoding = JFR_STR_EMPTY}, "\"\"", "\"\""},
    {"constant", {.n = 5, .encoding = JFR_STR_CONSTANT}, "null", "null"},
    {"no bytes", UTF8(""), "\"\"", "\"\""},
    {"short", UTF8("main"), "\"main\"", "\"main\""},
    {"long", UTF8("nothing in here is special at all"), "\"nothing in here is special at all\"",
     "\"nothing in here is special at all\""},
    {"escapes", UTF8("quote\" back\\ slash/ tab\t nl\n cr\r ff\f bs\b"),
     "\"quote\\\" back\\\\ slash\\/ tab\\t nl\\n cr\\r ff\\f bs\\b\"",
     "\"quote\\\" back\\\\ slash/ tab\\t nl\\n cr\\r ff\\f bs\\b\""},
    {"control characters", UTF8("ctl\x01\x0b\x1f\x7f\0"), "\"ctl\\u0001\\u000b\\u001f\x7f\\u0000\"",
     "\"ctl\\u0001\\u000b\\u001f\x7f\\u0000\""},
    {"C1, Latin-1", LATIN1("\x80\x9f\xe9\xff"), "\"\\u0080\\u009f\\u00e9\\u00ff\"",
     "\"\xc2\x80\xc2\x9f\xc3\xa9\xc3\xbf\""},
    {"slash, Latin-1", LATIN1("java/lang"), "\"java\\/lang\"", "\"java/lang\""},
    {"markup", UTF8("</script>&'"), "\"<\\/script>&'\"", "\"</script>&'\""},
    {"two and three bytes", UTF8("\xc3\xa9\xe4\xb8\xad\xe2\x80\xa8\xe2\x80\xa9"),
     "\"\\u00e9\\u4e2d\\u2028\\u2029\"", "\"\xc3\xa9\xe4\xb8\xad\xe2\x80\xa8\xe2\x80\xa9\""},
    {"four bytes", UTF8("\xf0\x9f\x98\x80"), "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
    {"the last character", UTF8("\xf4\x8f\xbf\xbf"), "\"\\udbff\\udfff\"", "\"\xf4\x8f\xbf\xbf\""},
    {"byte order marks and no characters", UTF8("\xef\xbb\xbf\xef\xbf\xbe\xef\xbf\xbf"),
     "\"\\ufeff\\ufffe\\uffff\"", "\"\xef\xbb\xbf\xef\xbf\xbe\xef\xbf\xbf\""},
    {"modified NUL", UTF8("\xc0\x80"), "\"\\ufffd\\ufffd\"", "\"\\u0000\""},
    {"overlong slash", UTF8("\xc0\xaf"), "\"\\ufffd\\ufffd\"", "\"" BAD BAD "\""},
    {"lead without follower", UTF8("\xc3("), "\"\\ufffd(\"", "\"" BAD "(\""},
    {"pair in six bytes", UTF8("\xed\xa0\xbd\xed\xb8\x80"), "\"\\ufffd\\ufffd\"", "\"\xf0\x9f\x98\x80\""},
    {"half a pair in three bytes", UTF8("\xed\xa0\xbdx"), "\"\\ufffdx\"", "\"" BAD "x\""},
    {"halves in the wrong order", UTF8("\xed\xb8\x80\xed\xa0\xbd"), "\"\\ufffd\\ufffd\"", "\"" BAD BAD "\""},
    {"two first halves", UTF8("\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80"), "\"\\ufffd\\ufffd\\ufffd\"",
     "\"" BAD "\xf0\x9f\x98\x80\""},
    {"cut", UTF8("a\xe4\xb8"), "\"a\\ufffd\"", "\"a" BAD "\""},
    {"cut, four bytes", UTF8("\xf0\x9f\x98"), "\"\\ufffd\"", "\"" BAD "\""},
    {"cut and followed", UTF8("\xf0\x9f\x98!"), "\"\\ufffd!\"", "\"" BAD "!\""},
    {"beyond the last character", UTF8("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"",
     "\"" BAD BAD BAD BAD "\""},
    {"never a lead", UTF8("\xf8\x88\xff\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", "\"" BAD BAD BAD BAD "\""},
    {"UTF-16", UTF16(4, "A/\xac\x9c\x01\x01"), "\"A\\/\\u4e2c\\u0001\"", "\"A/\xe4\xb8\xac\\u0001\""},
    {"UTF-16 pair", UTF16(2, "\xbd\xb0\x03\x80\xbc\x03"), "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
    {"UTF-16 lone halves", UTF16(4, "\x80\xbc\x03\xbd\xb0\x03x\xbd\xb0\x03"),
     "\"\\ude00\\ud83dx\\ud83d\"", "\"" BAD BAD "x" BAD "\""},
    {"UTF-16 two first halves", UTF16(3, "\xbd\xb0\x03\xbd\xb0\x03\x80\xbc\x03"),
     "\"\\ud83d\\ud83d\\ude00\"", "\"" BAD "\xf0\x9f\x98\x80\""},
    {"UTF-16 unit of more than 16 bits", UTF16(1, "\xc1\x80\x04"), "\"A\"", "\"A\""},
};
/* clang-format on */

static void assert_text(struct buf *b, const char *want)
{
    buf_byte(b, '\0');
    assert_true(buf_ok(b));
    assert_string_equal((char *)b->p, want);
    buf_free(b);
}

static void flavours(void **state)
{
    const struct row *t = *state;
    struct guarded g = guarded_copy(t->s.p == NULL ? (const uint8_t *)"" : t->s.p, t->s.n_bytes, 0);
    struct jfr_str s = t->s;
    struct buf b = {0};

    s.p = g.bytes;
    jsonw_jfr_str(&b, s);
    assert_text(&b, t->jdk);
    jsonw_jfr_plain(&b, s);
    assert_text(&b, t->plain);
    if (s.encoding == JFR_STR_UTF8) {
        jsonw_str(&b, (const char *)s.p, s.n_bytes);
        assert_text(&b, t->plain);
    }
    guarded_free(&g);
}

/* What the fast path does with eight bytes at a time, done with one. */
static void append_slowly(struct buf *b, const uint8_t *s, size_t n)
{
    buf_byte(b, '"');
    for (size_t i = 0; i < n; i++) {
        struct buf one = {0};

        jsonw_jfr_str(&one, (struct jfr_str){s + i, 1, 1, JFR_STR_LATIN1});
        buf_bytes(b, one.p + 1, one.n - 2);
        buf_free(&one);
    }
    buf_byte(b, '"');
}

static void every_byte_at_every_place_of_a_word(void **state)
{
    uint8_t text[24];

    (void)state;
    for (int c = 0; c < 256; c++) {
        for (size_t at = 0; at < sizeof(text); at++) {
            struct buf fast = {0}, slow = {0};

            memset(text, 'x', sizeof(text));
            text[at] = (uint8_t)c;
            text[(at + 3) % sizeof(text)] = '!'; /* 0x20 + 1: a borrow would find it */
            jsonw_jfr_str(&fast, (struct jfr_str){text, 24, 24, JFR_STR_LATIN1});
            append_slowly(&slow, text, sizeof(text));
            assert_int_equal(fast.n, slow.n);
            assert_memory_equal(fast.p, slow.p, fast.n);
            buf_free(&fast);
            buf_free(&slow);
        }
    }
}

static void long_texts_with_a_character_across_the_block(void **state)
{
    enum {
        N = 3 * 4096
    };
    static const uint8_t special[] = {0xf0, 0x9f, 0x98, 0x80, '/'};
    static char text[N + 5];
    struct buf b = {0};

    (void)state;
    for (size_t at = 4090; at < 4100; at++) {
        memset(text, 'x', N);
        memcpy(text + at, special, sizeof(special));
        jsonw_jfr_str(&b, (struct jfr_str){(uint8_t *)text, N, N, JFR_STR_UTF8});
        assert_int_equal(b.n, N - 5 + 14 + 2);
        assert_memory_equal(b.p + at, "x\\ud83d\\ude00\\/x", 16);
        buf_reset(&b);
    }
    buf_free(&b);
}

static void a_fixed_buffer_that_is_too_small_fails(void **state)
{
    char room[64];
    struct buf b = buf_fixed(room, sizeof(room));

    (void)state;
    for (int i = 0; i < 20; i++)
        jsonw_str(&b, "\x01\x02\x03", 3);
    assert_false(buf_ok(&b));
    assert_true(b.n <= sizeof(room));
}

struct script_row {
    const char *name;
    const char *text, *want;
};

static const struct script_row scripts[] = {
    {"end of the element", "</script>", "\"\\u003c/script\\u003e\""},
    {"comment", "<!-- & -->", "\"\\u003c!-- \\u0026 --\\u003e\""},
    {"line separators", "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", "\"\\u2028\\u2029\xe2\x80\xaa\""},
    {"late in a word", "abcdef<ghijkl", "\"abcdef\\u003cghijkl\""},
    {"JSON's own", "a\"b\\c\n", "\"a\\\"b\\\\c\\n\""},
    {"half a pair", "\xed\xa0\xbd", "\"" BAD "\""},
};

static void script_text(void **state)
{
    const struct script_row *t = *state;
    struct buf b = {0};

    jsonw_script(&b, t->text, strlen(t->text));
    assert_text(&b, t->want);
}

/* Any bytes give text without control characters and in valid UTF-8. */
static void any_bytes_give_valid_text(void **state)
{
    static const uint8_t likely[] = {'"',  '\\', '/',  0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xed, 0xa0,
                                     0xb0, 0xef, 0xf0, 0x9f, 0xf4, 0x8f, 0x90, '<',  0,    'a'};
    uint8_t text[40];

    (void)state;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        struct buf b = {0};
        const uint8_t *p;

        for (size_t i = 0; i < sizeof(text); i++)
            text[i] = rand() % 4 != 0 ? likely[rand() % 20] : (uint8_t)(rand() >> 8);
        jsonw_script(&b, (char *)text, sizeof(text));
        assert_true(buf_ok(&b));
        for (p = b.p; p < b.p + b.n;) {
            const uint8_t *start = p;
            uint32_t cp = utf8_next(&p, b.p + b.n);

            assert_true(cp >= 0x20 && cp != '<');
            assert_true(cp != UTF8_REPLACEMENT || memcmp(start, BAD, 3) == 0);
        }
        buf_free(&b);
    }
}

static void numbers(void **state)
{
    static const int64_t signed_values[] = {0,         1,         -1,        9,         10,
                                            99,        100,       -999,      12345,     -5000000000,
                                            INT32_MIN, INT64_MAX, INT64_MIN, 1000000007};
    struct buf b = {0};
    char want[32];

    (void)state;
    for (size_t i = 0; i < sizeof(signed_values) / sizeof(signed_values[0]); i++) {
        jsonw_i64(&b, signed_values[i]);
        sprintf(want, "%" PRId64, signed_values[i]);
        assert_text(&b, want);
    }
    for (int bit = 0; bit < 64; bit++) {
        jsonw_u64(&b, UINT64_MAX >> bit);
        sprintf(want, "%" PRIu64, UINT64_MAX >> bit);
        assert_text(&b, want);
    }
}

static void what_is_no_number_is_null(void **state)
{
    struct buf b = {0};

    (void)state;
    jsonw_double(&b, NAN);
    jsonw_double(&b, -INFINITY);
    jsonw_float(&b, INFINITY);
    jsonw_float(&b, 0.1f);
    jsonw_double(&b, -1e7);
    assert_text(&b, "nullnullnull0.1-1.0E7");
}

static int print(void)
{
    struct buf b = {0}, text = {0};
    unsigned byte;
    int c;

    while ((c = getchar()) != EOF) {
        if (c != '\n') {
            ungetc(c, stdin);
            if (scanf("%2x", &byte) != 1)
                return 1;
            buf_byte(&text, (uint8_t)byte);
            continue;
        }
        jsonw_jfr_str(&b, (struct jfr_str){text.p, text.n, text.n, JFR_STR_UTF8});
        buf_byte(&b, '\n');
        buf_reset(&text);
    }
    fwrite(b.p, 1, b.n, stdout);
    buf_free(&b);
    buf_free(&text);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_at_every_place_of_a_word),
        cmocka_unit_test(long_texts_with_a_character_across_the_block),
        cmocka_unit_test(a_fixed_buffer_that_is_too_small_fails),
        cmocka_unit_test(any_bytes_give_valid_text),
        cmocka_unit_test(numbers),
        cmocka_unit_test(what_is_no_number_is_null),
    };

    if (argc == 2 && strcmp(argv[1], "--print") == 0)
        return print();
    return run_rows("jsonw: strings", rows, flavours) +
           run_rows("jsonw: in a script element", scripts, script_text) +
           cmocka_run_group_tests_name("jsonw", tests, NULL, NULL);
}
