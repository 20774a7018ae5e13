/*
 * rewrite.c - gives the events of finished chunks the fields that their types got later.
 *
 * Mission Control files the events of a type whose fields differ between chunks under two names. So
 * when a type is extended (jfr_writer_extend), what was written before is copied once, with nulls
 * in the new fields, into a new file that takes the old one's place by rename; a process that is
 * killed meanwhile leaves the old file or the new one.
 *
 *     old   header | metadata | events, covers, checkpoints ...        per chunk
 *     new   header | metadata of now | events, longer | checkpoints    chained by their new places
 *
 * The chunks are our own: events do not refer to each other by place, checkpoints are chained in
 * the order of the file. Covers (see live.c) are left out.
 */
#include "jfrfmt/write/writer_internal.h"

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
    uint64_t at; /* where the next byte goes */
    uint64_t chunk_at; /* of the newest chunk in the new file */
};

/* One chunk in memory. */
struct old_chunk {
    uint8_t *p;
    size_t n;
    size_t checkpoint, metadata; /* places of the last checkpoint and of the metadata */
    uint64_t *chain; /* places of all checkpoints, ascending */
    size_t n_chain;
};

static uint64_t read_be(const uint8_t *p)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

static int fail_format(uint64_t at, struct jfr_error *err)
{
    return jfr_fail(err, JFR_E_FORMAT, at, "what was written has been changed by others");
}

static int read_all(int fd, uint64_t at, uint8_t *p, size_t n, struct jfr_error *err)
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

static void put(struct copy *c, const void *bytes, size_t n)
{
    sink_put(c->to, bytes, n);
    c->at += n;
}

/* Finds the checkpoints of the chunk, which are chained from the last to the first. */
static int find_chain(struct old_chunk *old, uint64_t at, struct jfr_error *err)
{
    size_t room = 0, place = old->checkpoint;

    for (;;) {
        struct cursor c = cur_over(old->p + place, place < old->n ? old->n - place : 0);
        int64_t delta;

        cur_skip_varints(&c, 4); /* size, type, start, duration */
        delta = (int64_t)cur_varint(&c);
        if (!cur_ok(&c) || delta > 0 || (delta < 0 && (uint64_t)-delta > place))
            return fail_format(at + place, err);
        if (old->n_chain == room) {
            uint64_t *more = realloc(old->chain, (room = room * 2 + 16) * sizeof(*more));

            if (more == NULL)
                return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for checkpoints");
            old->chain = more;
        }
        old->chain[old->n_chain++] = place;
        if (delta == 0)
            break;
        place -= (size_t)-delta;
    }
    for (size_t i = 0; i < old->n_chain / 2; i++) {
        uint64_t swap = old->chain[i];

        old->chain[i] = old->chain[old->n_chain - 1 - i];
        old->chain[old->n_chain - 1 - i] = swap;
    }
    return 0;
}

static int load(struct copy *c, uint64_t at, uint64_t end, struct old_chunk *old,
                struct jfr_error *err)
{
    uint8_t header[LIVE_HEADER];
    uint64_t n;

    if (end - at < LIVE_HEADER || read_all(c->fd, at, header, sizeof(header), err) != 0)
        return err->code != 0 ? err->code : fail_format(at, err);
    n = read_be(header + 8);
    if (memcmp(header, "FLR\0", 4) != 0 || n < LIVE_HEADER || n > end - at ||
        read_be(header + 16) >= n || read_be(header + 24) >= n)
        return fail_format(at, err);
    old->p = malloc(n);
    if (old->p == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for a chunk");
    old->n = n;
    old->checkpoint = read_be(header + 16);
    old->metadata = read_be(header + 24);
    if (read_all(c->fd, at, old->p, n, err) != 0)
        return err->code;
    return find_chain(old, at, err);
}

/* A checkpoint whose predecessor is at `before`, 0: none. Returns its place in the new chunk. */
static uint64_t put_checkpoint(struct copy *c, struct cursor event, size_t size, uint64_t before)
{
    uint64_t place = c->at - c->chunk_at, ticks, duration;
    const uint8_t *end = event.p + size, *body;
    uint8_t room[64];
    struct buf head = buf_fixed(room, sizeof(room));

    cur_skip_varints(&event, 2);
    ticks = cur_varint(&event);
    duration = cur_varint(&event);
    cur_varint(&event);
    body = event.p;
    buf_be(&head, 0, 5);
    buf_varint(&head, 1);
    buf_varint(&head, ticks);
    buf_varint(&head, duration);
    buf_varint(&head, before == 0 ? 0 : before - place);
    buf_varint_at(room, head.n + (size_t)(end - body), 5);
    put(c, room, head.n);
    put(c, body, (size_t)(end - body));
    return place;
}

/* An event with n nulls behind it. */
static void put_longer(struct copy *c, const uint8_t *event, const uint8_t *body, size_t size,
                       size_t n)
{
    size_t n_body = (size_t)(event + size - body);
    uint8_t room[16];
    struct buf head = buf_fixed(room, sizeof(room));
    uint64_t longer = 1 + n_body + n;

    while (buf_varint_size(longer) + n_body + n > longer)
        longer++;
    buf_varint(&head, longer);
    put(c, room, head.n);
    put(c, body, n_body);
    memset(room, JFR_STR_NULL, sizeof(room));
    for (; n > sizeof(room); n -= sizeof(room))
        put(c, room, sizeof(room));
    put(c, room, n);
}

struct places { /* in the new chunk */
    uint64_t checkpoint, metadata;
};

static int put_events(struct copy *c, const struct old_chunk *old, uint64_t at,
                      struct places *places, struct jfr_error *err)
{
    size_t i_chain = 0, size;

    for (size_t place = LIVE_HEADER; place < old->n; place += size) {
        struct cursor event = cur_over(old->p + place, old->n - place), in = event;
        size_t index;
        const uint8_t *body;
        uint64_t type;

        size = cur_varint(&in);
        body = in.p;
        type = cur_varint(&in);
        if (!cur_ok(&in) || size > old->n - place || size < (size_t)(in.p - event.p))
            return fail_format(at + place, err);
        index = typeset_index(&c->w->types, (int64_t)type);
        if (type == 0) {
            if (place != old->metadata)
                continue;
            places->metadata = c->at - c->chunk_at;
            put(c, c->w->metadata.p, c->w->metadata.n);
        } else if (type == 1) {
            if (i_chain == old->n_chain || place != old->chain[i_chain])
                continue;
            places->checkpoint = put_checkpoint(c, event, size, places->checkpoint);
            i_chain++;
        } else if (index != SIZE_MAX && c->w->types.layouts[index].n_pending > 0) {
            put_longer(c, event.p, body, size, c->w->types.layouts[index].n_pending);
        } else if (index != SIZE_MAX) {
            put(c, event.p, size);
        }
    }
    return places->metadata != 0 && places->checkpoint != 0 ? 0 : fail_format(at, err);
}

static int put_chunk(struct copy *c, const struct old_chunk *old, uint64_t at,
                     struct jfr_error *err)
{
    uint8_t header[LIVE_HEADER];
    struct buf sizes = buf_fixed(header + 8, 24);
    struct places places = {0};

    c->chunk_at = c->at;
    memcpy(header, old->p, sizeof(header));
    put(c, header, sizeof(header));
    if (put_events(c, old, at, &places, err) != 0)
        return err->code;
    buf_be(&sizes, c->at - c->chunk_at, 8);
    buf_be(&sizes, places.checkpoint, 8);
    buf_be(&sizes, places.metadata, 8);
    sink_patch(c->to, c->chunk_at, header, sizeof(header));
    return sink_seek(c->to, c->at);
}

/* Copies the chunks in the first `end` bytes of the old file. */
static int copy_chunks(struct copy *c, uint64_t end, struct jfr_error *err)
{
    const struct jfr_error *e = sink_error(c->to);

    for (uint64_t at = 0; at < end && err->code == 0 && e->code == 0;) {
        struct old_chunk old = {0};

        if (load(c, at, end, &old, err) == 0)
            put_chunk(c, &old, at, err);
        at += old.n;
        free(old.chain);
        free(old.p);
    }
    if (err->code == 0 && e->code == 0)
        sink_flush(c->to);
    if (err->code == 0 && e->code != 0)
        jfr_fail(err, (enum jfr_errc)e->code, e->offset, "%s", e->text);
    return err->code;
}

static struct sink *open_beside(struct jfr_writer *w, const char *path, struct jfr_error *err)
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
        c.to = open_beside(w, path, err);
        if (c.to != NULL && copy_chunks(&c, (uint64_t)st.st_size, err) == 0 &&
            sink_publish(c.to) != 0)
            *err = *sink_error(c.to);
        sink_close(c.to, err->code == 0 ? err : &ignored);
    }
    if (c.fd >= 0)
        close(c.fd);
    if (err->code == 0) {
        *bytes = c.at;
        *chunk_at = c.chunk_at;
    }
    return err->code;
}

/* Copies the finished chunks into a new file, and continues there. The chunk being written is
 * empty. */
static int replace_file(struct jfr_writer *w, const char *path, struct jfr_error *err)
{
    struct jfr_error ignored = {0};
    struct copy c = {.w = w, .fd = sink_fd(w->sink), .to = open_beside(w, path, err)};
    struct live live;

    if (c.to == NULL || copy_chunks(&c, w->live.base, err) != 0 ||
        live_open(&live, c.to, c.at, w->live.step * 2, &w->chunk) != 0 || sink_publish(c.to) != 0) {
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
