/*
 * jfrmeta.c - jfrkit events: event types, fields, annotations and settings of a recording.
 *
 * convert/meta gathers and writes them; this file has the options and examples.
 */
#include "convert/meta/meta.h"
#include "tools/cli/run.h"
#include "tools/programs.h"

#include <stdlib.h>
#include <string.h>

struct args {
    struct cli_run_options run;
    struct meta_options meta;
    const char *format, *compat;
    bool json, html;
    struct cli_list events, categories;
};

#define AT(member) offsetof(struct args, member)

static const struct cli_option options[] = {
    {'f', "format", "text|json|html", "text is what 'jfr metadata' prints", CLI_STRING, AT(format),
     .def = "text",
     .more = "Print text as jfr metadata does; or json, described below; or html, one page "
             "that needs nothing else: all event types by category, with fields, units, "
             "settings found and defaults, counts, and the first event of each type. A page "
             "is not written to a terminal.",
     .example = "jfrkit events -f html -o events.html app.jfr"},
    {0, "json", NULL, "short for -f json", CLI_FLAG, AT(json)},
    {0, "html", NULL, "short for -f html: a page to read", CLI_FLAG, AT(html)},
    {'e', "events", "GLOB", "only these events", CLI_LIST, AT(events),
     .more = "Print only events whose simple or full name matches. May be given several "
             "times, or as a list with commas; a name between slashes is a regular "
             "expression.",
     .example = "jfrkit events --events FileRead,SocketRead app.jfr"},
    {0, "category", "GLOB", "only events of these categories", CLI_LIST, AT(categories),
     .more = "Print only events with this element in their category. With --events, both "
             "must match."},
    {0, "used", NULL, "only types with events, and their number", CLI_FLAG, AT(meta.used),
     .more = "Print only types that have events, with counts, bytes and rate.",
     .example = "jfrkit events --used app.jfr"},
    {0, "settings", NULL, "add the settings that the recording has", CLI_FLAG, AT(meta.settings),
     .more = "Add what was set in the recording (jdk.ActiveSetting), and the defaults of "
             "what was not."},
    {0, "ids", NULL, "add type ids and constant pools", CLI_FLAG, AT(meta.ids),
     .more = "Add type ids, and which fields refer to constant pools."},
    {0, "diff", "OTHER", "print what differs in another recording", CLI_STRING, AT(meta.diff),
     .more = "Print which types, fields, labels and units the other recording adds (+), "
             "lacks (-) or changes (~). Works with JSON, too. The exit code does not depend "
             "on the differences.",
     .example = "jfrkit events --diff new.jfr old.jfr"},
    {0, "compat", "25|17", "as 'jfr metadata' of that JDK, for mixed files", CLI_STRING, AT(compat),
     .more = "Unite types by their numeric ids, of which the first one counts, and print "
             "names as they are, control characters too: the same bytes as jfr metadata of "
             "that JDK, also for files of several producers. With --events and --category "
             "one of both suffices with 17, as there."},
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_run_set, AT(run), .without = "per"},
    {0},
};

static const struct cli_command command = {
    .name = "jfrmeta",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "List event types with their fields, annotations and settings.",
    .tables = tables,
    .examples = "  jfrkit events --used app.jfr\n"
                "  jfrkit events -e 'File*' app.jfr\n"
                "  jfrkit events --html -o events.html app.jfr\n",
    .suffix = ".txt",
    .notes = "Exit: 0 ok, 1 failed, 2 usage, 3 damaged input, 4 empty.\n",
};

/* Fills args->meta from what the options say. -1 to continue, or an exit code. */
static int interpret(struct args *a)
{
    static const char *const formats[] = {"text", "json", "html"};
    const char *format = a->html ? "html" : a->json ? "json" : a->format;
    struct jfr_error err = {0};
    size_t i = 0;

    while (format != NULL && i < 3 && strcmp(format, formats[i]) != 0)
        i++;
    if (i == 3)
        return cli_usage(&command, "no format '%s'; there are text, json and html", format);
    a->meta.format = (enum meta_format)i;
    if (a->compat != NULL && strcmp(a->compat, "25") != 0 && strcmp(a->compat, "17") != 0)
        return cli_usage(&command, "--compat is 25 or 17, not '%s'", a->compat);
    a->meta.compat = a->compat != NULL ? atoi(a->compat) : 0;
    if (a->meta.diff != NULL && a->meta.format == META_HTML)
        return cli_usage(&command, "--diff has no HTML");
    for (i = 0; i < a->events.n && err.code == 0; i++)
        meta_patterns_add(&a->meta.events, a->events.items[i], &err);
    for (i = 0; i < a->categories.n && err.code == 0; i++)
        meta_patterns_add(&a->meta.categories, a->categories.items[i], &err);
    return err.code == 0 ? -1 : cli_usage(&command, "%s", err.text);
}

struct ending {
    const struct args *args;
    struct meta *meta;
};

/* A run whose patterns match no type is an error, unless --fail-empty makes it one of its own. */
static int end(void *shared, struct out *out)
{
    const struct ending *e = shared;
    const struct cli_list *asked = e->args->events.n > 0 ? &e->args->events : &e->args->categories;

    if (asked->n == 0 || e->args->run.fail_empty || !meta_is_empty(e->meta))
        return meta_end(e->meta, out);
    cli_error(&command, "no event type %s '%s'",
              asked == &e->args->events ? "is called" : "has a category", asked->items[0]);
    return CLI_REPORTED;
}

static bool is_empty(const void *shared)
{
    return meta_is_empty(((const struct ending *)shared)->meta);
}

/* With --diff the other recording comes last. */
static int run(const struct args *a, const struct cli_list *files)
{
    struct meta *m = meta_new(&a->meta);
    struct ending ending = {a, m};
    struct run_job job;
    struct cli_work work;
    struct cli_list all = {calloc(files->n + 2, sizeof(const char *)), 0};
    int rc;

    if (m != NULL && all.items != NULL) {
        job = meta_job(m);
        work = (struct cli_work){.job = &job,
                                 .ctx = &ending,
                                 .end = end,
                                 .damaged = meta_damaged,
                                 .is_empty = is_empty,
                                 .suffix = a->meta.format == META_HTML ? ".html" : NULL};
        for (size_t i = 0; i < files->n; i++)
            all.items[all.n++] = files->items[i];
        if (all.n == 0)
            all.items[all.n++] = "-";
        if (a->meta.diff != NULL)
            all.items[all.n++] = a->meta.diff;
        rc = cli_run(&command, &a->run, &all, &work);
    } else {
        rc = cli_no_memory(&command);
    }
    free(all.items);
    meta_free(m);
    return rc;
}

int jfrmeta_main(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = interpret(&args);
    if (rc < 0)
        rc = run(&args, &files);
    meta_patterns_free(&args.meta.events);
    meta_patterns_free(&args.meta.categories);
    cli_free(&command, &args, &files);
    return rc;
}
