/*
 * sums.h - the options --sum, --avg, --p99 and so on, and the table of rows and sums that they ask
 * for.
 *
 *     {&cli_sums_set, offsetof(struct args, sums)},          among the tables
 *     if (cli_sums_asked(&args.sums, &args.by))
 *         rc = cli_sums_run(&command, &request, &files);
 */
#ifndef TOOLS_OUTPUT_SUMS_H
#define TOOLS_OUTPUT_SUMS_H

#include "tools/output/table.h"

#define CLI_SUMS 12

struct cli_sums_options {
    struct cli_list fields[CLI_SUMS]; /* of each sum, as view_words_sum() counts them */
};

extern const struct cli_set cli_sums_set; /* titled "Sums" */

struct cli_sums {
    const struct cli_sums_options *options;
    const struct cli_list *by; /* words, with commas between them */
    const struct cli_table_options *table;
    struct cli_select_options *select;
    const struct cli_run_options *run;
};

/* Does any of them, or a word of --by such as bucket(1s) or field.path, ask for sums of fields? */
bool cli_sums_asked(const struct cli_sums_options *options, const struct cli_list *by);

/* Reads, sums up and writes the table. Returns the exit code. */
int cli_sums_run(const struct cli_command *command, const struct cli_sums *what,
                 const struct cli_list *files);

#endif
