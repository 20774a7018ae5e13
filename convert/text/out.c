/*
 * out.c - writes the output of a command to a file that appears whole or not at all.
 *
 * A named file is written under a temporary name beside its own and renamed by out_file_commit().
 * The temporary names are in a fixed table, so that the handler of SIGINT and SIGTERM can remove
 * the files without memory that another thread may be freeing. The files that the process reads are
 * registered here as well, because this is the one place where an output could replace one of them.
 */
#include "convert/text/out.h"
#include "jfrfmt/base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LETTERS 6
#define NAME_KEPT 240 /* bytes of a name that its temporary name keeps: it must fit in NAME_MAX */

struct out_file {
    int fd;
    int failed; /* errno of the first failed write, 0 = none */
    struct unfinished *temp; /* NULL: written in place */
    bool is_stdout, is_hidden;
    char path[]; /* the final name */
};

/* The names live here and not in the out_file, so that a signal handler never meets freed memory.
 * A name is complete before `used` becomes 2: the release pairs with the acquire in cleanup. */
static struct unfinished {
    atomic_int used; /* 0 free, 1 being filled, 2 in use */
    char name[PATH_MAX];
} unfinished[OUT_UNFINISHED];

/* Files that this process reads. */
static struct input {
    dev_t device;
    ino_t inode;
    char *name;
} * inputs;
static size_t n_inputs;

static struct unfinished *take_slot(void)
{
    for (size_t i = 0; i < OUT_UNFINISHED; i++) {
        int none = 0;

        if (atomic_compare_exchange_strong(&unfinished[i].used, &none, 1))
            return &unfinished[i];
    }
    return NULL;
}

void out_file_cleanup(void)
{
    int saved = errno;

    for (size_t i = 0; i < OUT_UNFINISHED; i++)
        if (atomic_load_explicit(&unfinished[i].used, memory_order_acquire) == 2)
            unlink(unfinished[i].name);
    errno = saved;
}

/* Puts random letters after the name; false when the system has none to give. */
static bool vary(char *at)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuv";
    unsigned char random[NAME_LETTERS];

    if (getrandom(random, sizeof(random), 0) != sizeof(random))
        return false;
    for (int i = 0; i < NAME_LETTERS; i++)
        at[i] = letters[random[i] % 32];
    return true;
}

/* Creates t->name, which ends in NAME_LETTERS letters to be varied. The name is registered before
 * the file exists, so there is no moment in which an interruption leaves it behind. */
static int create_temp(struct unfinished *t)
{
    char *letters = t->name + strlen(t->name) - NAME_LETTERS;

    for (int tries = 0; tries < 100; tries++) {
        int fd;

        atomic_store_explicit(&t->used, 1, memory_order_relaxed);
        if (!vary(letters))
            return -1;
        atomic_store_explicit(&t->used, 2, memory_order_release);
        fd = open(t->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static void remove_temp(struct out_file *f)
{
    if (f->temp == NULL)
        return;
    unlink(f->temp->name);
    atomic_store_explicit(&f->temp->used, 0, memory_order_release);
    f->temp = NULL;
}

/* Opens a temporary file beside f->path. 0, or -1 and errno. */
static int open_beside(struct out_file *f)
{
    const char *slash = strrchr(f->path, '/');
    int dir = slash == NULL ? 0 : (int)(slash + 1 - f->path);
    int n, saved;

    if (f->path[dir] == '\0' || strlen(f->path + dir) > NAME_MAX) {
        errno = f->path[dir] == '\0' ? ENOENT : ENAMETOOLONG;
        return -1;
    }
    f->temp = take_slot();
    if (f->temp == NULL) {
        errno = EMFILE;
        return -1;
    }
    n = snprintf(f->temp->name, PATH_MAX, "%.*s%s%.*s.XXXXXX", dir, f->path,
                 f->is_hidden ? "." : "", NAME_KEPT, f->path + dir);
    errno = ENAMETOOLONG;
    f->fd = n < 0 || n >= PATH_MAX ? -1 : create_temp(f->temp);
    if (f->fd >= 0 && fchmod(f->fd, 0600) == 0) /* whatever the umask took */
        return 0;
    saved = errno;
    if (f->fd >= 0) {
        close(f->fd);
        unlink(f->temp->name);
    }
    atomic_store_explicit(&f->temp->used, 0, memory_order_release);
    f->temp = NULL;
    errno = saved;
    return -1;
}

/* Must this be opened as it is: a device, a fifo, a directory (which fails then), a link to one of
 * them, or one of the names of an open descriptor? Any other link is replaced like a file. */
static bool opens_in_place(const char *path)
{
    struct stat st;

    if (strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
        strncmp(path, "/proc/", 6) == 0)
        return true;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int open_path(struct out_file *f)
{
    if (f->is_stdout) {
        f->fd = STDOUT_FILENO;
        return 0;
    }
    if (!opens_in_place(f->path))
        return open_beside(f);
    f->fd = open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return f->fd < 0 ? -1 : 0;
}

/* The message ends with the reason, so a long name is cut at its start. */
static int fail(struct jfr_error *err, const char *path, int reason)
{
    size_t n = strlen(path), cut = n > 120 ? n - 120 : 0;

    return jfr_fail(err, JFR_E_IO, 0, "cannot write %s%s: %s", cut > 0 ? "..." : "", path + cut,
                    strerror(reason));
}

int out_stem_length(const char *name)
{
    static const char *const endings[] = {".gz", ".zst", ".lz4", ".zip", ".jfr"};
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t m = strlen(endings[i]);

        if (n > m && memcmp(name + n - m, endings[i], m) == 0)
            n -= m;
    }
    return (int)n;
}

bool out_is_html(const char *name)
{
    size_t n = name == NULL ? 0 : strlen(name);

    return n > 5 && strcmp(name + n - 5, ".html") == 0;
}

static bool is_standard(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

static bool is_regular(const char *path, int standard_fd, struct stat *st)
{
    return (is_standard(path) ? fstat(standard_fd, st) : stat(path, st)) == 0 &&
           S_ISREG(st->st_mode);
}

bool out_file_add_input(const char *path)
{
    struct stat st;
    char *name;

    if (!is_regular(path, STDIN_FILENO, &st))
        return true;
    if (!array_add(&inputs, n_inputs, sizeof(*inputs)))
        return false;
    name = strdup(is_standard(path) ? "standard input" : path);
    if (name == NULL)
        return false;
    inputs[n_inputs++] = (struct input){st.st_dev, st.st_ino, name};
    return true;
}

const char *out_file_same_input(const char *path)
{
    struct stat st;

    if (n_inputs == 0 || !is_regular(path, STDOUT_FILENO, &st))
        return NULL;
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i].device == st.st_dev && inputs[i].inode == st.st_ino)
            return inputs[i].name;
    return NULL;
}

static struct out_file *open_named(const char *path, bool is_hidden, struct jfr_error *err)
{
    bool is_stdout = is_standard(path);
    const char *name = is_stdout ? "standard output" : path;
    size_t n = strlen(name) + 1;
    struct out_file *f;

    if (out_file_same_input(path) != NULL) {
        jfr_fail(err, JFR_E_IO, 0, "cannot write %.120s: it is one of the inputs", name);
        return NULL;
    }
    f = calloc(1, sizeof(*f) + n);
    if (f == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        return NULL;
    }
    memcpy(f->path, name, n);
    f->is_stdout = is_stdout;
    f->is_hidden = is_hidden;
    if (open_path(f) == 0)
        return f;
    fail(err, name, errno);
    free(f);
    return NULL;
}

struct out_file *out_file_open(const char *path, struct jfr_error *err)
{
    return open_named(path, false, err);
}

struct out_file *out_file_open_hidden(const char *path, struct jfr_error *err)
{
    return open_named(path, true, err);
}

int out_file_write(struct out_file *f, const void *p, size_t n)
{
    const char *at = p;

    while (n > 0 && f->failed == 0) {
        ssize_t done = write(f->fd, at, n);

        if (done >= 0) {
            at += done;
            n -= (size_t)done;
        } else if (errno == EAGAIN) { /* another process made our standard output non-blocking */
            struct pollfd ready = {.fd = f->fd, .events = POLLOUT};

            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            f->failed = errno;
        }
    }
    return f->failed != 0 ? JFR_E_IO : 0;
}

bool out_file_can_patch(const struct out_file *f)
{
    return f->temp != NULL;
}

int out_file_patch(struct out_file *f, uint64_t at, const void *p, size_t n)
{
    const char *from = p;

    while (n > 0 && f->failed == 0) {
        ssize_t done = pwrite(f->fd, from, n, (off_t)at);

        if (done >= 0) {
            from += done;
            at += (uint64_t)done;
            n -= (size_t)done;
        } else if (errno != EINTR) {
            f->failed = errno;
        }
    }
    return f->failed != 0 ? JFR_E_IO : 0;
}

int out_file_commit(struct out_file *f, struct jfr_error *err)
{
    int failed = f->failed, rc = 0;

    if (!f->is_stdout && close(f->fd) != 0 && failed == 0)
        failed = errno;
    if (failed == 0 && f->temp != NULL) {
        if (rename(f->temp->name, f->path) != 0) {
            failed = errno;
        } else {
            atomic_store_explicit(&f->temp->used, 0, memory_order_release);
            f->temp = NULL;
        }
    }
    if (failed != 0)
        rc = fail(err, f->path, failed);
    remove_temp(f);
    free(f);
    return rc;
}

void out_file_abort(struct out_file *f)
{
    if (f == NULL)
        return;
    if (!f->is_stdout)
        close(f->fd);
    remove_temp(f);
    free(f);
}

static int drain_to_file(struct out *o)
{
    if (o->rc == 0)
        o->rc = out_file_write(o->ctx, o->b.p, o->b.n);
    o->b.n = 0;
    return o->rc;
}

struct out out_to(struct out_file *f)
{
    return (struct out){.drain = drain_to_file, .ctx = f};
}

unsigned out_columns(const struct out *o)
{
    const struct out_file *f = o->ctx;
    struct winsize size;

    if (o->drain != drain_to_file || !isatty(f->fd) || ioctl(f->fd, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

int out_flush(struct out *o)
{
    if (o->rc == 0 && !buf_ok(&o->b))
        o->rc = JFR_E_NOMEM;
    return o->rc != 0 ? o->rc : o->drain(o);
}

void out_free(struct out *o)
{
    buf_free(&o->b);
}
