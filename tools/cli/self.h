/* self.h - runs this program with other arguments, in a process of its own. */
#ifndef TOOLS_CLI_SELF_H
#define TOOLS_CLI_SELF_H

#include "tools/cli/cli.h"

#include <sys/types.h>

/* Runs jfrkit with the words, which begin with "jfrkit" and end with NULL, and waits for its end.
 * out: the descriptor that becomes its standard output, or -1: the same as here. Returns its exit
 * code, or EXIT_FAILED after a message if it cannot be run. */
int cli_run_self(const struct cli_command *command, const char *const *words, int out);

/* Starts jfrkit with the words and does not wait. It has a session of its own, so a terminal's
 * signals do not reach it, no blocked signals, and no standard input or output. Returns its process
 * id, which the caller waits for, or -1 after a message. */
pid_t cli_start_self(const struct cli_command *command, const char *const *words);

#endif
