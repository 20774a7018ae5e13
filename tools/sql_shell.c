/* sql_shell.c - reads queries from a terminal or a pipe, and answers each when it is whole. */
#ifdef HAS_SQLITE
#include "tools/sql_shell.h"

#include "convert/driver/run.h"
#include "tools/cli/line_input.h"
#include "tools/cli/report.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sql *asked; /* by the signal handler */

static void interrupt_query(int signal)
{
    (void)signal;
    sql_interrupt(asked);
}

static bool go_on_reading(void *ctx, const struct run_result *so_far)
{
    (void)so_far;
    return !sql_is_interrupted(ctx);
}

/* --- words for the tabulator --- */

static const char *const keywords[] = {
    "select",  "from",      "where",       "group by", "order by", "limit", "count(*)", "sum(",
    "avg(",    "min(",      "max(",        "distinct", "having",   "join",  "with",     "between",
    "like",    "desc",      "p50(",        "p90(",     "p95(",     "p99(",  "p999(",    "bucket(",
    "during(", "span_end(", "percentile(", ".tables",  ".schema",  ".help", ".quit",
};

#define N_KEYWORDS (sizeof(keywords) / sizeof(keywords[0]))

/* Keywords, tables, and the columns of all tables that have rows. */
static const char *word_of_query(void *ctx, size_t i)
{
    const struct sql *s = ctx;
    const char *name, *type;
    bool is_hidden;

    if (i < N_KEYWORDS)
        return keywords[i];
    i -= N_KEYWORDS;
    if (i < sql_n_tables(s))
        return sql_table(s, i);
    i -= sql_n_tables(s);
    for (size_t t = 0; t < sql_n_tables(s); t++)
        for (size_t k = 0; sql_table_rows(s, t) > 0 &&
                           (name = sql_table_column(s, t, k, &is_hidden, &type)) != NULL;
             k++)
            if (i-- == 0)
                return name;
    return NULL;
}

/* --- answers --- */

struct shell {
    struct answer *answer;
    const struct cli_list *files;
};

/* Prints with one of the functions of answer.h. */
static void print_answer(struct shell *shell, int (*print)(void *shared, struct out *out))
{
    struct jfr_error err = {0};
    struct out_file *file = out_file_open(NULL, &err);
    struct out out;
    int rc;

    if (file == NULL) {
        cli_report_error(shell->answer->command, NULL, &err);
        return;
    }
    out = out_to(file);
    table_free(shell->answer->result);
    shell->answer->result = NULL;
    rc = print(shell->answer, &out);
    if (rc == 0)
        rc = out_flush(&out);
    out_free(&out);
    if (rc != 0)
        out_file_abort(file);
    else if (out_file_commit(file, &err) != 0)
        cli_report_error(shell->answer->command, NULL, &err);
}

/* Reads the columns that the queries need. Damage was reported when the shell began. */
static bool read_rows(struct shell *shell)
{
    struct sql *s = shell->answer->sql;
    const struct run_options run = {
        .paths = shell->files->items, .n_paths = shell->files->n, .go_on = go_on_reading, .ctx = s};
    const struct run_job job = sql_rows_job(s);
    struct run_result result;
    struct jfr_error err = {0};
    const char *err_path = NULL;

    if (sql_needs_rows(s) && run_all(&run, &job, NULL, &result, &err, &err_path) != 0) {
        cli_report_error(shell->answer->command, err_path, &err);
        return false;
    }
    if (sql_is_interrupted(s))
        jfr_fail(&err, JFR_E_LIMIT, 0, "interrupted");
    else
        sql_ready(s, &err);
    if (err.code != 0)
        cli_error(shell->answer->command, "%s", err.text);
    return err.code == 0;
}

static void answer_text(struct shell *shell, const char *text)
{
    struct sql *s = shell->answer->sql;
    struct jfr_error err = {0};
    const char *near;

    if (sql_prepare(s, text, &err) == 0) {
        if (read_rows(shell))
            print_answer(shell, answer_queries);
    } else if ((near = answer_nearest(s, err.text)) != NULL) {
        cli_error(shell->answer->command, "%s (did you mean '%s'?)", err.text, near);
    } else {
        cli_error(shell->answer->command, "%s", err.text);
    }
    sql_finish(s);
}

static void print_help(void)
{
    puts(
        "A query ends with a semicolon. .tables lists tables, .schema TABLE its columns, .quit or ^D\n"
        "ends. ^C ends a query. The tabulator completes names.");
}

/* A word with a dot in front. False: the shell ends. */
static bool do_word(struct shell *shell, const char *word)
{
    const char *table = answer_schema_word(word);

    if (strcmp(word, ".quit") == 0 || strcmp(word, ".exit") == 0)
        return false;
    if (strcmp(word, ".tables") == 0) {
        print_answer(shell, answer_tables);
    } else if (table != NULL) {
        shell->answer->of_table = table;
        print_answer(shell, answer_schema);
        shell->answer->of_table = "";
    } else {
        print_help();
    }
    return true;
}

int sql_shell(struct answer *a, const struct cli_list *files)
{
    struct shell shell = {a, files};
    struct sigaction action = {.sa_handler = interrupt_query};
    struct buf text = {0};
    const char *line;

    asked = a->sql;
    sigaction(SIGINT, &action, NULL);
    line_input_open("jfrkit_sql", word_of_query, a->sql);
    while ((line = line_input_read(text.n == 0 ? "sql> " : "...> ")) != NULL) {
        if (text.n == 0 && *line == '\0')
            continue;
        if (text.n == 0 && *line == '.') {
            line_input_remember(line);
            if (!do_word(&shell, line))
                break;
            continue;
        }
        if (text.n > 0)
            text.p[text.n - 1] = '\n';
        buf_bytes(&text, line, strlen(line) + 1);
        if (!buf_ok(&text))
            break;
        if (!sql_is_whole((const char *)text.p))
            continue;
        line_input_remember((const char *)text.p);
        answer_text(&shell, (const char *)text.p);
        buf_reset(&text);
    }
    if (text.n > 0 && buf_ok(&text)) /* the last one of a pipe needs no semicolon */
        answer_text(&shell, (const char *)text.p);
    line_input_close();
    buf_free(&text);
    return EXIT_DONE;
}
#endif
