/*
 * watch.h - reports damage, shows --progress and checks --max-memory while a command reads.
 *
 *     struct cli_watch watch;
 *     if ((rc = cli_watch_start(&watch, &command, &args.run)) != 0)
 *         return rc;
 *     run = (struct run_options){.on_damage = cli_report_damage, .go_on = cli_watch_continues,
 *                                .ctx = &watch};
 *     rc = run_all(&run, ...);
 *     cli_watch_end(&watch, &result);
 */
#ifndef TOOLS_CLI_WATCH_H
#define TOOLS_CLI_WATCH_H

#include "convert/driver/run.h"
#include "tools/cli/report.h"
#include "tools/cli/run_options.h"

struct cli_watch {
    struct cli_report report; /* the first, so that a watch is the context of both callbacks */
    const struct cli_run_options *options;
    uint64_t max_memory; /* bytes; 0: no limit */
    uint64_t total; /* bytes of all inputs; 0: not known */
    uint64_t bytes; /* read so far */
    int64_t began_ms, shown_ms; /* clock: at the start, when progress was shown last */
};

/* 0, or EXIT_USAGE after a message. The options are borrowed. */
int cli_watch_start(struct cli_watch *w, const struct cli_command *command,
                    const struct cli_run_options *options, const struct cli_list *files);

/* For run_options.go_on, with the watch as its context. */
bool cli_watch_continues(void *watch, const struct run_result *so_far);

/* Removes the line of progress and prints what is damaged. What was not read for lack of memory is
 * reported, and counts as damage. */
void cli_watch_end(struct cli_watch *w, struct run_result *result);

#endif
