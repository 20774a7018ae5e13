/*
 * help.c - looks options up in the tables of a command, and prints its help.
 *
 * Plain --help is one screen: usage, examples, the options of tables without a title and the common
 * ones of the others. --help=all has every option, --help=TITLE one table. --help=rows has all that
 * the tables say, for the programs that make the manual (tools/man/page.awk) and the tests.
 */
#include "tools/cli/internal.h"
#include "tools/cli/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HELP_COLUMN 27
#define HELP_WIDTH 80

bool cli_find(const struct cli_command *command, const char *name, size_t n,
              struct cli_found *found)
{
    for (size_t t = 0; t < command->n_tables; t++) {
        const struct cli_table *table = &command->tables[t];

        for (size_t i = 0; i < table->n; i++) {
            const struct cli_option *o = &table->options[i];

            if (strlen(o->name) == n && memcmp(o->name, name, n) == 0) {
                *found = (struct cli_found){table, o};
                return true;
            }
        }
    }
    return false;
}

bool cli_find_letter(const struct cli_command *command, char letter, struct cli_found *found)
{
    for (size_t t = 0; t < command->n_tables; t++) {
        const struct cli_table *table = &command->tables[t];

        for (size_t i = 0; i < table->n; i++) {
            if (table->options[i].letter == letter) {
                *found = (struct cli_found){table, &table->options[i]};
                return true;
            }
        }
    }
    return false;
}

const char *cli_nearest(const struct cli_command *command, const char *name, size_t n)
{
    struct nearest near = nearest_to(name, n);

    for (size_t t = 0; t < command->n_tables; t++)
        for (size_t i = 0; i < command->tables[t].n; i++)
            nearest_add(&near, command->tables[t].options[i].name);
    nearest_add(&near, "help");
    nearest_add(&near, "version");
    return nearest_found(&near);
}

/* What holds without the option ends the last line, or is a line of its own where that is full. */
static void print_default(const struct cli_option *o, size_t width)
{
    static const char before[] = "Default: ";
    size_t n = sizeof(before) - 1 + strlen(o->def);

    if (width == 0)
        printf("%s%s", before, o->def);
    else if (HELP_COLUMN + width + 2 + n <= HELP_WIDTH)
        printf(". %s%s", before, o->def);
    else
        printf("\n%*s%s%s", HELP_COLUMN, "", before, o->def);
}

static void print_option(const struct cli_option *o)
{
    const char *line = o->help;
    char letter[] = {'-', o->letter, ',', '\0'};
    int n = printf("  %3s --%s%s%s", o->letter == 0 ? "" : letter, o->name,
                   o->arg == NULL ? "" : " ", o->arg == NULL ? "" : o->arg);

    if (n > HELP_COLUMN - 2)
        n = printf("\n") - 1;
    while (line != NULL) {
        size_t width = strcspn(line, "\n");
        bool is_last = line[width] == '\0';

        printf("%*s%.*s", HELP_COLUMN - n, "", (int)width, line);
        if (is_last && o->def != NULL)
            print_default(o, width);
        putchar('\n');
        line = is_last ? NULL : line + width + 1;
        n = 0;
    }
}

/* The first n options of a table, under its title unless the table before had the same. */
static void print_table(const struct cli_command *command, size_t t, size_t n)
{
    const struct cli_table *table = &command->tables[t];
    const char *title = table->title == NULL ? "Options" : table->title;
    const char *before = t == 0                                 ? ""
                         : command->tables[t - 1].title == NULL ? "Options"
                                                                : command->tables[t - 1].title;

    if (strcmp(title, before) != 0)
        printf("\n%s:\n", title);
    for (size_t i = 0; i < n; i++)
        print_option(&table->options[i]);
}

static bool has_hidden(const struct cli_command *command)
{
    for (size_t t = 0; t < command->n_tables; t++)
        if (command->tables[t].title != NULL && command->tables[t].n_common < command->tables[t].n)
            return true;
    return false;
}

static bool has_see_also(const struct cli_command *command)
{
    struct cli_found found;

    return has_hidden(command) || cli_find(command, "from", 4, &found);
}

/* "More options: --help=all, or one of --help=filters, frames. Syntax: --help=where, context." */
static void print_see_also(const struct cli_command *command)
{
    const char *before = "";

    if (has_hidden(command)) {
        printf("\nMore options: --help=all");
        for (size_t t = 0; t < command->n_tables; t++) {
            const struct cli_table *table = &command->tables[t];
            bool is_new = table->title != NULL && (t == 0 || command->tables[t - 1].title == NULL ||
                                                   strcmp(table->title, table[-1].title) != 0);

            if (!is_new)
                continue;
            printf("%s", before[0] == '\0' ? ", or a part: --help=" : before);
            for (const char *p = table->title; *p != '\0'; p++)
                putchar(tolower((unsigned char)*p));
            before = ", ";
        }
        printf(".\n");
    }
    cli_print_topic_names(command);
}

/* Prints the tables of a topic; false when there is none. */
static bool print_tables(const struct cli_command *command, const char *topic)
{
    bool all = topic != NULL && strcmp(topic, "all") == 0, any = topic == NULL || all;

    for (size_t t = 0; t < command->n_tables; t++) {
        const struct cli_table *table = &command->tables[t];
        bool is_topic =
            all || (topic != NULL && table->title != NULL && strcasecmp(table->title, topic) == 0);
        size_t n = is_topic                                ? table->n
                   : topic == NULL && table->title == NULL ? table->n
                   : topic == NULL                         ? table->n_common
                                                           : 0;

        if (n > 0)
            print_table(command, t, n);
        any |= is_topic;
    }
    return any;
}

int cli_flush(const struct cli_command *command)
{
    if (fflush(stdout) == 0)
        return EXIT_DONE;
    cli_error(command, "cannot write standard output");
    return EXIT_FAILED;
}

/* A part of a row; line ends become blanks. */
static void print_part(const char *text)
{
    for (; text != NULL && *text != '\0'; text++)
        putchar(*text == '\n' ? ' ' : *text);
    putchar('\t');
}

/* A line for each option: topic, letter, name, argument, sentence, default, longer text, example
 * and version, with tabs between them. */
static int print_all_rows(const struct cli_command *command)
{
    for (size_t t = 0; t < command->n_tables; t++)
        for (size_t i = 0; i < command->tables[t].n; i++) {
            const struct cli_option *o = &command->tables[t].options[i];

            print_part(command->tables[t].title);
            printf("%.1s\t", o->letter == 0 ? "" : &o->letter);
            print_part(o->name);
            print_part(o->arg);
            print_part(o->help);
            print_part(o->def);
            print_part(o->more);
            print_part(o->example);
            printf("%s\n", o->since == NULL ? "0.1" : o->since);
        }
    return cli_flush(command);
}

int cli_help(const struct cli_command *command, const char *topic)
{
    bool is_whole = topic == NULL || strcmp(topic, "all") == 0;

    if (topic != NULL && strcmp(topic, "rows") == 0)
        return print_all_rows(command);

    if (is_whole) {
        printf("Usage: %s %s\n%s\n", cli_name(command), command->usage, command->about);
        if (command->examples != NULL)
            printf("\nExamples:\n%s", command->examples);
    }
    if (!print_tables(command, topic) && !cli_print_topic(command, topic))
        return cli_usage(command, "no help on '%s'", topic);
    if (is_whole) {
        print_see_also(command);
        if (command->notes != NULL)
            printf("%s%s", has_see_also(command) ? "" : "\n", command->notes);
    }
    return cli_flush(command);
}

int cli_version(const struct cli_command *command)
{
    printf("%s (jfrkit) " JFRKIT_VERSION "\n", cli_name(command));
    return cli_flush(command);
}
