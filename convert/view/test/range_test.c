/* Views of values at the ends of their range: differences stay there. */
#include "convert/test/view_testing.h"

static const struct jfr_field_def thrown[] = {{"throwables", "long", "Throwables"}};
static const struct jfr_type_def types[] = {
    {"jdk.ExceptionStatistics", JFR_TYPE_EVENT, .fields = thrown, .n_fields = 1}};

static const struct row {
    const char *name;
    int64_t first, last;
    const char *want;
} rows[] = {
    {"small", 7, 49, "Thrown\n42\n"},
    {"too large", -5, INT64_MAX, "Thrown\n9223372036854775807\n"},
    {"too small", INT64_MAX, -5, "Thrown\n-9223372036854775808\n"},
};

static void write_recording(const char *path, const void *row)
{
    const struct row *t = row;
    struct jfr_writer_options options = {.replace = true, .start_nanos = 1700000000000000000};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, &options, &err);
    int64_t type, values[] = {t->first, t->last};

    assert_non_null(w);
    type = jfr_writer_declare(w, types, 1);
    for (int i = 0; i < 2; i++) {
        jfr_event_begin(w, type, 1000 + i);
        jfr_put_long(w, values[i]);
        assert_int_equal(jfr_event_end(w), 0);
    }
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void difference_is_shown(void **state)
{
    const struct row *t = *state;

    view_shows("exception-count", write_recording, t, t->want);
}

int main(void)
{
    return run_rows("view: values at the ends of their range", rows, difference_is_shown);
}
