#include "convert/formats/format.h"

#include <stdio.h>
#include <string.h>

static const struct format *const formats[] = {
    &format_collapsed, &format_flame, &format_pprof, &format_otlp,       &format_speedscope,
    &format_firefox,   &format_csv,   &format_d3,    &format_nested_set, NULL,
};

const struct format *const *format_list(void)
{
    return formats;
}

const struct format *format_named(const char *name)
{
    for (size_t i = 0; formats[i] != NULL; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const char *format_names(void)
{
    static char names[200]; /* the same text whoever makes it */
    size_t n = 0;

    for (size_t i = 0; formats[i] != NULL; i++)
        n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "",
                              formats[i]->name);
    return names;
}
