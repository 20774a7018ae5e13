/*
 * source.c - finds the chunks in a stream of bytes.
 *
 * In: a window of bytes that moves forward (source_window.h). Out: raw chunks, whose inside is not
 * read here. A chunk ends where its header declares it if another header or the end of the input
 * follows there. Otherwise (the JVM was killed, the file was cut or overwritten) the next plausible
 * header is searched. The constants of a JVM can hold copies of its own header, which must not
 * split a chunk: is_copy() recognizes them.
 */
#include "jfrfmt/read/source.h"

#include "jfrfmt/base/cursor.h"
#include "jfrfmt/read/source_window.h"
#include "jfrfmt/read/unwrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "FLR"
#define MAGIC_N 4 /* the NUL counts */
#define HEADER 68 /* bytes, versions 1 and 2 */
#define HEADER_V0 16
#define V0_TAIL 4 /* the first field of the metadata event that ends a 0.9 chunk: its size */
#define SCAN_STEP ((size_t)1 << 20)

struct jfr_source {
    struct source_window w;
    uint64_t size; /* 0: unknown */
    uint32_t n_chunks;
    bool found; /* a magic was met */
    bool ended;
};

/* ---- opening ---- */

struct jfr_source *jfr_source_open(const char *path, struct jfr_error *err)
{
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0) {
        jfr_fail(err, JFR_E_IO, 0, "%s", strerror(errno));
        return NULL;
    }
    return jfr_source_open_fd_take(fd, err);
}

void jfr_source_limit_unpacked(uint64_t bytes)
{
    unwrap_limit(bytes);
}

static struct jfr_source *new_source(struct jfr_error *err)
{
    struct jfr_source *src = calloc(1, sizeof(*src));

    if (src == NULL)
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return src;
}

/* What is in sight before the first read, if no more can come, is all there is. */
static struct jfr_source *opened(struct jfr_source *src, int rc)
{
    if (rc != 0) {
        free(src);
        return NULL;
    }
    src->size = src->w.in == NULL ? src->w.n : 0;
    return src;
}

struct jfr_source *jfr_source_open_fd_take(int fd, struct jfr_error *err)
{
    struct jfr_source *src = new_source(err);

    if (src == NULL) {
        close(fd);
        return NULL;
    }
    return opened(src, source_window_open_fd(&src->w, fd, err));
}

struct jfr_source *jfr_source_open_mem(const void *bytes, size_t n, struct jfr_error *err)
{
    struct jfr_source *src = new_source(err);

    return src == NULL ? NULL : opened(src, source_window_open_mem(&src->w, bytes, n, err));
}

void jfr_source_close(struct jfr_source *src)
{
    if (src != NULL)
        source_window_close(&src->w);
    free(src);
}

bool jfr_source_done(const struct jfr_source *src)
{
    return src->ended;
}

uint64_t jfr_source_size(const struct jfr_source *src)
{
    return src->size;
}

void jfr_source_release(struct jfr_source *src, struct jfr_raw *raw)
{
    if (raw->block != NULL)
        source_let_go(raw->block);
    else if (raw->bytes != NULL)
        source_forget(&src->w, raw->bytes, raw->n);
    raw->bytes = NULL;
    raw->n = 0;
    raw->block = NULL;
}

struct source_window *source_window_of(struct jfr_source *src)
{
    return &src->w;
}

/* ---- where chunks begin ---- */

static bool has_magic(const uint8_t *p, size_t n)
{
    return n > 0 && memcmp(p, MAGIC, n < MAGIC_N ? n : MAGIC_N) == 0;
}

static size_t header_size(unsigned major)
{
    return major == 0 ? HEADER_V0 : HEADER;
}

static bool is_inside(uint64_t offset, uint64_t size)
{
    return offset == 0 || (offset >= HEADER && offset < size);
}

enum verdict {
    NO_HEADER,
    MAYBE_HEADER, /* more bytes are needed to tell */
    PLAUSIBLE_HEADER,
};

/* Could the n bytes at p, which begin with a magic, be the header of a chunk? Stricter than what is
 * accepted where a chunk has to begin, since a magic can also be part of a text. */
static enum verdict judge(const uint8_t *p, size_t n)
{
    struct cursor c = cur_over(p + MAGIC_N, n - MAGIC_N);
    uint64_t major = cur_be(&c, 2), minor = cur_be(&c, 2);
    uint64_t size = cur_be(&c, 8); /* of a 0.9 chunk: its metadata offset */
    uint64_t checkpoint, metadata;

    if (major > 2 || minor >= 100)
        return NO_HEADER;
    if (!cur_ok(&c))
        return MAYBE_HEADER;
    if (size < header_size((unsigned)major) || size > INT64_MAX)
        return NO_HEADER;
    if (major == 0)
        return PLAUSIBLE_HEADER;
    checkpoint = cur_be(&c, 8);
    metadata = cur_be(&c, 8);
    if (n < HEADER)
        return MAYBE_HEADER;
    return is_inside(checkpoint, size) && is_inside(metadata, size) ? PLAUSIBLE_HEADER : NO_HEADER;
}

/* A JVM keeps copies of a chunk's header among its constants (jfr-format §7.1): they have the same
 * start, in ns and in ticks, and begin no chunk. */
static bool is_copy(const uint8_t *header, const uint8_t *p, size_t n)
{
    static const uint8_t no_start[8];

    return header[5] != 0 && n >= HEADER && memcmp(p + 32, header + 32, 8) == 0 &&
           memcmp(p + 48, header + 48, 8) == 0 && memcmp(p + 32, no_start, 8) != 0;
}

/* Looks for a plausible header that begins in p[from..n) and, with `inside`, is no copy of the one
 * at p. If there is none, returns the place from which to continue when more bytes are in
 * sight. */
static size_t scan(const uint8_t *p, size_t n, size_t from, bool inside, bool *found)
{
    const uint8_t *q;

    while (n > from && (q = memmem(p + from, n - from, MAGIC, MAGIC_N)) != NULL) {
        enum verdict v = judge(q, n - (size_t)(q - p));

        if (v == PLAUSIBLE_HEADER && inside && is_copy(p, q, n - (size_t)(q - p)))
            v = NO_HEADER;
        from = (size_t)(q - p);
        *found = v == PLAUSIBLE_HEADER;
        if (v != NO_HEADER)
            return from;
        from++;
    }
    return n >= MAGIC_N && n - (MAGIC_N - 1) > from ? n - (MAGIC_N - 1) : from;
}

/* One step of a search: the next place to look at, by SCAN_STEP at most, so that a mapped file need
 * not be in memory all at once. Sets *found, or *at_end when there is nothing after it. */
static size_t search_chunk(struct source_window *w, size_t from, bool inside, bool *found,
                           bool *at_end)
{
    size_t upto = source_want(w, from + 1), next;

    if (upto > from + SCAN_STEP)
        upto = from + SCAN_STEP;
    next = scan(w->p, upto, from, inside, found);
    *at_end = !*found && source_want(w, upto + SCAN_STEP) == upto;
    if (next > from)
        source_forget(w, w->p + from, next - from);
    return next;
}

/* The first plausible header at or after `from` in the chunk at hand, or the end of the input. */
static size_t find_header(struct source_window *w, size_t from)
{
    bool found = false, at_end = false;

    while (!found && !at_end)
        from = search_chunk(w, from, true, &found, &at_end);
    return found ? from : w->n;
}

/* The same, but the bytes before it are given up. False at the end of the input. */
static bool skip_to_header(struct source_window *w, size_t from)
{
    bool found = false, at_end = false;

    while (!found && !at_end) {
        source_skip(w, search_chunk(w, from, false, &found, &at_end));
        from = 0;
    }
    if (!found)
        source_skip(w, w->n);
    return found;
}

/* ---- where they end ---- */

/* A 0.9 chunk ends with its metadata event, whose size is the first thing in it. */
static uint64_t declared_v0(struct source_window *w)
{
    struct cursor c = cur_over(w->p + 8, 8);
    uint64_t metadata = cur_be(&c, 8);
    int32_t size;

    if (metadata < HEADER_V0 || metadata > PTRDIFF_MAX ||
        source_want(w, metadata + V0_TAIL) < metadata + V0_TAIL)
        return 0;
    c = cur_over(w->p + metadata, V0_TAIL);
    size = (int32_t)cur_be(&c, 4);
    return size < V0_TAIL ? 0 : metadata + (uint64_t)size;
}

static uint64_t declared_size(struct source_window *w, unsigned major)
{
    struct cursor c = cur_over(w->p + 8, 8);

    return major == 0 ? declared_v0(w) : cur_be(&c, 8);
}

/* What is declared holds when another chunk or nothing at all follows. Otherwise the next header
 * that can be found decides, or the end. */
static size_t chunk_end(struct source_window *w, uint64_t declared, size_t header)
{
    size_t have;

    if (declared < header || declared > PTRDIFF_MAX)
        return find_header(w, header);
    have = source_want(w, declared + MAGIC_N);
    if (have < declared)
        return find_header(w, header);
    if (have == declared || has_magic(w->p + declared, have - declared))
        return declared;
    return find_header(w, declared);
}

/* ---- next ---- */

static int end(struct jfr_source *src, struct jfr_error *err)
{
    src->ended = true;
    if (src->w.err.code != 0)
        return jfr_fail(err, src->w.err.code, src->w.offset, "%s", src->w.err.text);
    if (src->w.offset == 0)
        return jfr_fail(err, JFR_E_SHORT, 0, "file is empty");
    return src->found ? 0 : jfr_fail(err, JFR_E_FORMAT, 0, "not a JFR recording");
}

static int skip_garbage(struct jfr_source *src, struct jfr_error *err)
{
    uint64_t from = src->w.offset;

    if (!skip_to_header(&src->w, 0))
        return end(src, err);
    src->found = true;
    return jfr_fail(err, JFR_E_FORMAT, from, "%llu bytes before the first chunk belong to no chunk",
                    (unsigned long long)(src->w.offset - from));
}

static int skip_version(struct jfr_source *src, unsigned major, unsigned minor,
                        struct jfr_error *err)
{
    uint64_t from = src->w.offset;

    skip_to_header(&src->w, MAGIC_N);
    return jfr_fail(err, JFR_E_UNSUPPORTED, from, "version %u.%u is not supported", major, minor);
}

static int skip_cut_header(struct jfr_source *src, size_t have, size_t header,
                           struct jfr_error *err)
{
    uint64_t from = src->w.offset;

    source_skip(&src->w, have);
    return jfr_fail(err, JFR_E_CUT, from, "chunk header is cut off: %zu of %zu bytes", have,
                    header);
}

static void take_chunk(struct jfr_source *src, unsigned major, struct jfr_raw *raw)
{
    struct source_window *w = &src->w;
    uint64_t declared = declared_size(w, major);
    size_t n = chunk_end(w, declared, header_size(major));

    *raw = (struct jfr_raw){
        .bytes = w->p, .n = n, .declared = declared, .offset = w->offset, .index = src->n_chunks++};
    raw->block = source_hold(w);
    source_skip(w, n);
}

int jfr_source_next(struct jfr_source *src, struct jfr_raw *raw, struct jfr_error *err)
{
    struct source_window *w = &src->w;
    unsigned major = 1, minor = 0;
    size_t have, header;
    struct cursor c;

    if (src->ended)
        return 0;
    err->chunk = src->n_chunks;
    if (source_shrank(w))
        return jfr_fail(err, JFR_E_SHORT, w->offset + w->n, "file became shorter while being read");
    have = source_want(w, HEADER);
    if (have == 0)
        return end(src, err);
    if (!has_magic(w->p, have))
        return skip_garbage(src, err);
    src->found = true;
    if (have >= 8) {
        c = cur_over(w->p + MAGIC_N, 4);
        major = (unsigned)cur_be(&c, 2);
        minor = (unsigned)cur_be(&c, 2);
    }
    if (major > 2)
        return skip_version(src, major, minor, err);
    header = header_size(major);
    if (have < header)
        return skip_cut_header(src, have, header, err);
    take_chunk(src, major, raw);
    return 1;
}
