/*
 * thread_name.c - the full names of threads of the VM itself, whose kernel names are cut after 15
 * bytes.
 *
 * The drain thread calls it when it writes a thread. Threads with the same cut name are numbered
 * in the order of their start, as the VM does.
 */
#include "recorder/vm/thread_name.h"

#include "recorder/base/proc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT 15 /* bytes that the system keeps */
#define STAT_TEXT 512

static const struct known {
    const char *name; /* as in the VM's source, 9 to 25 */
    bool is_numbered;
} known[] = {
    {"C1 CompilerThread", true},
    {"C2 CompilerThread", true},
    {"JVMCI CompilerThread", true},
    {"Shenandoah GC Threads#", true},
    {"G1 Young RemSet Sampling", false},
    {"JFR CPU Sampler Thread", false},
    {"JFR Sampler Thread", false},
    {"JFR Thread Sampler", false},
    {"Monitor Deflation Thread", false},
    {"Notification Thread", false},
    {"Shenandoah Concurrent Thread", false},
    {"Shenandoah Control Thread", false},
    {"Shenandoah Regulator Thread", false},
    {"Shenandoah Uncommit Thread", false},
    {"VM Periodic Task Thread", false},
};

/* When the thread has begun, in ticks of the machine, if the system calls it like that. */
static bool start_if_named(int32_t tid, const char *comm, uint64_t *start)
{
    char path[64], text[STAT_TEXT], begin[CUT + 3];
    struct proc_times times;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
    snprintf(begin, sizeof(begin), "(%s)", comm);
    if (proc_read(path, text, sizeof(text)) <= 0 || strstr(text, begin) == NULL ||
        !proc_times(text, &times))
        return false;
    *start = times.start;
    return true;
}

/* How many threads that are called like that have begun before this one; -1: it has ended. */
static int place_of_thread_name(int32_t tid, const char *comm)
{
    uint64_t own, other;
    struct dirent *entry;
    DIR *tasks;
    int n = 0;

    if (!start_if_named(tid, comm, &own) || (tasks = opendir("/proc/self/task")) == NULL)
        return -1;
    while ((entry = readdir(tasks)) != NULL) {
        int32_t id = (int32_t)strtol(entry->d_name, NULL, 10);

        if (id > 0 && id != tid && start_if_named(id, comm, &other))
            n += other < own || (other == own && id < tid);
    }
    closedir(tasks);
    return n;
}

bool vm_thread_name(int32_t tid, const char *comm, char out[VM_THREAD_NAME])
{
    int place;

    if (strlen(comm) != CUT)
        return false;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strncmp(known[i].name, comm, CUT) != 0)
            continue;
        snprintf(out, VM_THREAD_NAME, "%s", known[i].name);
        if (!known[i].is_numbered)
            return true;
        place = place_of_thread_name(tid, comm);
        snprintf(out, VM_THREAD_NAME, "%s%d", known[i].name, place);
        return place >= 0;
    }
    return false;
}
