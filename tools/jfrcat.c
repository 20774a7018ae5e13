/* jfrcat - recordings of one or many JVMs as one recording that readers show rightly. */
#include "tools/cli/rewrite.h"

static const struct cli_table tables[] = {
    {NULL, cli_run_table, CLI_REWRITE_RUN_N, 0},
    {"Run", CLI_REWRITE_MORE, CLI_MORE_EACH - 1, 0}, /* one output of all */
};

static const struct cli_command command = {
    "jfrcat",
    "[options] [recording ...]",
    "Merge recordings, of one or many JVMs, into one with one clock and one set of constants.",
    tables,
    2,
    "  jfrcat -o all.jfr a.jfr b.jfr.gz\n"
    "Exit: 0 ok, 1 failed, 2 usage, 3 damaged input, 4 no event (--fail-empty)."};

int main(int argc, char **argv)
{
    struct cli_run_options options = {0};
    struct rewrite_run_options run = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &options, &files);

    if (rc < 0) {
        rc = cli_rewrite(&command, &options, &files, &run);
        cli_list_free(&files);
    }
    return rc;
}
