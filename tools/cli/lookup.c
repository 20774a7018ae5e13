/*
 * lookup.c - goes through the options that a command has, and finds one by its name or letter.
 *
 * cli.c looks up what the user typed; help.c and completion.c print all. A table of a command can
 * leave out rows of its set, so nothing else reads the rows.
 */
#include "tools/cli/internal.h"
#include "tools/cli/nearest.h"

#include <string.h>

/* Is the name a word of the list? NULL has none. */
static bool names_option(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (; list != NULL && *list != '\0'; list += strcspn(list, " "), list += *list == ' ')
        if (strncmp(list, name, n) == 0 && (list[n] == ' ' || list[n] == '\0'))
            return true;
    return false;
}

static bool is_not_of_table(const struct cli_table *table, const char *name)
{
    return names_option(table->without, name) ||
           (table->only != NULL && !names_option(table->only, name));
}

bool cli_next(const struct cli_command *command, struct cli_found *f)
{
    size_t i = 0;

    if (command->tables == NULL)
        return false;
    if (f->table == NULL)
        f->table = command->tables;
    else
        i = (size_t)(f->option - f->table->set->options) + 1;
    for (; f->table->set != NULL; f->table++, i = 0)
        for (; i < f->table->set->n; i++) {
            f->option = &f->table->set->options[i];
            if (!is_not_of_table(f->table, f->option->name))
                return true;
        }
    return false;
}

bool cli_find(const struct cli_command *command, const char *name, size_t n,
              struct cli_found *found)
{
    *found = (struct cli_found){0};
    while (cli_next(command, found))
        if (strlen(found->option->name) == n && memcmp(found->option->name, name, n) == 0)
            return true;
    return false;
}

bool cli_find_letter(const struct cli_command *command, char letter, struct cli_found *found)
{
    *found = (struct cli_found){0};
    while (cli_next(command, found))
        if (found->option->letter == letter)
            return true;
    return false;
}

void *cli_member(const struct cli_command *command, void *args, const char *name)
{
    struct cli_found found;

    return cli_find(command, name, strlen(name), &found)
               ? (char *)args + found.table->base + found.option->offset
               : NULL;
}

static bool was_given(const struct cli_option *option, const void *member)
{
    switch (option->type) {
    case CLI_FLAG:
        return *(const bool *)member;
    case CLI_STRING:
        return *(const char *const *)member != NULL;
    case CLI_LIST:
        return ((const struct cli_list *)member)->n > 0;
    default:
        return *(const unsigned long *)member != 0;
    }
}

const char *cli_given_beside(const struct cli_command *command, const void *args,
                             const char *allowed)
{
    struct cli_found f = {0};

    while (cli_next(command, &f))
        if (!names_option(allowed, f.option->name) &&
            was_given(f.option, (const char *)args + f.table->base + f.option->offset))
            return f.option->name;
    return NULL;
}

const char *cli_nearest(const struct cli_command *command, const char *name, size_t n)
{
    struct nearest near = nearest_to(name, n);
    struct cli_found f = {0};

    while (cli_next(command, &f))
        nearest_add(&near, f.option->name);
    nearest_add(&near, "help");
    nearest_add(&near, "version");
    return nearest_found(&near);
}

void cli_free(const struct cli_command *command, void *args, struct cli_list *operands)
{
    struct cli_found f = {0};

    while (cli_next(command, &f))
        if (f.option->type == CLI_LIST)
            cli_list_free((struct cli_list *)((char *)args + f.table->base + f.option->offset));
    cli_list_free(operands);
}
