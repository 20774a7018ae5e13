/*
 * select.c - the options that choose events, and the select that is made of them.
 *
 * Every command with --event, --thread, --context and the like calls cli_select() before its run,
 * which looks ahead in the inputs where an option needs that, and cli_select_report() after it,
 * which names what no event has.
 */
#include "tools/cli/select.h"

#include "convert/text/timespec.h"
#include "tools/cli/report.h"
#include "jfrfmt/base/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AT(member) offsetof(struct cli_select_options, member)

static const struct cli_option rows[] = {
    {'e', "event", "GLOB", "only these event types, simple or qualified names", CLI_LIST,
     AT(events),
     .more = "Select event types by simple or qualified name, glob (* and ?) or /regular "
             "expression/.",
     .example = "jfrkit print -e 'jdk.File*' app.jfr"},
    {'t', "thread", "GLOB|tid:N", "only events of these threads", CLI_LIST, AT(threads),
     .more = "Select events of threads with this name, or with this id of the system or of "
             "Java. A plain number is tried as both.",
     .example = "jfrkit top -t main app.jfr"},
    {'c', "context", "KEY=VALUE", "only events of user=alice, user=/^al/, user!=bob", CLI_LIST,
     AT(contexts),
     .more = "Select events by their context: user=alice (the value may be a glob or a "
             "/regular expression/), user!=alice (any other value, or none), user= (no "
             "value), user (any value). An event is selected if it has one of the values of "
             "each key that is given. A key is the name of an attribute or its full name "
             "(tracer-context_user, Request.user). Contexts are fields of the event, span "
             "ids of Datadog and Pyroscope, and contextual events of the same thread that "
             "were under way when the event ended.",
     .example = "jfrkit top -k all -c user=virtual-1 app.jfr"},
    {0, "from", "TIME", "start at 10s, -30s (from the end), 50%, 09:34", CLI_STRING, AT(from),
     .more = "Select events that end at or after this time: 10s from the start, -30s before "
             "the end, 50% of the whole, 09:34 (UTC), 2026-11-20T09:34:16Z. Times from the "
             "end need files as input, not a pipe.",
     .example = "jfrkit top --from 20% app.jfr"},
    {0, "to", "TIME", "end at this time", CLI_STRING, AT(to),
     .more = "Select events that begin before this time, which is written as for --from.",
     .example = "jfrkit top --from 20% --to 60% app.jfr"},
    {'w', "where", "EXPR", "only where 'duration > 10ms and path ~ /log/' is true", CLI_STRING,
     AT(where),
     .more = "Select events for which a condition on their fields is true, as in 'duration "
             "> 10ms and path ~ /log/'. The section CONDITIONS of jfr2json(1) and "
             "--help=where describe conditions.",
     .example = "jfrkit print -w 'duration > 1ms and event ~ /File/' app.jfr"},
    {0, "events", "LIST", "the same as --event", CLI_LIST, AT(events)},
    {0, "category", "GLOB", "only event types of this category", CLI_LIST, AT(categories),
     .more = "Select event types that have this element in their category.",
     .example = "jfrkit print --category 'Java Application' app.jfr"},
    {0, "categories", "LIST", "the same as --category", CLI_LIST, AT(categories)},
    {'T', "not-thread", "GLOB|tid:N", "no events of these threads", CLI_LIST, AT(not_threads),
     .more = "Exclude events of these threads.", .example = "jfrkit top -T 'user-*' app.jfr"},
    {'C', "not-context", "KEY=VALUE", "no events of this context", CLI_LIST, AT(not_contexts),
     .more = "Exclude events with this context."},
    {0, "context-from", "FILE", "read contexts from this recording of the process, too", CLI_LIST,
     AT(contexts_from),
     .more = "Read contexts also from another recording of the same process and time, such "
             "as one of jfrkit beside one of the JDK's. Threads are the same if their Java "
             "ids and their ids of the system are. The inputs must be files, and another "
             "option must use contexts. May be given several times.",
     .example = "jfrkit table --by user --context-from old.jfr app.jfr"},
    {0, "tz", "ZONE", "zone of times that name none: +01:00", CLI_STRING, AT(zone), .def = "UTC",
     .more = "The zone of times that name none: +01:00, -0330, UTC."},
    {'s', "state", "LIST", "runnable, sleeping, parked, waiting, blocked", CLI_LIST, AT(states),
     .more = "Select samples of threads in these states: runnable, sleeping, parked, "
             "waiting, blocked, or a state as the recording names it.",
     .example = "jfrkit print -s runnable app.jfr"},
    {0, "min-duration", "D", "only events that last at least D (20ms)", CLI_STRING,
     AT(min_duration), .more = "Select events that last at least this long: 20ms, 1.5s.",
     .example = "jfrkit print --min-duration 1ms app.jfr"},
    {0, "in-scope", "EXPR", "only in scopes: 'duration > 1s and user = \"bob\"'", CLI_STRING,
     AT(in_scope),
     .more = "Select events inside of scopes for which a condition is true, as in 'duration > "
             "100ms'. A scope is an event that lasts and holds a context: a request, a span. "
             "Its fields and duration are those that the condition names; --help=where "
             "describes conditions. An event is inside if it begins on the thread of the scope "
             "while the scope lasts, or in a task that the scope handed to another thread. The "
             "inputs must be files.",
     .example = "jfrkit top -k all --in-scope 'duration > 1us' app.jfr"},
    {0, "scope", "LIST", "event types that are scopes. Default: with contexts", CLI_LIST,
     AT(scope_types),
     .more = "The event types that are scopes, for --in-scope: names or globs, with commas between "
             "them. Any type with a "
             "duration and a thread may be one, such as jdk.MethodTrace. Default: the types "
             "that hold contexts."},
    {0, "tail", "D", "only the last D (30s) of the recordings", CLI_STRING, AT(tail),
     .more = "Select the last D of the recordings; --tail 30s is short for --from -30s.",
     .example = "jfrkit top --tail 30s app.jfr"},
};

const struct cli_set cli_select_set = CLI_SET("Filters", rows, 6);

static struct select_list list_of(const struct cli_list *list)
{
    return (struct select_list){list->items, list->n};
}

/* --tail D is --from -D. 0 or an exit code. */
static int read_tail(const struct cli_command *command, const struct cli_select_options *options,
                     char *tail, size_t room)
{
    struct jfr_error err = {0};
    int64_t ns;

    if (options->tail == NULL)
        return 0;
    if (options->from != NULL)
        return cli_usage(command, "--tail and --from say the same thing: give one of them");
    if (timespec_duration(options->tail, &ns, &err) != 0 ||
        (size_t)snprintf(tail, room, "-%s", options->tail) >= room)
        return cli_usage(command, "--tail: %s", err.code != 0 ? err.text : "too long");
    return 0;
}

void cli_contexts_lost(const struct cli_command *command, uint64_t n)
{
    if (n > 0)
        cli_error(command,
                  "%" PRIu64 " contexts hold in their own chunk only: there is no room for more",
                  n);
}

bool cli_is_choice(const char *text)
{
    const char *equals = strchr(text, '=');

    return equals != NULL && equals != text && access(text, F_OK) != 0;
}

int cli_look_ahead_failed(const struct cli_command *command, const char *path,
                          const struct jfr_error *err)
{
    if (path == NULL && err->code == JFR_E_UNSUPPORTED)
        return cli_usage(command, "%s", err->text);
    cli_report_error(command, path, err);
    return EXIT_FAILED;
}

int cli_select(const struct cli_command *command, const struct cli_select_options *options,
               const struct cli_list *files, struct select **select)
{
    char tail[100];
    const struct select_spec spec = {.events = list_of(&options->events),
                                     .categories = list_of(&options->categories),
                                     .threads = list_of(&options->threads),
                                     .not_threads = list_of(&options->not_threads),
                                     .states = list_of(&options->states),
                                     .contexts = list_of(&options->contexts),
                                     .not_contexts = list_of(&options->not_contexts),
                                     .contexts_from = list_of(&options->contexts_from),
                                     .keys = options->keys,
                                     .all_keys = options->all_keys,
                                     .leaves_out_past = options->is_profile,
                                     .from = options->tail != NULL ? tail : options->from,
                                     .to = options->to,
                                     .zone = options->zone,
                                     .min_duration = options->min_duration,
                                     .where = options->where,
                                     .in_scope = options->in_scope,
                                     .scope_types = list_of(&options->scope_types)};
    struct jfr_error err = {0};
    const char *path = NULL;
    int rc;

    *select = NULL;
    rc = read_tail(command, options, tail, sizeof(tail));
    if (rc != 0)
        return rc;
    *select = select_new(&spec, &err);
    if (*select == NULL && err.code != JFR_E_NOMEM)
        return cli_usage(command, "%s", err.text);
    rc = *select == NULL ? err.code : select_resolve(*select, files->items, files->n, &err, &path);
    if (rc == 0) {
        cli_contexts_lost(command, select_n_lost(*select));
        return 0;
    }
    select_free(*select);
    *select = NULL;
    return cli_look_ahead_failed(command, path, &err);
}

int cli_select_report(const struct cli_command *command, const struct select *select, bool quiet)
{
    bool is_error, is_wrong = false;
    uint64_t n_past, bytes;
    char text[300], size[32];

    for (size_t i = 0; select_note(select, i, &is_error, text, sizeof(text)); i++) {
        is_wrong |= is_error;
        if (is_error || !quiet)
            cli_error(command, "%s", text);
    }
    n_past = select_past(select, &bytes);
    if (n_past > 0 && !quiet)
        cli_error(command,
                  "left out %" PRIu64 " allocation sample%s, %s: allocated before the recording "
                  "began (--keep-first counts them)",
                  n_past, n_past == 1 ? "" : "s", amount_bytes((int64_t)bytes, size));
    return is_wrong ? EXIT_USAGE : 0;
}
