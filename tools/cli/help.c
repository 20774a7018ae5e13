/*
 * help.c - prints the help of a command from its options.
 *
 * Plain --help is one screen: usage, examples, the options of tables without a title and the common
 * ones of the others. --help=all has every option, --help=TITLE one table. --help=rows has all that
 * the tables say, for the programs that make the manual (tools/man/page.awk) and the tests.
 */
#include "tools/cli/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HELP_COLUMN 27
#define HELP_WIDTH 80

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

/* Of the table, or of its set; NULL: its options are in plain --help. */
static const char *title_of(const struct cli_table *table)
{
    if (table->title != NULL)
        return table->title[0] == '\0' ? NULL : table->title;
    return table->set->title;
}

static bool is_in_plain_help(const struct cli_found *f)
{
    const struct cli_set *set = f->table->set;

    return title_of(f->table) == NULL ||
           (!f->table->is_rare && (size_t)(f->option - set->options) < set->n_common);
}

static bool has_hidden(const struct cli_command *command)
{
    struct cli_found f = {0};

    while (cli_next(command, &f))
        if (!is_in_plain_help(&f))
            return true;
    return false;
}

static bool has_see_also(const struct cli_command *command)
{
    struct cli_found found;

    return has_hidden(command) || cli_find(command, "from", 4, &found);
}

/* "More options: --help=all or a part: --help=filters, frames." */
static void print_topics(const struct cli_command *command)
{
    const char *before = "", *last = "";
    struct cli_found f = {0};

    printf("\nMore options: --help=all");
    while (cli_next(command, &f)) {
        const char *title = title_of(f.table);

        if (title == NULL || strcmp(title, last) == 0)
            continue;
        last = title;
        printf("%s", before[0] == '\0' ? " or a part: --help=" : before);
        for (; *title != '\0'; title++)
            putchar(tolower((unsigned char)*title));
        before = ", ";
    }
    printf(".\n");
}

static void print_see_also(const struct cli_command *command)
{
    if (has_hidden(command))
        print_topics(command);
    cli_print_topic_names(command);
}

/* Prints the options of a topic under their titles; false when there is no such topic. */
static bool print_options(const struct cli_command *command, const char *topic)
{
    bool all = topic != NULL && strcmp(topic, "all") == 0, any = topic == NULL || all;
    const char *before = "";
    struct cli_found f = {0};

    while (cli_next(command, &f)) {
        const char *title = title_of(f.table), *shown = title == NULL ? "Options" : title;

        if (topic == NULL ? !is_in_plain_help(&f)
                          : !all && (title == NULL || strcasecmp(title, topic) != 0))
            continue;
        any = true;
        if (strcmp(shown, before) != 0)
            printf("\n%s:\n", shown);
        before = shown;
        print_option(f.option);
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

/* What the manual says of an option, in whole sentences. */
static void print_manual_text(const struct cli_option *o)
{
    size_t n = strlen(o->help);

    if (o->more != NULL)
        printf("%s", o->more);
    else
        for (size_t i = 0; i < n; i++)
            putchar(i == 0               ? toupper((unsigned char)o->help[0])
                    : o->help[i] == '\n' ? ' '
                                         : o->help[i]);
    if (o->more == NULL && n > 0 && o->help[n - 1] != '.')
        putchar('.');
    if (o->def != NULL && (o->more == NULL || strstr(o->more, "Default:") == NULL))
        printf(" Default: %s.", o->def);
    putchar('\t');
}

/* A line for each option: topic, letter, name, argument, sentence, text of the manual, example and
 * version, with tabs between them. */
static int print_all_rows(const struct cli_command *command)
{
    struct cli_found f = {0};

    while (cli_next(command, &f)) {
        const struct cli_option *o = f.option;

        print_part(title_of(f.table));
        printf("%.1s\t", o->letter == 0 ? "" : &o->letter);
        print_part(o->name);
        print_part(o->arg);
        print_part(o->help);
        print_manual_text(o);
        print_part(o->example);
        printf("%s\n", o->since == NULL ? "1.0" : o->since);
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
    if (!print_options(command, topic) && !cli_print_topic(command, topic))
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
