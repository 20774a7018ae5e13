#include "tools/cli/watch.h"

#include "convert/text/timespec.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SHOW_MS 100

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

int cli_watch_start(struct cli_watch *w, const struct cli_command *command,
                    const struct cli_run_options *options)
{
    struct jfr_error err = {0};

    *w = (struct cli_watch){.report = {command, options->quiet}, .options = options};
    if (options->max_memory != NULL &&
        timespec_size(options->max_memory, &w->max_memory, &err) != 0)
        return cli_usage(command, "--max-memory: %s", err.text);
    return 0;
}

static void show(struct cli_watch *w, const struct run_result *so_far)
{
    struct timespec now;
    int64_t ms;
    char line[100];

    clock_gettime(CLOCK_MONOTONIC, &now);
    ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (w->shown_ms != 0 && ms - w->shown_ms < SHOW_MS)
        return;
    w->shown_ms = ms;
    snprintf(line, sizeof(line), "%" PRIu64 " chunks, %.1f MB", so_far->chunks,
             (double)so_far->bytes / 1e6);
    cli_progress(w->report.command, line);
}

bool cli_watch_go_on(void *watch, const struct run_result *so_far)
{
    struct cli_watch *w = watch;

    if (w->options->progress)
        show(w, so_far);
    return w->max_memory == 0 || memory_used() <= w->max_memory;
}

void cli_watch_end(struct cli_watch *w, struct run_result *result)
{
    cli_progress(w->report.command, NULL);
    if (!result->is_cut)
        return;
    result->damages++;
    cli_error(w->report.command,
              "stopped at --max-memory %s behind %" PRIu64 " chunks, %.1f MB; the rest is left out",
              w->options->max_memory, result->chunks, (double)result->bytes / 1e6);
}
