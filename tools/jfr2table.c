/*
 * jfr2table.c - jfrkit table: who used what, by context, thread, event type, method, line.
 *
 * Three machines answer, by what --by names: run_dims() sums samples by what is around them
 * (convert/view/table_by), run_frames() by methods or lines (table_frames), and sums of fields of
 * any event type are made by tools/output/sums.c. This file has the options and chooses.
 */
#include "convert/view/table_by.h"
#include "convert/report/table_frames.h"
#include "tools/output/min_group.h"
#include "tools/output/profile.h"
#include "tools/output/sums.h"
#include "tools/output/table.h"
#include "tools/programs.h"
#include "tools/redraw.h"

#include <string.h>

struct args {
    struct cli_list by;
    const char *min_group;
    bool is_followed;
    struct cli_sums_options sums;
    struct cli_table_options table;
    struct cli_profile_args profile;
};

/* What a run fills, one or the other. */
struct job {
    const struct args *args;
    struct cli_dims dims;
    struct min_group min_group;
    struct profile *profile;
    struct table_by *by;
    struct table *result;
};

#define AT(member) offsetof(struct args, member)

static const struct cli_option options[] = {
    {'b', "by", "LIST",
     "keys (user), thread, state, event, input, bucket(1s),\nmethod, line, package, stack",
     CLI_LIST, AT(by), .def = "method",
     .more = "Group the rows by context keys (user,action), thread, state, event, input, and "
             "time: bucket(10s) has a row for each 10 seconds in which there was something; and "
             "by at most one of method, line, package and stack. context.state is a context key "
             "even if it has one of these names. With -e, and with --sum and the options beside "
             "it, also by fields, see there.",
     .example = "jfrkit table --by user,method app.jfr"},
    {0, "min-group", "N|PCT", CLI_LEAST_HELP, CLI_STRING, AT(min_group),
     .more = "Merge groups of fewer than N samples, or of less than this share of all "
             "samples (1%), as (others). Totals do not change. A group is one combination "
             "of the values of --by, without method, line, package and stack.",
     .example = "jfrkit table --by user --min-group 5 app.jfr"},
    REDRAW_ROW("table", AT(is_followed)),
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_sums_set, AT(sums)},
    {&cli_table_set, AT(table)},
    {&cli_profile_set, AT(profile.profile), .without = "also"},
    {&cli_run_set, AT(profile.run)},
    {&cli_fit_set, AT(table)},
    {&cli_select_set, AT(profile.select)},
    {&cli_frames_set, AT(profile.profile)},
    {0},
};

static const struct cli_command command = {
    .name = "jfr2table",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print sums of samples, CPU, bytes, locks and I/O by context, thread or method.",
    .tables = tables,
    .suffix = ".txt",
    .examples = "  jfrkit table --by user app.jfr # a row for each user\n"
                "  jfrkit table --by 'bucket(10s),user' app.jfr # who used what, and when\n"
                "  jfrkit table -e FileRead --by path --sum bytesRead --p99 duration app.jfr\n",
};

static bool has_text(const struct table *t, const char *name)
{
    size_t column = 0, n;
    bool has = table_n_rows(t) == 0;

    while (column < table_n_columns(t) && strcmp(table_column_name(t, column), name) != 0)
        column++;
    for (size_t row = 0; row < table_n_rows(t) && !has; row++)
        has = column == table_n_columns(t) || table_text(t, row, column, &n) != NULL;
    return has;
}

static bool has_value(const struct job *job, size_t dim)
{
    return job->by == NULL || table_n_rows(job->result) == 0
               ? has_text(job->result, job->dims.names[dim])
               : table_by_has_value(job->by, dim);
}

/* Keys that the recording has, but none of these events. */
static void report_unused_keys(const struct job *job)
{
    const struct context *c = select_context(job->args->profile.filter);

    if (c != NULL && context_unknown_key(c) != NULL) /* which is an error */
        return;
    for (size_t i = 0; i < job->dims.n && !job->args->profile.run.quiet; i++)
        if (job->dims.is_attribute[i] && !has_value(job, i))
            cli_error(&command, "no event has '%s'", job->dims.names[i]);
}

static int write_table(void *shared, struct out *out)
{
    struct job *job = shared;
    int rc = job->profile == NULL ? 0 : profile_finish(job->profile);

    if (rc != 0)
        return rc;
    job->result =
        job->profile == NULL
            ? table_by_table(job->by)
            : table_frames(job->profile,
                           strcmp(job->dims.frames, "stack") == 0 ? TABLE_STACKS : TABLE_FRAMES,
                           job->dims.frames, job->dims.names, job->dims.ends, job->dims.n,
                           job->args->min_group == NULL ? NULL : &job->min_group);
    if (job->result == NULL)
        return JFR_E_NOMEM;
    report_unused_keys(job);
    return cli_table_write(&command, &job->args->table, job->result, out);
}

static bool is_empty(const void *shared)
{
    const struct job *job = shared;

    return job->result == NULL || table_n_rows(job->result) == 0;
}

static int run(struct args *args, struct job *job, const struct cli_list *files,
               const struct run_job *what)
{
    const struct cli_work work = {.job = what,
                                  .ctx = job,
                                  .end = write_table,
                                  .is_empty = is_empty,
                                  .select = args->profile.filter,
                                  .kind = args->profile.profile.kind,
                                  .is_profile = job->profile != NULL};

    return cli_run(&command, &args->profile.run, files, &work);
}

/* By methods: a profile. */
static int run_frames(struct args *args, struct job *job, const struct cli_list *files)
{
    struct run_job what;
    int rc;

    rc = cli_dims_profile(&command, &job->dims, &args->profile, files, &job->profile);
    if (rc != 0)
        return rc;
    what = profile_job(job->profile);
    rc = run(args, job, files, &what);
    if (rc == EXIT_DONE || rc == EXIT_DAMAGED)
        cli_profile_report(&command, &args->profile, job->profile);
    return rc;
}

/* By what is around them. */
static int run_by(struct args *args, struct job *job, const struct cli_list *files)
{
    struct table_by_options opt = {.names = job->dims.names,
                                   .keys = job->dims.keys,
                                   .n_keys = job->dims.n,
                                   .min_group = job->min_group};
    struct run_job what;
    int rc = cli_profile_read(&command, &args->profile, files);

    if (rc != 0)
        return rc;
    opt.kind = args->profile.opt.kind == KIND_ALL && args->profile.profile.kind == NULL
                   ? -1
                   : args->profile.opt.kind;
    opt.select = args->profile.filter;
    opt.tells_rest = cli_table_is_for_people(&args->table);
    job->by = table_by_new(&opt);
    if (job->by == NULL)
        return cli_no_memory(&command);
    what = table_by_job(job->by);
    rc = run(args, job, files, &what);
    if (rc == EXIT_DONE || rc == EXIT_DAMAGED)
        cli_report_wall(&command, &args->profile, table_by_leaves_out_wall(job->by));
    return rc;
}

/* 0 or an exit code. */
static int read_min_group(const struct args *args, struct job *job)
{
    const char *text = args->min_group;

    if (text != NULL && job->dims.n == 0)
        return cli_usage(&command, "--min-group: --by names no groups, such as user or thread");
    return cli_min_group_read(&command, text, &job->min_group);
}

/* By any field. What is about samples of profiles has no meaning there. */
static int run_sums(const struct args *args, const struct cli_sums *what,
                    const struct cli_list *files)
{
    const struct cli_profile_options *p = &args->profile.profile;

    if (p->kind != NULL || p->weight != NULL || args->min_group != NULL)
        return cli_usage(&command, "--%s does not go with sums of fields: select events with -e",
                         p->kind != NULL     ? "kind"
                         : p->weight != NULL ? "weight"
                                             : "min-group");
    return cli_sums_run(&command, what, files);
}

/* By users, threads, methods and what else --by knows. */
static int run_dims(struct args *args, struct job *job, const struct cli_list *files)
{
    int rc = cli_dims_read(&command, &args->by, &args->profile, &job->dims);

    if (rc == 0)
        rc = read_min_group(args, job);
    if (rc != 0)
        return rc;
    return job->dims.frames != NULL ? run_frames(args, job, files) : run_by(args, job, files);
}

int jfr2table_main(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    struct job job = {.args = &args};
    const struct cli_sums sums = {.options = &args.sums,
                                  .by = &args.by,
                                  .table = &args.table,
                                  .select = &args.profile.select,
                                  .run = &args.profile.run};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc < 0 && args.is_followed)
        rc = redraw(&(struct redraw){&command, jfr2table_main, &files, &args.profile.run,
                                     &args.table.width},
                    argc, argv);
    if (rc >= 0)
        return rc;
    rc = cli_table_check(&command, &args.table);
    if (rc == 0)
        rc = cli_sums_are_requested(&sums, &files) ? run_sums(&args, &sums, &files)
                                                   : run_dims(&args, &job, &files);
    table_free(job.result);
    table_by_free(job.by);
    cli_profile_close(&args.profile, job.profile);
    cli_dims_free(&job.dims);
    cli_free(&command, &args, &files);
    return rc;
}
