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

/* Commands that keep nothing from one chunk to the next leave out --max-memory, those that work
 * chunk by chunk --jobs, those that know nothing of contexts --per, and those that make one output
 * of all
 * --each. */
extern const struct cli_set cli_run_set;

#endif
