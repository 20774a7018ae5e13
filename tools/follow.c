/*
 * follow.c - jfrkit follow: events of a recording that is being written, as they come.
 *
 * convert/driver finds what is new, convert/print and convert/json print it; this file looks twice
 * a second, until there is no more to come.
 */
#include "convert/driver/follow.h"

#include "convert/print/print.h"
#include "jfrfmt/base/quantity.h"
#include "tools/cli/internal.h"
#include "tools/cli/pager.h"
#include "tools/cli/select.h"
#include "tools/output/json.h"
#include "tools/output/text.h"
#include "tools/rec/followed.h"
#include "tools/verbs.h"

#include <string.h>
#include <time.h>

#define POLL_NS 500000000
#define GONE_POLLS 4 /* after so many without the file its recording has ended */

struct follow_options {
    const char *duration;
    bool is_new, json;
};

struct args {
    struct follow_options follow;
    struct cli_text text;
    struct cli_json json; /* the depth of stack traces */
    struct cli_select_options select;
};

#define AT(member) offsetof(struct follow_options, member)

static const struct cli_option rows[] = {
    {'d', "duration", "TIME", "stop after this time (30s)", CLI_STRING, AT(duration),
     .more =
         "Stop after this time (30s, 5m). Default: with ^C, when the recording of a JVM ends, or "
         "when the recording or the folder is removed.",
     .example = "jfrkit follow -d 1s app.jfr"},
    {0, "new", NULL, "only what comes from now on", CLI_FLAG, AT(is_new),
     .more = "Leave out the events that are in the recording when this program starts."},
    {0, "json", NULL, "each event as a line of JSON", CLI_FLAG, AT(json),
     .more = "Print each event as JSON on one line, as jfrkit print --layout ndjson does.",
     .example = "jfrkit follow -d 1s --json app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, rows, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, follow)},
    {&cli_text_set, offsetof(struct args, text)},
    {&cli_json_set, offsetof(struct args, json), .only = "stack-depth"},
    {&cli_select_set, offsetof(struct args, select),
     .without = "from to zone tail in-scope scope context-from"},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit follow",
    .usage = "[options] JVM|recording|folder",
    .about = "Print the events of a recording that is being written, as they come.",
    .tables = tables,
    .suffix = ".txt",
    .examples = "  jfrkit follow --oneline 4711 # a JVM that jfrkit records, by pid or main class\n"
                "  jfrkit follow -d 1s -w 'duration > 100ms' --new app.jfr\n"
                "  jfrkit follow -d 1s day # a folder, such as a JDK's recorder writes into\n",
    .notes = "It ends with ^C, after --duration, with the recording of the JVM, or when the\n"
             "recording or folder is removed.\n",
};

/* Until no more comes, or for so many polls. */
static int follow_until_end(struct follow *f, struct followed *what, int64_t n_polls,
                            struct out *out)
{
    const struct timespec pause = {0, POLL_NS};
    bool is_there = true, has_ended = false;
    int code = 0, gone = 0;

    for (int64_t i = 0; code == 0 && !has_ended && gone < GONE_POLLS && i < n_polls; i++) {
        if (i > 0)
            nanosleep(&pause, NULL);
        has_ended = followed_has_ended(&command, what); /* before the last look at it */
        code = follow_poll(f, what->path, &is_there, out);
        gone = is_there || what->is_jvm ? 0 : gone + 1; /* a JVM deletes its oldest files */
    }
    if (code == 0 && what->is_jvm && strcmp(what->path, what->written.whole) != 0)
        code = follow_poll(f, what->written.whole, &is_there, out);
    return code;
}

/* --- what is printed --- */

static int run_follow(const struct follow_how *how, struct followed *what, bool is_new,
                      int64_t n_polls, struct out *out)
{
    struct follow *f = follow_new(how);
    int code = f == NULL ? JFR_E_NOMEM : 0;

    if (code == 0 && is_new)
        code = follow_skip_present(f, what->path);
    if (code == 0)
        code = follow_until_end(f, what, n_polls, out);
    follow_free(f);
    return code;
}

static int end_printed(void *print, struct out *out)
{
    return print_end(print, out);
}

static int follow_as_text(const struct args *args, struct followed *what, int64_t n_polls,
                          unsigned long depth, struct select *select, struct out *out)
{
    struct print_options options = print_options_default();
    struct print *print;
    struct follow_how how;
    int code;

    cli_text_style(&args->text, &options.style);
    if (args->json.stack_depth != NULL)
        options.style.stack_depth = depth;
    options.style.is_terminal = cli_is_terminal();
    options.style.has_colours = cli_has_colours();
    print = print_new(&options, select);
    if (print == NULL)
        return JFR_E_NOMEM;
    how = (struct follow_how){.job = print_job(print), .end = end_printed};
    print_begin(print, out);
    code = run_follow(&how, what, args->follow.is_new, n_polls, out);
    print_free(print);
    return code;
}

static int follow_as_json(const struct args *args, struct followed *what, int64_t n_polls,
                          unsigned long depth, struct select *select, struct out *out)
{
    struct json_options options = json_options_default("ndjson");
    struct jfr_error err = {0};
    struct follow_how how;
    struct json *json;
    int code;

    if (args->json.stack_depth != NULL)
        options.style.stack_depth = depth;
    json = json_new(&options, select, &err);
    if (json == NULL)
        return JFR_E_NOMEM;
    how = (struct follow_how){.job = json_job(json)};
    code = json_begin(json, out);
    if (code == 0)
        code = run_follow(&how, what, args->follow.is_new, n_polls, out);
    if (code == 0)
        code = json_end(json, out);
    json_free(json);
    return code;
}

static int follow_to_output(const struct args *args, struct followed *what, int64_t n_polls,
                            unsigned long depth, struct select *select)
{
    struct jfr_error err = {0};
    struct out_file *file = out_file_open(NULL, &err);
    struct out out;
    int code;

    if (file == NULL)
        return cli_no_memory(&command);
    out = out_to(file);
    cli_signals();
    code = args->follow.json ? follow_as_json(args, what, n_polls, depth, select, &out)
                             : follow_as_text(args, what, n_polls, depth, select, &out);
    if (code == 0)
        code = out_flush(&out);
    out_free(&out);
    if (code == 0 && out_file_commit(file, &err) == 0)
        return EXIT_DONE;
    if (code == JFR_E_NOMEM)
        return cli_no_memory(&command);
    cli_error(&command, "%s", err.code != 0 ? err.text : "cannot write standard output");
    return EXIT_FAILED;
}

/* Reads --duration. Returns false if it is no time. */
static bool read_n_polls(const char *text, int64_t *n)
{
    int64_t ns;

    *n = INT64_MAX;
    if (text == NULL)
        return true;
    if (quantity_time(text, &ns) != QUANTITY_OK || ns <= 0)
        return false;
    *n = ns / POLL_NS + 1;
    return true;
}

int verb_follow(int argc, char **argv)
{
    struct args args = {.follow = {.json = false}};
    struct cli_list files = {0}, none = {0};
    struct select *select = NULL;
    struct json_options json;
    struct followed what;
    int64_t n_polls = 0;
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = cli_json_options(&command, &args.json, &json);
    if (rc == 0 && (files.n != 1 || strcmp(files.items[0], "-") == 0))
        rc = cli_usage(&command, "name one JVM, recording or folder");
    else if (rc == 0 && !read_n_polls(args.follow.duration, &n_polls))
        rc = cli_usage(&command, "--duration: '%s' is no time (30s)", args.follow.duration);
    else if (rc == 0 && args.follow.json && (args.text.is_exact || args.text.is_one_line))
        rc = cli_usage(&command, "--exact and --oneline are about text");
    if (rc == 0)
        rc = cli_select(&command, &args.select, &none, &select);
    if (rc == 0)
        rc = followed_find(&command, files.items[0], &what);
    if (rc == 0)
        rc = follow_to_output(&args, &what, n_polls, json.style.stack_depth, select);
    select_free(select);
    cli_free(&command, &args, &files);
    return rc;
}
