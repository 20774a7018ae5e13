/* Views of values at the ends of their range: differences stay there. */
#include "jfrfmt/testing.h"

#include "convert/view.h"
#include "jfrfmt/writer.h"

#include <stdlib.h>

static const struct jfr_field_def thrown[] = {{"throwables", "long", "Throwables"}};
static const struct jfr_type_def types[] = {
    {"jdk.ExceptionStatistics", JFR_TYPE_EVENT, .fields = thrown, .n_fields = 1}};

static void write_recording(const char *path, int64_t first, int64_t last)
{
    struct jfr_writer_options options = {.replace = true, .start_nanos = 1700000000000000000};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, &options, &err);
    int64_t type, values[] = {first, last};

    assert_non_null(w);
    type = jfr_writer_declare(w, types, 1);
    for (int i = 0; i < 2; i++) {
        jfr_event_begin(w, type, 1000 + i);
        jfr_put_long(w, values[i]);
        assert_int_equal(jfr_event_end(w), 0);
    }
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static const struct row {
    const char *name;
    int64_t first, last;
    const char *want;
} rows[] = {
    {"small", 7, 49, "Thrown\n42\n"},
    {"too large", -5, INT64_MAX, "Thrown\n9223372036854775807\n"},
    {"too small", INT64_MAX, -5, "Thrown\n-9223372036854775808\n"},
};

static int keep(struct out *out)
{
    (void)out;
    return 0;
}

static void difference_is_shown(void **state)
{
    const struct row *t = *state;
    char path[] = "/tmp/view_range_test.XXXXXX";
    const char *paths[] = {path}, *err_path = NULL;
    struct run_options run = {.paths = paths, .n_paths = 1};
    struct view_run *r = view_run_new(view_named("exception-count"), NULL);
    struct out out = {.drain = keep};
    struct jfr_error err = {0};
    struct run_result result;
    struct run_job job = view_job(r);
    struct table *table;

    close(mkstemp(path));
    write_recording(path, t->first, t->last);
    assert_int_equal(run_all(&run, &job, NULL, &result, &err, &err_path), 0);
    unlink(path);
    table = view_table(r, false, true);
    assert_non_null(table);
    assert_int_equal(table_write(table, TABLE_AS_TSV, &out), 0);
    buf_byte(&out.b, 0);
    assert_string_equal((const char *)out.b.p, t->want);
    out_free(&out);
    table_free(table);
    view_run_free(r);
}

int main(void)
{
    return run_rows("view: values at the ends of their range", rows, difference_is_shown);
}
