/*
 * rewrite.c - gives the events of finished chunks the fields that their types got later.
 *
 * Mission Control files the events of a type whose fields differ between chunks under two names. So
 * when a type is extended (jfr_writer_extend), what was written before is copied once, with nulls
 * in the new fields, into a new file that takes the old one's place by rename; a process that is
 * killed meanwhile leaves the old file or the new one.
 *
 *     old   header | metadata | events, covers, checkpoints ...         per chunk
 *     new   header | events, longer, checkpoints ... | metadata of now
 *
 * The chunks are our own: events do not refer to each other by place, checkpoints are chained in
 * the order of the file. Covers (see live.c) are left out.
 */
#include "jfrfmt/write/raw.h"
#include "jfrfmt/write/writer_internal.h"
#include "jfrfmt/base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct copy {
    struct jfr_writer *w;
    int fd; /* of the old file */
    struct sink *to;
    struct raw_writer out; /* over `to` */
};

/* One chunk in memory. */
struct old_chunk {
    uint8_t *p;
    size_t n;
    size_t checkpoint, metadata; /* places of the last checkpoint and of the metadata */
    int64_t duration_ns;
    size_t *chain; /* places of all checkpoints, the last one first */
    size_t n_chain;
};

static int fail_format(uint64_t at, struct jfr_error *err)
{
    return jfr_fail(err, JFR_E_FORMAT, at, "what was written has been changed by others");
}

static int read_exactly(int fd, uint64_t at, uint8_t *p, size_t n, struct jfr_error *err)
{
    while (n > 0) {
        ssize_t got = pread(fd, p, n, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return jfr_fail(err, JFR_E_IO, at, "cannot read: %s", strerror(errno));
        if (got == 0)
            return fail_format(at, err);
        p += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return 0;
}

static int write_bytes(void *ctx, const void *bytes, size_t n)
{
    struct copy *c = ctx;

    return sink_put(c->to, bytes, n);
}

static int patch_bytes(void *ctx, uint64_t at, const void *bytes, size_t n)
{
    struct copy *c = ctx;

    sink_patch(c->to, at, bytes, n);
    return sink_seek(c->to, c->out.passed);
}

/* Finds the checkpoints of the chunk, which are chained from the last to the first. */
static int find_chain(struct old_chunk *old, uint64_t at, struct jfr_error *err)
{
    size_t place = old->checkpoint;

    for (;;) {
        struct cursor c = cur_over(old->p + place, old->n - place);
        int64_t delta;

        cur_skip_varints(&c, 4); /* size, type, start, duration */
        delta = (int64_t)cur_varint(&c);
        if (!cur_ok(&c) || delta > 0 || (delta < 0 && (uint64_t)-delta > place))
            return fail_format(at + place, err);
        if (!array_add(&old->chain, old->n_chain, sizeof(*old->chain)))
            return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for checkpoints");
        old->chain[old->n_chain++] = place;
        if (delta == 0)
            return 0;
        place -= (size_t)-delta;
    }
}

/* Loads the chunk at `at` of the old file, and begins one like it in the new file. */
static int load(struct copy *c, uint64_t at, uint64_t end, struct old_chunk *old,
                struct jfr_error *err)
{
    uint8_t bytes[LIVE_HEADER];
    struct cursor header = cur_over(bytes, sizeof(bytes));
    uint64_t n, start_nanos;

    if (end - at < LIVE_HEADER)
        return fail_format(at, err);
    if (read_exactly(c->fd, at, bytes, sizeof(bytes), err) != 0)
        return err->code;
    cur_be(&header, 8); /* magic and version */
    n = cur_be(&header, 8);
    old->checkpoint = cur_be(&header, 8);
    old->metadata = cur_be(&header, 8);
    if (memcmp(bytes, "FLR\0", 4) != 0 || n < LIVE_HEADER || n > end - at || old->checkpoint >= n ||
        old->metadata >= n)
        return fail_format(at, err);
    start_nanos = cur_be(&header, 8);
    old->duration_ns = (int64_t)cur_be(&header, 8);
    raw_begin(&c->out, (int64_t)start_nanos, (int64_t)cur_be(&header, 8));
    c->out.per_second = (int64_t)cur_be(&header, 8);
    old->p = malloc(n);
    if (old->p == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for a chunk");
    old->n = n;
    return read_exactly(c->fd, at, old->p, n, err) != 0 ? err->code : find_chain(old, at, err);
}

/* Copies a checkpoint: its head is made again, for its new place. */
static void copy_checkpoint(struct copy *c, struct cursor event, size_t size)
{
    const uint8_t *end = event.p + size;
    uint64_t n_pools;

    cur_skip_varints(&event, 5); /* up to the place of the one before */
    cur_bytes(&event, 1); /* mask */
    n_pools = cur_varint(&event);
    raw_checkpoint(&c->out, n_pools, (uint64_t)(end - event.p));
    buf_bytes(&c->out.b, event.p, (size_t)(end - event.p));
}

/* Copies an event, all after its size, with nulls in the fields that it lacks. */
static void copy_event(struct copy *c, const uint8_t *body, size_t n, size_t n_lacks)
{
    struct buf *b = &c->out.b;
    size_t at = b->n;

    buf_byte(b, 0);
    buf_bytes(b, body, n);
    while (n_lacks-- > 0)
        buf_byte(b, JFR_STR_NULL);
    raw_close_event(b, at);
}

static int copy_old_events(struct copy *c, const struct old_chunk *old, uint64_t at,
                           struct jfr_error *err)
{
    size_t n_chain = old->n_chain, size; /* checkpoints that come */

    for (size_t place = LIVE_HEADER; place < old->n; place += size) {
        struct cursor event = cur_over(old->p + place, old->n - place), in = event;
        const uint8_t *body;
        uint64_t type;
        size_t index;

        size = cur_varint(&in);
        body = in.p;
        type = cur_varint(&in);
        if (!cur_ok(&in) || size > old->n - place || size < (size_t)(in.p - event.p))
            return fail_format(at + place, err);
        index = typeset_index(&c->w->types, (int64_t)type);
        if (n_chain > 0 && place == old->chain[n_chain - 1]) {
            copy_checkpoint(c, event, size);
            n_chain--;
        } else if (index != SIZE_MAX) { /* no metadata, no cover */
            copy_event(c, body, (size_t)(event.p + size - body),
                       c->w->types.layouts[index].n_pending);
        }
        raw_check(&c->out);
    }
    return n_chain == 0 ? 0 : fail_format(at, err);
}

/* Copies the chunks in the first `end` bytes of the old file. */
static int copy_chunks(struct copy *c, uint64_t end, struct jfr_error *err)
{
    const struct jfr_error *e = sink_error(c->to);

    c->out.to = (struct raw_sink){write_bytes, patch_bytes, c};
    for (uint64_t at = 0; at < end && err->code == 0 && c->out.rc == 0;) {
        struct old_chunk old = {0};

        if (load(c, at, end, &old, err) == 0 && copy_old_events(c, &old, at, err) == 0)
            raw_end(&c->out, &c->w->metadata, old.duration_ns);
        at += old.n;
        free(old.chain);
        free(old.p);
    }
    raw_free(&c->out);
    if (err->code == 0 && c->out.rc == 0)
        c->out.rc = sink_flush(c->to);
    if (err->code == 0 && c->out.rc != 0)
        jfr_fail(err, (enum jfr_errc)c->out.rc, e->offset, "%s",
                 e->code != 0 ? e->text : "no memory for a chunk");
    return err->code;
}

static struct sink *open_new_file(struct jfr_writer *w, const char *path, struct jfr_error *err)
{
    struct sink_options o = {.replace = true, .calls = w->options.calls};

    return sink_open(path, &o, err);
}

bool jfr_writer_needs_rewrite(const struct jfr_writer *w)
{
    for (size_t i = 0; i < w->types.n; i++)
        if (w->types.layouts[i].n_pending > 0)
            return true;
    return false;
}

/* What both functions need. 0 or negative and *err. */
static int prepare(struct jfr_writer *w, struct jfr_error *err)
{
    if (w->is_uneven)
        return jfr_fail(err, JFR_E_FORMAT, 0, "it has chunks with the new fields already");
    if (w->is_new_types && !writer_renew_metadata(w))
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for metadata");
    return 0;
}

int jfr_writer_rewrite_file(struct jfr_writer *w, const char *path, uint64_t *bytes,
                            uint64_t *chunk_at, struct jfr_error *err)
{
    struct jfr_error ignored = {0};
    struct copy c = {.w = w};
    struct stat st;

    if (prepare(w, err) != 0)
        return err->code;
    c.fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (c.fd < 0 || fstat(c.fd, &st) != 0) {
        jfr_fail(err, JFR_E_IO, 0, "cannot read: %s", strerror(errno));
    } else {
        c.to = open_new_file(w, path, err);
        if (c.to != NULL && copy_chunks(&c, (uint64_t)st.st_size, err) == 0 &&
            sink_publish(c.to) != 0)
            *err = *sink_error(c.to);
        sink_close(c.to, err->code == 0 ? err : &ignored);
    }
    if (c.fd >= 0)
        close(c.fd);
    if (err->code == 0) {
        *bytes = c.out.passed;
        *chunk_at = c.out.base;
    }
    return err->code;
}

/* Copies the finished chunks into a new file, and continues there. The chunk being written is
 * empty. */
static int replace_file(struct jfr_writer *w, const char *path, struct jfr_error *err)
{
    struct jfr_error ignored = {0};
    struct copy c = {.w = w, .fd = sink_fd(w->sink), .to = open_new_file(w, path, err)};
    struct live live;

    if (c.to == NULL || copy_chunks(&c, w->live.base, err) != 0 ||
        live_open(&live, c.to, c.out.passed, w->live.step * 2, &w->chunk) != 0 ||
        sink_publish(c.to) != 0) {
        if (c.to != NULL && err->code == 0)
            *err = *sink_error(c.to);
        sink_close(c.to, &ignored);
        return err->code;
    }
    sink_close(w->sink, &ignored);
    w->sink = c.to;
    w->live = live;
    w->is_new_types = false;
    consts_next_chunk(&w->consts); /* what was flushed without events was not copied */
    return 0;
}

int jfr_writer_rewrite(struct jfr_writer *w, const char *path, struct jfr_error *err)
{
    if (!jfr_writer_needs_rewrite(w))
        return 0;
    if (sink_is_file(w->sink)) {
        if (!w->is_new_chunk)
            jfr_writer_rotate(w, 0);
        if (w->error.code != 0 || !w->is_open)
            return jfr_fail(err, JFR_E_IO, 0, "the file cannot be written");
        if (prepare(w, err) != 0 || replace_file(w, path, err) != 0)
            return err->code;
    }
    for (size_t i = 0; i < w->types.n; i++)
        w->types.layouts[i].n_pending = 0;
    return 0;
}
