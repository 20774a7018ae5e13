/* limit.h - --size-limit: an output that would be larger is none. */
#ifndef TOOLS_OUTPUT_LIMIT_H
#define TOOLS_OUTPUT_LIMIT_H

#include "convert/text/out.h"
#include "tools/cli/cli.h"

struct cli_limit {
    const struct cli_command *command;
    const char *text; /* as given */
    const char *advice; /* what makes the output smaller */
    uint64_t most, written; /* bytes; most 0: no limit */
    int (*drain)(struct out *out); /* what is limited, and its ctx */
    void *drain_ctx;
};

/* Reads the option; text NULL: there is none. 0, or EXIT_USAGE after a message. */
int cli_limit_read(struct cli_limit *l, const struct cli_command *command, const char *text,
                   const char *advice);

/* From here on the output fails with JFR_E_LIMIT, after a message, when it gets too large. *l must
 * outlive its last flush. */
void cli_limit_set(struct cli_limit *l, struct out *out);

#endif
