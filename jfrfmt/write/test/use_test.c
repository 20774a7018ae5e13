/* What a file says beside events: the types that HotSpot always writes, others when they are used,
 * and methods that come often in a byte. */
#include "jfrfmt/read/reader.h"
#include "jfrfmt/read/stack.h"
#include "jfrfmt/test/writer_testing.h"

#define TICKS INT64_C(1000)

static const struct jfr_field_def amount[] = {{"amount", "test.Amount"}};
static const struct jfr_field_def bytes[] = {{"bytes", "long", .unit = JFR_UNIT_BYTES}};
static const struct jfr_field_def setting[] = {
    {"id", "long"}, {"name", "java.lang.String"}, {"value", "java.lang.String"}};
static const struct jfr_setting_def period[] = {{"period", "jdk.settings.Period", "10 ms"}};
static const struct jfr_type_def types[] = {
    {"test.Amount", JFR_TYPE_VALUE, .fields = bytes, .n_fields = 1, .flags = JFR_ON_USE},
    {"test.Late", JFR_TYPE_EVENT, .fields = amount, .n_fields = 1, .flags = JFR_ON_USE},
    {"test.Set", JFR_TYPE_EVENT, .settings = period, .n_settings = 1, .flags = JFR_ON_USE},
    {"jdk.ActiveSetting", JFR_TYPE_EVENT, .fields = setting, .n_fields = 3},
};

/* Which of these the file's newest metadata has: "String Method Amount Late ". */
static void expect_types(const char *name, const char *expected)
{
    static const char *const all[] = {
        "java.lang.String", "jdk.types.Method",    "test.Amount",        "test.Late",
        "test.Set",         "jdk.settings.Period", "jdk.jfr.DataAmount",
    };
    struct file f = read_file(name);
    struct jfr_error err = {0};
    struct jfr_reader *r =
        jfr_reader_open_source_take(jfr_source_open_mem(f.bytes, f.n, &err), &err);
    struct jfr_event ev;
    char got[200] = "nothing";

    while (jfr_reader_next(r, &ev) > 0) {
        const struct jfr_metadata *md = jfr_chunk_metadata(jfr_reader_chunk(r));

        got[0] = '\0';
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
            if (jfr_metadata_by_name(md, all[i]) != NULL) {
                strcat(got, strrchr(all[i], '.') + 1);
                strcat(got, " ");
            }
    }
    assert_string_equal(got, expected);
    jfr_reader_close(r);
    free(f.bytes);
}

static void put_setting(struct jfr_writer *w, int64_t of)
{
    jfr_event_begin(w, jfr_writer_type(w, "jdk.ActiveSetting"), TICKS);
    jfr_put_long(w, of);
    jfr_put_string(w, "period");
    jfr_put_string(w, "10 ms");
    assert_int_equal(jfr_event_end(w), 0);
}

static void types_are_there_from_their_first_use_on(void **state)
{
    struct jfr_writer_options options = {.start_ticks = 1, .replace = true, .seed = 7};
    struct jfr_error err = {0};
    const char *name = path("use.jfr");
    struct jfr_writer *w = jfr_writer_open(name, &options, &err);
    size_t n = sizeof(types) / sizeof(types[0]);

    (void)state;
    assert_true(jfr_writer_declare(w, types, n) > 0);
    put_setting(w, jfr_writer_type(w, "jdk.ActiveSetting"));
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    expect_types(name, "String Method ");
    put_setting(w, jfr_writer_type(w, "test.Set"));
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    expect_legal(name);
    expect_types(name, "String Method Set Period ");
    jfr_event_begin(w, jfr_writer_type(w, "test.Late"), TICKS);
    jfr_put_long(w, 8);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_rotate(w, 0), 0);
    put_setting(w, jfr_writer_type(w, "jdk.ActiveSetting"));
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(name);
    expect_types(name, "String Method Amount Late Set Period DataAmount ");
}

static void a_type_that_is_declared_again_without_the_flag_is_used(void **state)
{
    struct jfr_writer_options options = {.start_ticks = 1, .replace = true, .seed = 7};
    struct jfr_error err = {0};
    const char *name = path("again.jfr");
    struct jfr_writer *w = jfr_writer_open(name, &options, &err);
    struct jfr_type_def late = types[1];

    (void)state;
    late.flags = 0;
    assert_true(jfr_writer_declare(w, types, sizeof(types) / sizeof(types[0])) > 0);
    assert_true(jfr_writer_declare(w, &late, 1) > 0);
    put_setting(w, jfr_writer_type(w, "jdk.ActiveSetting"));
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_types(name, "String Method Amount Late DataAmount ");
}

static const struct jfr_field_def sampled[] = {
    {"stackTrace", "jdk.types.StackTrace", .flags = JFR_POOLED}};
static const struct jfr_type_def sample = {"test.Sample", JFR_TYPE_EVENT, .fields = sampled,
                                           .n_fields = 1};

/* 200 stacks of a method of their own called by `often`. */
static void write_stacks(const char *name, size_t room)
{
    struct jfr_writer_options options = {
        .start_ticks = 1, .replace = true, .seed = 7, .constant_room = room};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(name, &options, &err);
    int64_t type = jfr_writer_declare(w, &sample, 1);
    uint64_t cls = jfr_writer_class(w, &(struct jfr_class_def){.name = "A"});
    uint64_t often = jfr_writer_method(w, cls, "often", "()V", 1, false);

    for (int i = 0; i < 200; i++) {
        char text[20];
        struct jfr_frame frames[2] = {{.line = 1}, {.method_key = often, .line = 2}};

        snprintf(text, sizeof(text), "m%d", i);
        frames[0].method_key = jfr_writer_method(w, cls, text, "()V", 1, false);
        jfr_event_begin(w, type, TICKS);
        jfr_put_key(w, jfr_writer_stack(w, frames, 2, false));
        assert_int_equal(jfr_event_end(w), 0);
        if (i == 100)
            jfr_writer_forget(w, 0);
        if (i == 100) /* what was forgotten is described again */
            often = jfr_writer_method(
                w, cls = jfr_writer_class(w, &(struct jfr_class_def){.name = "A"}), "often", "()V",
                1, false);
    }
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(name);
}

/* How many of the stacks name `often` by a key of a byte; all must name it. */
static int count_short(const char *name)
{
    struct file f = read_file(name);
    struct jfr_error err = {0};
    struct jfr_reader *r =
        jfr_reader_open_source_take(jfr_source_open_mem(f.bytes, f.n, &err), &err);
    struct jfr_event ev;
    int n = 0;

    while (jfr_reader_next(r, &ev) > 0) {
        struct cursor c = ev.body;
        struct jfr_stacks stacks;
        struct jfr_frames frames;
        struct jfr_frame frame[2];
        struct jfr_method m;
        int64_t at;

        cur_varint(&c);
        assert_int_equal(jfr_stacks_init(&stacks, jfr_reader_chunk(r), &ev.type->fields[1]), 0);
        at = jfr_pool_find(stacks.traces, cur_varint(&c));
        assert_true(at >= 0);
        assert_int_equal(jfr_stacks_open(&stacks, (size_t)at, &frames), 0);
        assert_int_equal(jfr_frames_read(&frames, frame, 2), 2);
        assert_true(jfr_method_get(&stacks, frame[1].method_key, &m));
        assert_true(jfr_str_equals(m.name, "often"));
        n += frame[1].method_key < 128;
    }
    jfr_reader_close(r);
    free(f.bytes);
    return n;
}

static void a_method_that_comes_often_has_a_key_of_a_byte(void **state)
{
    (void)state;
    write_stacks(path("often.jfr"), 0);
    assert_int_equal(count_short(path("often.jfr")), 200 - 31);
    /* without room for a second one all stay with the first */
    write_stacks(path("fixed.jfr"), 1 << 20);
    assert_int_equal(count_short(path("fixed.jfr")), 200 - 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_there_from_their_first_use_on),
        cmocka_unit_test(a_method_that_comes_often_has_a_key_of_a_byte),
        cmocka_unit_test(a_type_that_is_declared_again_without_the_flag_is_used),
    };

    return cmocka_run_group_tests_name("writer: use", tests, make_dir, remove_dir);
}
