#include "convert/profile/stackset.h"

#include "jfrfmt/test/testing.h"

#include <stdlib.h>

struct merge_row {
    const char *name;
    enum frame_type a, b, kept;
};

/* clang-format off */
static const struct merge_row merges[] = {
    {"jit_over_interpreted", FRAME_INTERPRETED, FRAME_JIT, FRAME_JIT},
    {"jit_over_inlined", FRAME_INLINED, FRAME_JIT, FRAME_JIT},
    {"jit_over_c1", FRAME_C1, FRAME_JIT, FRAME_JIT},
    {"inlined_over_c1", FRAME_C1, FRAME_INLINED, FRAME_INLINED},
    {"c1_over_interpreted", FRAME_INTERPRETED, FRAME_C1, FRAME_C1},
    {"anything_over_unknown", FRAME_UNKNOWN, FRAME_INTERPRETED, FRAME_INTERPRETED},
    {"native_over_java", FRAME_JIT, FRAME_NATIVE, FRAME_NATIVE},
    {"cpp_over_native", FRAME_NATIVE, FRAME_CPP, FRAME_CPP},
    {"kernel_over_cpp", FRAME_CPP, FRAME_KERNEL, FRAME_KERNEL},
    {"equal", FRAME_JIT, FRAME_JIT, FRAME_JIT},
};
/* clang-format on */

static void test_merge(void **state)
{
    const struct merge_row *row = *state;

    for (int turn = 0; turn < 2; turn++) {
        struct stackset set = {0};
        uint32_t one[] = {frame_of(5, FRAME_JIT), frame_of(6, turn ? row->b : row->a)};
        uint32_t two[] = {frame_of(5, FRAME_JIT), frame_of(6, turn ? row->a : row->b)};

        assert_int_equal(stackset_add(&set, one, 2), 0);
        assert_int_equal(stackset_add(&set, two, 2), 0);
        assert_int_equal(set.n, 1);
        assert_int_equal(frame_type(stackset_frames(&set, 0)[0]), FRAME_JIT);
        assert_int_equal(frame_type(stackset_frames(&set, 0)[1]), row->kept);
        assert_int_equal(frame_name_id(stackset_frames(&set, 0)[1]), 6);
        stackset_free(&set);
    }
}

static void a_frame_is_a_name_and_a_type(void **state)
{
    (void)state;
    for (int type = FRAME_UNKNOWN; type <= FRAME_ROOT; type++) {
        uint32_t f = frame_of(FRAME_NAME_MASK, (enum frame_type)type);

        assert_int_equal(frame_name_id(f), FRAME_NAME_MASK);
        assert_int_equal(frame_type(f), type);
    }
}

static void order_and_length_tell_stacks_apart(void **state)
{
    static const uint32_t frames[] = {1, 2, 1, 2, 3};
    struct stackset set = {0};

    (void)state;
    assert_int_equal(stackset_add(&set, frames, 2), 0);
    assert_int_equal(stackset_add(&set, frames + 1, 2), 1);
    assert_int_equal(stackset_add(&set, frames, 4), 2);
    assert_int_equal(stackset_add(&set, frames, 5), 3);
    assert_int_equal(stackset_add(&set, frames, 1), 4);
    assert_int_equal(stackset_add(&set, NULL, 0), 5);
    assert_int_equal(stackset_add(&set, frames + 2, 2), 0);
    assert_int_equal(stackset_add(&set, frames, 0), 5);
    assert_int_equal(set.n, 6);
    assert_memory_equal(stackset_frames(&set, 3), frames, sizeof(frames));
    stackset_free(&set);
}

/* Every pair of numbers below 200, and each again after the set has grown. */
static void many_stacks_keep_their_ids(void **state)
{
    struct stackset set = {0};

    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 40000; i++) {
            uint32_t frames[] = {i % 200, i / 200};

            assert_int_equal(stackset_add(&set, frames, 2), i);
        }
    assert_int_equal(set.n, 40000);
    assert_int_equal(set.n_frames, 80000);
    stackset_free(&set);
}

static void deep_stacks_differ_in_their_last_frame(void **state)
{
    const uint32_t n = 100003;
    uint32_t *frames = calloc(n, sizeof(*frames));
    struct stackset set = {0};

    (void)state;
    for (uint32_t i = 0; i < n; i++)
        frames[i] = frame_of(i & 15, FRAME_JIT);
    assert_int_equal(stackset_add(&set, frames, n), 0);
    frames[n - 1] ^= 1;
    assert_int_equal(stackset_add(&set, frames, n), 1);
    frames[n - 1] ^= 1;
    frames[n - 1] = frame_of(frame_name_id(frames[n - 1]), FRAME_KERNEL);
    assert_int_equal(stackset_add(&set, frames, n), 0);
    assert_memory_equal(stackset_frames(&set, 0), frames, n * sizeof(*frames));
    stackset_free(&set);
    free(frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_a_name_and_a_type),
        cmocka_unit_test(order_and_length_tell_stacks_apart),
        cmocka_unit_test(many_stacks_keep_their_ids),
        cmocka_unit_test(deep_stacks_differ_in_their_last_frame),
    };

    return run_rows("merges", merges, test_merge) +
           cmocka_run_group_tests_name("stackset", tests, NULL, NULL);
}
