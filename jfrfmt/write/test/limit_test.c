/* A file whose size the system limits (ulimit -f): it is written in smaller steps, then in order,
 * and what fits stays readable. */
#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/writer_testing.h"

#include <signal.h>
#include <sys/resource.h>

#define TICKS INT64_C(1000)
#define KIB ((rlim_t)1024)

static const struct jfr_field_def own[] = {{"text", "java.lang.String"}};
static const struct jfr_type_def text_type = {
    "test.Text",
    JFR_TYPE_EVENT,
    .fields = own,
    .n_fields = 1,
};

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static uint64_t n_written; /* as the writer counts */

/* Writes n events of a kibibyte under the limit. Returns how many flushes failed. */
static int write_events(const char *name, rlim_t limit, int n)
{
    struct jfr_writer_options options = {.start_ticks = 1, .replace = true, .seed = 7};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path(name), &options, &err);
    int64_t type = jfr_writer_declare(w, &text_type, 1);
    char text[1024];
    int failed = 0;

    memset(text, 'x', sizeof(text));
    limit_files(limit);
    for (int i = 0; i < n; i++) {
        jfr_event_begin(w, type, TICKS + i);
        jfr_put_text(w, text, sizeof(text));
        jfr_event_end(w);
        if (i % 50 == 49)
            failed += jfr_writer_flush(w, 2 * TICKS + i) < 0;
    }
    n_written = jfr_writer_n_events(w, type);
    jfr_writer_close(w, &err);
    limit_files(0);
    return failed;
}

static int count_events(const char *name)
{
    struct file f = read_file(path(name));
    struct jfr_error err = {0};
    struct jfr_reader *r =
        jfr_reader_open_source_take(jfr_source_open_mem(f.bytes, f.n, &err), &err);
    struct jfr_event ev;
    int n = 0;

    while (jfr_reader_next(r, &ev) > 0)
        n++;
    assert_string_equal(jfr_reader_error(r)->text, "");
    jfr_reader_close(r);
    free(f.bytes);
    return n;
}

static void smaller_steps_are_taken(void **state)
{
    (void)state;
    assert_int_equal(write_events("steps.jfr", 20000 * KIB, 10000), 0); /* not twice 16 MB */
    expect_legal(path("steps.jfr"));
    assert_int_equal(count_events("steps.jfr"), 10000);
    assert_int_equal(n_written, 10000);
}

static void what_fits_is_in_the_file(void **state)
{
    int n;

    (void)state;
    assert_int_equal(write_events("full.jfr", 5000 * KIB, 10000), 1); /* the first that fails */
    expect_legal(path("full.jfr"));
    n = count_events("full.jfr");
    assert_int_equal(n_written, n);
    assert_true(n >= 2000 && n < 5000);
}

static void a_small_file_is_written_in_order(void **state)
{
    (void)state;
    assert_int_equal(write_events("order.jfr", 1000 * KIB, 900), 0);
    expect_legal(path("order.jfr"));
    assert_int_equal(count_events("order.jfr"), 900);
    assert_int_equal(write_events("order.jfr", 300 * KIB, 900), 1);
    expect_legal(path("order.jfr"));
    assert_int_equal(count_events("order.jfr"), 250);
    assert_int_equal(n_written, 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smaller_steps_are_taken),
        cmocka_unit_test(what_fits_is_in_the_file),
        cmocka_unit_test(a_small_file_is_written_in_order),
    };

    signal(SIGXFSZ, SIG_IGN); /* as in a JVM */
    return cmocka_run_group_tests_name("writer: limit", tests, make_dir, remove_dir);
}
