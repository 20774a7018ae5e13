/*
 * top.c - jfrkit top: the methods that use most themselves, of all or of each user, thread ...
 *
 * The table is made by convert/report/table_top.c; jfrkit table has all columns.
 */
#include "convert/report/table_top.h"
#include "tools/output/profile.h"
#include "tools/output/table.h"
#include "tools/redraw.h"
#include "tools/verbs.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 20
#define ROWS_OF_GROUP 5

struct args {
    struct cli_list by;
    bool is_followed;
    struct cli_table_options table;
    struct cli_profile_args profile;
};

struct job {
    struct args *args;
    struct cli_dims dims;
    struct profile *profile;
    struct table *result;
    size_t limit;
};

#define AT(member) offsetof(struct args, member)

static const struct cli_option options[] = {
    {'b', "by", "LIST", "first by context keys (user,action), thread or state", CLI_LIST, AT(by)},
    {'n', "limit", "N", "number of methods. Default: 20; 5 for each user, ...", CLI_STRING,
     AT(table.limit)},
    {'f', "format", "NAME", "text (default), csv, tsv, json, html or md", CLI_STRING,
     AT(table.format)},
    {0, "json", NULL, "short for -f json", CLI_FLAG, AT(table.json)},
    REDRAW_ROW("top", AT(is_followed)),
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_profile_set, AT(profile.profile), .without = "also"},
    {&cli_select_set, AT(profile.select)},
    {&cli_frames_set, AT(profile.profile)},
    {&cli_run_set, AT(profile.run)},
    {&cli_fit_set, AT(table)},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit top",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print the methods that used most themselves: CPU samples, bytes, time.",
    .tables = tables,
    .suffix = ".txt",
    .examples = "  jfrkit top app.jfr\n"
                "  jfrkit top --by user app.jfr # of each user\n"
                "  jfrkit top -k alloc -n 5 app.jfr # who allocates\n"
                "  jfrkit top --by thread --lines --json app.jfr\n",
    .notes = "Self: at the top of the stack. Total: anywhere in the stack.\n",
};

static int write_top(void *shared, struct out *out)
{
    struct job *job = shared;
    struct cli_table_options how = job->args->table;
    int rc = profile_finish(job->profile);

    if (rc != 0)
        return rc;
    job->result = table_top(job->profile, job->dims.frames, job->dims.names, job->dims.ends,
                            job->dims.n, job->limit);
    if (job->result == NULL)
        return JFR_E_NOMEM;
    if (how.truncate == NULL) /* the end of a method's name says more than its package */
        how.truncate = "beginning";
    how.limit = NULL; /* which is of methods here, not of rows */
    return cli_table_write(&command, &how, job->result, out);
}

static bool is_empty(const void *shared)
{
    const struct job *job = shared;

    return job->result == NULL || table_n_rows(job->result) == 0;
}

/* What a kind is about, where the user names no weight: bytes that are allocated, time that is
 * waited. */
static const char *default_weight(const char *kind)
{
    static const char *const weights[][2] = {{"alloc", "bytes"},
                                             {"live", "bytes"},
                                             {"lock", "duration"},
                                             {"io", "duration"},
                                             {"latency", "duration"}};

    for (size_t i = 0; kind != NULL && i < sizeof(weights) / sizeof(weights[0]); i++)
        if (strcmp(weights[i][0], kind) == 0)
            return weights[i][1];
    return NULL;
}

static int run(struct args *args, struct job *job, const struct cli_list *files)
{
    struct cli_work work = {.ctx = job, .end = write_top, .is_empty = is_empty, .is_profile = true};
    struct run_job what;
    int rc;

    if (args->profile.profile.weight == NULL)
        args->profile.profile.weight = default_weight(args->profile.profile.kind);
    rc = cli_dims_profile(&command, &job->dims, &args->profile, files, &job->profile);
    if (rc != 0)
        return rc;
    what = profile_job(job->profile);
    work.job = &what;
    work.select = args->profile.filter;
    work.kind = args->profile.profile.kind;
    rc = cli_run(&command, &args->profile.run, files, &work);
    if (rc == EXIT_DONE || rc == EXIT_DAMAGED)
        cli_profile_report(&command, &args->profile, job->profile);
    return rc;
}

int verb_top(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    struct job job = {.args = &args};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc < 0 && args.is_followed)
        rc = redraw(
            &(struct redraw){&command, verb_top, &files, &args.profile.run, &args.table.width},
            argc, argv);
    if (rc >= 0)
        return rc;
    rc = cli_table_check(&command, &args.table);
    if (rc == 0)
        rc = cli_dims_read(&command, &args.by, &args.profile, &job.dims);
    if (rc == 0 && job.dims.frames == NULL)
        job.dims.frames = "method";
    if (rc == 0 && strcmp(job.dims.frames, "stack") == 0)
        rc = cli_usage(&command, "--by stack: see jfrkit table --by stack");
    for (size_t i = 0; i < job.dims.n && rc == 0; i++)
        if (job.dims.ends[i] < 0)
            rc = cli_usage(&command,
                           "--by: '%s' has no methods; there are context keys, thread and "
                           "state",
                           job.dims.names[i]);
    job.limit = args.table.limit != NULL ? strtoul(args.table.limit, NULL, 10)
                : job.dims.n > 0         ? ROWS_OF_GROUP
                                         : ROWS;
    if (rc == 0)
        rc = run(&args, &job, &files);
    table_free(job.result);
    cli_profile_close(&args.profile, job.profile);
    cli_dims_free(&job.dims);
    cli_free(&command, &args, &files);
    return rc;
}
