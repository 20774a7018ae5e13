/*
 * cli.h - one table of options per command: parsing, --help, --version, messages and exit codes.
 *
 *     static const struct cli_option rows[] = {
 *         {0, "lines", NULL, "with line numbers", CLI_FLAG, offsetof(struct args, lines)},
 *     };
 *     static const struct cli_set own = CLI_SET(NULL, rows, 0);
 *     static const struct cli_table tables[] = {
 *         {&own}, {&cli_run_set, offsetof(struct args, run), .without = "jobs"}, {0}};
 *     static const struct cli_command command = {
 *         "jfr2json", "[options] [recording ...]", "Print events as JSON.", tables, ...};
 *     if ((rc = cli_parse(&command, argc, argv, &args, &operands)) >= 0)
 *         return rc;
 *     ...
 *     cli_free(&command, &args, &operands);
 *
 * Long options take --x=v and --x v; letters may be joined (-qv) and take -ov or -o v; `--` ends
 * the options; an operand `@list` is replaced by the lines of that file (`@-`: standard input). A
 * wrong option is one line on standard error that names it, with "did you mean" where one is close,
 * and exit code 2. --help, --help=all, --help=TITLE, --help=rows, -h, --version and
 * --completion=SHELL are there for every command, --help=where, --help=context and --help=time
 * where options take such words (topics.c). Where a command has the options of these names,
 * --log-json makes each message a line of JSON, {"program":...,"text":...}, from the first word of
 * the command line on, and --each does the work once for each recording, in a process of its own
 * (each.c).
 */
#ifndef TOOLS_CLI_CLI_H
#define TOOLS_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JFRKIT_VERSION "1.0.0" /* the only place; see make dist */

enum cli_exit {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* I/O, not a recording, out of memory; no usable output */
    EXIT_USAGE = 2,
    EXIT_DAMAGED = 3, /* output written, but something of the input was skipped */
    EXIT_EMPTY = 4, /* nothing matched, with --fail-empty */
    EXIT_GATE = 5, /* a --fail-if gate tripped */
};

enum cli_type {
    CLI_FLAG, /* bool, set to true */
    CLI_STRING, /* const char *, the last one wins */
    CLI_LIST, /* struct cli_list, every one is kept */
    CLI_UNSIGNED, /* unsigned long; not a number: usage error */
    CLI_POSITIVE, /* the same, from 1 */
};

struct cli_list {
    const char **items;
    size_t n;
};

struct cli_option {
    char letter; /* 0 = none */
    const char *name; /* without the dashes */
    const char *arg; /* name of the argument in the help; NULL for a flag */
    const char *help; /* for --help: one sentence without a full stop; may have several lines */
    enum cli_type type;
    size_t offset; /* of the member in the caller's struct */
    const char *def; /* what holds without the option, in one or a few words; NULL: nothing */
    const char *more; /* for the manual, in place of `help`: sentences; NULL: `help` says all */
    const char *example; /* "jfrkit VERB ...", which the tests run or try; may be NULL */
    const char *since; /* the version that brought it; NULL: the first one */
};

struct cli_set { /* options of one topic, for the members of one struct */
    const char *title; /* NULL: all are in plain --help; else by --help=all and --help=TITLE */
    const struct cli_option *options;
    size_t n;
    size_t n_common; /* with a title: the first so many are in plain --help, too */
};

/* A set out of the array ROWS. */
#define CLI_SET(title, rows, n_common)                          \
    {                                                           \
        title, rows, sizeof(rows) / sizeof((rows)[0]), n_common \
    }

struct cli_table { /* a set, as a command has it */
    const struct cli_set *set; /* NULL ends the tables */
    size_t base; /* offset of the struct that the set's offsets count from */
    const char *only, *without; /* names of options with blanks between them; NULL: all, none */
    const char *title; /* in place of the set's; "": none */
    bool is_rare; /* none of them is in plain --help */
};

struct cli_command {
    const char *name;
    const char *usage; /* what follows the name */
    const char *about; /* one sentence */
    const struct cli_table *tables;
    const char *examples; /* lines of the form "  jfrkit VERB ...    # comment"; may be NULL */
    const char *suffix; /* of the outputs of --each, ".json"; NULL: the command makes one of all */
    size_t n_words; /* operands before the recordings */
    bool reads_recordings; /* a folder, or the name of a row of files, stands for what it has */
    const char *notes; /* what else plain --help says: defaults, exit codes; may be NULL */
};

/* Sets the name by which the program was called ("jfrkit flame", "jfr2flame"), for help and
 * messages of every command from now on. The text is borrowed. NULL: the command's own name. */
void cli_call_as(const char *name);

/* That name, or else the name of the command. */
const char *cli_name(const struct cli_command *command);

/* Fills *args (the caller's struct, zeroed before) and *operands. Returns -1 to continue, else the
 * exit code to leave with: 0 after --help or --version, EXIT_USAGE after a wrong option,
 * EXIT_FAILED when an @list cannot be read or memory is exhausted; lists are then freed. Strings
 * borrow argv, the items of lists are copies. */
int cli_parse(const struct cli_command *command, int argc, char **argv, void *args,
              struct cli_list *operands);

/* The name of an option that was given and is none of those allowed, which have blanks between
 * them; NULL: there is none. A number that was given as 0 counts as not given. */
const char *cli_given_beside(const struct cli_command *command, const void *args,
                             const char *allowed);

/* Frees all lists of args, and the operands. They are empty afterwards. */
void cli_free(const struct cli_command *command, void *args, struct cli_list *operands);

/* Appends a copy of the text; false if out of memory. */
bool cli_list_add(struct cli_list *list, const char *text);

/* Appends the words of comma lists ("user,path"), without the blanks around them; false when memory
 * is short. */
bool cli_list_add_words(struct cli_list *words, const struct cli_list *lists);

/* Frees what cli_parse() allocated for a list, operands too. It is empty afterwards. */
void cli_list_free(struct cli_list *list);

/* Reads a decimal number without a sign. Returns false if the text is anything else, or the number
 * is too large. */
bool cli_read_unsigned(const char *text, unsigned long *value);

/* One line "NAME: ..." on standard error; cli_usage also says "try --help" and returns EXIT_USAGE.
 * Control bytes in the result are shown as '?'. */
void cli_error(const struct cli_command *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int cli_usage(const struct cli_command *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same about a place in a file: "NAME: FILE: chunk 3, offset 0x1f20: ...", of which --log-json
 * makes members of their own. Chunks are counted from 0 here, and from 1 in the message. */
struct cli_place {
    const char *file;
    bool has_offset;
    uint32_t chunk;
    uint64_t offset;
};
void cli_error_at(const struct cli_command *command, const struct cli_place *place, const char *fmt,
                  ...) __attribute__((format(printf, 3, 4)));

/* "NAME: out of memory". Returns EXIT_FAILED. */
int cli_no_memory(const struct cli_command *command);

/* The exit code of what was printed to standard output, after a message when that cannot be
 * written.
 */
int cli_flush(const struct cli_command *command);

/* A line on a terminal that the next message or the next such line takes the place of; NULL: takes
 * it away. Nothing where standard error is no terminal. */
void cli_progress(const struct cli_command *command, const char *line);

/* On SIGINT, SIGTERM, SIGHUP and SIGPIPE: unfinished output is removed and the process ends by that
 * signal, as it would have without a handler. So it ends without a word when the reader of a pipe
 * has what it wanted. */
void cli_signals(void);

#endif
