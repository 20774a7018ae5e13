/*
 * follow.c - reads what is new in recordings that are being written. A chunk that grows is loaded
 * anew each time, and the events that were printed before are stepped over.
 */
#include "convert/print/follow.h"

#include "jfrfmt/base/array.h"
#include "jfrfmt/base/ascii.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STATE_AT 64 /* a byte of a chunk's header, CHANGING while the header changes */
#define CHANGING 255
#define OPEN_MOST 4 /* files, the newest ones */

struct follow_file {
    char *path;
    int fd; /* kept open, so that what was written before the file is removed can be read; -1: no
             * more of it will come */
    dev_t dev;
    ino_t ino;
    struct timespec changed;
    off_t size;
    uint64_t chunk_at; /* offset of the chunk that was read last */
    uint64_t event_at; /* in this chunk, where the next event to read begins */
};

struct follow {
    struct print *print;
    struct run_job job;
    void *worker; /* of the job */
    struct jfr_chunk *chunk;
    struct follow_file *files;
    size_t n_files;
    uint32_t n_chunks;
    bool is_silent; /* events are stepped over, not printed */
};

struct follow *follow_new(const struct print_options *options, struct select *select)
{
    struct follow *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return NULL;
    f->print = print_new(options, select);
    f->chunk = jfr_chunk_new();
    if (f->print != NULL) {
        f->job = print_job(f->print);
        f->worker = f->job.worker_new(f->print);
    }
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
        f->job.worker_free(f->worker);
    print_free(f->print);
    jfr_chunk_free(f->chunk);
    for (size_t i = 0; i < f->n_files; i++) {
        close_file(&f->files[i]);
        free(f->files[i].path);
    }
    free(f->files);
    free(f);
}

/* Opens a file that was not met before, or that is another one under the same name. Returns false
 * if out of memory. */
static bool meet_file(struct follow *f, const char *path, const struct stat *st)
{
    struct follow_file *file;

    for (size_t i = 0; i < f->n_files; i++)
        if (f->files[i].dev == st->st_dev && f->files[i].ino == st->st_ino)
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

/* Reads a chunk as far as it is complete. */
static int follow_chunk(struct follow *f, struct follow_file *file, const struct jfr_raw *raw,
                        struct out *out)
{
    struct run_chunk rc = {.chunk = f->chunk,
                           .path = file->path,
                           .file = (uint32_t)(file - f->files),
                           .number = f->n_chunks};
    struct jfr_error err = {0};
    int code;

    if (raw->declared == 0 || (raw->n > STATE_AT && raw->bytes[STATE_AT] == CHANGING))
        return 0;
    if (jfr_chunk_load(f->chunk, raw, &err) != 0)
        return err.code == JFR_E_NOMEM ? JFR_E_NOMEM : 0; /* not there yet, or damaged */
    if (raw->offset != file->chunk_at || file->event_at == 0)
        f->n_chunks++;
    print_set_range(f->worker, raw->offset == file->chunk_at ? file->event_at : 0, raw->declared,
                    f->is_silent);
    print_begin(f->print, out);
    code = f->job.chunk(f->worker, &rc, out);
    if (code == 0)
        code = f->job.merge(f->print, f->worker, &rc);
    file->chunk_at = raw->offset;
    file->event_at = print_read_to(f->worker);
    return code != 0 ? code : print_end(f->print, out);
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
    if ((uint64_t)st.st_size < file->chunk_at + file->event_at)
        file->chunk_at = file->event_at = 0;
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
static int poll_path(struct follow *f, const char *path, bool *is_there, struct out *out)
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

int follow_poll(struct follow *f, const char *path, bool *is_there, struct out *out)
{
    int code = poll_path(f, path, is_there, out);

    return code != 0 ? code : out_flush(out);
}

int follow_skip_present(struct follow *f, const char *path)
{
    struct out none = {.drain = NULL}; /* which gets nothing */
    bool is_there;
    int code;

    f->is_silent = true;
    code = poll_path(f, path, &is_there, &none);
    f->is_silent = false;
    return code;
}
