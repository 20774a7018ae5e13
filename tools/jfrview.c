/*
 * jfrview.c - the verb view: tables that answer common questions, and the events of a type as a
 * table.
 *
 * Reads the recordings once for all views and event types on the command line, then writes a table
 * for each. Without a view it runs all views and lists those that have rows in these recordings.
 */
#include "convert/driver/job_list.h"
#include "convert/view/view.h"
#include "convert/view/event.h"
#include "convert/text/out.h"
#include "tools/cli/run.h"
#include "tools/cli/select.h"
#include "tools/output/table.h"
#include "tools/cli/nearest.h"
#include "tools/programs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENT_WIDTH 160 /* of a line of text, where columns are as many as a type has fields */
#define WIDTH_UNSET ULONG_MAX
#define ALL_VIEWS "all-views"

struct args {
    bool list;
    struct cli_table_options table;
    struct cli_select_options select;
    struct cli_run_options run;
};

/* One of what is requested: a view, or else an event type. */
struct answer {
    const char *name;
    struct view_run *view;
    struct view_events *events;
};

struct job {
    const struct args *args;
    struct answer *answers;
    size_t n;
    bool all; /* views without rows are left out */
    bool lists; /* the views that have rows, in place of their rows */
    size_t n_tables, n_rows; /* written */
};

static const struct cli_option options[] = {
    {'l', "list", NULL, "list the views", CLI_FLAG, offsetof(struct args, list)},
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_table_set, offsetof(struct args, table)},
    {&cli_run_set, offsetof(struct args, run)},
    {&cli_fit_set, offsetof(struct args, table)},
    {&cli_select_set, offsetof(struct args, select)},
    {0},
};

static const struct cli_command command = {
    .name = "jfrview",
    .usage = "[options] [view|event-type,...] [recording ...]",
    .reads_recordings = true,
    .about = "Answer a common question by a table, or list the events of a type.",
    .tables = tables,
    .suffix = ".txt",
    .n_words = 1,
    .examples = "  jfrkit view --list # the names of the views\n"
                "  jfrkit view app.jfr # the views that have rows in this recording\n"
                "  jfrkit view hot-methods app.jfr\n"
                "  jfrkit view gc-pauses,ThreadStart app.jfr # views, and types of events\n",
};

/* Who sorts otherwise, or says how many rows, wants to choose from all. */
static bool wants_all_rows(const struct cli_table_options *table)
{
    return table->sort != NULL || table->limit != NULL;
}

static struct table *table_of(const struct job *job, const struct answer *a)
{
    const char *format = job->args->table.format;
    bool for_people = format == NULL || (strcmp(format, "json") != 0 && strcmp(format, "csv") != 0);

    return a->view != NULL ? view_table(a->view, for_people, wants_all_rows(&job->args->table))
                           : view_events_table(a->events);
}

/* A title, where one table follows another. */
static void put_view_title(const struct job *job, const struct table *t, const struct answer *a,
                           struct out *out)
{
    const char *format = job->args->table.format, *gap = job->n_tables > 0 ? "\n" : "";

    if (job->n == 1)
        return;
    if (format == NULL || strcmp(format, "text") == 0)
        buf_printf(&out->b, "%s%s (%s)\n\n", gap, table_title(t), a->name);
    else if (strcmp(format, "md") == 0)
        buf_printf(&out->b, "%s## %s\n\n", gap, table_title(t));
}

/* Returns CLI_REPORTED. */
static int report_unknown_view(const char *name)
{
    struct nearest near = nearest_to(name, strlen(name));

    for (size_t i = 0; i < view_n(); i++)
        nearest_add(&near, view_name(view_at(i)));
    if (nearest_found(&near) != NULL)
        cli_error(&command, "there is no view or event type '%s', did you mean '%s'?", name,
                  nearest_found(&near));
    else
        cli_error(&command, "there is no view or event type '%s', see --list", name);
    return CLI_REPORTED;
}

static int write_answer(struct job *job, const struct answer *a, struct out *out)
{
    struct cli_table_options how = job->args->table;
    struct table *t;
    int rc = 0;

    if (a->view == NULL && !view_events_found(a->events)) {
        return report_unknown_view(a->name);
    }
    t = table_of(job, a);
    if (t == NULL)
        return JFR_E_NOMEM;
    if (how.width == WIDTH_UNSET)
        how.width = a->view == NULL && out_columns(out) == 0 ? EVENT_WIDTH : 0;
    if (!job->all || table_n_rows(t) > 0) {
        put_view_title(job, t, a, out);
        rc = cli_table_write(&command, &how, t, out);
        job->n_tables++;
    }
    job->n_rows += table_n_rows(t);
    table_free(t);
    return rc;
}

/* One row for each view that has rows: its name, its title, the number of its rows. */
static int write_list(struct job *job, struct out *out)
{
    struct cli_table_options how = job->args->table;
    struct table *list = table_new("Views");
    int rc = list == NULL ? JFR_E_NOMEM : 0;

    if (list == NULL)
        return rc;
    table_column(list, "view", "View", TABLE_TEXT);
    table_column(list, "title", "Title", TABLE_TEXT);
    table_column(list, "rows", "Rows", TABLE_COUNT);
    for (size_t i = 0; i < job->n && rc == 0; i++) {
        const char *name = job->answers[i].name;
        struct table *t = view_table(job->answers[i].view, cli_table_is_for_people(&how), true);

        rc = t == NULL ? JFR_E_NOMEM : 0;
        if (t != NULL && table_n_rows(t) > 0) {
            table_put_text(list, name, strlen(name));
            table_put_text(list, table_title(t), strlen(table_title(t)));
            table_put_int(list, (int64_t)table_n_rows(t));
        }
        table_free(t);
    }
    how.width = how.width == WIDTH_UNSET ? 0 : how.width;
    job->n_rows = table_n_rows(list);
    if (rc == 0)
        rc = cli_table_write(&command, &how, list, out);
    table_free(list);
    return rc;
}

static int write_answers(void *shared, struct out *out)
{
    struct job *job = shared;
    int rc = 0;

    if (job->lists)
        return write_list(job, out);
    for (size_t i = 0; i < job->n && rc == 0; i++)
        rc = write_answer(job, &job->answers[i], out);
    return rc;
}

static bool is_empty(const void *shared)
{
    const struct job *job = shared;

    return job->n_rows == 0;
}

static int list_views(void)
{
    for (size_t i = 0; i < view_n(); i++)
        printf("%-31s %s\n", view_name(view_at(i)), view_title(view_at(i)));
    return cli_flush(&command);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* Every answer reads the chunk, one after the other by one thread: lists of events are not merged.
 */
static int read_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct job *job = shared;
    int code = 0;

    for (size_t i = 0; i < job->n && code == 0; i++) {
        struct run_job one = job->answers[i].view != NULL ? view_job(job->answers[i].view)
                                                          : view_events_job(job->answers[i].events);

        if (i > 0)
            jfr_chunk_rewind(rc->chunk);
        code = one.chunk(one.shared, rc, out);
    }
    return code;
}

static bool add_answer(struct job *job, const char *name, struct select *select)
{
    const struct view *v = view_named(name);
    const struct cli_table_options *how = &job->args->table;
    struct answer *a = &job->answers[job->n];
    size_t limit =
        how->limit != NULL && how->sort == NULL ? strtoul(how->limit, NULL, 10) : SIZE_MAX;

    a->name = name;
    if (v != NULL)
        a->view = view_run_new(v, select);
    else
        a->events = view_events_new(name, select, limit);
    job->n += a->view != NULL || a->events != NULL;
    return a->view != NULL || a->events != NULL;
}

/* The words between commas, cut apart in `names`. */
static bool add_answers(struct job *job, char *names, struct select *select)
{
    char *save = NULL;
    bool ok = true;

    job->all = strcmp(names, ALL_VIEWS) == 0;
    job->answers = calloc(view_n() + strlen(names), sizeof(*job->answers));
    if (job->answers == NULL)
        return false;
    for (size_t i = 0; i < view_n() && job->all && ok; i++)
        ok = add_answer(job, view_name(view_at(i)), select);
    for (char *w = strtok_r(names, ",", &save); w != NULL && !job->all && ok;
         w = strtok_r(NULL, ",", &save))
        ok = add_answer(job, w, select);
    return ok;
}

/* What is shown, for the message that there are no such events. NULL: any. */
static const char *types_shown(const struct job *job)
{
    const struct view *v = view_named(job->answers[0].name);

    if (job->n > 1)
        return job->all ? NULL : "the types that these views show";
    return v == NULL ? job->answers[0].name : view_types(v);
}

/* The jobs of the views, for job_list.h. NULL where events are listed, or memory is exhausted. */
static struct run_job *view_jobs(const struct job *job)
{
    struct run_job *jobs = calloc(job->n + 1, sizeof(*jobs));

    for (size_t i = 0; i < job->n && jobs != NULL; i++) {
        if (job->answers[i].view == NULL) {
            free(jobs);
            return NULL;
        }
        jobs[i] = view_job(job->answers[i].view);
    }
    return jobs;
}

static int run(struct args *args, struct job *job, char *names, const struct cli_list *files)
{
    struct cli_run_options run_options = args->run;
    struct job_list list = {0};
    struct run_job *jobs;
    struct run_job what = {.shared = job, .chunk = read_chunk};
    struct cli_work work = {.job = &what, .ctx = job, .end = write_answers, .is_empty = is_empty};
    const char *format = args->table.format;
    struct select *select = NULL;
    int rc = cli_select(&command, &args->select, files, &select);

    if (rc == 0 && !add_answers(job, names, select))
        rc = cli_no_memory(&command);
    if (rc == 0 && job->n == 0)
        rc = cli_usage(&command, "which view? see --list");
    if (rc == 0 && job->n > 1 && !job->lists && format != NULL && strcmp(format, "text") != 0 &&
        strcmp(format, "md") != 0 && strcmp(format, "json") != 0)
        rc = cli_usage(&command, "--format: several tables go into text, md and json only");
    work.select = select;
    work.types = rc == 0 ? types_shown(job) : NULL;
    jobs = rc == 0 ? view_jobs(job) : NULL;
    if (jobs != NULL) {
        list = (struct job_list){jobs, job->n};
        what = job_list_job(&list);
    }
    if (select != NULL && select_is_serial(select))
        run_options.jobs = 1;
    if (rc == 0)
        rc = cli_run(&command, &run_options, files, &work);
    free(jobs);
    for (size_t i = 0; i < job->n; i++) {
        view_run_free(job->answers[i].view);
        view_events_free(job->answers[i].events);
    }
    free(job->answers);
    select_free(select);
    return rc;
}

/* True if the first operand is a recording, so that no view was named. */
static bool is_recording(const char *word)
{
    return view_named(word) == NULL && strcmp(word, ALL_VIEWS) != 0 && access(word, F_OK) == 0;
}

int jfrview_main(int argc, char **argv)
{
    struct args args = {.table.width = WIDTH_UNSET};
    struct job job = {.args = &args};
    struct cli_list words = {0}, files;
    char *names;
    int rc = cli_parse(&command, argc, argv, &args, &words);

    if (rc >= 0)
        return rc;
    rc = cli_table_check(&command, &args.table);
    if (rc == 0 && args.list) {
        rc = list_views();
    } else if (rc == 0 && (words.n == 0 || *words.items[0] == '\0')) {
        rc = cli_usage(&command, "which view? see --list");
    } else if (rc == 0) {
        job.lists = is_recording(words.items[0]);
        files = (struct cli_list){words.items + !job.lists, words.n - !job.lists};
        names = strdup(job.lists ? ALL_VIEWS : words.items[0]);
        /* cli_parse() took the first operand for a view, not for an input. */
        if (names == NULL || (job.lists && !out_file_add_input(words.items[0])))
            rc = cli_no_memory(&command);
        else
            rc = run(&args, &job, names, &files);
        free(names);
    }
    cli_free(&command, &args, &words);
    return rc;
}
