/*
 * sql.c - jfrkit sql: questions to recordings in SQL.
 *
 * Tells the query from the recordings, asks convert/sql, and prints what comes as a table. Without
 * a query it lists the tables. A recording is read twice: for the types of its events, and for the
 * columns that the query needs.
 */
#include "tools/cli/internal.h"
#include "tools/cli/read_text.h"
#include "tools/cli/run.h"
#include "tools/cli/select.h"
#include "tools/output/answer.h"
#include "tools/sql_shell.h"
#include "tools/verbs.h"
#include "jfrfmt/base/quantity.h"

#include <string.h>
#include <unistd.h>

#define DEFAULT_MEMORY "4G"
#define TABLES ".tables"

struct sql_verb_options {
    const char *query_file, *timeout, *max_memory;
    bool is_interactive;
};

struct args {
    struct sql_verb_options sql;
    struct cli_table_options table;
    struct cli_select_options select;
    struct cli_run_options run;
};

#define AT(member) offsetof(struct sql_verb_options, member)

static const struct cli_option rows[] = {
    {'i', "interactive", NULL, "ask one query after the other", CLI_FLAG, AT(is_interactive),
     .more = "Read queries from the terminal, or from standard input, and answer each when its "
             "semicolon has come. Columns that were read stay in memory. With libedit (Debian: "
             "libedit2) lines can be edited, completed and recalled; they are kept in "
             "~/.jfrkit_sql_history.",
     .example = "echo 'select count(*) from jdk_FileRead;' | jfrkit sql -i app.jfr"},
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

#ifdef HAS_SQLITE
/* --- the run --- */

/* Of a query that was not understood. */
static int refuse_query(const struct sql *s, const struct jfr_error *err)
{
    const char *near = answer_nearest(s, err->text);

    if (err->code == JFR_E_NOMEM || err->code == JFR_E_LIMIT) {
        cli_error(&command, "%s", err->text);
        return EXIT_FAILED;
    }
    if (near != NULL)
        return cli_usage(&command, "%s (did you mean '%s'?)", err->text, near);
    return cli_usage(&command, "%s", err->text);
}

/* An argument is a query if it is no file and has a blank, or is a word with a dot in front. */
static bool is_query(const char *word)
{
    bool is_word = answer_schema_word(word) != NULL || strcmp(word, TABLES) == 0;

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
    struct buf text = {0};

    if (!cli_read_text(&command, path, &text)) {
        buf_free(&text);
        return EXIT_FAILED;
    }
    buf_byte(&text, '\0');
    *query = buf_ok(&text) ? cli_keep((char *)text.p) : NULL;
    return *query == NULL ? cli_no_memory(&command) : 0;
}

static int find_query(const struct args *args, struct cli_list *operands, const char **query)
{
    int rc = take_query(operands, query);

    if (rc == 0 && args->sql.is_interactive && (*query != NULL || args->sql.query_file != NULL))
        return cli_usage(&command, "-i and a query: give one of them");
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

/* Reads the types of the events. 0 or an exit code. Damage is not reported here: the second run
 * over the same recordings meets it again. */
static int read_types(struct answer *a, const struct cli_list *files)
{
    const struct run_options run = {.paths = files->items, .n_paths = files->n};
    const struct run_job schema = sql_schema_job(a->sql);
    struct run_result result;
    struct jfr_error err = {0};
    const char *err_path = NULL;

    if (run_all(&run, &schema, NULL, &result, &err, &err_path) < 0) {
        cli_report_error(&command, err_path, &err);
        return EXIT_FAILED;
    }
    if (sql_open(a->sql, &err) == 0)
        return 0;
    cli_error(&command, "%s", err.text);
    return EXIT_FAILED;
}

/* The rows are read: makes them ready, and prints. */
static int end_with(struct answer *a, struct out *out, int (*print)(void *shared, struct out *out))
{
    struct jfr_error err = {0};

    return sql_ready(a->sql, &err) < 0 ? err.code : print(a, out);
}

static int end_with_tables(void *shared, struct out *out)
{
    return end_with(shared, out, answer_tables);
}

static int end_with_answers(void *shared, struct out *out)
{
    return end_with(shared, out, answer_queries);
}

static int open_tables_of(void *shared, struct out *out)
{
    struct answer *a = shared;
    struct jfr_error err = {0};

    (void)out;
    return sql_open(a->sql, &err);
}

/* Prepares a query, or where there is none the list of tables. */
static int prepare_query(struct answer *a, const struct cli_list *files, const char *query,
                         bool quiet, struct cli_work *work, struct run_job *rows_job)
{
    struct jfr_error err = {0};
    int rc = read_types(a, files);

    if (rc != 0)
        return rc;
    if (sql_limited_table(a->sql) != NULL && !quiet)
        cli_error(&command, "%s has more fields than SQLite takes columns: some are left out",
                  sql_limited_table(a->sql));
    if (query == NULL || strcmp(query, TABLES) == 0)
        sql_count_rows(a->sql);
    else if (sql_prepare(a->sql, query, &err) < 0)
        return refuse_query(a->sql, &err);
    work->end = query == NULL || strcmp(query, TABLES) == 0 ? end_with_tables : end_with_answers;
    *rows_job = sql_rows_job(a->sql);
    return 0;
}

/* Tells what is damaged, makes the tables, and lets the user ask. */
static int run_shell(struct answer *a, const struct args *args, const struct cli_list *files)
{
    const struct run_job schema = sql_schema_job(a->sql);
    const struct cli_work work = {.job = &schema, .ctx = a, .end = open_tables_of};
    int rc = cli_run(&command, &args->run, files, &work);

    return rc == EXIT_DONE || rc == EXIT_DAMAGED ? sql_shell(a, files) : rc;
}

static int run_sql(struct args *args, const struct cli_list *files, const char *query,
                   struct select *select, struct sql_options *options)
{
    struct answer a = {.command = &command, .options = &args->table, .of_table = ""};
    const char *table = query == NULL ? NULL : answer_schema_word(query);
    struct jfr_error err = {0};
    struct run_job what;
    struct cli_work work = {.job = &what,
                            .ctx = &a,
                            .end = answer_schema,
                            .is_empty = answer_is_empty,
                            .select = select};
    int rc = 0;

    options->select = select;
    options->paths = files->items;
    a.sql = sql_new(options, &err);
    if (a.sql == NULL) {
        cli_error(&command, "%s", err.text);
        return EXIT_FAILED;
    }
    what = sql_schema_job(a.sql);
    if (table != NULL)
        a.of_table = table;
    else if (!args->sql.is_interactive)
        rc = prepare_query(&a, files, query, args->run.quiet, &work, &what);
    if (rc == 0)
        rc = args->sql.is_interactive ? run_shell(&a, args, files)
                                      : cli_run(&command, &args->run, files, &work);
    table_free(a.result);
    sql_free(a.sql);
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
    struct args args = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    cli_error(&command, "built without SQLite: install libsqlite3-dev and build again");
    cli_free(&command, &args, &files);
    return EXIT_FAILED;
}
#endif
