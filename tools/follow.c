/*
 * follow.c - jfrkit follow: events of a recording that is being written, as they come.
 *
 * convert/print finds and prints what is new; this file looks twice a second.
 */
#include "convert/print/follow.h"
#include "tools/cli/internal.h"
#include "tools/cli/pager.h"
#include "tools/cli/select.h"
#include "tools/verbs.h"
#include "jfrfmt/base/quantity.h"

#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 500000000
#define GONE_POLLS 4 /* after so many without the file its recording has ended */

struct follow_options {
    const char *stack_depth, *duration;
    bool is_exact, is_new;
};

struct args {
    struct follow_options follow;
    struct cli_select_options select;
};

#define AT(member) offsetof(struct follow_options, member)

static const struct cli_option rows[] = {
    {'d', "duration", "TIME", "stop after this time (30s)", CLI_STRING, AT(duration),
     .more =
         "Stop after this time (30s, 5m). Default: with ^C, or when the recording or the folder "
         "is removed.",
     .example = "jfrkit follow -d 1s app.jfr"},
    {0, "new", NULL, "only what comes from now on", CLI_FLAG, AT(is_new),
     .more = "Leave out the events that are in the recording when this program starts."},
    {0, "stack-depth", "N|all", "frames per stack (5)", CLI_STRING, AT(stack_depth),
     .more = "Print at most so many frames of a stack trace."},
    {0, "exact", NULL, "all digits: 0.007470000 s, 1536 bytes", CLI_FLAG, AT(is_exact),
     .more = "Print numbers and times as text with all their digits."},
};

static const struct cli_set own = CLI_SET(NULL, rows, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, follow)},
    {&cli_select_set, offsetof(struct args, select),
     .without = "from to zone tail in-scope scope context-from"},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit follow",
    .usage = "[options] recording|folder",
    .about = "Print the events of a recording that is being written, as they come.",
    .tables = tables,
    .suffix = ".txt",
    .examples = "  jfrkit follow -d 1s app.jfr\n"
                "  jfrkit follow -d 1s -w 'duration > 100ms' --new app.jfr\n"
                "  jfrkit follow -d 1s day # a folder, such as a JDK's recorder writes into\n",
    .notes = "It ends with ^C, after --duration, or when the recording or folder is removed.\n",
};

/* Until the file is gone, or for so many polls. */
static int follow_until_end(struct follow *f, const char *path, int64_t n_polls, struct out *out)
{
    const struct timespec pause = {0, POLL_NS};
    bool is_there = true;
    int code = 0, gone = 0;

    for (int64_t i = 0; code == 0 && gone < GONE_POLLS && i < n_polls; i++) {
        if (i > 0)
            nanosleep(&pause, NULL);
        code = follow_poll(f, path, &is_there, out);
        gone = is_there ? 0 : gone + 1;
    }
    return code;
}

static int run_follow(const struct args *args, const char *path, int64_t n_polls,
                      const struct print_options *options, struct select *select)
{
    struct follow *f = follow_new(options, select);
    struct jfr_error err = {0};
    struct out_file *file = out_file_open(NULL, &err);
    struct out out;
    int code;

    if (f == NULL || file == NULL) {
        follow_free(f);
        return cli_no_memory(&command);
    }
    out = out_to(file);
    cli_signals();
    code = args->follow.is_new ? follow_skip_present(f, path) : 0;
    if (code == 0)
        code = follow_until_end(f, path, n_polls, &out);
    follow_free(f);
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

static bool read_follow_depth(const char *text, unsigned long *depth)
{
    if (text == NULL)
        return true;
    if (strcmp(text, "all") != 0)
        return cli_read_unsigned(text, depth);
    *depth = ULONG_MAX;
    return true;
}

int verb_follow(int argc, char **argv)
{
    struct args args = {.follow = {.is_exact = false}};
    struct cli_list files = {0}, none = {0};
    struct print_options options = print_options_default();
    struct select *select = NULL;
    unsigned long depth = 5;
    int64_t n_polls = 0;
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = 0;
    options.style.is_exact = args.follow.is_exact;
    options.style.is_terminal = cli_is_terminal();
    options.style.has_colours = cli_has_colours();
    if (files.n != 1 || strcmp(files.items[0], "-") == 0)
        rc = cli_usage(&command, "name one recording or folder");
    else if (access(files.items[0], R_OK) != 0)
        rc = cli_usage(&command, "%s cannot be read", files.items[0]);
    else if (!read_n_polls(args.follow.duration, &n_polls))
        rc = cli_usage(&command, "--duration: '%s' is no time (30s)", args.follow.duration);
    else if (!read_follow_depth(args.follow.stack_depth, &depth))
        rc = cli_usage(&command, "--stack-depth: '%s' is not a number", args.follow.stack_depth);
    options.style.stack_depth = depth;
    if (rc == 0)
        rc = cli_select(&command, &args.select, &none, &select);
    if (rc == 0)
        rc = run_follow(&args, files.items[0], n_polls, &options, select);
    select_free(select);
    cli_free(&command, &args, &files);
    return rc;
}
