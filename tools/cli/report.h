/* report.h - messages about inputs: damage, and errors of files. */
#ifndef TOOLS_CLI_REPORT_H
#define TOOLS_CLI_REPORT_H

#include "convert/context/context.h"
#include "tools/cli/cli.h"

struct cli_report {
    const struct cli_command *command;
    bool quiet;
};

/* "NAME: FILE: chunk 3, offset 0x1f20: TEXT"; ctx is a struct cli_report. For
 * run_options.on_damage. Chunks are counted from 1. A failure of the system or of memory has no
 * place in the file. */
void cli_report_damage(void *ctx, const char *path, const struct jfr_error *err);

/* The same of recordings that were read for their contexts only (--context-from). How many places;
 * c may be NULL. */
uint64_t cli_report_contexts(struct cli_report *report, const struct context *c);

/* "NAME: FILE: TEXT", also with --quiet. path NULL: the error is about no file. */
void cli_report_error(const struct cli_command *command, const char *path,
                      const struct jfr_error *err);

#endif
