/*
 * merge.c - writes the chunks of our recording and of the JDK's into one file, ordered by their
 * start.
 *
 * Types that the other recorder writes are renamed in a chunk (off.X), and only the last chunk
 * keeps the flag that marks the end.
 */
#include "recorder/jfrsync/merge.h"

#include "jfrfmt/base/cursor.h"
#include "jfrfmt/write/sink.h"
#include "jfrfmt/base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER 68
#define AT_SIZE 8
#define AT_METADATA 24
#define AT_START 32
#define AT_START_TICKS 48
#define AT_PER_SECOND 56
#define AT_STATE 64
#define AT_FLAGS 67 /* the low byte */
#define LAST 2 /* flag: the recording ends here */
#define BLOCK ((size_t)256 << 10)
#define METADATA_MAX ((uint64_t)16 << 20)

struct part {
    const char *path;
    int fd;
    uint64_t at, size;
    int64_t start; /* ns */
    bool is_ours;
    uint8_t header[HEADER];
};

struct parts {
    struct part *all;
    size_t n;
    uint64_t per_second; /* ticks, of the first chunk */
    const bool *is_ours; /* events */
};

static uint64_t be64(const uint8_t *p)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

static void put_be64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (56 - 8 * i));
}

static int unreadable_file(struct jfr_error *err, const char *path)
{
    return jfr_fail(err, JFR_E_IO, 0, "'%.200s': %s", path, strerror(errno));
}

/* --- the chunks of both files --- */

static int add(struct parts *parts, const struct part *p, struct jfr_error *err)
{
    uint64_t per_second = be64(p->header + AT_PER_SECOND);

    if (!array_add(&parts->all, parts->n, sizeof(*parts->all)))
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for a list of chunks");
    if (parts->n == 0)
        parts->per_second = per_second;
    if (per_second != parts->per_second)
        return jfr_fail(err, JFR_E_FORMAT, p->at, "'%.200s': its clock is another one", p->path);
    parts->all[parts->n++] = *p;
    return 0;
}

static int list_chunks(struct parts *parts, const char *path, int fd, bool is_ours,
                       struct jfr_error *err)
{
    struct part p = {.path = path, .fd = fd, .is_ours = is_ours};
    struct stat st;
    int rc = 0;

    if (fstat(fd, &st) != 0)
        return unreadable_file(err, path);
    for (; rc == 0 && p.at < (uint64_t)st.st_size; p.at += p.size) {
        if (pread(fd, p.header, HEADER, (off_t)p.at) != HEADER || memcmp(p.header, "FLR", 4) != 0 ||
            p.header[AT_STATE] != 0)
            return jfr_fail(err, JFR_E_FORMAT, p.at, "'%.200s': no finished chunk", path);
        p.size = be64(p.header + AT_SIZE);
        p.start = (int64_t)be64(p.header + AT_START);
        if (p.size < HEADER || p.size > (uint64_t)st.st_size - p.at)
            return jfr_fail(err, JFR_E_SHORT, p.at, "'%.200s': a chunk that is cut off", path);
        rc = add(parts, &p, err);
    }
    return rc;
}

static int by_part_start(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

/* The time at which a chunk of theirs begins, by the chunk of ours that begins next before it, or
 * by the first one: all count the same ticks. HotSpot reads the time and the ticks of a chunk's
 * begin one after the other, and its thread may lose the processor in between; JDK 11 writes whole
 * milliseconds. Chunks of ours come first. */
static int64_t start_by_ours(const struct parts *parts, const struct part *p, int64_t per_second)
{
    int64_t at = (int64_t)be64(p->header + AT_START_TICKS), since = 0;
    const struct part *ours = &parts->all[0];

    for (size_t i = 0; i < parts->n && parts->all[i].is_ours; i++)
        if (i == 0 || (int64_t)be64(parts->all[i].header + AT_START_TICKS) <= at) {
            ours = &parts->all[i];
            since = at - (int64_t)be64(ours->header + AT_START_TICKS);
        }
    return ours->start + (int64_t)((__int128)since * 1000000000 / per_second);
}

static void correct_starts(struct parts *parts, int64_t per_second)
{
    if (per_second <= 0)
        per_second = (int64_t)parts->per_second;
    for (size_t i = 0; i < parts->n && parts->all[0].is_ours && per_second > 0; i++)
        if (!parts->all[i].is_ours)
            parts->all[i].start = start_by_ours(parts, &parts->all[i], per_second);
}

/* Readers skip a chunk with the same start time as another, so equal times are made different. */
static void change_headers(struct parts *parts, int64_t per_second)
{
    for (size_t i = 0; i < parts->n; i++) {
        struct part *p = &parts->all[i];

        if (i > 0 && p->start <= p[-1].start)
            p->start = p[-1].start + 1;
        put_be64(p->header + AT_START, (uint64_t)p->start);
        if (per_second > 0)
            put_be64(p->header + AT_PER_SECOND, (uint64_t)per_second);
        p->header[AT_FLAGS] &= (uint8_t)~LAST;
        if (i + 1 == parts->n)
            p->header[AT_FLAGS] |= LAST;
    }
}

/* --- names --- */

/* Renames a type that the other recorder writes. The new name has the same length. */
static void rename_type(uint8_t *name, size_t n, bool in_ours, const bool is_ours[EV_N])
{
    for (int e = 0; e < EV_N; e++) {
        const char *text = jdk_type((enum event)e)->name;

        if (is_ours[e] != in_ours && strncmp(text, "jdk.", 4) == 0 && strlen(text) == n &&
            memcmp(text, name, n) == 0)
            memcpy(name, "off", 3);
    }
}

/* The texts are at the beginning of a metadata event; those in ASCII have one byte for each letter.
 */
static void rename_types(uint8_t *event, size_t room, bool in_ours, const bool is_ours[EV_N])
{
    struct cursor c = cur_over(event, room);
    uint64_t size = cur_varint(&c), n;

    if (!cur_ok(&c) || size > room)
        return;
    for (int i = 0; i < 4; i++)
        cur_varint(&c); /* type, start, duration, id */
    n = cur_varint(&c);
    for (uint64_t i = 0; i < n && cur_ok(&c); i++) {
        uint64_t encoding = cur_be(&c, 1), length = encoding < 3 ? 0 : cur_varint(&c);
        const uint8_t *text = c.p;

        for (uint64_t k = 0; encoding == 4 && k < length && cur_ok(&c); k++)
            cur_varint(&c);
        if (encoding != 4)
            cur_bytes(&c, length);
        if (cur_ok(&c) && (uint64_t)(c.p - text) == length)
            rename_type(event + (text - event), length, in_ours, is_ours);
    }
}

static int write_metadata(struct sink *to, const struct part *p, const bool *is_ours,
                          struct jfr_error *err)
{
    uint64_t at = be64(p->header + AT_METADATA), n = p->size - at;
    uint8_t *event;

    if (at < HEADER || at >= p->size)
        return jfr_fail(err, JFR_E_FORMAT, p->at, "'%.200s': no metadata", p->path);
    n = n < METADATA_MAX ? n : METADATA_MAX;
    event = malloc(n);
    if (event == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for metadata");
    if (pread(p->fd, event, n, (off_t)(p->at + at)) != (ssize_t)n) {
        free(event);
        return unreadable_file(err, p->path);
    }
    rename_types(event, n, p->is_ours, is_ours);
    sink_put(to, event, n);
    free(event);
    return 0;
}

/* --- copying --- */

static int copy_part(struct sink *to, const struct part *p, uint64_t from, uint64_t end,
                     struct jfr_error *err)
{
    uint8_t *block = malloc(BLOCK);
    int rc = block == NULL ? jfr_fail(err, JFR_E_NOMEM, 0, "no memory for copying") : 0;

    while (rc == 0 && from < end) {
        size_t want = end - from < BLOCK ? (size_t)(end - from) : BLOCK;
        ssize_t n = pread(p->fd, block, want, (off_t)(p->at + from));

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENODATA; /* the file was truncated meanwhile */
        if (n <= 0)
            rc = unreadable_file(err, p->path);
        else if (sink_put(to, block, (size_t)n) != 0)
            rc = jfr_fail(err, JFR_E_IO, p->at + from, "%s", sink_error(to)->text);
        else
            from += (uint64_t)n;
    }
    free(block);
    return rc;
}

/* Copies a chunk with a changed header and renamed types. */
static int copy(struct sink *to, const struct part *p, const bool *is_ours, struct jfr_error *err)
{
    uint64_t at = be64(p->header + AT_METADATA), end = at + METADATA_MAX;
    int rc;

    sink_put(to, p->header, HEADER);
    rc = copy_part(to, p, HEADER, at < p->size ? at : p->size, err);
    if (rc == 0)
        rc = write_metadata(to, p, is_ours, err);
    return rc != 0 ? rc : copy_part(to, p, end < p->size ? end : p->size, p->size, err);
}

static int write_merged(const struct parts *parts, const char *path, struct jfr_error *err)
{
    struct sink *to = sink_open(path, &(struct sink_options){.replace = true}, err);
    struct jfr_error ignored = {0};
    int rc = 0;

    if (to == NULL)
        return err->code;
    for (size_t i = 0; rc == 0 && i < parts->n; i++)
        rc = copy(to, &parts->all[i], parts->is_ours, err);
    if (rc == 0 && (sink_flush(to) != 0 || sink_publish(to) != 0))
        rc = jfr_fail(err, JFR_E_IO, 0, "%s", sink_error(to)->text);
    if (rc == 0)
        return sink_close(to, err);
    sink_close(to, &ignored);
    return rc;
}

int jfrsync_join(const char *ours, const char *theirs, const bool is_ours[EV_N], int64_t per_second,
                 struct jfr_error *err)
{
    const char *paths[] = {ours, theirs};
    struct parts parts = {.is_ours = is_ours};
    int fds[] = {-1, -1}, rc = 0;

    for (int i = 0; rc == 0 && i < 2; i++) {
        fds[i] = open(paths[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        rc = fds[i] < 0 ? unreadable_file(err, paths[i])
                        : list_chunks(&parts, paths[i], fds[i], i == 0, err);
    }
    if (rc == 0) {
        correct_starts(&parts, per_second);
        qsort(parts.all, parts.n, sizeof(*parts.all), by_part_start);
        change_headers(&parts, per_second);
        rc = write_merged(&parts, ours, err);
    }
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(parts.all);
    return rc;
}
