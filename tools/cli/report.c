/* report.c - prints messages about damaged or unreadable inputs in the form that all commands
 * share. */
#include "tools/cli/report.h"

#include <inttypes.h>
#include <string.h>

static const char *shown_name(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? "standard input" : path;
}

void cli_report_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    const struct cli_report *report = ctx;

    if (report->quiet)
        return;
    cli_error_at(report->command,
                 &(struct cli_place){shown_name(path),
                                     err->code != JFR_E_IO && err->code != JFR_E_NOMEM, err->chunk,
                                     err->offset},
                 "%s", err->text);
}

uint64_t cli_report_contexts(struct cli_report *report, const struct context *c)
{
    const struct jfr_error *err;
    const char *path;
    size_t n = 0;

    for (; c != NULL && (err = context_damage(c, n, &path)) != NULL; n++)
        cli_report_damage(report, path, err);
    return n;
}

void cli_report_error(const struct cli_command *command, const char *path,
                      const struct jfr_error *err)
{
    if (path == NULL)
        cli_error(command, "%s", err->text);
    else
        cli_error_at(command, &(struct cli_place){shown_name(path)}, "%s", err->text);
}
