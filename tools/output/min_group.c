#include "tools/output/min_group.h"

#include <math.h>
#include <stdlib.h>

int cli_min_group_read(const struct cli_command *command, const char *text,
                       struct min_group *min_group)
{
    double v;
    char *end;

    if (text == NULL)
        return 0;
    v = strtod(text, &end);
    if (*text < '0' || *text > '9' || !(v <= 1e15) ||
        (*end == '%' ? end[1] != '\0' || v > 100 : *end != '\0' || v != floor(v)))
        return cli_usage(command, "--min-group: '%s' is neither samples (10) nor a share (1%%)",
                         text);
    if (*end == '%')
        min_group->share = v / 100;
    else
        min_group->samples = (uint64_t)v;
    return 0;
}
