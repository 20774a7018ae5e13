/*
 * written.h - the file that the recorder of a JVM writes, for those who read it meanwhile.
 *
 *     struct written w = {.jvm = jvm};
 *     rc = written_find(&command, &w);        asks the JVM
 *     read w.path ...; if (!written_is_alive(&w)) ...
 */
#ifndef TOOLS_REC_WRITTEN_H
#define TOOLS_REC_WRITTEN_H

#include "tools/cli/cli.h"
#include "tools/rec/agent_call.h"

struct written {
    struct jvm jvm;
    char path[JVM_PATH_MAX + 64]; /* as we see it, also if the JVM is in a container */
    char whole[JVM_PATH_MAX + 64]; /* the file that parts are joined to in the end */
};

/* Asks the JVM which file its recorder writes now, and stores it in w->path. Returns 0, or an exit
 * code after a message: the JVM does not answer, or nothing is being recorded. */
int written_find(const struct cli_command *command, struct written *w);

/* Stores the file that an answer of w->jvm names. Returns false if nothing is being recorded. */
bool written_take(struct written *w, const struct agent_reply *reply);

/* The same for a file that was read to its end, without a message: w->path is the next one of a
 * recording in several files. Returns false if nothing is being recorded any more; true, and the
 * path of before, if the JVM does not answer. */
bool written_look(const struct cli_command *command, struct written *w);

bool written_is_alive(const struct written *w);

#endif
