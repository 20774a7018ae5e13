/* internal.h - what cli.c and help.c share: looking options up, and showing them. */
#ifndef TOOLS_CLI_INTERNAL_H
#define TOOLS_CLI_INTERNAL_H

#include "tools/cli/cli.h"

struct cli_found {
    const struct cli_table *table;
    const struct cli_option *option;
};

/* Moves on to the next option that the command has; to the first if *f is all zero. False at the
 * end. */
bool cli_next(const struct cli_command *command, struct cli_found *f);

/* The option with this name (n bytes, without dashes) or letter; false when there is none. */
bool cli_find(const struct cli_command *command, const char *name, size_t n,
              struct cli_found *found);
bool cli_find_letter(const struct cli_command *command, char letter, struct cli_found *found);

/* The option that was perhaps meant: the nearest within two typing errors, or the only one that
 * begins like this. NULL when there is none. */
const char *cli_nearest(const struct cli_command *command, const char *name, size_t n);

/* The member of args that an option fills; NULL when the command does not have it. */
void *cli_member(const struct cli_command *command, void *args, const char *name);

/* Replaces folders, and names of rows of files, by the recordings that they stand for. Files that
 * are passed over are named. Returns -1, or EXIT_FAILED after a message: a folder has no recording,
 * or out of memory. */
int cli_expand(const struct cli_command *command, struct cli_list *operands);

/* Hands --max-unpacked to the library. Returns -1, or EXIT_USAGE after a message. */
int cli_limit_unpacked(const struct cli_command *command, void *args);

/* Registers the files that the command reads as inputs: operands after the command's own words,
 * standard input where it is read, and the files of --context-from, --diff, --settings and
 * --jfrsync. Returns -1, or EXIT_FAILED after a message when memory is exhausted. */
int cli_add_inputs(const struct cli_command *command, void *args, const struct cli_list *operands);

/* Returns EXIT_USAGE after a message that names both when a file of --output, --also or --pyroscope
 * is one of those inputs; else -1. */
int cli_check_inputs(const struct cli_command *command, void *args);

/* With --each: makes a process for each operand, which continues with that one alone and an output
 * of its own (-1), and answers in the first with the worst of their exit codes. Else -1. */
int cli_each(const struct cli_command *command, void *args, struct cli_list *operands);

/* The same with --per, for each value that the context key has. */
int cli_per(const struct cli_command *command, void *args, const struct cli_list *operands);

/* For both. EXIT_USAGE, after a message about --OPTION, when the command does not make several
 * outputs or -o is no folder for them; else -1. */
int cli_check_outputs(const struct cli_command *command, void *args, const char *option);

/* FOLDER/NAME with the ending of the format; folder NULL: here. The caller's; NULL when memory is
 * short. */
char *cli_output_of(const struct cli_command *command, void *args, const char *folder,
                    const char *name);

/* Keeps a text as long as the process lives; NULL is allowed. */
const char *cli_keep(char *text);

/* Makes n processes, one after the other, each of which continues: -1, with its number in *mine. In
 * the first: the worst of their exit codes. The names are for messages. */
int cli_fork(const struct cli_command *command, const char *const *names, size_t n, size_t *mine);

/* Prints to standard output; topic NULL: the options of everyday use, "all", "rows", a table's
 * title, or what topics.c has. Returns the exit code. */
int cli_help(const struct cli_command *command, const char *topic);

/* Prints what a word like "where" is about; false when the command has no such topic. */
bool cli_print_topic(const struct cli_command *command, const char *name);

/* Prints ", --help=where|context|time": the topics of the command. */
void cli_print_topic_names(const struct cli_command *command);

int cli_version(const struct cli_command *command);

/* Prints a completion script for a shell: bash, zsh or fish. Returns the exit code. */
int cli_completion(const struct cli_command *command, const char *shell);

#endif
