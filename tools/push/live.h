/*
 * live.h - sends a recording that is being written: every few seconds what is new, until it ends.
 *
 * What is new becomes a file of the spool, without secrets; the files are sent oldest first. While
 * the server is away they wait there, and the next run with the same folder sends them. The JVM and
 * its recorder notice nothing: this program reads the file that they write.
 */
#ifndef TOOLS_PUSH_LIVE_H
#define TOOLS_PUSH_LIVE_H

#include "convert/rewrite/edit.h"
#include "tools/cli/cli.h"
#include "tools/push/retry.h"

struct live_how {
    const struct cli_command *command;
    const char *operand; /* a JVM, a recording, or a folder */
    const struct rewrite_edit *edit;
    const char *spool; /* folder; NULL: beside the recording, see push_state.h */
    const char *to; /* the URL as messages show it */
    uint64_t spool_bytes;
    int64_t every_ns, retry_ns; /* the latter after the end, for what still waits */
    bool is_quiet;
    bool is_detached; /* a process of its own sends, with its messages in the spool folder */
    /* Sends a file of the spool once; *why says how it failed, *pause_ms for how long the server
     * wants to be left alone, or 0. */
    enum retry_result (*send)(void *ctx, const char *path, char why[RETRY_WHY], int64_t *pause_ms);
    void *ctx;
};

/* Runs until the recording ends, or SIGINT or SIGTERM. Returns 0 if everything was sent, else an
 * exit code after a message. If detached, it returns 0 once another process has taken over. */
int live_run(const struct live_how *how);

#endif
