/*
 * rewrite.c - what jfrcut, jfrcat and jfrannotate share: one output or numbered parts.
 *
 * Outputs are opened one after the other as convert/rewrite/run.h requests them. If the run fails,
 * all parts that were written are removed again.
 */
#include "tools/output/rewrite.h"

#include "convert/text/out.h"
#include "convert/text/compress.h"
#include "tools/cli/nothing.h"
#include "tools/cli/select.h"
#include "tools/cli/watch.h"
#include "jfrfmt/base/amount.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outputs {
    const char *name; /* of the one, or NULL */
    char stem[PATH_MAX]; /* of the parts */
    const char *packing; /* of the parts: ".gz" and so on, or "" */
    unsigned n; /* parts so far */
    bool has_parts;
    struct out_file *file; /* the current one */
    struct compress *pack; /* packs it; NULL: it is written as it is */
    struct out out; /* of the packed bytes */
    const char *refused; /* the input that a part would have replaced; NULL: none */
    struct jfr_error err;
};

static void part_name(const struct outputs *o, unsigned i, char name[PATH_MAX + 16])
{
    snprintf(name, PATH_MAX + 16, "%s_%u.jfr%s", o->stem, i, o->packing);
}

/* The parts are named after FILE; in a folder, or without a name, after the input. */
static bool set_stem(struct outputs *o, const char *output, const struct cli_list *files)
{
    const char *input =
        files->n == 0 || strcmp(files->items[0], "-") == 0 ? "part.jfr" : files->items[0];
    const char *slash = strrchr(input, '/'), *base = slash == NULL ? input : slash + 1;
    struct stat st;
    size_t n;

    o->packing = "";
    if (output == NULL || strcmp(output, "-") == 0)
        snprintf(o->stem, sizeof(o->stem), "%s", base);
    else if (stat(output, &st) == 0 && S_ISDIR(st.st_mode))
        snprintf(o->stem, sizeof(o->stem), "%s/%s", output, base);
    else {
        snprintf(o->stem, sizeof(o->stem), "%s", output);
        o->packing = compress_is_name(output) ? strrchr(output, '.') : "";
    }
    if (strlen(o->stem) + 1 == sizeof(o->stem))
        return false; /* cut */
    n = (size_t)out_stem_length(o->stem);
    o->stem[n] = '\0';
    return n > 0;
}

static bool has_ending(const char *name, const char *ending)
{
    size_t n = name == NULL ? 0 : strlen(name), m = strlen(ending);

    return n > m && strcmp(name + n - m, ending) == 0;
}

static int write_output_bytes(void *ctx, const void *bytes, size_t n)
{
    struct outputs *o = ctx;

    return o->pack != NULL ? compress_put(o->pack, bytes, n) : out_file_write(o->file, bytes, n);
}

static int patch_output_bytes(void *ctx, uint64_t at, const void *bytes, size_t n)
{
    struct outputs *o = ctx;

    return out_file_patch(o->file, at, bytes, n);
}

/* Begins to pack what goes into the file, if its name requests that. */
static int begin_pack(struct outputs *o, const char *name)
{
    if (!compress_is_name(name))
        return 0;
    o->out = out_to(o->file);
    o->pack = compress_new(name, &o->out);
    return o->pack == NULL ? jfr_fail(&o->err, JFR_E_NOMEM, 0, "out of memory") : 0;
}

static int end_pack(struct outputs *o)
{
    int rc = 0;

    if (o->pack != NULL) {
        rc = compress_end(o->pack);
        rc = rc == 0 ? out_flush(&o->out) : rc;
        out_free(&o->out);
    }
    o->pack = NULL;
    return rc;
}

static int commit_output(struct outputs *o)
{
    struct out_file *file = o->file;
    int rc = end_pack(o);

    o->file = NULL;
    if (rc == JFR_E_NOMEM) {
        out_file_abort(file);
        return jfr_fail(&o->err, rc, 0, "out of memory");
    }
    return file == NULL ? 0 : out_file_commit(file, &o->err);
}

static int next_sink(void *ctx, struct raw_sink *sink)
{
    struct outputs *o = ctx;
    char name[PATH_MAX + 16];

    if (commit_output(o) != 0)
        return JFR_E_IO;
    if (o->has_parts) {
        part_name(o, o->n, name);
        o->refused = out_file_same_input(name);
        if (o->refused != NULL)
            return CLI_REPORTED;
    }
    o->file = out_file_open(o->has_parts ? name : o->name, &o->err);
    if (o->file == NULL)
        return o->err.code;
    o->n++;
    if (begin_pack(o, o->has_parts ? name : o->name) != 0)
        return JFR_E_NOMEM;
    *sink = (struct raw_sink){
        write_output_bytes,
        o->pack == NULL && out_file_can_patch(o->file) ? patch_output_bytes : NULL, o};
    return 0;
}

/* Removes what a run that failed has written. */
static void take_back(struct outputs *o)
{
    char name[PATH_MAX + 16];

    (void)end_pack(o);
    out_file_abort(o->file);
    o->file = NULL;
    for (unsigned i = 0; o->has_parts && i < o->n; i++) {
        part_name(o, i, name);
        unlink(name);
    }
}

static void print_rewrite_statistics(const struct cli_command *command,
                                     const struct rewrite_run_result *result,
                                     const struct outputs *o)
{
    const struct rewrite_stats *s = &result->stats;
    char in[32], out[32];

    cli_error(command,
              "%" PRIu64 " chunks, %s read; %" PRIu64 " chunks, %s, %" PRIu64
              " events written to %u output%s",
              result->n_chunks, amount_bytes((int64_t)result->n_bytes, in), s->n_chunks,
              amount_bytes((int64_t)s->n_bytes, out), s->n_events, o->n, o->n == 1 ? "" : "s");
    if (s->n_undeclared + s->n_settings + s->n_damaged > 0)
        cli_error(command,
                  "left out: %" PRIu64 " events of types that are not declared, %" PRIu64
                  " settings of such, %" PRIu64 " events that cannot be decoded",
                  s->n_undeclared, s->n_settings, s->n_damaged);
}

static int finish(const struct cli_command *command, const struct cli_run_options *options,
                  const struct cli_list *files, const struct rewrite_run_options *run,
                  const struct rewrite_run_result *result, struct outputs *o)
{
    bool is_copied = run->verbatim && result->stats.n_chunks == 0;
    bool is_empty = !is_copied && result->stats.n_events == 0;
    const struct explain_question question = {
        .select = run->select, .paths = files->items, .n_paths = files->n};
    bool is_missing =
        cli_nothing(command, &question, is_empty, options->quiet) != 0 ||
        cli_unknown_key(command, annotate_context(run->annotate), files->items, files->n) != 0;

    if (options->verbose)
        print_rewrite_statistics(command, result, o);
    if (result->n_damages > 0 && options->strict) {
        take_back(o);
        cli_error(command, "the input is damaged (--strict)");
        return EXIT_FAILED;
    }
    if (is_empty && options->fail_empty) {
        take_back(o);
        return EXIT_EMPTY;
    }
    if (is_missing) {
        take_back(o);
        return EXIT_USAGE;
    }
    if (commit_output(o) != 0) {
        cli_report_error(command, NULL, &o->err);
        take_back(o);
        return EXIT_FAILED;
    }
    return result->n_damages > 0 ? EXIT_DAMAGED : EXIT_DONE;
}

static void show_progress(void *watch, const struct rewrite_run_result *so_far)
{
    const struct run_result r = {
        .chunks = so_far->n_chunks, .bytes = so_far->n_bytes, .path = so_far->path};

    cli_watch_continues(watch, &r);
}

int cli_rewrite(const struct cli_command *command, const struct cli_run_options *options,
                const struct cli_list *files, struct rewrite_run_options *run)
{
    struct outputs o = {.name = options->output};
    struct cli_watch watch;
    struct rewrite_run_result result;
    struct jfr_error err = {0};
    const char *err_path = NULL;
    uint64_t damages;
    int rc = cli_watch_start(&watch, command, options, files);

    cli_signals();
    if (rc != 0)
        return rc;
    if (has_ending(options->output, ".zip"))
        return cli_usage(command, "no zip is written: end the name with .gz, .zst or .lz4");
    o.has_parts = run->chunks_each > 0 || run->bytes_each > 0;
    if (o.has_parts && !set_stem(&o, options->output, files))
        return cli_usage(command, "cannot name parts after '%s'", options->output);
    if (!o.has_parts && cli_refuse_terminal(command, options->output,
                                            files->n == 0 ? NULL : files->items[0], "-new.jfr"))
        return EXIT_USAGE;
    watch.report.is_repair = run->repair;
    run->sources = (struct rewrite_sources){files->items, files->n, cli_report_damage, &watch};
    run->sink = next_sink;
    run->sink_ctx = &o;
    run->progress = show_progress;
    run->progress_ctx = &watch;
    damages = cli_report_contexts(&watch.report, select_context(run->select)) +
              cli_report_contexts(&watch.report, annotate_context(run->annotate));
    rc = rewrite_run(run, &result, &err, &err_path);
    result.n_damages += damages;
    watch.report.quiet |= rc != 0; /* the reason is printed below */
    cli_watch_end(&watch, &(struct run_result){0});
    if (rc == 0 && cli_select_report(command, run->select, options->quiet) != 0) {
        take_back(&o);
        return EXIT_USAGE;
    }
    if (rc == 0)
        return finish(command, options, files, run, &result, &o);
    if (o.refused != NULL) {
        char name[PATH_MAX + 16];

        part_name(&o, o.n, name);
        take_back(&o);
        return cli_usage(command,
                         "--split: '%s' is the same file as the input '%s': name another with -o",
                         name, o.refused);
    }
    if (err.code == 0 && o.err.code == 0 && o.file != NULL)
        commit_output(&o); /* it knows the first failed write, and keeps nothing after one */
    take_back(&o);
    if (err.code == 0)
        err = o.err;
    if (err.code == 0)
        jfr_fail(&err, rc, 0, "cannot make the output");
    cli_report_error(command, err_path, &err);
    return EXIT_FAILED;
}
