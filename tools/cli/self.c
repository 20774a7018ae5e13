/* self.c - runs another verb in a process of its own, from the file of the running program. */
#include "tools/cli/self.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int cli_run_self(const struct cli_command *command, const char *const *words, int out)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (out < 0 || dup2(out, STDOUT_FILENO) >= 0)
            execv("/proc/self/exe", (char *const *)words);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127) {
        cli_error(command, "cannot run jfrkit %s: %s", words[1],
                  child < 0 ? strerror(errno) : "it was ended by a signal");
        return EXIT_FAILED;
    }
    return WEXITSTATUS(status);
}
