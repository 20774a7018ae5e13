#include "jfrfmt/test/writer_reading.h"
#include "jfrfmt/test/writer_testing.h"

#include <malloc.h>
#include <stdio.h>

static void count_symbols(void *ctx, struct jfr_chunk *chunk, const struct jfr_event *ev)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);
    const struct jfr_class *symbol = jfr_metadata_by_name(md, "jdk.types.Symbol");
    const struct jfr_class *stack = jfr_metadata_by_name(md, "jdk.types.StackTrace");
    size_t *n = ctx;

    (void)ev;
    n[0] = jfr_pool_n(jfr_chunk_pool(chunk, symbol));
    n[1] = jfr_pool_n(jfr_chunk_pool(chunk, stack));
}

static void a_chunk_has_only_the_constants_it_refers_to(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("few.jfr"), &d);
    struct file f;
    size_t n[2];

    (void)state;
    demo_begin(&d, DEMO_SAMPLE);
    jfr_put_key(w, 1);
    jfr_put_key(w, d.stacks[2]);
    jfr_put_key(w, JFR_STATE_RUNNABLE);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    f = read_file(path("few.jfr"));
    reading(f.bytes, f.n, count_symbols, n);
    /* com/acme/Main, com/acme, run, its descriptor; libc.so.6, read, ()V */
    assert_int_equal(n[0], 7);
    assert_int_equal(n[1], 1);
    free(f.bytes);
}

#define MANY 9000 /* constants, of which some must share a place of any small table */

struct counted {
    uint64_t at; /* of the chunk */
    size_t n_chunks, n_classes[3];
};

static void count_classes(void *ctx, struct jfr_chunk *chunk, const struct jfr_event *ev)
{
    const struct jfr_class *cls =
        jfr_metadata_by_name(jfr_chunk_metadata(chunk), "java.lang.Class");
    struct counted *c = ctx;

    (void)ev;
    if (c->n_chunks == 0 || c->at != jfr_chunk_header(chunk)->offset)
        c->n_classes[c->n_chunks++ % 3] = jfr_pool_n(jfr_chunk_pool(chunk, cls));
    c->at = jfr_chunk_header(chunk)->offset;
}

static void throw_one(struct demo *d, struct jfr_writer *w, uint64_t cls)
{
    demo_begin(d, DEMO_THROW);
    jfr_put_long(w, 1);
    jfr_put_key(w, 3);
    jfr_put_key(w, 0);
    jfr_put_string(w, NULL);
    jfr_put_key(w, cls);
    assert_int_equal(jfr_event_end(w), 0);
}

/* Each one twice, between others whose keys are a power of two away. */
static void each_chunk_has_all_that_it_refers_to(void **state)
{
    struct counted c = {0};
    struct jfr_error err = {0};
    struct demo d;
    struct jfr_writer *w = open_demo(path("many.jfr"), &d);
    uint64_t *keys = calloc(MANY, sizeof(*keys));
    char name[16];
    struct file f;

    (void)state;
    assert_non_null(keys);
    for (int i = 0; i < MANY; i++) {
        struct jfr_class_def def = {.name = name,
                                    .name_n = (size_t)snprintf(name, sizeof(name), "C%d", i)};

        keys[i] = jfr_writer_class(w, &def);
    }
    for (int chunk = 0; chunk < 3; chunk++) {
        for (int i = 0; i < 2 * MANY; i++)
            throw_one(&d, w, keys[(i / 2 + i % 2 * 4096) % MANY]);
        assert_int_equal(chunk < 2 ? jfr_writer_rotate(w, 0) : jfr_writer_close(w, &err), 0);
    }
    expect_legal(path("many.jfr"));
    f = read_file(path("many.jfr"));
    reading(f.bytes, f.n, count_classes, &c);
    assert_int_equal(c.n_chunks, 3);
    for (int chunk = 0; chunk < 3; chunk++)
        assert_int_equal(c.n_classes[chunk], MANY);
    free(f.bytes);
    free(keys);
}

static void a_value_keeps_its_key_and_a_key_its_value(void **state)
{
    const struct jfr_thread_def first = {"a", "a", 1, 1, 0, false};
    const struct jfr_thread_def other = {"b", "b", 1, 1, 0, false};
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("keys.jfr"), &d);
    uint64_t key = jfr_writer_symbol(w, "com/acme/Main", 13);
    struct jfr_writer_stats stats;

    (void)state;
    assert_true(key > 0);
    assert_int_equal(jfr_writer_thread(w, 77, &first), 0);
    assert_int_equal(jfr_writer_rotate(w, 0), 0);
    assert_int_equal(jfr_writer_symbol(w, "com/acme/Main", 13), key);
    assert_true(jfr_writer_symbol(w, "com/acme/Main2", 14) > key);
    assert_int_equal(jfr_writer_thread(w, 77, &first), 0);
    assert_int_equal(jfr_writer_thread(w, 77, &other), 1);
    demo_begin(&d, DEMO_SAMPLE);
    jfr_put_key(w, 12345);
    jfr_put_key(w, 0);
    jfr_put_key(w, JFR_STATE_RUNNABLE);
    assert_int_equal(jfr_event_end(w), 0);
    jfr_writer_stats(w, &stats);
    assert_int_equal(stats.n_unresolved, 1);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(path("keys.jfr"));
}

/* Interned keys count up; a key that the caller took is not given a second time. */
static void interned_keys_avoid_defined_ones(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("mixed.jfr"), &d);
    int64_t type = demo_id(&d, DEMO_GC_NAME);
    uint64_t next = jfr_writer_simple(w, type, "one", 3) + 1, key;

    (void)state;
    for (uint64_t k = next; k < next + 3; k++)
        assert_int_equal(jfr_writer_define(w, type, k, "\3\1x", 3), 0);
    key = jfr_writer_simple(w, type, "two", 3);
    assert_int_equal(key, next + 3);
    assert_int_equal(jfr_writer_simple(w, type, "two", 3), key);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void a_value_must_be_whole(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("whole.jfr"), &d);
    int64_t type = demo_id(&d, DEMO_GC_NAME);

    (void)state;
    assert_true(jfr_writer_intern(w, type, "\3\1x", 3) > 0);
    assert_int_equal(jfr_writer_intern(w, type, "\3\1", 2), 0);
    assert_int_equal(jfr_writer_intern(w, type, "\3\1xy", 4), 0);
    assert_int_equal(jfr_writer_intern(w, type, "", 0), 0);
    assert_int_equal(jfr_writer_intern(w, type + 5000, "\3\1x", 3), 0);
    assert_int_equal(jfr_writer_define(w, type, 900, "\3\1xy", 4), JFR_E_FORMAT);
    assert_int_equal(jfr_writer_define(w, type, 900, "\3\1y", 3), 0);
    assert_int_equal(jfr_writer_define(w, type + 5000, 900, "\3\1y", 3), JFR_E_FORMAT);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void frames_and_methods_need_what_they_refer_to(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("frames.jfr"), &d);
    struct jfr_frame nowhere = {.method_key = 0}, unknown = {.method_key = 999999};

    (void)state;
    assert_int_equal(jfr_writer_stack(w, &nowhere, 1, false), 0);
    assert_int_equal(jfr_writer_stack(w, &unknown, 1, false), 0);
    assert_int_equal(jfr_writer_method(w, 0, "run", "()V", 1, false), 0);
    assert_int_equal(jfr_writer_method(w, 999999, "run", "()V", 1, false), 0);
    assert_true(jfr_writer_stack(w, NULL, 0, false) > 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void a_fixed_room_refuses_and_counts(void **state)
{
    struct jfr_writer_options options = {
        .replace = true,
        .constant_room = 64 << 10,
        .event_room = 16 << 10,
    };
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path("fixed.jfr"), &options, &err);
    struct jfr_writer_stats stats;
    char text[40000] = "";
    uint64_t first = jfr_writer_symbol(w, "first", 5), key = 1;
    unsigned n = 0;
    struct demo d;

    (void)state;
    assert_true(demo_start(&d, w));
    while (key != 0) {
        snprintf(text, sizeof(text), "symbol %u", n++);
        key = jfr_writer_symbol(w, text, strlen(text));
    }
    jfr_writer_stats(w, &stats);
    assert_in_range(n, 300, 1000);
    assert_int_equal(stats.n_constants_refused, 1);
    assert_int_equal(jfr_writer_symbol(w, "first", 5), first);
    demo_begin(&d, DEMO_PROPERTY);
    memset(text, 'x', sizeof(text));
    jfr_put_text(w, text, sizeof(text));
    jfr_put_string(w, "");
    assert_int_equal(jfr_event_end(w), JFR_E_LIMIT);
    demo_samples(&d, 3000); /* flushed on the way */
    assert_int_equal(jfr_writer_forget(w, 0), 0); /* the chunk that ends has them */
    assert_int_equal(jfr_writer_symbol(w, "first", 5), first);
    assert_int_equal(jfr_writer_forget(w, 0), 0);
    assert_true(jfr_writer_symbol(w, "first", 5) > first);
    demo_constants(&d);
    demo_threads(&d);
    demo_samples(&d, 10);
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    jfr_writer_stats(w, &stats);
    assert_int_equal(stats.n_lost, 1);
    assert_int_equal(stats.n_unresolved, 0);
    assert_int_equal(stats.n_events, 3010 + 2 * DEMO_FIXED);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    assert_int_equal(expect_legal(path("fixed.jfr")).n_events, 3010 + 2 * DEMO_FIXED);
}

/* From the first flush on, a writer with a fixed room takes no memory. */
static void a_fixed_writer_allocates_nothing_more(void **state)
{
    struct jfr_writer_options options = {
        .replace = true,
        .constant_room = 1 << 20,
        .event_room = 64 << 10,
    };
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path("steady.jfr"), &options, &err);
    struct demo d;
    size_t before;

    (void)state;
    assert_true(demo_start(&d, w));
    demo_all(&d);
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    before = mallinfo2().uordblks;
    for (int i = 0; i < 20; i++) {
        char name[20];

        snprintf(name, sizeof(name), "thread %d", i);
        jfr_writer_symbol(w, name, strlen(name));
        demo_samples(&d, 5000);
        assert_int_equal(jfr_writer_rotate(w, 0), 0);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

/* clang-format off */
static const struct package_row {
    const char *name, *package;
} packages[] = {
    {"com/acme/Main", "com/acme"},
    {"Main", NULL},
    {"/Main", NULL},
    {"", NULL},
    {"[Ljava/lang/String;", NULL},
    {"com/acme/Main$$Lambda/0x00007f1234567890", "com/acme"},
    {"Main$$Lambda/0x00007f1234567890", NULL},
    {"com/acme/Main$$Lambda+0x00007f1234567890", "com/acme"},
    {"a/0", "a"},
};
/* clang-format on */

static void expect_package(void *ctx, struct jfr_chunk *chunk, const struct jfr_event *ev)
{
    const struct package_row *row = ctx;
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);
    const struct jfr_class *symbol = jfr_metadata_by_name(md, "jdk.types.Symbol");
    const struct jfr_pool *pool =
        jfr_chunk_pool(chunk, jfr_metadata_by_name(md, "jdk.types.Package"));
    struct cursor c;

    (void)ev;
    assert_int_equal(jfr_pool_n(pool), row->package != NULL);
    if (row->package == NULL)
        return;
    c = jfr_pool_value(pool, 0);
    assert_true(jfr_str_equals(jfr_simple_text(chunk, symbol, cur_varint(&c)), row->package));
}

static void the_package_is_a_prefix_of_the_class(void **state)
{
    const struct package_row *row = *state;
    struct jfr_class_def cls = {.name = row->name, .name_n = strlen(row->name)};
    struct jfr_error err = {0};
    struct demo d;
    struct jfr_writer *w = open_demo(path("package.jfr"), &d);
    struct file f;

    throw_one(&d, w, jfr_writer_class(w, &cls));
    assert_int_equal(jfr_writer_close(w, &err), 0);
    f = read_file(path("package.jfr"));
    reading(f.bytes, f.n, expect_package, (void *)(uintptr_t)row);
    free(f.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_has_only_the_constants_it_refers_to),
        cmocka_unit_test(each_chunk_has_all_that_it_refers_to),
        cmocka_unit_test(a_value_keeps_its_key_and_a_key_its_value),
        cmocka_unit_test(interned_keys_avoid_defined_ones),
        cmocka_unit_test(a_value_must_be_whole),
        cmocka_unit_test(frames_and_methods_need_what_they_refer_to),
        cmocka_unit_test(a_fixed_room_refuses_and_counts),
        cmocka_unit_test(a_fixed_writer_allocates_nothing_more),
    };

    return cmocka_run_group_tests_name("constants", tests, make_dir, NULL) +
               run_rows("packages", packages, the_package_is_a_prefix_of_the_class) +
               remove_dir(NULL) !=
           0;
}
