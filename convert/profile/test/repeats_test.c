/* Events with the same bytes after their start time are counted, and the sums are those of all.
 * Single samples keep their times. */
#include "convert/profile/facets.h"
#include "convert/profile/profile.h"
#include "convert/profile/tree.h"

#include "convert/test/context_testing.h"
#include "convert/test/profile_testing.h"

#define MANY 30000 /* events of a chunk, whose table has 2048 places */
#define KEYS 1 /* of the constants */

/* The sums of all rows, of a recording in which each event is there so often. */
static struct profile_facts facts_of(unsigned types, unsigned times, struct profile_options opt)
{
    struct shop s = {.chunks = 2, .types = types, .times = times};
    struct profile_facts facts;
    struct profile *p;

    shop_make(&s);
    p = shop_profile(&s, &opt, 2);
    facts = profile_facts(p);
    profile_free(p);
    shop_free(&s);
    return facts;
}

static void sums_are_multiplied(void **state)
{
    static const enum profile_weight weights[] = {WEIGHT_SAMPLES, WEIGHT_BYTES, WEIGHT_DURATION,
                                                  WEIGHT_CPU_TIME};
    const unsigned types = 1u << EXEC | 1u << ALLOC | 1u << LOCK | 1u << CPUTIME | 1u << WALL;
    uint64_t all = 0;

    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++)
        for (size_t w = 0; w < 4; w++) {
            struct profile_options opt = {
                .kind = kind, .weight = weights[w], .threads = true, .states = true};
            struct profile_facts once = facts_of(types, 1, opt), often = facts_of(types, 9, opt);

            assert_int_equal(often.samples, 9 * once.samples);
            assert_int_equal(often.weight, 9 * once.weight);
            assert_int_equal(often.without_stack, 9 * once.without_stack);
            all += once.weight;
        }
    assert_true(all > 8000);
}

/* A recording of one chunk, with the events that a test writes. */
struct made {
    struct tc t;
    char path[40];
    uint64_t n_damages;
};

static void begin_recording(struct made *m)
{
    *m = (struct made){.path = "/tmp/repeats_test.XXXXXX"};
    tc_begin(&m->t);
    shop_classes(&m->t);
}

/* The finished profile of a file, which is gone afterwards. */
static struct profile *profile_of_file(const char *path, const struct profile_options *opt,
                                       uint64_t *n_damages)
{
    const char *paths[] = {path};
    struct run_options run = {.paths = paths, .n_paths = 1, .jobs = 1};
    struct run_result result = {0};
    struct profile *p = profile_of_run(&run, opt, &result);

    unlink(path);
    *n_damages = result.damages;
    return p;
}

static struct profile *profile_of(struct made *m, const struct profile_options *opt)
{
    int fd;

    shop_pools(&m->t, KEYS, 0);
    tc_end(&m->t);
    fd = mkstemp(m->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, m->t.b.p, m->t.b.n), (ssize_t)m->t.b.n);
    close(fd);
    tc_free(&m->t);
    return profile_of_file(m->path, opt, &m->n_damages);
}

static struct profile *profile_of_server(struct server *s, const struct profile_options *opt)
{
    char path[] = "/tmp/repeats_test.XXXXXX";
    struct profile *p;
    uint64_t n_damages;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    assert_true(server_write(path, s));
    p = profile_of_file(path, opt, &n_damages);
    assert_int_equal(n_damages, 0);
    return p;
}

/* A sample of an allocation. */
static void allocate(struct made *m, uint64_t time, int thread, uint64_t object, uint64_t tlab)
{
    const struct shop_event e = {ALLOC, {thread, TO_WORK, STRINGS, (int64_t)object, (int64_t)tlab}};

    shop_event(&m->t, &e, KEYS, time);
}

/* Different events that replace each other, as there are more than the table has places. Each size
 * is there for both threads, and the last eight bytes of most events are the same. */
static void events_that_replace_each_other(void **state)
{
    const struct profile_options opt = {.kind = KIND_ALLOC,
                                        .weight = WEIGHT_FIELD,
                                        .weight_field = "allocationSize",
                                        .threads = true};
    uint64_t samples[2] = {0}, bytes[2] = {0}, random = 1;
    struct made m;
    struct profile *p;

    (void)state;
    begin_recording(&m);
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t number, size;
        int thread;

        random = random * 6364136223846793005u + 1442695040888963407u;
        thread = (int)(random >> 40) % 3 == 0;
        number = (random >> 45) % (i % 2 == 0 ? 10 : 5000);
        size = (number * 0x9e3779b97f4a7c15u >> 40) << number % 20;
        allocate(&m, i << i % 40, thread == 0 ? MAIN : WORKER, size,
                 i % 4 == 0 ? size : UINT64_C(1) << 50);
        samples[thread]++;
        bytes[thread] += size;
    }
    p = profile_of(&m, &opt);
    assert_int_equal(profile_n(p), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(profile_row(p, (size_t)i).samples, samples[i]);
        assert_int_equal(profile_row(p, (size_t)i).weight, bytes[i]);
    }
    assert_int_equal(m.n_damages, 0);
    profile_free(p);
}

static void finish_samples(struct facets *f, const struct profile *p)
{
    struct tree tree = {0};

    assert_int_equal(profile_tree(p, &tree), 0);
    assert_int_equal(facets_finish(f, p, &tree), 0);
    tree_free(&tree);
}

/* The thread of event i, and the bytes that it allocated: a few sizes are frequent. */
static int thread_of(uint64_t i)
{
    return i * 7 % 10 < 3 ? WORKER : MAIN;
}

static uint64_t bytes_of(uint64_t i)
{
    uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u >> 40;

    return i % 2 == 0 ? mixed % 10 : mixed % 5000;
}

/* Each event is a sample with a time, a thread and bytes of its own; few have a shape of their own.
 */
static void single_samples_keep_their_times(void **state)
{
    struct facets *f = facets_new();
    const struct profile_options opt = {.kind = KIND_ALLOC, .facets = f};
    const struct facets_entry *e;
    struct made m;
    struct profile *p;
    size_t at = 0;

    (void)state;
    assert_non_null(f);
    begin_recording(&m);
    for (uint64_t i = 0; i < MANY; i++)
        allocate(&m, (UINT64_C(1) << 40) + i, thread_of(i), 64, bytes_of(i));
    p = profile_of(&m, &opt);
    finish_samples(f, p);
    assert_int_equal(facets_n(f), MANY);
    assert_in_range(facets_n_shapes(f), 5000, MANY - 5000);
    e = facets_entries(f);
    for (int thread = MAIN; thread <= WORKER; thread += WORKER - MAIN) /* most samples first */
        for (uint64_t i = 0; i < MANY; i++)
            if (thread_of(i) == thread) {
                uint32_t shape = e[at].shape, value = facets_value_of(f, shape, FACET_THREAD);

                assert_int_equal(e[at].time_ns - facets_first_ns(f), i);
                assert_int_equal(facets_weight(f, shape, FACET_BYTES), bytes_of(i));
                assert_int_equal(value, thread == MAIN ? 1 : 2);
                at++;
            }
    assert_int_equal(at, MANY);
    profile_free(p);
    facets_free(f);
}

static void sums_stop_at_the_end(void **state)
{
    const struct profile_options opt = {.kind = KIND_ALLOC, .weight = WEIGHT_BYTES};
    struct made m;
    struct profile *p;

    (void)state;
    begin_recording(&m);
    for (uint64_t i = 0; i < 5; i++)
        allocate(&m, i, MAIN, 1, INT64_MAX);
    p = profile_of(&m, &opt);
    assert_true(profile_row(p, 0).weight == UINT64_MAX);
    assert_int_equal(profile_row(p, 0).samples, 5);
    profile_free(p);
}

/* Each event that ends too early is recorded, also one with the bytes of an earlier one. */
static void damaged_events_are_not_counted(void **state)
{
    const struct shop_event whole = {EXEC, {MAIN, TO_ADD, RUNNABLE}};
    const struct profile_options opt = {.kind = KIND_CPU};
    struct made m;
    struct profile *p;

    (void)state;
    begin_recording(&m);
    for (int i = 0; i < 3; i++) {
        tc_event_begin(&m.t, SHOP_CLASS + EXEC);
        buf_varint(&m.t.b, UINT64_C(1) << 40);
        buf_varint(&m.t.b, KEYS + MAIN);
        buf_varint(&m.t.b, KEYS + TO_WORK);
        tc_event_end(&m.t);
        shop_event(&m.t, &whole, KEYS, 1000);
    }
    p = profile_of(&m, &opt);
    assert_int_equal(profile_facts(p).samples, 3);
    assert_int_equal(m.n_damages, 3);
    profile_free(p);
}

/* Declares an event class of three fields, of which two are numbers. */
static void declare(struct made *m, int id, const char *first, const char *second)
{
    tc_class(&m->t, SHOP_CLASS + id, "a.Event", "jdk.jfr.Event");
    tc_field(&m->t, first, TC_LONG, 0);
    tc_field(&m->t, second, TC_LONG, 0);
    tc_field(&m->t, "stackTrace", TC_TRACE, TC_POOLED);
}

static void add_numbers(struct made *m, int id, uint64_t first, uint64_t second)
{
    tc_event_begin(&m->t, SHOP_CLASS + id);
    buf_varint(&m->t.b, first);
    buf_varint(&m->t.b, second);
    buf_varint(&m->t.b, KEYS + TO_WORK);
    tc_event_end(&m->t);
}

static uint64_t sum_of_sizes(struct made *m)
{
    const struct profile_options opt = {
        .kind = KIND_ALL, .weight = WEIGHT_FIELD, .weight_field = "size"};
    struct profile *p = profile_of(m, &opt);
    uint64_t sum = profile_row(p, 0).weight;

    profile_free(p);
    return sum;
}

/* What is first in an event is not its time: all of it counts. */
static void classes_that_do_not_begin_with_a_time(void **state)
{
    struct made m;

    (void)state;
    begin_recording(&m);
    declare(&m, 50, "size", "startTime");
    for (uint64_t i = 0; i < 3; i++)
        add_numbers(&m, 50, 100 << i, UINT64_C(1) << 40);
    assert_int_equal(sum_of_sizes(&m), 700);
}

/* The weight of an event may be its time. */
static void times_as_weights(void **state)
{
    const struct profile_options opt = {
        .kind = KIND_ALL, .weight = WEIGHT_FIELD, .weight_field = "startTime"};
    struct made m;
    struct profile *p;

    (void)state;
    begin_recording(&m);
    declare(&m, 50, "startTime", "size");
    for (uint64_t i = 0; i < 4; i++)
        add_numbers(&m, 50, (UINT64_C(1) << 40) + i, 100);
    p = profile_of(&m, &opt);
    assert_int_equal(profile_row(p, 0).weight, (UINT64_C(1) << 42) + 6);
    profile_free(p);
}

/* The same bytes mean something else in each class. */
static void classes_with_the_same_bytes(void **state)
{
    struct made m;

    (void)state;
    begin_recording(&m);
    declare(&m, 50, "startTime", "size");
    tc_class(&m.t, SHOP_CLASS + 51, "a.Other", "jdk.jfr.Event");
    tc_field(&m.t, "startTime", TC_LONG, 0);
    tc_field_with(&m.t, "size", TC_LONG, 0, TC_TIMESPAN, "MILLISECONDS");
    tc_field(&m.t, "stackTrace", TC_TRACE, TC_POOLED);
    add_numbers(&m, 50, UINT64_C(1) << 40, 100);
    for (int i = 0; i < 4; i++)
        add_numbers(&m, 50 + i % 2, UINT64_C(1) << 40, 100);
    assert_int_equal(sum_of_sizes(&m), 3 * 100 + 2 * 100000000);
}

/* Single samples with the same bytes, by user. The last number is of those that have none. */
static void count_samples_of_users(const struct facets *f, uint64_t samples[4])
{
    for (uint32_t dim = 0; dim < facets_n_dims(f); dim++) {
        if (strcmp(facets_dim_name(f, dim, NULL), "user") != 0)
            continue;
        samples[3] = facets_value_n(f, dim, FACET_NONE);
        for (uint32_t v = 1; v <= facets_n_values(f, dim); v++)
            samples[facets_value_text(f, dim, v, NULL)[4] - '0'] = facets_value_n(f, dim, v);
    }
}

/* The same for single samples. */
static void contexts_of_single_samples(void **state)
{
    static const unsigned ways[] = {SERVER_SPANS, SERVER_FIELDS};
    const char *key = "user";
    const struct select_spec spec = {.keys = {&key, 1}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct server s = {.users = 3, .requests = 90, .chunks = 2, .how = ways[i]};
        struct facets *f = facets_new();
        uint64_t samples[4] = {0};
        struct jfr_error err;
        struct select *select = select_new(&spec, &err);
        struct profile *p = profile_of_server(
            &s, &(struct profile_options){.kind = KIND_WALL, .select = select, .facets = f});

        assert_non_null(select);
        finish_samples(f, p);
        count_samples_of_users(f, samples);
        for (uint64_t user = 0; user < 3; user++)
            assert_int_equal(samples[user], 30 * (user + 1));
        assert_int_equal(samples[3], 90);
        profile_free(p);
        facets_free(f);
        select_free(select);
    }
}

/* Samples with the same bytes are of the users that their threads work for at the time. */
static void contexts_by_time_and_by_fields(void **state)
{
    static const unsigned ways[] = {SERVER_SPANS, SERVER_FIELDS, SERVER_IDS};
    const char *key = "user";
    const struct select_spec spec = {.keys = {&key, 1}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct server s = {.users = 3, .requests = 90, .chunks = 2, .how = ways[i]};
        uint64_t samples[4] = {0};
        struct jfr_error err;
        struct select *select;
        struct profile *p;

        key = ways[i] == SERVER_IDS ? "spanName" : "user";
        select = select_new(&spec, &err);
        assert_non_null(select);
        p = profile_of_server(&s,
                              &(struct profile_options){
                                  .kind = KIND_WALL, .keys = &key, .n_keys = 1, .select = select});
        for (size_t k = 0; k < profile_n(p); k++) {
            struct profile_row row = profile_row(p, k);
            size_t n;
            const char *user = profile_name(p, row.ends[PROFILE_KEY], &n);

            user = strstr(user, "=user");
            samples[user == NULL ? 3 : user[5] - '0'] += row.samples;
        }
        for (uint64_t user = 0; user < 3; user++)
            assert_int_equal(samples[user], 30 * (user + 1));
        assert_int_equal(samples[3], 90);
        profile_free(p);
        select_free(select);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_multiplied),
        cmocka_unit_test(events_that_replace_each_other),
        cmocka_unit_test(single_samples_keep_their_times),
        cmocka_unit_test(sums_stop_at_the_end),
        cmocka_unit_test(damaged_events_are_not_counted),
        cmocka_unit_test(classes_that_do_not_begin_with_a_time),
        cmocka_unit_test(times_as_weights),
        cmocka_unit_test(classes_with_the_same_bytes),
        cmocka_unit_test(contexts_by_time_and_by_fields),
        cmocka_unit_test(contexts_of_single_samples),
    };

    return cmocka_run_group_tests_name("repeated events", tests, NULL, NULL);
}
