/* buf_test.c - what buf.h writes is what cursor.h reads; growth, fixed rooms, and failures that
 * stay. */
#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/cursor.h"

/* ---- varints: what cursor.h reads ---- */

static const struct row {
    const char *name;
    uint64_t v;
    size_t n;
} rows[] = {
    {"0", 0, 1},
    {"2^7 - 1", 127, 1},
    {"2^7", 128, 2},
    {"2^14 - 1", 16383, 2},
    {"2^14", 16384, 3},
    {"2^28 - 1", (1 << 28) - 1, 4},
    {"2^28", 1 << 28, 5},
    {"2^49 - 1", (1ULL << 49) - 1, 7},
    {"2^49", 1ULL << 49, 8},
    {"2^56 - 1", (1ULL << 56) - 1, 8},
    {"2^56", 1ULL << 56, 9},
    {"2^63 - 1", INT64_MAX, 9},
    {"2^63", 1ULL << 63, 9},
    {"2^64 - 1", UINT64_MAX, 9},
};

static void varint_is_short_and_read_back(void **state)
{
    const struct row *t = *state;
    struct buf b = {0};
    struct cursor c;

    buf_varint(&b, t->v);
    assert_int_equal(b.n, t->n);
    c = cur_over(b.p, b.n);
    assert_true(cur_varint(&c) == t->v);
    assert_true(cur_ok(&c) && cur_left(&c) == 0);
    buf_free(&b);
}

static void padded_varint_is_read_back(void **state)
{
    const struct row *t = *state;

    for (unsigned n = (unsigned)t->n; n <= 9; n++) {
        uint8_t room[10];
        struct cursor c = cur_over(room, n);

        memset(room, 0xee, sizeof(room));
        buf_varint_at(room, t->v, n);
        assert_true(cur_varint(&c) == t->v);
        assert_true(cur_ok(&c) && cur_left(&c) == 0);
        assert_int_equal(room[n], 0xee);
    }
}

/* ---- fixed rooms, at the edge of an unmapped page ---- */

static void all_into(struct buf *b)
{
    buf_byte(b, 1);
    buf_be(b, 0x0102030405060708, 8);
    buf_bytes(b, "bytes", 5);
    buf_str(b, "text");
    buf_varint(b, 300);
}

static void fixed_room_refuses_and_stays_refused(void **state)
{
    struct buf want = {0};

    (void)state;
    all_into(&want);
    for (size_t n = 0; n <= want.n; n++) {
        struct guarded g = guarded_copy("", 0, n);
        struct buf b = buf_fixed(g.bytes, n);
        size_t had;

        all_into(&b);
        assert_int_equal(buf_ok(&b), n == want.n);
        assert_ptr_equal(b.p, g.bytes);
        assert_memory_equal(g.bytes, want.p, b.n);
        had = b.n;
        if (!buf_ok(&b)) {
            buf_byte(&b, 'x');
            buf_printf(&b, "x");
            assert_int_equal(b.n, had);
        }
        buf_reset(&b);
        assert_true(buf_ok(&b));
        buf_free(&b); /* the room is not ours to free */
        guarded_free(&g);
    }
    buf_free(&want);
}

/* A fixed room has to hold what is written, not the most that could be. */
static void fixed_room_takes_a_varint_that_just_fits(void **state)
{
    const struct row *t = *state;
    struct guarded g = guarded_copy("", 0, t->n);
    struct buf b = buf_fixed(g.bytes, t->n);

    buf_varint(&b, t->v);
    assert_true(buf_ok(&b));
    assert_int_equal(b.n, t->n);
    b = buf_fixed(g.bytes, t->n - 1);
    buf_varint(&b, t->v);
    assert_false(buf_ok(&b));
    assert_int_equal(b.n, 0);
    guarded_free(&g);
}

static void fixed_room_takes_a_text_and_its_nul(void **state)
{
    struct guarded g = guarded_copy("", 0, 6);
    struct buf b = buf_fixed(g.bytes, 6);

    (void)state;
    buf_printf(&b, "%d", 12345);
    assert_true(buf_ok(&b));
    assert_int_equal(b.n, 5);
    assert_memory_equal(b.p, "12345", 6);
    buf_printf(&b, "%s", "6");
    assert_false(buf_ok(&b));
    assert_int_equal(b.n, 5);
    guarded_free(&g);
}

/* ---- growable ---- */

static void grows_and_keeps_what_it_has(void **state)
{
    struct buf b = {0};

    (void)state;
    for (int i = 0; i < 100000; i++)
        buf_byte(&b, (uint8_t)(i % 251));
    assert_int_equal(b.n, 100000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(b.p[i], i % 251);
    buf_reset(&b);
    assert_int_equal(b.n, 0);
    assert_true(b.room >= 100000);
    buf_free(&b);
    assert_null(b.p);
    buf_bytes(&b, NULL, 0);
    assert_true(buf_ok(&b) && b.n == 0);
    buf_free(&b);
}

static void fill_makes_longer_by_zeros(void **state)
{
    struct buf b = {0}, fixed;
    uint8_t room[2] = {7, 7};

    (void)state;
    assert_true(buf_fill(&b, 0) && b.n == 0);
    buf_bytes(&b, "\1\2\3", 3);
    memset(b.p, 9, b.room);
    assert_true(buf_fill(&b, 2) && b.n == 3);
    assert_true(buf_fill(&b, 1000) && b.n == 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(b.p[i], i < 3 ? 9 : 0);
    assert_false(buf_fill(&b, SIZE_MAX));
    assert_true(!buf_ok(&b) && b.n == 1000);
    assert_false(buf_fill(&b, 10)); /* a failure stays */
    buf_free(&b);
    fixed = buf_fixed(room, sizeof(room));
    assert_true(buf_fill(&fixed, 1) && room[0] == 0 && room[1] == 7);
    assert_false(buf_fill(&fixed, 3));
}

static void absurd_sizes_fail_and_stay_failed(void **state)
{
    struct buf b = {0};

    (void)state;
    buf_str(&b, "abc");
    assert_false(buf_reserve(&b, SIZE_MAX));
    assert_false(buf_reserve(&b, SIZE_MAX / 2));
    buf_str(&b, "def");
    assert_false(buf_ok(&b));
    assert_int_equal(b.n, 3);
    buf_reset(&b);
    buf_str(&b, "def");
    assert_true(buf_ok(&b) && b.n == 3);
    buf_free(&b);
}

static void be_writes_every_width(void **state)
{
    struct buf b = {0};

    (void)state;
    for (unsigned n = 1; n <= 8; n++) {
        struct cursor c;

        buf_reset(&b);
        buf_be(&b, 0xf1f2f3f4f5f6f7f8, n);
        assert_int_equal(b.n, n);
        c = cur_over(b.p, b.n);
        assert_true(cur_be(&c, n) == 0xf1f2f3f4f5f6f7f8 << (64 - 8 * n) >> (64 - 8 * n));
    }
    buf_free(&b);
}

static void printf_appends(void **state)
{
    struct buf b = {0};

    (void)state;
    buf_str(&b, "a");
    buf_printf(&b, "%05d|%s", 42, "text");
    assert_int_equal(b.n, 11);
    assert_memory_equal(b.p, "a00042|text", 11);
    buf_reset(&b);
    buf_printf(&b, "%1000d", 1);
    assert_int_equal(b.n, 1000);
    buf_free(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_room_refuses_and_stays_refused),
        cmocka_unit_test(fixed_room_takes_a_text_and_its_nul),
        cmocka_unit_test(grows_and_keeps_what_it_has),
        cmocka_unit_test(fill_makes_longer_by_zeros),
        cmocka_unit_test(absurd_sizes_fail_and_stay_failed),
        cmocka_unit_test(be_writes_every_width),
        cmocka_unit_test(printf_appends),
    };
    int failed = run_rows("buf: varint", rows, varint_is_short_and_read_back);

    failed += run_rows("buf: padded varint", rows, padded_varint_is_read_back);
    failed += run_rows("buf: varint just fits", rows, fixed_room_takes_a_varint_that_just_fits);
    return failed + cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
