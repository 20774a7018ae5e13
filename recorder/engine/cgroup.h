/*
 * cgroup.h - limits and counters of the control groups of this process, version 1 or 2.
 *
 *     struct cgroup c;
 *     struct cgroup_limits limits;
 *     if (cgroup_find(&c, "")) {
 *         cgroup_limits(&c, &limits);
 *         if (limits.memory >= 0) ...
 *     }
 *
 * A number that the kernel does not give, and a limit that is not set, is -1. Nothing is allocated.
 * Threads: any, each with its own structs.
 */
#ifndef RECORDER_ENGINE_CGROUP_H
#define RECORDER_ENGINE_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum cgroup_controller {
    CGROUP_CPU,
    CGROUP_CPUACCT,
    CGROUP_MEMORY,
    CGROUP_BLKIO,
    CGROUP_N
};

struct cgroup {
    int version; /* 1 or 2 */
    char dir[CGROUP_N][PATH_MAX]; /* with version 2 all the same; "": there is none */
};

struct cgroup_limits {
    int64_t period_us, quota_us, shares; /* of CPU */
    int64_t soft_memory, memory, memory_and_swap; /* bytes */
};

struct cgroup_usage {
    int64_t cpu_ns, user_ns, system_ns;
    int64_t slices, throttled_slices, throttled_ns;
    int64_t memory_failures, memory, memory_and_swap; /* bytes */
    int64_t io_requests, io_bytes;
};

/* Finds the groups of this process. `root` is put before every path; it is "" except in tests.
 * Returns false if there are none. */
bool cgroup_find(struct cgroup *c, const char *root);

void cgroup_limits(const struct cgroup *c, struct cgroup_limits *out);
void cgroup_usage(const struct cgroup *c, struct cgroup_usage *out);

#endif
