/*
 * sums.h - the options --sum, --avg, --p99 and so on, and the table of rows and sums that they ask
 * for.
 *
 *     {&cli_sums_set, offsetof(struct args, sums)},          among the tables
 *     if (cli_sums_are_requested(&request, &files))
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

/* Does any of them ask for sums of fields, or a word of --by: bucket(1s), field.path, or, with
 * `events` selected, a word that is a field of them and no context in the first file? */
bool cli_sums_are_requested(const struct cli_sums *what, const struct cli_list *files);

/* Reads, sums up and writes the table. Returns the exit code. */
int cli_sums_run(const struct cli_command *command, const struct cli_sums *what,
                 const struct cli_list *files);

#endif
