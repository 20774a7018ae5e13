/*
 * slow.c - jfrkit slow: why some requests are slow.
 *
 * Reads the recordings for their scopes, then for what happened in the slow ones and in those
 * around the median. convert/slow does both, and writes what it found; a page is made by
 * tools/output/slow_page.c.
 */
#include "convert/slow/write.h"
#include "tools/cli/internal.h"
#include "tools/cli/run.h"
#include "tools/cli/select.h"
#include "tools/output/slow_page.h"
#include "tools/output/table.h"
#include "tools/verbs.h"
#include "jfrfmt/base/quantity.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SLOWEST 10
#define GROUPS_SHOWN 20

struct slow_verb_options {
    struct cli_list by;
    const char *slower;
    unsigned long n_slowest;
    bool json;
};

struct args {
    struct slow_verb_options slow;
    struct cli_select_options select;
    struct cli_run_options run;
    struct cli_table_options table; /* how text is made to fit */
};

#define AT(member) offsetof(struct slow_verb_options, member)

static const struct cli_option rows[] = {
    {'b', "by", "KEY", "compare the slow ones of each value of this key", CLI_LIST, AT(by),
     .def = "action, route, ...",
     .more = "Group scopes by the value of this key of a context. The slow scopes of a group are "
             "compared with the others of the same group. With several keys, the first that any "
             "scope has counts. Default: action, operation, route, endpoint, name, tag.",
     .example = "jfrkit slow --by user app.jfr"},
    {0, "slower", "TIME|pN", "slow: longer than TIME (100ms), or pN of the group", CLI_STRING,
     AT(slower), .def = "p99",
     .more = "Which scopes are slow: those that last at least TIME (100ms, 2s), or those above "
             "this percentile of their group (p90, p99.9). Of a group of fewer than 1000 scopes "
             "the slowest tenth is slow, up to ten.",
     .example = "jfrkit slow --slower 5ms app.jfr"},
    {'n', "limit", "N", "list the N slowest one by one", CLI_POSITIVE, AT(n_slowest), .def = "10",
     .more = "How many of the slowest scopes are listed one by one.",
     .example = "jfrkit slow -n 3 app.jfr"},
    {0, "json", NULL, "write JSON; times are nanoseconds", CLI_FLAG, AT(json),
     .more = "Write one JSON object with the groups, the slowest scopes and the reasons. Times are "
             "nanoseconds, shares numbers up to 1.",
     .example = "jfrkit slow --json app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, rows, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, slow)},
    {&cli_select_set, offsetof(struct args, select),
     .without = "event events category categories "
                "in-scope state"},
    {&cli_run_set, offsetof(struct args, run), .without = "max-memory per"},
    {&cli_fit_set, offsetof(struct args, table)},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit slow",
    .usage = "[options] recording ...",
    .reads_recordings = true,
    .about = "Show where the time of slow requests goes, and why they are slow.",
    .tables = tables,
    .suffix = ".txt",
    .examples = "  jfrkit slow app.jfr\n"
                "  jfrkit slow -o slow.html app.jfr # a page: pictures, stacks, flame graph\n"
                "  jfrkit slow --slower 100ms --tail 10m app.jfr # of the last ten minutes\n"
                "  jfrkit slow --by user --json app.jfr\n",
    .notes = "Requests are scopes: events that last and hold a context, not inside others.\n"
             "Filters select scopes: -c user=alice shows those of alice.\n",
};

/* --- which scopes count: those that the filters select --- */

static void *new_filter_run(void *shared)
{
    return select_run_new(shared);
}

static void free_filter_run(void *run)
{
    select_run_free(run);
}

static int load_filter_run(void *run, struct jfr_chunk *chunk)
{
    return select_run_load(run, chunk);
}

static int is_scope_selected(void *run, const struct jfr_event *ev, int64_t duration_ns)
{
    select_run_set_duration(run, duration_ns);
    return select_class(run, ev->type) == SELECT_NEVER ? 0 : select_event(run, ev);
}

static bool has_filters(const struct cli_select_options *o)
{
    return o->threads.n + o->not_threads.n + o->contexts.n + o->not_contexts.n > 0 ||
           o->from != NULL || o->to != NULL || o->tail != NULL || o->where != NULL ||
           o->min_duration != NULL;
}

/* --- the run --- */

struct job {
    const struct args *args;
    struct slow *slow;
    struct slow_page *page; /* NULL: none is wanted */
};

static int write_slow(void *shared, struct out *out)
{
    const struct job *job = shared;
    const struct cli_table_options *fit = &job->args->table;
    const struct slow_text_options options = {.n_groups = GROUPS_SHOWN,
                                              .fit = {.width = fit->width, .height = fit->height}};
    int rc = slow_finish(job->slow);

    if (rc != 0)
        return rc;
    if (job->page != NULL)
        return slow_page_write(job->page, &options, out);
    return job->args->slow.json ? slow_write_json(job->slow, out)
                                : slow_write_text(job->slow, &options, out);
}

/* Reads --slower. 0 or EXIT_USAGE. */
static int read_slower(const char *text, struct slow_options *to)
{
    char *end;

    to->quantile = 0.99;
    if (text == NULL)
        return 0;
    if (*text == 'p') {
        to->quantile = strtod(text + 1, &end) / 100;
        if (end != text + 1 && *end == '\0' && to->quantile > 0 && to->quantile < 1)
            return 0;
    } else if (quantity_time(text, &to->slower_ns) == QUANTITY_OK && to->slower_ns > 0) {
        return 0;
    }
    return cli_usage(&command, "--slower: '%s' is no time (100ms) and no percentile (p99)", text);
}

/* There are no scopes: says why, and what to record. 0 or EXIT_USAGE. */
static int explain_no_scopes(const struct args *args, const struct slow *s)
{
    struct slow_facts f = slow_facts(s);

    if (f.n_scopes > 0 && args->slow.by.n > 0 && f.key == NULL)
        return cli_usage(&command, "--by: no scope has a value of '%s'", args->slow.by.items[0]);
    if (f.n_scopes > 0)
        return 0;
    if (args->select.scope_types.n > 0)
        return cli_usage(&command, "--scope: no event of these types has a duration and a thread");
    if (has_filters(&args->select))
        cli_error(&command, "no scope is selected");
    else
        cli_error(&command,
                  "no scopes: the recordings have no events that last and hold a context. "
                  "jfrkit records them for programs with a logger's MDC, OpenTelemetry "
                  "or jfrkit.jar (context.md); --scope TYPE names another type of event");
    return 0;
}

static int run_slow(const struct args *args, const struct cli_list *files, struct slow *s,
                    struct select *select)
{
    struct slow_page page = {0};
    struct job job = {args, s, args->slow.json || !out_is_html(args->run.output) ? NULL : &page};
    struct run_job what = slow_job(s);
    struct cli_work work = {.job = &what, .ctx = &job, .end = write_slow};
    struct jfr_error err = {0};
    const char *path = NULL;
    int rc = slow_read(s, files->items, files->n, &err, &path);

    if (rc != 0)
        return cli_look_ahead_failed(&command, path, &err);
    rc = cli_select_report(&command, select, args->run.quiet);
    if (rc == 0)
        rc = explain_no_scopes(args, s);
    if (rc == 0 && job.page != NULL) {
        rc = slow_page_open(&page, &command, s, &args->select, files);
        what = slow_page_job(&page);
    }
    if (rc == 0)
        rc = cli_run(&command, &args->run, files, &work);
    slow_page_close(&page);
    return rc;
}

static int open_slow(const struct args *args, const struct cli_list *files)
{
    static const char *const keys[] = {"action", "operation", "route", "endpoint", "name", "tag"};
    struct cli_list by = {0};
    struct select *select = NULL;
    struct scope_filter filter = {NULL, new_filter_run, free_filter_run, load_filter_run,
                                  is_scope_selected};
    struct slow_options o = {.keys = keys,
                             .n_keys = sizeof(keys) / sizeof(keys[0]),
                             .types = args->select.scope_types.items,
                             .n_types = args->select.scope_types.n,
                             .n_slowest = args->slow.n_slowest,
                             .wants_lines = out_is_html(args->run.output)};
    struct cli_select_options filters = args->select;
    struct slow *s = NULL;
    int rc = read_slower(args->slow.slower, &o);

    if (rc == 0 && !select_can_look_ahead(files->items, files->n))
        rc = cli_usage(&command, "recordings are read twice: give files, not a pipe");
    if (rc == 0 && !cli_list_add_words(&by, &args->slow.by))
        rc = cli_no_memory(&command);
    if (rc == 0 && by.n > 0) {
        o.keys = by.items;
        o.n_keys = by.n;
    }
    filters.scope_types = (struct cli_list){0}; /* which are not about what is inside of scopes */
    if (rc == 0)
        rc = cli_select(&command, &filters, files, &select);
    if (rc == 0 && has_filters(&args->select)) {
        filter.shared = select;
        o.filter = &filter;
    }
    if (rc == 0 && (s = slow_new(&o)) == NULL)
        rc = cli_no_memory(&command);
    if (rc == 0)
        rc = run_slow(args, files, s, select);
    slow_free(s);
    select_free(select);
    cli_list_free(&by);
    return rc;
}

int verb_slow(int argc, char **argv)
{
    struct args args = {.slow = {.n_slowest = DEFAULT_SLOWEST}};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = open_slow(&args, &files);
    cli_free(&command, &args, &files);
    return rc;
}
