/* jfrsummary - what a recording holds: event types, sizes, times, chunks, settings, damage. */
#include "convert/report/summary.h"
#include "tools/cli/run.h"
#include "tools/programs.h"

#include <string.h>

struct args {
    struct cli_run_options run;
    struct summary_options summary;
    const char *compat;
};

#define AT(member) offsetof(struct args, member)

static const struct cli_option options[] = {
    {0, "json", NULL, "print everything as JSON", CLI_FLAG, AT(summary.json),
     .more = "Print everything as one JSON object, see JSON."},
    {'a', "all", NULL, "list types without events, too", CLI_FLAG, AT(summary.all),
     .more = "List types without events too, and settings of types that do not occur."},
    {'c', "chunks", NULL, "list the chunks", CLI_FLAG, AT(summary.chunks),
     .more = "Add a table of the chunks: where they lie, when they began, their version and "
             "state."},
    {0, "each", NULL, "one summary per recording", CLI_FLAG, AT(summary.each),
     .more = "Print one summary for each recording instead of one for all; with --json, one "
             "object after the other."},
    {0, "compat", "25|17", "print as 'jfr summary' of that JDK", CLI_STRING, AT(compat),
     .more = "Print the same bytes as jfr summary of JDK 25 or 17. Types are then merged by "
             "their numeric ids, as that tool does: in a file of two producers, whose ids "
             "collide, events are counted under the wrong name. In such files JDK 17's "
             "order of types without events may differ.",
     .example = "jfrkit info --compat 25 app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_run_set, AT(run), .without = "each per"},
    {0},
};

static const struct cli_command command = {
    .name = "jfrsummary",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print what recordings have: event types, sizes, times, settings, damage.",
    .tables = tables,
    .notes = "Exit: 0 ok, 1 failed, 2 usage, 3 damaged input.\n",
    .examples = "  jfrkit info app.jfr\n"
                "  jfrkit info --chunks old.jfr new.jfr\n"
                "  jfrkit info --json app.jfr\n",
};

static bool read_compat(const char *text, int *version)
{
    *version = strcmp(text, "17") == 0 ? 17 : 25;
    return *version == 17 || strcmp(text, "25") == 0;
}

static int summarize(const struct args *args, const struct cli_list *files)
{
    struct summary *s = summary_new(&args->summary);
    struct run_job job;
    struct cli_work work = {
        .job = &job, .end = summary_end, .damaged = summary_damaged, .is_empty = summary_is_empty};
    int rc;

    if (s == NULL)
        return cli_no_memory(&command);
    job = summary_job(s);
    rc = cli_run(&command, &args->run, files, &work);
    summary_free(s);
    return rc;
}

int jfrsummary_main(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = args.compat == NULL || read_compat(args.compat, &args.summary.compat)
             ? summarize(&args, &files)
             : cli_usage(&command, "--compat is 25 or 17, not '%s'", args.compat);
    cli_free(&command, &args, &files);
    return rc;
}
