/*
 * periodic_container.c - the container events: limits and counters of the control groups of this
 * process (cgroup.c).
 *
 * periodic.c calls these functions on the drain thread. A value that the kernel does not give is
 * written as -1, as the JDK does.
 */
#include "recorder/engine/periodic.h"

#include "recorder/engine/cgroup.h"
#include "recorder/base/proc.h"

#include <sched.h>

static struct cgroup group; /* the drain thread's; found anew each time: a process may be moved */

static bool read_usage(struct cgroup_usage *u)
{
    if (!cgroup_find(&group, ""))
        return false;
    cgroup_usage(&group, u);
    return true;
}

static int64_t effective_cpus(const struct cgroup_limits *l)
{
    cpu_set_t set;
    int64_t n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;

    if (l->quota_us > 0 && l->period_us > 0) {
        int64_t limit = (l->quota_us + l->period_us - 1) / l->period_us;

        if (n < 0 || limit < n)
            n = limit;
    }
    return n;
}

void periodic_container_configuration(struct periodic *p)
{
    struct cgroup_limits l;
    struct proc_memory host = {0};
    char text[8192];

    if (!cgroup_find(&group, ""))
        return;
    cgroup_limits(&group, &l);
    if (proc_read("/proc/meminfo", text, sizeof(text)) <= 0 || !proc_memory(text, &host))
        host = (struct proc_memory){0};
    periodic_begin(p, EV_CONTAINER_CONFIGURATION);
    jfr_put_string(p->w, group.version == 1 ? "cgroupv1" : "cgroupv2");
    jfr_put_long(p->w, l.period_us);
    jfr_put_long(p->w, l.quota_us);
    jfr_put_long(p->w, l.shares);
    jfr_put_long(p->w, effective_cpus(&l));
    jfr_put_long(p->w, l.soft_memory);
    jfr_put_long(p->w, l.memory);
    jfr_put_long(p->w, l.memory_and_swap);
    jfr_put_long(p->w, (int64_t)host.total);
    jfr_put_long(p->w, (int64_t)host.swap_total);
    periodic_end(p);
}

void periodic_container_cpu(struct periodic *p)
{
    struct cgroup_usage u;

    if (!read_usage(&u))
        return;
    periodic_begin(p, EV_CONTAINER_CPU_USAGE);
    jfr_put_long(p->w, u.cpu_ns);
    jfr_put_long(p->w, u.user_ns);
    jfr_put_long(p->w, u.system_ns);
    periodic_end(p);
}

void periodic_container_throttling(struct periodic *p)
{
    struct cgroup_usage u;

    if (!read_usage(&u))
        return;
    periodic_begin(p, EV_CONTAINER_CPU_THROTTLING);
    jfr_put_long(p->w, u.slices);
    jfr_put_long(p->w, u.throttled_slices);
    jfr_put_long(p->w, u.throttled_ns);
    periodic_end(p);
}

void periodic_container_memory(struct periodic *p)
{
    struct cgroup_usage u;

    if (!read_usage(&u))
        return;
    periodic_begin(p, EV_CONTAINER_MEMORY_USAGE);
    jfr_put_long(p->w, u.memory_failures);
    jfr_put_long(p->w, u.memory);
    jfr_put_long(p->w, u.memory_and_swap);
    periodic_end(p);
}

void periodic_container_io(struct periodic *p)
{
    struct cgroup_usage u;

    if (!read_usage(&u))
        return;
    periodic_begin(p, EV_CONTAINER_IO_USAGE);
    jfr_put_long(p->w, u.io_requests);
    jfr_put_long(p->w, u.io_bytes);
    periodic_end(p);
}
