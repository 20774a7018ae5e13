/* read_text.c - reads a file or standard input to its end, in pieces, since a pipe has no size. */
#include "tools/cli/read_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PIECE ((size_t)1 << 16)

bool cli_read_text(const struct cli_command *command, const char *path, struct buf *text)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    size_t n = 1;
    bool ok;

    while (file != NULL && n > 0 && buf_reserve(text, PIECE)) {
        n = fread(text->p + text->n, 1, PIECE, file);
        text->n += n;
    }
    ok = file != NULL && !ferror(file) && buf_ok(text);
    if (!ok)
        cli_error(command, "%s: %s", path, !buf_ok(text) ? "out of memory" : strerror(errno));
    if (file != NULL && file != stdin)
        fclose(file);
    return ok;
}
