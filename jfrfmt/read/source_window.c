/*
 * source_window.c - the bytes of an input from the current place on: a mapped file, memory, or a
 * block that grows as a stream delivers more.
 *
 * source.c calls it to find chunks. A block that is larger than its limit continues in a temporary
 * file without a name. Blocks are counted, so the bytes of a chunk that was handed out stay in
 * place while the window moves on. Errors stick in the window; this file has no notion of chunks.
 */
#include "jfrfmt/read/source_window.h"
#include "jfrfmt/base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_MIN ((size_t)64 << 10)
#define BLOCK_BIG ((size_t)1 << 20) /* worth leaving when little of it is still to be read */

struct source_block {
    atomic_uint shares; /* the window's own and one per chunk that was handed out */
    uint8_t *bytes;
    size_t room; /* bytes allocated, or mapped (the file behind may be shorter) */
    int fd; /* temporary file, -1: plain memory */
};

/* ---- blocks ---- */

/* The mapping reaches beyond the file; only what has been written is ever looked at. */
static bool map_file(struct source_window *w, struct source_block *b)
{
    b->fd = tempfile_open();
    if (b->fd < 0) {
        jfr_fail(&w->err, JFR_E_IO, 0, "cannot create a temporary file: %s", strerror(errno));
        return false;
    }
    b->bytes = mmap(NULL, b->room, PROT_READ, MAP_SHARED, b->fd, 0);
    if (b->bytes != MAP_FAILED)
        return true;
    jfr_fail(&w->err, JFR_E_NOMEM, 0, "cannot map a temporary file: %s", strerror(errno));
    close(b->fd);
    return false;
}

static struct source_block *new_block(struct source_window *w, size_t room, bool in_file)
{
    struct source_block *b = malloc(sizeof(*b));

    if (b != NULL) {
        *b = (struct source_block){.room = room, .fd = -1};
        atomic_init(&b->shares, 1);
        b->bytes = in_file ? NULL : malloc(room);
        if (in_file ? map_file(w, b) : b->bytes != NULL)
            return b;
    }
    free(b);
    jfr_fail(&w->err, JFR_E_NOMEM, 0, "out of memory");
    return NULL;
}

void source_let_go(struct source_block *b)
{
    /* Release: this thread's reads of the bytes are over. Acquire: so are everybody's, before they
     * are freed. Pairs with itself in the other threads. */
    if (b == NULL || atomic_fetch_sub_explicit(&b->shares, 1, memory_order_acq_rel) > 1)
        return;
    if (b->fd >= 0) {
        munmap(b->bytes, b->room);
        close(b->fd);
    } else {
        free(b->bytes);
    }
    free(b);
}

struct source_block *source_hold(struct source_window *w)
{
    if (w->block != NULL)
        atomic_fetch_add_explicit(&w->block->shares, 1, memory_order_relaxed);
    return w->block;
}

static bool resize_window(struct source_block *b, size_t room)
{
    void *p = b->fd < 0 ? realloc(b->bytes, room) : mremap(b->bytes, b->room, room, MREMAP_MAYMOVE);

    if (p == NULL || p == MAP_FAILED)
        return false;
    b->bytes = p;
    b->room = room;
    return true;
}

static bool write_all(struct source_window *w, const uint8_t *p, size_t n, size_t at)
{
    while (n > 0) {
        ssize_t done = pwrite(w->block->fd, p, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            jfr_fail(&w->err, JFR_E_IO, w->offset, "cannot write a temporary file: %s",
                     strerror(done < 0 ? errno : EIO));
            return false;
        }
        p += done;
        n -= (size_t)done;
        at += (size_t)done;
    }
    return true;
}

/* ---- growth ---- */

/* Continues in another block, with the bytes that are still to be read copied over. */
static bool move_to(struct source_window *w, size_t room, bool in_file)
{
    struct source_block *old = w->block, *b = new_block(w, room, in_file);
    bool ok = b != NULL;

    if (!ok)
        return false;
    w->block = b;
    if (in_file)
        ok = write_all(w, w->p, w->n, 0);
    else if (w->n > 0)
        memcpy(b->bytes, w->p, w->n);
    if (!ok) {
        w->block = old;
        source_let_go(b);
        return false;
    }
    w->p = b->bytes;
    source_let_go(old);
    return true;
}

/* Room after the bytes that can be seen. It doubles what is there, so that copying costs no more
 * than reading did, and does not look at what the input says will come. */
static bool make_room(struct source_window *w)
{
    struct source_block *b = w->block;
    bool in_file = w->n >= w->limit;
    size_t room = w->n < BLOCK_MIN / 2 ? BLOCK_MIN : 2 * w->n;

    if (!in_file && room > w->limit)
        room = w->limit;
    /* Nothing has been handed out of a block that is still read from its beginning. */
    if (b != NULL && w->p == b->bytes && in_file == (b->fd >= 0) && resize_window(b, room)) {
        w->p = b->bytes;
        return true;
    }
    return move_to(w, room, in_file);
}

static size_t room_left(const struct source_window *w)
{
    return w->block == NULL ? 0 : (size_t)(w->block->bytes + w->block->room - (w->p + w->n));
}

/* A big block, or a file, with little left in it goes when its chunk goes, not when it is full. */
static bool is_done_with(const struct source_window *w)
{
    const struct source_block *b = w->block;

    return b != NULL && (b->room >= BLOCK_BIG || b->fd >= 0) && w->p != b->bytes &&
           w->n < BLOCK_MIN / 2;
}

/* Up to n more bytes; 0 at the end of the input. */
static size_t append(struct source_window *w, size_t n)
{
    struct source_block *b = w->block;
    size_t at = (size_t)(w->p + w->n - b->bytes);

    if (n > b->room - at)
        n = b->room - at;
    if (b->fd < 0)
        return unwrap_read(w->in, b->bytes + at, n);
    if (unwrap_peek(w->in, 1) < n)
        n = (size_t)(w->in->end - w->in->p);
    if (!write_all(w, w->in->p, n, at))
        return 0;
    unwrap_take(w->in, n);
    return n;
}

size_t source_want_more(struct source_window *w, size_t n)
{
    while (w->n < n && w->in != NULL) {
        size_t got = 0;

        if (is_done_with(w) ? move_to(w, BLOCK_MIN, w->limit < BLOCK_MIN)
                            : room_left(w) > 0 || make_room(w))
            got = append(w, n - w->n);
        w->n += got;
        if (got == 0) {
            unwrap_close(w->in);
            w->in = NULL;
        }
    }
    return w->n;
}

/* ---- mapped files ---- */

/* Maps a regular file from its current offset on; false where that does not work or it is empty
 * (as files in /proc claim to be): then it is read as a stream. */
static bool map_plain(struct source_window *w, int fd, const struct stat *st)
{
    off_t at = lseek(fd, 0, SEEK_CUR);
    uint8_t magic[UNWRAP_MAGIC];
    ssize_t n = at < 0 ? -1 : pread(fd, magic, sizeof(magic), at);

    if (n <= 0 || at >= st->st_size || unwrap_is_wrapped(magic, (size_t)n))
        return false;
    w->map = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (w->map == MAP_FAILED) {
        w->map = NULL;
        return false;
    }
    w->map_n = (size_t)st->st_size;
    madvise(w->map, w->map_n, MADV_SEQUENTIAL);
    w->p = w->map + at;
    w->n = w->map_n - (size_t)at;
    w->fd = fd;
    return true;
}

int source_window_open_fd(struct source_window *w, int fd, struct jfr_error *err)
{
    struct stat st;

    *w = (struct source_window){.fd = -1, .limit = SOURCE_IN_MEMORY};
    if (fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        int why = S_ISDIR(st.st_mode) ? EISDIR : errno;

        close(fd);
        return jfr_fail(err, JFR_E_IO, 0, "%s", strerror(why));
    }
    if (S_ISREG(st.st_mode) && map_plain(w, fd, &st))
        return 0;
    w->in = unwrap_open(unwrap_fd_take(fd, &w->err), &w->err);
    if (w->in == NULL)
        *err = w->err;
    return err->code;
}

int source_window_open_mem(struct source_window *w, const void *bytes, size_t n,
                           struct jfr_error *err)
{
    *w = (struct source_window){.fd = -1, .limit = SOURCE_IN_MEMORY, .p = bytes, .n = n};
    if (!unwrap_is_wrapped(bytes, n))
        return 0;
    w->n = 0;
    w->in = unwrap_open(unwrap_mem(bytes, n, &w->err), &w->err);
    if (w->in == NULL)
        *err = w->err;
    return err->code;
}

void source_window_close(struct source_window *w)
{
    unwrap_close(w->in);
    source_let_go(w->block);
    if (w->map != NULL)
        munmap(w->map, w->map_n);
    if (w->fd >= 0)
        close(w->fd);
}

/* Both ends are rounded down: the page that two chunks share goes with the second. */
void source_forget(const struct source_window *w, const uint8_t *p, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), from, to;

    if (w->map == NULL)
        return;
    from = (size_t)(p - w->map) / page * page;
    to = (size_t)(p - w->map) + n;
    if (to < w->map_n)
        to = to / page * page;
    if (to > from)
        madvise(w->map + from, to - from, MADV_DONTNEED);
}

bool source_shrank(struct source_window *w)
{
    struct stat st;
    size_t at;

    if (w->map == NULL || w->n == 0 || fstat(w->fd, &st) != 0 || (uint64_t)st.st_size >= w->map_n)
        return false;
    /* The mapping keeps its length for munmap(); what can be seen ends where the file does. */
    at = (size_t)(w->p - w->map);
    if (at + w->n <= (uint64_t)st.st_size)
        return false;
    w->n = (uint64_t)st.st_size > at ? (size_t)st.st_size - at : 0;
    return true;
}
