/* jfc_parse.c - .jfc files, for the static program: it has no XML parser, and says so. */
#include "config/jfc_internal.h"

int jfc_read_memory(struct jfc *c, const char *name, const void *bytes, size_t n,
                    struct jfc_error *err)
{
    (void)c, (void)bytes, (void)n;
    return jfc_fail(
        err, JFC_E_FORMAT, name, 0,
        "this program reads no .jfc files: use the whole jfrkit, from a package or from "
        "its sources");
}
