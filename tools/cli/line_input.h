/*
 * line_input.h - lines that a user types: edited, completed, and remembered until the next time.
 *
 *     line_input_open("jfrkit_sql", next_word, ctx);
 *     while ((line = line_input_read("sql> ")) != NULL)
 *         ...
 *     line_input_close();
 *
 * On a terminal libedit is loaded (BSD licence; Debian's libedit2): keys of Emacs and vi, the arrow
 * keys for earlier lines, the tabulator for words. Without it, or where standard input is no
 * terminal, lines are read as they come, and without a prompt from a file or pipe.
 *
 * Earlier lines are in ~/.NAME_history, which only its owner can read. Threads: one, and one input
 * at a time.
 */
#ifndef TOOLS_CLI_LINE_INPUT_H
#define TOOLS_CLI_LINE_INPUT_H

#include <stddef.h>

/* `word` gives the words that a line may have, from i = 0 on, then NULL; they are borrowed. */
void line_input_open(const char *name, const char *(*word)(void *ctx, size_t i), void *ctx);

/* The next line without its end; NULL: there is none. Valid until the next call. */
const char *line_input_read(const char *prompt);

/* Remembers what was typed, which may be several lines. */
void line_input_remember(const char *text);

void line_input_close(void);

#endif
