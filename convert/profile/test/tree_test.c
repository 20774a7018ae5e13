#include "convert/profile/tree.h"

#include "convert/test/profile_testing.h"
#include "convert/profile/stackset.h"

#define ONLY(type) (1u << (type))

struct row {
    const char *name;
    unsigned types;
    struct profile_options opt;
};

/* clang-format off */
static const struct row rows[] = {
    {"plain", ONLY(EXEC), {.kind = -1}},
    {"all_with_threads", ~0u, {.kind = KIND_ALL, .threads = true}},
    {"states_here_and_there", ~0u, {.kind = KIND_ALL, .states = true}},
    {"classes_behind_short_stacks", ONLY(ALLOC) | ONLY(LOCK), {.kind = KIND_ALL, .leaf_class = true}},
    {"everything_around_the_frames", ~0u, {.kind = KIND_ALL, .threads = true, .states = true, .leaf_class = true}},
    {"packages", ~0u, {.kind = KIND_ALL, .states = true, .leaf_class = true, .names = {.package = 1}}},
    {"bytes", ONLY(ALLOC), {.kind = -1, .weight = WEIGHT_BYTES}},
    {"saturated", ONLY(REQUEST), {.kind = KIND_ALL, .weight = WEIGHT_FIELD, .weight_field = "waited"}},
    {"nothing", 0, {.kind = -1}},
};
/* clang-format on */

/* Nodes in pre-order: steps down are by one, and the names of children grow. */
static void check_order(const struct tree *t)
{
    uint32_t *last = calloc(t->n_nodes + 2, sizeof(*last)); /* name + 1 at each depth */

    assert_int_equal(t->depth[0], 0);
    assert_int_equal(t->names[t->name[0]].n, 0);
    for (size_t i = 1; i < t->n_nodes; i++) {
        uint32_t d = t->depth[i];

        assert_in_range(d, 1, t->depth[i - 1] + 1);
        if (d == t->depth[i - 1] + 1)
            last[d] = 0;
        assert_true(t->name[i] < t->n_names);
        assert_true(t->name[i] + 1 > last[d]);
        last[d] = t->name[i] + 1;
    }
    free(last);
}

static void check_names(const struct tree *t)
{
    uint8_t *used = calloc(t->n_names, 1);

    for (size_t i = 0; i < t->n_nodes; i++)
        used[t->name[i]] = 1;
    for (size_t i = 0; i < t->n_names; i++) {
        assert_true(used[i]);
        if (i > 0)
            assert_true(strcmp(t->names[i - 1].text, t->names[i].text) < 0);
    }
    free(used);
}

/* The child of node `at` with this name. */
static size_t find_child(const struct tree *t, size_t at, const char *text)
{
    for (size_t i = at + 1; i < t->n_nodes && t->depth[i] > t->depth[at]; i++)
        if (t->depth[i] == t->depth[at] + 1 && strcmp(t->names[t->name[i]].text, text) == 0)
            return i;
    fail_msg("no '%s' below node %zu", text, at);
    return 0;
}

/* What each row says stands at the end of its path, and nothing stands elsewhere. */
static void check_weights(const struct profile *p, const struct tree *t)
{
    uint64_t *self = calloc(t->n_nodes, sizeof(*self)), total = 0;

    for (size_t i = 0; i < profile_n(p); i++) {
        struct profile_row row = profile_row(p, i);
        size_t at = 0;

        for (uint32_t k = 0; k < profile_path_n(&row); k++) {
            uint32_t id = frame_name_id(profile_path_frame(&row, k));

            at = find_child(t, at, profile_name(p, id, NULL));
        }
        self[at] += row.weight;
        total = total + row.weight < total ? UINT64_MAX : total + row.weight;
    }
    assert_memory_equal(self, t->self, t->n_nodes * sizeof(*self));
    assert_int_equal(t->total, total);
    assert_int_equal(t->total, profile_facts(p).weight);
    assert_int_equal(t->n_samples, profile_facts(p).samples);
    free(self);
}

static void test_row(void **state)
{
    const struct row *row = *state;
    struct shop s = {.chunks = 2, .types = row->types};
    struct profile *p;
    struct tree t;

    shop_make(&s);
    p = shop_profile(&s, &row->opt, 2);
    assert_int_equal(profile_tree(p, &t), 0);
    check_order(&t);
    check_names(&t);
    check_weights(p, &t);
    tree_free(&t);
    profile_free(p);
    shop_free(&s);
}

static void nodes_are_what_the_stacks_say(void **state)
{
    static const struct {
        uint32_t depth;
        const char *name;
        uint8_t type;
        uint64_t self, samples;
    } want[] = {
        {0, "", FRAME_UNKNOWN, 0, 0},
        {1, "main", FRAME_ROOT, 0, 0},
        {2, "A.main", FRAME_JIT, 0, 0},
        {3, "a.B.run", FRAME_JIT, 0, 0},
        {4, "a.B.work", FRAME_INTERPRETED, 0, 0},
        {5, "java.lang.String[]", FRAME_UNKNOWN, 1000, 1},
        {1, "worker", FRAME_ROOT, 0, 0},
        {2, "A.main", FRAME_JIT, 0, 0},
        {3, "a.B.run", FRAME_INTERPRETED, 0, 0},
        {4, "[no class]", FRAME_UNKNOWN, 500, 1},
        {4, "a.B.work", FRAME_INTERPRETED, 0, 0},
        {5, "a.B", FRAME_UNKNOWN, 2000, 1},
        {4, "java.lang.String[]", FRAME_UNKNOWN, 500, 1},
    };
    struct profile_options opt = {
        .kind = KIND_ALLOC, .weight = WEIGHT_BYTES, .threads = true, .leaf_class = true};
    struct shop s = {.types = ONLY(ALLOC)};
    struct profile *p;
    struct tree t;

    (void)state;
    shop_make(&s);
    p = shop_profile(&s, &opt, 1);
    assert_int_equal(profile_tree(p, &t), 0);
    assert_int_equal(t.n_nodes, sizeof(want) / sizeof(want[0]));
    assert_non_null(t.samples);
    for (size_t i = 0; i < t.n_nodes; i++) {
        assert_int_equal(t.depth[i], want[i].depth);
        assert_string_equal(t.names[t.name[i]].text, want[i].name);
        assert_int_equal(t.type[i], want[i].type);
        assert_int_equal(t.self[i], want[i].self);
        assert_int_equal(t.samples[i], want[i].samples);
    }
    tree_free(&t);
    profile_free(p);
    shop_free(&s);
}

static void samples_stand_apart_only_from_other_weights(void **state)
{
    struct shop s = {.types = ONLY(WALL)};
    struct profile_options opt = {.kind = KIND_WALL};
    struct profile *p;
    struct tree t;

    (void)state;
    shop_make(&s);
    p = shop_profile(&s, &opt, 1);
    assert_int_equal(profile_tree(p, &t), 0);
    assert_null(t.samples);
    tree_free(&t);
    tree_free(&t);
    profile_free(p);
    shop_free(&s);
}

static void names_of_dropped_stacks_stay_out(void **state)
{
    struct jfr_error err;
    struct pattern *exclude = pattern_new_regex("List", &err);
    struct profile_options opt = {.kind = -1, .exclude = &exclude, .n_exclude = 1};
    struct shop s = {.types = ONLY(EXEC)};
    struct profile *p;
    struct tree t;

    (void)state;
    shop_make(&s);
    p = shop_profile(&s, &opt, 1);
    assert_int_equal(profile_tree(p, &t), 0);
    for (size_t i = 0; i < t.n_names; i++)
        assert_null(strstr(t.names[i].text, "List"));
    tree_free(&t);
    profile_free(p);
    pattern_free(exclude);
    shop_free(&s);
}

static void deep_stacks_are_no_deeper_than_memory(void **state)
{
    struct shop s = {.chunks = 2, .types = ONLY(EXEC), .deep = 100000};
    struct profile_options opt = {.kind = -1};
    struct profile *p;
    struct tree t;

    (void)state;
    shop_make(&s);
    p = shop_profile(&s, &opt, 2);
    assert_int_equal(profile_tree(p, &t), 0);
    check_order(&t);
    assert_int_equal(t.total, profile_facts(p).weight);
    for (size_t i = 0; i < t.n_nodes; i++)
        if (t.depth[i] == 100001)
            assert_int_equal(t.self[i], 2);
        else
            assert_true(t.depth[i] <= 100000);
    tree_free(&t);
    profile_free(p);
    shop_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_what_the_stacks_say),
        cmocka_unit_test(samples_stand_apart_only_from_other_weights),
        cmocka_unit_test(names_of_dropped_stacks_stay_out),
        cmocka_unit_test(deep_stacks_are_no_deeper_than_memory),
    };

    return run_rows("trees", rows, test_row) +
           cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
