/* read_text.h - a whole file as bytes, for options that name one: stacks, queries. */
#ifndef TOOLS_CLI_READ_TEXT_H
#define TOOLS_CLI_READ_TEXT_H

#include "jfrfmt/base/buf.h"
#include "tools/cli/cli.h"

/* Appends all bytes of a file; "-" is standard input. False after a message: it cannot be read, or
 * memory is exhausted. The buffer is the caller's in any case. */
bool cli_read_text(const struct cli_command *command, const char *path, struct buf *text);

#endif
