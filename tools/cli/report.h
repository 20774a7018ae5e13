/*
 * report.h - messages about inputs: damage, and errors of files.
 *
 *     struct cli_report report = {.command = &command, .quiet = options->quiet};
 *     run.on_damage = cli_report_damage; run.ctx = &report; ... run_all() ...
 *     cli_report_end(&report);
 */
#ifndef TOOLS_CLI_REPORT_H
#define TOOLS_CLI_REPORT_H

#include "convert/context/context.h"
#include "tools/cli/cli.h"

struct cli_damaged; /* an input with damage */

struct cli_report {
    const struct cli_command *command;
    bool quiet; /* no messages about damage */
    bool has_places; /* a message for each place, as for --verbose */
    bool is_log; /* nothing but these, for programs (--log-json) */
    bool is_repair; /* the command repairs: no advice to do so */
    struct cli_damaged *damaged; /* n of them; freed by cli_report_end() */
    size_t n;
};

/* Counts a place that is damaged; ctx is a struct cli_report. With has_places it prints "NAME:
 * FILE: chunk 3, offset 0x1f20: TEXT" (chunks are counted from 1). A failure of the system or of
 * memory is printed in any case and has no place. For run_options.on_damage. */
void cli_report_damage(void *ctx, const char *path, const struct jfr_error *err);

/* Adds to what was read of an input. */
void cli_report_used(struct cli_report *report, const char *path, uint64_t bytes);

/* Prints a line for each input with damage, in plain words: what is wrong, how much was used, how
 * to repair it. */
void cli_report_end(struct cli_report *report);

/* Counts the damage of recordings that were read for their contexts only (--context-from). Returns
 * how many places; c may be NULL. */
uint64_t cli_report_contexts(struct cli_report *report, const struct context *c);

/* "NAME: FILE: TEXT", also with --quiet. path NULL: the error is about no file. */
void cli_report_error(const struct cli_command *command, const char *path,
                      const struct jfr_error *err);

#endif
