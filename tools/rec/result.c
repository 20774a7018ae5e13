/*
 * result.c - after a recording: its top methods and top users, and its page.
 *
 * Both tables are made in one pass over the file. The page and a view are made by this program in a
 * child process, as if the user had typed the command that is also printed as the next step.
 */
#include "tools/cli/self.h"
#include "tools/rec/result.h"

#include "convert/driver/job_list.h"
#include "convert/view/table_by.h"
#include "convert/report/table_top.h"
#include "convert/view/view.h"
#include "convert/text/jsonw.h"
#include "tools/output/profile.h"
#include "tools/output/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS 5
#define AT(member) offsetof(struct rec_args, member)

static const struct cli_option rows[] = {
    {0, "report", "VIEW", "at the end print a view, short, or none", CLI_STRING, AT(report),
     .more = "Print this at the end: the five top methods and users (short), nothing "
             "(none), or a view that jfrkit view --list names. Default: short; none for "
             "jfrec record and with --quiet."},
    {0, "open", NULL, "write a flame graph page and open it in a browser", CLI_FLAG, AT(open),
     .more = "Write a flame graph page, with the recording's name and .html, and open it in "
             "a browser: the program that the variable BROWSER names, else xdg-open if "
             "there is a display. The page is beside the recording, or in the current "
             "folder if the recording is in a container."},
};

const struct cli_set rec_result_set = CLI_SET(NULL, rows, 0);

int rec_result_check(const struct cli_command *command, const struct rec_args *args)
{
    const char *report = args->report;

    if (report == NULL || strcmp(report, "none") == 0 || strcmp(report, "short") == 0 ||
        view_named(report) != NULL)
        return 0;
    return cli_usage(command,
                     "--report: '%s' is none of none, short and the views of "
                     "jfrkit view --list",
                     report);
}

/* --- the short report ------------------------------------------------------------------------- */

struct result {
    const struct cli_command *command;
    const char *file, *page; /* names for people; page NULL: none is written */
    bool is_json;
    struct cli_profile_args methods, users;
    struct cli_dims dims; /* of users */
    struct profile *profile;
    struct table_by *by;
};

static int write_title(struct out *out, const char *text)
{
    buf_printf(&out->b, "\n%s\n", text);
    return out_check(out);
}

/* "methods": {a table}, "users": {a table, which may have no rows} */
static int write_result_json(struct result *r, struct out *out)
{
    struct cli_table_options how = {.format = "json"}, few = {.format = "json", .limit = "5"};
    struct table *methods = table_top(r->profile, "method", NULL, NULL, 0, ROWS);
    struct table *users = table_by_table(r->by);
    int rc = methods == NULL || users == NULL ? JFR_E_NOMEM : 0;

    if (rc == 0) {
        buf_str(&out->b, "{\"recording\": ");
        jsonw_str(&out->b, r->file, strlen(r->file));
        if (r->page != NULL) {
            buf_str(&out->b, ", \"page\": ");
            jsonw_str(&out->b, r->page, strlen(r->page));
        }
        buf_str(&out->b, ", \"methods\": ");
        rc = cli_table_write(r->command, &how, methods, out);
    }
    if (rc == 0) {
        buf_str(&out->b, ", \"users\": ");
        if (!table_by_has_value(r->by, 0))
            table_limit(users, 0);
        rc = cli_table_write(r->command, &few, users, out);
        buf_str(&out->b, "}\n");
    }
    table_free(methods);
    table_free(users);
    return rc;
}

static int write_users(struct result *r, struct out *out)
{
    struct table *t = table_by_table(r->by);
    struct cli_table_options how = {.limit = "10"};
    bool has_users = table_by_has_value(r->by, 0);
    int rc = t == NULL ? JFR_E_NOMEM : 0;

    if (rc == 0 && has_users)
        rc = write_title(out, "Top users");
    if (rc == 0 && has_users)
        rc = cli_table_write(r->command, &how, t, out);
    table_free(t);
    return rc;
}

static int write_result(void *shared, struct out *out)
{
    struct result *r = shared;
    struct cli_table_options how = {0};
    struct table *t;
    char title[80];
    int rc = profile_finish(r->profile);

    if (rc != 0)
        return rc;
    if (r->is_json)
        return write_result_json(r, out);
    t = table_top(r->profile, "method", NULL, NULL, 0, ROWS);
    if (t == NULL)
        return JFR_E_NOMEM;
    snprintf(title, sizeof(title), "Top methods, %s", kind_title(profile_facts(r->profile).kind));
    if (table_n_rows(t) > 0) {
        rc = write_title(out, title);
        if (rc == 0)
            rc = cli_table_write(r->command, &how, t, out);
    } else {
        rc = write_title(out, "No samples with a stack.");
    }
    table_free(t);
    return rc == 0 ? write_users(r, out) : rc;
}

static int open_result(struct result *r, const struct cli_list *files)
{
    struct cli_list by = {0};
    struct table_by_options opt;
    int rc = cli_list_add(&by, "user") ? 0 : cli_no_memory(r->command);

    if (rc == 0)
        rc = cli_dims_read(r->command, &by, &r->users, &r->dims);
    cli_list_free(&by);
    if (rc == 0)
        rc = cli_profile_read(r->command, &r->users, files);
    if (rc == 0)
        rc = cli_profile_read(r->command, &r->methods, files);
    if (rc != 0)
        return rc;
    opt = (struct table_by_options){.names = r->dims.names,
                                    .keys = r->dims.keys,
                                    .n_keys = r->dims.n,
                                    .kind = -1,
                                    .tells_rest = !r->is_json,
                                    .select = r->users.filter};
    r->profile = profile_new(&r->methods.opt);
    r->by = table_by_new(&opt);
    return r->profile == NULL || r->by == NULL ? cli_no_memory(r->command) : 0;
}

/* `shown` is the file's name for its JVM, which may have another root. */
static int print_short(const struct cli_command *command, const char *file, const char *shown,
                       const char *page, bool is_json)
{
    struct result r = {.command = command, .file = shown, .page = page, .is_json = is_json};
    struct cli_list files = {&file, 1};
    struct run_job jobs[2], job;
    struct job_list list = {jobs, 2};
    struct cli_work work = {.ctx = &r, .end = write_result};
    int rc = open_result(&r, &files);

    if (rc == 0) {
        jobs[0] = profile_job(r.profile);
        jobs[1] = table_by_job(r.by);
        job = job_list_job(&list);
        work.job = &job;
        rc = cli_run(command, &r.methods.run, &files, &work);
    }
    cli_profile_close(&r.methods, r.profile);
    cli_profile_close(&r.users, NULL);
    cli_list_free(&r.users.profile.group_by);
    table_by_free(r.by);
    cli_dims_free(&r.dims);
    return rc;
}

/* --- a page, a view --------------------------------------------------------------------------- */

static int open_page(const struct cli_command *command, const char *file, const char *page)
{
    const char *words[] = {"jfrkit", "flame", "--open", "-o", page, "--", file, NULL};

    return cli_run_self(command, words, -1);
}

/* "app.html" of "app.jfr.gz": beside the recording. The caller's; NULL: out of memory. */
static char *page_of(const char *file)
{
    char *name = NULL;

    return asprintf(&name, "%.*s.html", out_stem_length(file), file) < 0 ? NULL : name;
}

static int print_report(const struct cli_command *command, const struct rec_args *args,
                        const char *file, const char *shown, const char *page)
{
    const char *report = args->report == NULL ? "short" : args->report;
    const char *words[] = {"jfrkit", "view", report, file, NULL};
    int rc = EXIT_DONE;

    if (args->json)
        return print_short(command, file, shown, page, true);
    if (strcmp(report, "none") == 0)
        rc = EXIT_DONE;
    else if (strcmp(report, "short") == 0)
        rc = print_short(command, file, shown, page, false);
    else
        rc = cli_run_self(command, words, -1);
    if (page != NULL)
        printf("\nPage: %s\n", page);
    else if (strcmp(report, "short") == 0 && rc == EXIT_DONE)
        printf("\nNext: jfrkit flame --open %s\n", file);
    fflush(stdout);
    return rc;
}

int rec_result(const struct cli_command *command, const struct rec_args *args, const char *file,
               const char *shown, const char *page)
{
    char *own = args->open && page == NULL ? page_of(file) : NULL;
    int rc, opened = EXIT_DONE;

    if (args->open && page == NULL && own == NULL)
        return cli_no_memory(command);
    if (own != NULL)
        page = own;
    rc = print_report(command, args, file, shown, args->open ? page : NULL);
    if (args->open)
        opened = open_page(command, file, page);
    free(own);
    return rc == EXIT_DONE ? opened : rc;
}
