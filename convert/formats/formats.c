/*
 * formats.c - the table of the formats, and the names under which they are found.
 *
 * The verb convert and the option --also look formats up by these names. A format has one name of
 * its own, which help and messages show, and may have aliases: the names of the programs that open
 * it, or of its file endings.
 */
#include "convert/formats/format.h"

#include <stdio.h>
#include <string.h>

static const struct format *const formats[] = {
#define FORMAT_ADDRESS(name) &format_##name,
    FORMATS(FORMAT_ADDRESS)
#undef FORMAT_ADDRESS
        NULL,
};

static const struct alias {
    const char *name, *format;
} aliases[] = {
    {"flame", "html"},   {"flamegraph", "html"},  {"perfetto", "trace"},
    {"chrome", "trace"}, {"folded", "collapsed"}, {"pb", "pprof"},
};

const char *format_own_name(const char *name)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (strcmp(aliases[i].name, name) == 0)
            return aliases[i].format;
    return name;
}

const struct format *const *format_list(void)
{
    return formats;
}

const struct format *format_named(const char *name)
{
    const char *own = format_own_name(name);

    for (size_t i = 0; formats[i] != NULL; i++)
        if (strcmp(formats[i]->name, own) == 0)
            return formats[i];
    return NULL;
}

const char *format_names(void)
{
    static char names[200]; /* the same text, whichever thread makes it */
    size_t n = 0;

    for (size_t i = 0; formats[i] != NULL; i++)
        n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "",
                              formats[i]->name);
    return names;
}
