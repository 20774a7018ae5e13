/*
 * follow.c - reads what is new in recordings that are being written. A chunk that grows is loaded
 * anew each time, and the events that were read before are stepped over.
 *
 * A recorder may replace its file by one with the same chunks, in which event types have more
 * fields (ours does when a program defines a context), or join its files in the end. So a chunk is
 * known by the time of its start, in whatever file it is, and what was read of it is a number of
 * events.
 */
#include "convert/driver/follow.h"

#include "jfrfmt/base/array.h"
#include "jfrfmt/base/ascii.h"
#include "jfrfmt/base/hashtable.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STATE_AT 64 /* a byte of a chunk's header, CHANGING while the header changes */
#define CHANGING 255
#define OPEN_MOST 4 /* files, the newest ones */

struct followed_chunk {
    int64_t start_nanos, start_ticks;
    uint64_t n_events; /* that were read */
};

struct follow_file {
    char *path;
    int fd; /* kept open, so that what was written before the file is removed can be read; -1: no
             * more of it will come */
    dev_t dev;
    ino_t ino;
    struct timespec changed;
    off_t size;
    uint64_t chunk_at; /* offset of the chunk that was read last */
    uint64_t read_to; /* offset of what was not read yet */
};

struct follow {
    struct follow_how how;
    void *worker; /* of the job */
    struct jfr_chunk *chunk;
    struct follow_file *files;
    size_t n_files;
    struct followed_chunk *chunks; /* read so far */
    size_t n_chunks;
    struct hashtable by_start; /* of chunks */
    bool is_silent; /* events are stepped over, the job does not get them */
};

struct follow *follow_new(const struct follow_how *how)
{
    struct follow *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return NULL;
    f->how = *how;
    f->chunk = jfr_chunk_new();
    f->worker = how->job.worker_new(how->job.shared);
    if (f->worker != NULL && f->chunk != NULL)
        return f;
    follow_free(f);
    return NULL;
}

static void close_file(struct follow_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

void follow_free(struct follow *f)
{
    if (f == NULL)
        return;
    if (f->worker != NULL)
        f->how.job.worker_free(f->worker);
    jfr_chunk_free(f->chunk);
    for (size_t i = 0; i < f->n_files; i++) {
        close_file(&f->files[i]);
        free(f->files[i].path);
    }
    free(f->files);
    free(f->chunks);
    hashtable_free(&f->by_start);
    free(f);
}

/* What was read of a chunk; nothing of one that was not seen yet. NULL if out of memory. */
static struct followed_chunk *chunk_of(struct follow *f, int64_t start_nanos, int64_t start_ticks)
{
    uint64_t hash = hash_number((uint64_t)start_nanos ^ hash_number((uint64_t)start_ticks));
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&f->by_start, hash, &at)) != HASHTABLE_END;)
        if (f->chunks[i].start_nanos == start_nanos && f->chunks[i].start_ticks == start_ticks)
            return &f->chunks[i];
    if (!array_add(&f->chunks, f->n_chunks, sizeof(*f->chunks)) ||
        !hashtable_add(&f->by_start, hash, f->n_chunks))
        return NULL;
    f->chunks[f->n_chunks] =
        (struct followed_chunk){.start_nanos = start_nanos, .start_ticks = start_ticks};
    return &f->chunks[f->n_chunks++];
}

/* Is this the file that was met? A file system gives the number of a deleted file to a new one, so
 * when the file is not open any more its name and time must be the same, too. */
static bool is_met_file(const struct follow_file *file, const char *path, const struct stat *st)
{
    if (file->dev != st->st_dev || file->ino != st->st_ino)
        return false;
    return file->fd >= 0 ||
           (strcmp(file->path, path) == 0 && file->changed.tv_sec == st->st_mtim.tv_sec &&
            file->changed.tv_nsec == st->st_mtim.tv_nsec);
}

/* Opens a file that was not met before, or that is another one under the same name. Returns false
 * if out of memory. */
static bool meet_file(struct follow *f, const char *path, const struct stat *st)
{
    struct follow_file *file;

    for (size_t i = 0; i < f->n_files; i++)
        if (is_met_file(&f->files[i], path, st))
            return true;
    if (!array_add(&f->files, f->n_files, sizeof(*f->files)))
        return false;
    file = &f->files[f->n_files];
    *file = (struct follow_file){.path = strdup(path),
                                 .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK),
                                 .dev = st->st_dev,
                                 .ino = st->st_ino,
                                 .size = -1};
    f->n_files++;
    return file->path != NULL;
}

/* Sets the range of the events that are complete and were not read yet. Returns false if there is
 * none. */
static bool find_new_events(struct followed_chunk *read, struct run_chunk *rc, uint64_t complete)
{
    uint64_t n = 0;
    struct jfr_event ev;

    while (jfr_chunk_next(rc->chunk, &ev) > 0 && ev.offset + ev.size <= complete) {
        if (n++ < read->n_events)
            continue;
        if (rc->to == 0)
            rc->from = ev.offset;
        rc->to = ev.offset + ev.size;
    }
    if (n > read->n_events)
        read->n_events = n;
    jfr_chunk_rewind(rc->chunk);
    return rc->to > 0;
}

/* Reads a chunk as far as it is complete. */
static int follow_chunk(struct follow *f, struct follow_file *file, const struct jfr_raw *raw,
                        struct out *out)
{
    struct run_chunk rc = {
        .chunk = f->chunk, .path = file->path, .file = (uint32_t)(file - f->files)};
    const struct jfr_chunk_header *h;
    struct followed_chunk *read;
    struct jfr_error err = {0};
    int code;

    if (raw->declared == 0 || (raw->n > STATE_AT && raw->bytes[STATE_AT] == CHANGING))
        return 0;
    if (jfr_chunk_load(f->chunk, raw, &err) != 0)
        return err.code == JFR_E_NOMEM ? JFR_E_NOMEM : 0; /* not there yet, or damaged */
    h = jfr_chunk_header(f->chunk);
    read = chunk_of(f, h->start_nanos, h->start_ticks);
    if (read == NULL)
        return JFR_E_NOMEM;
    rc.number = (uint32_t)(read - f->chunks);
    file->chunk_at = raw->offset;
    file->read_to = raw->offset + raw->declared;
    if (!find_new_events(read, &rc, raw->declared) || f->is_silent)
        return 0;
    code = f->how.job.chunk(f->worker, &rc, out);
    if (code == 0)
        code = f->how.job.merge(f->how.job.shared, f->worker, &rc);
    return code != 0 || f->how.end == NULL ? code : f->how.end(f->how.job.shared, out);
}

static int follow_chunks(struct follow *f, struct follow_file *file, struct jfr_source *source,
                         struct out *out)
{
    struct jfr_error err = {0};
    struct jfr_raw raw;
    int rc, code = 0;

    while (code == 0 && (rc = jfr_source_next(source, &raw, &err)) != 0) {
        if (rc < 0 && jfr_source_done(source))
            return err.code == JFR_E_NOMEM ? JFR_E_NOMEM : 0;
        err = (struct jfr_error){0};
        if (rc < 0)
            continue;
        if (raw.offset >= file->chunk_at)
            code = follow_chunk(f, file, &raw, out);
        jfr_source_release(source, &raw);
    }
    return code;
}

static bool has_changed(struct follow_file *file)
{
    struct timespec now;
    struct stat st;
    bool is_same;

    if (fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        clock_gettime(CLOCK_REALTIME, &now) != 0)
        return false;
    /* A change within the same tick of the file system's clock leaves the time as it was. */
    is_same = st.st_size == file->size && st.st_mtim.tv_sec == file->changed.tv_sec &&
              st.st_mtim.tv_nsec == file->changed.tv_nsec && now.tv_sec - st.st_mtim.tv_sec > 2;
    /* Recorders cut off room that they did not need; less than was read is a file that was emptied,
     * and is written again. */
    if ((uint64_t)st.st_size < file->read_to)
        file->chunk_at = file->read_to = 0;
    file->size = st.st_size;
    file->changed = st.st_mtim;
    return !is_same;
}

/* Reads what is new in a file. */
static int read_open_file(struct follow *f, struct follow_file *file, struct out *out)
{
    struct jfr_error err = {0};
    struct jfr_source *source;
    int code, fd = dup(file->fd);

    source = fd < 0 ? NULL : jfr_source_open_fd_take(fd, &err);
    if (source == NULL) /* empty so far */
        return err.code == JFR_E_NOMEM ? JFR_E_NOMEM : 0;
    code = follow_chunks(f, file, source, out);
    jfr_source_close(source);
    return code;
}

/* Reads all files that are open. Of a file that no longer changes no more comes, once there are
 * newer ones. */
static int read_files(struct follow *f, struct out *out)
{
    int code = 0;

    for (size_t i = 0; i < f->n_files && code == 0; i++) {
        struct follow_file *file = &f->files[i];

        if (file->fd >= 0 && has_changed(file))
            code = read_open_file(f, file, out);
        else if (i + OPEN_MOST < f->n_files)
            close_file(file);
    }
    return code;
}

/* --- folders --- */

static int is_recording_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.' &&
           (ascii_ends_with(entry->d_name, ".jfr") || ascii_ends_with(entry->d_name, ".part"));
}

/* Returns 0 or JFR_E_NOMEM. */
static int meet_files_of(struct follow *f, const char *folder)
{
    struct dirent **names = NULL;
    int n = scandir(folder, &names, is_recording_name, alphasort), code = 0;

    for (int i = 0; i < n; i++) {
        char *path = NULL;
        struct stat st;

        bool good = code == 0 && asprintf(&path, "%s/%s", folder, names[i]->d_name) >= 0;

        if (good && lstat(path, &st) == 0 && S_ISREG(st.st_mode))
            good = meet_file(f, path, &st);
        code = good ? 0 : JFR_E_NOMEM;
        free(path);
        free(names[i]);
    }
    free(names);
    return code;
}

/* What was there at the last call is read once more even if it was removed since. */
int follow_read(struct follow *f, const char *path, bool *is_there, struct out *out)
{
    struct stat st;
    int code = 0;

    *is_there = stat(path, &st) == 0;
    if (*is_there && S_ISDIR(st.st_mode))
        code = meet_files_of(f, path);
    else if (*is_there && !meet_file(f, path, &st))
        code = JFR_E_NOMEM;
    return code != 0 ? code : read_files(f, out);
}

void follow_save(const struct follow *f, struct buf *text)
{
    for (size_t i = 0; i < f->n_chunks; i++)
        buf_printf(text, "%" PRId64 " %" PRId64 " %" PRIu64 "\n", f->chunks[i].start_nanos,
                   f->chunks[i].start_ticks, f->chunks[i].n_events);
}

bool follow_restore(struct follow *f, const char *text)
{
    while (*text != '\0') {
        struct followed_chunk *chunk;
        int64_t nanos, ticks;
        uint64_t n;
        int end = 0;

        if (sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNu64 "\n%n", &nanos, &ticks, &n, &end) < 3 ||
            end == 0)
            return false;
        chunk = chunk_of(f, nanos, ticks);
        if (chunk == NULL)
            return false;
        chunk->n_events = n;
        text += end;
    }
    return true;
}

int follow_poll(struct follow *f, const char *path, bool *is_there, struct out *out)
{
    int code = follow_read(f, path, is_there, out);

    return code != 0 ? code : out_flush(out);
}

int follow_skip_present(struct follow *f, const char *path)
{
    struct out none = {.drain = NULL}; /* which gets nothing */
    bool is_there;
    int code;

    f->is_silent = true;
    code = follow_read(f, path, &is_there, &none);
    f->is_silent = false;
    return code;
}
