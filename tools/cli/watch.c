/*
 * watch.c - what happens beside a run over recordings: a line of progress on a terminal for what
 * takes more than a second, the limit of memory, and the messages about damage at the end.
 */
#include "tools/cli/watch.h"
#include "tools/cli/pager.h"

#include "convert/text/timespec.h"
#include "jfrfmt/base/amount.h"
#include "jfrfmt/base/now.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHOW_MS 100 /* between two lines */
#define PATIENCE_MS 1000 /* what takes less has no line */

/* Memory that is ours alone: without files that are mapped. 0 where the system does not say. */
static uint64_t memory_used(void)
{
    unsigned long long size = 0, resident = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f == NULL)
        return 0;
    if (fscanf(f, "%llu %llu %llu", &size, &resident, &shared) != 3 || shared > resident)
        resident = shared = 0;
    fclose(f);
    return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The size of a file that is a recording as it is; 0: of another one, how much it holds is not
 * known. */
static uint64_t plain_size(const char *path)
{
    char magic[4] = "";
    struct stat st;
    uint64_t size = 0;
    FILE *f;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || (f = fopen(path, "re")) == NULL)
        return 0;
    if (fread(magic, 1, sizeof(magic), f) == sizeof(magic) && memcmp(magic, "FLR", 4) == 0)
        size = (uint64_t)st.st_size;
    fclose(f);
    return size;
}

/* The bytes of all files; 0 if that of one is not known. */
static uint64_t total_size(const struct cli_list *files)
{
    uint64_t total = 0;

    for (size_t i = 0; i < files->n; i++) {
        uint64_t size = plain_size(files->items[i]);

        if (size == 0)
            return 0;
        total += size;
    }
    return total;
}

int cli_watch_start(struct cli_watch *w, const struct cli_command *command,
                    const struct cli_run_options *options, const struct cli_list *files)
{
    struct jfr_error err = {0};

    *w = (struct cli_watch){.report = {.command = command,
                                       .quiet = options->quiet,
                                       .has_places = options->verbose || options->log_json,
                                       .is_log = options->log_json},
                            .options = options,
                            .began_ms = now_ns(CLOCK_MONOTONIC) / 1000000};
    if (isatty(STDERR_FILENO) && !cli_pager_is_open())
        w->total = total_size(files);
    if (options->max_memory != NULL &&
        timespec_size(options->max_memory, &w->max_memory, &err) != 0)
        return cli_usage(command, "--max-memory: %s", err.text);
    return 0;
}

/* "1.2 GB of 3.6 GB, 33 %, 12 s left", or "12 chunks, 340.0 MB" where the total is not known. */
static void show(struct cli_watch *w, const struct run_result *so_far, int64_t now)
{
    double read = (double)so_far->bytes, total = (double)w->total;
    char line[130], done[32], all[32];

    if (w->total > 0 && read > 0 && read <= total)
        snprintf(line, sizeof(line), "%s of %s, %.0f %%, %.0f s left",
                 amount_bytes((int64_t)so_far->bytes, done), amount_bytes((int64_t)w->total, all),
                 100 * read / total, (double)(now - w->began_ms) / 1e3 * (total - read) / read);
    else
        snprintf(line, sizeof(line), "%" PRIu64 " chunks, %s", so_far->chunks,
                 amount_bytes((int64_t)so_far->bytes, done));
    cli_progress(w->report.command, line);
}

bool cli_watch_continues(void *watch, const struct run_result *so_far)
{
    struct cli_watch *w = watch;
    int64_t now = now_ns(CLOCK_MONOTONIC) / 1000000;

    if (so_far->bytes > w->bytes)
        cli_report_used(&w->report, so_far->path, so_far->bytes - w->bytes);
    w->bytes = so_far->bytes;
    if ((w->options->progress || (!w->options->quiet && now - w->began_ms >= PATIENCE_MS)) &&
        (w->shown_ms == 0 || now - w->shown_ms >= SHOW_MS)) {
        w->shown_ms = now;
        show(w, so_far, now);
    }
    return w->max_memory == 0 || memory_used() <= w->max_memory;
}

void cli_watch_end(struct cli_watch *w, struct run_result *result)
{
    char size[32];

    cli_progress(w->report.command, NULL);
    cli_report_end(&w->report);
    if (!result->is_cut)
        return;
    result->damages++;
    cli_error(w->report.command,
              "stopped at --max-memory %s after %" PRIu64 " chunks, %s; the rest is left out",
              w->options->max_memory, result->chunks, amount_bytes((int64_t)result->bytes, size));
}
