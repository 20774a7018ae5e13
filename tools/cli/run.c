/*
 * run.c - runs a job over the inputs of a command: output file, messages, statistics, exit code.
 *
 * Programs call cli_run() after they have parsed their options. The output gets its final name only
 * if the run succeeds; what an input lacks or has damaged is reported here, once.
 */
#include "tools/cli/run.h"

#include "tools/cli/nothing.h"
#include "tools/cli/select.h"
#include "tools/cli/watch.h"
#include "jfrfmt/base/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MOST 256

#define AT(member) offsetof(struct cli_run_options, member)

static const struct cli_option rows[] = {
    {'o', "output", "FILE", "write to FILE; '-' is standard output", CLI_STRING, AT(output),
     .more = "Write to a file, which appears when it is complete, or not at all. '-' is "
             "standard output, which is the default; only jfrcut and jfrcat need the option.",
     .example = "jfrkit table -o users.txt --by user app.jfr"},
    {'q', "quiet", NULL, "print no warnings about damaged input", CLI_FLAG, AT(quiet),
     .more = "Print no warnings about damaged input, and no progress. An output that "
             "reports damage itself still does."},
    {'v', "verbose", NULL, "print what was read, and where it is damaged", CLI_FLAG, AT(verbose),
     .more = "Print what was read and written, and where an input is damaged: the chunk and "
             "the offset. Profiles also print how many samples had no stack, jfrannotate "
             "how many events have a context."},
    {0, "strict", NULL, "fail if any of the input is damaged", CLI_FLAG, AT(strict)},
    {0, "fail-empty", NULL, "exit with 4 if nothing matches", CLI_FLAG, AT(fail_empty),
     .more = "Exit with 4 if there is nothing to show: no stack, event, row or type. jfrcut "
             "and jfrcat then write nothing."},
    {'j', "jobs", "N", "number of threads", CLI_UNSIGNED, AT(jobs), .def = "processors, at most 4",
     .more = "Use this many threads. The output does not depend on it. Work that depends on "
             "the order of the events is done by one thread.",
     .example = "jfrkit convert -f collapsed -j 1 app.jfr"},
    {0, "max-memory", "SIZE", "stop reading at SIZE (500MB), write what was read", CLI_STRING,
     AT(max_memory),
     .more = "Stop after a chunk if the program uses more memory than this (500MB), and "
             "write what was read. The exit code is 3. k, M and G, also as kB, MB and GB, "
             "are powers of 1024.",
     .example = "jfrkit flame --max-memory 500MB -o app.html app.jfr"},
    {0, "max-unpacked", "SIZE", "stop where compressed input unpacks to more (64G)", CLI_STRING,
     AT(max_unpacked),
     .more = "Stop reading a compressed input that unpacks to more than this. k, M and G, "
             "also as kB, MB and GB, are powers of 1024. Default: 64G, or 200 times what "
             "was read of the input, but at least 1G.",
     .example = "jfrkit info --max-unpacked 10G app.jfr.zst"},
    {0, "progress", NULL, "show on a terminal from the start how much was read", CLI_FLAG,
     AT(progress),
     .more = "Show on a terminal the bytes read, the share of the whole and the time left, "
             "from the start. Default: show them after one second."},
    {0, "log-json", NULL, "print messages as lines of JSON", CLI_FLAG, AT(log_json),
     .more = "Print messages as lines of JSON with program and text, for damage also with "
             "file, chunk and offset.",
     .example = "jfrkit info --log-json app.jfr"},
    {0, "each", NULL, "one output for each input, in the folder -o or here", CLI_FLAG, AT(each),
     .more = "Write one output for each recording, with the recording's name, into the "
             "folder that -o names, which is made if it does not exist. Default: the "
             "current folder. The exit code is that of the worst result.",
     .example = "jfrkit convert -f collapsed --each -o out day"},
    {0, "per", "KEY", "one output for each value of a context key", CLI_STRING, AT(per),
     .more = "Write one output for each value of a context key, into the folder that -o "
             "names: for the value alice of the key user the file is called user-alice with "
             "the format's ending. Events without a value are in no output. The recordings "
             "are read once to find the values and once more for each value. More than 1000 "
             "values are an error, and nothing is written.",
     .example = "jfrkit convert -f collapsed --per user -o out app.jfr"},
};

const struct cli_set cli_run_set = CLI_SET("Output", rows, 3);

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
    cli_error(command, "not written to a terminal; try -o %.*s%s", out_stem_length(name), name,
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
    char size[32];

    cli_error(command, "%" PRIu64 " chunks, %s, %" PRIu64 " damaged places", result->chunks,
              amount_bytes((int64_t)result->bytes, size), result->damages);
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

/* Finds the reason of a failure that was not reported yet, and removes the output: commit() has the
 * first failed write, and keeps nothing after one. */
static void explain_failure(struct out_file *file, bool write_failed, int rc, struct jfr_error *err)
{
    if (write_failed && err->code == 0)
        out_file_commit(file, err);
    else
        out_file_abort(file);
    if (err->code == 0)
        jfr_fail(err, rc, 0, rc == JFR_E_NOMEM ? "out of memory" : "cannot make the output");
}

/* Keeps or removes the output, and reports damage, empty results and statistics. Returns the exit
 * code. */
static int finish(const struct cli_command *command, const struct cli_run_options *options,
                  const struct run_result *result, const struct cli_list *files,
                  const struct cli_work *work, struct out_file *file)
{
    bool is_empty = work->is_empty != NULL && work->is_empty(context(work));
    const struct explain_question question = {.select = work->select,
                                              .kind = work->kind,
                                              .is_profile = work->is_profile,
                                              .types = work->types,
                                              .paths = files->items,
                                              .n_paths = files->n};
    enum cli_exit code = cli_exit_code(options, 0, result, is_empty);
    struct jfr_error err = {0};

    if (options->verbose)
        print_statistics(command, result);
    /* What was not read after --max-memory may have it. */
    if (!result->is_cut && cli_nothing(command, &question, is_empty, options->quiet) != 0 &&
        code != EXIT_EMPTY)
        code = EXIT_USAGE;
    if (code == EXIT_USAGE) {
        out_file_abort(file);
        return code;
    }
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

/* What the reports of a run need. */
struct reporting {
    struct cli_watch watch;
    const struct cli_work *work;
};

static void on_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    struct reporting *r = ctx;

    cli_report_damage(&r->watch.report, path, err);
    if (r->work->damaged != NULL)
        r->work->damaged(r->work->job->shared, path, err);
}

static bool go_on_with_run(void *ctx, const struct run_result *so_far)
{
    struct reporting *r = ctx;

    return cli_watch_continues(&r->watch, so_far);
}

int cli_run(const struct cli_command *command, const struct cli_run_options *options,
            const struct cli_list *files, const struct cli_work *work)
{
    struct reporting reporting = {.work = work};
    struct run_options run = {.paths = files->items,
                              .n_paths = files->n,
                              .jobs =
                                  options->jobs < JOBS_MOST ? (unsigned)options->jobs : JOBS_MOST,
                              .pool_rule = work->pool_rule,
                              .on_damage = on_damage,
                              .go_on = go_on_with_run,
                              .ctx = &reporting};
    struct run_result result = {0};
    struct jfr_error err = {0};
    const char *err_path = NULL;
    struct out_file *file;
    struct out out;
    uint64_t damages;
    int rc = cli_watch_start(&reporting.watch, command, options, files);

    cli_signals();
    if (rc != 0)
        return rc;
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
    damages = cli_report_contexts(&reporting.watch.report, select_context(work->select));
    rc = run_work(&run, work, &out, &result, &err, &err_path);
    result.damages += damages;
    cli_watch_end(&reporting.watch, &result);
    out_free(&out);
    if (rc == 0 && cli_select_report(command, work->select, options->quiet) != 0)
        rc = CLI_REPORTED;
    if (rc == 0)
        return finish(command, options, &result, files, work, file);
    if (rc == CLI_REPORTED) {
        out_file_abort(file);
        return EXIT_USAGE;
    }
    explain_failure(file, out.rc == JFR_E_IO, rc, &err);
    if (out.rc != JFR_E_LIMIT) /* which limit.c has reported */
        cli_report_error(command, err_path, &err);
    return EXIT_FAILED;
}
