/* jfrsummary - what a recording holds: event types, sizes, times, chunks, settings, damage. */
#include "convert/summary.h"
#include "tools/cli_run.h"

#include <stdlib.h>

struct args {
    struct cli_run_options run;
    struct summary_options summary;
    const char *compat;
};

#define AT(member) offsetof(struct args, member)

static const struct cli_option options[] = {
    {0, "json", NULL, "everything, as JSON", CLI_FLAG, AT(summary.json)},
    {'a', "all", NULL, "list types without events too", CLI_FLAG, AT(summary.all)},
    {'c', "chunks", NULL, "list the chunks", CLI_FLAG, AT(summary.chunks)},
    {0, "each", NULL, "one summary per recording", CLI_FLAG, AT(summary.each)},
    {0, "compat", "25|17", "as 'jfr summary' of that JDK prints it", CLI_STRING, AT(compat)},
};

static const struct cli_table tables[] = {
    {NULL, options, sizeof(options) / sizeof(options[0]), 0},
    {NULL, cli_run_table, CLI_RUN_N, AT(run)},
    {"Run", cli_more_table, CLI_MORE_N - 1, AT(run)},
};

static const struct cli_command command = {
    .name = "jfrsummary",
    .usage = "[options] [recording ...]",
    .about = "Say what a recording holds: event types, sizes, times, settings, damage.",
    .tables = tables,
    .n_tables = sizeof(tables) / sizeof(tables[0]),
    .footer = "Exit: 0 ok, 1 failed, 2 usage, 3 damaged input.",
};

int main(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);
    struct cli_work work;
    struct run_job job;
    struct summary *s;

    if (rc >= 0)
        return rc;
    if (args.compat != NULL)
        args.summary.compat = atoi(args.compat);
    if (args.compat != NULL && args.summary.compat != 17 && args.summary.compat != 25)
        return cli_usage(&command, "--compat is 25 or 17, not '%s'", args.compat);
    s = summary_new(&args.summary);
    job = summary_job(s);
    work = (struct cli_work){
        .job = &job, .end = summary_end, .damaged = summary_damaged, .is_empty = summary_is_empty};
    rc = s == NULL ? EXIT_FAILED : cli_run(&command, &args.run, &files, &work);
    summary_free(s);
    cli_list_free(&files);
    return rc;
}
