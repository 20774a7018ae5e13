/*
 * redraw.c - runs a verb once a second, each time in a process of its own that writes into memory,
 * and shows what it wrote in place of what was shown before.
 */
#include "tools/redraw.h"

#include "convert/report/summary_names.h"
#include "jfrfmt/base/now.h"
#include "tools/cli/internal.h"
#include "tools/rec/followed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS INT64_C(1000000000)

/* The process that makes a table: which file it reads, and how wide the terminal is. */
static struct {
    bool is_table;
    const char *path; /* of a JVM; NULL: the operands are read as they are */
    unsigned columns;
} child;

/* No rows: it is no terminal. */
static struct winsize terminal_size(void)
{
    struct winsize size = {.ws_row = 0};

    if (isatty(STDOUT_FILENO) == 0)
        return size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80}; /* it does not say */
    return size;
}

/* --- a table --- */

static int become_table(const struct redraw *what)
{
    struct cli_list operands = {0};

    if (*what->width == 0)
        *what->width = child.columns;
    if (child.path == NULL)
        return -1;
    if (!cli_list_add(&operands, child.path))
        return cli_no_memory(what->command);
    cli_list_free(what->files);
    *what->files = operands;
    return cli_expand(what->command, what->files);
}

/* Runs the verb with its output and messages going to these descriptors. Returns its exit code. */
static int run_verb_apart(const struct redraw *what, int argc, char **argv, int out, int messages)
{
    pid_t pid;
    int status = 0;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        child.is_table = true;
        dup2(out, STDOUT_FILENO);
        dup2(messages, STDERR_FILENO);
        _exit(what->verb(argc, argv));
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* --- on the terminal --- */

/* Shows what was written to a file in memory: as many lines as there is room for. */
static void show_drawing(int fd, struct winsize size)
{
    size_t n = (size_t)lseek(fd, 0, SEEK_END), rows = size.ws_row > 0 ? size.ws_row - 1u : SIZE_MAX;
    char *text = calloc(n + 1, 1), *rest = text, *line;
    struct buf b = {0};

    if (text != NULL && pread(fd, text, n, 0) != (ssize_t)n)
        text[0] = '\0';
    buf_str(&b, size.ws_row > 0 ? "\033[H" : "");
    for (; rest != NULL && *rest != '\0' && rows > 0; rows--) {
        line = strsep(&rest, "\n");
        names_plain(&b, line); /* nothing in a table may command the terminal */
        buf_str(&b, size.ws_row > 0 ? "\033[K\n" : "\n");
    }
    buf_str(&b, size.ws_row > 0 ? "\033[J" : "\n");
    fwrite(b.p, 1, b.n, stdout);
    fflush(stdout);
    buf_free(&b);
    free(text);
}

static bool is_written(int fd)
{
    return lseek(fd, 0, SEEK_END) > 0;
}

/* Makes a table and shows it, or what kept it from being made. Returns the exit code. */
static int draw(const struct redraw *what, int argc, char **argv)
{
    struct winsize size = terminal_size();
    int out = memfd_create("table", MFD_CLOEXEC), messages = memfd_create("messages", MFD_CLOEXEC);
    int rc = EXIT_FAILED;

    if (out >= 0 && messages >= 0) {
        child.columns = size.ws_col;
        rc = run_verb_apart(what, argc, argv, out, messages);
        show_drawing(is_written(out) ? out : messages, size);
    }
    if (out >= 0)
        close(out);
    if (messages >= 0)
        close(messages);
    return rc;
}

/* --- again and again --- */

static int check_operand(const struct redraw *what)
{
    if (what->files->n == 0 || strcmp(what->files->items[0], "-") == 0)
        return cli_usage(what->command, "--follow: name a JVM, recording or folder");
    if (what->run->output != NULL || what->run->each || what->run->per != NULL)
        return cli_usage(what->command, "--follow writes no files");
    return 0;
}

/* At most half of a processor is used for reading again. */
static void wait_for_next(int64_t began)
{
    int64_t took = now_ns(CLOCK_MONOTONIC) - began;
    int64_t pause = took > PERIOD_NS / 2 ? took : PERIOD_NS - took;
    struct timespec ts = {pause / PERIOD_NS, pause % PERIOD_NS};

    nanosleep(&ts, NULL);
}

static int redraw_until_end(const struct redraw *what, struct followed *f, int argc, char **argv)
{
    bool has_ended = false, is_first = true;
    int rc = 0;

    if (terminal_size().ws_row > 0)
        printf("\033[2J");
    while (!has_ended) {
        int64_t began = now_ns(CLOCK_MONOTONIC);

        has_ended = followed_has_ended(what->command, f) ||
                    (!f->is_jvm && access(what->files->items[0], F_OK) != 0);
        if (has_ended && !f->is_jvm)
            break;
        child.path = f->is_jvm ? f->written.whole : NULL;
        rc = draw(what, argc, argv);
        if (is_first && rc == EXIT_USAGE)
            break; /* which another look does not change */
        is_first = false;
        if (!has_ended)
            wait_for_next(began);
    }
    return rc;
}

int redraw(const struct redraw *what, int argc, char **argv)
{
    struct followed f;
    int rc;

    if (child.is_table)
        return become_table(what);
    rc = check_operand(what);
    if (rc == 0)
        rc = followed_find(what->command, what->files->items[0], &f);
    return rc != 0 ? rc : redraw_until_end(what, &f, argc, argv);
}
