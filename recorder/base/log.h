/*
 * log.h - what the recorder tells the user: one line each, on standard error or in a file.
 * Threads: any. Signals: not async-signal-safe.
 */
#ifndef RECORDER_BASE_LOG_H
#define RECORDER_BASE_LOG_H

#include <stdbool.h>

enum log_level {
    LOG_ERROR,
    LOG_WARNING,
    LOG_INFO
};

/* Lines go to FILE from now on (0600, appended, no symbolic links; NULL or "": standard error).
 * Quiet drops LOG_INFO and LOG_WARNING on standard error. -1: it cannot be opened, errno says why;
 * 0 there: it is no regular file. */
int log_open(const char *file, bool quiet);

/* "jfrkit: text" or "jfrkit: warning: text". Control characters become '?'. */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
