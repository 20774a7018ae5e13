/*
 * browser.c - opens a page in the user's browser.
 *
 * The browser is started by a grandchild, so that it belongs to init and neither it nor its
 * messages hold up the terminal.
 */
#include "tools/cli/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *find_browser(void)
{
    const char *browser = getenv("BROWSER"), *x = getenv("DISPLAY"), *w = getenv("WAYLAND_DISPLAY");

    if (browser != NULL && browser[0] != '\0')
        return browser;
    return (x != NULL && x[0] != '\0') || (w != NULL && w[0] != '\0') ? "xdg-open" : NULL;
}

/* Runs the program with the page, away from our terminal. Reports errno through the pipe. */
static void run_browser(const char *browser, const char *page, int report)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), error;

    setsid();
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    execlp(browser, browser, page, (char *)NULL);
    error = errno;
    if (write(report, &error, sizeof(error)) < 0)
        _exit(126);
    _exit(127);
}

/* 0, or errno of what failed. */
static int start_browser(const char *browser, const char *page)
{
    int report[2], error = 0;
    pid_t child;

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    child = fork();
    if (child == 0) {
        if (fork() == 0)
            run_browser(browser, page, report[1]);
        _exit(0);
    }
    if (child < 0)
        error = errno;
    close(report[1]);
    if (child > 0 && read(report[0], &error, sizeof(error)) != sizeof(error))
        error = 0;
    close(report[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return error;
}

void cli_open_browser(const struct cli_command *command, const char *path)
{
    const char *browser = find_browser();
    char *page = realpath(path, NULL);
    int error = 0;

    if (browser != NULL)
        error = start_browser(browser, page == NULL ? path : page);
    if (browser == NULL)
        cli_error(command, "%s: written; no browser was found to open it (BROWSER names one)",
                  path);
    else if (error != 0)
        cli_error(command, "%s: written; cannot run %s: %s", path, browser, strerror(error));
    free(page);
}
