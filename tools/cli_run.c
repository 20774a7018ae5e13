#include "tools/cli_run.h"

#include "convert/timespec.h"
#include "tools/cli_select.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MOST 256
#define SHOW_MS 100

#define AT(member) offsetof(struct cli_run_options, member)

const struct cli_option cli_run_table[CLI_RUN_N] = {
    {'o', "output", "FILE", "write to FILE, '-' is standard output", CLI_STRING, AT(output)},
    {'j', "jobs", "N", "threads (default: processors, at most 4)", CLI_UNSIGNED, AT(jobs)},
    {0, "strict", NULL, "fail when any of the input is damaged", CLI_FLAG, AT(strict)},
    {0, "fail-empty", NULL, "exit with 4 when nothing matched", CLI_FLAG, AT(fail_empty)},
    {'q', "quiet", NULL, "say nothing about damaged input", CLI_FLAG, AT(quiet)},
    {'v', "verbose", NULL, "say what was read", CLI_FLAG, AT(verbose)},
};

const struct cli_option cli_more_table[CLI_MORE_N] = {
    {0, "max-memory", "SIZE", "stop reading beyond SIZE (500MB), write what was read", CLI_STRING,
     AT(max_memory)},
    {0, "progress", NULL, "say on a terminal how much has been read", CLI_FLAG, AT(progress)},
    {0, "log-json", NULL, "messages as lines of JSON", CLI_FLAG, AT(log_json)},
    {0, "each", NULL, "an output for each input, in the folder -o or this one", CLI_FLAG, AT(each)},
};

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

void cli_report_error(const struct cli_command *command, const char *path,
                      const struct jfr_error *err)
{
    if (path == NULL)
        cli_error(command, "%s", err->text);
    else
        cli_error_at(command, &(struct cli_place){shown_name(path)}, "%s", err->text);
}

int cli_stem_length(const char *name)
{
    static const char *const endings[] = {".gz", ".zst", ".lz4", ".zip", ".jfr"};
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t m = strlen(endings[i]);

        if (n > m && memcmp(name + n - m, endings[i], m) == 0)
            n -= m;
    }
    return (int)n;
}

bool cli_refuse_terminal(const struct cli_command *command, const char *output, const char *input,
                         const char *suffix)
{
    const char *slash, *name = "out";

    if ((output != NULL && strcmp(output, "-") != 0) || !isatty(STDOUT_FILENO))
        return false;
    if (input != NULL && strcmp(input, "-") != 0) {
        slash = strrchr(input, '/');
        name = slash == NULL ? input : slash + 1;
    }
    cli_error(command, "not written to a terminal; try -o %.*s%s", cli_stem_length(name), name,
              suffix);
    return true;
}

enum cli_exit cli_exit_code(const struct cli_run_options *options, int rc,
                            const struct run_result *result, bool is_empty)
{
    if (rc < 0 || (result->damages > 0 && options->strict))
        return EXIT_FAILED;
    if (is_empty && options->fail_empty)
        return EXIT_EMPTY;
    return result->damages > 0 ? EXIT_DAMAGED : EXIT_DONE;
}

static void print_statistics(const struct cli_command *command, const struct run_result *result)
{
    cli_error(command, "%" PRIu64 " chunks, %.1f MB, %" PRIu64 " damaged places", result->chunks,
              (double)result->bytes / 1e6, result->damages);
}

static void *context(const struct cli_work *work)
{
    return work->ctx != NULL ? work->ctx : work->job->shared;
}

/* Runs begin, the job over all files and end. 0 or a negative code; what is known is in *err. */
static int run_work(const struct run_options *run, const struct cli_work *work, struct out *out,
                    struct run_result *result, struct jfr_error *err, const char **err_path)
{
    void *shared = context(work);
    int rc = work->begin == NULL ? 0 : work->begin(shared, out);

    if (rc == 0)
        rc = run_all(run, work->job, work->streams ? out : NULL, result, err, err_path);
    if (rc == 0 && work->end != NULL)
        rc = work->end(shared, out);
    return rc != 0 ? rc : out_flush(out);
}

/* Says why a run failed about which nobody said anything, and removes the output: commit() knows
 * the first failed write, and keeps nothing after one. */
static void explain(struct out_file *file, bool write_failed, int rc, struct jfr_error *err)
{
    if (write_failed && err->code == 0)
        out_file_commit(file, err);
    else
        out_file_abort(file);
    if (err->code == 0)
        jfr_fail(err, rc, 0, rc == JFR_E_NOMEM ? "out of memory" : "cannot make the output");
}

/* Keeps or removes the output, and says what is to be said. */
static int finish(const struct cli_command *command, const struct cli_run_options *options,
                  const struct run_result *result, bool is_empty, struct out_file *file)
{
    enum cli_exit code = cli_exit_code(options, 0, result, is_empty);
    struct jfr_error err = {0};

    if (options->verbose)
        print_statistics(command, result);
    if (code == EXIT_FAILED || code == EXIT_EMPTY) {
        out_file_abort(file);
        if (code == EXIT_FAILED)
            cli_error(command, "the input is damaged (--strict)");
        return code;
    }
    if (out_file_commit(file, &err) == 0)
        return code;
    cli_report_error(command, NULL, &err);
    return EXIT_FAILED;
}

/* What is told about while it runs. */
struct watch {
    struct cli_report report;
    const struct cli_work *work;
    bool shows; /* progress */
    int64_t shown_ms; /* when it was shown last */
    uint64_t max_memory;
};

static void on_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    struct watch *d = ctx;

    cli_report_damage(&d->report, path, err);
    if (d->work->damaged != NULL)
        d->work->damaged(d->work->job->shared, path, err);
}

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

static void show(struct watch *w, const struct run_result *so_far)
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

static bool go_on(void *ctx, const struct run_result *so_far)
{
    struct watch *w = ctx;

    if (w->shows)
        show(w, so_far);
    return w->max_memory == 0 || memory_used() <= w->max_memory;
}

/* What was not read for lack of memory counts as damage. */
static void tell_cut(const struct cli_command *command, const struct cli_run_options *options,
                     struct run_result *result)
{
    if (!result->is_cut)
        return;
    result->damages++;
    cli_error(command,
              "stopped at --max-memory %s behind %" PRIu64 " chunks, %.1f MB; the rest is left out",
              options->max_memory, result->chunks, (double)result->bytes / 1e6);
}

int cli_run(const struct cli_command *command, const struct cli_run_options *options,
            const struct cli_list *files, const struct cli_work *work)
{
    struct watch watch = {
        .report = {command, options->quiet}, .work = work, .shows = options->progress};
    struct run_options run = {.paths = files->items,
                              .n_paths = files->n,
                              .jobs =
                                  options->jobs < JOBS_MOST ? (unsigned)options->jobs : JOBS_MOST,
                              .pool_rule = work->pool_rule,
                              .on_damage = on_damage,
                              .go_on = go_on,
                              .ctx = &watch};
    struct run_result result = {0};
    struct jfr_error err = {0};
    const char *err_path = NULL;
    struct out_file *file;
    struct out out;
    int rc;

    cli_signals();
    if (options->max_memory != NULL &&
        timespec_size(options->max_memory, &watch.max_memory, &err) != 0)
        return cli_usage(command, "--max-memory: %s", err.text);
    if (work->suffix != NULL &&
        cli_refuse_terminal(command, options->output, files->n == 0 ? NULL : files->items[0],
                            work->suffix))
        return EXIT_USAGE;
    file = out_file_open(options->output, &err);
    if (file == NULL) {
        cli_report_error(command, NULL, &err);
        return EXIT_FAILED;
    }
    out = out_to(file);
    rc = run_work(&run, work, &out, &result, &err, &err_path);
    cli_progress(command, NULL);
    tell_cut(command, options, &result);
    out_free(&out);
    if (rc == 0 && cli_select_told(command, work->select, options->quiet) != 0)
        rc = CLI_TOLD;
    if (rc == 0)
        return finish(command, options, &result,
                      work->is_empty != NULL && work->is_empty(context(work)), file);
    if (rc == CLI_TOLD) {
        out_file_abort(file);
        return EXIT_USAGE;
    }
    explain(file, out.rc == JFR_E_IO, rc, &err);
    cli_report_error(command, err_path, &err);
    return EXIT_FAILED;
}
