/*
 * sql_shell.h - jfrkit sql -i: one query after the other.
 *
 * A query ends with a semicolon and may have several lines. .tables, .schema [TABLE], .help and
 * .quit are words of their own. Columns that were read stay in memory, so that further queries of
 * them are answered at once. ^C ends a query, ^D the shell. Threads: one.
 */
#ifndef TOOLS_SQL_SHELL_H
#define TOOLS_SQL_SHELL_H

#include "tools/output/answer.h"

/* Returns the exit code. The tables are made. */
int sql_shell(struct answer *a, const struct cli_list *files);

#endif
