/*
 * proc.h - numbers out of the texts of /proc.
 *
 *     char text[PROC_TEXT];
 *     struct proc_memory m;
 *     if (proc_read("/proc/meminfo", text, sizeof(text)) >= 0 && proc_memory(text, &m)) ...
 *
 * Readers take a NUL-terminated text and allocate nothing. False means that the text is not what
 * the kernel writes there; then *out is not to be used. Sizes are bytes, times clock ticks of
 * sysconf(_SC_CLK_TCK), both as the kernel counts them: since the start of the machine, process or
 * thread.
 *
 * Threads: any. Signals: proc_read() only.
 */
#ifndef RECORDER_BASE_PROC_H
#define RECORDER_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_TEXT 65536 /* enough for all that is read here but /proc/cpuinfo of large machines */

/* Reads a file from its beginning, at most room - 1 bytes, and ends it with NUL. The number of
 * bytes, or -1 (errno). */
ssize_t proc_read(const char *path, char *text, size_t room);

struct proc_machine { /* /proc/stat */
    uint64_t busy, total; /* ticks of all processors */
    uint64_t switches; /* of context */
    unsigned n_cpus; /* on line */
};
bool proc_machine(const char *text, struct proc_machine *out);

struct proc_times { /* /proc/PID/stat, /proc/PID/task/TID/stat */
    uint64_t user, system; /* ticks */
    uint64_t start; /* ticks after boot */
};
bool proc_times(const char *text, struct proc_times *out);

struct proc_memory { /* /proc/meminfo */
    uint64_t total, available, swap_total, swap_free;
};
bool proc_memory(const char *text, struct proc_memory *out);

struct proc_resident { /* /proc/PID/status */
    uint64_t size, peak;
};
bool proc_resident(const char *text, struct proc_resident *out);

struct proc_interface { /* a line of /proc/net/dev */
    char name[32];
    uint64_t received, sent; /* bytes */
};
/* The next interface at *text, which moves on; false: there is none any more. */
bool proc_interface(const char **text, struct proc_interface *out);

struct proc_processor { /* /proc/cpuinfo */
    char vendor[64], model_name[128], flags[4096]; /* "" when the machine does not say */
    unsigned family, model, stepping;
    unsigned sockets, cores, threads; /* at least 1 */
};
bool proc_processor(const char *text, struct proc_processor *out);

/* Whether `flags` has this word. */
bool proc_has_flag(const struct proc_processor *p, const char *flag);

#endif
