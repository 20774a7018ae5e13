#include "convert/report/summary.h"

#include "convert/test/summary_testing.h"
#include "jfrfmt/test/testing.h"

static const struct made_element types[] = {
    {0, "class", "name=long|id=11"},
    {0, "class", "name=java.lang.String|id=20"},
    {0, "class", "name=jdk.jfr.Label|superType=java.lang.annotation.Annotation|id=200"},
    {1, "field", "name=value|class=20"},
    {0, "class", "name=my.Event|superType=jdk.jfr.Event|id=100"},
    {1, "field", "name=startTime|class=11"},
    {1, "annotation", "class=200|value=Mine"},
    {0, "class", "name=my.Rare|superType=jdk.jfr.Event|id=101"},
    {1, "field", "name=startTime|class=11"},
    {0, "class", "name=my.Late|superType=jdk.jfr.Event|id=102"},
    {1, "field", "name=text|class=20"},
    {1, "field", "name=startTime|class=11"},
    {0, "class", "name=jdk.ActiveSetting|superType=jdk.jfr.Event|id=103"},
    {1, "field", "name=startTime|class=11"},
    {1, "field", "name=id|class=11"},
    {1, "field", "name=name|class=20"},
    {1, "field", "name=value|class=20"},
};

/* The same names under other ids. */
static const struct made_element other_ids[] = {
    {0, "class", "name=long|id=12"},
    {0, "class", "name=my.Rare|superType=jdk.jfr.Event|id=100"},
    {1, "field", "name=startTime|class=12"},
    {0, "class", "name=my.Event|superType=jdk.jfr.Event|id=101"},
    {1, "field", "name=startTime|class=12"},
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void put_setting(struct made *m, uint64_t type, const char *name, const char *value)
{
    struct buf b = {0};

    buf_varint(&b, 1);
    buf_varint(&b, type);
    made_string(&b, name);
    made_string(&b, value);
    made_event(m, 103, b.p, b.n);
    buf_free(&b);
}

static void first_chunk(struct buf *to)
{
    struct made m = {0};

    made_event(&m, 100, "\x80\x01", 2);
    made_event(&m, 100, "\x05", 1);
    made_event(&m, 100, "\x07", 1);
    made_event(&m, 101, "\x06", 1);
    made_event(&m, 102, "\x01\x02", 2); /* startTime behind a text */
    made_event(&m, 777, "\0", 1);
    put_setting(&m, 100, "period", "10 ms");
    put_setting(&m, 100, "enabled", "true");
    put_setting(&m, 100, "period", "20 ms");
    put_setting(&m, 102, "threshold", "1 s");
    made_chunk(to, &m, types, N(types), 0);
}

static void second_chunk(struct buf *to)
{
    struct made m = {0};

    made_event(&m, 101, "\x01", 1);
    made_event(&m, 100, "\x02", 1);
    made_chunk(to, &m, other_ids, N(other_ids), 3600);
}

/* Reads the bytes as one input into a summary. */
static struct summary *summarize(const struct buf *bytes, struct summary_options options,
                                 struct out *out)
{
    struct summary *s = summary_new(&options);
    struct run_job job = summary_job(s);
    struct run_result result;
    struct jfr_error err = {0};
    const char *err_path;
    char path[32];
    const char *paths[] = {path};
    struct run_options run = {.paths = paths, .n_paths = 1, .on_damage = summary_damaged, .ctx = s};

    made_file(bytes, path);
    assert_int_equal(run_all(&run, &job, NULL, &result, &err, &err_path), 0);
    assert_int_equal(summary_end(s, out), 0);
    assert_true(buf_ok(&out->b));
    buf_byte(&out->b, 0);
    unlink(path);
    return s;
}

static const struct summary_type *type(const struct summary *s, const char *name)
{
    for (size_t i = 0; i < s->n_types; i++)
        if (strcmp(s->types[i].name, name) == 0)
            return &s->types[i];
    fail_msg("no type %s", name);
    return NULL;
}

static void counts_bytes_and_times(void **state)
{
    struct buf b = {0};
    struct out out = made_out();
    struct summary *s;

    (void)state;
    first_chunk(&b);
    s = summarize(&b, (struct summary_options){0}, &out);
    assert_int_equal(type(s, "my.Event")->n, 3);
    assert_int_equal(type(s, "my.Event")->bytes, 7 + 6 + 6);
    assert_int_equal(type(s, "my.Event")->first_ns, INT64_C(1700000000000000005));
    assert_int_equal(type(s, "my.Event")->last_ns, INT64_C(1700000000000000128));
    assert_string_equal(type(s, "my.Event")->label, "Mine");
    assert_int_equal(type(s, "my.Late")->first_ns, INT64_C(1700000000000000002));
    assert_int_equal(type(s, "777 (missing event metadata)")->n, 1);
    assert_false(type(s, "777 (missing event metadata)")->is_declared);
    assert_int_equal(type(s, "jdk.Metadata")->n, 1);
    assert_int_equal(s->events, 10);
    assert_int_equal(s->first_ns, INT64_C(1700000000000000001));
    assert_int_equal(s->bytes, b.n);
    assert_int_equal(s->span_ns, INT64_C(10000000000));
    summary_free(s);
    out_free(&out);
    buf_free(&b);
}

static void later_settings_replace_earlier_ones(void **state)
{
    struct buf b = {0};
    struct out out = made_out();
    const struct summary_setting *t;
    struct summary *s;
    size_t n;

    (void)state;
    first_chunk(&b);
    s = summarize(&b, (struct summary_options){0}, &out);
    t = summary_settings_of(s, "my.Event", &n);
    assert_int_equal(n, 2);
    assert_string_equal(t[1].name, "period");
    assert_string_equal(t[1].value, "20 ms");
    assert_non_null(strstr((char *)out.b.p, "period=20 ms"));
    assert_null(strstr((char *)out.b.p, "10 ms"));
    assert_null(strstr((char *)out.b.p, "enabled"));
    summary_settings_of(s, "my.Rare", &n);
    assert_int_equal(n, 0);
    summary_free(s);
    out_free(&out);
    buf_free(&b);
}

static void types_are_merged_by_name_and_for_a_jdk_by_id(void **state)
{
    struct buf b = {0};
    struct out out = made_out(), compat = made_out();
    struct summary *s;

    (void)state;
    first_chunk(&b);
    second_chunk(&b);
    s = summarize(&b, (struct summary_options){0}, &out);
    assert_int_equal(type(s, "my.Event")->n, 4);
    assert_int_equal(type(s, "my.Rare")->n, 2);
    assert_int_equal(type(s, "my.Event")->last_ns, INT64_C(1700003600000000001));
    summary_free(s);
    s = summarize(&b, (struct summary_options){.compat = 25}, &compat);
    assert_int_equal(type(s, "my.Event")->n, 4);
    assert_int_equal(type(s, "my.Event")->last_ns, INT64_C(1700003600000000002));
    summary_free(s);
    out_free(&out);
    out_free(&compat);
    buf_free(&b);
}

static void compat_bytes(void **state)
{
    static const char want[] = "\n Version: 2.1\n"
                               " Chunks: 1\n"
                               " Start: 2023-11-14 22:13:20 (UTC)\n"
                               " Duration: 10 s\n"
                               "\n"
                               " Event Type            Count  Size (bytes) \n"
                               "===========================================\n"
                               " jdk.ActiveSetting         4            89\n"
                               " my.Event                  3            19\n"
                               " 777 (missing event metadata)         1             7\n"
                               " jdk.Metadata              1           415\n"
                               " my.Late                   1             7\n"
                               " my.Rare                   1             6\n"
                               " jdk.Checkpoint            0             0\n";
    struct buf b = {0};
    struct out out = made_out();

    (void)state;
    first_chunk(&b);
    summary_free(summarize(&b, (struct summary_options){.compat = 25}, &out));
    assert_string_equal((char *)out.b.p, want);
    out_free(&out);
    buf_free(&b);
}

static void damage_stands_in_the_summary(void **state)
{
    struct buf b = {0};
    struct out out = made_out();
    struct summary *s;

    (void)state;
    first_chunk(&b);
    second_chunk(&b);
    b.n -= 3;
    s = summarize(&b, (struct summary_options){.chunks = true}, &out);
    assert_int_equal(s->n_damages, 1);
    assert_int_equal(type(s, "my.Event")->n, 4);
    assert_non_null(strstr((char *)out.b.p, "Chunks: 2 (1 incomplete)"));
    assert_non_null(strstr((char *)out.b.p, " Damage: chunk 2, offset "));
    assert_non_null(strstr((char *)out.b.p, " damaged "));
    summary_free(s);
    out_free(&out);
    buf_free(&b);
}

static void names_do_not_reach_the_terminal(void **state)
{
    static const struct made_element hostile[] = {
        {0, "class", "name=long|id=11"},
        {0, "class", "name=a\x1b[31m\xe2\x80\xae\xff\nb|superType=jdk.jfr.Event|id=100"},
        {1, "field", "name=startTime|class=11"},
    };
    struct made m = {0};
    struct buf b = {0};
    struct out out = made_out();

    (void)state;
    made_event(&m, 100, "\x01", 1);
    made_chunk(&b, &m, hostile, N(hostile), 0);
    summary_free(summarize(&b, (struct summary_options){0}, &out));
    assert_non_null(strstr((char *)out.b.p, " a\\u001b[31m\\u202e\xef\xbf\xbd\\u000ab "));
    out_free(&out);
    buf_free(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_bytes_and_times),
        cmocka_unit_test(later_settings_replace_earlier_ones),
        cmocka_unit_test(types_are_merged_by_name_and_for_a_jdk_by_id),
        cmocka_unit_test(compat_bytes),
        cmocka_unit_test(damage_stands_in_the_summary),
        cmocka_unit_test(names_do_not_reach_the_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
