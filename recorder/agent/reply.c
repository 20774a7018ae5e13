/*
 * reply.c - appends the reply to the file that the process which has attached has made for it.
 *
 * The path comes from the options of the attach command, so only a regular file of our own user
 * is opened, and no link is followed. Called on ordinary threads, not in signal handlers.
 */
#include "recorder/agent/reply.h"

#include "recorder/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_ours(const char *path)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

static int write_reply(int fd, const uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

static bool is_of_jfrec(const char *path)
{
    const char *name = strrchr(path, '/');

    return name != NULL && strncmp(name, "/.jfrec-", 8) == 0;
}

int reply_send(const char *path, const struct buf *reply)
{
    bool is_error = reply->n > 7 && memcmp(reply->p, "error: ", 7) == 0;
    int fd, rc;

    if (path == NULL) {
        if (is_error)
            log_line(LOG_ERROR, "%.*s", (int)reply->n - 8, (const char *)reply->p + 7);
        return 0;
    }
    fd = open_ours(path);
    if (fd < 0) {
        log_line(LOG_ERROR, "no answer into '%s': %s", path, strerror(errno));
        return -1;
    }
    rc = write_reply(fd, reply->p, reply->n);
    if (is_of_jfrec(path) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    if (close(fd) != 0)
        rc = -1;
    return rc;
}
