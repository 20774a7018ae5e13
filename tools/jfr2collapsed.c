#include "convert/collapsed.h"
#include "tools/cli_profile.h"

static const struct cli_table tables[] = {
    {NULL, cli_profile_table, CLI_PROFILE_N, offsetof(struct cli_profile_args, profile)},
    {NULL, cli_run_table, CLI_RUN_N, offsetof(struct cli_profile_args, run)},
    {"Filters", cli_select_table, CLI_SELECT_N, offsetof(struct cli_profile_args, select)},
    {"Frames", cli_frames_table, CLI_FRAMES_N, offsetof(struct cli_profile_args, profile)},
};

static const struct cli_command command = {
    .name = "jfr2collapsed",
    .usage = "[options] [recording ...]",
    .about = "Print stacks with their weights, one per line, root first.",
    .tables = tables,
    .n_tables = sizeof(tables) / sizeof(tables[0]),
    .footer = "  jfr2collapsed --threads app.jfr | flamegraph.pl >app.svg\n"
              "  jfr2collapsed -k alloc -u bytes --leaf-class app.jfr\n",
};

static int end(void *shared, struct out *out)
{
    int rc = profile_finish(shared);

    return rc != 0 ? rc : collapsed_write(shared, out);
}

static bool is_empty(const void *shared)
{
    return profile_n(shared) == 0;
}

int main(int argc, char **argv)
{
    struct cli_profile_args args = {0};
    struct cli_list files = {0};
    struct profile *profile;
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = cli_profile_open(&command, &args, &files, &profile);
    if (rc == 0) {
        const struct run_job job = profile_job(profile);
        const struct cli_work work = {.job = &job, .end = end, .is_empty = is_empty};

        rc = cli_run(&command, &args.run, &files, &work);
        if (rc == EXIT_DONE || rc == EXIT_DAMAGED)
            cli_profile_report(&command, &args, profile);
    }
    cli_profile_close(&args, profile);
    cli_list_free(&files);
    return rc;
}
