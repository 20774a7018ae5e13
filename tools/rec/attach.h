/*
 * attach.h - HotSpot's attach protocol: loads a library with options into a running JVM.
 *
 *     struct attach_error err;
 *     if (jvm_look(pid, &jvm) < 0 || attach_check(&jvm, &err) < 0 ||
 *         attach_load(&jvm, "/opt/libjfrkit.so", "command=status", 10000, &err) < 0)
 *         say(err.text);
 *
 * A JVM listens at /tmp/.java_pidN, once another process has asked it to: by a file
 * /tmp/.attach_pidN and SIGQUIT. That signal ends every other process, so it is sent only to one
 * that has libjvm.so in its memory and a handler for it, through a pidfd, so that a new process
 * under an old number cannot be hit. Containers: the target's /tmp is reached through
 * /proc/PID/root, which needs no change of namespace (the kernel finds a socket by its inode); N is
 * the target's own idea of its pid. When we are root, the target's user and group are taken on
 * while its /tmp is touched and the connection is made, for the JVM asks who called.
 *
 * Threads: one at a time in a process (effective ids belong to the process). Signals: nothing here
 * is async-signal-safe; SIGPIPE is not raised.
 * Errors: negative enum attach_errc and *err, a text of one line that says what to do.
 */
#ifndef TOOLS_REC_ATTACH_H
#define TOOLS_REC_ATTACH_H

#include "tools/rec/jvm.h"

#include <stdint.h>

#define ATTACH_OPTIONS_MAX 1024 /* bytes; older JVMs hang up when there are more */
#define ATTACH_REPLY_MAX ((size_t)1 << 20)

enum attach_errc {
    ATTACH_E_SYSTEM = -1, /* the system refused */
    ATTACH_E_NOT_JVM = -2,
    ATTACH_E_GONE = -3, /* it ended */
    ATTACH_E_OTHER_USER = -4,
    ATTACH_E_DISABLED = -5, /* by an option of the JVM */
    ATTACH_E_STOPPED = -6, /* by SIGSTOP */
    ATTACH_E_SILENT = -7, /* no socket, or no answer, in time */
    ATTACH_E_PROTOCOL = -8, /* an answer that is not part of the protocol */
    ATTACH_E_REFUSED = -9, /* the JVM could not load the library; text has its words */
    ATTACH_E_AGENT = -10, /* the library was loaded and said no */
    ATTACH_E_LONG = -11, /* an argument is longer than ATTACH_OPTIONS_MAX */
    ATTACH_E_EARLY = -12, /* the JVM is starting and takes no library yet */
};

struct attach_error {
    int code; /* an enum attach_errc, 0 = none */
    int agent_code; /* what the agent returned, with ATTACH_E_AGENT */
    char text[700];
};

/* Stores the error and returns its code. */
int attach_fail(struct attach_error *err, enum attach_errc code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Can this process be attached to, by us? Everything that can be known without touching it. */
int attach_check(const struct jvm *jvm, struct attach_error *err);

/* Sends `load` with an absolute path, as the JVM sees it, over a connection, and judges the reply.
 * 0 when the agent's Agent_OnAttach has returned 0. Does not close fd. */
int attach_request_load(int fd, const char *library, const char *options, int timeout_ms,
                        struct attach_error *err);

/* Judges n bytes of reply to `load`, in the forms of JDK 8, 9 and 21. */
int attach_judge_load(const char *reply, size_t n, struct attach_error *err);

/* Connects, loads, closes; timeout_ms for all of it. A JVM that is still starting is asked again.
 */
int attach_load(const struct jvm *jvm, const char *library, const char *options, int timeout_ms,
                struct attach_error *err);

/* As root: takes the target's effective user and group, and gives them back. As another user: does
 * nothing. */
struct attach_identity {
    uid_t uid;
    gid_t gid;
};
struct attach_identity attach_become(const struct jvm *jvm);
void attach_return(struct attach_identity before);

/* A descriptor (O_PATH) of the target's /tmp, or of another of its folders; -1 and errno. */
int attach_open_dir(const struct jvm *jvm, const char *path);

#endif
