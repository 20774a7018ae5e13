/*
 * agent_call.h - asks the agent in a running JVM, and brings its answer back.
 *
 *     struct agent_reply reply;
 *     struct attach_error err;
 *     if (agent_call(&jvm, library, "command=status", 10000, &reply, &err) < 0)
 *         say(err.text);
 *     samples = agent_reply_get(&reply, "samples");
 *     agent_reply_free(&reply);
 *
 * The answer comes through a file in the JVM's own /tmp that only its user can read. We make it,
 * name it to the agent (reply=PATH) and remove it; the agent writes "ok" or "error: TEXT" as its
 * first line, then lines "key: value".
 *
 * A library that the JVM cannot see, as in a container, or may not read, is copied into a folder of
 * its own in the JVM's /tmp and removed once it is loaded. A JVM that has the agent already is
 * requested it under the name it has there, so that there is one agent in a JVM and not two.
 *
 * Threads, signals, errors: as attach.h.
 */
#ifndef TOOLS_REC_AGENT_CALL_H
#define TOOLS_REC_AGENT_CALL_H

#include "tools/rec/attach.h"

struct agent_reply {
    char *text; /* NUL-terminated lines, see agent_reply_line() */
    size_t n;
};

/* Our library: `given` if it is not NULL, else $JFRKIT_AGENT, else beside this program, in ../lib
 * or in
 * ../lib/jfrkit from there. 0 and its real path, or ATTACH_E_SYSTEM. */
int agent_find(const char *given, char path[JVM_PATH_MAX], struct attach_error *err);

/* Sends options to the agent; `library` is loaded where there is no agent yet. 0 and *reply, which
 * is the caller's to free, or negative with *reply empty. What the agent answers with "error:" is
 * ATTACH_E_AGENT and its text. */
int agent_call(const struct jvm *jvm, const char *library, const char *options, int timeout_ms,
               struct agent_reply *reply, struct attach_error *err);

/* The value of the first line with this key, or NULL. */
const char *agent_reply_get(const struct agent_reply *reply, const char *key);

struct agent_reply_line {
    const char *key; /* n bytes */
    int n;
    const char *value; /* terminated */
};

/* Walks the lines: *at begins as 0. False after the last. */
bool agent_reply_next(const struct agent_reply *reply, size_t *at, struct agent_reply_line *line);

void agent_reply_free(struct agent_reply *reply);

#endif
