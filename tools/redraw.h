/*
 * redraw.h - a table that is made anew once a second, of a recording that is being written:
 * --follow of top and table.
 *
 *     rc = cli_parse(&command, argc, argv, &args, &files);
 *     if (rc < 0 && args.is_followed)
 *         rc = redraw(&(struct redraw){...}, argc, argv);
 *     if (rc >= 0)
 *         return rc;
 *     ... makes the table and writes it to standard output, as without --follow
 *
 * Each table is made by a process of its own, which runs the verb anew: in that process redraw()
 * returns -1. So what is read again is read as by a command that is called again, and memory does
 * not grow.
 */
#ifndef TOOLS_REDRAW_H
#define TOOLS_REDRAW_H

#include "tools/cli/cli.h"
#include "tools/cli/run_options.h"

/* The option, as a row of the verb's table. */
#define REDRAW_ROW(verb, place)                                                                  \
    {                                                                                            \
        0, "follow", NULL, "draw anew each second, while it is recorded", CLI_FLAG, place,       \
            .more = "Draw the table anew once a second, of a recording that is being written. "  \
                    "The operand may be a JVM that jfrkit records: its pid or main class. It "   \
                    "ends with ^C, with the recording of the JVM, or when the file is removed.", \
            .example = "jfrkit " verb " --follow 4711"                                           \
    }

struct redraw {
    const struct cli_command *command;
    int (*verb)(int argc, char **argv);
    struct cli_list *files; /* operands: in the process of a table that of the JVM is its file */
    const struct cli_run_options *run; /* to refuse what makes files */
    unsigned long *width; /* of a line; set to the terminal's if it is 0 */
};

/* Draws until the recording has ended, and once more then. Returns the exit code after it, or -1 in
 * the process that is to make a table. */
int redraw(const struct redraw *what, int argc, char **argv);

#endif
