/* Which threads samples are of, from the settings as each recorder writes them. */
#include "convert/select/sample_settings.h"

#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/write/writer.h"

#include <stdlib.h>
#include <unistd.h>

enum whose {
    SAMPLES, /* jdk.ExecutionSample */
    RECORDING, /* another type */
};

struct setting {
    enum whose whose;
    const char *name, *value;
};

struct row {
    const char *name;
    struct setting settings[4];
    int64_t interval_ns;
    enum kind_samples samples;
    bool has_own_wall; /* the recorder has an event type for wall clock samples */
    unsigned n_before; /* other events come first */
};

/* clang-format off */
static const struct row rows[] = {
    {"jdk", {{SAMPLES, "enabled", "true"}, {SAMPLES, "period", "20 ms"}}, 20000000, KIND_SAMPLES_CPU},
    {"none", {{0}}, 0, KIND_SAMPLES_CPU},
    {"async_profiler_2_cpu", {{RECORDING, "event", "itimer"}, {SAMPLES, "interval", "5000000"}}, 5000000, KIND_SAMPLES_CPU},
    {"async_profiler_2_wall", {{RECORDING, "event", "wall"}, {SAMPLES, "interval", "5000000"}}, 5000000, KIND_SAMPLES_WALL},
    {"async_profiler_3_both", {{SAMPLES, "event", "cpu"}, {SAMPLES, "interval", "0"}, {SAMPLES, "wall", "200000000"}}, 10000000, KIND_SAMPLES_BOTH},
    {"async_profiler_3_wall_off", {{SAMPLES, "event", "cpu"}, {SAMPLES, "interval", "0"}, {SAMPLES, "wall", "0"}}, 10000000, KIND_SAMPLES_CPU},
    {"async_profiler_3_wall_alone", {{SAMPLES, "enabled", "false"}, {SAMPLES, "wall", "20000000"}}, 0, KIND_SAMPLES_WALL},
    {"async_profiler_3_wall_comes_first", {{SAMPLES, "wall", "20000000"}, {SAMPLES, "enabled", "false"}}, 0, KIND_SAMPLES_WALL},
    {"async_profiler_3_both_are_on", {{SAMPLES, "enabled", "true"}, {SAMPLES, "wall", "20000000"}}, 0, KIND_SAMPLES_BOTH},
    {"async_profiler_3_both_are_off", {{SAMPLES, "enabled", "false"}, {SAMPLES, "wall", "0"}}, 0, KIND_SAMPLES_CPU},
    {"other_type_is_off", {{RECORDING, "enabled", "false"}, {SAMPLES, "wall", "20000000"}}, 0, KIND_SAMPLES_BOTH},
    {"async_profiler_4_both", {{SAMPLES, "event", "ctimer"}, {SAMPLES, "interval", "0"}, {SAMPLES, "wall", "20000000"}}, 10000000, KIND_SAMPLES_CPU, .has_own_wall = true},
    {"others_first", {{RECORDING, "event", "wall"}, {SAMPLES, "interval", "5000000"}}, 5000000, KIND_SAMPLES_WALL, .n_before = 3},
    {"too_many_others_first", {{RECORDING, "event", "wall"}, {SAMPLES, "interval", "5000000"}}, 0, KIND_SAMPLES_CPU, .n_before = 30},
};
/* clang-format on */

static const struct jfr_field_def setting_fields[] = {
    {"id", "long"}, {"name", "java.lang.String"}, {"value", "java.lang.String"}};
static const struct jfr_field_def tick_fields[] = {{"n", "int"}};
static const struct jfr_type_def types[] = {
    {"jdk.ExecutionSample", JFR_TYPE_EVENT, .fields = tick_fields, .n_fields = 1},
    {"jdk.ActiveSetting", JFR_TYPE_EVENT, .fields = setting_fields, .n_fields = 3},
    {"test.Tick", JFR_TYPE_EVENT, .fields = tick_fields, .n_fields = 1},
    {"profiler.WallClockSample", JFR_TYPE_EVENT, .fields = tick_fields, .n_fields = 1},
};

static void tick(struct jfr_writer *w, int64_t type)
{
    jfr_event_begin(w, type, 1);
    jfr_put_int(w, 1);
    assert_int_equal(jfr_event_end(w), 0);
}

static void write_recording(const struct row *row, const char *path)
{
    struct jfr_writer_options options = {.start_ticks = 1, .replace = true, .seed = 7};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, &options, &err);
    int64_t sample, setting, other;

    assert_non_null(w);
    assert_true(jfr_writer_declare(w, types, row->has_own_wall ? 4 : 3) > 0);
    sample = jfr_writer_type(w, "jdk.ExecutionSample");
    setting = jfr_writer_type(w, "jdk.ActiveSetting");
    other = jfr_writer_type(w, "test.Tick");
    for (unsigned i = 0; i < row->n_before; i++)
        tick(w, other);
    for (const struct setting *s = row->settings; s->name != NULL; s++) {
        jfr_event_begin(w, setting, 1);
        jfr_put_long(w, s->whose == SAMPLES ? sample : other);
        jfr_put_string(w, s->name);
        jfr_put_string(w, s->value);
        assert_int_equal(jfr_event_end(w), 0);
    }
    tick(w, sample);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void test_row(void **state)
{
    const struct row *row = *state;
    char path[] = "/tmp/sample-settings-XXXXXX";
    struct jfr_error err = {0};
    struct sample_settings is;
    struct jfr_reader *r;
    struct jfr_event ev;
    unsigned n = 0;

    close(mkstemp(path));
    write_recording(row, path);
    r = jfr_reader_open(path, &err);
    assert_non_null(r);
    assert_true(jfr_reader_next(r, &ev) > 0);
    jfr_chunk_rewind(jfr_reader_chunk(r));
    is = sample_settings_read(jfr_reader_chunk(r), 10);
    assert_int_equal(is.interval_ns, row->interval_ns);
    assert_int_equal(is.samples, row->samples);
    while (jfr_chunk_next(jfr_reader_chunk(r), &ev) > 0) /* it was rewound */
        n++;
    assert_true(n > row->n_before);
    jfr_reader_close(r);
    unlink(path);
}

int main(void)
{
    return run_rows("settings", rows, test_row);
}
