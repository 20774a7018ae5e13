/*
 * slow_page.h - the page of jfrkit slow: its report, and the flame graph of all samples, which says
 * of each whether it lies in a slow scope, an ordinary one, or none.
 *
 *     rc = slow_page_open(&page, &command, slow, &select, &files);
 *     job = slow_page_job(&page);           reads what slow_job() reads, and the samples
 *     ... cli_run() ..., slow_finish(slow)
 *     rc = slow_page_write(&page, &options, out);
 *     slow_page_close(&page);               in any case
 *
 * Threads: one at a time; the job on any number.
 */
#ifndef TOOLS_OUTPUT_SLOW_PAGE_H
#define TOOLS_OUTPUT_SLOW_PAGE_H

#include "convert/driver/job_list.h"
#include "convert/profile/profile.h"
#include "convert/slow/write.h"
#include "tools/cli/select.h"

struct slow_page {
    const struct slow *slow;
    const struct cli_list *files;
    struct select *select;
    struct facets *facets;
    struct profile *profile;
    struct run_job jobs[2];
    struct job_list list;
    bool is_partial; /* it has only the samples of the scopes that are compared */
    char text[64];
};

/* `slow` was read; of the filters, those of time count for the samples, too. All is borrowed.
 * Returns 0, or the exit code to leave with, after a message. */
int slow_page_open(struct slow_page *page, const struct cli_command *command, struct slow *slow,
                   const struct cli_select_options *filters, const struct cli_list *files);
void slow_page_close(struct slow_page *page);

/* *page must stay where it is until the run has ended. */
struct run_job slow_page_job(struct slow_page *page);

/* Writes the page. Returns 0, the error of the output, or JFR_E_NOMEM. */
int slow_page_write(struct slow_page *page, const struct slow_text_options *options,
                    struct out *out);

#endif
