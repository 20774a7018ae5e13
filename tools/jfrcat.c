/* jfrcat - recordings of one or many JVMs as one recording that readers show rightly. */
#include "tools/output/rewrite.h"
#include "tools/programs.h"

static const struct cli_table tables[] = {
    {&cli_run_set, 0, .without = CLI_REWRITE_WITHOUT " each per"}, /* one output of all */
    {0},
};

static const struct cli_command command = {
    .name = "jfrcat",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Join recordings of one or more JVMs into one.",
    .tables = tables,
    .examples = "  jfrkit cat -o all.jfr old.jfr new.jfr\n",
    .notes = "Exit: 0 ok, 1 failed, 2 usage, 3 damaged input, 4 no event (--fail-empty).\n",
};

int jfrcat_main(int argc, char **argv)
{
    struct cli_run_options options = {0};
    struct rewrite_run_options run = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &options, &files);

    if (rc < 0) {
        rc = cli_rewrite(&command, &options, &files, &run);
        cli_free(&command, &options, &files);
    }
    return rc;
}
