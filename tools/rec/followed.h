/*
 * followed.h - a recording that is being written, as an operand names it: a file, a folder, or a
 * JVM that jfrkit records.
 *
 *     rc = followed_find(&command, "4711", &what);
 *     do read what.path while (!followed_has_ended(&command, &what));
 */
#ifndef TOOLS_REC_FOLLOWED_H
#define TOOLS_REC_FOLLOWED_H

#include "tools/rec/written.h"

#include <time.h>

struct followed {
    const char *path; /* the operand; of a JVM written.path, which may change */
    struct written written; /* of a JVM */
    bool is_jvm;
    struct timespec changed; /* the file, when it was looked at */
    int n_quiet, n_quiet_most; /* looks without a change */
};

/* Finds what the operand names, which is borrowed. *what must not move afterwards. Returns 0 or an
 * exit code after a message. */
int followed_find(const struct cli_command *command, const char *operand, struct followed *what);

/* Returns whether no more events will come: the JVM has ended or records no more. If its recording
 * continues in another file, what->path is that one then. False for a file or a folder, whose
 * writer is not known. To be called about twice a second. */
bool followed_has_ended(const struct cli_command *command, struct followed *what);

#endif
