/* each.c - --each: one process and one output for each input; what it shares with --per. */
#include "convert/text/out.h"
#include "tools/cli/internal.h"
#include "tools/cli/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *base_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* What a format of tables or metadata is called at the end of a file's name. */
static const char *ending_of(const struct cli_command *command, void *args)
{
    static const char *const endings[] = {".csv", ".tsv", ".json", ".html", ".md"};
    const char **format = cli_member(command, args, "format");

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const bool *is_it = cli_member(command, args, endings[i] + 1); /* --json, --html */

        if ((format != NULL && *format != NULL && strcmp(*format, endings[i] + 1) == 0) ||
            (is_it != NULL && *is_it))
            return endings[i];
    }
    return command->suffix;
}

char *cli_output_of(const struct cli_command *command, void *args, const char *folder,
                    const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s%s%s%s", folder == NULL ? "" : folder, folder == NULL ? "" : "/",
                    name, ending_of(command, args)) < 0
               ? NULL
               : path;
}

/* The output of an input. NULL if out of memory. */
static char *output_of(const struct cli_command *command, void *args, const char *folder,
                       const char *input)
{
    const char *base = base_name_of(input);
    char *name = strndup(base, (size_t)out_stem_length(base));
    char *path = name == NULL ? NULL : cli_output_of(command, args, folder, name);

    free(name);
    return path;
}

/* An option that names a file which all would write to; NULL: none was given. */
static const char *shared_output(const struct cli_command *command, void *args)
{
    const struct cli_list *also = cli_member(command, args, "also");
    const char **labels = cli_member(command, args, "pyroscope");

    if (also != NULL && also->n > 0)
        return "also";
    return labels != NULL && *labels != NULL ? "pyroscope" : NULL;
}

/* Is the output of this recording one of the inputs? */
static bool replaces_input(const struct cli_command *command, void *args, const char *folder,
                           const char *path)
{
    char *output = output_of(command, args, folder, path);
    bool is_same = output != NULL && out_file_same_input(output) != NULL;

    free(output);
    return is_same;
}

const char *cli_keep(char *text)
{
    static struct buf kept; /* of char *: reachable, so that a leak checker does not report them */

    buf_bytes(&kept, &text, sizeof(text));
    return text;
}

int cli_check_outputs(const struct cli_command *command, void *args, const char *option)
{
    const char **output = cli_member(command, args, "output");
    const char *other = shared_output(command, args);
    struct stat st;

    if (command->suffix == NULL || output == NULL)
        return cli_usage(command, "--%s: this command makes one output of all", option);
    if (other != NULL)
        return cli_usage(command, "--%s: all would write to the file of --%s", option, other);
    if (*output != NULL && strcmp(*output, "-") != 0 && mkdir(*output, 0700) != 0 &&
        errno != EEXIST)
        return cli_usage(command, "--%s: cannot make the folder '%s': %s", option, *output,
                         strerror(errno));
    if (*output != NULL && (stat(*output, &st) != 0 || !S_ISDIR(st.st_mode)))
        return cli_usage(command, "--%s: '%s' is no folder for the outputs", option, *output);
    return -1;
}

static int check_outputs(const struct cli_command *command, void *args, const char *folder,
                         const struct cli_list *operands)
{
    int rc = cli_check_outputs(command, args, "each");

    if (rc >= 0)
        return rc;
    if (operands->n <= command->n_words)
        return cli_usage(command, "--each: which recordings?");
    for (size_t i = command->n_words; i < operands->n; i++) {
        const char *a = base_name_of(operands->items[i]);

        if (strcmp(operands->items[i], "-") == 0)
            return cli_usage(command, "--each: standard input has no name for its output");
        if (replaces_input(command, args, folder, operands->items[i]))
            return cli_usage(command,
                             "--each: the output for '%s' would replace an input: name another "
                             "folder with -o",
                             operands->items[i]);
        for (size_t k = command->n_words; k < i; k++) {
            const char *b = base_name_of(operands->items[k]);
            int n = out_stem_length(a);

            if (n == out_stem_length(b) && strncmp(a, b, (size_t)n) == 0)
                return cli_usage(command, "--each: '%s' and '%s' would have one output",
                                 operands->items[k], operands->items[i]);
        }
    }
    return -1;
}

/* Failure counts more than damage, damage more than that nothing matched. */
static int worse(int a, int b)
{
    static const int order[] = {EXIT_DONE, EXIT_EMPTY, EXIT_DAMAGED, EXIT_FAILED, EXIT_USAGE};
    int worst = EXIT_FAILED;

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        if (a == order[i] || b == order[i])
            worst = order[i];
    return worst;
}

/* In the process of a recording: none is left but it. */
static int keep_one(const struct cli_command *command, void *args, const char **output,
                    struct cli_list *operands, size_t i)
{
    const char *one = operands->items[i];
    char *name = output_of(command, args, *output, one);

    if (name == NULL)
        return cli_no_memory(command);
    *output = cli_keep(name);
    operands->items[i] = operands->items[command->n_words];
    operands->items[command->n_words] = one;
    while (operands->n > command->n_words + 1)
        free((char *)operands->items[--operands->n]);
    return -1;
}

int cli_fork(const struct cli_command *command, const char *const *names, size_t n, size_t *mine)
{
    int code = EXIT_DONE, status = 0;

    signal(SIGCHLD, SIG_DFL); /* the parent process may have ignored it, which is inherited */
    for (size_t i = 0; i < n; i++) {
        pid_t pid = fork();

        *mine = i;
        if (pid == 0)
            return -1;
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (pid < 0) {
            cli_error(command, "%s: %s", names[i], strerror(errno));
            return EXIT_FAILED;
        }
        if (WIFSIGNALED(status)) {
            cli_error_at(command, &(struct cli_place){names[i]}, "ended by signal %d",
                         WTERMSIG(status));
            return EXIT_FAILED;
        }
        code = worse(code, WEXITSTATUS(status));
    }
    return code;
}

int cli_each(const struct cli_command *command, void *args, struct cli_list *operands)
{
    struct cli_found found;
    const bool *each = cli_find(command, "each", 4, &found) && found.table->set == &cli_run_set
                           ? cli_member(command, args, "each")
                           : NULL;
    const char **output = cli_member(command, args, "output");
    size_t i;
    int rc;

    if (each == NULL || !*each)
        return -1;
    rc = check_outputs(command, args, output == NULL ? NULL : *output, operands);
    if (rc < 0)
        rc = cli_fork(command, operands->items + command->n_words, operands->n - command->n_words,
                      &i);
    return rc < 0 ? keep_one(command, args, output, operands, command->n_words + i) : rc;
}
