/* peek.h - reads an option before it is known which command the arguments are for. */
#ifndef TOOLS_CLI_PEEK_H
#define TOOLS_CLI_PEEK_H

#include <stdbool.h>

/* Is argv[i] the option with this letter or name, which has a value? Returns the number of its
 * words, 1 (-oFILE, --output=FILE) or 2 (-o FILE), and sets *value, which is borrowed; 0 if it is
 * another argument, or the value is missing. argv ends with NULL. -q and -v may be joined before
 * the letter. */
int cli_peek(char **argv, int i, char letter, const char *name, const char **value);

/* Does the argument ask for help, version or completion, for which nothing else has to be right? */
bool cli_peek_help(const char *word);

#endif
