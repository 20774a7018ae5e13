#include "tools/cli/internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HELP_COLUMN 27
#define NAME_MOST 40 /* bytes of a name that are compared when it is wrong */
#define TYPOS 2

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

/* Letters added, left out, changed, or swapped with their neighbour. */
static unsigned typos(const char *a, size_t n, const char *b)
{
    unsigned rows[3][NAME_MOST + 1];
    size_t m = strlen(b);

    if (m > NAME_MOST)
        return NAME_MOST;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);

            if (best > above[j] + 1)
                best = above[j] + 1;
            if (best > row[j - 1] + 1)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                best > above2[j - 2] + 1)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

struct guess {
    const char *nearest, *longer; /* `longer` begins with what was typed */
    unsigned typos;
    unsigned n_longer;
};

static void consider(struct guess *g, const char *typed, size_t n, const char *name)
{
    unsigned d = typos(typed, n, name);

    if (d < g->typos && d < strlen(name)) {
        g->typos = d;
        g->nearest = name;
    }
    if (n > 0 && strncmp(name, typed, n) == 0) {
        g->longer = name;
        g->n_longer++;
    }
}

const char *cli_nearest(const struct cli_command *command, const char *name, size_t n)
{
    struct guess g = {.typos = TYPOS + 1};

    if (n > NAME_MOST)
        return NULL;
    for (size_t t = 0; t < command->n_tables; t++)
        for (size_t i = 0; i < command->tables[t].n; i++)
            consider(&g, name, n, command->tables[t].options[i].name);
    consider(&g, name, n, "help");
    consider(&g, name, n, "version");
    return g.n_longer == 1 ? g.longer : g.nearest;
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

        printf("%*s%.*s\n", HELP_COLUMN - n, "", (int)width, line);
        line = line[width] == '\0' ? NULL : line + width + 1;
        n = 0;
    }
}

static void print_table(const struct cli_table *table)
{
    if (table->title != NULL)
        printf("\n%s:\n", table->title);
    for (size_t i = 0; i < table->n; i++)
        print_option(&table->options[i]);
}

/* What plain --help has not shown: "See also --help=all (Filters), --help=where and --version." */
static void print_see_also(const struct cli_command *command)
{
    const char *before = " (";

    printf("See also --help=all");
    for (size_t t = 0; t < command->n_tables; t++) {
        if (command->tables[t].title == NULL)
            continue;
        printf("%s%s", before, command->tables[t].title);
        before = ", ";
    }
    printf("%s", before[0] == ',' ? ")" : "");
    cli_print_topic_names(command);
    printf(" and --version.\n");
}

/* Prints the tables of a topic; false when there is none. */
static bool print_tables(const struct cli_command *command, const char *topic)
{
    bool all = topic != NULL && strcmp(topic, "all") == 0, any = topic == NULL || all;

    for (size_t t = 0; t < command->n_tables; t++) {
        const char *title = command->tables[t].title;
        bool wanted = title == NULL ? topic == NULL || all
                                    : all || (topic != NULL && strcasecmp(title, topic) == 0);

        if (wanted)
            print_table(&command->tables[t]);
        any |= wanted;
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

int cli_help(const struct cli_command *command, const char *topic)
{
    if (topic == NULL || strcmp(topic, "all") == 0)
        printf("Usage: %s %s\n%s\n\n", command->name, command->usage, command->about);
    if (!print_tables(command, topic) && !cli_print_topic(command, topic))
        return cli_usage(command, "no help on '%s'", topic);
    if (topic == NULL || strcmp(topic, "all") == 0) {
        print_see_also(command);
        if (command->footer != NULL)
            printf("\n%s%s", command->footer,
                   command->footer[strlen(command->footer) - 1] == '\n' ? "" : "\n");
    }
    return cli_flush(command);
}

int cli_version(const struct cli_command *command)
{
    printf("%s (jfrkit) " JFRKIT_VERSION "\n", command->name);
    return cli_flush(command);
}
