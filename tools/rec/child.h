/*
 * child.h - the program that jfrec record runs: its process, its terminal, its signals.
 *
 * With a terminal in front of us, the program gets a process group of its own, so that Ctrl-C
 * comes to us alone. A program that reads the terminal would be stopped there; it gets the terminal
 * when it first requests it, and from then on Ctrl-C goes to it directly.
 *
 * The caller's signals are blocked between child_start() and child_end(); child_wait() reports
 * them.
 */
#ifndef TOOLS_REC_CHILD_H
#define TOOLS_REC_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int terminal; /* descriptor, -1 = none in front of us */
    bool has_terminal; /* the child is in the foreground */
    bool ended;
    int status; /* of waitpid(), once it ended */
    sigset_t before; /* the caller's mask */
};

/* Runs argv[0], looked up in PATH. 0, or errno of what failed; nothing runs then. */
int child_start(struct child *c, char *const argv[], char *const env[]);

/* Waits at most timeout_ms for something to happen. SIGINT when the user asked us to stop (it was
 * not passed on), 0 otherwise; c->ended is set at its end. Other signals are passed on or obeyed.
 */
int child_wait(struct child *c, int timeout_ms);

/* To the whole group, if it has one. */
void child_signal(const struct child *c, int sig);

/* Takes the terminal back and restores the signal mask; the child's exit code, 128 + N when signal
 * N ended it. */
int child_end(struct child *c);

#endif
