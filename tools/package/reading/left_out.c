/*
 * left_out.c - the verbs that the static program does not have.
 *
 * They need libxml2 and libcurl. They stay in the list of verbs, so that a message says why they
 * are missing. Recording needs the agent's library beside the program.
 */
#include "tools/cli/cli.h"
#include "tools/rec/rec.h"
#include "tools/verbs.h"

#include <dlfcn.h>
#include <stddef.h>

static int report_left_out(const char *name)
{
    const struct cli_command command = {.name = name, .usage = "", .about = ""};

    cli_error(&command,
              "not in the static program: use the whole jfrkit, from a package or from its "
              "sources");
    return EXIT_FAILED;
}

#define LEFT_OUT(function, name)        \
    int function(int argc, char **argv) \
    {                                   \
        (void)argc, (void)argv;         \
        return report_left_out(name);   \
    }

LEFT_OUT(rec_settings, "jfrkit settings")
LEFT_OUT(verb_push, "jfrkit push")

/* In the place of libc's: a static program cannot load what was built for another libc. Callers go
 * on without the library. */
void *dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}

void *dlsym(void *restrict library, const char *restrict name)
{
    (void)library, (void)name;
    return NULL;
}
