/* browser.h - shows a page that was written in the user's browser. */
#ifndef TOOLS_CLI_BROWSER_H
#define TOOLS_CLI_BROWSER_H

#include "tools/cli/cli.h"

/* Opens a file in the program that $BROWSER names, or else by xdg-open where there is a display.
 * Does not wait for it. Prints the file, and that there is no browser if there is none: that is no
 * error, since the page is written. */
void cli_open_browser(const struct cli_command *command, const char *path);

#endif
