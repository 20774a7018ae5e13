/* jfr2json.c - the command jfr2json (jfrkit print): events as JSON. Reads its options and runs
 * tools/output/json.c, which other commands share. */
#include "tools/output/json.h"
#include "tools/output/output.h"
#include "tools/programs.h"

#include <string.h>

static const struct cli_table tables[] = {
    {NULL, cli_json_table, CLI_JSON_N, offsetof(struct cli_json_args, json)},
    {"Filters", cli_select_table, CLI_SELECT_N,
     offsetof(struct cli_json_args, profile) + offsetof(struct cli_profile_args, select),
     CLI_SELECT_COMMON},
    {"Output", cli_run_table, CLI_RUN_N,
     offsetof(struct cli_json_args, profile) + offsetof(struct cli_profile_args, run),
     CLI_RUN_COMMON},
    {"Output", cli_more_table, CLI_MORE_N,
     offsetof(struct cli_json_args, profile) + offsetof(struct cli_profile_args, run)},
    {"Stacks", cli_profile_table, CLI_PROFILE_N,
     offsetof(struct cli_json_args, profile) + offsetof(struct cli_profile_args, profile)},
    {"Frames", cli_frames_table, CLI_FRAMES_N,
     offsetof(struct cli_json_args, profile) + offsetof(struct cli_profile_args, profile)},
};

static const struct cli_command command = {
    .name = "jfr2json",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print events as JSON.",
    .tables = tables,
    .n_tables = sizeof(tables) / sizeof(tables[0]),
    .suffix = ".json",
    .examples = "  jfrkit print -e ExecutionSample --head 2 app.jfr # like jfr print --json\n"
                "  jfrkit print -l ndjson -w 'duration > 1ms' app.jfr # one event per line\n"
                "  jfrkit convert -o app.ndjson app.jfr\n",
};

int jfr2json_main(int argc, char **argv)
{
    struct cli_json_args args = {0};
    struct json_options options;
    struct select *select = NULL;
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    if (args.json.layout != NULL && strcmp(args.json.layout, "d3") == 0) {
        rc = cli_output_format(&command, &format_d3, &args.profile, &files);
        cli_json_args_free(&args);
        cli_list_free(&files);
        return rc;
    }
    rc = cli_json_options(&command, &args.json, &options);
    if (rc == 0)
        args.profile.select.all_keys = options.with_context;
    if (rc == 0)
        rc = cli_select(&command, &args.profile.select, &files, &select);
    if (rc == 0)
        rc = cli_json_run(&command, &args.profile.run, &files, &options, select);
    select_free(select);
    cli_json_args_free(&args);
    cli_list_free(&files);
    return rc;
}
