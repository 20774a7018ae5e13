/* source_testing.h - for tests of sources: chunks, the ways to read them, and what was read as
 * text. */
#ifndef JFRFMT_TEST_SOURCE_TESTING_H
#define JFRFMT_TEST_SOURCE_TESTING_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/read/source.h"
#include "jfrfmt/read/source_window.h"
#include "jfrfmt/test/testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- chunks ---- */

static inline void put_header(struct buf *to, unsigned major, unsigned minor, uint64_t declared)
{
    buf_bytes(to, "FLR", 4);
    buf_be(to, major, 2);
    buf_be(to, minor, 2);
    buf_be(to, declared, 8);
    if (major == 0)
        return;
    for (int i = 0; i < 5; i++)
        buf_be(to, 0, 8);
    buf_be(to, 1000000000, 8);
    buf_be(to, 1, 4);
}

/* n bytes that differ from those of other seeds and contain no header, but for a magic alone. */
static inline void put_body(struct buf *to, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        buf_byte(to,
                 i >= 20 && i < 24 ? (uint8_t) "FLR"[i - 20] : (uint8_t)(i * 7 + seed + i / 251));
}

/* A version 2.1 chunk of n bytes that says it has `declared`. */
static inline void put_chunk(struct buf *to, size_t n, uint64_t declared, unsigned seed)
{
    put_header(to, 2, 1, declared);
    put_body(to, n - 68, seed);
}

static inline void put_chunk_v0(struct buf *to, size_t n, size_t n_metadata)
{
    put_header(to, 0, 9, n - n_metadata);
    put_body(to, n - n_metadata - 16, 9);
    buf_be(to, n_metadata, 4);
    put_body(to, n_metadata - 4, 8);
}

/* Two chunks that are whole. */
static inline void two(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_chunk(b, 400, 400, 2);
}

/* ---- what a source gave, as text ---- */

struct story {
    struct buf text; /* "[offset+n of declared]" and "(code@offset chunk: text)" */
    struct buf bytes; /* of all chunks */
};

static inline bool tell(struct story *s, struct jfr_source *src)
{
    struct jfr_error err = {0};
    struct jfr_raw raw;
    int rc = jfr_source_next(src, &raw, &err);

    if (rc > 0) {
        buf_printf(&s->text, "[%llu+%zu of %llu]", (unsigned long long)raw.offset, raw.n,
                   (unsigned long long)raw.declared);
        buf_bytes(&s->bytes, raw.bytes, raw.n);
        jfr_source_release(src, &raw);
        assert_null(raw.bytes);
        jfr_source_release(src, &raw);
    } else if (rc < 0) {
        assert_int_equal(rc, err.code);
        buf_printf(&s->text, "(%d@%llu %u: %s)", rc, (unsigned long long)err.offset, err.chunk,
                   err.text);
        return !jfr_source_done(src);
    }
    return rc != 0;
}

static inline struct story story_of(struct jfr_source *src, size_t limit)
{
    struct story s = {0};
    struct jfr_error err = {0};

    assert_non_null(src);
    source_window_of(src)->limit = limit;
    while (tell(&s, src))
        ;
    assert_true(jfr_source_done(src));
    assert_int_equal(jfr_source_next(src, &(struct jfr_raw){0}, &err), 0);
    jfr_source_close(src);
    buf_byte(&s.text, '\0');
    return s;
}

static inline void story_free(struct story *s)
{
    buf_free(&s->text);
    buf_free(&s->bytes);
}

/* ---- ways to read the same bytes ---- */

typedef struct jfr_source *open_fn(const uint8_t *p, size_t n);

static inline struct jfr_source *open_memory(const uint8_t *p, size_t n)
{
    return jfr_source_open_mem(p, n, &(struct jfr_error){0});
}

/* Starts behind the file's beginning, as a shell does that has read a line of standard input. */
static inline struct jfr_source *open_file(const uint8_t *p, size_t n)
{
    int fd = memfd_create("test", MFD_CLOEXEC);

    assert_int_equal(pwrite(fd, p, n, 5000), n);
    assert_int_equal(ftruncate(fd, (off_t)(5000 + n)), 0);
    lseek(fd, 5000, SEEK_SET);
    return jfr_source_open_fd_take(fd, &(struct jfr_error){0});
}

struct job {
    int fd;
    size_t n;
    uint8_t bytes[];
};

static inline void *write_pieces(void *arg)
{
    struct job *j = arg;

    for (size_t at = 0, i = 1; at < j->n; i++) {
        size_t n = i % 3 == 0 ? 10007 : i % 61;
        ssize_t done = write(j->fd, j->bytes + at, n < j->n - at ? n : j->n - at);

        if (done < 0)
            break;
        at += (size_t)done;
    }
    close(j->fd);
    free(j);
    return NULL;
}

static inline struct jfr_source *open_pipe(const uint8_t *p, size_t n)
{
    struct job *j = malloc(sizeof(*j) + n);
    int ends[2];
    pthread_t t;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    j->fd = ends[1];
    j->n = n;
    if (n > 0)
        memcpy(j->bytes, p, n);
    assert_int_equal(pthread_create(&t, NULL, write_pieces, j), 0);
    pthread_detach(t);
    return jfr_source_open_fd_take(ends[0], &(struct jfr_error){0});
}

static const struct route {
    const char *name;
    open_fn *open;
    size_t limit;
} routes[] = {
    {"memory", open_memory, SOURCE_IN_MEMORY},
    {"file", open_file, SOURCE_IN_MEMORY},
    {"pipe", open_pipe, SOURCE_IN_MEMORY},
    {"pipe, always in a temporary file", open_pipe, 0},
    {"pipe, early in a temporary file", open_pipe, 777},
    {"pipe, late in a temporary file", open_pipe, 100000},
};
#define N_ROUTES (sizeof(routes) / sizeof(routes[0]))

/* Every route tells the story that memory tells, which is returned. */
static inline struct story told(const struct buf *in)
{
    struct story first = {0};

    for (size_t i = 0; i < N_ROUTES; i++) {
        struct story s = story_of(routes[i].open(in->p, in->n), routes[i].limit);

        if (i == 0) {
            first = s;
            continue;
        }
        assert_string_equal((char *)s.text.p, (char *)first.text.p);
        assert_int_equal(s.bytes.n, first.bytes.n);
        assert_true(s.bytes.n == 0 || memcmp(s.bytes.p, first.bytes.p, s.bytes.n) == 0);
        story_free(&s);
    }
    return first;
}

#endif
