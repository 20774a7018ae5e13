/*
 * convert.c - jfrkit convert: the converter for a format, chosen by -f or by the ending of -o.
 *
 * Each converter is a program of its own with its own options (jfr2pprof, jfr2csv ...). This file
 * only finds out which one, takes -f out of the arguments and passes on the rest.
 */
#include "tools/cli/cli.h"
#include "tools/cli/nearest.h"
#include "tools/cli/peek.h"
#include "tools/output/output.h"
#include "tools/output/profile.h"
#include "tools/programs.h"
#include "tools/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct target {
    const char *name;
    const char *opened; /* by which tools */
    const char *endings[4];
    int (*main)(int argc, char **argv); /* NULL: the format has no program of its own */
    const char *layout; /* for --layout of jfr2json */
    const struct format *format; /* of those without a program */
};

/* Formats with a program of their own, and layouts of jfr2json. */
static const struct target programs[] = {
    {"html", "any browser: a flame graph", {".html", ".htm"}, jfr2flame_main},
    {"json", "the events, like jfr print --json", {".json"}, jfr2json_main},
    {"ndjson", "jq, DuckDB: one event per line", {".ndjson", ".jsonl"}, jfr2json_main, "ndjson"},
    {"columns", "R, pandas: JSON with one array for each field", {0}, jfr2json_main, "columns"},
    {"csv", "spreadsheets, DuckDB", {".csv"}, jfr2csv_main},
    {"parquet", "DuckDB, ClickHouse, Spark, pandas", {".parquet"}, jfr2parquet_main},
    {"pprof", "go tool pprof, Pyroscope, Grafana", {".pb.gz", ".pprof", ".pb"}, jfr2pprof_main},
    {"otlp", "OpenTelemetry collectors (/v1development/profiles)", {".otlp"}, jfr2otlp_main},
    {"collapsed", "flamegraph.pl, grep", {".collapsed", ".folded"}, jfr2collapsed_main},
    {"speedscope", "speedscope.app", {".speedscope.json", ".speedscope"}, jfr2speedscope_main},
    {"trace",
     "ui.perfetto.dev, chrome://tracing",
     {".trace.json", ".perfetto.json"},
     jfr2trace_main},
    {"firefox", "profiler.firefox.com", {".firefox.json"}, jfr2firefox_main},
    {"d3", "d3-flame-graph", {".d3.json"}, jfr2json_main, "d3"},
};

#define N_PROGRAMS (sizeof(programs) / sizeof(programs[0]))
#define TARGETS_MOST 40
#define ENDINGS_WIDTH 17 /* of the column in the list of formats */

static struct target targets[TARGETS_MOST]; /* those above, then formats of profiles */
static size_t n_targets;
static char names[600], notes[4000]; /* for messages and help */

struct args {
    const char *output, *format;
    struct cli_profile_args unused; /* of the tables that are here for help and completion */
};

static const struct cli_option options[] = {
    {'o', "output", "FILE", "write to FILE, in the format of its ending:", CLI_STRING,
     offsetof(struct args, output), .more = "Write to FILE, in the format that its ending names."},
    {'f', "format", "FORMAT", "the format, whatever the ending", CLI_STRING,
     offsetof(struct args, format)},
};

#define AT(member) (offsetof(struct args, unused) + offsetof(struct cli_profile_args, member))

/* Most converters have the options of the other tables, which are here for help and completion. */
static const struct cli_set own_set = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own_set},
    {&cli_select_set, AT(select), .is_rare = true},
    {&cli_profile_set, AT(profile), .title = "Stacks"},
    {&cli_frames_set, AT(profile)},
    {&cli_run_set, AT(run), .only = "quiet verbose strict fail-empty jobs", .is_rare = true},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit convert",
    .usage = "-o FILE | -f FORMAT [options] [recording ...]",
    .reads_recordings = true,
    .about = "Convert recordings to a format of other tools.",
    .tables = tables,
    .examples = "  jfrkit convert -o app.pb.gz app.jfr # go tool pprof -http=: app.pb.gz\n"
                "  jfrkit convert -o app.speedscope.json -c user=alice app.jfr\n"
                "  jfrkit convert -f collapsed -k alloc -u bytes app.jfr\n"
                "  jfrkit convert -o app.csv -e FileRead app.jfr\n",
    .notes = notes,
};

static const struct target *target_called(const char *name)
{
    for (size_t i = 0; i < n_targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

static void add_target(const struct target *target)
{
    if (n_targets < TARGETS_MOST && target_called(target->name) == NULL)
        targets[n_targets++] = *target;
}

/* Its line in the list of formats, with as many endings as fit. */
static size_t put_target(const struct target *target, char *to, size_t room)
{
    char endings[100] = "";
    size_t n = 0;

    for (const char *const *e = target->endings; *e != NULL; e++)
        if (n == 0 || n + 1 + strlen(*e) <= ENDINGS_WIDTH)
            n += (size_t)snprintf(endings + n, sizeof(endings) - n, "%s%s", n > 0 ? " " : "", *e);
    return (size_t)snprintf(to, room, "%-11s %-17s %s\n", target->name, endings, target->opened);
}

/* Fills in the formats, and what help and messages say about them. */
static void list_targets(void)
{
    size_t n, n_names = 0;

    for (size_t i = 0; i < N_PROGRAMS; i++)
        add_target(&programs[i]);
    for (const struct format *const *f = format_list(); *f != NULL; f++)
        add_target(&(struct target){(*f)->name, (*f)->opened, {(*f)->suffix}, .format = *f});
    n = (size_t)snprintf(notes, sizeof(notes), "\n%-11s %-17s %s\n", "FORMAT", "Ending",
                         "Opened by");
    for (size_t i = 0; i < n_targets; i++) {
        n += put_target(&targets[i], notes + n, sizeof(notes) - n);
        n_names += (size_t)snprintf(names + n_names, sizeof(names) - n_names, "%s%s",
                                    i > 0 ? " " : "", targets[i].name);
    }
    snprintf(notes + n, sizeof(notes) - n,
             "\n"
             "Other names: flame, flamegraph (html), perfetto, chrome (trace), folded\n"
             "(collapsed), pb (pprof).\n"
             "\n"
             "The other options are those of the format: jfrkit convert -f pprof --help.\n");
}

/* The longest ending that the file has counts: ".d3.json" is not ".json". */
static const struct target *target_of_file(const char *file)
{
    const struct target *found = NULL;
    size_t n = strlen(file), longest = 0;

    for (size_t i = 0; i < n_targets; i++)
        for (const char *const *e = targets[i].endings; *e != NULL; e++) {
            size_t length = strlen(*e);

            if (length > longest && n > length && strcmp(file + n - length, *e) == 0) {
                found = &targets[i];
                longest = length;
            }
        }
    return found;
}

/* Finds -o and -f in argv, and takes -f out. Returns the new number of arguments. */
static int read_args(int argc, char **argv, struct args *args)
{
    int kept = 1, n;

    for (int i = 1; i < argc; i += n) {
        n = cli_peek(argv, i, 'f', "format", &args->format);
        if (n > 0)
            continue;
        if (strcmp(argv[i], "--") == 0) { /* operands from here on */
            while (i < argc)
                argv[kept++] = argv[i++];
            break;
        }
        n = cli_peek(argv, i, 'o', "output", &args->output);
        n = n == 0 ? 1 : n;
        for (int k = 0; k < n; k++)
            argv[kept++] = argv[i + k];
    }
    argv[kept] = NULL;
    return kept;
}

static int unknown_format(const char *name)
{
    struct nearest near = nearest_to(name, strlen(name));

    for (size_t i = 0; i < n_targets; i++)
        nearest_add(&near, targets[i].name);
    if (nearest_found(&near) != NULL)
        return cli_usage(&command, "no format '%s', did you mean '%s'?", name,
                         nearest_found(&near));
    return cli_usage(&command, "no format '%s'; there are: %s", name, names);
}

static int run(const struct target *target, int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfrkit convert", .about = "Convert recordings to a format of other tools."};
    char **words = calloc((size_t)argc + 3, sizeof(*words));
    int rc, n = 0;

    if (words == NULL)
        return cli_no_memory(&command);
    words[n++] = argv[0];
    if (target->layout != NULL) {
        words[n++] = "--layout";
        words[n++] = (char *)target->layout;
    }
    memcpy(words + n, argv + 1, (size_t)(argc - 1) * sizeof(*words));
    rc = target->main != NULL ? target->main(n + argc - 1, words)
                              : cli_output_main(&about, target->format, n + argc - 1, words);
    free(words);
    return rc;
}

int verb_convert(int argc, char **argv)
{
    struct args args = {0};
    const struct target *target = NULL;
    struct cli_list operands;
    int n = read_args(argc, argv, &args), rc;

    list_targets();
    if (args.format != NULL)
        target = target_called(format_own_name(args.format));
    else if (args.output != NULL)
        target = target_of_file(args.output);
    if (target != NULL)
        return run(target, n, argv);
    if (args.format != NULL)
        return unknown_format(args.format);
    /* Here only help, version and completion are left to do. */
    for (int i = 1; i < n; i++)
        if (cli_peek_help(argv[i])) {
            char *words[] = {argv[0], argv[i], NULL};

            rc = cli_parse(&command, 2, words, &args, &operands);
            return rc >= 0 ? rc : EXIT_USAGE;
        }
    if (args.output != NULL && strcmp(args.output, "-") != 0)
        return cli_usage(&command, "no format has the ending of '%s': name it with -f, one of %s",
                         args.output, names);
    return cli_usage(&command, "to which format? -o FILE.ENDING, or -f with one of %s", names);
}
