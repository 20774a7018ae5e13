#include "recorder/base/file_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void file_watch_begin(struct file_watch *w, const char *path)
{
    struct stat st;
    int fd;

    if (w->state != FILE_UNSEEN)
        return;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return;
    }
    *w = (struct file_watch){FILE_THERE, fd, st.st_dev, st.st_ino};
}

static bool is_watched_file(const struct file_watch *w, const struct stat *st)
{
    return st->st_dev == w->device && st->st_ino == w->number;
}

bool file_watch_look(struct file_watch *w, const char *path)
{
    enum file_state before = w->state;
    struct stat st;

    if (before == FILE_UNSEEN)
        return false;
    if (stat(path, &st) == 0 && is_watched_file(w, &st))
        w->state = FILE_THERE;
    else if (fstat(w->fd, &st) == 0)
        w->state = st.st_nlink == 0 ? FILE_REMOVED : FILE_MOVED;
    return before == FILE_THERE && w->state != FILE_THERE;
}

bool file_watch_is_shorter(const struct file_watch *w, uint64_t bytes)
{
    struct stat st;

    return w->state != FILE_UNSEEN && fstat(w->fd, &st) == 0 && (uint64_t)st.st_size < bytes;
}

void file_watch_end(struct file_watch *w)
{
    if (w->state != FILE_UNSEEN)
        close(w->fd);
    *w = (struct file_watch){.state = FILE_UNSEEN};
}
