/* What a file says beside events: only types that are used, and methods that come often in a byte.
 */
#include "jfrfmt/reader.h"
#include "jfrfmt/writer_testing.h"

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

/* Which of these the file's newest metadata has: "Amount Late ". */
static void expect_types(const char *name, const char *expected)
{
    static const char *const all[] = {"test.Amount",      "test.Late",
                                      "test.Set",         "jdk.settings.Period",
                                      "jdk.types.Method", "jdk.jfr.DataAmount"};
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
    expect_types(name, "");
    put_setting(w, jfr_writer_type(w, "test.Set"));
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    expect_legal(name);
    expect_types(name, "Set Period ");
    jfr_event_begin(w, jfr_writer_type(w, "test.Late"), TICKS);
    jfr_put_long(w, 8);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_rotate(w, 0), 0);
    put_setting(w, jfr_writer_type(w, "jdk.ActiveSetting"));
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(name);
    expect_types(name, "Amount Late Set Period DataAmount ");
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
    expect_types(name, "Amount Late DataAmount ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_there_from_their_first_use_on),
        cmocka_unit_test(a_type_that_is_declared_again_without_the_flag_is_used),
    };

    return cmocka_run_group_tests_name("writer: use", tests, make_dir, remove_dir);
}
