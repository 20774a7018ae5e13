/*
 * watch.h - reports damage, shows --progress and checks --max-memory while a command reads.
 *
 *     struct cli_watch watch;
 *     if ((rc = cli_watch_start(&watch, &command, &args.run)) != 0)
 *         return rc;
 *     run = (struct run_options){.on_damage = cli_report_damage, .go_on = cli_watch_go_on,
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
    int64_t shown_ms; /* when progress was shown last */
};

/* 0, or EXIT_USAGE after a message. The options are borrowed. */
int cli_watch_start(struct cli_watch *w, const struct cli_command *command,
                    const struct cli_run_options *options);

/* For run_options.go_on, with the watch as its context. */
bool cli_watch_go_on(void *watch, const struct run_result *so_far);

/* Takes the line of progress away. What was not read for lack of memory is told, and counts as
 * damage. */
void cli_watch_end(struct cli_watch *w, struct run_result *result);

#endif
