/* nothing.h - what a command says when no event matched: why, and what the recordings have. */
#ifndef TOOLS_CLI_NOTHING_H
#define TOOLS_CLI_NOTHING_H

#include "convert/select/explain.h"
#include "tools/cli/cli.h"

/* After a run over all inputs: prints that no input has a context key that the select was
 * requested, or else, when the run `is_empty`, why nothing matched. For that the inputs are read
 * again, if they are plain files. Prints nothing without a select, and nothing more where --where
 * has a note. EXIT_USAGE when the command names an event type, a kind or a context key that no
 * input has, else 0. `quiet`: errors only. */
int cli_nothing(const struct cli_command *command, const struct explain_question *question,
                bool is_empty, bool quiet);

/* The part about keys, for contexts that no select requests; `context` may be NULL. */
int cli_unknown_key(const struct cli_command *command, const struct context *context,
                    const char *const *paths, size_t n_paths);

#endif
