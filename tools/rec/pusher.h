/*
 * pusher.h - sends what is recorded while it is recorded (record, attach and start --push URL): a
 * process "jfrkit push --every" for each JVM.
 *
 *     rc = pusher_check(&pusher);              before anything is started
 *     pusher_follow(&pusher, pid, file);       for each JVM, once its recording has begun
 *     rc = pusher_wait(&pusher);               after the end
 *
 * Such a process ends by itself when the recording or the JVM has ended and the rest is sent. It
 * continues if this program is killed. With args->push NULL the functions do nothing and return 0.
 */
#ifndef TOOLS_REC_PUSHER_H
#define TOOLS_REC_PUSHER_H

#include "tools/rec/rec.h"

struct pusher_jvm {
    pid_t pid, sender; /* sender 0: it has ended */
    char *file; /* as the JVM named it */
};

struct pusher {
    const struct cli_command *command;
    const struct rec_args *args;
    struct pusher_jvm *jvms;
    size_t n;
    bool has_failed; /* some sender */
};

/* Checks the URL and the other options. 0, or an exit code after a message. */
int pusher_check(const struct pusher *p);

/* Was a sender started for this JVM, or tried to be? */
bool pusher_has(const struct pusher *p, pid_t jvm);

/* Starts a sender for a JVM, unless it has one. 0, or an exit code after a message. */
int pusher_follow(struct pusher *p, pid_t jvm, const char *file);

/* Sends a recording that is complete, unless a sender has followed it. file: as the JVM named it;
 * path: where it is now. 0, or an exit code after a message. */
int pusher_send(struct pusher *p, const char *file, const char *path);

/* Starts a sender and does not wait for its end. 0, or an exit code after a message. */
int pusher_detach(const struct pusher *p, pid_t jvm);

/* Waits until all senders have ended, or the user interrupts: they continue then. Returns 0, or
 * EXIT_FAILED if one could not send all. */
int pusher_wait(struct pusher *p);

void pusher_free(struct pusher *p);

#endif
