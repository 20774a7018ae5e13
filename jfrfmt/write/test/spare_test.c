/* Fields that get their names while a recording runs: contexts that a program defines late. */
#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/writer_testing.h"

#define TICKS INT64_C(1000)

static const struct jfr_field_def own[] = {{"bytes", "long"}};
static const struct jfr_type_def read_type = {
    "test.Read",   JFR_TYPE_EVENT, .flags = JFR_HAS_DURATION,
    .fields = own, .n_fields = 1,  .n_spare = 3,
};
static const struct jfr_field_def names[] = {
    {"ctx_user", "java.lang.String", "User"},
    {"ctx_action", "java.lang.String", "Action"},
    {"ctx_trace", "java.lang.String"},
    {"ctx_more", "java.lang.String"},
};

static void put(struct jfr_writer *w, int64_t type, int64_t bytes, const char *user)
{
    jfr_event_begin(w, type, TICKS);
    jfr_put_long(w, 0);
    jfr_put_long(w, bytes);
    if (user != NULL)
        jfr_put_string_key(w, jfr_writer_string(w, user, strlen(user)));
    assert_int_equal(jfr_event_end(w), 0);
}

static struct jfr_writer *open_spare(const char *name, int64_t *type)
{
    struct jfr_writer_options options = {.start_ticks = 1, .replace = true, .seed = 7};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(name, &options, &err);

    assert_non_null(w);
    *type = jfr_writer_declare(w, &read_type, 1);
    assert_true(*type > 0);
    return w;
}

/* "bytes:user:action ", with - for null and nothing where a field is not there. */
static void describe(const char *name, char *out, size_t room)
{
    struct file f = read_file(name);
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(f.bytes, f.n, &err);
    struct jfr_reader *r = jfr_reader_open_source_take(src, &err);
    struct jfr_event ev;
    size_t n = 0;

    out[0] = '\0';
    while (jfr_reader_next(r, &ev) > 0) {
        struct cursor c = ev.body;

        cur_varint(&c);
        cur_varint(&c);
        n += (size_t)snprintf(out + n, room - n, "%llu", (unsigned long long)cur_varint(&c));
        for (size_t i = 3; i < ev.type->n_fields; i++) {
            struct jfr_str s = jfr_chunk_resolve(jfr_reader_chunk(r), jfr_str_read(&c));

            n += (size_t)snprintf(out + n, room - n, ":%.*s", jfr_str_is_null(s) ? 1 : (int)s.n,
                                  jfr_str_is_null(s) ? "-" : (const char *)s.p);
        }
        assert_true(cur_ok(&c));
        n += (size_t)snprintf(out + n, room - n, " ");
    }
    assert_null(jfr_reader_error(r)->text[0] != '\0' ? jfr_reader_error(r)->text : NULL);
    jfr_reader_close(r);
    free(f.bytes);
}

static void a_late_field_is_null_in_what_came_before(void **state)
{
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_spare(path("late.jfr"), &type);
    char seen[200];

    (void)state;
    put(w, type, 1, NULL);
    assert_int_equal(jfr_writer_flush(w, 2 * TICKS), 0);
    expect_legal(path("late.jfr"));
    describe(path("late.jfr"), seen, sizeof(seen));
    assert_string_equal(seen, "1 ");
    put(w, type, 2, NULL);
    assert_int_equal(jfr_writer_extend(w, type, names, 2), 0);
    put(w, type, 3, "alice");
    assert_int_equal(jfr_writer_flush(w, 3 * TICKS), 0);
    expect_legal(path("late.jfr"));
    describe(path("late.jfr"), seen, sizeof(seen));
    assert_string_equal(seen, "1:-:- 2:-:- 3:alice:- ");
    assert_int_equal(jfr_writer_rotate(w, 4 * TICKS), 0);
    put(w, type, 4, "bob");
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(path("late.jfr"));
    describe(path("late.jfr"), seen, sizeof(seen));
    assert_string_equal(seen, "1:-:- 2:-:- 3:alice:- 4:bob:- ");
}

static void names_have_rules(void **state)
{
    const struct jfr_field_def twice[] = {names[0], names[0]};
    const struct jfr_field_def number[] = {{"ctx_n", "long"}};
    const struct jfr_field_def pooled[] = {{"ctx_s", "java.lang.String", .flags = JFR_POOLED}};
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_spare(path("rules.jfr"), &type);

    (void)state;
    assert_true(jfr_writer_extend(w, type, names, 4) < 0); /* there are three */
    assert_true(jfr_writer_extend(w, type, twice, 2) < 0);
    assert_true(jfr_writer_extend(w, type, number, 1) < 0);
    assert_true(jfr_writer_extend(w, type, pooled, 1) < 0);
    assert_true(jfr_writer_extend(w, type + 1, names, 1) < 0);
    assert_true(jfr_writer_extend(w, type, own, 1) < 0);
    assert_int_equal(jfr_writer_extend(w, type, names, 1), 0);
    assert_int_equal(jfr_writer_extend(w, type, names + 1, 2), 0);
    assert_true(jfr_writer_extend(w, type, names + 3, 1) < 0);
    put(w, type, 1, "alice");
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(path("rules.jfr"));
}

static void an_event_that_is_repeated_has_no_spare_fields(void **state)
{
    struct jfr_error err = {0};
    struct jfr_writer_stats stats;
    int64_t type;
    struct jfr_writer *w = open_spare(path("repeated.jfr"), &type);

    (void)state;
    jfr_event_begin(w, type, TICKS);
    jfr_put_long(w, 0);
    jfr_put_long(w, 5);
    assert_true(jfr_event_end_repeated(w) < 0);
    jfr_writer_stats(w, &stats);
    assert_int_equal(stats.n_refused, 1);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static uint64_t written(const struct jfr_writer *w)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(w, &stats);
    return stats.n_bytes;
}

static void the_room_goes_with_the_first_chunk(void **state)
{
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_spare(path("seal.jfr"), &type);
    uint64_t first, before;

    (void)state;
    assert_int_equal(jfr_writer_flush(w, 2 * TICKS), 0);
    assert_int_equal(jfr_writer_extend(w, type, names, 1), 0);
    before = written(w);
    put(w, type, 5, NULL);
    assert_int_equal(jfr_writer_flush(w, 3 * TICKS), 0);
    first = written(w) - before;
    assert_int_equal(jfr_writer_rotate(w, 4 * TICKS), 0);
    assert_true(jfr_writer_extend(w, type, names + 1, 1) < 0);
    put(w, type, 6, NULL); /* the chunk's own constants come first */
    assert_int_equal(jfr_writer_flush(w, 5 * TICKS), 0);
    before = written(w);
    put(w, type, 7, NULL);
    assert_int_equal(jfr_writer_flush(w, 6 * TICKS), 0);
    assert_int_equal(written(w) - before, first - 2); /* ctx_user stays, two more were not named */
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect_legal(path("seal.jfr"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_field_is_null_in_what_came_before),
        cmocka_unit_test(names_have_rules),
        cmocka_unit_test(the_room_goes_with_the_first_chunk),
        cmocka_unit_test(an_event_that_is_repeated_has_no_spare_fields),
    };

    return cmocka_run_group_tests_name("writer: spare", tests, make_dir, remove_dir);
}
