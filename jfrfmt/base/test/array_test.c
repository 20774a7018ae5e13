/* Arrays that grow: what was added stays, sizes that cannot be are refused. */
#include "jfrfmt/base/array.h"
#include "jfrfmt/test/testing.h"

#include <stdint.h>
#include <stdlib.h>

struct element {
    uint64_t a, b, c;
};

static void elements_stay_while_others_are_added(void **state)
{
    struct element *all = NULL;

    (void)state;
    for (size_t n = 0; n < 100000; n++) {
        assert_true(array_add(&all, n, sizeof(*all)));
        all[n] = (struct element){n, n + 1, n + 2};
    }
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(all[i].a + all[i].b + all[i].c, 3 * i + 3);
    free(all);
}

static void room_is_kept_for_the_next_filling(void **state)
{
    uint32_t *all = NULL, *before;
    size_t room = 0;

    (void)state;
    assert_true(array_reserve(&all, &room, 0, sizeof(*all)));
    assert_null(all);
    assert_true(array_reserve(&all, &room, 5000, sizeof(*all)));
    assert_true(room >= 5000);
    for (uint32_t i = 0; i < 5000; i++)
        all[i] = i;
    before = all;
    for (size_t n = 0; n <= 5000; n++)
        assert_true(array_reserve(&all, &room, n, sizeof(*all)));
    assert_ptr_equal(all, before);
    assert_true(array_reserve(&all, &room, room + 1, sizeof(*all)));
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(all[i], i);
    free(all);
}

static void a_size_beyond_memory_is_refused(void **state)
{
    struct element *all = NULL, *before;
    size_t room = 0;

    (void)state;
    assert_true(array_reserve(&all, &room, 3, sizeof(*all)));
    all[2].c = 7;
    before = all;
    assert_false(array_reserve(&all, &room, SIZE_MAX / 2, sizeof(*all)));
    assert_false(array_add(&all, (size_t)1 << 60, sizeof(*all)));
    assert_ptr_equal(all, before);
    assert_int_equal(all[2].c, 7);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay_while_others_are_added),
        cmocka_unit_test(room_is_kept_for_the_next_filling),
        cmocka_unit_test(a_size_beyond_memory_is_refused),
    };

    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
