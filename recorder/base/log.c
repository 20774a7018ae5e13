/*
 * log.c - writes the recorder's messages to standard error or a file, a line each.
 *
 * Any thread may call it; a lock keeps lines apart. After a failed write to standard error only
 * errors are still written there.
 */
#include "recorder/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static bool is_quiet;

int log_open(const char *file, bool quiet)
{
    int fd = -1;
    struct stat st;

    if (file != NULL && *file != 0) {
        fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
        if (fd < 0)
            return -1;
        if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
            close(fd);
            errno = 0;
            return -1;
        }
    }
    pthread_mutex_lock(&lock);
    if (log_fd >= 0)
        close(log_fd);
    log_fd = fd;
    is_quiet = quiet;
    pthread_mutex_unlock(&lock);
    return 0;
}

static size_t stamp_line(char *out, size_t room)
{
    time_t now = time(NULL);
    struct tm tm;

    localtime_r(&now, &tm);
    return strftime(out, room, "%Y-%m-%d %H:%M:%S ", &tm);
}

void log_line(enum log_level level, const char *format, ...)
{
    char line[1200];
    size_t n = 0;
    va_list args;
    int fd, more;

    pthread_mutex_lock(&lock);
    fd = log_fd >= 0 ? log_fd : STDERR_FILENO;
    if (log_fd >= 0)
        n = stamp_line(line, 64);
    n += (size_t)snprintf(line + n, 64, "jfrkit: %s", level == LOG_WARNING ? "warning: " : "");
    va_start(args, format);
    more = vsnprintf(line + n, 1000, format, args);
    va_end(args);
    if (more > 0)
        n += more < 1000 ? (size_t)more : 999;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[n++] = '\n';
    if (level == LOG_ERROR || fd != STDERR_FILENO || !is_quiet)
        if (write(fd, line, n) < 0)
            is_quiet = true; /* standard error is closed: nothing can be reported */
    pthread_mutex_unlock(&lock);
}
