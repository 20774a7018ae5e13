/* cli_page.h - a flame-graph page as the input of jfr2collapsed. */
#ifndef TOOLS_CLI_PAGE_H
#define TOOLS_CLI_PAGE_H

/* Prints the stacks of the page that the command line names as its only operand. The exit code; -1
 * when the operands are no page, or the command line cannot be told: then nothing was done. */
int cli_page_main(int argc, char **argv);

#endif
