#include "tools/output/json.h"
#include "tools/programs.h"

struct trace_options {
    bool samples;
};

struct args {
    struct trace_options trace;
    struct cli_select_options select;
    struct cli_run_options run;
};

static const struct cli_option trace_table[] = {
    {0, "samples", NULL, "samples of stacks too, as instants", CLI_FLAG,
     offsetof(struct trace_options, samples),
     .example = "jfrkit convert -f trace --samples -o app.trace.json app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, trace_table, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, trace)},
    {&cli_select_set, offsetof(struct args, select)},
    {&cli_run_set, offsetof(struct args, run)},
    {0},
};

static const struct cli_command command = {
    .name = "jfr2trace",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print events as a time line, in the JSON that Perfetto and Chrome read.",
    .tables = tables,
    .suffix = ".trace.json",
    .examples = "  jfrkit convert -o app.trace.json app.jfr # open in ui.perfetto.dev\n"
                "  jfrkit convert -f trace -e 'GC*' --min-duration 1ms app.jfr\n",
};

int jfr2trace_main(int argc, char **argv)
{
    struct args args = {0};
    struct json_options opt = json_options_default("trace");
    struct select *select = NULL;
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    args.select.all_keys = true; /* for arrows along traces */
    rc = cli_select(&command, &args.select, &files, &select);
    /* A user who names events wants these. */
    opt.has_samples = args.trace.samples || args.select.events.n > 0;
    if (rc == 0)
        rc = cli_json_run(&command, &args.run, &files, &opt, select);
    select_free(select);
    cli_free(&command, &args, &files);
    return rc;
}
