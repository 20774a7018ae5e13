/*
 * rewrite.h - what commands share that write recordings: outputs, messages, exit codes.
 *
 *     struct args { struct cli_run_options run; ... };
 *     {&cli_run_set, offsetof(struct args, run), .without = CLI_REWRITE_WITHOUT}, among the tables
 *     ...
 *     run = (struct rewrite_run_options){.select = select, ...};
 *     rc = cli_rewrite(&command, &args.run, &files, &run);
 */
#ifndef TOOLS_OUTPUT_REWRITE_H
#define TOOLS_OUTPUT_REWRITE_H

#include "convert/rewrite/run.h"
#include "tools/cli/run.h"

/* They work chunk by chunk and need neither. */
#define CLI_REWRITE_WITHOUT "jobs max-memory"

/* Runs and returns the exit code. Sources and outputs of *run are filled in; with chunks_each or
 * bytes_each the output is parts NAME_0.jfr, NAME_1.jfr, ... An output is there whole or not at
 * all, and so are all parts together. */
int cli_rewrite(const struct cli_command *command, const struct cli_run_options *options,
                const struct cli_list *files, struct rewrite_run_options *run);

#endif
