/* self.c - runs another verb in a process of its own, from the file of the running program. */
#include "tools/cli/self.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail_self(const struct cli_command *command, const char *const *words, const char *why)
{
    cli_error(command, "cannot run jfrkit %s: %s", words[1], why);
    return EXIT_FAILED;
}

/* In the new process. */
static void run_self(const char *const *words, int out)
{
    if (out < 0 || dup2(out, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)words);
    _exit(127);
}

int cli_run_self(const struct cli_command *command, const char *const *words, int out)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0)
        run_self(words, out);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return fail_self(command, words, child < 0 ? strerror(errno) : "it was ended by a signal");
    return WEXITSTATUS(status);
}

pid_t cli_start_self(const struct cli_command *command, const char *const *words)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;
    pid_t child;

    sigemptyset(&none);
    fflush(stdout);
    child = null < 0 ? -1 : fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (setsid() < 0 || dup2(null, STDIN_FILENO) < 0)
            _exit(127);
        run_self(words, null);
    }
    if (child < 0)
        fail_self(command, words, strerror(errno));
    if (null >= 0)
        close(null);
    return child;
}
