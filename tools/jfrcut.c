/*
 * jfrcut.c - writes a part of a recording as a recording: selected events, without secrets, in
 * pieces, repaired.
 *
 * It parses the options; convert/rewrite does the work.
 */
#include "convert/text/timespec.h"
#include "tools/output/rewrite.h"
#include "tools/cli/select.h"
#include "tools/programs.h"

struct args {
    struct cli_run_options run;
    struct cli_select_options select;
    struct cli_list not_events, drop_fields, redact;
    const char *split_size;
    unsigned long split;
    bool scrub, repair, no_contexts;
};

#define AT(member) offsetof(struct args, member)

static const struct cli_option options[] = {
    {'E', "not-event", "GLOB", "no events of these types", CLI_LIST, AT(not_events),
     .more = "Remove events of these types.",
     .example = "jfrkit cut -E jdk.ThreadPark -o part.jfr app.jfr"},
    {0, "drop-fields", "LIST", "remove fields of events by name", CLI_LIST, AT(drop_fields),
     .more = "Remove these fields, by name, from all events and from their types. startTime "
             "cannot be removed.",
     .example = "jfrkit cut --drop-fields path -o part.jfr app.jfr"},
    {0, "redact", "NAME=hash:SECRET|drop", "replace a field's text by a keyed hash, or drop it",
     CLI_LIST, AT(redact),
     .more = "With drop, remove the field as --drop-fields does. With hash, put 32 "
             "hexadecimal digits of a keyed hash (SipHash-2-4, 128 bits) in place of the "
             "field's text: the same text under the same secret has the same hash in every "
             "recording. The field becomes a string. Numbers are hashed as decimal text; "
             "fields that are neither text nor number are dropped. A person with the secret "
             "can guess texts and compare hashes.",
     .example = "jfrkit cut --redact path=hash:secret -o part.jfr app.jfr"},
    {0, "no-contexts", NULL, "remove context fields, which jfrconv cannot read", CLI_FLAG,
     AT(no_contexts),
     .more = "Remove the fields that hold the context of an event (tracer-context_user). "
             "async-profiler's jfrconv and grafana's jfr-parser cannot read events with "
             "these fields."},
    {0, "scrub", NULL, "remove system properties, environment, command lines", CLI_FLAG, AT(scrub),
     .more = "Remove what commonly holds secrets, see SCRUBBING.",
     .example = "jfrkit cut --scrub -o part.jfr app.jfr"},
    {0, "split", "N", "files of N chunks: NAME_0.jfr, NAME_1.jfr, ...", CLI_POSITIVE, AT(split),
     .more = "Write files of N chunks. The files are named after --output, or, if that is a "
             "folder or not given, after the input: NAME_0.jfr, NAME_1.jfr, and so on. They "
             "are packed if that name ends in .gz, .zst or .lz4. Without other options the "
             "chunks of an undamaged file are copied unchanged.",
     .example = "jfrkit cut --split 1 app.jfr"},
    {0, "split-size", "SIZE", "files of at most SIZE, or one chunk", CLI_STRING, AT(split_size),
     .more = "Begin a new file if the next chunk of the input would make the current one "
             "larger than SIZE (10MB, 64MiB). A chunk is never divided.",
     .example = "jfrkit cut --split-size 10MB app.jfr"},
    {0, "repair", NULL, "keep all that can be read of a damaged recording", CLI_FLAG, AT(repair),
     .more = "Save what can be read of a recording that was cut off, whose JVM was killed, "
             "or whose disk was full. A chunk that merely was never finished counts as "
             "good. Each loss is reported on standard error, and the exit status is 3 if "
             "there was any. A file that was repaired is not changed by repairing it again."},
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_run_set, AT(run), .without = CLI_REWRITE_WITHOUT},
    {&cli_select_set, AT(select)},
    {0},
};

static const struct cli_command command = {
    .name = "jfrcut",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Write a part of a recording: by time, event, context; without secrets; repaired.",
    .tables = tables,
    .suffix = ".jfr",
    .notes = "Exit: 0 ok, 1 failed, 2 usage, 3 damaged input, 4 no event (--fail-empty).\n",
    .examples = "  jfrkit cut --from 1s --to 2s -o cut.jfr app.jfr\n"
                "  jfrkit cut -e ExecutionSample -c user=alice -o cut.jfr app.jfr\n"
                "  jfrkit cut --scrub -o clean.jfr app.jfr # without command line, environment\n"
                "  jfrkit cut --repair -o good.jfr killed.jfr\n"};

/* Does anything choose among the events? */
static bool has_selection(const struct cli_select_options *s)
{
    return s->events.n + s->categories.n + s->threads.n + s->not_threads.n + s->states.n > 0 ||
           s->contexts.n + s->not_contexts.n + s->contexts_from.n > 0 || s->from != NULL ||
           s->to != NULL || s->min_duration != NULL || s->where != NULL || s->tail != NULL;
}

static int read_edit(const struct args *args, struct rewrite_edit *edit)
{
    struct jfr_error err = {0};
    int rc = 0;

    edit->scrub = args->scrub;
    edit->repair = args->repair;
    edit->no_contexts = args->no_contexts;
    for (size_t i = 0; i < args->drop_fields.n && rc == 0; i++)
        rc = rewrite_edit_drop(edit, args->drop_fields.items[i], &err);
    for (size_t i = 0; i < args->redact.n && rc == 0; i++)
        rc = rewrite_edit_redact(edit, args->redact.items[i], &err);
    if (rc == JFR_E_NOMEM) {
        cli_error(&command, "%s", err.text);
        return EXIT_FAILED;
    }
    return rc == 0 ? 0 : cli_usage(&command, "%s", err.text);
}

static int read_split(const struct args *args, struct rewrite_run_options *run)
{
    struct jfr_error err = {0};

    run->chunks_each = args->split;
    run->verbatim = args->split > 0 || args->split_size != NULL;
    if (args->split_size == NULL)
        return 0;
    if (timespec_size(args->split_size, &run->bytes_each, &err) != 0)
        return cli_usage(&command, "%s", err.text);
    return run->bytes_each > 0 ? 0 : cli_usage(&command, "--split-size is at least one byte");
}

static int cut_recordings(const struct args *args, const struct cli_list *files,
                          struct rewrite_edit *edit)
{
    const struct cli_select_options drop = {.events = args->not_events};
    struct rewrite_run_options run = {.repair = args->repair};
    struct select *select = NULL, *not_select = NULL;
    int rc = read_edit(args, edit);

    if (rc == 0)
        rc = read_split(args, &run);
    if (rc == 0 && has_selection(&args->select))
        rc = cli_select(&command, &args->select, files, &select);
    if (rc == 0 && args->not_events.n > 0)
        rc = cli_select(&command, &drop, files, &not_select);
    run.select = select;
    run.drop = not_select;
    run.rewrite.trim = select != NULL || not_select != NULL;
    run.rewrite.edit =
        edit->scrub || edit->repair || edit->no_contexts || edit->n_rules > 0 ? edit : NULL;
    if (rc == 0)
        rc = cli_rewrite(&command, &args->run, files, &run);
    select_free(select);
    select_free(not_select);
    return rc;
}

int jfrcut_main(int argc, char **argv)
{
    struct args args = {0};
    struct rewrite_edit edit = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = cut_recordings(&args, &files, &edit);
    rewrite_edit_free(&edit);
    cli_free(&command, &args, &files);
    return rc;
}
