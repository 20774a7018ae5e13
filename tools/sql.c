/*
 * sql.c - jfrkit sql: questions to recordings in SQL.
 *
 * Tells the query from the recordings, asks convert/sql, and prints what comes as a table. Without
 * a query it lists the tables. A recording is read twice: for the types of its events, and for the
 * columns that the query needs.
 */
#include "tools/cli/internal.h"
#include "tools/cli/nearest.h"
#include "tools/cli/run.h"
#include "tools/cli/select.h"
#include "tools/output/table.h"
#include "tools/verbs.h"

#ifdef HAS_SQLITE
#include "convert/sql/sql.h"
#include "jfrfmt/base/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_MEMORY "4G"
#define EXAMPLES_MOST 3
#define TABLES ".tables"
#define SCHEMA ".schema"

struct sql_verb_options {
    const char *query_file, *timeout, *max_memory;
};

struct args {
    struct sql_verb_options sql;
    struct cli_table_options table;
    struct cli_select_options select;
    struct cli_run_options run;
};

struct job {
    const struct args *args;
    struct sql *sql;
    struct table *result;
    size_t n_rows; /* of all results */
    const char *of_table; /* .schema is about; "": all */
};

#define AT(member) offsetof(struct sql_verb_options, member)

static const struct cli_option rows[] = {
    {0, "query-file", "FILE", "read the query from FILE; '-' is standard input", CLI_STRING,
     AT(query_file), .more = "Read the query from a file in place of an argument.",
     .example = "echo 'select count(*) from jdk_FileRead' | jfrkit sql --query-file - app.jfr"},
    {0, "timeout", "TIME", "end a query after TIME (30s)", CLI_STRING, AT(timeout), .def = "none",
     .more = "End the query with an error after this time (30s, 5m), which begins when the "
             "recording was read.",
     .example = "jfrkit sql --timeout 30s app.jfr \"select count(*) from jdk_FileRead\""},
    {0, "max-memory", "SIZE", "fail if a query needs more memory (4G)", CLI_STRING, AT(max_memory),
     .def = DEFAULT_MEMORY,
     .more = "Fail where the columns of a query, or SQLite's own work, need more memory than this.",
     .example = "jfrkit sql --max-memory 500M app.jfr \"select count(*) from jdk_FileRead\""},
};

static const struct cli_set own = CLI_SET(NULL, rows, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, sql)},
    {&cli_table_set, offsetof(struct args, table), .without = "sort limit"},
    {&cli_select_set, offsetof(struct args, select)},
    {&cli_run_set, offsetof(struct args, run), .without = "jobs max-memory each per"},
    {&cli_fit_set, offsetof(struct args, table)},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit sql",
    .usage = "[options] recording ... [\"select ...\"]",
    .reads_recordings = true,
    .about = "Ask recordings in SQL. Each event type is a table: jdk_FileRead.",
    .tables = tables,
    .suffix = ".txt",
    .examples = "  jfrkit sql app.jfr # the tables, with examples\n"
                "  jfrkit sql app.jfr \"select path, count(*) from jdk_FileRead group by 1\"\n"
                "  jfrkit sql app.jfr .schema # all columns\n",
    .notes = "\n"
             "Columns have the names of fields (path, eventThread.javaName) and of contexts\n"
             "(context.user); beside them are thread, top_frame, stack, stack_id, recording.\n"
             "Functions: p50 p90 p95 p99 p999(x), percentile(x, p), bucket(startTime, '10s'),\n"
             "span_end(startTime, duration), during(t, startTime, duration), and SQLite's.\n",
};

/* --- messages --- */

/* The word behind "no such column: " or the like, and the nearest that there is. */
static const char *nearest_sql_name(const struct sql *s, const char *message)
{
    const char *word = strstr(message, "no such ");
    bool is_table;
    struct nearest near;

    if (word == NULL || strchr(word, ':') == NULL)
        return NULL;
    is_table = strncmp(word + 8, "table", 5) == 0;
    word = strchr(word, ':') + 2;
    if (!is_table && strncmp(word, "context.", 8) != 0 && strchr(word, '.') != NULL)
        word = strchr(word, '.') + 1; /* behind a table's name */
    near = nearest_to(word, strlen(word));
    for (size_t i = 0; i < sql_n_tables(s); i++) {
        const char *name, *type;
        bool is_hidden;

        if (is_table)
            nearest_add(&near, sql_table(s, i));
        for (size_t k = 0;
             !is_table && (name = sql_table_column(s, i, k, &is_hidden, &type)) != NULL; k++)
            nearest_add(&near, name);
    }
    return nearest_found(&near);
}

/* Of a query that was not understood. */
static int refuse_query(const struct sql *s, const struct jfr_error *err)
{
    const char *near = nearest_sql_name(s, err->text);

    if (err->code == JFR_E_NOMEM || err->code == JFR_E_LIMIT) {
        cli_error(&command, "%s", err->text);
        return EXIT_FAILED;
    }
    if (near != NULL)
        return cli_usage(&command, "%s (did you mean '%s'?)", err->text, near);
    return cli_usage(&command, "%s", err->text);
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

static void open_answer_table(struct job *job)
{
    job->result = table_new("");
    for (size_t i = 0; i < sql_n_columns(job->sql) && job->result != NULL; i++) {
        const char *name = cli_keep(strdup(sql_column_name(job->sql, i)));

        if (name != NULL)
            table_column(job->result, name, name, TABLE_ANY);
    }
}

/* Like an output that is too large: told here. */
static int stop_output(struct out *out, const struct jfr_error *err)
{
    cli_error(&command, "%s", err->text);
    out->rc = JFR_E_LIMIT;
    return JFR_E_LIMIT;
}

/* The answer to one query. */
static int answer_query(struct job *job, struct out *out)
{
    struct jfr_error err = {0};
    int rc;

    table_free(job->result);
    open_answer_table(job);
    if (job->result == NULL)
        return JFR_E_NOMEM;
    while ((rc = sql_step(job->sql, &err)) > 0)
        for (size_t i = 0; i < sql_n_columns(job->sql); i++)
            put_sql_value(job->result, sql_column(job->sql, i));
    job->n_rows += table_n_rows(job->result);
    return rc < 0 ? stop_output(out, &err)
                  : cli_table_write(&command, &job->args->table, job->result, out);
}

static int answer_queries(void *shared, struct out *out)
{
    struct job *job = shared;
    struct jfr_error err = {0};
    int rc = sql_ready(job->sql, &err);

    if (rc < 0)
        return stop_output(out, &err);
    rc = answer_query(job, out);
    while (rc == 0 && sql_next_query(job->sql)) {
        buf_byte(&out->b, '\n');
        rc = answer_query(job, out);
    }
    return rc;
}

static bool is_empty(const void *shared)
{
    const struct job *job = shared;

    return job->n_rows == 0;
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

static int open_database(struct job *job)
{
    struct jfr_error err = {0};
    int rc = sql_open(job->sql, &err);

    if (rc < 0)
        cli_error(&command, "%s", err.text);
    return rc;
}

static int write_tables(void *shared, struct out *out)
{
    struct job *job = shared;
    struct sql *s = job->sql;
    struct table *t = job->result = open_database(job) < 0 ? NULL : table_new("");

    if (t == NULL)
        return JFR_E_NOMEM;
    table_column(t, "table", "table", TABLE_TEXT);
    table_column(t, "rows", "rows", TABLE_COUNT);
    for (size_t i = 0; i < sql_n_tables(s); i++)
        if (sql_table_rows(s, i) > 0) {
            table_put_text(t, sql_table(s, i), strlen(sql_table(s, i)));
            table_put_int(t, (int64_t)sql_table_rows(s, i));
        }
    job->n_rows = table_n_rows(t);
    table_sort(t, 1, true);
    note_examples(s, t);
    return cli_table_write(&command, &job->args->table, t, out);
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
static int write_schema(void *shared, struct out *out)
{
    struct job *job = shared;
    struct sql *s = job->sql;
    struct table *t = job->result = open_database(job) < 0 ? NULL : table_new("");

    if (t == NULL)
        return JFR_E_NOMEM;
    table_column(t, "table", "table", TABLE_TEXT);
    table_column(t, "column", "column", TABLE_TEXT);
    table_column(t, "type", "type", TABLE_TEXT);
    table_column(t, "hidden", "", TABLE_TEXT);
    for (size_t i = 0; i < sql_n_tables(s); i++)
        if (*job->of_table == '\0' ? sql_table_rows(s, i) > 0
                                   : strcasecmp(sql_table(s, i), job->of_table) == 0)
            put_schema_rows(s, i, t);
    job->n_rows = table_n_rows(t);
    if (job->n_rows == 0 && *job->of_table != '\0')
        cli_error(&command, "no such table: %s", job->of_table);
    return cli_table_write(&command, &job->args->table, t, out);
}

/* Of ".schema TABLE": TABLE or "". NULL: the word is something else. */
static const char *schema_word(const char *word)
{
    size_t n = strlen(SCHEMA);

    if (strncmp(word, SCHEMA, n) != 0 || (word[n] != '\0' && word[n] != ' '))
        return NULL;
    return word + n + strspn(word + n, " ");
}

/* --- the run --- */

/* An argument is a query if it is no file and has a blank, or is a word with a dot in front. */
static bool is_query(const char *word)
{
    bool is_word = schema_word(word) != NULL || strcmp(word, TABLES) == 0;

    return (is_word || strpbrk(word, " \t\n") != NULL) && access(word, F_OK) != 0;
}

/* Takes the query off the operands. 0 or EXIT_USAGE. */
static int take_query(struct cli_list *operands, const char **query)
{
    size_t n = 0;

    for (size_t i = 0; i < operands->n; i++) {
        const char *word = operands->items[i];

        if (!is_query(word)) {
            operands->items[n++] = word;
        } else if (*query != NULL) {
            return cli_usage(&command, "more than one query: '%.40s' and '%.40s'", *query, word);
        } else {
            *query = cli_keep((char *)(uintptr_t)word);
        }
    }
    operands->n = n;
    return 0;
}

/* 0 or an exit code. */
static int read_query_file(const char *path, const char **query)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    struct buf text = {0};
    size_t n = 1;

    while (file != NULL && n > 0 && buf_reserve(&text, 4096)) {
        n = fread(text.p + text.n, 1, 4095, file);
        text.n += n;
    }
    buf_byte(&text, '\0');
    if (file == NULL || ferror(file) || !buf_ok(&text)) {
        cli_error(&command, "%s: %s", path, strerror(errno));
        buf_free(&text);
        return EXIT_FAILED;
    }
    if (file != stdin)
        fclose(file);
    *query = cli_keep((char *)text.p);
    return *query == NULL ? cli_no_memory(&command) : 0;
}

static int find_query(const struct args *args, struct cli_list *operands, const char **query)
{
    int rc = take_query(operands, query);

    if (rc != 0 || args->sql.query_file == NULL)
        return rc;
    if (*query != NULL)
        return cli_usage(&command, "--query-file and a query: give one of them");
    return read_query_file(args->sql.query_file, query);
}

static int read_query_limits(const struct args *args, struct sql_options *to)
{
    const char *memory = args->sql.max_memory == NULL ? DEFAULT_MEMORY : args->sql.max_memory;
    int64_t bytes, ns = 0;

    if (quantity_size(memory, &bytes) != QUANTITY_OK || bytes <= 0)
        return cli_usage(&command, "--max-memory: '%s' is no size such as 500M", memory);
    if (args->sql.timeout != NULL &&
        (quantity_time(args->sql.timeout, &ns) != QUANTITY_OK || ns <= 0))
        return cli_usage(&command, "--timeout: '%s' is no time such as 30s", args->sql.timeout);
    to->max_bytes = (size_t)bytes;
    to->timeout_s = (double)ns / 1e9;
    return 0;
}

/* Reads the types of the events. 0 or an exit code; what is damaged is told by the second run. */
static int read_types(struct job *job, const struct cli_list *files)
{
    const struct run_options run = {.paths = files->items, .n_paths = files->n};
    const struct run_job schema = sql_schema_job(job->sql);
    struct run_result result;
    struct jfr_error err = {0};
    const char *err_path = NULL;

    if (run_all(&run, &schema, NULL, &result, &err, &err_path) < 0) {
        cli_report_error(&command, err_path, &err);
        return EXIT_FAILED;
    }
    return open_database(job) < 0 ? EXIT_FAILED : 0;
}

static int prepare_query(struct job *job, const struct cli_list *files, const char *query,
                         struct cli_work *work, struct run_job *rows_job)
{
    struct jfr_error err = {0};
    int rc = read_types(job, files);

    if (rc != 0)
        return rc;
    if (sql_prepare(job->sql, query, &err) < 0)
        return refuse_query(job->sql, &err);
    *rows_job = sql_rows_job(job->sql);
    work->job = rows_job;
    work->end = answer_queries;
    return 0;
}

static int run_sql(struct args *args, const struct cli_list *files, const char *query,
                   struct select *select, struct sql_options *options)
{
    struct job job = {.args = args};
    struct jfr_error err = {0};
    struct run_job what;
    struct cli_work work = {
        .job = &what, .ctx = &job, .end = write_tables, .is_empty = is_empty, .select = select};
    int rc = 0;

    options->select = select;
    options->paths = files->items;
    job.sql = sql_new(options, &err);
    if (job.sql == NULL) {
        cli_error(&command, "%s", err.text);
        return EXIT_FAILED;
    }
    what = sql_schema_job(job.sql);
    if (query != NULL && (job.of_table = schema_word(query)) != NULL)
        work.end = write_schema;
    else if (query != NULL && strcmp(query, TABLES) != 0)
        rc = prepare_query(&job, files, query, &work, &what);
    if (rc == 0)
        rc = cli_run(&command, &args->run, files, &work);
    table_free(job.result);
    sql_free(job.sql);
    return rc;
}

int verb_sql(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    struct sql_options options = {0};
    struct select *select = NULL;
    const char *query = NULL;
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = cli_table_check(&command, &args.table);
    if (rc == 0)
        rc = find_query(&args, &files, &query);
    if (rc == 0)
        rc = read_query_limits(&args, &options);
    if (rc == 0 && !select_can_look_ahead(files.items, files.n))
        rc = cli_usage(&command, "name files: a recording is read more than once");
    args.select.all_keys = true;
    if (rc == 0)
        rc = cli_select(&command, &args.select, &files, &select);
    if (rc == 0)
        rc = run_sql(&args, &files, query, select, &options);
    select_free(select);
    cli_free(&command, &args, &files);
    return rc;
}

#else

int verb_sql(int argc, char **argv)
{
    static const struct cli_command without = {.name = "jfrkit sql"};

    (void)argc, (void)argv;
    cli_error(&without, "built without SQLite: install libsqlite3-dev and build again");
    return EXIT_FAILED;
}
#endif
