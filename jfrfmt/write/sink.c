/*
 * sink.c - the only place in which the writer opens, writes, renames and closes files.
 *
 * Bytes are gathered in a buffer of 64 kB. A file is written in place through pwrite, a stream in
 * order, with zstd if it is requested. All changes go through a table of calls, so that tests can
 * log them or let them fail.
 */
#include "jfrfmt/write/sink.h"

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/ascii.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zstd.h>

#define BUFFER ((size_t)64 << 10)
#define LEVEL 3 /* of zstd: half a gigabyte a second, a quarter of the size */

struct sink {
    const struct sink_calls *calls;
    int fd;
    bool is_file; /* written in place */
    bool can_cut; /* a regular file, though written in order */
    bool replace;
    bool published;
    char *name; /* that was requested; NULL: none, or published from the start */
    char *part; /* the file's name until it is published */
    uint64_t at; /* where the buffer goes, or how many bytes of a stream are out */
    uint64_t mark; /* end of the last good unit of a stream */
    size_t n;
    ZSTD_CCtx *zstd;
    struct buf packed;
    struct jfr_error error;
    uint8_t bytes[BUFFER];
};

static int insert_range(int fd, off_t at, off_t n)
{
    return fallocate(fd, FALLOC_FL_INSERT_RANGE, at, n);
}

static const struct sink_calls system_calls = {
    .pwrite = pwrite,
    .write = write,
    .ftruncate = ftruncate,
    .insert = insert_range,
    .fdatasync = fdatasync,
    .close = close,
};

static int fail(struct sink *s, uint64_t at, const char *what)
{
    int reason = errno == 0 ? EIO : errno;

    return jfr_fail(&s->error, JFR_E_IO, at, "cannot %s: %s", what, strerror(reason));
}

static struct sink *new_sink(const struct sink_options *options, bool zstd, struct jfr_error *err)
{
    struct sink *s = calloc(1, sizeof(*s));

    if (s != NULL) {
        s->fd = -1;
        s->calls = options->calls == NULL ? &system_calls : options->calls;
        s->replace = options->replace;
        if (zstd)
            s->zstd = ZSTD_createCCtx();
    }
    if (s == NULL || (zstd && s->zstd == NULL)) {
        free(s);
        jfr_fail(err, JFR_E_NOMEM, 0, "no memory for output");
        return NULL;
    }
    if (zstd)
        ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, LEVEL);
    return s;
}

static void free_sink(struct sink *s)
{
    ZSTD_freeCCtx(s->zstd);
    buf_free(&s->packed);
    free(s->name);
    free(s->part);
    free(s);
}

/* What stands where the file shall be must be nothing, or ours to replace. */
static int check_name(const char *name, bool replace, struct jfr_error *err)
{
    struct stat st;

    if (lstat(name, &st) != 0) {
        if (errno == ENOENT)
            return 0;
        return jfr_fail(err, JFR_E_IO, 0, "cannot write here: %s", strerror(errno));
    }
    if (!replace)
        return jfr_fail(err, JFR_E_IO, 0, "the file exists already and is not replaced");
    if (!S_ISREG(st.st_mode))
        return jfr_fail(err, JFR_E_IO, 0, "only a regular file can be replaced");
    if (st.st_uid != geteuid())
        return jfr_fail(err, JFR_E_IO, 0, "the file exists already and belongs to another user");
    return 0;
}

static int make_part(struct sink *s)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

    for (unsigned i = 0; i < 100; i++) {
        free(s->part);
        if (asprintf(&s->part, "%s.%ld-%u.part", s->name, (long)getpid(), i) < 0) {
            s->part = NULL;
            return jfr_fail(&s->error, JFR_E_NOMEM, 0, "no memory for output");
        }
        s->fd = open(s->part, flags, 0600);
        if (s->fd >= 0)
            return fchmod(s->fd, 0600) == 0 ? 0 : fail(s, 0, "set the file's mode");
        if (errno != EEXIST)
            break;
    }
    fail(s, 0, "create the file");
    free(s->part);
    s->part = NULL;
    return s->error.code;
}

struct sink *sink_open(const char *name, const struct sink_options *options, struct jfr_error *err)
{
    struct sink *s;

    if (strcmp(name, "-") == 0) {
        struct sink_options in_order = *options;
        int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

        in_order.stream = true; /* others may write there before and after us */
        if (fd >= 0)
            return sink_open_fd_take(fd, &in_order, err);
        jfr_fail(err, JFR_E_IO, 0, "cannot use standard output: %s", strerror(errno));
        return NULL;
    }
    if (check_name(name, options->replace, err) != 0)
        return NULL;
    s = new_sink(options, options->zstd || ascii_ends_with(name, ".zst"), err);
    if (s == NULL)
        return NULL;
    s->name = strdup(name);
    if (s->name == NULL)
        jfr_fail(&s->error, JFR_E_NOMEM, 0, "no memory for output");
    else if (make_part(s) == 0) {
        s->is_file = s->zstd == NULL && !options->stream;
        s->can_cut = true;
        return s;
    }
    sink_close(s, err);
    return NULL;
}

struct sink *sink_open_fd_take(int fd, const struct sink_options *options, struct jfr_error *err)
{
    struct sink *s = new_sink(options, options->zstd, err);
    struct stat st;

    if (s == NULL) {
        close(fd);
        return NULL;
    }
    s->fd = fd;
    s->published = true;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0 &&
        !(fcntl(fd, F_GETFL) & O_APPEND)) {
        s->is_file = s->zstd == NULL && !options->stream;
        s->can_cut = !options->stream;
    }
    return s;
}

bool sink_is_file(const struct sink *s)
{
    return s->is_file;
}

int sink_fd(const struct sink *s)
{
    return s->fd;
}

const struct jfr_error *sink_error(const struct sink *s)
{
    return &s->error;
}

/* All n bytes at once where the system allows; short writes are continued. */
static int write_to_sink(struct sink *s, const uint8_t *p, size_t n)
{
    while (n > 0 && s->error.code == 0) {
        ssize_t done =
            s->is_file ? s->calls->pwrite(s->fd, p, n, (off_t)s->at) : s->calls->write(s->fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(s, s->at, "write");
        p += done;
        n -= (size_t)done;
        s->at += (uint64_t)done;
    }
    return s->error.code;
}

static int compress(struct sink *s, const uint8_t *p, size_t n, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {p, n, 0};
    size_t left;

    if (!buf_reserve(&s->packed, ZSTD_CStreamOutSize()))
        return jfr_fail(&s->error, JFR_E_NOMEM, s->at, "no memory for output");
    do {
        ZSTD_outBuffer out = {s->packed.p, s->packed.room, 0};

        left = ZSTD_compressStream2(s->zstd, &out, &in, end);
        if (ZSTD_isError(left))
            return jfr_fail(&s->error, JFR_E_NOMEM, s->at, "zstd: %s", ZSTD_getErrorName(left));
        if (write_to_sink(s, s->packed.p, out.pos) != 0)
            return s->error.code;
    } while (left > 0 && (end == ZSTD_e_end || in.pos < in.size));
    return 0;
}

static int pass_on(struct sink *s, const uint8_t *p, size_t n)
{
    return s->zstd == NULL ? write_to_sink(s, p, n) : compress(s, p, n, ZSTD_e_continue);
}

int sink_flush(struct sink *s)
{
    size_t n = s->n;

    s->n = 0;
    return s->error.code != 0 ? s->error.code : pass_on(s, s->bytes, n);
}

int sink_put(struct sink *s, const void *bytes, size_t n)
{
    if (s->error.code != 0)
        return s->error.code;
    if (n > BUFFER - s->n && sink_flush(s) != 0)
        return s->error.code;
    if (n >= BUFFER)
        return pass_on(s, bytes, n);
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return 0;
}

int sink_seek(struct sink *s, uint64_t at)
{
    if (sink_flush(s) == 0)
        s->at = at;
    return s->error.code;
}

int sink_mark(struct sink *s)
{
    if (sink_flush(s) == 0 && s->zstd != NULL)
        compress(s, NULL, 0, ZSTD_e_end);
    if (s->error.code == 0)
        s->mark = s->at;
    return s->error.code;
}

int sink_patch(struct sink *s, uint64_t at, const void *bytes, size_t n)
{
    if (sink_seek(s, at) != 0)
        return s->error.code;
    return write_to_sink(s, bytes, n);
}

int sink_truncate(struct sink *s, uint64_t size)
{
    if (sink_flush(s) != 0)
        return s->error.code;
    while (s->calls->ftruncate(s->fd, (off_t)size) != 0)
        if (errno != EINTR)
            return fail(s, size, "set the file's size");
    return 0;
}

bool sink_insert(struct sink *s, uint64_t at, uint64_t n)
{
    return sink_flush(s) == 0 && s->calls->insert(s->fd, (off_t)at, (off_t)n) == 0;
}

int sink_in_order(struct sink *s)
{
    s->error = (struct jfr_error){0};
    s->n = 0;
    s->at = s->mark = 0;
    s->is_file = false;
    if (s->calls->ftruncate(s->fd, 0) != 0 || lseek(s->fd, 0, SEEK_SET) < 0)
        return fail(s, 0, "empty the file");
    return 0;
}

int sink_sync(struct sink *s)
{
    if (sink_flush(s) != 0)
        return s->error.code;
    while (s->calls->fdatasync(s->fd) != 0) {
        if (errno == EINVAL || errno == EROFS) /* a pipe */
            break;
        if (errno != EINTR)
            return fail(s, s->at, "flush to the device");
    }
    return 0;
}

/* renameat2 is refused by some file systems; then the name is checked and taken in two steps. */
static int take_name(const struct sink *s)
{
    if (s->replace)
        return rename(s->part, s->name);
    /* musl has no function for it. */
    if (syscall(SYS_renameat2, AT_FDCWD, s->part, AT_FDCWD, s->name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return link(s->part, s->name) == 0 ? unlink(s->part) : -1;
}

int sink_publish(struct sink *s)
{
    if (s->published || sink_flush(s) != 0)
        return s->error.code;
    if (check_name(s->name, s->replace, &s->error) != 0)
        return s->error.code;
    if (take_name(s) != 0)
        return fail(s, 0, "give the file its name");
    s->published = true;
    return 0;
}

void sink_clear(struct sink *s)
{
    s->error = (struct jfr_error){0};
    s->n = 0;
    if (s->zstd != NULL)
        ZSTD_CCtx_reset(s->zstd, ZSTD_reset_session_only);
    if (!s->is_file && s->can_cut && s->at > s->mark) {
        s->at = s->mark;
        if (ftruncate(s->fd, (off_t)s->mark) != 0 || lseek(s->fd, (off_t)s->mark, SEEK_SET) < 0)
            fail(s, s->mark, "cut the file back");
    }
}

static void cut_back(struct sink *s)
{
    struct jfr_error first = s->error;

    sink_clear(s);
    s->error = first;
}

int sink_close(struct sink *s, struct jfr_error *err)
{
    int code;

    if (s == NULL)
        return 0;
    if (s->fd >= 0) {
        if (sink_flush(s) != 0)
            cut_back(s);
        if (s->calls->close(s->fd) != 0)
            fail(s, s->at, "close the file");
    }
    if (!s->published && s->part != NULL)
        unlink(s->part);
    code = s->error.code;
    if (code != 0)
        jfr_fail(err, (enum jfr_errc)code, s->error.offset, "%s", s->error.text);
    free_sink(s);
    return code;
}
