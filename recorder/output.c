#include "recorder/output.h"

#include "recorder/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define DEFAULT_FILE "jfrkit-%p-%t.jfr"
#define CHUNK_SIZE (INT64_C(32) << 20)
#define CHUNK_TIME (3600 * SECOND)
#define RETRY_NS (10 * SECOND)

static struct jfr_writer *writer;
static char path[PATH_MAX];
static int64_t chunk_began, retry_at;
static uint64_t chunk_bytes; /* of all chunks, when this one began */
static bool is_failing;

static int64_t given(int64_t value, int64_t otherwise)
{
    return value == REC_UNSET ? otherwise : value;
}

/* The VM may change its directory; and whoever asks wants to know where the file is. */
static int full_path(const char *name, char why[SESSION_WHY])
{
    char here[PATH_MAX];

    if (name[0] == '/') {
        snprintf(path, sizeof(path), "%s", name);
        return 0;
    }
    if (getcwd(here, sizeof(here)) == NULL ||
        snprintf(path, sizeof(path), "%s/%s", strcmp(here, "/") == 0 ? "" : here, name) >=
            (int)sizeof(path)) {
        snprintf(why, SESSION_WHY, "where '%.300s' would be: the path is too long", name);
        return -1;
    }
    return 0;
}

int output_open(struct recording *r, char why[SESSION_WHY])
{
    const char *pattern = r->options->file == NULL ? DEFAULT_FILE : r->options->file;
    struct jfr_writer_options o = {
        .replace = true,
        .start_ticks = r->start_ticks,
        .start_nanos = r->start_nanos,
    };
    struct jfr_error err = {0};
    char name[PATH_MAX];

    if (rec_options_file(pattern, r->start_nanos, (unsigned)r->id, name, sizeof(name)) != 0) {
        snprintf(why, SESSION_WHY,
                 "file '%.300s': too long, or a %% that is none of %%p %%t %%h %%n", pattern);
        return -1;
    }
    if (full_path(name, why) != 0)
        return -1;
    writer = jfr_writer_open(path, &o, &err);
    if (writer == NULL) {
        snprintf(why, SESSION_WHY, "'%.300s': %s", path, err.text);
        return -1;
    }
    r->writer = writer;
    r->file = path;
    chunk_began = r->start_ticks;
    chunk_bytes = 0;
    is_failing = false;
    return 0;
}

static uint64_t bytes_so_far(void)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(writer, &stats);
    return stats.n_bytes;
}

static bool is_chunk_due(const struct recording *r, int64_t now)
{
    int64_t size = given(r->options->chunk_size, CHUNK_SIZE);
    int64_t age = given(r->options->chunk_time, CHUNK_TIME);

    return (size > 0 && bytes_so_far() - chunk_bytes >= (uint64_t)size) ||
           (age > 0 && now - chunk_began >= age);
}

static void tell(int rc, int64_t now)
{
    if (rc < 0) {
        is_failing = true;
        log_line(LOG_ERROR, "'%s': %s; what comes now is lost, trying again every 10 s", path,
                 jfr_writer_error(writer)->text);
        retry_at = now + RETRY_NS;
    } else if (rc == 0 && is_failing) {
        is_failing = false;
        log_line(LOG_ERROR, "'%s' can be written again", path);
    }
}

void output_flush(struct recording *r, int64_t now)
{
    int rc;

    if (now == 0)
        now = jfr_writer_now();
    if (is_failing && now >= retry_at) {
        retry_at = now + RETRY_NS;
        jfr_writer_retry(writer);
    }
    if (is_chunk_due(r, now)) {
        rc = jfr_writer_rotate(writer, now);
        chunk_began = now;
        chunk_bytes = bytes_so_far();
    } else
        rc = jfr_writer_flush(writer, now);
    tell(rc, now);
}

int output_dump(const struct recording *r, const char *to, struct buf *reply, char why[SESSION_WHY])
{
    (void)r, (void)to, (void)reply;
    snprintf(why, SESSION_WHY, "dump is not there yet");
    return -1;
}

void output_status(struct buf *reply)
{
    if (is_failing)
        buf_printf(reply, "failing: %s\n", jfr_writer_error(writer)->text);
}

void output_close(struct recording *r)
{
    struct jfr_error err = {0};

    if (writer == NULL)
        return;
    if (jfr_writer_close(writer, &err) != 0 && !is_failing)
        log_line(LOG_ERROR, "'%s': %s", path, err.text);
    writer = NULL;
    if (r != NULL)
        r->writer = NULL;
}
