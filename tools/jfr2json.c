/* jfr2json.c - the command jfr2json: events as JSON. Reads its options and runs
 * tools/output/json.c, which other commands share. */
#include "tools/output/json.h"
#include "tools/programs.h"

static const struct cli_table tables[] = {
    {&cli_json_set, offsetof(struct cli_json_args, json)},
    {&cli_select_set, offsetof(struct cli_json_args, profile.select)},
    {&cli_run_set, offsetof(struct cli_json_args, profile.run)},
    {&cli_profile_set, offsetof(struct cli_json_args, profile.profile), .title = "Stacks"},
    {&cli_frames_set, offsetof(struct cli_json_args, profile.profile)},
    {0},
};

static const struct cli_command command = {
    .name = "jfr2json",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print events as JSON.",
    .tables = tables,
    .suffix = ".json",
    .examples = "  jfr2json -e ExecutionSample --head 2 app.jfr # like jfr print --json\n"
                "  jfr2json -l ndjson -w 'duration > 1ms' app.jfr # one event per line\n"
                "  jfrkit convert -o app.ndjson app.jfr\n",
};

int jfr2json_main(int argc, char **argv)
{
    struct cli_json_args args = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = cli_json_main(&command, &args, &files);
    cli_profile_close(&args.profile, NULL);
    cli_free(&command, &args, &files);
    return rc;
}
