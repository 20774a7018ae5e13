/*
 * writer_shim.h - a sink whose system calls are logged, or fail when told to. For tests.
 */
#ifndef JFRFMT_TEST_WRITER_SHIM_H
#define JFRFMT_TEST_WRITER_SHIM_H

#include "jfrfmt/write/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum shim_op {
    SHIM_WRITE,
    SHIM_TRUNCATE,
    SHIM_INSERT,
};

struct shim_call {
    enum shim_op op;
    uint64_t at, n;
    uint8_t *bytes;
};

static struct shim {
    struct shim_call *log;
    size_t n, room;
    bool is_logging;
    bool cannot_insert;
    long fails_at; /* the call that fails, counted from 1; 0: none */
    long fails_for; /* how many fail from there on */
    long calls;
    int reason; /* errno */
    uint64_t stream; /* bytes written in order */
} shim;

static inline void shim_reset(void)
{
    for (size_t i = 0; i < shim.n; i++)
        free(shim.log[i].bytes);
    free(shim.log);
    shim = (struct shim){0};
}

static inline bool shim_fails(void)
{
    shim.calls++;
    if (shim.fails_at == 0 || shim.calls < shim.fails_at ||
        shim.calls >= shim.fails_at + shim.fails_for)
        return false;
    errno = shim.reason;
    return true;
}

static inline void shim_log(enum shim_op op, uint64_t at, uint64_t n, const void *bytes)
{
    struct shim_call *c;

    if (!shim.is_logging)
        return;
    if (shim.n == shim.room) {
        shim.room = shim.room * 2 + 64;
        shim.log = realloc(shim.log, shim.room * sizeof(*shim.log));
    }
    c = &shim.log[shim.n++];
    *c = (struct shim_call){op, at, n, NULL};
    if (bytes != NULL) {
        c->bytes = malloc(n);
        memcpy(c->bytes, bytes, n);
    }
}

static inline ssize_t shim_pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    if (shim_fails())
        return -1;
    shim_log(SHIM_WRITE, (uint64_t)at, n, bytes);
    return pwrite(fd, bytes, n, at);
}

static inline ssize_t shim_write(int fd, const void *bytes, size_t n)
{
    if (shim_fails())
        return -1;
    shim_log(SHIM_WRITE, shim.stream, n, bytes);
    shim.stream += n;
    return write(fd, bytes, n);
}

static inline int shim_ftruncate(int fd, off_t size)
{
    if (shim_fails())
        return -1;
    shim_log(SHIM_TRUNCATE, (uint64_t)size, 0, NULL);
    return ftruncate(fd, size);
}

static inline int shim_insert(int fd, off_t at, off_t n)
{
    if (shim.cannot_insert || fallocate(fd, FALLOC_FL_INSERT_RANGE, at, n) != 0)
        return -1;
    shim_log(SHIM_INSERT, (uint64_t)at, (uint64_t)n, NULL);
    return 0;
}

static inline int shim_fdatasync(int fd)
{
    return shim_fails() ? -1 : fdatasync(fd);
}

static inline int shim_close(int fd)
{
    int rc = close(fd);

    return shim_fails() ? -1 : rc;
}

static const struct sink_calls shim_calls = {
    .pwrite = shim_pwrite,
    .write = shim_write,
    .ftruncate = shim_ftruncate,
    .insert = shim_insert,
    .fdatasync = shim_fdatasync,
    .close = shim_close,
};

#endif
