/* nothing.h - what a command says when no event matched: why, and what the recordings have. */
#ifndef TOOLS_CLI_NOTHING_H
#define TOOLS_CLI_NOTHING_H

#include "convert/select/explain.h"
#include "tools/cli/cli.h"

/* Reads the inputs again, if they are plain files, and prints one line. EXIT_USAGE when the command
 * names an event type, a kind or a context key that no input has, else 0. `quiet`: errors only. */
int cli_nothing(const struct cli_command *command, const struct explain_question *question,
                bool quiet);

/* Prints that no input has one of the context keys that were asked for, and which keys there are.
 * EXIT_USAGE if so, else 0. To be called after a run over all inputs; `context` may be NULL. */
int cli_unknown_key(const struct cli_command *command, const struct context *context,
                    const struct cli_list *files);

#endif
