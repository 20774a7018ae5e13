/*
 * segments.c - the list of files that a recording with a maximum size or age consists of: adds
 * one, deletes the oldest ones, joins all into one file.
 *
 * output.c calls it on the drain thread. Joining copies bytes; only the last chunk keeps the flag
 * that marks the end.
 */
#include "recorder/agent/segments.h"

#include "jfrfmt/write/sink.h"
#include "jfrfmt/base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK ((size_t)256 << 10)

int segments_add(struct segments *s, const struct segment *segment)
{
    if (!array_reserve(&s->all, &s->room, s->n + 1, sizeof(*s->all)))
        return -1;
    s->all[s->n] = *segment;
    s->all[s->n].path = strdup(segment->path);
    return s->all[s->n].path == NULL ? -1 : (s->n++, 0);
}

static void forget_segment(struct segment *segment)
{
    free(segment->path);
    if (segment->fd > 0)
        close(segment->fd);
}

static void remove_oldest(struct segments *s)
{
    if (s->all[0].fd <= 0) /* else the name does not exist, or is of another file */
        unlink(s->all[0].path);
    forget_segment(&s->all[0]);
    s->n--;
    s->n_removed++;
    memmove(s->all, s->all + 1, s->n * sizeof(*s->all));
}

void segments_limit(struct segments *s, uint64_t max_size, int64_t oldest)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += s->all[i].bytes;
    while (s->n > 0 &&
           ((max_size > 0 && sum > max_size) || (oldest > 0 && s->all[0].ended < oldest))) {
        sum -= s->all[0].bytes;
        remove_oldest(s);
    }
}

/* --- joining --- */

static int unreadable(struct jfr_error *err, const char *path)
{
    return jfr_fail(err, JFR_E_IO, 0, "'%.200s': %s", path, strerror(errno));
}

static int copy_bytes(struct sink *to, int fd, const struct segment *s, struct jfr_error *err)
{
    uint8_t *block = malloc(BLOCK);
    uint64_t done = 0;
    int rc = 0;

    if (block == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for copying");
    while (rc == 0 && done < s->bytes) {
        size_t want = s->bytes - done < BLOCK ? (size_t)(s->bytes - done) : BLOCK;
        ssize_t n = pread(fd, block, want, (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENODATA; /* the file was truncated meanwhile */
        if (n <= 0)
            rc = unreadable(err, s->path);
        else if (sink_put(to, block, (size_t)n) != 0)
            rc = jfr_fail(err, JFR_E_IO, done, "%s", sink_error(to)->text);
        else
            done += (uint64_t)n;
    }
    free(block);
    return rc;
}

/* `at`: where the segment begins in the new file. */
static int close_chunk(struct sink *to, const struct segment *s, uint64_t at, struct jfr_error *err)
{
    uint64_t size = s->bytes - s->chunk_at;
    uint8_t field[8];

    for (int i = 0; i < 8; i++)
        field[i] = (uint8_t)(size >> (56 - 8 * i));
    if (s->is_open && (sink_patch(to, at + s->chunk_at + 8, field, sizeof(field)) != 0 ||
                       sink_seek(to, at + s->bytes) != 0))
        return jfr_fail(err, JFR_E_IO, at, "%s", sink_error(to)->text);
    return 0;
}

static int append(struct sink *to, const struct segment *s, uint64_t at, struct jfr_error *err)
{
    bool has_name = s->fd <= 0;
    int fd = has_name ? open(s->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : s->fd, rc;

    if (fd < 0)
        return unreadable(err, s->path);
    rc = copy_bytes(to, fd, s, err);
    if (has_name)
        close(fd);
    return rc != 0 ? rc : close_chunk(to, s, at, err);
}

int segments_join(const struct segments *s, const char *path, struct jfr_error *err)
{
    struct sink *to = sink_open(path, &(struct sink_options){.replace = true}, err);
    struct jfr_error ignored = {0};
    uint64_t at = 0;
    int rc = 0;

    if (to == NULL)
        return err->code;
    if (!sink_is_file(to))
        rc = jfr_fail(err, JFR_E_FORMAT, 0, "'%.200s' is no plain file", path);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        rc = append(to, &s->all[i], at, err);
        at += s->all[i].bytes;
    }
    if (rc == 0 && (sink_flush(to) != 0 || sink_publish(to) != 0))
        rc = jfr_fail(err, JFR_E_IO, at, "%s", sink_error(to)->text);
    if (rc != 0)
        sink_close(to, &ignored);
    else
        rc = sink_close(to, err);
    return rc;
}

void segments_remove(struct segments *s)
{
    while (s->n > 0)
        remove_oldest(s);
}

void segments_free(struct segments *s)
{
    for (size_t i = 0; i < s->n; i++)
        forget_segment(&s->all[i]);
    free(s->all);
    *s = (struct segments){0};
}
