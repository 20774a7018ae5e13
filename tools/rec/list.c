/*
 * list.c - jfrkit list: prints the JVMs of this machine.
 *
 * As a table that fits the terminal, or as JSON. Texts of other users' processes are made
 * printable.
 */
#include "tools/rec/rec.h"
#include "tools/rec/target.h"

#include "convert/text/jsonw.h"
#include "convert/report/summary_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct cli_table tables[] = {
    {&rec_json_set},
    {0},
};

static const struct cli_command command = {
    .name = "jfrec list",
    .usage = "[options]",
    .about = "List the running JVMs, in containers too: pid, user, JDK version, main class.",
    .tables = tables,
    .examples = "  jfrkit list\n"
                "  jfrkit list --json\n",
    .notes = "'*': the JVM is being recorded, or was. Only root sees all of other users' JVMs.\n",
};

static const char *known(const char *text)
{
    return text[0] == '\0' ? "-" : text;
}

static void pad_column(struct buf *b, const char *text, size_t width)
{
    size_t n = names_plain_width(text);

    names_plain(b, text);
    for (; n < width + 2; n++)
        buf_byte(b, ' ');
}

static size_t widest(size_t width, const char *text)
{
    size_t n = names_plain_width(text);

    return n > width ? n : width;
}

/* A command line may be longer than a line of the terminal: it is cut there. room 0: no terminal.
 */
static void put_command(struct buf *b, const char *text, size_t room)
{
    struct buf shown = {0};
    size_t n;

    names_plain(&shown, text);
    n = shown.n;
    if (room > 3 && names_plain_width(text) > room)
        for (n = room - 3; n > 0 && (shown.p[n] & 0xc0) == 0x80; n--)
            ; /* not in the middle of a character */
    buf_bytes(b, shown.p, n);
    buf_str(b, n < shown.n ? "...\n" : "\n");
    buf_free(&shown);
}

static size_t terminal_columns(void)
{
    struct winsize size;

    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void print_text(struct buf *b, const struct jvm *jvms, const struct jvm_about *about,
                       size_t n)
{
    size_t user = 4, version = 7, columns = terminal_columns(), before;

    for (size_t i = 0; i < n; i++) {
        user = widest(user, about[i].user);
        version = widest(version, known(about[i].version));
    }
    before = 11 + user + 2 + version + 2;
    buf_str(b, "    PID    ");
    pad_column(b, "USER", user);
    pad_column(b, "VERSION", version);
    buf_str(b, "MAIN\n");
    for (size_t i = 0; i < n; i++) {
        buf_printf(b, "%7d %c  ", (int)jvms[i].pid, jvms[i].agent[0] != '\0' ? '*' : ' ');
        pad_column(b, about[i].user, user);
        pad_column(b, known(about[i].version), version);
        put_command(b, known(about[i].command), columns > before ? columns - before : 0);
    }
}

static void pair(struct buf *b, const char *key, const char *value)
{
    buf_printf(b, ", \"%s\": ", key);
    if (value[0] == '\0')
        buf_str(b, "null");
    else
        jsonw_str(b, value, strlen(value));
}

static void print_list_json(struct buf *b, const struct jvm *jvms, const struct jvm_about *about,
                            size_t n)
{
    buf_byte(b, '[');
    for (size_t i = 0; i < n; i++) {
        buf_printf(b, "%s\n  {\"pid\": %d, \"nspid\": %d, \"uid\": %u", i == 0 ? "" : ",",
                   (int)jvms[i].pid, (int)jvms[i].nspid, (unsigned)jvms[i].uid);
        pair(b, "user", about[i].user);
        pair(b, "version", about[i].version);
        pair(b, "main", about[i].main);
        pair(b, "command", about[i].command);
        pair(b, "vm",
             jvms[i].kind == JVM_HOTSPOT  ? "HotSpot"
             : jvms[i].kind == JVM_OPENJ9 ? "OpenJ9"
                                          : "");
        buf_printf(b, ", \"agent\": %s}", jvms[i].agent[0] != '\0' ? "true" : "false");
    }
    buf_str(b, n == 0 ? "]\n" : "\n]\n");
}

static int list(const struct rec_args *args)
{
    size_t n = 0;
    struct jvm *jvms = rec_jvms(&command, &n);
    struct jvm_about *about = calloc(n + 1, sizeof(*about));
    struct buf b = {0};
    int rc = jvms == NULL || about == NULL ? EXIT_FAILED : EXIT_DONE;

    for (size_t i = 0; rc == EXIT_DONE && i < n; i++)
        jvm_about(&jvms[i], &about[i]);
    if (rc == EXIT_DONE)
        (args->json ? print_list_json : print_text)(&b, jvms, about, n);
    if (rc == EXIT_DONE &&
        (!buf_ok(&b) || fwrite(b.p, 1, b.n, stdout) != b.n || fflush(stdout) != 0)) {
        cli_error(&command, "cannot write standard output");
        rc = EXIT_FAILED;
    }
    buf_free(&b);
    free(about);
    free(jvms);
    return rc;
}

int rec_list(int argc, char **argv)
{
    struct rec_args args = {0};
    struct cli_list operands = {0};
    int rc = cli_parse(&command, argc, argv, &args, &operands);

    if (rc >= 0)
        return rc;
    rc = operands.n != 0 ? cli_usage(&command, "list takes no operand") : list(&args);
    cli_free(&command, &args, &operands);
    return rc;
}
