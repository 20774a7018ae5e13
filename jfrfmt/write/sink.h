/*
 * sink.h - a recording's bytes on their way out: a file written in place, or a stream.
 *
 *     struct sink *s = sink_open("app.jfr", &(struct sink_options){0}, &err);
 *     sink_put(s, bytes, n);            in order, buffered
 *     sink_patch(s, 16, bytes8, 8);     in place, at once; only where sink_is_file()
 *     sink_publish(s);                  the file gets its name
 *     if (sink_close(s, &err) != 0) ...
 *
 * A file is made under a name of its own beside the one wished for and renamed when it is worth
 * looking at (sink_publish). Its mode is 0600 whatever the umask; symbolic links are not followed.
 *
 * Threads: one at a time. Signals: not async-signal-safe.
 * Errors:  the first failure sticks: later calls do nothing and return it again. A pipe that
 *          has no reader raises SIGPIPE, unless the caller ignores it.
 */
#ifndef JFRFMT_WRITE_SINK_H
#define JFRFMT_WRITE_SINK_H

#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The calls through which a sink changes a file, so that tests can log them or let them fail. */
struct sink_calls {
    ssize_t (*pwrite)(int fd, const void *bytes, size_t n, off_t at);
    ssize_t (*write)(int fd, const void *bytes, size_t n);
    int (*ftruncate)(int fd, off_t size);
    int (*insert)(int fd, off_t at, off_t n); /* n zero bytes at `at`; the rest moves up */
    int (*fdatasync)(int fd);
    int (*close)(int fd);
};

struct sink_options {
    bool replace; /* an existing regular file of our own may be replaced, by rename */
    bool zstd; /* compress; also when the name ends in ".zst" */
    bool stream; /* write in order only, even to a file */
    const struct sink_calls *calls; /* NULL: the system's */
};

struct sink;

/* Opens NAME; "-" is standard output. NULL and *err: the name exists and may not be replaced, the
 * directory cannot be written, ... */
struct sink *sink_open(const char *name, const struct sink_options *options, struct jfr_error *err);

/* The same for an open descriptor, which the sink closes, also on failure. It counts as a file when
 * it is an empty regular one. */
struct sink *sink_open_fd_take(int fd, const struct sink_options *options, struct jfr_error *err);

/* True when bytes can be changed after they were written. */
bool sink_is_file(const struct sink *s);

/* The descriptor, which stays the sink's. That of sink_open() can be read by pread(). */
int sink_fd(const struct sink *s);

/* Sets where the next put goes. Files only. */
int sink_seek(struct sink *s, uint64_t at);

/* Appends at the current place. All calls from here on: 0, or JFR_E_IO (JFR_E_NOMEM). */
int sink_put(struct sink *s, const void *bytes, size_t n);

/* Gives everything put so far to the system. */
int sink_flush(struct sink *s);

/* Ends a unit of the stream: a zstd frame; what came before it can be read without what follows.
 * A file that is written as a stream is cut back to the last mark when writing fails. */
int sink_mark(struct sink *s);

/* Flushes, then overwrites n bytes with one system call. */
int sink_patch(struct sink *s, uint64_t at, const void *bytes, size_t n);

/* Sets the file's size. */
int sink_truncate(struct sink *s, uint64_t size);

/* Moves everything from `at` on up by n, both multiples of a block. False, without an error, when
 * the file system cannot do that. */
bool sink_insert(struct sink *s, uint64_t at, uint64_t n);

/* Writes in order from now on, as to a pipe: for a file of which nothing can be written in place,
 * since its size is limited. Forgets a failure and all that was put. */
int sink_in_order(struct sink *s);

/* Flushes to the device. */
int sink_sync(struct sink *s);

/* Renames the file to the name that was requested; nothing on the second call. */
int sink_publish(struct sink *s);

/* The first failure: its code and, as text, what was tried and why it failed. */
const struct jfr_error *sink_error(const struct sink *s);

/* Forgets a failure, and what was put since, so that writing may be tried again. */
void sink_clear(struct sink *s);

/* Closes and frees; NULL is allowed. A file that was never published is removed. Returns the first
 * failure, closing included, and sets *err to it. */
int sink_close(struct sink *s, struct jfr_error *err);

#endif
