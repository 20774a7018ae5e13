/* What the writer refuses, because some reader would refuse the file. */
#include "jfrfmt/write/writer.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/read/types.h"

#include <fcntl.h>

#define N(array) array, sizeof(array) / sizeof((array)[0])
#define STRING "java.lang.String"

/* clang-format off */
static const struct jfr_field_def no_fields[] = {{"x", "long"}};
static const struct jfr_field_def two_names[] = {{"x", "long"}, {"x", "int"}};
static const struct jfr_field_def nameless[] = {{"", "long"}};
static const struct jfr_field_def unknown_type[] = {{"x", "demo.Nothing"}};
static const struct jfr_field_def array[] = {{"x", "long", .flags = JFR_ARRAY}};
static const struct jfr_field_def in_struct[] = {{"x", "demo.HasArray"}};
static const struct jfr_field_def pooled_number[] = {{"x", "long", .flags = JFR_POOLED}};
static const struct jfr_field_def float_field[] = {{"x", "float"}};
static const struct jfr_field_def pooled_float[] = {{"x", "demo.HasFloat", .flags = JFR_POOLED}};
static const struct jfr_field_def pair[] = {{"x", "long"}, {"y", "long"}};
static const struct jfr_field_def pooled_pair[] = {{"x", "demo.Pair", .flags = JFR_POOLED}};
static const struct jfr_field_def itself[] = {{"x", "demo.Itself"}};
static const struct jfr_field_def annotation_type[] = {{"x", "jdk.jfr.Label"}};
static const struct jfr_field_def start_late[] = {
    {"x", "long"}, {"startTime", "long", .unit = JFR_UNIT_TIMESTAMP_TICKS},
};
static const struct jfr_field_def start_int[] = {
    {"startTime", "int", .unit = JFR_UNIT_TIMESTAMP_TICKS},
};
static const struct jfr_field_def late_duration[] = {
    {"x", "long"}, {"duration", "long", .unit = JFR_UNIT_TICKS},
};
static const struct jfr_field_def duration_in_ms[] = {{"duration", "long", .unit = JFR_UNIT_MS}};
static const struct jfr_field_def pid_first[] = {{"pid", "long"}, {"jvmName", STRING}};
static const struct jfr_field_def epoch_ns[] = {{"x", "long", .unit = JFR_UNIT_TIMESTAMP_NS}};
static const struct jfr_annotation_def no_value[] = {{"jdk.jfr.Label"}};
static const struct jfr_attr extra_member[] = {{"value", "a"}, {"other", "b"}};
static const struct jfr_annotation_def too_much[] = {{"jdk.jfr.Label", N(extra_member)}};
static const struct jfr_annotation_def no_annotation[] = {{STRING}};
static const struct jfr_setting_def no_setting[] = {{"enabled", "jdk.jfr.Label", "true"}};
static const struct jfr_field_def thread_alone[] = {{"osName", STRING}};

#define EVENT(name, ...) {name, JFR_TYPE_EVENT, __VA_ARGS__}

static const struct refused {
    const char *name;
    struct jfr_type_def def;
    const char *says;
} refused[] = {
    {"a name with a space", EVENT("my event", .fields = N(no_fields)), "no Java class name"},
    {"a name with a dash", EVENT("a-b.C", .fields = N(no_fields)), "no Java class name"},
    {"a name that starts with a digit", EVENT("1abc", .fields = N(no_fields)), "Java class name"},
    {"a name with an empty part", EVENT("a..B", .fields = N(no_fields)), "no Java class name"},
    {"no name", EVENT("", .fields = N(no_fields)), "without a name"},
    {"two fields of one name", EVENT("a.B", .fields = N(two_names)), "two fields 'x'"},
    {"a field called startTime again", EVENT("a.B", .fields = N(start_int)), "two fields"},
    {"a field without a name", EVENT("a.B", .fields = N(nameless)), "field without a name"},
    {"a type that is not declared", EVENT("a.B", .fields = N(unknown_type)), "not declared"},
    {"an array in an event", EVENT("a.B", .fields = N(array)), "arrays"},
    {"an array in a struct in an event", EVENT("a.B", .fields = N(in_struct)), "arrays"},
    {"a number in a pool", EVENT("a.B", .fields = N(pooled_number)), "numbers"},
    {"a float in a pool", EVENT("a.B", .fields = N(pooled_float)), "floats"},
    {"a struct of its own in a pool", EVENT("a.B", .fields = N(pooled_pair)), "struct in a pool"},
    {"a type in itself", {"demo.Itself", JFR_TYPE_VALUE, .fields = N(itself)}, "contains itself"},
    {"an annotation as a value", EVENT("a.B", .fields = N(annotation_type)), "no type of a value"},
    {"startTime not first", EVENT("a.B", .fields = N(start_late), .flags = JFR_LISTED),
     "first field must be startTime"},
    {"no field at all", EVENT("a.B", .flags = JFR_LISTED), "first field must be startTime"},
    {"startTime that is no long", EVENT("a.B", .fields = N(start_int), .flags = JFR_LISTED),
     "first field must be startTime"},
    {"duration not second", EVENT("a.B", .fields = N(late_duration)), "duration must be second"},
    {"duration in milliseconds", EVENT("a.B", .fields = N(duration_in_ms)), "duration must be"},
    {"pid not last", EVENT("jdk.JVMInformation", .fields = N(pid_first)), "pid must be last"},
    {"a unit that the JDK fails on", EVENT("a.B", .fields = N(epoch_ns)), "unit"},
    {"an annotation without its member", EVENT("a.B", .annotations = N(no_value)), "lacks 'value'"},
    {"an annotation with a member too many", EVENT("a.B", .annotations = N(too_much)),
     "has no member 'other'"},
    {"a type that is no annotation", EVENT("a.B", .annotations = N(no_annotation)),
     "no annotation"},
    {"a type that is no setting", EVENT("a.B", .settings = N(no_setting)), "no setting"},
    {"a simple type of two fields", {"a.B", JFR_TYPE_SIMPLE, .fields = N(pair)}, "one field"},
    {"a value type without fields", {"a.B", JFR_TYPE_VALUE}, "no fields"},
    {"a built-in type with other fields", {"java.lang.Thread", .fields = N(thread_alone)},
     "other fields"},
};
/* clang-format on */

static struct jfr_writer *open_null(void)
{
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open_fd_take(open("/dev/null", O_WRONLY), NULL, &err);

    assert_non_null(w);
    return w;
}

static void declaring_is_refused(void **state)
{
    static const struct jfr_type_def helpers[] = {
        {"demo.HasArray", JFR_TYPE_VALUE, .fields = N(array)},
        {"demo.HasFloat", JFR_TYPE_VALUE, .fields = N(float_field)},
        {"demo.Pair", JFR_TYPE_VALUE, .fields = N(pair)},
    };
    static const struct jfr_type_def good = EVENT("demo.Good", .fields = N(pair));
    const struct refused *row = *state;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_null();
    struct jfr_type_def both[] = {good, row->def};
    int64_t id;

    assert_true(jfr_writer_declare(w, helpers, 3) > 0);
    assert_int_equal(jfr_writer_declare(w, both, 2), JFR_E_FORMAT);
    if (strstr(jfr_writer_error(w)->text, row->says) == NULL)
        fail_msg("'%s' does not say '%s'", jfr_writer_error(w)->text, row->says);
    assert_true(jfr_writer_type(w, "demo.Good") < 0); /* nothing of it was declared */
    id = jfr_writer_declare(w, &good, 1);
    assert_true(id > 1);
    assert_int_equal(jfr_writer_declare(w, &good, 1), id);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

/* --- events that are not what their type declares --- */

static const struct jfr_field_def event_fields[] = {
    {"text", STRING},
    {"number", "int"},
    {"thread", "java.lang.Thread", .flags = JFR_POOLED},
};
static const struct jfr_field_def setting_fields[] = {{"id", "long"}, {"name", STRING}};
static const struct jfr_type_def event_types[] = {
    EVENT("demo.Event", .fields = N(event_fields)),
    EVENT("jdk.ActiveSetting", .fields = N(setting_fields)),
};

static void all_fields(struct jfr_writer *w, int64_t id)
{
    jfr_event_begin(w, id, 1);
    jfr_put_string(w, "a");
    jfr_put_int(w, 1);
    jfr_put_key(w, 0);
}

static void a_field_missing(struct jfr_writer *w, int64_t id)
{
    jfr_event_begin(w, id, 1);
    jfr_put_string(w, "a");
    jfr_put_int(w, 1);
}

static void a_field_too_many(struct jfr_writer *w, int64_t id)
{
    all_fields(w, id);
    jfr_put_int(w, 1);
}

static void a_long_for_an_int(struct jfr_writer *w, int64_t id)
{
    jfr_event_begin(w, id, 1);
    jfr_put_string(w, "a");
    jfr_put_long(w, 1);
    jfr_put_key(w, 0);
}

static void fields_in_another_order(struct jfr_writer *w, int64_t id)
{
    jfr_event_begin(w, id, 1);
    jfr_put_int(w, 1);
    jfr_put_string(w, "a");
    jfr_put_key(w, 0);
}

static void a_type_nobody_declared(struct jfr_writer *w, int64_t id)
{
    jfr_event_begin(w, id + 5000, 1);
}

static void a_type_that_is_no_event(struct jfr_writer *w, int64_t id)
{
    (void)id;
    jfr_event_begin(w, jfr_writer_type(w, "long"), 1);
}

static void a_setting_of_a_type_nobody_declared(struct jfr_writer *w, int64_t id)
{
    jfr_event_begin(w, jfr_writer_type(w, "jdk.ActiveSetting"), 1);
    jfr_put_long(w, id + 5000);
    jfr_put_string(w, "enabled");
}

static void a_setting_of_a_value_type(struct jfr_writer *w, int64_t id)
{
    (void)id;
    jfr_event_begin(w, jfr_writer_type(w, "jdk.ActiveSetting"), 1);
    jfr_put_long(w, jfr_writer_type(w, "long"));
    jfr_put_string(w, "enabled");
}

#define ROW(fn) #fn, fn

static const struct wrong_event {
    const char *name;
    void (*put)(struct jfr_writer *w, int64_t id);
} wrong_events[] = {
    {ROW(a_field_missing)},
    {ROW(a_field_too_many)},
    {ROW(a_long_for_an_int)},
    {ROW(fields_in_another_order)},
    {ROW(a_type_nobody_declared)},
    {ROW(a_type_that_is_no_event)},
    {ROW(a_setting_of_a_type_nobody_declared)},
    {ROW(a_setting_of_a_value_type)},
};

static void an_event_is_refused(void **state)
{
    const struct wrong_event *row = *state;
    struct jfr_error err = {0};
    struct jfr_writer_stats stats;
    struct jfr_writer *w = open_null();
    int64_t id = jfr_writer_declare(w, event_types, 2);

    assert_true(id > 1);
    all_fields(w, id);
    assert_int_equal(jfr_event_end(w), 0);
    row->put(w, id);
    assert_int_equal(jfr_event_end(w), JFR_E_FORMAT);
    all_fields(w, id);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_flush(w, 2), 0);
    jfr_writer_stats(w, &stats);
    assert_int_equal(stats.n_events, 2);
    assert_int_equal(stats.n_refused, 1);
    assert_int_equal(stats.n_lost, 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

/* The same events as bytes. */
static const struct wrong_bytes {
    const char *name;
    const char *bytes;
    size_t n;
    int rc;
} wrong_bytes[] = {
    {"right", "\1\3\1a\1\0", 6, 0},
    {"padded count", "\1\3\x81\0a\1\0", 7, 0},
    {"a string longer than the event",
     "\1\3\x7f"
     "a\1\0",
     6, JFR_E_FORMAT},
    {"an unknown encoding", "\1\6\1a\1\0", 6, JFR_E_FORMAT},
    {"cut", "\1\3\1a\1", 5, JFR_E_FORMAT},
    {"a byte too many", "\1\3\1a\1\0\0", 7, JFR_E_FORMAT},
    {"nothing", "", 0, JFR_E_FORMAT},
};

static void bytes_are_walked(void **state)
{
    const struct wrong_bytes *row = *state;
    struct guarded g = guarded_copy(row->bytes, row->n, 0);
    struct jfr_error err = {0};
    struct jfr_writer *w = open_null();
    int64_t id = jfr_writer_declare(w, event_types, 2);

    assert_int_equal(jfr_writer_event(w, id, g.bytes, g.n), row->rc);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    guarded_free(&g);
}

int main(void)
{
    int failed = run_rows("declaring", refused, declaring_is_refused);

    failed += run_rows("wrong events", wrong_events, an_event_is_refused);
    failed += run_rows("events as bytes", wrong_bytes, bytes_are_walked);
    return failed != 0;
}
