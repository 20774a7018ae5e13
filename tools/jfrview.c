/* jfrview - the questions that are asked most often, each answered by a table. */
#include "convert/view.h"
#include "tools/cli_run.h"
#include "tools/cli_select.h"
#include "tools/cli_table.h"

#include <stdio.h>
#include <string.h>

struct args {
    bool list;
    struct cli_table_options table;
    struct cli_select_options select;
    struct cli_run_options run;
};

struct job {
    const struct args *args;
    struct view_run *run;
    struct table *result;
};

static const struct cli_option options[] = {
    {'l', "list", NULL, "list the views", CLI_FLAG, offsetof(struct args, list)},
};

static const struct cli_table tables[] = {
    {NULL, options, 1, 0},
    {NULL, cli_table_table, CLI_TABLE_N, offsetof(struct args, table)},
    {NULL, cli_run_table, CLI_RUN_N, offsetof(struct args, run)},
    {"Filters", cli_select_table, CLI_SELECT_N, offsetof(struct args, select)},
};

static const struct cli_command command = {
    .name = "jfrview",
    .usage = "[options] view [recording ...]",
    .about = "Answer a question about recordings: hot-methods, gc-pauses, recording, ...",
    .tables = tables,
    .n_tables = sizeof(tables) / sizeof(tables[0]),
    .footer = "  jfrview hot-methods app.jfr\n"
              "  jfrview --list\n",
};

static int write_table(void *shared, struct out *out)
{
    struct job *job = shared;
    const char *format = job->args->table.format;
    bool for_people = format == NULL || (strcmp(format, "json") != 0 && strcmp(format, "csv") != 0);

    job->result = view_table(job->run, for_people);
    return job->result == NULL ? JFR_E_NOMEM
                               : cli_table_write(&command, &job->args->table, job->result, out);
}

static bool is_empty(const void *shared)
{
    const struct job *job = shared;

    return job->result == NULL || table_n_rows(job->result) == 0;
}

static int list_views(void)
{
    for (size_t i = 0; i < view_n(); i++)
        printf("%-28s %s\n", view_name(view_at(i)), view_title(view_at(i)));
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int answer(struct args *args, const struct view *v, const struct cli_list *files)
{
    struct job job = {.args = args};
    struct select *select = NULL;
    int rc = cli_select(&command, &args->select, files, &select);

    if (rc == 0 && (job.run = view_run_new(v, select)) == NULL)
        rc = EXIT_FAILED;
    if (rc == 0) {
        const struct run_job what = view_job(job.run);
        const struct cli_work work = {
            .job = &what, .ctx = &job, .end = write_table, .is_empty = is_empty};

        rc = cli_run(&command, &args->run, files, &work);
    }
    table_free(job.result);
    view_run_free(job.run);
    select_free(select);
    return rc;
}

int main(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list words = {0}, files;
    const struct view *v;
    int rc = cli_parse(&command, argc, argv, &args, &words);

    if (rc >= 0)
        return rc;
    v = words.n == 0 ? NULL : view_named(words.items[0]);
    rc = cli_table_check(&command, &args.table);
    if (rc == 0 && args.list)
        rc = list_views();
    else if (rc == 0 && words.n == 0)
        rc = cli_usage(&command, "which view? see --list");
    else if (rc == 0 && v == NULL)
        rc = cli_usage(&command, "there is no view '%s', see --list", words.items[0]);
    else if (rc == 0) {
        files = (struct cli_list){words.items + 1, words.n - 1};
        rc = answer(&args, v, &files);
    }
    cli_select_free(&args.select);
    cli_list_free(&words);
    return rc;
}
