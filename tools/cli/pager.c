/*
 * pager.c - starts a pager after standard output, as git does.
 *
 * Only on a terminal, and unless the user turned it off. The program that $PAGER names gets what
 * the verb prints; wait_for_pager() keeps the verb's process until the pager has ended.
 */
#include "tools/cli/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cli_option rows[] = {
    {0, "no-pager", NULL, "on a terminal, do not open a pager", CLI_FLAG,
     offsetof(struct cli_pager_options, is_off),
     .more = "Do not pass the text through a pager on a terminal. The pager is the program that "
             "the variable PAGER names, else less. The variable NO_COLOR turns colours off."},
};

const struct cli_set cli_pager_set = CLI_SET(NULL, rows, 0);

static pid_t pager; /* 0: none */

static bool is_variable_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0';
}

/* The pager reads until the end of what was written, and may be scrolled in for as long as its user
 * likes. */
static void wait_for_pager(void)
{
    fflush(stdout);
    close(STDOUT_FILENO);
    waitpid(pager, NULL, 0);
}

static void run_pager(const char *program, int from)
{
    dup2(from, STDIN_FILENO);
    close(from);
    setenv("LESS", "FRX", 0); /* ends if all fits on the screen, shows colours, leaves the text */
    execl("/bin/sh", "sh", "-c", program, (char *)NULL);
    _exit(127);
}

/* Is there such a program? Of a command with arguments the first word counts. */
static bool is_program(const char *program)
{
    size_t n = strcspn(program, " \t");
    char command[300];

    if (strpbrk(program, "|&;<>()$`\\\"'*?[") != NULL) /* the shell's to find out */
        return true;
    snprintf(command, sizeof(command), "command -v %.*s >/dev/null 2>&1", (int)(n < 200 ? n : 200),
             program);
    return system(command) == 0;
}

static const char *pager_program(void)
{
    const char *program = getenv("PAGER"), *terminal = getenv("TERM");

    if (terminal == NULL || strcmp(terminal, "dumb") == 0)
        return NULL;
    if (program == NULL)
        program = "less";
    return *program == '\0' || strcmp(program, "cat") == 0 || !is_program(program) ? NULL : program;
}

void cli_pager_begin(const struct cli_pager_options *options)
{
    const char *program;
    int ends[2];

    program = cli_is_terminal() && !options->is_off ? pager_program() : NULL;
    if (program == NULL || pipe(ends) != 0)
        return;
    pager = fork();
    if (pager == 0) {
        close(ends[1]);
        run_pager(program, ends[0]);
    }
    close(ends[0]);
    if (pager > 0) {
        dup2(ends[1], STDOUT_FILENO);
        signal(SIGINT, SIG_IGN); /* it is the pager's: it stops a search there */
        atexit(wait_for_pager);
    } else {
        pager = 0;
    }
    close(ends[1]);
}

bool cli_pager_is_open(void)
{
    return pager > 0;
}

bool cli_is_terminal(void)
{
    return pager > 0 || isatty(STDOUT_FILENO) != 0;
}

bool cli_has_colours(void)
{
    const char *terminal = getenv("TERM");

    return cli_is_terminal() && !is_variable_set("NO_COLOR") && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}
