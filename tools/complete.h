/* complete.h - what a shell needs to complete jfrkit: its verbs, then the options of each. */
#ifndef TOOLS_COMPLETE_H
#define TOOLS_COMPLETE_H

#include "tools/cli/cli.h"

/* Prints a script for bash, zsh or fish. Returns the exit code. */
int complete_verbs(const struct cli_command *kit, const char *shell);

#endif
