/*
 * flame.h - the command jfr2flame, also for commands that can write a page.
 *
 *     return cli_flame_main(argc, argv);
 */
#ifndef TOOLS_OUTPUT_FLAME_H
#define TOOLS_OUTPUT_FLAME_H

/* Reads recordings and writes a page as the options ask for; the exit code. */
int cli_flame_main(int argc, char **argv);

#endif
