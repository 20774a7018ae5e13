#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/cursor.h"

/* ---- varints ---- */

struct row {
    const char *name;
    size_t n;
    uint8_t bytes[12];
    uint64_t want;
    size_t used; /* 0: the read must fail */
};

static const struct row rows[] = {
    // clang-format off
    {"zero", 1, {0x00}, 0, 1},
    {"largest of one byte", 1, {0x7f}, 127, 1},
    {"smallest of two bytes", 2, {0x80, 0x01}, 128, 2},
    {"padded to two", 2, {0x85, 0x00}, 5, 2},
    {"padded to four", 4, {0x81, 0x80, 0x80, 0x00}, 1, 4},
    {"padded to nine", 9, {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 1, 9},
    {"three bytes", 3, {0xe5, 0x8e, 0x26}, 624485, 3},
    {"largest of four", 4, {0xff, 0xff, 0xff, 0x7f}, 0x0fffffff, 4},
    {"eight bytes", 8, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 1ULL << 49, 8},
    {"largest of eight", 8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, (1ULL << 56) - 1, 8},
    {"ninth byte has eight bits", 9, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 1ULL << 63, 9},
    {"ninth byte below 128", 9, {0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, 0x7f0000000000007f, 9},
    {"minus one", 9, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, UINT64_MAX, 9},
    {"no tenth byte", 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, UINT64_MAX, 9},
    {"something behind", 3, {0x07, 0xff, 0xff}, 7, 1},
    {"nothing", 0, {0}, 0, 0},
    {"cut after one", 1, {0x80}, 0, 0},
    {"cut after two", 2, {0xff, 0xff}, 0, 0},
    {"cut after eight", 8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0, 0},
    // clang-format on
};

/* At every distance from the unmapped page, so that the fast and the slow path have to agree. */
static void varint(void **state)
{
    const struct row *t = *state;

    for (size_t slack = 0; slack <= 2 * CUR_VARINT_MAX; slack++) {
        struct guarded g = guarded_copy(t->bytes, t->n, t->used == 0 ? 0 : slack);
        struct cursor c = cur_over(g.bytes, g.n);

        assert_true(cur_varint(&c) == t->want);
        assert_int_equal(cur_ok(&c), t->used != 0);
        if (t->used != 0) {
            assert_ptr_equal(c.p, g.bytes + t->used);
        } else {
            assert_ptr_equal(c.fail, g.bytes);
            assert_int_equal(cur_left(&c), 0);
        }
        guarded_free(&g);
    }
}

static void skipping_one_is_reading_one(void **state)
{
    const struct row *t = *state;

    for (size_t slack = 0; slack <= 2 * CUR_VARINT_MAX; slack++) {
        struct guarded g = guarded_copy(t->bytes, t->n, t->used == 0 ? 0 : slack);
        struct cursor c = cur_over(g.bytes, g.n);

        cur_skip_varints(&c, 1);
        assert_int_equal(cur_ok(&c), t->used != 0);
        if (t->used != 0)
            assert_ptr_equal(c.p, g.bytes + t->used);
        guarded_free(&g);
    }
}

static uint32_t next_random(uint32_t *x)
{
    *x = *x * 1664525 + 1013904223;
    return *x >> 8;
}

/* Bytes of which about one in `one_in` ends a varint. */
static void fill(uint8_t *p, size_t n, uint32_t *x, unsigned one_in)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(next_random(x) & 0x7f) | (next_random(x) % one_in != 0 ? 0x80 : 0);
}

static void skipping_many_is_reading_many(void **state)
{
    uint32_t x = 42;

    (void)state;
    for (int round = 0; round < 600; round++) {
        uint8_t bytes[400];
        size_t n = next_random(&x) % sizeof(bytes);
        struct guarded g;

        fill(bytes, n, &x, 1 + next_random(&x) % 12);
        g = guarded_copy(bytes, n, 0);
        for (uint64_t count = 0; count <= n + 1; count++) {
            struct cursor a = cur_over(g.bytes, n), b = a;

            for (uint64_t i = 0; i < count; i++)
                cur_varint(&a);
            cur_skip_varints(&b, count);
            assert_int_equal(cur_ok(&a), cur_ok(&b));
            assert_ptr_equal(a.p, b.p);
        }
        guarded_free(&g);
    }
}

static void skipping_more_than_there_are_ends_at_once(void **state)
{
    struct guarded g = guarded_copy("\1\2\3\4\5\6\7\10\11\12\13\14", 12, 0);
    struct cursor c = cur_over(g.bytes, g.n);

    (void)state;
    cur_skip_varints(&c, UINT64_MAX);
    assert_false(cur_ok(&c));
    assert_int_equal(cur_left(&c), 0);
    guarded_free(&g);
}

/* ---- the rest ---- */

static void be_reads_every_width(void **state)
{
    struct guarded g = guarded_copy("\x81\x82\x83\x84\x85\x86\x87\x88", 8, 0);
    uint64_t want = 0;

    (void)state;
    for (unsigned n = 1; n <= 8; n++) {
        struct cursor c = cur_over(g.bytes, g.n);

        want = want << 8 | (0x80 + n);
        assert_true(cur_be(&c, n) == want);
        assert_int_equal(cur_left(&c), 8 - n);
        c = cur_over(g.bytes, n - 1);
        assert_int_equal(cur_be(&c, n), 0);
        assert_ptr_equal(c.fail, g.bytes);
    }
    guarded_free(&g);
}

static void bytes_are_given_in_place(void **state)
{
    uint8_t room[10] = {0};
    struct cursor c = cur_over(room, sizeof(room));

    (void)state;
    assert_ptr_equal(cur_bytes(&c, 0), room);
    assert_ptr_equal(cur_bytes(&c, 4), room);
    assert_ptr_equal(cur_bytes(&c, 6), room + 4);
    assert_ptr_equal(cur_bytes(&c, 0), room + 10);
    assert_true(cur_ok(&c));
    assert_null(cur_bytes(&c, 1));
    c = cur_over(room, sizeof(room));
    assert_null(cur_bytes(&c, UINT64_MAX));
    assert_null(cur_bytes(&c, 0));
    assert_ptr_equal(c.fail, room);
}

static void first_failure_stays(void **state)
{
    uint8_t room[10] = {1, 2, 3};
    struct cursor c = cur_over(room, sizeof(room));

    (void)state;
    cur_varint(&c);
    cur_be(&c, 4);
    assert_null(cur_bytes(&c, 6));
    assert_ptr_equal(c.fail, room + 5);
    assert_int_equal(cur_varint(&c), 0);
    assert_int_equal(cur_be(&c, 1), 0);
    cur_skip_varints(&c, 1);
    cur_fail(&c);
    assert_ptr_equal(c.fail, room + 5);
    assert_int_equal(cur_left(&c), 0);
}

static void cursor_over_nothing(void **state)
{
    struct cursor c = cur_over(NULL, 0);

    (void)state;
    assert_int_equal(cur_left(&c), 0);
    cur_skip_varints(&c, 0);
    assert_true(cur_ok(&c));
    assert_int_equal(cur_be(&c, 2), 0);
    assert_int_equal(cur_left(&c), 0);
    assert_false(cur_ok(&c));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_many_is_reading_many),
        cmocka_unit_test(skipping_more_than_there_are_ends_at_once),
        cmocka_unit_test(be_reads_every_width),
        cmocka_unit_test(bytes_are_given_in_place),
        cmocka_unit_test(first_failure_stays),
        cmocka_unit_test(cursor_over_nothing),
    };
    int failed = run_rows("cursor: varint", rows, varint);

    failed += run_rows("cursor: skip", rows, skipping_one_is_reading_one);
    return failed + cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
