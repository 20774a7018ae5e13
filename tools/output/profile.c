/*
 * profile.c - the options of all commands that make profiles: kind, weight, frames, groups.
 *
 * Turns parsed options into struct profile_options, and reports after a run what the profile has.
 * The verbs for pages, collapsed stacks, tables and the other profile formats call it.
 */
#include "tools/output/profile.h"

#include "convert/formats/format.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct cli_profile_options, member)

static const struct cli_option rows[] = {
    {'k', "kind", "KIND", "cpu, wall, alloc, live, lock, native, io, exception,\nlatency or all",
     CLI_STRING, AT(kind),
     .more = "Select the kind of samples; the section KINDS of jfr2collapsed(1) describes "
             "them. Default: the first kind of that list that the recordings have (in a "
             "comparison, that the base has); with --event, or in a table by event, all "
             "selected events.",
     .example = "jfrkit top -k alloc app.jfr"},
    {'u', "weight", "W", "samples, bytes, duration, cpu-time, a numeric field", CLI_STRING,
     AT(weight),
     .more = "Add up samples, bytes (allocated, read or written), duration (ns), cpu-time "
             "(ns, of jdk.CPUTimeSample), or a numeric field of the events. Time spans are "
             "converted to ns; a negative value counts as 0. Events without the field are "
             "not counted. Default: samples; in a flame graph page with filters bytes for "
             "allocations and live objects, and duration for locks, I/O and latency. A "
             "table by method gets a further sum.",
     .example = "jfrkit convert -f collapsed -k alloc -u bytes app.jfr"},
    {0, "names", "STYLE", "dot (default), simple, slash, full, jvm", CLI_STRING, AT(names),
     .more = "Write names of methods as dot java.util.List.add, simple List.add, slash "
             "java/util/List.add, full java.util.List.add(int, Object), or jvm "
             "java/util/List.add(ILjava/lang/Object:)V.",
     .example = "jfrkit convert -f collapsed --names simple app.jfr"},
    {0, "keep-first", NULL, "count allocations from before the recording, too", CLI_FLAG,
     AT(keep_first),
     .more =
         "Count allocation samples from before the recording, too: those that weigh more than "
         "a thread can have allocated since it began, and first samples that are mostly "
         "what the thread had allocated until then. In a recording of the JDK that began late the "
         "first sample of each thread weighs all that the thread ever allocated. "
         "Default: leave them out, and print how many."},
    {0, "also", "FORMAT=FILE", "write another format too: pprof=app.pb.gz", CLI_LIST, AT(also),
     .more = "Write another format too, without reading the input again; may be given "
             "several times. Formats are collapsed, flame, pprof, otlp, speedscope, "
             "firefox, csv (a row for each stack with its labels, a column for each "
             "measure), d3 and nested-set (the CSV of Grafana's flame graph panel). The "
             "files appear together with the command's own output, or not at all.",
     .example = "jfrkit flame -o app.html --also pprof=app.pb.gz app.jfr"},
};

static const struct cli_option frames_rows[] = {
    {'I', "include", "RE", "only stacks with a frame that matches", CLI_LIST, AT(include),
     .more = "Keep stacks with a frame, thread, state or class that matches one of these "
             "extended regular expressions. May be given several times.",
     .example = "jfrkit convert -f collapsed -I java.lang app.jfr"},
    {'X', "exclude", "RE", "no stacks with a frame that matches", CLI_LIST, AT(exclude),
     .more = "Remove stacks with a frame that matches.",
     .example = "jfrkit convert -f collapsed -X 'Object.wait' app.jfr"},
    {0, "group-by", "KEY,...", "values of context keys as root frames: user,action", CLI_LIST,
     AT(group_by),
     .more = "Use the values of these context keys as root frames: [user=alice] or [no "
             "user]. At most four keys. In a table, --by does this.",
     .example = "jfrkit convert -f collapsed -k all --group-by user app.jfr"},
    {0, "threads", NULL, "threads as root frames", CLI_FLAG, AT(threads),
     .more = "Use the thread as a root frame. Threads with the same name are shown as one."},
    {0, "states", NULL, "thread states as root frames", CLI_FLAG, AT(states),
     .more = "Use the thread's state as a root frame."},
    {0, "leaf-class", NULL, "class of the object or monitor as the last frame", CLI_FLAG,
     AT(leaf_class),
     .more = "Add the class of the object, monitor or exception as the last frame."},
    {0, "lines", NULL, "add line numbers", CLI_FLAG, AT(lines),
     .more = "Add line numbers (:42) to names where they are recorded."},
    {0, "bci", NULL, "add bytecode indexes", CLI_FLAG, AT(bci),
     .more = "Add bytecode indexes (@17) to names where they are recorded."},
    {0, "tiers", NULL, "mark frames: _[0] interpreted, _[i] inlined, _[k] ...", CLI_FLAG, AT(tiers),
     .more = "Add how a frame ran: _[0] interpreted, _[1] compiled by C1, _[i] inlined, "
             "_[j] compiled, _[k] kernel."},
    {0, "normalize", NULL, "remove numbers from names of generated classes", CLI_FLAG,
     AT(normalize),
     .more = "Remove numbers and addresses from names of generated classes: lambdas, hidden "
             "classes, proxies, reflection, CGLIB."},
    {0, "package", NULL, "packages in place of methods", CLI_FLAG, AT(packages),
     .more = "Show packages instead of methods. Adjacent frames of one package become one; "
             "native functions show their library.",
     .example = "jfrkit convert -f collapsed --package app.jfr"},
    {0, "package-depth", "N", "only the first N parts of packages", CLI_STRING, AT(package),
     .more = "Show packages instead of methods, and only the first N parts of each."},
    {0, "no-recursion", NULL, "one frame for a method that calls itself", CLI_FLAG,
     AT(no_recursion)},
    {0, "no-hidden", NULL, "no frames that the JVM marks as hidden", CLI_FLAG, AT(no_hidden),
     .more = "Remove frames that the JVM marks as hidden, such as those of method handles. "
             "By default they are kept, unlike in jfr print."},
    {0, "depth", "N", "only N frames, counted from the root", CLI_UNSIGNED, AT(depth)},
    {0, "mark-truncated", NULL, "[truncated] below stacks that were cut when recorded", CLI_FLAG,
     AT(truncated),
     .more = "Add a root frame [truncated] to stacks that were deeper than the recorder's "
             "limit."},
};

const struct cli_set cli_profile_set = CLI_SET(NULL, rows, 0);
const struct cli_set cli_frames_set = CLI_SET("Frames", frames_rows, 0);

static enum profile_weight weight_named(const char *name)
{
    static const char *const names[] = {"samples", "bytes", "duration", "cpu-time"};

    for (int i = 0; i < WEIGHT_FIELD; i++)
        if (name == NULL || strcmp(name, names[i]) == 0)
            return (enum profile_weight)i;
    return WEIGHT_FIELD;
}

static int read_name_options(const struct cli_command *command, const struct cli_profile_options *o,
                             struct name_options *names)
{
    int style = o->names == NULL ? NAME_DOT : name_style_named(o->names);
    char *end = NULL;

    if (style < 0)
        return cli_usage(command, "--names: '%s' is none of dot, simple, slash, full, jvm",
                         o->names);
    *names = (struct name_options){.style = (enum name_style)style,
                                   .normalize = o->normalize,
                                   .lines = o->lines,
                                   .bci = o->bci,
                                   .tiers = o->tiers,
                                   .package = o->packages ? UINT_MAX : 0};
    if (o->package != NULL) {
        unsigned long n = strtoul(o->package, &end, 10);

        if (*end != '\0' || n < 1 || n > 100)
            return cli_usage(command, "--package-depth: '%s' is not a number from 1 to 100",
                             o->package);
        names->package = (unsigned)n;
    }
    return 0;
}

/* Compiles --include and --exclude into args->patterns. */
static int read_patterns(const struct cli_command *command, struct cli_profile_args *args)
{
    const struct cli_list *lists[] = {&args->profile.include, &args->profile.exclude};
    size_t n = lists[0]->n + lists[1]->n;
    struct jfr_error err = {0};

    args->patterns = calloc(n + 1, sizeof(*args->patterns));
    for (size_t l = 0; l < 2 && args->patterns != NULL; l++)
        for (size_t i = 0; i < lists[l]->n; i++) {
            struct pattern *p = pattern_new_regex(lists[l]->items[i], &err);

            if (p == NULL)
                return cli_usage(command, "--%s: %s", l == 0 ? "include" : "exclude", err.text);
            args->patterns[args->n_patterns++] = p;
        }
    return args->patterns == NULL ? cli_no_memory(command) : 0;
}

/* Splits --group-by into args->keys. */
static int read_keys(const struct cli_command *command, struct cli_profile_args *args)
{
    const struct cli_list *list = &args->profile.group_by;

    for (size_t i = 0; i < list->n; i++)
        for (const char *p = list->items[i]; *p != '\0';) {
            size_t n = strcspn(p, ",");

            if (n > 0 && args->n_keys == PROFILE_KEYS)
                return cli_usage(command, "--group-by: more than %d keys", PROFILE_KEYS);
            if (n > 0 && (args->keys[args->n_keys++] = strndup(p, n)) == NULL)
                return cli_no_memory(command);
            p += n + (p[n] == ',');
        }
    args->select.keys = (struct select_list){(const char *const *)args->keys, args->n_keys};
    return 0;
}

enum facet_weight cli_profile_weight(const struct cli_profile_args *args)
{
    static const enum facet_weight weights[] = {
        [WEIGHT_SAMPLES] = FACET_COUNT,     [WEIGHT_BYTES] = FACET_BYTES,
        [WEIGHT_DURATION] = FACET_DURATION, [WEIGHT_CPU_TIME] = FACET_CPU_TIME,
        [WEIGHT_FIELD] = FACET_FIELD,
    };

    return weights[weight_named(args->profile.weight)];
}

int cli_profile_kind(const struct cli_profile_args *args)
{
    if (args->profile.kind != NULL)
        return kind_named(args->profile.kind);
    return args->select.events.n > 0 ? KIND_ALL : -1; /* a user who names events wants these */
}

/* Does any other output show contexts? What cannot be read is reported later. */
static bool wants_contexts(const struct cli_list *also)
{
    for (size_t i = 0; i < also->n; i++) {
        size_t n = strcspn(also->items[i], "=");
        char name[32] = "";
        const struct format *f;

        if (n < sizeof(name))
            memcpy(name, also->items[i], n);
        f = format_named(name);
        if (f != NULL && f->is_labelled)
            return true;
    }
    return false;
}

int cli_profile_read(const struct cli_command *command, struct cli_profile_args *args,
                     const struct cli_list *files)
{
    const struct cli_profile_options *o = &args->profile;
    struct profile_options *opt = &args->opt;
    int rc;

    *opt = (struct profile_options){.kind = o->kind == NULL ? -1 : kind_named(o->kind),
                                    .weight = weight_named(o->weight),
                                    .weight_field = o->weight,
                                    .threads = o->threads,
                                    .states = o->states,
                                    .leaf_class = o->leaf_class,
                                    .mark_truncated = o->truncated,
                                    .no_recursion = o->no_recursion,
                                    .no_hidden = o->no_hidden,
                                    .min_group = args->min_group,
                                    .depth = o->depth > UINT_MAX ? UINT_MAX : (unsigned)o->depth};
    if (o->kind != NULL && opt->kind < 0)
        return cli_usage(command, "--kind: '%s' is none of %s", o->kind,
                         "cpu wall alloc live lock native io exception latency all");
    if (min_group_is_given(&args->min_group) && wants_contexts(&o->also))
        return cli_usage(command, "--min-group: a format of --also would tell every value");
    opt->kind = cli_profile_kind(args);
    args->select.all_keys |= args->facets != NULL;
    args->select.is_profile = !o->keep_first;
    rc = read_name_options(command, o, &opt->names);
    if (rc == 0)
        rc = read_patterns(command, args);
    if (rc == 0)
        rc = read_keys(command, args);
    args->select.all_keys |= wants_contexts(&o->also);
    if (rc == 0)
        rc = cli_select(command, &args->select, files, &args->filter);
    if (rc != 0)
        return rc;
    if (select_is_serial(args->filter))
        args->run.jobs = 1;
    opt->select = args->filter;
    opt->keys = args->select.keys.items;
    opt->n_keys = args->n_keys;
    opt->include = args->patterns;
    opt->n_include = o->include.n;
    opt->exclude = args->patterns + o->include.n;
    opt->n_exclude = o->exclude.n;
    return 0;
}

int cli_profile_open(const struct cli_command *command, struct cli_profile_args *args,
                     const struct cli_list *files, struct profile **profile)
{
    int rc = cli_profile_read(command, args, files);
    struct profile_options opt = args->opt;

    if (args->facets != NULL) {
        opt.facets = args->facets;
        if (opt.weight == WEIGHT_FIELD)
            facets_set_field(args->facets, opt.weight_field);
        opt.weight = WEIGHT_SAMPLES;
    }
    *profile = rc == 0 ? profile_new(&opt) : NULL;
    return rc == 0 && *profile == NULL ? cli_no_memory(command) : rc;
}

void cli_profile_close(struct cli_profile_args *args, struct profile *profile)
{
    profile_free(profile);
    for (size_t i = 0; i < args->n_patterns; i++)
        pattern_free(args->patterns[i]);
    free(args->patterns);
    for (size_t i = 0; i < args->n_keys; i++)
        free(args->keys[i]);
    select_free(args->filter);
}

void cli_report_wall(const struct cli_command *command, const struct cli_profile_args *args,
                     bool leaves_out_wall)
{
    if (leaves_out_wall && !args->run.quiet)
        cli_error(command, "samples of CPU time; this recording also has wall-clock samples "
                           "(-k wall)");
}

void cli_profile_report(const struct cli_command *command, const struct cli_profile_args *args,
                        const struct profile *profile)
{
    struct profile_facts f = profile_facts(profile);
    const char *weight = args->profile.weight;

    if (profile_n(profile) == 0 && weight_named(weight) == WEIGHT_FIELD && !args->run.quiet)
        cli_error(command, "no event has a number '%s' with a stack", weight);
    cli_report_wall(command, args, f.leaves_out_wall);
    if (!args->run.verbose)
        return;
    cli_error(command, "%s: %" PRIu64 " samples, %zu stacks, %zu names, %" PRIu64 " %s",
              kind_title(f.kind), f.samples, profile_n(profile), profile_n_names(profile), f.weight,
              profile_unit(profile));
    if (f.without_stack > 0)
        cli_error(command, "%" PRIu64 " samples had no stack", f.without_stack);
}
