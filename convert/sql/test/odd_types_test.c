/*
 * odd_types_test.c - tables of types that no JVM has: a field of two types in two recordings, a
 * name that SQLite keeps for itself, a type without fields, and one with too many.
 */
#include "jfrfmt/test/testing.h"

#include "convert/sql/sql.h"
#include "jfrfmt/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/odd_types_XXXXXX";
static char paths[2][64];

static void write_event(struct jfr_writer *w, const struct jfr_type_def *type, int number)
{
    int64_t id = jfr_writer_declare(w, type, 1);

    if (id <= 0)
        fail_msg("%s", jfr_writer_error(w)->text);
    jfr_event_begin(w, id, jfr_writer_now());
    for (size_t i = 0; i < type->n_fields; i++)
        if (strcmp(type->fields[i].type, "long") == 0)
            jfr_put_long(w, number + (int64_t)i);
        else
            jfr_put_string(w, number == 1 ? "one" : "two");
    assert_int_equal(jfr_event_end(w), 0);
}

/* In the second recording `value` is a text. */
static void write_recording(int number)
{
    const struct jfr_field_def value[] = {{"value", number == 1 ? "long" : "java.lang.String"},
                                          {"number", "long"}};
    const struct jfr_type_def two = {"sqlite.Two", JFR_TYPE_EVENT, .fields = value, .n_fields = 2};
    const struct jfr_type_def none = {"None", JFR_TYPE_EVENT};
    struct jfr_error err = {0};
    struct jfr_writer *w;

    snprintf(paths[number - 1], sizeof(paths[0]), "%s/%d.jfr", folder, number);
    w = jfr_writer_open(paths[number - 1], NULL, &err);
    assert_non_null(w);
    write_event(w, &two, number);
    write_event(w, &none, number);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static int write_both(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    write_recording(1);
    write_recording(2);
    return 0;
}

static int remove_both(void **state)
{
    (void)state;
    return unlink(paths[0]) | unlink(paths[1]) | rmdir(folder);
}

static void run(const struct run_job *job, const char *const *inputs, size_t n)
{
    const struct run_options options = {.paths = inputs, .n_paths = n};
    struct run_result result;
    struct jfr_error err = {0};
    const char *path = NULL;

    assert_int_equal(run_all(&options, job, NULL, &result, &err, &path), 0);
}

/* What a query answers: values with blanks between them, rows with semicolons. */
static void expect_answer(const char *const *inputs, size_t n, const char *query, const char *want)
{
    const struct select_spec spec = {.all_keys = true};
    struct jfr_error err = {0};
    struct select *select = select_new(&spec, &err);
    const struct sql_options options = {.select = select, .paths = inputs};
    struct sql *s = sql_new(&options, &err);
    struct buf b = {0};
    struct run_job job;

    if (s == NULL) { /* the library is not there */
        select_free(select);
        skip();
    }
    job = sql_schema_job(s);
    run(&job, inputs, n);
    assert_int_equal(sql_open(s, &err), 0);
    if (sql_prepare(s, query, &err) != 0)
        fail_msg("%s", err.text);
    job = sql_rows_job(s);
    run(&job, inputs, n);
    assert_int_equal(sql_ready(s, &err), 0);
    while (sql_step(s, &err) > 0) {
        buf_str(&b, b.n > 0 ? "; " : "");
        for (size_t i = 0; i < sql_n_columns(s); i++) {
            struct sql_value v = sql_column(s, i);

            buf_str(&b, i > 0 ? " " : "");
            if (v.kind == SQL_INTEGER)
                buf_printf(&b, "%lld", (long long)v.i);
            else if (v.kind == SQL_TEXT)
                buf_bytes(&b, v.p, v.n);
            else
                buf_str(&b, "-");
        }
    }
    buf_byte(&b, '\0');
    if (err.code != 0)
        fail_msg("%s", err.text);
    assert_string_equal((const char *)b.p, want);
    buf_free(&b);
    sql_free(s);
    select_free(select);
}

static void both_types_of_a_field(void **state)
{
    const char *const inputs[] = {paths[0], paths[1]};
    const char *const backwards[] = {paths[1], paths[0]};

    (void)state;
    expect_answer(inputs, 2, "select number, value, value_text from _sqlite_Two order by 1",
                  "2 1 -; 3 - two");
    expect_answer(inputs, 2, "select value_text from _sqlite_Two order by 1", "-; two");
    expect_answer(inputs, 2, "select value from _sqlite_Two order by 1", "-; 1");
    expect_answer(backwards, 2, "select value, value_int64 from _sqlite_Two order by 1",
                  "- 1; two -");
    expect_answer(backwards, 2, "select value_int64 from _sqlite_Two order by 1", "-; 1");
}

static void a_type_without_fields(void **state)
{
    const char *const inputs[] = {paths[0], paths[1]};

    (void)state;
    expect_answer(inputs, 2, "select count(*) from None", "2");
    expect_answer(inputs, 2, "select count(*), sum(number) from _sqlite_Two", "2 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_types_of_a_field),
        cmocka_unit_test(a_type_without_fields),
    };

    return cmocka_run_group_tests(tests, write_both, remove_both);
}
