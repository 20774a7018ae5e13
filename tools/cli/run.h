/*
 * run.h - what every converter's main does beside its own options.
 *
 *     struct args { struct cli_run_options run; struct json_options json; };
 *     static const struct cli_table tables[] = {
 *         {NULL, options, N, offsetof(struct args, json)},
 *         {&cli_run_set, offsetof(struct args, run)},
 *     };
 *     if ((rc = cli_parse(&command, argc, argv, &args, &files)) >= 0)
 *         return rc;
 *     work = (struct cli_work){.job = &job, .streams = true, .begin = ..., .end = ...};
 *     rc = cli_run(&command, &args.run, &files, &work);
 *     cli_list_free(&files);
 *     return rc;
 */
#ifndef TOOLS_CLI_RUN_H
#define TOOLS_CLI_RUN_H

#include "convert/driver/run.h"
#include "convert/select/select.h"
#include "tools/cli/report.h"
#include "tools/cli/run_options.h"

#define CLI_REPORTED (-1000) /* end() has reported itself what does not exist: EXIT_USAGE */

struct cli_work {
    const struct run_job *job;
    void *ctx; /* what begin, end and is_empty get; NULL: the job's `shared` */
    enum jfr_pool_rule pool_rule;
    bool streams; /* chunk() writes; else nothing is written before end() */
    int (*begin)(void *shared, struct out *out); /* before the first chunk; may be NULL */
    int (*end)(void *shared, struct out *out); /* after the last one; may be NULL */
    bool (*is_empty)(const void *shared); /* nothing matched? NULL: never */
    /* Called for every damaged place, for a report of its own; may be NULL. */
    void (*damaged)(void *shared, const char *path, const struct jfr_error *err);
    const struct select *select; /* whose notes are printed after the run; NULL: none */
    const char *kind; /* of --kind, to say why nothing matched; NULL: none */
    bool is_profile; /* only event types with stacks count */
    const char *types; /* the only event types that count, for a message; NULL: any */
    const char *suffix; /* ".html": not for a terminal, and how a file would be named; NULL: text */
};

/* Installs cli_signals(), runs the job over the files and writes the output, whole or not at all.
 * Returns the exit code. Messages go to standard error, those about damage only without --quiet.
 * Nothing is left under the output's name after EXIT_FAILED (--strict makes that of any damage) and
 * after EXIT_EMPTY (which --fail-empty requests, and which counts before damage). */
int cli_run(const struct cli_command *command, const struct cli_run_options *options,
            const struct cli_list *files, const struct cli_work *work);

/* The parts, for commands that read in another way. */

/* True, after a message that names a file to write to instead, when `output` is standard output and
 * that is a terminal. `input` may be NULL. */
bool cli_refuse_terminal(const struct cli_command *command, const char *output, const char *input,
                         const char *suffix);

/* The exit code of a run that ended well or badly (rc), see enum cli_exit. */
enum cli_exit cli_exit_code(const struct cli_run_options *options, int rc,
                            const struct run_result *result, bool is_empty);

#endif
