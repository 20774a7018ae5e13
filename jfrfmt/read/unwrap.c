/*
 * unwrap.c - the stack of unpackers below a source: descriptor or memory, then gzip, zstd, lz4 or
 * zip.
 *
 * Each layer pulls bytes from the one below it into a buffer of its own. This file has the bottom
 * layers, the buffer, and the limits that stop an archive which unpacks to too much;
 * unwrap_codec.c and unwrap_zip.c have the formats. Errors stick: after one a layer is at its end.
 */
#include "jfrfmt/read/unwrap_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic uint64_t limit; /* 0: none was given */

void unwrap_limit(uint64_t bytes)
{
    limit = bytes;
}

/* What grows without end is no recording, but fills whatever it is written to. */
static bool is_bomb(const struct unwrap *u)
{
    const struct unwrap *bottom = u;

    while (bottom->inner != NULL)
        bottom = bottom->inner;
    if (u == bottom)
        return false;
    if (limit != 0)
        return u->pulled > limit;
    return u->pulled > UNWRAP_MOST ||
           (u->pulled > UNWRAP_FREE && u->pulled / UNWRAP_RATIO > unwrap_offset(bottom));
}

static size_t pull(struct unwrap *u, uint8_t *to, size_t n)
{
    size_t got = u->ended ? 0 : u->kind->pull(u, to, n);

    if (got == 0)
        u->ended = true;
    u->pulled += got;
    if (is_bomb(u))
        unwrap_damaged(u, JFR_E_LIMIT, "unpacks to too much (more with --max-unpacked)");
    return got;
}

void unwrap_damaged(struct unwrap *u, enum jfr_errc code, const char *what)
{
    jfr_fail(u->err, code, u->pulled, "%s: %s at compressed offset %llu", u->name, what,
             (unsigned long long)unwrap_offset(u->inner));
    u->ended = true;
}

size_t unwrap_peek(struct unwrap *u, size_t n)
{
    while ((size_t)(u->end - u->p) < n && !u->ended) {
        size_t have = (size_t)(u->end - u->p);

        if (have > 0)
            memmove(u->buffer, u->p, have);
        u->p = u->buffer;
        u->end = u->buffer + have;
        u->end += pull(u, u->buffer + have, UNWRAP_BUFFER - have);
    }
    return (size_t)(u->end - u->p);
}

size_t unwrap_read(struct unwrap *u, uint8_t *to, size_t n)
{
    if (u->p == u->end && n >= UNWRAP_BUFFER)
        return pull(u, to, n);
    if (n > 0 && unwrap_peek(u, 1) > 0) {
        if (n > (size_t)(u->end - u->p))
            n = (size_t)(u->end - u->p);
        memcpy(to, u->p, n);
        u->p += n;
        return n;
    }
    return 0;
}

struct unwrap *unwrap_push(struct unwrap *inner, size_t size, const struct unwrap_kind *kind,
                           struct jfr_error *err)
{
    struct unwrap *u = calloc(1, size);
    uint8_t *buffer = malloc(UNWRAP_BUFFER);

    if (u == NULL || buffer == NULL) {
        free(u);
        free(buffer);
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        return NULL;
    }
    *u = (struct unwrap){.kind = kind, .inner = inner, .err = err, .buffer = buffer};
    u->p = u->end = buffer;
    return u;
}

void unwrap_close(struct unwrap *u)
{
    while (u != NULL) {
        struct unwrap *inner = u->inner;

        u->kind->close(u);
        free(u->buffer);
        free(u);
        u = inner;
    }
}

/* ---- the bottom: a descriptor, memory ---- */

struct from_fd {
    struct unwrap base;
    int fd;
};

static size_t pull_fd(struct unwrap *u, uint8_t *to, size_t n)
{
    struct from_fd *f = (struct from_fd *)u;
    ssize_t got;

    while ((got = read(f->fd, to, n)) < 0) {
        if (errno == EAGAIN) /* another process with the same descriptor made it non-blocking */
            poll(&(struct pollfd){.fd = f->fd, .events = POLLIN}, 1, -1);
        else if (errno != EINTR)
            break;
    }
    if (got < 0) {
        jfr_fail(u->err, JFR_E_IO, u->pulled, "cannot read: %s", strerror(errno));
        return 0;
    }
    return (size_t)got;
}

static void close_fd(struct unwrap *u)
{
    close(((struct from_fd *)u)->fd);
}

struct unwrap *unwrap_fd_take(int fd, struct jfr_error *err)
{
    static const struct unwrap_kind kind = {pull_fd, close_fd};
    struct unwrap *u = unwrap_push(NULL, sizeof(struct from_fd), &kind, err);

    if (u == NULL)
        close(fd);
    else
        ((struct from_fd *)u)->fd = fd;
    return u;
}

static size_t pull_nothing(struct unwrap *u, uint8_t *to, size_t n)
{
    (void)u, (void)to, (void)n;
    return 0;
}

static void close_nothing(struct unwrap *u)
{
    (void)u;
}

struct unwrap *unwrap_mem(const void *bytes, size_t n, struct jfr_error *err)
{
    static const struct unwrap_kind kind = {pull_nothing, close_nothing};
    struct unwrap *u = calloc(1, sizeof(*u));

    if (u == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        return NULL;
    }
    *u = (struct unwrap){.kind = &kind, .err = err, .p = bytes, .pulled = n, .ended = true};
    u->end = u->p + n;
    return u;
}

/* ---- what is it wrapped in ---- */

bool unwrap_is_wrapped(const uint8_t *bytes, size_t n)
{
    return unwrap_is_codec(bytes, n) || unwrap_is_zip(bytes, n);
}

struct unwrap *unwrap_open(struct unwrap *u, struct jfr_error *err)
{
    for (int depth = 0; u != NULL && depth < 2; depth++) {
        size_t n = unwrap_peek(u, UNWRAP_MAGIC);
        struct unwrap *top;

        if (!unwrap_is_wrapped(u->p, n))
            break;
        top = unwrap_is_zip(u->p, n) ? unwrap_push_zip(u, err) : unwrap_push_codec(u, err);
        if (top == NULL)
            unwrap_close(u);
        u = top;
    }
    return u;
}
