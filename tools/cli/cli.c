/*
 * cli.c - parses a command line by the tables of its command, and prints messages.
 *
 * Every program calls cli_parse() first. After the options it registers the inputs, forks for --per
 * and --each, and refuses outputs that would replace an input (inputs.c).
 */
#include "tools/cli/cli.h"
#include "tools/cli/internal.h"

#include "convert/text/jsonw.h"
#include "convert/text/out.h"
#include "jfrfmt/base/utf8.h"
#include "jfrfmt/base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A terminal obeys control bytes, those of C1 too, and shows text backwards after some marks. */
static bool is_safe(uint32_t cp)
{
    return cp >= ' ' && !(cp >= 0x7f && cp < 0xa0) && cp != UTF8_REPLACEMENT && cp < 0x110000 &&
           !(cp >= 0xd800 && cp < 0xe000) && !(cp >= 0x200e && cp <= 0x200f) &&
           !(cp >= 0x2028 && cp <= 0x202e) && !(cp >= 0x2066 && cp <= 0x2069) && cp != 0x61c;
}

/* Replaces what is not safe by '?', in place. */
static void make_safe(char *text)
{
    const uint8_t *p = (const uint8_t *)text, *end = p + strlen(text);
    char *to = text;

    while (p < end) {
        const uint8_t *start = p;

        if (is_safe(utf8_next(&p, end)))
            while (start < p)
                *to++ = (char)*start++;
        else
            *to++ = '?';
    }
    *to = '\0';
}

static const char *called_as; /* see cli_call_as() */
static bool log_json; /* --log-json */
static bool has_line; /* of progress, on the terminal */

void cli_call_as(const char *name)
{
    called_as = name;
}

const char *cli_name(const struct cli_command *command)
{
    return called_as != NULL ? called_as : command->name;
}

static void put_json_member(struct buf *b, const char *name, const char *text)
{
    buf_printf(b, ",\"%s\":", name);
    jsonw_str(b, text, strlen(text));
}

static void print_json(const char *name, const struct cli_place *place, const char *text)
{
    struct buf b = {0};

    buf_str(&b, "{\"program\":");
    jsonw_str(&b, name, strlen(name));
    if (place != NULL)
        put_json_member(&b, "file", place->file);
    if (place != NULL && place->has_offset)
        buf_printf(&b, ",\"chunk\":%" PRIu32 ",\"offset\":%" PRIu64, place->chunk + 1,
                   place->offset);
    put_json_member(&b, "text", text);
    buf_str(&b, "}\n");
    if (buf_ok(&b))
        fwrite(b.p, 1, b.n, stderr);
    buf_free(&b);
}

static void print_error(const char *name, const struct cli_place *place, const char *fmt,
                        va_list ap, const char *more)
{
    char text[1500], where[1200] = "";

    vsnprintf(text, sizeof(text), fmt, ap);
    make_safe(text);
    if (has_line)
        cli_progress(NULL, NULL);
    if (log_json) {
        print_json(name, place, text);
        return;
    }
    if (place != NULL)
        snprintf(where, sizeof(where), "%.1100s: ", place->file);
    if (place != NULL && place->has_offset)
        snprintf(where, sizeof(where), "%.1100s: chunk %" PRIu32 ", offset 0x%" PRIx64 ": ",
                 place->file, place->chunk + 1, place->offset);
    make_safe(where);
    fprintf(stderr, "%s: %s%s%s\n", name, where, text, more);
}

void cli_progress(const struct cli_command *command, const char *line)
{
    if (log_json || !isatty(STDERR_FILENO) || (line == NULL && !has_line))
        return;
    has_line = line != NULL;
    if (has_line)
        fprintf(stderr, "\r%s: %s\033[K", cli_name(command), line);
    else
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

void cli_error_at(const struct cli_command *command, const struct cli_place *place, const char *fmt,
                  ...)
{
    va_list ap;

    va_start(ap, fmt);
    print_error(cli_name(command), place, fmt, ap, "");
    va_end(ap);
}

void cli_error(const struct cli_command *command, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    print_error(cli_name(command), NULL, fmt, ap, "");
    va_end(ap);
}

int cli_usage(const struct cli_command *command, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    print_error(cli_name(command), NULL, fmt, ap, " (try --help)");
    va_end(ap);
    return EXIT_USAGE;
}

int cli_no_memory(const struct cli_command *command)
{
    cli_error(command, "out of memory");
    return EXIT_FAILED;
}

static bool add_bytes(struct cli_list *list, const char *item, size_t n)
{
    if (!array_add(&list->items, list->n, sizeof(*list->items)))
        return false;
    list->items[list->n] = strndup(item, n);
    return list->items[list->n] != NULL && ++list->n > 0;
}

bool cli_list_add(struct cli_list *list, const char *item)
{
    return add_bytes(list, item, strlen(item));
}

bool cli_list_add_words(struct cli_list *words, const struct cli_list *lists)
{
    bool ok = true;

    for (size_t i = 0; i < lists->n; i++)
        for (const char *p = lists->items[i]; *p != '\0' && ok;) {
            size_t n = strcspn(p += strspn(p, ", "), ", ");

            ok = n == 0 || add_bytes(words, p, n);
            p += n;
        }
    return ok;
}

void cli_list_free(struct cli_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free((char *)list->items[i]);
    free(list->items);
    *list = (struct cli_list){0};
}

struct parser {
    const struct cli_command *command;
    char *args; /* the caller's struct */
    struct cli_list *operands;
    char **next; /* the arguments still to come */
};

/* Adds the lines of a file to the operands. */
static int add_file_lines(struct parser *p, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0, added = true;
    FILE *f = is_stdin ? stdin : fopen(path, "re");
    size_t room = 0;
    char *line = NULL;
    ssize_t n;
    int rc = -1;

    if (f == NULL) {
        cli_error(p->command, "%s: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    errno = 0;
    while (added && (n = getline(&line, &room, f)) >= 0) {
        if (n > 0 && line[n - 1] == '\n')
            line[n - 1] = '\0';
        added = line[0] == '\0' || cli_list_add(p->operands, line);
    }
    if (!added) {
        rc = cli_no_memory(p->command);
    } else if (!feof(f)) {
        cli_error(p->command, "%s: %s", path, strerror(errno));
        rc = EXIT_FAILED;
    }
    if (rc < 0 && !out_file_add_input(path))
        rc = cli_no_memory(p->command);
    free(line);
    if (!is_stdin)
        fclose(f);
    return rc;
}

static int add_operand(struct parser *p, const char *text)
{
    if (text[0] == '@')
        return add_file_lines(p, text + 1);
    return cli_list_add(p->operands, text) ? -1 : cli_no_memory(p->command);
}

bool cli_read_unsigned(const char *text, unsigned long *value)
{
    char *end;

    if (text[0] < '0' || text[0] > '9') /* strtoul takes blanks and signs */
        return false;
    errno = 0;
    *value = strtoul(text, &end, 10);
    return *end == '\0' && errno == 0;
}

/* Stores an option whose value, if it has one, is `value`. `shown` is how the user wrote it. */
static int store_option(struct parser *p, const struct cli_found *found, const char *shown,
                        const char *value)
{
    void *at = p->args + found->table->base + found->option->offset;

    switch (found->option->type) {
    case CLI_FLAG:
        *(bool *)at = true;
        break;
    case CLI_STRING:
        *(const char **)at = value;
        break;
    case CLI_LIST:
        if (!cli_list_add(at, value))
            return cli_no_memory(p->command);
        break;
    case CLI_UNSIGNED:
        if (!cli_read_unsigned(value, at))
            return cli_usage(p->command, "option '%s' needs a number, not '%s'", shown, value);
        break;
    case CLI_POSITIVE:
        if (!cli_read_unsigned(value, at) || *(unsigned long *)at == 0)
            return cli_usage(p->command, "option '%s' needs a number from 1, not '%s'", shown,
                             value);
        break;
    }
    return -1;
}

/* A value that stands in the next argument. */
static int store_next(struct parser *p, const struct cli_found *found, const char *shown)
{
    if (*p->next == NULL)
        return cli_usage(p->command, "option '%s' needs %s", shown, found->option->arg);
    return store_option(p, found, shown, *p->next++);
}

static int unknown_option(struct parser *p, const char *shown, const char *name, size_t n)
{
    const char *near = cli_nearest(p->command, name, n);

    if (near == NULL)
        return cli_usage(p->command, "unknown option '%s'", shown);
    return cli_usage(p->command, "unknown option '%s', did you mean --%s?", shown, near);
}

static int long_option(struct parser *p, const char *arg)
{
    const char *equals = strchr(arg, '='), *value = equals == NULL ? NULL : equals + 1;
    size_t n = equals == NULL ? strlen(arg) : (size_t)(equals - arg);
    bool is_version = n == 7 && memcmp(arg, "version", n) == 0;
    struct cli_found found = {0};
    char shown[64];

    if (n == 4 && memcmp(arg, "help", n) == 0)
        return cli_help(p->command, value);
    if (n == 10 && memcmp(arg, "completion", n) == 0 && value != NULL)
        return cli_completion(p->command, value);
    snprintf(shown, sizeof(shown), "--%.*s", (int)(n < sizeof(shown) ? n : sizeof(shown)), arg);
    if (!is_version && !cli_find(p->command, arg, n, &found))
        return unknown_option(p, shown, arg, n);
    if (value != NULL && (is_version || found.option->type == CLI_FLAG))
        return cli_usage(p->command, "option '%s' takes no value", shown);
    if (is_version)
        return cli_version(p->command);
    if (found.option->type == CLI_FLAG || value != NULL)
        return store_option(p, &found, shown, value);
    return store_next(p, &found, shown);
}

/* The letters of one argument; one that takes a value takes the rest, or the next argument. */
static int letters(struct parser *p, const char *arg)
{
    int rc = -1;

    for (const char *c = arg; *c != '\0' && rc < 0; c++) {
        char shown[3] = {'-', *c, '\0'};
        struct cli_found found;

        if (!cli_find_letter(p->command, *c, &found))
            return *c == 'h' ? cli_help(p->command, NULL)
                             : cli_usage(p->command, "unknown option '%s'", shown);
        if (found.option->type == CLI_FLAG)
            rc = store_option(p, &found, shown, NULL);
        else
            return c[1] != '\0' ? store_option(p, &found, shown, c + 1)
                                : store_next(p, &found, shown);
    }
    return rc;
}

int cli_parse(const struct cli_command *command, int argc, char **argv, void *args,
              struct cli_list *operands)
{
    struct parser p = {command, args, operands, argv + (argc > 0)};
    bool options = true;
    int rc = -1;

    *operands = (struct cli_list){0};
    log_json = false;
    for (char **word = p.next; *word != NULL && strcmp(*word, "--") != 0; word++)
        log_json |= strcmp(*word, "--log-json") == 0;
    while (rc < 0 && *p.next != NULL) {
        const char *arg = *p.next++;

        if (!options || arg[0] != '-' || arg[1] == '\0')
            rc = add_operand(&p, arg);
        else if (arg[1] != '-')
            rc = letters(&p, arg + 1);
        else if (arg[2] != '\0')
            rc = long_option(&p, arg + 2);
        else
            options = false;
    }
    if (rc < 0)
        rc = cli_expand(command, operands);
    if (rc < 0)
        rc = cli_limit_unpacked(command, args);
    if (rc < 0)
        rc = cli_add_inputs(command, args, operands);
    if (rc < 0)
        rc = cli_per(command, args, operands);
    if (rc < 0)
        rc = cli_each(command, args, operands);
    if (rc < 0)
        rc = cli_check_inputs(command, args);
    if (rc >= 0)
        cli_free(p.command, p.args, p.operands);
    return rc;
}

/* SA_RESETHAND has restored the default action; the signal is delivered when this returns. */
static void interrupted(int sig)
{
    out_file_cleanup();
    raise(sig);
}

void cli_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction sa = {.sa_handler = interrupted, .sa_flags = SA_RESETHAND};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct sigaction before;

        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ends[i], &sa, NULL); /* nohup and background jobs stay as they are */
    }
}
