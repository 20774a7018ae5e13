/*
 * jfrkit.c - the program: runs the function of the verb after "jfrkit", or of the older name by
 * which it was called (a link: jfr2flame). Without either it shows the verbs.
 *
 * verbs.c has the functions. This file has the verbs that are about verbs: help, version,
 * completion,
 * --links.
 */
#include "tools/cli/cli.h"
#include "tools/complete.h"
#include "tools/programs.h"
#include "tools/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    const char *links;
    bool list, json;
};

static const struct cli_option kit_options[] = {
    {0, "links", "DIR", "make links with the older names (jfr2flame) in DIR", CLI_STRING,
     offsetof(struct options, links),
     .more = "Make links with the older names in DIR. Existing files stay."},
    {0, "list", NULL, "list the older names", CLI_FLAG, offsetof(struct options, list)},
    {0, "json", NULL, "with version: as JSON", CLI_FLAG, offsetof(struct options, json)},
};

static const struct cli_set own = CLI_SET(NULL, kit_options, 0);
static const struct cli_table tables[] = {{&own}, {0}};

static const struct cli_command kit = {
    .name = "jfrkit",
    .usage = "VERB [options] [recording ...]",
    .about = "Record Java programs and look at recordings. 'jfrkit' alone lists the verbs.",
    .tables = tables,
};

/* The first screen: a line for each verb, with those that share it. At most 23 lines of 79 columns,
 * so that it can be seen at once. */
static int show_verbs(void)
{
    const struct verb *v;
    char names[60];

    puts("Usage: jfrkit VERB [options] [recording ...]\n"
         "       jfrkit help [VERB] | version | completion bash|zsh|fish");
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++) {
        size_t n = (size_t)snprintf(names, sizeof(names), "%s", v->name);

        for (; verb_at(i + 1) != NULL && verb_at(i + 1)->about == NULL; i++)
            n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s", verb_at(i + 1)->name);
        printf("%-9s%-12s %s\n", v->group == NULL ? "" : v->group, names, v->about);
    }
    puts("\n"
         "  jfrkit record -o app.jfr -- java -jar app.jar\n"
         "  jfrkit attach -d 10s --open 4711\n"
         "  jfrkit top --by user app.jfr\n"
         "  jfrkit convert -o app.pb.gz app.jfr");
    return cli_flush(&kit);
}

static int list_programs(void)
{
    const char *name;

    for (size_t i = 0; (name = verb_older_name(i)) != NULL; i++)
        puts(name);
    return cli_flush(&kit);
}

/* Makes links to this program, by its own path. An existing file stays. */
static int make_links(const char *dir)
{
    char self[4096], path[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    const char *name;
    int rc = EXIT_DONE;

    if (n < 0) {
        cli_error(&kit, "cannot read the path of this program: %s", strerror(errno));
        return EXIT_FAILED;
    }
    self[n] = '\0';
    for (size_t i = 0; (name = verb_older_name(i)) != NULL; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, name);
        if (symlink(self, path) != 0) {
            cli_error(&kit, "cannot link %s: %s", path, strerror(errno));
            rc = EXIT_FAILED;
        }
    }
    return rc;
}

static int show_version(bool as_json)
{
    printf(as_json ? "{\"name\": \"jfrkit\", \"version\": \"%s\"}\n" : "jfrkit %s\n",
           JFRKIT_VERSION);
    return cli_flush(&kit);
}

/* Runs a verb or a program of this name with the arguments after it. */
static int run_verb(const char *name, int argc, char **argv)
{
    int (*program)(int, char **);
    const char *shown, *near;

    if (verb_find(name, &program, &shown) == 0) {
        cli_call_as(shown);
        return program(argc, argv);
    }
    near = verb_nearest(name);
    if (near != NULL)
        return cli_usage(&kit, "no verb '%s', did you mean '%s'?", name, near);
    return cli_usage(&kit, "no verb '%s'; 'jfrkit' alone lists them", name);
}

/* help [VERB [TOPIC]], or help TOPIC. */
static int help(int argc, char **argv)
{
    static const char *const topics[] = {"where", "context", "time"};
    char option[200] = "--help";
    char *words[] = {NULL, option, NULL};
    const char *name = argc > 1 ? argv[1] : NULL, *topic = argc > 2 ? argv[2] : NULL;

    if (name == NULL)
        return show_verbs();
    for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
        if (strcmp(name, topics[i]) == 0) {
            topic = name;
            name = "print"; /* which has options for all of them */
        }
    if (topic != NULL)
        snprintf(option, sizeof(option), "--help=%s", topic);
    words[0] = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "version") == 0 ||
        strcmp(name, "completion") == 0)
        return show_verbs();
    return run_verb(name, 2, words);
}

/* Is the word a file or folder rather than a verb? It has a folder, or an ending as recordings
 * have. */
static bool is_file_name(const char *word)
{
    struct stat st;

    return (stat(word, &st) == 0 && S_ISDIR(st.st_mode)) || strchr(word, '/') != NULL ||
           strstr(word, ".jfr") != NULL || (strchr(word, '.') != NULL && access(word, F_OK) == 0);
}

/* A recording without a verb: prints what it has, and what to do next. */
static int show_recording(int argc, char **argv)
{
    int rc;

    cli_call_as("jfrkit info");
    rc = jfrsummary_main(argc, argv);
    if (rc != EXIT_DONE && rc != EXIT_DAMAGED)
        return rc;
    printf("\nNext: jfrkit top --by user %s\n      jfrkit flame --open %s\n", argv[1], argv[1]);
    return cli_flush(&kit) == EXIT_DONE ? rc : EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    struct cli_list operands;
    int rc;

    if (argc == 1)
        return show_verbs();
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "completion") == 0)
        return argc == 3 ? complete_verbs(&kit, argv[2])
                         : cli_usage(&kit, "for which shell? bash, zsh or fish");
    if (argv[1][0] != '-' && strcmp(argv[1], "version") != 0)
        return argc == 2 && is_file_name(argv[1]) ? show_recording(argc, argv)
                                                  : run_verb(argv[1], argc - 1, argv + 1);
    rc = cli_parse(&kit, argc, argv, &options, &operands);
    if (rc >= 0)
        return rc;
    if (operands.n == 1 && strcmp(operands.items[0], "version") == 0)
        rc = show_version(options.json);
    else if (operands.n > 0)
        rc = cli_usage(&kit, "the verb comes first: jfrkit %s %s ...", operands.items[0], argv[1]);
    else if (options.list)
        rc = list_programs();
    else
        rc = options.links != NULL ? make_links(options.links)
                                   : cli_usage(&kit, "which verb? 'jfrkit' alone lists them");
    cli_list_free(&operands);
    return rc;
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *self = argc == 0 ? "" : slash == NULL ? argv[0] : slash + 1;
    int (*program)(int, char **);
    const char *shown, *name;

    for (size_t i = 0; (name = verb_older_name(i)) != NULL; i++)
        if (strcmp(self, name) == 0 && verb_find(self, &program, &shown) == 0)
            return program(argc, argv);
    return run(argc, argv);
}
