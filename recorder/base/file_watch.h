/*
 * file_watch.h - is a file that is being written still the one with its name?
 *
 *     file_watch_begin(&w, path);                       once the file is there
 *     if (file_watch_look(&w, path)) complain(...);     now and then: true once, when it is not
 *     file_watch_end(&w);
 *
 * It holds a descriptor of its own, by which a file that has been removed can be read as long as it
 * is written.
 *
 * Threads: one at a time.
 */
#ifndef RECORDER_BASE_FILE_WATCH_H
#define RECORDER_BASE_FILE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum file_state {
    FILE_UNSEEN, /* not watched */
    FILE_THERE,
    FILE_MOVED, /* it was renamed; no file has the old name, or another one has */
    FILE_REMOVED, /* it has no name any more */
};

struct file_watch {
    enum file_state state;
    int fd; /* for reading; valid unless FILE_UNSEEN */
    dev_t device;
    ino_t number;
};

/* Begins with a regular file; nothing when there is none, or one is watched already. */
void file_watch_begin(struct file_watch *w, const char *path);

/* Looks. True: it has lost its name since the last look. */
bool file_watch_look(struct file_watch *w, const char *path);

/* Is the file shorter than that? False if none is watched. */
bool file_watch_is_shorter(const struct file_watch *w, uint64_t bytes);

void file_watch_end(struct file_watch *w);

#endif
