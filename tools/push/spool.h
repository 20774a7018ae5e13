/*
 * spool.h - recordings that wait to be sent, as files in a folder that survives a restart.
 *
 *     rc = spool_open(&command, folder, most_bytes, &spool);
 *     path = spool_next(&spool); ... write it ...; spool_add(&spool, state)
 *     while ((path = spool_oldest(&spool)) != NULL) ... send it ...; spool_remove(&spool, true)
 *     spool_close(&spool);
 *
 * Files are FOLDER/NUMBER.jfr, mode 0600, and FOLDER/state: what was made of the recording so far.
 * A file counts once the state says so: one that a killed process left behind before that is made
 * again, so nothing is lost or there twice. A lock keeps a second process out.
 */
#ifndef TOOLS_PUSH_SPOOL_H
#define TOOLS_PUSH_SPOOL_H

#include "jfrfmt/base/buf.h"
#include "tools/cli/cli.h"

#include <stdint.h>

#define SPOOL_PATH 4096

struct spool_file {
    uint64_t number, bytes;
};

struct spool {
    const struct cli_command *command;
    const char *folder; /* borrowed */
    uint64_t most_bytes;
    int lock;
    uint64_t number; /* of the last file that counts */
    int64_t taken_ns; /* wall clock: up to when events are in files; the caller sets it */
    struct spool_file *files; /* oldest first */
    size_t n_files;
    uint64_t n_sent, sent_bytes, n_lost; /* since spool_open() */
    char *state; /* what follows the first line of the state; NULL: none */
    char path[SPOOL_PATH]; /* what spool_next() and spool_oldest() return */
};

/* Makes the folder if it is not there (0700). Returns 0, or an exit code after a message. */
int spool_open(const struct cli_command *command, const char *folder, uint64_t most_bytes,
               struct spool *spool);
void spool_close(struct spool *spool);

/* The path of the next file, which is to be made. */
const char *spool_next(struct spool *spool);

/* Takes that file in, if has_file, with the state that belongs to it. If the folder has more bytes
 * than it may, the oldest files are deleted and counted as lost. 0, or an exit code after a
 * message. */
int spool_add(struct spool *spool, bool has_file, const struct buf *state);

/* The path of the oldest file; NULL: there is none. */
const char *spool_oldest(struct spool *spool);

/* Replaces the file of this name (at most 20 bytes, not *.jfr) as a whole. 0, or an exit code after
 * a message. */
int spool_write(struct spool *spool, const char *name, const struct buf *text);

/* Deletes the oldest file, which was sent or is lost. */
void spool_remove(struct spool *spool, bool is_sent);

#endif
