#include "tools/cli_json.h"

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
     offsetof(struct trace_options, samples)},
};

static const struct cli_table tables[] = {
    {NULL, trace_table, 1, offsetof(struct args, trace)},
    {"Filters", cli_select_table, CLI_SELECT_N, offsetof(struct args, select)},
    {NULL, cli_run_table, CLI_RUN_N, offsetof(struct args, run)},
};

static const struct cli_command command = {
    .name = "jfr2trace",
    .usage = "[options] [recording ...]",
    .about = "Print events as a time line, in the JSON that Perfetto and Chrome read.",
    .tables = tables,
    .n_tables = sizeof(tables) / sizeof(tables[0]),
    .footer = "  jfr2trace -o app.trace.json app.jfr         # then open it in ui.perfetto.dev\n"
              "  jfr2trace -e 'GC*' -e GarbageCollection --min-duration 1ms app.jfr\n",
};

static int begin(void *shared, struct out *out)
{
    return json_begin(shared, out);
}

static int end(void *shared, struct out *out)
{
    return json_end(shared, out);
}

static bool is_empty(const void *shared)
{
    return json_n_events(shared) == 0;
}

static int print(struct args *args, const struct cli_list *files, struct select *select)
{
    struct json_options opt = json_options_default("trace");
    struct jfr_error err = {0};
    struct json *json;
    struct run_job job;
    struct cli_work work;
    int rc;

    /* Whoever names events means these. */
    opt.has_samples = args->trace.samples || args->select.events.n > 0;
    json = json_new(&opt, select, &err);
    if (json == NULL) {
        cli_error(&command, "%s", err.text);
        return EXIT_FAILED;
    }
    job = json_job(json);
    work = (struct cli_work){.job = &job,
                             .pool_rule = json_pool_rule(json),
                             .streams = true,
                             .begin = begin,
                             .end = end,
                             .is_empty = is_empty};
    args->run.jobs = json_look_ahead(json, files->items, files->n, (unsigned)args->run.jobs);
    rc = cli_run(&command, &args->run, files, &work);
    json_free(json);
    return rc;
}

int main(int argc, char **argv)
{
    struct args args = {0};
    struct select *select = NULL;
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = cli_select(&command, &args.select, &files, &select);
    if (rc == 0)
        rc = print(&args, &files, select);
    select_free(select);
    cli_select_free(&args.select);
    cli_list_free(&files);
    return rc;
}
