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
    const char *endings[4];
    int (*main)(int argc, char **argv); /* NULL: the format below has no program of its own */
    const char *layout; /* for --layout of jfr2json */
    const struct format *format;
};

/* The first ending that matches counts: ".json" and ".csv" come after those that end like that. */
static const struct target targets[] = {
    {"html", {".html", ".htm"}, jfr2flame_main},
    {"speedscope", {".speedscope.json", ".speedscope"}, jfr2speedscope_main},
    {"trace", {".trace.json", ".perfetto.json"}, jfr2trace_main},
    {"firefox", {".firefox.json"}, jfr2firefox_main},
    {"d3", {".d3.json"}, jfr2json_main, "d3"},
    {"json", {".json"}, jfr2json_main},
    {"ndjson", {".ndjson", ".jsonl"}, jfr2json_main, "ndjson"},
    {"columns", {NULL}, jfr2json_main, "columns"},
    {"nested-set", {".nested-set.csv"}, .format = &format_nested_set},
    {"csv", {".csv"}, jfr2csv_main},
    {"pprof", {".pb.gz", ".pprof", ".pb"}, jfr2pprof_main},
    {"otlp", {".otlp"}, jfr2otlp_main},
    {"collapsed", {".collapsed", ".folded"}, jfr2collapsed_main},
};

#define N_TARGETS (sizeof(targets) / sizeof(targets[0]))
#define NAMES \
    "html json ndjson columns csv pprof otlp collapsed speedscope trace firefox d3 nested-set"

struct args {
    const char *output, *format;
    struct cli_profile_args unused; /* of the tables that are here for help and completion */
};

static const struct cli_option options[] = {
    {'o', "output", "FILE", "write to FILE, in the format of its ending:", CLI_STRING,
     offsetof(struct args, output)},
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
    {&cli_run_set, AT(run), .only = "output quiet verbose strict fail-empty jobs", .is_rare = true},
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
    .notes = "\n"
             "FORMAT      Ending            Opened by\n"
             "html        .html             any browser: a flame graph\n"
             "json        .json             the events, like jfr print --json\n"
             "ndjson      .ndjson .jsonl    jq, DuckDB: one event per line\n"
             "columns                       R, pandas: JSON with one array for each field\n"
             "csv         .csv              spreadsheets, DuckDB\n"
             "pprof       .pb.gz .pprof     go tool pprof, Pyroscope, Grafana\n"
             "otlp        .otlp             OpenTelemetry collectors (/v1development/profiles)\n"
             "collapsed   .collapsed        flamegraph.pl, grep\n"
             "speedscope  .speedscope.json  speedscope.app\n"
             "trace       .trace.json       ui.perfetto.dev, chrome://tracing\n"
             "firefox     .firefox.json     profiler.firefox.com\n"
             "d3          .d3.json          d3-flame-graph\n"
             "nested-set  .nested-set.csv   Grafana's flame graph panel\n"
             "\n"
             "Other names: flame, flamegraph (html), perfetto, chrome (trace), folded\n"
             "(collapsed), pb (pprof).\n"
             "\n"
             "The other options are those of the format: jfrkit convert -f pprof --help.\n"};

static const struct target *target_named(const char *name)
{
    const char *own = format_own_name(name);

    for (size_t i = 0; i < N_TARGETS; i++)
        if (strcmp(targets[i].name, own) == 0)
            return &targets[i];
    return NULL;
}

static const struct target *target_of_file(const char *file)
{
    size_t n = strlen(file);

    for (size_t i = 0; i < N_TARGETS; i++)
        for (const char *const *e = targets[i].endings; *e != NULL; e++)
            if (n > strlen(*e) && strcmp(file + n - strlen(*e), *e) == 0)
                return &targets[i];
    return NULL;
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

    for (size_t i = 0; i < N_TARGETS; i++)
        nearest_add(&near, targets[i].name);
    if (nearest_found(&near) != NULL)
        return cli_usage(&command, "no format '%s', did you mean '%s'?", name,
                         nearest_found(&near));
    return cli_usage(&command, "no format '%s'; there are: " NAMES, name);
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

    if (args.format != NULL)
        target = target_named(args.format);
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
        return cli_usage(&command,
                         "no format has the ending of '%s': name it with -f, one of " NAMES,
                         args.output);
    return cli_usage(&command, "to which format? -o FILE.ENDING, or -f with one of " NAMES);
}
