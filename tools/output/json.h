/* json.h - the options of jfr2json, and what they mean. */
#ifndef TOOLS_OUTPUT_JSON_H
#define TOOLS_OUTPUT_JSON_H

#include "convert/json/json.h"
#include "tools/output/profile.h"

struct cli_json {
    const char *layout, *compat, *anchor, *stack_depth, *numbers, *head, *sample;
    struct cli_list fields;
    unsigned long nesting;
    bool with_context;
};

struct cli_json_args {
    struct cli_json json;
    struct cli_profile_args profile; /* select and run for all layouts; the rest for d3 */
};

/* The last ones say how many events; for jfr2csv too. */
extern const struct cli_set cli_json_set;

/* 0, or EXIT_USAGE after a message. *to borrows the arguments. */
int cli_json_options(const struct cli_command *command, const struct cli_json *from,
                     struct json_options *to);

/* Prints events in the layout that the options ask for. Returns the exit code. The caller closes
 * args->profile. */
int cli_json_main(const struct cli_command *command, struct cli_json_args *args,
                  const struct cli_list *files);

/* Prints the events of the files that `select` wants. Returns the exit code. */
int cli_json_run(const struct cli_command *command, const struct cli_run_options *run,
                 const struct cli_list *files, const struct json_options *opt,
                 struct select *select);

/* After a run that did not fail: unless quiet, says how many events could not be decoded. */
void cli_json_report_undeclared(const struct cli_command *command, const struct json *json,
                                bool quiet);

#endif
