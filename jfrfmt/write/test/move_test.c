/* One recording in several files, and copies of one that is still growing. */
#include "jfrfmt/test/writer_reading.h"
#include "jfrfmt/test/writer_testing.h"

static void files_in_a_row_are_one_recording(void **state)
{
    struct demo d;
    struct jfr_writer *w = open_demo(path("first.jfr"), &d);
    struct jfr_error err = {0};
    struct legal first, second, both;
    struct file a, b;
    uint8_t *joined;

    (void)state;
    demo_all(&d);
    assert_int_equal(jfr_writer_move(w, path("second.jfr"), 0, &err), 0);
    assert_int_equal(err.code, 0);
    demo_samples(&d, 10); /* their constants were written into the first file */
    assert_int_equal(jfr_writer_close(w, &err), 0);

    first = expect_legal(path("first.jfr"));
    second = expect_legal(path("second.jfr"));
    assert_true(second.nanos > first.nanos);
    a = read_file(path("first.jfr"));
    b = read_file(path("second.jfr"));
    joined = malloc(a.n + b.n);
    memcpy(joined, a.bytes, a.n);
    memcpy(joined + a.n, b.bytes, b.n);
    assert_null(legal(joined, a.n + b.n, &both));
    assert_int_equal(reading(b.bytes, b.n, NULL, NULL), second.n_events);
    assert_int_equal(reading(joined, a.n + b.n, NULL, NULL), first.n_events + second.n_events);
    free(a.bytes);
    free(b.bytes);
    free(joined);
}

static void a_name_that_cannot_be_changes_nothing(void **state)
{
    struct demo d;
    struct jfr_writer *w = open_demo(path("stays.jfr"), &d);
    struct jfr_error err = {0};

    (void)state;
    demo_all(&d);
    assert_true(jfr_writer_move(w, path("no/such/place.jfr"), 0, &err) < 0);
    assert_true(strlen(err.text) > 0);
    demo_samples(&d, 3);
    err = (struct jfr_error){0};
    assert_int_equal(jfr_writer_close(w, &err), 0);
    assert_int_equal(expect_legal(path("stays.jfr")).n_chunks, 1);
}

static void used_bytes_are_a_recording(void **state)
{
    struct demo d;
    struct jfr_writer *w = open_demo(path("grows.jfr"), &d);
    uint64_t at, n, size;
    struct jfr_error err = {0};
    struct legal l;
    struct file f;

    (void)state;
    assert_int_equal(jfr_writer_used(w, &at), 0);
    demo_all(&d);
    assert_int_equal(jfr_writer_rotate(w, 0), 0);
    demo_samples(&d, 5);
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    n = jfr_writer_used(w, &at);
    f = read_file(path("grows.jfr"));
    assert_true(at > 0 && n > at && n < f.n);
    size = n - at;
    for (int i = 0; i < 8; i++)
        f.bytes[at + 8 + (uint64_t)i] = (uint8_t)(size >> (56 - 8 * i));
    assert_null(legal(f.bytes, n, &l));
    assert_int_equal(l.n_chunks, 2);
    assert_int_equal(reading(f.bytes, n, NULL, NULL), l.n_events);
    free(f.bytes);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_in_a_row_are_one_recording),
        cmocka_unit_test(a_name_that_cannot_be_changes_nothing),
        cmocka_unit_test(used_bytes_are_a_recording),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
