/* Values, events and weights of single samples, from recordings made by hand. */
#include "convert/profile/tree.h"
#include "convert/profile/facets.h"
#include "convert/profile/facets_internal.h"

#include "convert/test/profile_testing.h"

#define ALL_TYPES ((1u << N_TYPES) - 1)

struct filled {
    struct facets *f;
    struct profile *p;
    struct tree tree;
};

static struct filled fill(const struct shop *s, struct profile_options opt, unsigned jobs)
{
    struct filled x = {.f = facets_new()};

    assert_non_null(x.f);
    facets_set_field(x.f, "waited");
    opt.facets = x.f;
    x.p = shop_profile(s, &opt, jobs);
    assert_int_equal(profile_tree(x.p, &x.tree), 0);
    assert_int_equal(facets_finish(x.f, x.p, &x.tree), 0);
    return x;
}

static void empty(struct filled *x)
{
    facets_free(x->f);
    tree_free(&x->tree);
    profile_free(x->p);
}

/* All that is known of every sample, as text. */
static char *dump(const struct filled *x)
{
    struct buf b = {0};

    for (size_t i = 0; i < facets_n(x->f); i++) {
        const struct facets_entry *s = &facets_entries(x->f)[i];

        buf_printf(&b, "%lld %u", (long long)s->time_ns, facets_shapes(x->f)[s->shape].node);
        for (int k = 0; k < FACET_WEIGHTS; k++)
            buf_printf(&b, " %llu",
                       (unsigned long long)facets_weight(x->f, s->shape, (enum facet_weight)k));
        for (uint32_t d = 0; d < facets_n_dims(x->f); d++)
            if (d != FACET_INPUT) /* the test's file has another name each time */
                buf_printf(&b, " %s",
                           facets_value_text(x->f, d, facets_value_of(x->f, s->shape, d), NULL));
        buf_byte(&b, '\n');
    }
    buf_byte(&b, 0);
    return (char *)b.p;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The same lines in one order. */
static char *sorted(char *text)
{
    char *lines[200], *save = NULL;
    struct buf b = {0};
    size_t n = 0;

    for (char *l = strtok_r(text, "\n", &save); l != NULL; l = strtok_r(NULL, "\n", &save))
        lines[n++] = l;
    qsort(lines, n, sizeof(*lines), by_line);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s\n", lines[i]);
    buf_byte(&b, 0);
    free(text);
    return (char *)b.p;
}

static void samples_do_not_depend_on_threads_or_chunks(void **state)
{
    char *want = NULL;

    (void)state;
    for (unsigned chunks = 1; chunks <= 4; chunks++) {
        struct shop s = {.chunks = chunks, .types = ALL_TYPES};
        char *exact = NULL;

        shop_make(&s);
        for (unsigned jobs = 1; jobs <= 4; jobs++) {
            struct filled x = fill(&s, (struct profile_options){.kind = -1}, jobs);
            char *is = dump(&x);

            if (exact == NULL)
                exact = strdup(is);
            assert_string_equal(is, exact);
            is = sorted(is);
            if (want == NULL)
                want = strdup(is);
            assert_string_equal(is, want);
            free(is);
            empty(&x);
        }
        free(exact);
        shop_free(&s);
    }
    free(want);
}

/* The weight of a kind's events as the facets have it, sleepers left out where the kind does so. */
static uint64_t sum_of(const struct facets *f, enum kind kind)
{
    uint64_t sum = 0;
    int best = 0;

    for (uint32_t v = 1; v <= facets_n_values(f, FACET_EVENT); v++)
        if (facets_event(f, v)->kinds[kind].rank > best)
            best = facets_event(f, v)->kinds[kind].rank;
    for (size_t i = 0; i < facets_n(f) && best > 0; i++) {
        uint32_t shape = facets_entries(f)[i].shape, at = facets_value_of(f, shape, FACET_STATE);
        struct kind_use how = facets_event(f, facets_value_of(f, shape, FACET_EVENT))->kinds[kind];

        if (how.rank != best ||
            (how.skips_sleeping &&
             kind_state_sleeps(facets_value_text(f, FACET_STATE, at, NULL))) ||
            (how.needs_duration && facets_weight(f, shape, FACET_DURATION) == 0))
            continue;
        sum += facets_weight(f, shape, FACET_COUNT);
    }
    return sum;
}

static void kinds_have_the_samples_of_their_profiles(void **state)
{
    struct shop s = {.chunks = 2, .types = ALL_TYPES};
    struct filled x;

    (void)state;
    shop_make(&s);
    x = fill(&s, (struct profile_options){.kind = -1}, 2);
    for (int kind = 0; kind < N_KINDS; kind++) {
        struct profile_options opt = {.kind = kind};
        struct profile *p = shop_profile(&s, &opt, 1);

        assert_int_equal(sum_of(x.f, (enum kind)kind), profile_facts(p).samples);
        profile_free(p);
    }
    empty(&x);
    x = fill(&s, (struct profile_options){.kind = KIND_ALLOC}, 2);
    assert_int_equal(facets_n(x.f), 4);
    empty(&x);
    shop_free(&s);
}

static void cut_events_count_nowhere(void **state)
{
    struct shop s = {.types = 1u << EXEC, .cut = true};
    struct filled x;

    (void)state;
    shop_make(&s);
    x = fill(&s, (struct profile_options){.kind = -1}, 1);
    assert_true(facets_n(x.f) > 0);
    assert_int_equal(facets_n(x.f), profile_facts(x.p).samples);
    empty(&x);
    shop_free(&s);
}

static void nodes_are_where_the_stacks_end(void **state)
{
    struct shop s = {.chunks = 3, .types = ALL_TYPES, .times = 3};
    struct filled x;
    uint64_t *self;

    (void)state;
    shop_make(&s);
    x = fill(&s, (struct profile_options){.kind = -1, .threads = true}, 3);
    self = calloc(x.tree.n_nodes, sizeof(*self));
    for (size_t i = 0; i < facets_n(x.f); i++) {
        uint32_t shape = facets_entries(x.f)[i].shape;

        self[facets_shapes(x.f)[shape].node] += facets_weight(x.f, shape, FACET_COUNT);
    }
    assert_memory_equal(self, x.tree.self, x.tree.n_nodes * sizeof(*self));
    free(self);
    empty(&x);
    shop_free(&s);
}

static void values_come_by_number(void **state)
{
    struct shop s = {.types = 1 << EXEC | 1 << LOCK};
    struct filled x;

    (void)state;
    shop_make(&s);
    x = fill(&s, (struct profile_options){.kind = -1}, 1);
    assert_int_equal(facets_n_dims(x.f), FACET_FIXED);
    assert_string_equal(facets_dim_name(x.f, FACET_THREAD, NULL), "thread");
    assert_int_equal(facets_n_values(x.f, FACET_THREAD), 3);
    assert_string_equal(facets_value_text(x.f, FACET_THREAD, 1, NULL), "main");
    assert_int_equal(facets_value_n(x.f, FACET_THREAD, 1), 9);
    assert_string_equal(facets_value_text(x.f, FACET_THREAD, 2, NULL), "[no thread]");
    assert_string_equal(facets_value_text(x.f, FACET_THREAD, 3, NULL), "worker");
    assert_int_equal(facets_value_n(x.f, FACET_STATE, FACET_NONE), 3);
    assert_string_equal(facets_value_text(x.f, FACET_EVENT, 1, NULL), "jdk.ExecutionSample");
    assert_int_equal(facets_event(x.f, 2)->weights, 1 << FACET_DURATION);
    assert_string_equal(facets_value_text(x.f, FACET_INPUT, 1, NULL), strrchr(s.path, '/') + 1);
    empty(&x);
    shop_free(&s);
}

static void further_dimensions_are_sorted(void **state)
{
    struct facets *f = facets_new();
    struct profile_options opt = {.kind = -1, .facets = f};
    struct profile *p = profile_new(&opt);
    struct tree tree = {0};
    uint32_t b = facets_dim(f, "user", 4), a = facets_dim(f, "action", 6);

    (void)state;
    assert_int_equal(facets_dim(f, "user", 4), b);
    assert_int_equal(facets_value(f, a, "", 0), FACET_NONE);
    assert_int_equal(facets_value(f, a, "pay", 3), facets_value(f, a, "pay", 3));
    assert_int_equal(facets_value(f, UINT32_MAX, "x", 1), FACET_NONE);
    for (int i = 0; i < 100; i++)
        facets_dim(f, (char[]){'x', (char)('0' + i)}, 2);
    assert_int_equal(facets_dim(f, "one more", 8), UINT32_MAX);
    assert_int_equal(facets_dim(f, "user", 4), b);
    assert_int_equal(profile_finish(p), 0);
    assert_int_equal(profile_tree(p, &tree), 0);
    assert_int_equal(facets_finish(f, p, &tree), 0);
    assert_int_equal(facets_n_dims(f), FACETS_DIMS);
    assert_string_equal(facets_dim_name(f, FACET_FIXED, NULL), "action");
    assert_string_equal(facets_dim_name(f, FACET_FIXED + 1, NULL), "user");
    tree_free(&tree);
    profile_free(p);
    facets_free(f);
}

/* Samples in runs of `length` and more, with few different times. A shape is a place. */
static void make_runs(struct facets_entry *samples, uint32_t n, uint32_t length)
{
    uint32_t random = n + length;

    for (uint32_t i = 0, time = 0; i < n; i++, time += random >> 16 & 1) {
        random = random * 1664525 + 1013904223;
        if (i % length == 0)
            time = random >> 20 & 31;
        samples[i] = (struct facets_entry){time, i};
    }
}

static void runs_become_one(void **state)
{
    static struct facets_entry samples[2000];
    static bool is_there[2000];

    (void)state;
    for (uint32_t n = 0; n <= 2000; n = 2 * n + 1)
        for (uint32_t length = 1; length <= 1000; length *= 3) {
            make_runs(samples, n, length);
            assert_true(facets_sort(samples, n));
            memset(is_there, 0, sizeof(is_there));
            for (uint32_t i = 0; i < n; i++) {
                is_there[samples[i].shape] = true;
                assert_true(i == 0 || samples[i - 1].time_ns < samples[i].time_ns ||
                            (samples[i - 1].time_ns == samples[i].time_ns &&
                             samples[i - 1].shape < samples[i].shape));
            }
            for (uint32_t i = 0; i < n; i++)
                assert_true(is_there[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_do_not_depend_on_threads_or_chunks),
        cmocka_unit_test(kinds_have_the_samples_of_their_profiles),
        cmocka_unit_test(cut_events_count_nowhere),
        cmocka_unit_test(nodes_are_where_the_stacks_end),
        cmocka_unit_test(values_come_by_number),
        cmocka_unit_test(further_dimensions_are_sorted),
        cmocka_unit_test(runs_become_one),
    };

    return cmocka_run_group_tests_name("facets", tests, NULL, NULL);
}
