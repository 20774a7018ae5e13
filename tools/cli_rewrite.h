/*
 * cli_rewrite.h - what jfrcut and jfrcat share: outputs, messages, exit codes.
 *
 *     struct args { struct cli_rewrite_options out; ... };
 *     {NULL, cli_rewrite_table, CLI_REWRITE_N, offsetof(struct args, out)},    among the tables
 *     ...
 *     run = (struct rewrite_run_options){.select = select, ...};
 *     rc = cli_rewrite(&command, &args.out, &files, &run);
 */
#ifndef TOOLS_CLI_REWRITE_H
#define TOOLS_CLI_REWRITE_H

#include "convert/rewrite_run.h"
#include "tools/cli.h"

struct cli_rewrite_options {
    const char *output; /* NULL or "-": standard output, or for parts the input's name */
    bool strict, fail_empty, quiet, verbose;
};

#define CLI_REWRITE_N 5
extern const struct cli_option cli_rewrite_table[CLI_REWRITE_N];

/* Runs and returns the exit code. Sources and outputs of *run are filled in; with chunks_each or
 * bytes_each the output is parts NAME_0.jfr, NAME_1.jfr, ... An output is there whole or not at
 * all, and so are all parts together. */
int cli_rewrite(const struct cli_command *command, const struct cli_rewrite_options *options,
                const struct cli_list *files, struct rewrite_run_options *run);

#endif
