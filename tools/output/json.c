/*
 * json.c - the options of JSON, CSV and trace output of events, and the run.
 *
 * jfr2json, jfr2csv and jfr2trace share it. Options are checked here; convert/json
 * writes the events.
 */
#include "tools/output/json.h"

#include "convert/json/csv_columns.h"
#include "convert/json/value.h"
#include "tools/output/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct cli_json, member)

static const struct cli_option rows[] = {
    {'l', "layout", "NAME",
     "jdk (default), ndjson, columns, stacktable,\nxml, d3 (a tree of stacks)", CLI_STRING,
     AT(layout), .more = "Arrange events as the section LAYOUTS describes.",
     .example = "jfrkit print -l ndjson app.jfr"},
    {0, "compat", "25|17|own", "print values as jfr of that JDK, or by our rules", CLI_STRING,
     AT(compat),
     .more = "Follow the rules of this JDK's tool, or our own, see VALUES. The jdk layout "
             "has 25, the others own.",
     .example = "jfrkit print --compat 17 app.jfr"},
    {0, "stack-depth", "N|all", "frames per stack (jdk: 5, else all)", CLI_STRING, AT(stack_depth),
     .more = "Print at most so many frames of a stack trace.",
     .example = "jfrkit print --stack-depth 10 app.jfr"},
    {0, "nesting", "N", "constants inside one another", CLI_POSITIVE, AT(nesting), .def = "2000",
     .more = "Print so many constants inside one another, at most 4000: each object in the "
             "chain of references of a jdk.OldObjectSample is two. What lies deeper is "
             "\"[nested too deeply]\", and the event is reported as damaged."},
    {0, "fields", "LIST", "only these fields: startTime,eventThread.javaName", CLI_LIST, AT(fields),
     .more = "Print only these fields. A dot selects a field inside a value: "
             "eventThread.javaName. A field that no event type has is an error.",
     .example = "jfrkit print -e FileRead --fields path,bytesRead app.jfr"},
    {0, "numbers", "HOW", "raw, or text64: integers beyond 2^53 as strings", CLI_STRING,
     AT(numbers),
     .more = "Print integers above 2^53 as strings (text64), because many JSON readers "
             "round them."},
    {0, "with-context", NULL, "add \"context\": {KEY: VALUE} to every event", CLI_FLAG,
     AT(with_context),
     .more = "Add a member \"context\" with the attributes of the event's context, {\"user\": "
             "\"alice\"}; an empty object where it has none. For the layouts jdk and ndjson.",
     .example = "jfrkit print -l ndjson --with-context app.jfr"},
    {0, "time-anchor", "WHOSE", "clock for times: first, metadata or (own) chunk", CLI_STRING,
     AT(anchor),
     .more = "Compute times by the clock and zone of one chunk: the first of each "
             "recording, the one where the metadata last changed, or each chunk's own. "
             "--compat 25 implies first, 17 metadata, own chunk."},
    {0, "head", "N", "the first N events", CLI_STRING, AT(head),
     .example = "jfrkit print --head 3 app.jfr"},
    {0, "sample", "N", "one event of N", CLI_STRING, AT(sample),
     .more = "Print every Nth of the selected events, in the order of the output, beginning "
             "with the first.",
     .example = "jfrkit print --sample 10 app.jfr"},
};

const struct cli_set cli_json_set = CLI_SET(NULL, rows, 0);

static bool read_depth(const char *text, size_t *depth)
{
    uint64_t n;

    if (strcmp(text, "all") == 0)
        *depth = SIZE_MAX;
    else if (cli_read_unsigned(text, &n))
        *depth = n;
    else
        return false;
    return true;
}

static bool read_numbers(const char *text, bool *text64)
{
    *text64 = strcmp(text, "text64") == 0;
    return *text64 || strcmp(text, "raw") == 0;
}

/* Layouts that need more than these options. */
static bool is_other_command(const char *layout)
{
    return layout != NULL && (strcmp(layout, "csv") == 0 || strcmp(layout, "trace") == 0 ||
                              strcmp(layout, "markers") == 0);
}

int cli_json_options(const struct cli_command *command, const struct cli_json *from,
                     struct json_options *to)
{
    *to = json_options_default(from->layout == NULL ? "jdk" : from->layout);
    if (to->layout == NULL || is_other_command(from->layout))
        return cli_usage(command, "--layout: no such layout: '%s'", from->layout);
    if (from->compat != NULL && !json_options_compat(to, from->compat))
        return cli_usage(command, "--compat: '%s' is none of 25, 17, own", from->compat);
    if (from->anchor != NULL && !json_options_anchor(to, from->anchor))
        return cli_usage(command, "--time-anchor: '%s' is none of first, metadata, chunk",
                         from->anchor);
    if (from->stack_depth != NULL && !read_depth(from->stack_depth, &to->style.stack_depth))
        return cli_usage(command, "--stack-depth: '%s' is not a number", from->stack_depth);
    if (from->nesting > JSON_NESTING_MOST)
        return cli_usage(command, "--nesting is at most %d", JSON_NESTING_MOST);
    if (from->nesting > 0)
        to->style.nesting = from->nesting;
    if (from->numbers != NULL && !read_numbers(from->numbers, &to->style.text64))
        return cli_usage(command, "--numbers: '%s' is neither raw nor text64", from->numbers);
    if (from->head != NULL && !cli_read_unsigned(from->head, &to->head))
        return cli_usage(command, "--head: '%s' is not a number", from->head);
    if (from->sample != NULL && (!cli_read_unsigned(from->sample, &to->sample) || to->sample == 0))
        return cli_usage(command, "--sample: '%s' is not a number from 1", from->sample);
    if (from->with_context && from->layout != NULL && strcmp(from->layout, "jdk") != 0 &&
        strcmp(from->layout, "ndjson") != 0)
        return cli_usage(command, "--with-context: only for the layouts jdk and ndjson");
    if (from->layout != NULL && strcmp(from->layout, "xml") == 0 &&
        (from->fields.n > 0 || from->numbers != NULL))
        return cli_usage(command, "--%s: not for XML", from->fields.n > 0 ? "fields" : "numbers");
    to->with_context = from->with_context;
    to->fields = (struct select_list){from->fields.items, from->fields.n};
    return 0;
}

/* --- printing --------------------------------------------------------------------------------- */

struct printing {
    const struct cli_command *command;
    struct json *json;
};

static int begin(void *ctx, struct out *out)
{
    const struct printing *p = ctx;

    if (json_columns_of(p->json) != NULL)
        csv_put_header(json_columns_of(p->json), &out->b);
    return json_begin(p->json, out);
}

static int end(void *ctx, struct out *out)
{
    const struct printing *p = ctx;
    const char *unknown = json_unknown_field(p->json);

    if (unknown == NULL)
        return json_end(p->json, out);
    cli_error(p->command, "no event type has a field '%s'", unknown);
    return CLI_REPORTED;
}

static bool is_empty(const void *ctx)
{
    return json_n_events(((const struct printing *)ctx)->json) == 0;
}

void cli_json_report_undeclared(const struct cli_command *command, const struct json *json,
                                bool quiet)
{
    if (json_n_undeclared(json) > 0 && !quiet)
        cli_error(command,
                  "%" PRIu64 " events left out: the recording does not declare their types",
                  json_n_undeclared(json));
}

int cli_json_run(const struct cli_command *command, const struct cli_run_options *run,
                 const struct cli_list *files, const struct json_options *opt,
                 struct select *select)
{
    struct cli_run_options own = *run;
    struct jfr_error err = {0};
    struct printing p = {command, json_new(opt, select, &err)};
    struct run_job job;
    struct cli_work work;
    const char *unknown;
    int rc;

    if (p.json == NULL) {
        cli_error(command, "%s", err.text);
        return EXIT_FAILED;
    }
    job = json_job(p.json);
    work = (struct cli_work){.job = &job,
                             .ctx = &p,
                             .pool_rule = json_pool_rule(p.json),
                             .streams = true,
                             .begin = begin,
                             .end = end,
                             .is_empty = is_empty,
                             .select = select};
    if ((unknown = json_find_fields(p.json, files->items, files->n)) != NULL) {
        cli_error(command, "no event type has a field '%s'", unknown);
        json_free(p.json);
        return EXIT_USAGE;
    }
    own.jobs = json_look_ahead(p.json, files->items, files->n, (unsigned)run->jobs);
    rc = cli_run(command, &own, files, &work);
    if (rc != EXIT_FAILED && rc != EXIT_USAGE)
        cli_json_report_undeclared(command, p.json, own.quiet);
    json_free(p.json);
    return rc;
}

int cli_json_main(const struct cli_command *command, struct cli_json_args *args,
                  const struct cli_list *files)
{
    struct json_options options;
    struct select *select = NULL;
    int rc;

    if (args->json.layout != NULL && strcmp(args->json.layout, "d3") == 0)
        return cli_output_format(command, &format_d3, &args->profile, files);
    rc = cli_json_options(command, &args->json, &options);
    if (rc == 0)
        args->profile.select.all_keys = options.with_context;
    if (rc == 0)
        rc = cli_select(command, &args->profile.select, files, &select);
    if (rc == 0)
        rc = cli_json_run(command, &args->profile.run, files, &options, select);
    select_free(select);
    return rc;
}
