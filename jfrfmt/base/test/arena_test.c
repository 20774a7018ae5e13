#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/arena.h"

static void is_zeroed_and_aligned(void **state)
{
    struct arena a = {0};

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t n = 0; n < 500; n++) {
            uint8_t *p = arena_alloc(&a, n);

            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 16, 0);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(p[i], 0);
            memset(p, 0xee, n); /* the next round gets the same memory */
        }
        arena_reset(&a);
    }
    arena_free(&a);
}

static void pieces_do_not_overlap(void **state)
{
    struct arena a = {0};
    uint8_t *p[300];

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        p[i] = arena_alloc(&a, i * 37);
        memset(p[i], (int)i, i * 37);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < i * 37; k++)
            assert_int_equal(p[i][k], (uint8_t)i);
    arena_free(&a);
}

static void large_pieces_get_what_they_need(void **state)
{
    struct arena a = {0};
    uint8_t *p = arena_alloc(&a, 20 << 20), *q = arena_alloc(&a, 100);

    (void)state;
    memset(p, 1, 20 << 20);
    memset(q, 2, 100);
    assert_int_equal(p[(20 << 20) - 1], 1);
    arena_free(&a);
}

/* The same work again costs no new memory, and a spare that fits is found behind one that does
 * not. */
static void reset_reuses_memory(void **state)
{
    struct arena a = {0};
    void *small = arena_alloc(&a, 100), *big = arena_alloc(&a, 1 << 20);

    (void)state;
    arena_reset(&a);
    assert_ptr_equal(arena_alloc(&a, 1 << 20), big);
    assert_ptr_equal(arena_alloc(&a, 100), small);
    arena_free(&a);
}

/* Memory follows the last use, not the largest there ever was. */
static void what_a_use_leaves_is_returned(void **state)
{
    struct arena a = {0};

    (void)state;
    arena_alloc(&a, 100);
    arena_alloc(&a, 10 << 20);
    arena_reset(&a);
    arena_alloc(&a, 100);
    arena_reset(&a);
    assert_non_null(a.spare);
    assert_null(*(void **)a.spare); /* one block: its first member is the next one */
    arena_free(&a);
}

static void failure_is_remembered_until_reset(void **state)
{
    struct arena a = {0};

    (void)state;
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_false(arena_ok(&a));
    assert_non_null(arena_alloc(&a, 1));
    assert_false(arena_ok(&a));
    arena_reset(&a);
    assert_true(arena_ok(&a));
    assert_null(arena_array(&a, SIZE_MAX / 4, 8));
    assert_false(arena_ok(&a));
    arena_free(&a);
    assert_true(arena_ok(&a));
    assert_null(arena_array(&a, (size_t)1 << 40, (size_t)1 << 24));
    assert_null(arena_strndup(&a, "x", SIZE_MAX));
    assert_false(arena_ok(&a));
    arena_free(&a);
}

static void strndup_ends_with_nul(void **state)
{
    struct arena a = {0};

    (void)state;
    assert_string_equal(arena_strndup(&a, "hello", 3), "hel");
    assert_string_equal(arena_strndup(&a, NULL, 0), "");
    assert_memory_equal(arena_strndup(&a, "a\0b", 3), "a\0b", 4);
    arena_free(&a);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_zeroed_and_aligned),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(large_pieces_get_what_they_need),
        cmocka_unit_test(reset_reuses_memory),
        cmocka_unit_test(what_a_use_leaves_is_returned),
        cmocka_unit_test(failure_is_remembered_until_reset),
        cmocka_unit_test(strndup_ends_with_nul),
    };

    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
