#include "tools/cli/min_group.h"

#include <math.h>
#include <stdlib.h>

int cli_least_read(const struct cli_command *command, const char *text, struct least *least)
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
        least->share = v / 100;
    else
        least->samples = (uint64_t)v;
    return 0;
}
