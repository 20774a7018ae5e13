/*
 * jfrannotate.c - jfrkit annotate: contexts from contextual events put onto the events inside them.
 *
 * The options are here; convert/rewrite/annotate.c finds the contexts and run.c writes the
 * recording.
 */
#include "convert/rewrite/annotate.h"
#include "tools/output/rewrite.h"
#include "tools/cli/select.h"
#include "tools/output/write.h"
#include "tools/programs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct args {
    struct cli_list keys;
    const char *pyroscope; /* file of labels; NULL: fields */
    struct cli_select_options select; /* --context-from alone */
    struct cli_run_options run;
};

static const struct cli_option options[] = {
    {'K', "keys", "LIST", "attributes to add: user,action", CLI_LIST, offsetof(struct args, keys),
     .def = "all",
     .more = "Add these attributes to events, given by their name (user) or their full name "
             "(Request.user), which is also the name of the field.",
     .example = "jfrkit annotate --keys user -o new.jfr app.jfr"},
    {0, "pyroscope", "FILE", "add a number instead, and its labels to FILE", CLI_STRING,
     offsetof(struct args, pyroscope),
     .more = "Add a number contextId to events with a stack, instead of text fields, and "
             "write the values of the numbers to FILE: the LabelsSnapshot (protobuf) that "
             "Pyroscope accepts as the part labels beside a recording, so that its profiles "
             "have the labels. Contexts are then also read from fields of the events "
             "themselves, and the input is read once. A type that already has a contextId "
             "is not changed. In names of labels each character that is neither letter nor "
             "digit becomes '_'. Default: all attributes except the ids of spans.",
     .example = "jfrkit annotate --pyroscope app.labels -o with-ids.jfr app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_select_set, offsetof(struct args, select), .only = "context-from", .title = ""},
    {&cli_run_set, offsetof(struct args, run), .without = CLI_REWRITE_WITHOUT " per"},
    {0},
};

static const struct cli_command command = {
    .name = "jfrannotate",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Copy a recording and add the contexts (user, trace id) to its events, as fields.",
    .tables = tables,
    .suffix = ".jfr",
    .examples = "  jfrkit annotate -o annotated.jfr app.jfr\n"
                "  jfrkit annotate --keys user -o annotated.jfr app.jfr\n"
                "  jfrkit annotate --context-from new.jfr -o annotated.jfr old.jfr\n",
};

static int add_annotate_keys(struct annotate *a, const struct cli_list *keys)
{
    for (size_t i = 0; i < keys->n; i++)
        for (const char *p = keys->items[i]; *p != '\0';) {
            size_t n = strcspn(p, ",");
            char *key = strndup(p, n);
            bool good = key != NULL && (n == 0 || annotate_key(a, key));

            free(key);
            if (!good)
                return cli_usage(&command, "--keys: more than %d", ANNOTATE_KEYS);
            p += n + (p[n] == ',');
        }
    return 0;
}

/* 0 or an exit code. Damage is reported by cli_rewrite(), not here. */
static int look_at_inputs(struct annotate *a, const struct cli_list *files,
                          const struct cli_list *from)
{
    const struct select_list more = {from->items, from->n};
    struct jfr_error err = {0};
    const char *path = NULL;

    if (annotate_look_ahead(a, files->items, files->n, &more, &err, &path) != 0)
        return cli_look_ahead_failed(&command, path, &err);
    cli_contexts_lost(&command, annotate_n_lost(a));
    return 0;
}

static int write_labels(void *labels, struct out *out)
{
    return labels_write(labels, out);
}

int jfrannotate_main(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    struct rewrite_run_options run = {0};
    struct labels *labels = NULL;
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    run.annotate = annotate_new();
    rc = run.annotate == NULL ? cli_no_memory(&command)
                              : add_annotate_keys(run.annotate, &args.keys);
    if (rc == 0 && args.pyroscope != NULL) {
        labels = labels_new();
        rc = labels == NULL ? cli_no_memory(&command) : 0;
        if (rc == 0)
            annotate_as_labels(run.annotate, labels);
    }
    if (rc == 0)
        rc = look_at_inputs(run.annotate, &files, &args.select.contexts_from);
    if (rc == 0)
        rc = cli_rewrite(&command, &args.run, &files, &run);
    if ((rc == EXIT_DONE || rc == EXIT_DAMAGED) && args.run.verbose)
        cli_error(&command, "%" PRIu64 " events got a context", annotate_n(run.annotate));
    if (labels != NULL && (rc == EXIT_DONE || rc == EXIT_DAMAGED) &&
        cli_write(&command, args.pyroscope, write_labels, labels) != EXIT_DONE)
        rc = EXIT_FAILED;
    labels_free(labels);
    annotate_free(run.annotate);
    cli_free(&command, &args, &files);
    return rc;
}
