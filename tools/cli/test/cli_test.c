/*
 * cli_test.c - the parser of command lines: options, list files, help, messages, and what is left
 * behind by a command that a signal ends.
 */
#include "tools/cli/cli.h"

#include "convert/text/out.h"
#include "jfrfmt/test/testing.h"
#include "tools/test/printed.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

struct filter {
    struct cli_list events;
    const char *from;
};

struct args {
    const char *output;
    unsigned long jobs;
    bool quiet, verbose, lines;
    struct filter filter;
};

static const struct cli_option own[] = {
    {'o', "output", "FILE", "write to FILE", CLI_STRING, offsetof(struct args, output)},
    {'j', "jobs", "N", "threads", CLI_UNSIGNED, offsetof(struct args, jobs)},
    {'q', "quiet", NULL, "say nothing", CLI_FLAG, offsetof(struct args, quiet)},
    {'v', "verbose", NULL, "say more", CLI_FLAG, offsetof(struct args, verbose)},
    {0, "lines-and-byte-codes", NULL, "in two\nlines", CLI_FLAG, offsetof(struct args, lines)},
};
static const struct cli_option filters[] = {
    {'e', "events", "GLOB", "names", CLI_LIST, offsetof(struct filter, events)},
    {0, "from", "TIME", "begin", CLI_STRING, offsetof(struct filter, from)},
    {0, "until", "TIME", "of a set that the command has without it", CLI_STRING, 0},
};
static const struct cli_set own_set = CLI_SET(NULL, own, 0);
static const struct cli_set filters_set = CLI_SET("Filters", filters, 1);
static const struct cli_table tables[] = {
    {&own_set},
    {&filters_set, offsetof(struct args, filter), .without = "until"},
    {&filters_set, offsetof(struct args, filter), .only = ""},
    {0},
};
static const struct cli_command command = {
    .name = "jfr2x",
    .usage = "[options] [recording ...]",
    .about = "Turn x into y.",
    .tables = tables,
    .examples = "  jfr2x a.jfr\n",
    .notes = "A note.\n",
};

static char out[4096], err[4096];

/* Parses words that stand behind one another, blanks between them; "_" is an empty one. */
static int parse(const char *line, struct args *args, struct cli_list *operands)
{
    static char text[256];
    char *argv[32] = {"jfr2x"}, *word;
    struct printed c1 = printed_begin(1), c2 = printed_begin(2);
    int argc = 1, rc;

    strcpy(text, line);
    for (word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "_") == 0 ? "" : word;
    rc = cli_parse(&command, argc, argv, args, operands);
    printed_end(&c2, err, sizeof(err));
    printed_end(&c1, out, sizeof(out));
    return rc;
}

/* "output=x jobs=3 quiet ... events=a,b | operand operand" */
static void describe(const struct args *a, const struct cli_list *operands, char *to)
{
    to += sprintf(to, "%s%s", a->output == NULL ? "" : "o=", a->output == NULL ? "" : a->output);
    to += sprintf(to, "%s", a->quiet ? " q" : "");
    to += sprintf(to, "%s", a->verbose ? " v" : "");
    to += sprintf(to, "%s", a->lines ? " l" : "");
    if (a->jobs != 0)
        to += sprintf(to, " j=%lu", a->jobs);
    for (size_t i = 0; i < a->filter.events.n; i++)
        to += sprintf(to, " e=%s", a->filter.events.items[i]);
    if (a->filter.from != NULL)
        to += sprintf(to, " from=%s", a->filter.from);
    to += sprintf(to, " |");
    for (size_t i = 0; i < operands->n; i++)
        to += sprintf(to, " %s", operands->items[i]);
}

struct good {
    const char *name;
    const char *line, *want;
};

/* clang-format off */
static const struct good good[] = {
    {"nothing", "", " |"},
    {"long with equals", "--output=a", "o=a |"},
    {"long with a word", "--output a b", "o=a | b"},
    {"long with an empty value", "--from= b", " from= | b"},
    {"an empty word as value", "--from _ b", " from= | b"},
    {"a value may hold equals", "--from=a=b", " from=a=b |"},
    {"a value may begin with a dash", "--from -30s", " from=-30s |"},
    {"letter with a word", "-o a", "o=a |"},
    {"letter with its value", "-oa", "o=a |"},
    {"letters joined", "-qv", " q v |"},
    {"letters joined, the last takes the rest", "-qvoa", "o=a q v |"},
    {"letters joined, the last takes the next word", "-qo a", "o=a q |"},
    {"the last one wins", "-o a -o b", "o=b |"},
    {"a list keeps all, in order", "-e a --events b -ec x -e d -e e", " e=a e=b e=c e=d e=e | x"},
    {"operands and options mix", "a -q b -v c", " q v | a b c"},
    {"a dash is an operand", "- -q -", " q | - -"},
    {"two dashes end the options", "-q -- -v --nope", " q | -v --nope"},
    {"number", "-j 12", " j=12 |"},
    {"number at its limit", "--jobs=18446744073709551615", " j=18446744073709551615 |"},
    {"many operands", "a b c d e f g h i", " | a b c d e f g h i"},
    {"an empty operand", "_", " | "},
};
/* clang-format on */

static void parses(void **state)
{
    const struct good *t = *state;
    struct args args = {0};
    struct cli_list operands;
    char got[512];

    assert_int_equal(parse(t->line, &args, &operands), -1);
    describe(&args, &operands, got);
    assert_string_equal(got, t->want);
    assert_string_equal(out, "");
    assert_string_equal(err, "");
    cli_list_free(&operands);
    cli_list_free(&args.filter.events);
    assert_int_equal(operands.n, 0);
}

struct bad {
    const char *name;
    const char *line, *want;
};

/* clang-format off */
static const struct bad bad[] = {
    {"unknown", "--nothing-like-it", "jfr2x: unknown option '--nothing-like-it' (try --help)\n"},
    {"left out of its set", "--until=1", "jfr2x: unknown option '--until' (try --help)\n"},
    {"letter missing", "--evnts=x", "jfr2x: unknown option '--evnts', did you mean --events? (try --help)\n"},
    {"letter too many", "--eventss", "jfr2x: unknown option '--eventss', did you mean --events? (try --help)\n"},
    {"letters swapped, and one more error", "--vrebos", "jfr2x: unknown option '--vrebos', did you mean --verbose? (try --help)\n"},
    {"three errors", "--vrebossse", "jfr2x: unknown option '--vrebossse' (try --help)\n"},
    {"the nearest of two", "--jobz", "jfr2x: unknown option '--jobz', did you mean --jobs? (try --help)\n"},
    {"a unique beginning is not enough", "--verb", "jfr2x: unknown option '--verb', did you mean --verbose? (try --help)\n"},
    {"help is near too", "--hepl", "jfr2x: unknown option '--hepl', did you mean --help? (try --help)\n"},
    {"nothing is near to all of a short name", "--zz", "jfr2x: unknown option '--zz' (try --help)\n"},
    {"a name longer than any", "--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "jfr2x: unknown option '--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' (try --help)\n"},
    {"unknown letter among known ones", "-qz", "jfr2x: unknown option '-z' (try --help)\n"},
    {"control bytes", "--\x1b[1m\xc2\x9b\xe2\x80\xae\xffx", "jfr2x: unknown option '--?[1m???x' (try --help)\n"},
    {"other writing is shown", "--\xc3\xa9\xf0\x9f\x98\x80", "jfr2x: unknown option '--\xc3\xa9\xf0\x9f\x98\x80' (try --help)\n"},
    {"value missing", "a -e", "jfr2x: option '-e' needs GLOB (try --help)\n"},
    {"value missing, long", "--output", "jfr2x: option '--output' needs FILE (try --help)\n"},
    {"value for a flag", "-e a --quiet=yes", "jfr2x: option '--quiet' takes no value (try --help)\n"},
    {"not a number", "--jobs=4x", "jfr2x: option '--jobs' needs a number, not '4x' (try --help)\n"},
    {"negative number", "-j-1", "jfr2x: option '-j' needs a number, not '-1' (try --help)\n"},
    {"no number", "-j _", "jfr2x: option '-j' needs a number, not '' (try --help)\n"},
    {"number too large", "-j 18446744073709551616", "jfr2x: option '-j' needs a number, not '18446744073709551616' (try --help)\n"},
    {"help on nothing", "--help=sauce", "jfr2x: no help on 'sauce' (try --help)\n"},
    {"version with a value", "--version=2", "jfr2x: option '--version' takes no value (try --help)\n"},
};
/* clang-format on */

static void refuses(void **state)
{
    const struct bad *t = *state;
    struct args args = {0};
    struct cli_list operands;

    assert_int_equal(parse(t->line, &args, &operands), EXIT_USAGE);
    assert_string_equal(err, t->want);
    assert_string_equal(out, "");
    assert_int_equal(operands.n, 0);
    assert_int_equal(args.filter.events.n, 0);
}

#define HEAD                                                     \
    "Usage: jfr2x [options] [recording ...]\nTurn x into y.\n\n" \
    "Examples:\n  jfr2x a.jfr\n"
#define OWN                                      \
    "\nOptions:\n"                               \
    "  -o, --output FILE        write to FILE\n" \
    "  -j, --jobs N             threads\n"       \
    "  -q, --quiet              say nothing\n"   \
    "  -v, --verbose            say more\n"      \
    "      --lines-and-byte-codes\n"             \
    "                           in two\n"        \
    "                           lines\n"
#define FILTERS                          \
    "\nFilters:\n"                       \
    "  -e, --events GLOB        names\n" \
    "      --from TIME          begin\n"
#define COMMON     \
    "\nFilters:\n" \
    "  -e, --events GLOB        names\n"
#define TAIL                                                                        \
    "\nMore options: --help=all or a part: --help=filters.\nSyntax: --help=time.\n" \
    "A note.\n"

static const struct bad shown[] = {
    {"help", "a -q --help --nope", HEAD OWN COMMON TAIL},
    {"help by letter", "-qh", HEAD OWN COMMON TAIL},
    {"help on everything", "--help=all", HEAD OWN FILTERS TAIL},
    {"help on one title, whatever its case", "--help=filters", FILTERS},
    {"version", "a --version", "jfr2x (jfrkit) 1.0.0\n"},
};

static void shows(void **state)
{
    const struct bad *t = *state;
    struct args args = {0};
    struct cli_list operands;

    assert_int_equal(parse(t->line, &args, &operands), EXIT_DONE);
    assert_string_equal(out, t->want);
    assert_string_equal(err, "");
}

/* A verb of jfrkit is called by that name in help and messages. */
static void is_called_as_the_user_called_it(void **state)
{
    struct args args = {0};
    struct cli_list operands;

    (void)state;
    cli_call_as("jfrkit x");
    assert_int_equal(parse("--version", &args, &operands), EXIT_DONE);
    assert_string_equal(out, "jfrkit x (jfrkit) 1.0.0\n");
    assert_int_equal(parse("--help", &args, &operands), EXIT_DONE);
    assert_ptr_equal(strstr(out, "Usage: jfrkit x [options]"), out);
    assert_int_equal(parse("--nix", &args, &operands), EXIT_USAGE);
    assert_string_equal(err, "jfrkit x: unknown option '--nix' (try --help)\n");
    cli_call_as(NULL);
    assert_int_equal(parse("--nix", &args, &operands), EXIT_USAGE);
    assert_string_equal(err, "jfr2x: unknown option '--nix' (try --help)\n");
}

/* What the words of an option mean is told where there is such an option. */
static void topics_follow_the_options(void **state)
{
    struct args args = {0};
    struct cli_list operands;

    (void)state;
    assert_int_equal(parse("--help=Time", &args, &operands), EXIT_DONE);
    assert_ptr_equal(strstr(out, "Points in time, for --from"), out);
    assert_string_equal(err, "");
    assert_int_equal(parse("--help=where", &args, &operands), EXIT_USAGE);
    assert_string_equal(err, "jfr2x: no help on 'where' (try --help)\n");
}

static void a_list_file_gives_its_lines(void **state)
{
    char path[] = "/tmp/cli_test.XXXXXX", line[64], got[256];
    int fd = mkstemp(path);
    struct args args = {0};
    struct cli_list operands;

    (void)state;
    assert_int_equal(write(fd, "a b\n\n@x\n-q\nlast", 15), 15);
    close(fd);
    sprintf(line, "first @%s end", path);
    assert_int_equal(parse(line, &args, &operands), -1);
    describe(&args, &operands, got);
    assert_string_equal(got, " | first a b @x -q last end");
    assert_int_equal(operands.n, 6);
    cli_list_free(&operands);
    unlink(path);
}

static void a_missing_list_file_fails(void **state)
{
    struct args args = {0};
    struct cli_list operands;

    (void)state;
    assert_int_equal(parse("-e x a @/no/where b", &args, &operands), EXIT_FAILED);
    assert_string_equal(err, "jfr2x: /no/where: No such file or directory\n");
    assert_int_equal(parse("@/", &args, &operands), EXIT_FAILED);
    assert_string_equal(err, "jfr2x: /: Is a directory\n");
}

static void help_to_a_full_device_fails(void **state)
{
    int status;

    (void)state;
    if (fork() == 0) {
        char *argv[] = {"jfr2x", "--help", NULL};
        struct args args = {0};
        struct cli_list operands;

        if (freopen("/dev/full", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(99);
        _exit(cli_parse(&command, 2, argv, &args, &operands));
    }
    wait(&status);
    assert_int_equal(WEXITSTATUS(status), EXIT_FAILED);
}

/* A child that has an unfinished file gets the signal; how it ended. */
static int interrupt(int sig, const char *path)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct jfr_error e = {0};

        cli_signals();
        if (out_file_open(path, &e) != NULL)
            raise(sig);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

static void an_interrupted_command_leaves_nothing_and_dies_of_the_signal(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    char dir[] = "/tmp/cli_test.XXXXXX", path[64];

    (void)state;
    assert_non_null(mkdtemp(dir));
    sprintf(path, "%s/x", dir);
    for (int i = 0; i < 4; i++) {
        int status = interrupt(signals[i], path);

        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
    }
    assert_int_equal(interrupt(0, path), 0); /* control: what a child leaves that ends by itself */
    assert_int_not_equal(rmdir(dir), 0);
    sprintf(path, "rm -r %s", dir);
    assert_int_equal(system(path), 0);
}

static void an_ignored_signal_stays_ignored(void **state)
{
    int status;

    (void)state;
    if (fork() == 0) {
        signal(SIGHUP, SIG_IGN);
        cli_signals();
        raise(SIGHUP);
        _exit(7);
    }
    wait(&status);
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_called_as_the_user_called_it),
        cmocka_unit_test(topics_follow_the_options),
        cmocka_unit_test(a_list_file_gives_its_lines),
        cmocka_unit_test(a_missing_list_file_fails),
        cmocka_unit_test(help_to_a_full_device_fails),
        cmocka_unit_test(an_interrupted_command_leaves_nothing_and_dies_of_the_signal),
        cmocka_unit_test(an_ignored_signal_stays_ignored),
    };

    return run_rows("cli: accepted", good, parses) + run_rows("cli: refused", bad, refuses) +
           run_rows("cli: help", shown, shows) +
           cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
