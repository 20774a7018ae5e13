/* cli_each.c - --each: one process and one output for each input. */
#include "tools/cli_private.h"
#include "tools/cli_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The member of args that an option fills; NULL when the command does not have it. */
static void *member(const struct cli_command *command, void *args, const char *name)
{
    struct cli_found found;

    return cli_find(command, name, strlen(name), &found)
               ? (char *)args + found.table->base + found.option->offset
               : NULL;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Where the output of an input goes. NULL when memory is short. */
static char *output_of(const struct cli_command *command, const char *folder, const char *path)
{
    const char *base = base_of(path);
    char *name = NULL;

    return asprintf(&name, "%s%s%.*s%s", folder == NULL ? "" : folder, folder == NULL ? "" : "/",
                    cli_stem_length(base), base, command->suffix) < 0
               ? NULL
               : name;
}

static int check(const struct cli_command *command, const char *folder,
                 const struct cli_list *operands)
{
    struct stat st;

    if (command->suffix == NULL)
        return cli_usage(command, "--each: this command makes one output of all");
    if (operands->n == 0)
        return cli_usage(command, "--each: which recordings?");
    if (folder != NULL && (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)))
        return cli_usage(command, "--each: '%s' is no folder for the outputs", folder);
    for (size_t i = 0; i < operands->n; i++) {
        const char *a = base_of(operands->items[i]);

        if (strcmp(operands->items[i], "-") == 0)
            return cli_usage(command, "--each: standard input has no name for its output");
        for (size_t k = 0; k < i; k++) {
            const char *b = base_of(operands->items[k]);
            int n = cli_stem_length(a);

            if (n == cli_stem_length(b) && strncmp(a, b, (size_t)n) == 0)
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

/* In the process of an operand: nothing is left but it. */
static int keep_one(const struct cli_command *command, const char **output,
                    struct cli_list *operands, size_t i)
{
    const char *one = operands->items[i];
    char *name = output_of(command, *output, one);

    if (name == NULL) {
        cli_error(command, "out of memory");
        return EXIT_FAILED;
    }
    *output = name; /* as long as the process */
    operands->items[i] = operands->items[0];
    operands->items[0] = one;
    while (operands->n > 1)
        free((char *)operands->items[--operands->n]);
    return -1;
}

int cli_each(const struct cli_command *command, void *args, struct cli_list *operands)
{
    struct cli_found found;
    const bool *each =
        cli_find(command, "each", 4, &found) && found.option == &cli_more_table[CLI_MORE_N - 1]
            ? member(command, args, "each")
            : NULL;
    const char **output = member(command, args, "output");
    int rc, code = EXIT_DONE, status;

    if (each == NULL || !*each || output == NULL)
        return -1;
    rc = check(command, *output, operands);
    if (rc >= 0)
        return rc;
    for (size_t i = 0; i < operands->n; i++) {
        pid_t pid = fork();

        if (pid == 0)
            return keep_one(command, output, operands, i);
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (pid < 0) {
            cli_error(command, "%s: %s", operands->items[i], strerror(errno));
            return EXIT_FAILED;
        }
        if (WIFSIGNALED(status)) {
            cli_error_at(command, &(struct cli_place){operands->items[i]}, "ended by signal %d",
                         WTERMSIG(status));
            return EXIT_FAILED;
        }
        code = worse(code, WEXITSTATUS(status));
    }
    return code;
}
