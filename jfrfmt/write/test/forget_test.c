/* A recording that goes on: what its chunks do without any more is forgotten. */
#include "jfrfmt/test/writer_reading.h"
#include "jfrfmt/test/writer_testing.h"

#include <stdio.h>

#define CHUNKS 100
#define CLASSES 400 /* new in each chunk */

static uint64_t class_of(struct demo *d, const char *name)
{
    return jfr_writer_class(d->w, &(struct jfr_class_def){.name = name});
}

static void throw_one(struct demo *d, uint64_t cls)
{
    demo_begin(d, DEMO_THROW);
    jfr_put_long(d->w, 1);
    jfr_put_key(d->w, 3);
    jfr_put_key(d->w, 0);
    jfr_put_string(d->w, NULL);
    jfr_put_key(d->w, cls);
    assert_int_equal(jfr_event_end(d->w), 0);
}

static struct jfr_writer_stats stats_of(const struct jfr_writer *w)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(w, &stats);
    return stats;
}

static void throw_many(struct demo *d, int chunk)
{
    char name[64];

    demo_threads(d); /* what the chunk before did without has to be defined again */
    for (int i = 0; i < CLASSES; i++) {
        snprintf(name, sizeof(name), "com/acme/p%d/Short$$Lambda+%d", chunk, i);
        throw_one(d, class_of(d, name));
    }
}

static void memory_stays_the_same_over_many_chunks(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("long.jfr"), &d);
    uint64_t always = class_of(&d, "com/acme/Always"), early = 0;
    struct file f;

    (void)state;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        throw_many(&d, chunk);
        throw_one(&d, always);
        assert_int_equal(class_of(&d, "com/acme/Always"), always);
        assert_int_equal(jfr_writer_forget(w, 0), 0);
        if (chunk == 3)
            early = stats_of(w).constant_bytes;
    }
    assert_in_range(stats_of(w).constant_bytes, early / 2, early * 3 / 2);
    assert_int_equal(stats_of(w).n_unresolved, 0);
    assert_int_equal(stats_of(w).n_chunks, CHUNKS + 1);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    assert_int_equal(expect_legal(path("long.jfr")).n_chunks, CHUNKS + 1);
    f = read_file(path("long.jfr"));
    assert_int_equal(reading(f.bytes, f.n, NULL, NULL),
                     CHUNKS * (CLASSES + 1) + CHUNKS * DEMO_FIXED);
    free(f.bytes);
}

/* A key may be on its way into an event when the chunk ends. */
static void what_came_in_the_last_chunk_stays(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("late.jfr"), &d);
    uint64_t used, unused;

    (void)state;
    assert_int_equal(jfr_writer_rotate(w, 0), 0);
    used = class_of(&d, "com/acme/Used");
    unused = class_of(&d, "com/acme/Unused");
    throw_one(&d, used);
    assert_int_equal(jfr_writer_forget(w, 0), 0);
    assert_int_equal(class_of(&d, "com/acme/Used"), used);
    throw_one(&d, unused);
    assert_int_equal(stats_of(w).n_unresolved, 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(path("late.jfr"));
}

static void a_forgotten_key_is_unknown_and_not_given_again(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("gone.jfr"), &d);
    uint64_t gone = class_of(&d, "com/acme/Gone"), kept = class_of(&d, "com/acme/Kept");

    (void)state;
    assert_int_equal(jfr_writer_rotate(w, 0), 0);
    throw_one(&d, kept);
    assert_int_equal(jfr_writer_forget(w, 0), 0);
    assert_true(class_of(&d, "com/acme/New") > kept);
    assert_true(class_of(&d, "com/acme/Gone") > kept);
    assert_int_equal(class_of(&d, "com/acme/Kept"), kept);
    throw_one(&d, gone);
    assert_int_equal(stats_of(w).n_unresolved, 1);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(path("gone.jfr"));
}

/* A stack that is named now and then. */
static void what_is_kept_stays(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("kept.jfr"), &d);
    struct file f;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(jfr_writer_rotate(w, 0), 0);
        throw_one(&d, 0);
        assert_true(jfr_writer_keep_stack(w, d.stacks[0]));
        assert_false(jfr_writer_keep_stack(w, 12345));
        assert_int_equal(jfr_writer_forget(w, 0), 0);
    }
    demo_threads(&d);
    demo_begin(&d, DEMO_SAMPLE);
    jfr_put_key(w, 1);
    jfr_put_key(w, d.stacks[0]);
    jfr_put_key(w, JFR_STATE_RUNNABLE);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    f = read_file(path("kept.jfr"));
    reading(f.bytes, f.n, NULL, NULL); /* every key leads somewhere */
    free(f.bytes);
}

/* A chunk that has just begun is not ended by forgetting. */
static void forgetting_begins_at_most_one_chunk(void **state)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("one.jfr"), &d);

    (void)state;
    throw_one(&d, d.cls);
    assert_int_equal(jfr_writer_rotate(w, 0), 0);
    assert_int_equal(jfr_writer_forget(w, 0), 0);
    assert_int_equal(stats_of(w).n_chunks, 2);
    throw_one(&d, d.cls);
    assert_int_equal(stats_of(w).n_unresolved, 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    assert_int_equal(expect_legal(path("one.jfr")).n_chunks, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_the_same_over_many_chunks),
        cmocka_unit_test(what_came_in_the_last_chunk_stays),
        cmocka_unit_test(a_forgotten_key_is_unknown_and_not_given_again),
        cmocka_unit_test(what_is_kept_stays),
        cmocka_unit_test(forgetting_begins_at_most_one_chunk),
    };

    return cmocka_run_group_tests_name("forget", tests, make_dir, remove_dir);
}
