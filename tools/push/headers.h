/*
 * headers.h - headers of requests, which often hold a password or a token: from a file that only
 * its owner can read, or from the environment, never from the command line, which others see.
 */
#ifndef TOOLS_PUSH_HEADERS_H
#define TOOLS_PUSH_HEADERS_H

#include "tools/cli/cli.h"

#include <stdbool.h>

/* Reads a private file: one line each, "Name: value"; empty lines and lines with # are left out.
 * Adds them to the list. 0, or an exit code after a message. */
int headers_read(const struct cli_command *command, const char *path, struct cli_list *headers);

/* Adds those of a variable as OpenTelemetry has it: "name=value,name=value", with %20 for a blank.
 * Nothing if it is not set. 0, or an exit code after a message. */
int headers_of_environment(const struct cli_command *command, const char *variable,
                           struct cli_list *headers);

/* Reads a line of a private file, for a URL that holds a signature. NULL after a message. The
 * caller frees it. */
char *headers_read_line(const struct cli_command *command, const char *path);

#endif
