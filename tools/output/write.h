/* write.h - an output that is made at once, by commands that read in a way of their own. */
#ifndef TOOLS_OUTPUT_WRITE_H
#define TOOLS_OUTPUT_WRITE_H

#include "tools/cli/run.h"

/* Writes to a file, which appears whole or not at all; NULL or "-" is standard output. Returns
 * EXIT_DONE; EXIT_USAGE when put() answers CLI_REPORTED; EXIT_FAILED, after a message, when it
 * answers another code than 0 or a write fails. */
int cli_write(const struct cli_command *command, const char *path,
              int (*put)(void *ctx, struct out *out), void *ctx);

#endif
