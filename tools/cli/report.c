/*
 * report.c - prints messages about damaged or unreadable inputs in the form that all commands
 * share.
 *
 * A user wants to know which file is damaged, how much of it was used, and what to do: one line for
 * each file, after the run. Where exactly the damage is, a chunk and an offset, is printed with
 * --verbose.
 */
#include "tools/cli/report.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cli_damaged {
    char *path;
    uint64_t n_places; /* 0: only counted */
    uint64_t used; /* bytes of its chunks that were read */
    bool is_cut_off; /* its last chunk was not completed, which has consequences elsewhere */
};

static const char *shown_name(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? "standard input" : path;
}

/* The entry of an input, which is made if there is none. NULL: out of memory. */
static struct cli_damaged *find_input(struct cli_report *r, const char *path)
{
    char *name;

    for (size_t i = r->n; i-- > 0;)
        if (strcmp(r->damaged[i].path, path) == 0)
            return &r->damaged[i];
    name = strdup(path);
    if (name == NULL || !array_add(&r->damaged, r->n, sizeof(*r->damaged))) {
        free(name);
        return NULL;
    }
    r->damaged[r->n] = (struct cli_damaged){.path = name};
    return &r->damaged[r->n++];
}

void cli_report_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    struct cli_report *r = ctx;
    bool has_place = err->code != JFR_E_IO && err->code != JFR_E_NOMEM;
    struct cli_damaged *d = has_place ? find_input(r, path == NULL ? "-" : path) : NULL;

    if (d != NULL) {
        d->n_places++;
        d->is_cut_off |= err->code == JFR_E_CUT;
    }
    /* A limit is ours: the file may be whole. */
    if (r->quiet || (d != NULL && !r->has_places && err->code != JFR_E_LIMIT))
        return;
    cli_error_at(r->command,
                 &(struct cli_place){shown_name(path), has_place, err->chunk, err->offset}, "%s",
                 err->text);
}

void cli_report_used(struct cli_report *report, const char *path, uint64_t bytes)
{
    struct cli_damaged *d = find_input(report, path == NULL ? "-" : path);

    if (d != NULL)
        d->used += bytes;
}

/* "300.0 kB", "3.6 MB of 3.7 MB": of a compressed input only what was read is known. */
static void print_used(const struct cli_damaged *d, char *text, size_t room)
{
    struct stat st;
    int64_t size = stat(d->path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
    char used[32], all[32];

    if (d->used == 0) /* it was read for its contexts alone, or nothing was whole */
        text[0] = '\0';
    else if (size > (int64_t)d->used)
        snprintf(text, room, " (%s of %s)", amount_bytes((int64_t)d->used, used),
                 amount_bytes(size, all));
    else
        snprintf(text, room, " (%s)", amount_bytes((int64_t)d->used, used));
}

static void print_damaged(const struct cli_report *r, const struct cli_damaged *d)
{
    char what[140], used[60], advice[1100] = "";

    if (d->is_cut_off)
        snprintf(what, sizeof(what),
                 "cut off: the JVM was killed, or is still recording; what is there was used");
    else
        snprintf(what, sizeof(what), "damaged in %" PRIu64 " place%s%s; the rest was used",
                 d->n_places, d->n_places == 1 ? "" : "s", r->has_places ? "" : ", see -v");
    print_used(d, used, sizeof(used));
    if (!r->is_repair && strcmp(d->path, "-") != 0)
        snprintf(advice, sizeof(advice), "; to repair it: jfrkit cut --repair -o good.jfr %.1000s",
                 d->path);
    cli_error_at(r->command, &(struct cli_place){shown_name(d->path)}, "%s%s%s", what, used,
                 advice);
}

void cli_report_end(struct cli_report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        const struct cli_damaged *d = &report->damaged[i];

        if (d->n_places > 0 && !report->quiet && !report->is_log)
            print_damaged(report, d);
        free(d->path);
    }
    free(report->damaged);
    report->damaged = NULL;
    report->n = 0;
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
