/* result.h - what is printed about a recording that has just ended, and its page in a browser. */
#ifndef TOOLS_REC_RESULT_H
#define TOOLS_REC_RESULT_H

#include "tools/rec/rec.h"

extern const struct cli_set rec_result_set; /* --report, --open */

/* Checks --report. 0, or EXIT_USAGE after a message. */
int rec_result_check(const struct cli_command *command, const struct rec_args *args);

/* Prints what --report requests to standard output: "short", the top methods and users; "none"; or
 * a view of jfrkit view. With args->json it prints the short report as JSON. With --open it writes
 * the flame graph page `page` (NULL: the recording's name with .html), prints its name and opens a
 * browser. `shown` is the name of the recording in JSON. Returns an exit code; messages go to
 * standard error. */
int rec_result(const struct cli_command *command, const struct rec_args *args, const char *file,
               const char *shown, const char *page);

#endif
