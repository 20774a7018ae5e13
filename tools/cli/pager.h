/*
 * pager.h - long text on a terminal: a pager to scroll in, and colours.
 *
 *     cli_pager_begin(&options);            before anything is written to standard output
 *     if (cli_has_colours()) ...
 *
 * Threads: before others are started.
 */
#ifndef TOOLS_CLI_PAGER_H
#define TOOLS_CLI_PAGER_H

#include "tools/cli/cli.h"

struct cli_pager_options {
    bool is_off;
};

extern const struct cli_set cli_pager_set; /* --no-pager */

/* If standard output is a terminal, passes it through the program that the variable PAGER names,
 * else less, and waits for that one when this one ends. Nothing happens with --no-pager, a PAGER
 * that is empty or "cat", a terminal that cannot do anything (TERM=dumb), or no such program. */
void cli_pager_begin(const struct cli_pager_options *options);

/* Returns whether a pager is open. Nothing else should write to the terminal then. */
bool cli_pager_is_open(void);

/* Returns whether standard output is a terminal, or leads to one through the pager. */
bool cli_is_terminal(void);

/* Should text on standard output have colours? Not in files and pipes, and not if the variable
 * NO_COLOR is set. */
bool cli_has_colours(void);

#endif
