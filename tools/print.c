/*
 * print.c - jfrkit print: events as text, as `jfr print` of the JDK writes them, as JSON or XML.
 *
 * Text is made by convert/print. Options that are about JSON make it JSON, as jfr2json prints it.
 */
#include "convert/print/print.h"
#include "tools/cli/pager.h"
#include "tools/output/json.h"
#include "tools/output/text.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <string.h>

struct print_verb_options {
    bool json, xml;
};

struct args {
    struct print_verb_options print;
    struct cli_text text;
    struct cli_pager_options pager;
    struct cli_json_args json;
};

#define AT(member) offsetof(struct print_verb_options, member)

static const struct cli_option rows[] = {
    {0, "json", NULL, "JSON in place of text", CLI_FLAG, AT(json),
     .more = "Print JSON, as jfr print --json does. --layout, --fields, --numbers, --nesting and "
             "--with-context are about JSON and imply it.",
     .example = "jfrkit print --json -e FileRead app.jfr"},
    {0, "xml", NULL, "XML in place of text", CLI_FLAG, AT(xml),
     .more = "Print XML, as jfr print --xml does: --layout xml.",
     .example = "jfrkit print --xml -e FileRead app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, rows, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, print)},
    {&cli_text_set, offsetof(struct args, text)},
    {&cli_pager_set, offsetof(struct args, pager)},
    {&cli_json_set, offsetof(struct args, json.json)},
    {&cli_select_set, offsetof(struct args, json.profile.select)},
    {&cli_run_set, offsetof(struct args, json.profile.run)},
    {&cli_profile_set, offsetof(struct args, json.profile.profile), .title = "Stacks"},
    {&cli_frames_set, offsetof(struct args, json.profile.profile)},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit print",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print events as text, JSON or XML.",
    .tables = tables,
    .suffix = ".txt",
    .examples = "  jfrkit print -e ExecutionSample --head 2 app.jfr # like jfr print\n"
                "  jfrkit print -l ndjson -w 'duration > 1ms' app.jfr # one event per line\n",
};

static bool wants_json(const struct args *args)
{
    const struct cli_json *j = &args->json.json;

    return args->print.json || j->layout != NULL || j->fields.n > 0 || j->numbers != NULL ||
           j->nesting > 0 || j->with_context;
}

/* --- text --- */

static int begin_text(void *print, struct out *out)
{
    print_begin(print, out);
    return 0;
}

static int end_text(void *print, struct out *out)
{
    return print_end(print, out);
}

static bool is_text_empty(const void *print)
{
    return print_n_events(print) == 0;
}

static int run_text(const struct args *args, const struct cli_list *files,
                    const struct print_options *options, struct select *select)
{
    struct print *print = print_new(options, select);
    struct cli_run_options run = args->json.profile.run;
    struct cli_work work = {.streams = true,
                            .begin = begin_text,
                            .end = end_text,
                            .is_empty = is_text_empty,
                            .pool_rule = JFR_POOL_OLDEST,
                            .select = select};
    struct run_job job;
    int rc;

    if (print == NULL)
        return cli_no_memory(&command);
    job = print_job(print);
    work.job = &job;
    run.jobs = print_look_ahead(print, files->items, files->n, run.jobs);
    rc = cli_run(&command, &run, files, &work);
    if (rc != EXIT_FAILED && rc != EXIT_USAGE && print_n_undeclared(print) > 0 && !run.quiet)
        cli_error(&command,
                  "%" PRIu64 " events left out: the recording does not declare their types",
                  print_n_undeclared(print));
    print_free(print);
    return rc;
}

static int run_as_text(struct args *args, const struct cli_list *files)
{
    struct print_options options = print_options_default();
    struct json_options json;
    struct select *select = NULL;
    int rc = cli_json_options(&command, &args->json.json, &json);

    if (rc != 0)
        return rc;
    cli_text_style(&args->text, &options.style);
    if (args->json.json.stack_depth != NULL)
        options.style.stack_depth = json.style.stack_depth;
    options.rules = json.style.rules;
    options.style.is_17 = json.style.rules == JSON_RULES_17;
    options.style.is_own = json.style.rules == JSON_RULES_OWN;
    options.anchor = json.anchor;
    options.head = json.head;
    options.sample = json.sample;
    rc = cli_select(&command, &args->json.profile.select, files, &select);
    if (rc == 0 && (args->json.profile.run.output == NULL ||
                    strcmp(args->json.profile.run.output, "-") == 0)) {
        cli_pager_begin(&args->pager);
        options.style.is_terminal = cli_is_terminal();
        options.style.has_colours = cli_has_colours();
    }
    if (rc == 0)
        rc = run_text(args, files, &options, select);
    select_free(select);
    return rc;
}

int verb_print(int argc, char **argv)
{
    struct args args = {.print = {.json = false}};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    if (args.print.xml && (args.print.json || args.json.json.layout != NULL))
        rc = cli_usage(&command,
                       "--xml is a layout of its own: it cannot stand beside --json or --layout");
    else if (!args.print.xml && !wants_json(&args))
        rc = run_as_text(&args, &files);
    else if (args.text.is_exact || args.text.is_one_line)
        rc = cli_usage(&command, "--exact and --oneline are about text");
    else {
        if (args.print.xml)
            args.json.json.layout = "xml";
        rc = cli_json_main(&command, &args.json, &files);
    }
    cli_profile_close(&args.json.profile, NULL);
    cli_free(&command, &args, &files);
    return rc;
}
