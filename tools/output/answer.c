/*
 * answer.c - answers of SQL as tables, the list of tables and columns, and the name that was
 * perhaps meant.
 */
#include "tools/output/answer.h"

#include "tools/cli/internal.h"
#include "tools/cli/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXAMPLES_MOST 3

#define SCHEMA ".schema"

/* The word after "no such column: " or the like, and the nearest that there is. */
const char *answer_nearest(const struct sql *s, const char *message)
{
    const char *word = strstr(message, "no such ");
    bool is_table;
    struct nearest near;

    if (word == NULL || strchr(word, ':') == NULL)
        return NULL;
    is_table = strncmp(word + 8, "table", 5) == 0;
    word = strchr(word, ':') + 2;
    if (!is_table && strncmp(word, "context.", 8) != 0 && strchr(word, '.') != NULL)
        word = strchr(word, '.') + 1; /* after a table's name */
    near = nearest_to(word, strlen(word));
    for (size_t i = 0; i < sql_n_tables(s); i++) {
        const char *name, *type;
        bool is_hidden;

        if (is_table && strcmp(sql_table(s, i), word) != 0)
            nearest_add(&near, sql_table(s, i));
        for (size_t k = 0;
             !is_table && (name = sql_table_column(s, i, k, &is_hidden, &type)) != NULL; k++)
            if (strcmp(name, word) != 0) /* of another table */
                nearest_add(&near, name);
    }
    return nearest_found(&near);
}

/* --- a result --- */

/* People see at least one decimal place and six digits, programs all. */
static void put_real_value(struct table *t, double d)
{
    bool is_plain = d == 0 || (fabs(d) >= 1e-4 && fabs(d) < 1e15);
    int whole = d == 0 || !is_plain ? 1 : (int)floor(log10(fabs(d))) + 1;
    char text[64];
    int n = snprintf(text, sizeof(text), is_plain ? "%.*f" : "%.*g", whole < 5 ? 6 - whole : 1, d);

    while (is_plain && n > 3 && text[n - 1] == '0' && text[n - 2] != '.')
        n--;
    table_put_shown(t, true, 0, d, text, (size_t)n);
}

static void put_sql_value(struct table *t, struct sql_value v)
{
    char hex[64];
    size_t n;

    switch (v.kind) {
    case SQL_INTEGER:
        table_put_int(t, v.i);
        break;
    case SQL_REAL:
        put_real_value(t, v.d);
        break;
    case SQL_TEXT:
        table_put_text(t, v.p, v.n);
        break;
    case SQL_BLOB:
        n = v.n < sizeof(hex) / 2 ? v.n : sizeof(hex) / 2 - 1;
        for (size_t i = 0; i < n; i++)
            snprintf(hex + 2 * i, 3, "%02x", (unsigned char)v.p[i]);
        table_put_text(t, hex, 2 * n);
        break;
    default:
        table_put_none(t);
    }
}

static void open_answer_table(struct answer *a)
{
    a->result = table_new("");
    for (size_t i = 0; i < sql_n_columns(a->sql) && a->result != NULL; i++) {
        const char *name = cli_keep(strdup(sql_column_name(a->sql, i)));

        if (name != NULL)
            table_column(a->result, name, name, TABLE_ANY);
    }
}

/* Reports an error here, as for an output that is too large. */
static int stop_output(const struct answer *a, struct out *out, const struct jfr_error *err)
{
    cli_error(a->command, "%s", err->text);
    out->rc = JFR_E_LIMIT;
    return JFR_E_LIMIT;
}

/* The answer to one query. */
static int answer_query(struct answer *a, struct out *out)
{
    struct jfr_error err = {0};
    int rc;

    table_free(a->result);
    open_answer_table(a);
    if (a->result == NULL)
        return JFR_E_NOMEM;
    while ((rc = sql_step(a->sql, &err)) > 0)
        for (size_t i = 0; i < sql_n_columns(a->sql); i++)
            put_sql_value(a->result, sql_column(a->sql, i));
    a->n_rows += table_n_rows(a->result);
    return rc < 0 ? stop_output(a, out, &err)
                  : cli_table_write(a->command, a->options, a->result, out);
}

int answer_queries(void *shared, struct out *out)
{
    struct answer *a = shared;
    int rc = answer_query(a, out);

    while (rc == 0 && sql_next_query(a->sql)) {
        buf_byte(&out->b, '\n');
        rc = answer_query(a, out);
    }
    return rc;
}

bool answer_is_empty(const void *shared)
{
    const struct answer *a = shared;

    return a->n_rows == 0;
}

/* --- without a query: tables --- */

static const struct {
    const char *table, *column, *query;
} examples[] = {
    {"jdk_ExecutionSample", "top_frame",
     "select top_frame, count(*) from jdk_ExecutionSample group by 1 order by 2 desc limit 10"},
    {"jdk_CPUTimeSample", "top_frame",
     "select top_frame, count(*) from jdk_CPUTimeSample group by 1 order by 2 desc limit 10"},
    {"jdk_ExecutionSample", "context.user",
     "select context.user, count(*) from jdk_ExecutionSample group by 1 order by 2 desc"},
    {"jdk_FileRead", "path",
     "select path, sum(bytesRead), p99(duration) from jdk_FileRead group by 1 order by 2 desc limit 10"},
    {"jdk_GarbageCollection", "sumOfPauses",
     "select name, count(*), p50(sumOfPauses), max(sumOfPauses) from jdk_GarbageCollection group by 1"},
    {"jdk_ObjectAllocationSample", "weight",
     "select objectClass.name, sum(weight) from jdk_ObjectAllocationSample group by 1 order by 2 desc limit 10"},
    {"jdk_JavaMonitorEnter", "duration",
     "select monitorClass.name, count(*), sum(duration) from jdk_JavaMonitorEnter group by 1 order by 3 desc"},
    {"jdk_ThreadPark", "duration",
     "select thread, count(*), sum(duration) from jdk_ThreadPark group by 1 order by 3 desc limit 10"},
    {"jdk_CPULoad", "jvmUser",
     "select bucket(startTime, '10s'), avg(jvmUser) from jdk_CPULoad group by 1"},
};

static bool has_column(const struct sql *s, size_t table, const char *column)
{
    const char *name, *type;
    bool is_hidden;

    for (size_t i = 0; (name = sql_table_column(s, table, i, &is_hidden, &type)) != NULL; i++)
        if (strcmp(name, column) == 0)
            return true;
    return false;
}

static bool fits_recording(const struct sql *s, size_t example)
{
    for (size_t i = 0; i < sql_n_tables(s); i++)
        if (strcmp(sql_table(s, i), examples[example].table) == 0)
            return sql_table_rows(s, i) > 0 && has_column(s, i, examples[example].column);
    return false;
}

static void note_examples(const struct sql *s, struct table *t)
{
    unsigned n = 0;

    for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]) && n < EXAMPLES_MOST; i++)
        if (fits_recording(s, i)) {
            table_note(t, examples[i].query);
            n++;
        }
}

static int open_database(struct answer *a)
{
    struct jfr_error err = {0};
    int rc = sql_open(a->sql, &err);

    if (rc < 0)
        cli_error(a->command, "%s", err.text);
    return rc;
}

int answer_tables(void *shared, struct out *out)
{
    struct answer *a = shared;
    struct sql *s = a->sql;
    struct table *t = a->result = table_new("");

    if (t == NULL)
        return JFR_E_NOMEM;
    table_column(t, "table", "table", TABLE_TEXT);
    table_column(t, "rows", "rows", TABLE_COUNT);
    for (size_t i = 0; i < sql_n_tables(s); i++)
        if (sql_table_rows(s, i) > 0) {
            table_put_text(t, sql_table(s, i), strlen(sql_table(s, i)));
            table_put_int(t, (int64_t)sql_table_rows(s, i));
        }
    a->n_rows = table_n_rows(t);
    table_sort(t, 1, true);
    note_examples(s, t);
    return cli_table_write(a->command, a->options, t, out);
}

static void put_schema_rows(const struct sql *s, size_t table, struct table *t)
{
    const char *name, *type;
    bool is_hidden;

    for (size_t i = 0; (name = sql_table_column(s, table, i, &is_hidden, &type)) != NULL; i++) {
        table_put_text(t, sql_table(s, table), strlen(sql_table(s, table)));
        table_put_text(t, name, strlen(name));
        table_put_text(t, type, strlen(type));
        if (is_hidden)
            table_put_text(t, "hidden", 6);
        else
            table_put_none(t);
    }
}

/* The columns of a table, or of all. */
int answer_schema(void *shared, struct out *out)
{
    struct answer *a = shared;
    struct sql *s = a->sql;
    struct table *t = a->result = open_database(a) < 0 ? NULL : table_new("");

    if (t == NULL)
        return JFR_E_NOMEM;
    table_column(t, "table", "table", TABLE_TEXT);
    table_column(t, "column", "column", TABLE_TEXT);
    table_column(t, "type", "type", TABLE_TEXT);
    table_column(t, "hidden", "", TABLE_TEXT);
    for (size_t i = 0; i < sql_n_tables(s); i++)
        if (*a->of_table == '\0' ? sql_table_rows(s, i) > 0
                                 : strcasecmp(sql_table(s, i), a->of_table) == 0)
            put_schema_rows(s, i, t);
    a->n_rows = table_n_rows(t);
    if (a->n_rows == 0 && *a->of_table != '\0')
        cli_error(a->command, "no such table: %s", a->of_table);
    return cli_table_write(a->command, a->options, t, out);
}

/* Of ".schema TABLE": TABLE or "". NULL: the word is something else. */
const char *answer_schema_word(const char *word)
{
    size_t n = strlen(SCHEMA);

    if (strncmp(word, SCHEMA, n) != 0 || (word[n] != '\0' && word[n] != ' '))
        return NULL;
    return word + n + strspn(word + n, " ");
}
