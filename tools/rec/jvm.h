/*
 * jvm.h - what /proc has on a process: whether it is a JVM, its user, its container, its state.
 *
 *     struct jvm jvm;
 *     if (jvm_look(pid, &jvm) == 0 && jvm.kind == JVM_HOTSPOT)
 *         jvm_about(&jvm, &about);
 *
 * Everything read here was written by a process that may belong to another user: texts are bounded
 * and may hold any byte but NUL. It may be out of date when the call returns.
 *
 * Threads: any. Signals: nothing here is async-signal-safe.
 */
#ifndef TOOLS_REC_JVM_H
#define TOOLS_REC_JVM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define JVM_PATH_MAX 1024

enum jvm_kind {
    JVM_NONE, /* no Java at all */
    JVM_HOTSPOT,
    JVM_OPENJ9, /* speaks another protocol */
    JVM_UNKNOWN, /* its mappings may not be read, errno of jvm_look() says why */
};

struct jvm {
    pid_t pid; /* as we see it */
    pid_t nspid; /* as it sees itself, in the innermost pid namespace */
    uid_t uid; /* effective */
    gid_t gid;
    char state; /* 'R', 'S', 'T' stopped, 'Z' zombie, ... */
    bool catches_quit; /* it has a handler for SIGQUIT, which would end it otherwise */
    enum jvm_kind kind;
    char lib[JVM_PATH_MAX]; /* its libjvm.so, in its own mount namespace; "" = unknown */
    char agent[JVM_PATH_MAX]; /* our library, if it is loaded; "" = not. May be deleted already */
};

/* The file name of the agent's library. */
#define JVM_AGENT_FILE "libjfrkit.so"

/* 0, or -1 and errno: ESRCH when there is no such process. */
int jvm_look(pid_t pid, struct jvm *out);

/* Is its program called java? A JVM that has just been started, or another user's, shows no more.
 */
bool jvm_is_called_java(pid_t pid);

/* What a user wants to see of it, as UTF-8 of unknown manners. "" where nothing is known. */
struct jvm_about {
    char command[JVM_PATH_MAX]; /* main class, or jar, and arguments */
    char main[JVM_PATH_MAX]; /* the first word of it, without a jar's folder */
    char version[64]; /* of the JDK, "17.0.15" */
    char user[64]; /* name, or the number where there is none */
};

/* From its performance counters (/tmp/hsperfdata_*), else from its command line and its JDK. */
void jvm_about(const struct jvm *jvm, struct jvm_about *out);

/* Does it run with this option? On its command line, in a file of options named there, or in one of
 * the variables that JVMs read. False also when that may not be read. */
bool jvm_has_option(const struct jvm *jvm, const char *option);

/* All JVMs that can be recognised, ours and other users', by pid. Fills at most `room` and returns
 * how many there are, or -1 and errno. */
int jvm_list(struct jvm *jvms, size_t room);

/* The value of a string counter in n bytes of a performance data file, or NULL; it is terminated
 * and lies inside the bytes. */
const char *jvm_counter(const void *bytes, size_t n, const char *name);

/* The main class or jar in a command line of n bytes, arguments ended by NUL each: where it begins;
 * NULL when there is none. */
const char *jvm_main(const char *cmdline, size_t n);

#endif
