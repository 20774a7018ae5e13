/*
 * jfrkit.c - all commands in one program: `jfrkit flame app.jfr`, `jfrkit jfr2flame app.jfr`, or by
 * the name of a link to it. The mains of the commands are linked in under names of their own.
 */
#include "tools/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* build/tools/kit_names.h has KIT(NAME) for every command. */
#define KIT(name) int main_##name(int argc, char **argv);
#include "tools/kit_names.h"
#undef KIT

struct command {
    const char *name;
    int (*main)(int argc, char **argv);
};

#define KIT(name) {#name, main_##name},
static const struct command commands[] = {
#include "tools/kit_names.h"
};
#undef KIT

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

struct options {
    const char *links;
    bool list;
};

static const struct cli_option kit_table[] = {
    {0, "links", "DIR", "make a link for every command in DIR", CLI_STRING,
     offsetof(struct options, links)},
    {0, "list", NULL, "list the commands", CLI_FLAG, offsetof(struct options, list)},
};

static const struct cli_table tables[] = {{NULL, kit_table, 2, 0}};

static const struct cli_command kit = {
    .name = "jfrkit",
    .usage = "COMMAND [options] [recording ...]",
    .about = "All commands in one program: jfrkit flame is jfr2flame, jfrkit meta is jfrmeta.",
    .tables = tables,
    .n_tables = 1,
    .footer = "  jfrkit summary app.jfr\n"
              "  jfrkit flame -o app.html app.jfr\n",
};

/* The command of this name: whole, or without "jfr2" or "jfr" in front. */
static const struct command *find(const char *name)
{
    static const char *const before[] = {"", "jfr2", "jfr"};

    for (size_t b = 0; b < sizeof(before) / sizeof(before[0]); b++)
        for (size_t i = 0; i < N_COMMANDS; i++) {
            size_t n = strlen(before[b]);

            if (strncmp(commands[i].name, before[b], n) == 0 &&
                strcmp(commands[i].name + n, name) == 0)
                return &commands[i];
        }
    return NULL;
}

static int list(void)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        puts(commands[i].name);
    return cli_flush(&kit);
}

/* Links to this program, by its own path. What is there stays. */
static int make_links(const char *dir)
{
    char self[4096], path[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int rc = EXIT_DONE;

    if (n < 0) {
        cli_error(&kit, "cannot find out where I am: %s", strerror(errno));
        return EXIT_FAILED;
    }
    self[n] = '\0';
    for (size_t i = 0; i < N_COMMANDS; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, commands[i].name);
        if (symlink(self, path) != 0) {
            cli_error(&kit, "cannot link %s: %s", path, strerror(errno));
            rc = EXIT_FAILED;
        }
    }
    return rc;
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *self = argc == 0 ? "" : slash == NULL ? argv[0] : slash + 1;
    const struct command *c = strcmp(self, "jfrkit") == 0 ? NULL : find(self);
    struct options options = {0};
    struct cli_list operands;
    int rc;

    if (c != NULL)
        return c->main(argc, argv);
    if (argc > 1 && argv[1][0] != '-') {
        c = find(argv[1]);
        return c != NULL ? c->main(argc - 1, argv + 1)
                         : cli_usage(&kit, "no command '%s'; --list shows them", argv[1]);
    }
    rc = cli_parse(&kit, argc, argv, &options, &operands);
    if (rc >= 0)
        return rc;
    cli_list_free(&operands);
    if (options.list)
        return list();
    return options.links != NULL ? make_links(options.links) : cli_usage(&kit, "which command?");
}
