/*
 * diff_page.h - the comparison of jfrdiff as a flame-graph page.
 *
 *     rc = diff_page_main(argc, argv);
 *     if (rc >= 0)
 *         return rc;
 */
#ifndef TOOLS_OUTPUT_DIFF_PAGE_H
#define TOOLS_OUTPUT_DIFF_PAGE_H

/* Writes the page that `jfr2flame --diff` makes of the same arguments when they ask for one: with
 * "-f flame", or an output whose name ends in .html and no format. The exit code, or -1 if they ask
 * for something else. */
int diff_page_main(int argc, char **argv);

#endif
