/* min_group.h - --min-group: a number of samples or a share of all, below which groups are one. */
#ifndef TOOLS_OUTPUT_MIN_GROUP_H
#define TOOLS_OUTPUT_MIN_GROUP_H

#include "convert/select/min_group.h"
#include "tools/cli/cli.h"

#define CLI_LEAST_HELP "show groups of fewer samples (10, 1%) as (others)"

/* Reads the option; text NULL: there is none. 0, or EXIT_USAGE after a message. */
int cli_min_group_read(const struct cli_command *command, const char *text,
                       struct min_group *min_group);

#endif
