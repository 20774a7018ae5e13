/*
 * output.c - runs a profile once and writes it in all formats that were requested.
 *
 * A command of its own format (flame, table) brings its job as struct cli_work; for the others
 * cli_output_main() is the whole command. Outputs of --also appear together with the command's own,
 * or not at all.
 */
#include "tools/output/output.h"

#include "convert/driver/job_list.h"
#include "tools/output/limit.h"

#include <inttypes.h>
#include <string.h>

#define OUTPUTS_MOST 16
#define JOBS_MOST (FORMAT_JOBS * (OUTPUTS_MOST + 1) + 1)

struct output { /* one of --also */
    const struct format *format;
    const char *path;
    struct measures *measures; /* of labelled formats: its own */
    void *state; /* of formats that gather for themselves */
    struct out_file *file;
};

struct outputs {
    const struct cli_command *command;
    struct output list[OUTPUTS_MOST];
    size_t n;
    struct profile *own; /* NULL: the command's serves */
    const struct profile *profile; /* for formats without labels */
    struct run_job jobs[JOBS_MOST];
    size_t n_jobs;
    struct cli_work *work; /* the command's */
    void *ctx; /* of its functions */
    struct jfr_error err; /* of a file of --also */
};

/* --- what --also says ------------------------------------------------------------------------- */

static bool is_stdout(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

static bool is_same_output(const char *a, const char *b)
{
    return is_stdout(a) ? is_stdout(b) : !is_stdout(b) && strcmp(a, b) == 0;
}

/* "pprof=a.pb.gz". 0 or EXIT_USAGE after a message. */
static int read_output(struct outputs *o, const char *text, const char *main_path)
{
    const char *equals = strchr(text, '=');
    struct output *to = &o->list[o->n];
    char name[32] = "";

    if (o->n == OUTPUTS_MOST)
        return cli_usage(o->command, "--also: more than %d", OUTPUTS_MOST);
    if (equals == NULL || equals[1] == '\0')
        return cli_usage(o->command, "--also: '%s' is not FORMAT=FILE", text);
    if ((size_t)(equals - text) < sizeof(name))
        memcpy(name, text, (size_t)(equals - text));
    *to = (struct output){.format = format_named(name), .path = equals + 1};
    if (to->format == NULL)
        return cli_usage(o->command, "--also: '%.*s' is none of %s", (int)(equals - text), text,
                         format_names());
    if (is_same_output(to->path, main_path))
        return cli_usage(o->command, "--also: '%s' is written already", to->path);
    for (size_t i = 0; i < o->n; i++)
        if (is_same_output(to->path, o->list[i].path))
            return cli_usage(o->command, "--also: '%s' is written already", to->path);
    if (to->format->is_binary &&
        cli_refuse_terminal(o->command, to->path, NULL, to->format->suffix))
        return EXIT_USAGE;
    o->n++;
    return 0;
}

/* --- running ---------------------------------------------------------------------------------- */

static bool add_jobs(struct outputs *o, const struct profile_options *opt)
{
    struct profile_options plain = *opt;
    bool needs_profile = false;

    plain.facets = NULL; /* those are the command's own */
    for (size_t i = 0; i < o->n; i++) {
        struct output *out = &o->list[i];

        needs_profile |= !out->format->is_labelled;
        if (!out->format->is_labelled)
            continue;
        if (out->format->open != NULL) {
            out->state = out->format->open(&plain);
            if (out->state == NULL)
                return false;
            o->n_jobs += out->format->jobs(out->state, o->jobs + o->n_jobs);
            continue;
        }
        out->measures = measures_new(&plain, out->format->is_single);
        if (out->measures == NULL)
            return false;
        o->jobs[o->n_jobs++] = measures_job(out->measures);
    }
    if (!needs_profile || o->profile != NULL)
        return true;
    o->profile = o->own = profile_new(&plain);
    if (o->own == NULL)
        return false;
    o->jobs[o->n_jobs++] = profile_job(o->own);
    return true;
}

static int write_output(struct outputs *o, struct output *to)
{
    struct out out;
    int rc;

    to->file = out_file_open(to->path, &o->err);
    if (to->file == NULL)
        return JFR_E_IO;
    out = out_to(to->file);
    if (to->state != NULL) {
        rc = to->format->write(to->state, &out);
    } else if (to->format->is_labelled) {
        rc = measures_finish(to->measures);
        if (rc == 0)
            rc = to->format->measures(to->measures, &out);
    } else {
        rc = to->format->profile(o->profile, &out);
    }
    if (rc == 0)
        rc = out_flush(&out);
    out_free(&out);
    if (rc == JFR_E_IO) {
        out_file_commit(to->file, &o->err); /* which says what was wrong */
        to->file = NULL;
    }
    return rc;
}

/* The command's own output first: it finishes the profile. */
static int end(void *shared, struct out *out)
{
    struct outputs *o = shared;
    int rc = o->work->end(o->ctx, out);

    if (rc == 0 && o->own != NULL)
        rc = profile_finish(o->own);
    for (size_t i = 0; i < o->n && rc == 0; i++)
        rc = write_output(o, &o->list[i]);
    if (rc != 0 && o->err.code != 0)
        cli_error(o->command, "%s", o->err.text);
    return rc;
}

static bool is_empty(const void *shared)
{
    const struct outputs *o = shared;

    return o->work->is_empty != NULL && o->work->is_empty(o->ctx);
}

/* Gives the files their names when the command's own output is there. */
static int finish(struct outputs *o, int code)
{
    bool keeps = code == EXIT_DONE || code == EXIT_DAMAGED;

    for (size_t i = 0; i < o->n; i++) {
        struct output *to = &o->list[i];
        struct jfr_error err = {0};

        if (to->file != NULL && !keeps) {
            out_file_abort(to->file);
        } else if (to->file != NULL && out_file_commit(to->file, &err) != 0) {
            cli_report_error(o->command, NULL, &err);
            code = EXIT_FAILED;
        }
        measures_free(to->measures);
        if (to->state != NULL)
            to->format->close(to->state);
    }
    profile_free(o->own);
    return code;
}

int cli_output_run(const struct cli_command *command, struct cli_profile_args *args,
                   const struct cli_list *files, const struct run_job *jobs, size_t n_jobs,
                   const struct profile *profile, struct cli_work *work)
{
    struct outputs o = {.command = command, .profile = profile, .work = work};
    struct cli_work own = *work;
    struct run_job job;
    struct job_list list;
    int rc = 0;

    for (size_t i = 0; i < args->profile.also.n && rc == 0; i++)
        rc = read_output(&o, args->profile.also.items[i], args->run.output);
    if (rc != 0)
        return rc;
    memcpy(o.jobs, jobs, n_jobs * sizeof(*jobs));
    o.n_jobs = n_jobs;
    o.ctx = work->ctx != NULL ? work->ctx : jobs[0].shared;
    if (o.n > 0 && !add_jobs(&o, &args->opt))
        return finish(&o, cli_no_memory(command));
    list = (struct job_list){o.jobs, o.n_jobs};
    job = o.n_jobs == 1 ? o.jobs[0] : job_list_job(&list);
    own.job = &job;
    own.ctx = &o;
    own.end = end;
    own.is_empty = is_empty;
    return finish(&o, cli_run(command, &args->run, files, &own));
}

/* --- a command of one format ------------------------------------------------------------------ */

struct output_options {
    const char *split, *size_limit;
};

struct output_args {
    struct cli_profile_args profile;
    struct output_options own;
};

static const struct cli_option own_options[] = {
    {0, "split", "KEY", "a profile for each thread (default), state, user ...", CLI_STRING,
     offsetof(struct output_options, split),
     .more = "Write the profile of all threads, and after it one profile for each value of this "
             "label, in place of one for each thread. The label is state, tid or a key of "
             "contexts, such as user.",
     .example = "jfrkit convert -f speedscope --split state -o app.speedscope app.jfr"},
    {0, "size-limit", "SIZE", "fail if the output is larger", CLI_STRING,
     offsetof(struct output_options, size_limit), .def = "100MB",
     .more = "Fail and write nothing if the output would be larger than this. Viewers that "
             "run in a browser do not open larger files."},
};
static const struct cli_set own_set = CLI_SET(NULL, own_options, 0);

struct single {
    struct cli_limit limit;
    const struct format *format;
    struct profile *profile;
    struct measures *measures;
    void *state;
};

static int end_single(void *shared, struct out *out)
{
    struct single *s = shared;
    int rc;

    cli_limit_set(&s->limit, out);
    if (s->state != NULL)
        return s->format->write(s->state, out);
    rc = s->profile != NULL ? profile_finish(s->profile) : measures_finish(s->measures);
    if (rc != 0)
        return rc;
    return s->profile != NULL ? s->format->profile(s->profile, out)
                              : s->format->measures(s->measures, out);
}

static bool is_single_empty(const void *shared)
{
    const struct single *s = shared;

    if (s->state != NULL)
        return s->format->is_empty(s->state);
    return s->profile != NULL ? profile_n(s->profile) == 0 : measures_n_rows(s->measures) == 0;
}

static void report_outputs(const struct cli_command *command, const struct cli_profile_args *args,
                           const struct single *s)
{
    if (s->profile != NULL) {
        cli_profile_report(command, args, s->profile);
        return;
    }
    for (size_t i = 0; s->measures != NULL && i < measures_n(s->measures) && args->run.verbose;
         i++) {
        const struct measure *m = measures_get(s->measures, i);

        cli_error(command, "%s: %" PRIu64 " %s", m->type, m->total, m->unit);
    }
}

static int run_single(const struct cli_command *command, struct cli_profile_args *args,
                      const struct output_options *own, const struct cli_list *files,
                      const struct format *format)
{
    struct single s = {.format = format};
    struct run_job jobs[FORMAT_JOBS];
    struct cli_work work = {.ctx = &s,
                            .end = end_single,
                            .is_empty = is_single_empty,
                            .select = args->filter,
                            .kind = args->profile.kind,
                            .is_profile = true,
                            .suffix = format->is_binary ? format->suffix : NULL};
    size_t n = 1;
    int rc;

    if (cli_limit_read(&s.limit, command, own == NULL ? NULL : own->size_limit,
                       "a filter, --package or --depth") != 0)
        return EXIT_USAGE;
    if (format->open != NULL) {
        s.state = format->open(&args->opt);
        n = s.state == NULL ? 0 : format->jobs(s.state, jobs);
    } else if (format->is_labelled) {
        s.measures = measures_new(&args->opt, format->is_single);
        if (s.measures != NULL && own != NULL && own->split != NULL)
            measures_split_by(s.measures, own->split);
        if (s.measures != NULL)
            jobs[0] = measures_job(s.measures);
    } else {
        s.profile = profile_new(&args->opt);
        if (s.profile != NULL)
            jobs[0] = profile_job(s.profile);
    }
    if (s.measures == NULL && s.profile == NULL && s.state == NULL)
        return cli_no_memory(command);
    rc = cli_output_run(command, args, files, jobs, n, s.profile, &work);
    if (rc == EXIT_DONE || rc == EXIT_DAMAGED)
        report_outputs(command, args, &s);
    measures_free(s.measures);
    profile_free(s.profile);
    if (s.state != NULL)
        format->close(s.state);
    return rc;
}

static int run_format(const struct cli_command *command, const struct format *format,
                      struct cli_profile_args *args, const struct output_options *own,
                      const struct cli_list *files)
{
    int rc;

    args->select.all_keys = format->is_labelled;
    rc = cli_profile_read(command, args, files);
    return rc != 0 ? rc : run_single(command, args, own, files, format);
}

int cli_output_format(const struct cli_command *command, const struct format *format,
                      struct cli_profile_args *args, const struct cli_list *files)
{
    return run_format(command, format, args, NULL, files);
}

int cli_output_main(const struct cli_output_about *about, const struct format *format, int argc,
                    char **argv)
{
    const struct cli_table tables[] = {
        {&cli_profile_set, offsetof(struct output_args, profile.profile)},
        {&own_set, offsetof(struct output_args, own), .only = about->own == NULL ? "" : about->own},
        {&cli_run_set, offsetof(struct output_args, profile.run)},
        {&cli_select_set, offsetof(struct output_args, profile.select)},
        {&cli_frames_set, offsetof(struct output_args, profile.profile)},
        {0},
    };
    const struct cli_command command = {.name = about->name,
                                        .usage = "[options] [recording ...]",
                                        .reads_recordings = true,
                                        .about = about->about,
                                        .tables = tables,
                                        .examples = about->examples,
                                        .suffix = format->suffix};
    struct output_args args = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = run_format(&command, format, &args.profile, &args.own, &files);
    cli_profile_close(&args.profile, NULL);
    cli_free(&command, &args, &files);
    return rc;
}
