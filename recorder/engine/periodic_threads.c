/*
 * periodic_threads.c - jdk.ThreadCPULoad and jdk.ThreadContextSwitchRate: the CPU time of each
 * thread between two passes, from /proc/self/task.
 *
 * periodic.c calls these functions on the drain thread. The values of the last pass are kept in a
 * list sorted by thread id.
 */
#include "recorder/engine/periodic.h"

#include "recorder/base/proc.h"
#include "jfrfmt/base/array.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NS_PER_S 1e9

struct usage {
    int32_t tid;
    struct proc_times times;
    bool was_busy;
};

struct usages { /* sorted by tid */
    struct usage *list;
    size_t n, room;
    int64_t at; /* ticks */
};

static struct usages before;

static bool append(struct usages *u, int32_t tid, const struct proc_times *times)
{
    if (!array_reserve(&u->list, &u->room, u->n + 1, sizeof(*u->list)))
        return false;
    u->list[u->n++] = (struct usage){.tid = tid, .times = *times};
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct usage *x = a, *y = b;

    return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static struct usages read_all_threads(int64_t now)
{
    struct usages u = {.at = now};
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    char path[80], text[1024];
    struct proc_times times;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        int32_t tid = atoi(entry->d_name);

        snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
        if (tid > 0 && proc_read(path, text, sizeof(text)) > 0 && proc_times(text, &times) &&
            !append(&u, tid, &times))
            break;
    }
    if (dir != NULL)
        closedir(dir);
    if (u.n > 0)
        qsort(u.list, u.n, sizeof(*u.list), compare);
    return u;
}

void periodic_thread_cpu_load_first(struct periodic *p)
{
    free(before.list);
    before = read_all_threads(p->now);
}

/* What the thread had used before; 0 if its id belonged to another thread then. */
static struct usage used_before(const struct usage *now)
{
    const struct usage *u =
        before.n == 0 ? NULL : bsearch(now, before.list, before.n, sizeof(*now), compare);

    return u == NULL || u->times.start != now->times.start ? (struct usage){0} : *u;
}

/* Writes the share of all processors. For a thread that has become idle one event with 0 is
 * written, so that its last event is not an outdated one. */
static void write_thread(struct periodic *p, struct usage *now, double capacity)
{
    struct usage then = used_before(now);
    double user = (double)(now->times.user - then.times.user) / capacity;
    double system = (double)(now->times.system - then.times.system) / capacity;
    uint64_t key;

    now->was_busy = user + system > 0;
    if ((!now->was_busy && !then.was_busy) || (key = drain_tid(p->r, now->tid)) == 0)
        return;
    user = user > 1 ? 1 : user;
    system = user + system > 1 ? 1 - user : system;
    periodic_begin(p, EV_THREAD_CPU_LOAD);
    jfr_put_key(p->w, key);
    jfr_put_float(p->w, (float)user);
    jfr_put_float(p->w, (float)system);
    periodic_end(p);
}

void periodic_thread_cpu_load(struct periodic *p)
{
    struct usages now = read_all_threads(p->now);
    double ticks = (double)(now.at - before.at) / NS_PER_S * (double)sysconf(_SC_CLK_TCK);
    double capacity = ticks * (double)sysconf(_SC_NPROCESSORS_ONLN);

    for (size_t i = 0; i < now.n && capacity > 0; i++)
        write_thread(p, &now.list[i], capacity);
    free(before.list);
    before = now;
}
