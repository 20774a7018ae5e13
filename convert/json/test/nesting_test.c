/* nesting_test --write FILE N writes a recording in which an object is held through N others, as
 * jdk.OldObjectSample reports it. Without arguments it tests how such chains are printed. */
#include "convert/json/csv_columns.h"
#include "convert/json/json.h"

#include "convert/driver/run.h"
#include "convert/select/select.h"
#include "convert/text/out.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/write/writer.h"

#include <stdlib.h>
#include <unistd.h>

static const struct jfr_field_def object_fields[] = {
    {"address", "long", .unit = JFR_UNIT_NONE},
    {"description", "java.lang.String"},
    {"referrer", "jdk.types.Reference", .flags = JFR_POOLED},
};
static const struct jfr_field_def reference_fields[] = {
    {"skip", "int"},
    {"object", "jdk.types.OldObject", .flags = JFR_POOLED},
};
static const struct jfr_field_def sample_fields[] = {
    {"object", "jdk.types.OldObject", .flags = JFR_POOLED},
    {"arrayElements", "int"},
};
static const struct jfr_field_def pair_fields[] = {
    {"first", "jdk.types.OldObject", .flags = JFR_POOLED},
    {"second", "jdk.types.OldObject", .flags = JFR_POOLED},
};
static const struct jfr_type_def types[] = {
    {"jdk.types.OldObject", JFR_TYPE_VALUE, .fields = object_fields, .n_fields = 3},
    {"jdk.types.Reference", JFR_TYPE_VALUE, .fields = reference_fields, .n_fields = 2},
    {"jdk.OldObjectSample", JFR_TYPE_EVENT, .fields = sample_fields, .n_fields = 2},
    {"Pair", JFR_TYPE_EVENT, .fields = pair_fields, .n_fields = 2},
};

/* The key of an object at `address` that is held through n others. */
static uint64_t put_chain(struct jfr_writer *w, unsigned n, unsigned address)
{
    uint64_t object = 0;

    for (unsigned i = n + 1; i-- > 0;) { /* the last holder has no referrer */
        uint8_t bytes[64];
        struct buf b = buf_fixed(bytes, sizeof(bytes));
        uint64_t reference = 0;

        if (object != 0) {
            buf_varint(&b, 0);
            buf_varint(&b, object);
            reference = jfr_writer_intern(w, jfr_writer_type(w, "jdk.types.Reference"), bytes, b.n);
            buf_reset(&b);
        }
        buf_varint(&b, address + i);
        buf_byte(&b, JFR_STR_NULL);
        buf_varint(&b, reference);
        object = jfr_writer_intern(w, jfr_writer_type(w, "jdk.types.OldObject"), bytes, b.n);
    }
    return object;
}

static struct jfr_writer *open_writer(const char *path)
{
    struct jfr_writer_options options = {.start_ticks = 1, .replace = true, .seed = 7};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, &options, &err);

    return w == NULL || jfr_writer_declare(w, types, 4) < 0 ? NULL : w;
}

static bool write_chain(const char *path, unsigned n)
{
    struct jfr_writer *w = open_writer(path);
    struct jfr_error err = {0};
    uint64_t object = w == NULL ? 0 : put_chain(w, n, 0x1000);

    if (w == NULL)
        return false;
    jfr_event_begin(w, jfr_writer_type(w, "jdk.OldObjectSample"), 1);
    jfr_put_key(w, object);
    jfr_put_int(w, -1);
    return jfr_event_end(w) == 0 && jfr_writer_close(w, &err) == 0;
}

static int drain(struct out *o)
{
    struct buf *all = o->ctx;

    buf_bytes(all, o->b.p, o->b.n);
    buf_reset(&o->b);
    return 0;
}

static void count_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    (void)path;
    assert_non_null(strstr(err->text, "values are nested too deeply, see --nesting"));
    ++*(unsigned *)ctx;
}

/* How often `word` is in the text that a layout makes of a chain. */
static size_t count_in(unsigned n, const char *layout, size_t nesting, const char *word)
{
    char path[] = "/tmp/nesting-XXXXXX";
    const char *paths[] = {path}, *err_path;
    struct json_options opt = json_options_default(layout);
    struct jfr_error err = {0};
    struct select *s = select_new(&(struct select_spec){0}, &err);
    struct buf all = {0};
    struct out out = {.drain = drain, .ctx = &all};
    unsigned n_damages = 0;
    const struct run_options run = {
        .paths = paths, .n_paths = 1, .on_damage = count_damage, .ctx = &n_damages};
    struct run_result result;
    struct run_job job;
    struct json *j;
    size_t found = 0;

    close(mkstemp(path));
    assert_true(write_chain(path, n));
    opt.style.nesting = nesting;
    j = json_new(&opt, s, &err);
    job = json_job(j);
    assert_int_equal(json_begin(j, &out), 0);
    assert_int_equal(run_all(&run, &job, &out, &result, &err, &err_path), 0);
    assert_int_equal(json_end(j, &out), 0);
    drain(&out);
    buf_byte(&all, 0);
    assert_true(buf_ok(&all));
    for (char *p = (char *)all.p; (p = strstr(p, word)) != NULL; p += strlen(word))
        found++;
    assert_int_equal(n_damages, nesting < 2 * n);
    json_free(j);
    select_free(s);
    buf_free(&all);
    buf_free(&out.b);
    unlink(path);
    return found;
}

static void a_long_chain_is_whole(void **state)
{
    (void)state;
    assert_int_equal(count_in(300, "jdk", 2000, "\"address\""), 301);
    assert_int_equal(count_in(300, "ndjson", 2000, "\"address\""), 301);
    assert_int_equal(count_in(300, "jdk", 2000, "nested too deeply"), 0);
}

static void what_is_left_out_is_marked(void **state)
{
    (void)state;
    assert_int_equal(count_in(300, "jdk", 200, "\"address\""), 100);
    assert_int_equal(count_in(300, "jdk", 200, "\"[nested too deeply]\""), 1);
    assert_int_equal(count_in(300, "ndjson", 201, "\"address\""), 101);
    assert_int_equal(count_in(300, "ndjson", 201, "\"[nested too deeply]\""), 1);
}

static void write_pair(struct jfr_writer *w, uint64_t first, uint64_t second)
{
    jfr_event_begin(w, jfr_writer_type(w, "Pair"), 1);
    jfr_put_key(w, first);
    jfr_put_key(w, second);
    assert_int_equal(jfr_event_end(w), 0);
}

/* CSV keeps the cells of constants, but not of those that it could not read: also where another
 * value of the event was bad before. */
static void each_event_with_a_bad_constant_is_reported(void **state)
{
    char path[] = "/tmp/nesting-XXXXXX";
    const char *paths[] = {path}, *err_path;
    struct json_options opt = json_options_default("csv");
    struct csv_columns columns = {0};
    struct jfr_error err = {0};
    struct select *s = select_new(&(struct select_spec){0}, &err);
    struct buf all = {0};
    struct out out = {.drain = drain, .ctx = &all};
    unsigned n_damages = 0;
    const struct run_options run = {
        .paths = paths, .n_paths = 1, .on_damage = count_damage, .ctx = &n_damages};
    struct run_result result;
    struct jfr_writer *w;
    uint64_t deep, other, flat;
    struct run_job job;
    struct json *j;

    (void)state;
    close(mkstemp(path));
    w = open_writer(path);
    assert_non_null(w);
    deep = put_chain(w, 30, 0x1000);
    other = put_chain(w, 30, 0x2000);
    flat = put_chain(w, 0, 0x3000);
    write_pair(w, deep, other);
    write_pair(w, flat, other);
    write_pair(w, other, flat);
    write_pair(w, flat, flat);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    assert_true(csv_columns_add(&columns, "first,second"));
    opt.csv = &columns;
    opt.style.nesting = 10;
    j = json_new(&opt, s, &err);
    job = json_job(j);
    assert_int_equal(json_begin(j, &out), 0);
    assert_int_equal(run_all(&run, &job, &out, &result, &err, &err_path), 0);
    assert_int_equal(json_end(j, &out), 0);
    assert_int_equal(n_damages, 3);
    json_free(j);
    select_free(s);
    csv_columns_free(&columns);
    buf_free(&all);
    buf_free(&out.b);
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_chain_is_whole),
        cmocka_unit_test(what_is_left_out_is_marked),
        cmocka_unit_test(each_event_with_a_bad_constant_is_reported),
    };

    if (argc == 4 && strcmp(argv[1], "--write") == 0)
        return write_chain(argv[2], (unsigned)atoi(argv[3])) ? 0 : 1;
    return cmocka_run_group_tests_name("nesting", tests, NULL, NULL);
}
