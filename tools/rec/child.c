/*
 * child.c - runs the program that is recorded, and shares the terminal with it.
 *
 * Called by record.c. It forwards signals, hands the terminal over when the program reads it, and
 * stops and continues together with the program, so that a shell's job control sees one job.
 */
#include "tools/rec/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD};

static void wanted_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        sigaddset(set, ours[i]);
}

/* The controlling terminal, if we are its foreground job. */
static int open_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

    if (fd >= 0 && tcgetpgrp(fd) != getpgrp()) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* tcsetpgrp() from the background would stop us. */
static void give_terminal(const struct child *c, pid_t group)
{
    sigset_t ttou, before;

    sigemptyset(&ttou);
    sigaddset(&ttou, SIGTTOU);
    sigprocmask(SIG_BLOCK, &ttou, &before);
    tcsetpgrp(c->terminal, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void run(const struct child *c, char *const argv[], char *const env[], int report)
{
    int error;

    if (c->terminal >= 0)
        setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
    execvpe(argv[0], argv, env);
    error = errno;
    if (write(report, &error, sizeof(error)) < 0)
        _exit(126);
    _exit(127);
}

int child_start(struct child *c, char *const argv[], char *const env[])
{
    sigset_t set;
    int report[2], error = 0;

    *c = (struct child){.terminal = -1};
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    wanted_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &c->before);
    c->terminal = open_terminal();
    c->pid = fork();
    if (c->pid == 0)
        run(c, argv, env, report[1]);
    error = c->pid < 0 ? errno : 0;
    close(report[1]);
    if (c->pid > 0 && c->terminal >= 0)
        setpgid(c->pid, c->pid); /* both processes do so; the first call counts */
    if (c->pid > 0 && read(report[0], &error, sizeof(error)) == sizeof(error))
        waitpid(c->pid, NULL, 0);
    close(report[0]);
    if (error != 0) {
        sigprocmask(SIG_SETMASK, &c->before, NULL);
        if (c->terminal >= 0)
            close(c->terminal);
    }
    return error;
}

void child_signal(const struct child *c, int sig)
{
    if (!c->ended)
        kill(c->terminal >= 0 ? -c->pid : c->pid, sig);
}

/* We stop as a job does; what follows happens when the shell continues us. */
static void stop_ourselves(struct child *c)
{
    raise(SIGSTOP);
    if (c->terminal >= 0 && c->has_terminal && tcgetpgrp(c->terminal) == getpgrp())
        give_terminal(c, c->pid);
    child_signal(c, SIGCONT);
}

static void child_stopped(struct child *c, int sig)
{
    bool in_front = c->terminal >= 0 && tcgetpgrp(c->terminal) == getpgrp();

    if ((sig == SIGTTIN || sig == SIGTTOU) && in_front && !c->has_terminal) {
        c->has_terminal = true;
        give_terminal(c, c->pid);
        child_signal(c, SIGCONT);
    } else if (sig == SIGTSTP && c->has_terminal) { /* Ctrl-Z reached it and not us */
        give_terminal(c, getpgrp());
        stop_ourselves(c);
    }
}

static void reap(struct child *c)
{
    int status;

    while (!c->ended && waitpid(c->pid, &status, WNOHANG | WUNTRACED) == c->pid) {
        if (WIFSTOPPED(status)) {
            child_stopped(c, WSTOPSIG(status));
        } else {
            c->ended = true;
            c->status = status;
        }
    }
}

int child_wait(struct child *c, int timeout_ms)
{
    struct timespec limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    sigset_t set;
    int sig;

    wanted_signals(&set);
    sig = sigtimedwait(&set, NULL, &limit);
    if (sig == SIGTSTP) {
        child_signal(c, SIGTSTP);
        stop_ourselves(c);
    } else if (sig > 0 && sig != SIGINT && sig != SIGCHLD) {
        child_signal(c, sig);
    }
    reap(c); /* also without SIGCHLD: several become one */
    return sig == SIGINT ? SIGINT : 0;
}

int child_end(struct child *c)
{
    if (c->terminal >= 0) {
        if (c->has_terminal)
            give_terminal(c, getpgrp());
        close(c->terminal);
    }
    sigprocmask(SIG_SETMASK, &c->before, NULL);
    return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}
