/*
 * output.c - the file or files of a recording: names, chunks, limits, copies, the end.
 *
 * Called by session.c on the drain thread. It notices when the file is moved, removed or truncated
 * by another program, and a full disk. Each is logged once, and as much as possible is kept.
 */
#include "recorder/agent/output.h"

#include "recorder/base/file_watch.h"
#include "recorder/jfrsync/jfrsync.h"
#include "recorder/events/keys.h"
#include "recorder/base/log.h"
#include "recorder/agent/segments.h"
#include "recorder/capture/lost.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define DEFAULT_FILE "jfrkit-%p-%t.jfr"
#define CHUNK_SIZE (INT64_C(32) << 20)
#define CHUNK_TIME (3600 * SECOND)
#define RETRY_NS (2 * SECOND)
#define QUIET_NS (10 * SECOND) /* without a failure, until its end is logged */
#define REWRITE_MAX (UINT64_C(64) << 20) /* bytes of a recording that are copied in one go */

/* With a limit on size or age, or with %n in its name, a recording is a list of files, each a
 * chunk, so that the oldest can be deleted. Without %n they are joined under the final name at the
 * end. */
static struct jfr_writer *writer;
static char path[PATH_MAX]; /* of the file being written */
static char final_path[PATH_MAX]; /* of the recording; "" if the files stay separate */
static char pattern[PATH_MAX];
static bool is_split;
static unsigned number; /* of the file */
static struct segments closed;
static struct file_watch watch; /* of the file being written */
static int64_t chunk_began, retry_at, quiet_at;
static uint64_t chunk_bytes; /* of all chunks, when this one began */
static bool is_failing; /* events are being lost */
static bool is_logged; /* the failure, but not its end */

static int64_t given(int64_t value, int64_t otherwise)
{
    return value == REC_UNSET ? otherwise : value;
}

/* Makes a name absolute: the VM may change its directory, and status shows where the file is. */
static int full_path(const char *name, char out[PATH_MAX], char why[REPLY_WHY])
{
    char here[PATH_MAX] = "";
    int n;

    if (name[0] != '/' && getcwd(here, sizeof(here)) == NULL)
        here[0] = 0;
    n = snprintf(out, PATH_MAX, "%s%s%s", here, name[0] == '/' || strcmp(here, "/") == 0 ? "" : "/",
                 name);
    if (n < PATH_MAX)
        return 0;
    snprintf(why, REPLY_WHY, "where '%.300s' would be: the path is too long", name);
    return -1;
}

static int expand(const struct recording *r, const char *from, char out[PATH_MAX],
                  char why[REPLY_WHY])
{
    char name[PATH_MAX];

    if (rec_options_file(from, r->start_nanos, number, name, sizeof(name)) == 0)
        return full_path(name, out, why);
    snprintf(why, REPLY_WHY, "file '%.300s': too long, or a %% that is none of %%p %%t %%h %%n",
             from);
    return -1;
}

/* "app.jfr" to "app-%n.jfr". */
static void number_pattern(const char *from)
{
    size_t n = strlen(from), stem = n > 4 && strcmp(from + n - 4, ".jfr") == 0 ? n - 4 : n;

    snprintf(pattern, sizeof(pattern), "%.*s-%%n%s", (int)stem, from, from + stem);
}

static int name_files(const struct recording *r, char why[REPLY_WHY])
{
    const struct rec_options *o = r->options;
    const char *from = o->file == NULL ? DEFAULT_FILE : o->file;
    bool has_number = strstr(from, "%n") != NULL;

    number = 1;
    is_split = has_number || given(o->max_size, 0) > 0 || given(o->max_age, 0) > 0;
    final_path[0] = 0;
    snprintf(pattern, sizeof(pattern), "%s", from);
    if (is_split && !has_number) {
        if (expand(r, from, final_path, why) != 0)
            return -1;
        number_pattern(from);
    }
    return expand(r, pattern, path, why);
}

static int rewrite(struct recording *r, struct jfr_error *err);

int output_open(struct recording *r, char why[REPLY_WHY])
{
    struct jfr_writer_options o = {
        .replace = true,
        .start_ticks = r->start_ticks,
        .start_nanos = r->start_nanos,
    };
    struct jfr_error err = {0};

    if (name_files(r, why) != 0)
        return -1;
    if (r->options->jfrsync != NULL) {
        jfrsync_clock(r->env, &o.clock);
        o.first_id = JFRSYNC_FIRST_ID;
    }
    writer = jfr_writer_open(path, &o, &err);
    if (writer == NULL) {
        snprintf(why, REPLY_WHY, "'%.300s': %s", path, err.text);
        return -1;
    }
    r->writer = writer;
    r->file = final_path[0] != 0 ? final_path : path;
    r->rewrite = rewrite;
    chunk_began = r->start_ticks;
    chunk_bytes = 0;
    is_failing = is_logged = false;
    return 0;
}

static uint64_t bytes_so_far(void)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(writer, &stats);
    return stats.n_bytes;
}

/* The size of a chunk: in a limited recording so small that deleting one loses a small part of it.
 */
static int64_t chunk_size(const struct rec_options *o)
{
    int64_t limit = given(o->max_size, 0) / 8, least = 256 << 10;

    if (o->chunk_size != REC_UNSET)
        return o->chunk_size;
    if (limit == 0 || limit > CHUNK_SIZE)
        return CHUNK_SIZE;
    return limit < least ? least : limit;
}

static int64_t chunk_time(const struct rec_options *o)
{
    int64_t limit = given(o->max_age, 0) / 8;

    if (o->chunk_time != REC_UNSET)
        return o->chunk_time;
    if (limit == 0 || limit > CHUNK_TIME)
        return CHUNK_TIME;
    return limit < SECOND ? SECOND : limit;
}

int64_t output_chunk_end(const struct recording *r)
{
    int64_t age = chunk_time(r->options);

    return age > 0 ? chunk_began + age : INT64_MAX;
}

bool output_is_chunk_due(const struct recording *r, int64_t now)
{
    int64_t size = chunk_size(r->options);

    return (size > 0 && bytes_so_far() - chunk_bytes >= (uint64_t)size) ||
           now >= output_chunk_end(r);
}

/* Logs the result of a write. A retry on a full disk often succeeds for a moment, because a few
 * free bytes are left. So a failure is logged once, and its end only after all writes have
 * succeeded for a while. */
static void log_result(int rc, int64_t now)
{
    if (rc < 0) {
        if (!is_logged)
            log_line(LOG_ERROR, "'%s': %s; what comes now is lost, trying again every 2 s", path,
                     jfr_writer_error(writer)->text);
        is_failing = is_logged = true;
        retry_at = now + RETRY_NS;
        quiet_at = now + QUIET_NS;
    } else if (rc == 0) {
        is_failing = false;
        if (is_logged && now >= quiet_at) {
            is_logged = false;
            log_line(LOG_ERROR, "'%s' can be written again", path);
        }
    }
}

static bool has_lost_name(void)
{
    return watch.state == FILE_MOVED || watch.state == FILE_REMOVED;
}

/* The name under which a file that was removed is written again in the end. */
static void name_again(char out[PATH_MAX + 8])
{
    size_t n = strlen(path), stem = n > 4 && strcmp(path + n - 4, ".jfr") == 0 ? n - 4 : n;
    struct stat st;
    bool is_free = lstat(path, &st) != 0;

    snprintf(out, PATH_MAX + 8, "%.*s%s%s", (int)stem, path, is_free ? "" : "-again", path + stem);
}

/* Describes the names of the files for the log. */
static void describe_name(char out[2 * PATH_MAX])
{
    char again[PATH_MAX + 8];

    name_again(again);
    if (watch.state == FILE_MOVED)
        snprintf(out, 2 * PATH_MAX, "it was moved; the recording continues there");
    else if (final_path[0] != 0)
        snprintf(out, 2 * PATH_MAX, "it was removed; what it holds is kept for '%s'", final_path);
    else
        snprintf(out, 2 * PATH_MAX, "it was removed; it is written again at the end, as '%s'",
                 again);
}

static void look_for_name(void)
{
    char text[2 * PATH_MAX];

    if (!file_watch_look(&watch, path))
        return;
    describe_name(text);
    log_line(LOG_ERROR, "'%s': %s", path, text);
}

/* The flushed part of the current file. */
static struct segment current(void)
{
    struct segment c = {.path = path, .is_open = true};

    c.bytes = jfr_writer_used(writer, &c.chunk_at);
    if (has_lost_name())
        c.fd = watch.fd;
    return c;
}

static void limit(const struct recording *r, int64_t now)
{
    int64_t size = given(r->options->max_size, 0), age = given(r->options->max_age, 0);
    uint64_t open = current().bytes;

    if (!is_split)
        return;
    if (size > 0 && open >= (uint64_t)size)
        size = 1; /* deletes all of them */
    else if (size > 0)
        size -= (int64_t)open;
    segments_limit(&closed, (uint64_t)size, age > 0 ? now - age : 0);
}

/* Adds a file to the list, which takes its descriptor. */
static int keep(const struct segment *c)
{
    int rc = segments_add(&closed, c);

    if (rc == 0 && c->fd > 0)
        watch.state = FILE_UNSEEN;
    return rc;
}

/* Begins the next file. */
static int next_file(struct recording *r, int64_t now)
{
    char old[PATH_MAX], why[REPLY_WHY];
    struct segment c = current();
    struct jfr_error err = {0};

    memcpy(old, path, sizeof(old));
    number++;
    if (expand(r, pattern, path, why) != 0 || jfr_writer_move(writer, path, now, &err) != 0) {
        number--;
        memcpy(path, old, sizeof(path));
        return jfr_writer_rotate(writer, now); /* the next chunk is in the same file */
    }
    if (err.code != 0)
        log_line(LOG_ERROR, "'%s': %s", old, err.text);
    c.path = old;
    c.ended = now;
    keep(&c);
    file_watch_end(&watch);
    return jfr_writer_flush(writer, now); /* so that the file has its name */
}

/* The writer's stacks and names grow in a recording of months. They are forgotten when those that
 * the last chunk did not use are many beside a chunk. Forgetting costs writing the used ones again.
 */
static bool must_forget(const struct recording *r)
{
    int64_t size = chunk_size(r->options), most = size > 0 ? size / 4 : CHUNK_SIZE;
    struct jfr_writer_stats stats;

    jfr_writer_stats(writer, &stats);
    return stats.constant_bytes >= (uint64_t)most;
}

static int next_output_chunk(struct recording *r, int64_t now)
{
    bool forgets = must_forget(r);
    int rc;

    if (forgets)
        keys_keep(r);
    rc = jfr_writer_flush(writer, now);
    if (rc == 0)
        rc = is_split ? next_file(r, now) : jfr_writer_rotate(writer, now);
    if (rc == 0 && forgets) {
        jfr_writer_forget(writer, now);
        keys_forget(r);
    }
    chunk_began = now;
    chunk_bytes = bytes_so_far();
    return rc;
}

/* Another program has truncated the file, as logrotate does with copytruncate. Its content is lost,
 * and data written after it could not be read, so the file is begun again. */
static void begin_again_if_cut(int64_t now)
{
    uint64_t chunk_at, used = jfr_writer_used(writer, &chunk_at);
    struct jfr_error err = {0};

    if (watch.state != FILE_THERE || !file_watch_is_shorter(&watch, used))
        return;
    log_line(LOG_ERROR,
             "'%s' was cut by another program: what it held is lost, and a new file begins under "
             "the same name",
             path);
    atomic_fetch_add(&lost_bytes, used);
    file_watch_end(&watch);
    if (jfr_writer_move(writer, path, now, &err) != 0)
        log_line(LOG_ERROR, "'%s': %s", path, err.text);
}

void output_flush(struct recording *r, int64_t now)
{
    bool ends_chunk = now != 0 && output_is_chunk_due(r, now);
    uint64_t chunk_at;

    if (now == 0)
        now = jfr_writer_now();
    look_for_name();
    begin_again_if_cut(now);
    if (is_failing && now >= retry_at) {
        retry_at = now + RETRY_NS;
        jfr_writer_retry(writer);
    }
    log_result(ends_chunk ? next_output_chunk(r, now) : jfr_writer_flush(writer, now), now);
    if (jfr_writer_used(writer, &chunk_at) > 0)
        file_watch_begin(&watch, path);
    limit(r, now);
}

/* Compares files, not names: links and "./" lead to the same file. */
static bool is_same_file(const char *name, const char *other)
{
    struct stat a, b;

    return lstat(name, &a) == 0 && lstat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* A copy replaces a file of its name, so it must not be a file of the recording. */
static bool is_file_of_recording(const char *name)
{
    bool is = !has_lost_name() && is_same_file(name, path);

    for (size_t i = 0; !is && i < closed.n; i++)
        is = closed.all[i].fd <= 0 && is_same_file(name, closed.all[i].path);
    return is;
}

int output_dump(const struct recording *r, const char *to, struct buf *reply, char why[REPLY_WHY])
{
    struct jfr_error err = {0};
    struct segment c = current();
    char name[PATH_MAX];
    uint64_t bytes = 0;
    int rc;

    if (expand(r, to, name, why) != 0)
        return -1;
    if (c.bytes == 0 || is_file_of_recording(name)) {
        snprintf(why, REPLY_WHY,
                 c.bytes == 0 ? "there is nothing to copy, or no plain file"
                              : "that is the file being written");
        return -1;
    }
    rc = segments_add(&closed, &c);
    if (rc == 0) {
        rc = segments_join(&closed, name, &err);
        for (size_t i = 0; i < closed.n; i++)
            bytes += closed.all[i].bytes;
        free(closed.all[--closed.n].path);
    }
    if (rc != 0) {
        snprintf(why, REPLY_WHY, "'%.300s': %s", name, err.code != 0 ? err.text : "no memory");
        return -1;
    }
    bytes += jfrsync_merge(name);
    buf_printf(reply, "file: %s\nbytes: %llu\n", name, (unsigned long long)bytes);
    return 0;
}

static size_t n_nameless(void)
{
    size_t n = 0;

    for (size_t i = 0; i < closed.n; i++)
        n += closed.all[i].fd > 0;
    return n;
}

/* Adds new fields of event types to all files of the recording. */
static int rewrite(struct recording *r, struct jfr_error *err)
{
    uint64_t all = current().bytes;

    (void)r;
    if (!jfr_writer_needs_rewrite(writer))
        return 0;
    look_for_name();
    for (size_t i = 0; i < closed.n; i++)
        all += closed.all[i].bytes;
    if (all > REWRITE_MAX)
        return jfr_fail(err, JFR_E_LIMIT, 0, "%llu MB are too many to be copied",
                        (unsigned long long)(all >> 20));
    if (has_lost_name() || n_nameless() > 0)
        return jfr_fail(err, JFR_E_IO, 0, "a file was moved or removed");
    for (size_t i = 0; i < closed.n; i++) {
        struct segment *c = &closed.all[i];

        if (jfr_writer_rewrite_file(writer, c->path, &c->bytes, &c->chunk_at, err) != 0)
            return err->code;
    }
    if (jfr_writer_rewrite(writer, path, err) != 0)
        return err->code;
    file_watch_end(&watch); /* the next flush watches the new file */
    return 0;
}

void output_status(struct buf *reply)
{
    if (is_failing)
        buf_printf(reply, "failing: %s\n", jfr_writer_error(writer)->text);
    if (has_lost_name()) {
        char text[2 * PATH_MAX];

        describe_name(text);
        buf_printf(reply, "file-note: %s\n", text);
    } else if (n_nameless() > 0) {
        buf_printf(reply,
                   "file-note: %zu of them lost their names; what they hold is kept for the end\n",
                   n_nameless());
    }
    if (is_split)
        buf_printf(reply, "files: %zu\nfiles-removed: %llu\nwriting: %s\n", closed.n + 1,
                   (unsigned long long)closed.n_removed, path);
}

/* Joins the files under the final name. */
static void join(const struct segment *last)
{
    struct jfr_error err = {0};

    if ((last->bytes > 0 && keep(last) != 0) || segments_join(&closed, final_path, &err) != 0)
        log_line(LOG_ERROR, "'%s': %s; the recording stays in the numbered files", final_path,
                 err.code != 0 ? err.text : "no memory");
    else
        segments_remove(&closed);
}

/* Gives a name to a file that was removed. */
static void write_again(struct segment *last)
{
    struct segments one = {.all = last, .n = 1};
    struct jfr_error err = {0};
    char again[PATH_MAX + 8];

    name_again(again);
    if (segments_join(&one, again, &err) != 0)
        log_line(LOG_ERROR, "the recording, whose file was removed, is lost: '%s': %s", again,
                 err.text);
}

void output_close(struct recording *r)
{
    struct jfr_error err = {0};
    struct segment last;

    if (writer == NULL)
        return;
    file_watch_look(&watch, path);
    last = current();
    if (jfr_writer_close(writer, &err) != 0 && !is_logged)
        log_line(LOG_ERROR, "'%s': %s", path, err.text);
    writer = NULL;
    if (final_path[0] != 0 && (last.bytes > 0 || closed.n > 0))
        join(&last);
    else if (watch.state == FILE_REMOVED && last.bytes > 0)
        write_again(&last);
    segments_free(&closed);
    file_watch_end(&watch);
    r->writer = NULL;
}
