/*
 * periodic_os.c - periodic events about processors, memory, network and context switches, from
 * /proc and the system's calls.
 *
 * periodic.c calls these functions on the drain thread. Differences are taken since the last
 * event of the same kind.
 */
#include "recorder/engine/periodic.h"

#include "recorder/base/proc.h"

#include <string.h>
#include <unistd.h>

#define NS_PER_S 1e9
#define INTERFACES_MAX 256 /* further ones are left out */

static char text[PROC_TEXT]; /* the drain thread's */

static bool read_machine(struct proc_machine *m)
{
    return proc_read("/proc/stat", text, sizeof(text)) > 0 && proc_machine(text, m);
}

static bool read_memory(struct proc_memory *m)
{
    return proc_read("/proc/meminfo", text, sizeof(text)) > 0 && proc_memory(text, m);
}

/* --- processors --- */

static struct {
    struct proc_machine machine;
    struct proc_times process;
    bool is_known;
} load_before;

static bool read_load(struct proc_machine *machine, struct proc_times *process)
{
    return read_machine(machine) && proc_read("/proc/self/stat", text, sizeof(text)) > 0 &&
           proc_times(text, process);
}

void periodic_cpu_load_first(struct periodic *p)
{
    (void)p;
    load_before.is_known = read_load(&load_before.machine, &load_before.process);
}

static float share_of_time(uint64_t part, uint64_t whole)
{
    return part >= whole ? 1 : (float)((double)part / (double)whole);
}

/* Shares of all processors. The kernel's two counts may be a tick apart, so the process is never
 * more than the machine. */
void periodic_cpu_load(struct periodic *p)
{
    struct proc_machine machine;
    struct proc_times process;
    float user, system, busy;
    uint64_t total;

    if (!read_load(&machine, &process))
        return;
    total = machine.total - load_before.machine.total;
    if (load_before.is_known && machine.total > load_before.machine.total) {
        user = share_of_time(process.user - load_before.process.user, total);
        system = share_of_time(process.system - load_before.process.system, total);
        if (user + system > 1)
            system = 1 - user;
        /* counts of waiting may go back */
        busy = machine.busy > load_before.machine.busy
                   ? share_of_time(machine.busy - load_before.machine.busy, total)
                   : 0;
        periodic_begin(p, EV_CPU_LOAD);
        jfr_put_float(p->w, user);
        jfr_put_float(p->w, system);
        jfr_put_float(p->w, busy < user + system ? user + system : busy);
        periodic_end(p);
    }
    load_before.machine = machine;
    load_before.process = process;
    load_before.is_known = true;
}

static struct {
    uint64_t switches;
    int64_t at;
} switches_before;

void periodic_context_switches_first(struct periodic *p)
{
    struct proc_machine m;

    switches_before.at = 0;
    if (read_machine(&m)) {
        switches_before.switches = m.switches;
        switches_before.at = p->now;
    }
}

void periodic_context_switches(struct periodic *p)
{
    uint64_t before = switches_before.switches;
    int64_t since = switches_before.at;

    periodic_context_switches_first(p);
    if (since == 0 || switches_before.at <= since)
        return;
    periodic_begin(p, EV_THREAD_CONTEXT_SWITCH_RATE);
    jfr_put_float(p->w, (float)((double)(switches_before.switches - before) * NS_PER_S /
                                (double)(switches_before.at - since)));
    periodic_end(p);
}

/* --- memory --- */

void periodic_physical_memory(struct periodic *p)
{
    struct proc_memory m;

    if (!read_memory(&m))
        return;
    periodic_begin(p, EV_PHYSICAL_MEMORY);
    jfr_put_long(p->w, (int64_t)m.total);
    jfr_put_long(p->w, (int64_t)(m.total - m.available));
    periodic_end(p);
}

void periodic_swap_space(struct periodic *p)
{
    struct proc_memory m;

    if (!read_memory(&m))
        return;
    periodic_begin(p, EV_SWAP_SPACE);
    jfr_put_long(p->w, (int64_t)m.swap_total);
    jfr_put_long(p->w, (int64_t)m.swap_free);
    periodic_end(p);
}

void periodic_resident_set(struct periodic *p)
{
    struct proc_resident r;

    if (proc_read("/proc/self/status", text, sizeof(text)) <= 0 || !proc_resident(text, &r))
        return;
    periodic_begin(p, EV_RESIDENT_SET_SIZE);
    jfr_put_long(p->w, (int64_t)r.size);
    jfr_put_long(p->w, (int64_t)r.peak);
    periodic_end(p);
}

/* --- network --- */

static struct {
    struct proc_interface list[INTERFACES_MAX];
    size_t n;
    int64_t at;
} network_before;

static size_t read_interfaces(struct proc_interface *list)
{
    const char *next = text;
    size_t n = 0;

    if (proc_read("/proc/net/dev", text, sizeof(text)) <= 0)
        return 0;
    while (n < INTERFACES_MAX && proc_interface(&next, &list[n]))
        n++;
    return n;
}

void periodic_network_first(struct periodic *p)
{
    network_before.n = read_interfaces(network_before.list);
    network_before.at = p->now;
}

static int64_t bit_rate(uint64_t now, uint64_t before, int64_t ns)
{
    return now <= before ? 0 : (int64_t)((double)(now - before) * 8 * NS_PER_S / (double)ns + 0.5);
}

static void write_interface(struct periodic *p, const struct proc_interface *now, int64_t ns)
{
    int64_t received, sent;

    for (size_t i = 0; i < network_before.n; i++) {
        const struct proc_interface *before = &network_before.list[i];

        if (strcmp(before->name, now->name) != 0)
            continue;
        received = bit_rate(now->received, before->received, ns);
        sent = bit_rate(now->sent, before->sent, ns);
        if (received == 0 && sent == 0)
            return;
        periodic_begin(p, EV_NETWORK_UTILIZATION);
        jfr_put_key(p->w,
                    jfr_writer_simple(p->w, jfr_writer_type(p->w, "jdk.types.NetworkInterfaceName"),
                                      now->name, strlen(now->name)));
        jfr_put_long(p->w, received);
        jfr_put_long(p->w, sent);
        periodic_end(p);
        return;
    }
}

void periodic_network(struct periodic *p)
{
    static struct proc_interface list[INTERFACES_MAX];
    size_t n = read_interfaces(list);
    int64_t ns = p->now - network_before.at;

    for (size_t i = 0; i < n && ns > 0; i++)
        write_interface(p, &list[i], ns);
    memcpy(network_before.list, list, n * sizeof(list[0]));
    network_before.n = n;
    network_before.at = p->now;
}
