/* run_options.h - options that all commands over recordings share. */
#ifndef TOOLS_CLI_RUN_OPTIONS_H
#define TOOLS_CLI_RUN_OPTIONS_H

#include "tools/cli/cli.h"

struct cli_run_options {
    const char *output; /* NULL or "-": standard output */
    unsigned long jobs; /* threads, 0 = automatic */
    bool strict, fail_empty, quiet, verbose;
    const char *max_memory; /* asked between chunks; NULL: no limit */
    const char *max_unpacked; /* cli_parse()'s; NULL: the library's limit */
    bool each, log_json, progress; /* the first two are cli_parse()'s, */
    const char *per; /* and so is this: a key of contexts */
};

/* The title of both tables is "Output". --jobs is the last of this one, for commands that work
 * chunk by chunk. */
#define CLI_RUN_N 6
#define CLI_RUN_COMMON 3
extern const struct cli_option cli_run_table[CLI_RUN_N];

/* Those of rarer use, over the same struct. --max-memory is the first, for commands that keep
 * nothing from one chunk to the next; --per the last, for those that know nothing of contexts, and
 * --each before it, for those that make one output of all, or mean something else by it. */
#define CLI_MORE_N 6
#define CLI_MORE_EACH 4
#define CLI_MORE_PER 5
extern const struct cli_option cli_more_table[CLI_MORE_N];

#endif
