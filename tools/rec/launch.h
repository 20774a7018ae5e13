/*
 * launch.h - the JVMs that one jfrec record has to do with: how the agent gets into them, which
 * they are, and what they wrote.
 *
 * Every process below the recorded program carries a mark in its environment, and the agent in each
 * JVM writes what became of its recording into one file of the session (reply=PATH).
 */
#ifndef TOOLS_REC_LAUNCH_H
#define TOOLS_REC_LAUNCH_H

#include "tools/rec/rec.h"

struct launch {
    const struct cli_command *command;
    const struct rec_args *args;
    char library[JVM_PATH_MAX];
    char mark[48]; /* JFREC_SESSION=... */
    char reply[64]; /* path */
    int reply_fd; /* locked as long as this process lives; -1: none */
    char file[JVM_PATH_MAX]; /* what the user requested, absolute */
    bool direct; /* the program is java itself: one JVM, and its file has the requested name */
    struct rec_files files;
    char **argv, **env; /* of the program; arrays and one string each are ours */
    char *injected;
};

/* Prepares program and environment. 0, or an exit code after a message; launch_free() in any
 * case. */
int launch_open(struct launch *s, char **argv);
void launch_free(struct launch *s);

/* The JVMs of the session that run, with our agent in them. At most `room`; their number. */
size_t launch_jvms(const struct launch *s, struct jvm *jvms, size_t room);

/* How the recording of one of them goes; false when it does not answer soon. */
bool launch_status(const struct launch *s, const struct jvm *jvm, struct agent_reply *reply);

/* Ends the recording of one of them. What the agent says is kept for launch_report(). */
void launch_stop(const struct launch *s, const struct jvm *jvm);

/* What is done with each file that was written: `file` as the JVM named it, `path` where it is. */
struct launch_use {
    void (*file)(void *ctx, const char *file, const char *path);
    void *ctx;
};

/* After the end: gives the file of a single JVM, FILE-PID, the name requested; prints what was
 * written and what went wrong. `only`, of JVM_PATH_MAX bytes, gets the name of the file if there is
 * just one, else "". Returns false if no agent has reported anything. */
bool launch_report(const struct launch *s, char *only, const struct launch_use *use);

#endif
