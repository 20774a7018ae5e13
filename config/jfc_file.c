/*
 * jfc_file.c - reads a .jfc file into memory and gives it to the parser.
 *
 * Only regular files of at most 1 MiB are read; a pipe or a device is an error and never blocks.
 */
#include "config/jfc_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_with_errno(struct jfc_error *err, const char *path)
{
    return jfc_fail(err, JFC_E_IO, path, 0, "%s", strerror(errno));
}

/* At most room bytes, or -1 and errno. */
static ssize_t read_all(int fd, char *to, size_t room)
{
    size_t n = 0;

    while (n < room) {
        ssize_t got = read(fd, to + n, room - n);

        if (got == 0)
            break;
        if (got > 0)
            n += (size_t)got;
        else if (errno != EINTR)
            return -1;
    }
    return (ssize_t)n;
}

static int read_fd(struct jfc *c, const char *path, int fd, struct jfc_error *err)
{
    size_t room = JFC_FILE_MAX + 1; /* one more shows that the file is too long */
    struct stat st;
    ssize_t n;
    char *bytes;
    int rc;

    if (fstat(fd, &st) < 0)
        return fail_with_errno(err, path);
    if (!S_ISREG(st.st_mode))
        return jfc_fail(err, JFC_E_IO, path, 0, "not a regular file");
    bytes = malloc(room);
    if (bytes == NULL)
        return jfc_fail(err, JFC_E_NOMEM, path, 0, "out of memory");
    n = read_all(fd, bytes, room);
    rc = n < 0 ? fail_with_errno(err, path) : jfc_read_memory(c, path, bytes, (size_t)n, err);
    free(bytes);
    return rc;
}

int jfc_read_file(struct jfc *c, const char *path, struct jfc_error *err)
{
    /* A pipe without a writer must not keep us waiting. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;

    if (fd < 0)
        return fail_with_errno(err, path);
    rc = read_fd(c, path, fd, err);
    close(fd);
    return rc;
}
