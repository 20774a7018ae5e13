/*
 * cpu_perf.c - opens a counter of perf_events for a thread, and reads it when it overflows.
 *
 * The kernel writes its own part of each stack into a small ring beside the counter.
 * cpu_perf_is_from() and cpu_perf_take() run in the handler of the overflow's signal; the others in
 * the engine that owns the counters.
 */
#include "recorder/capture/cpu_perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define RING (2 * PAGE) /* a page about the ring, a page of records */
#define RECORD_MAX 2048
/* The first interval holds until our handler sets the one that was requested, and the handler runs
 * in user mode only. A shorter one (the kernel goes down to 10 us) may leave a virtual machine no
 * time between two timer interrupts to get there: the processor is lost until the process is
 * killed. */
#define FIRST_MIN INT64_C(200000) /* ns */

static bool has_kernel; /* found out by the probe */

static int open_counter(int32_t tid, int64_t period, bool with_kernel)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attr),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = (uint64_t)period,
        .sample_type = with_kernel ? PERF_SAMPLE_CALLCHAIN : 0,
        .disabled = 1,
        .exclude_kernel = !with_kernel,
        .exclude_hv = 1,
        .exclude_callchain_user = 1,
        .sample_max_stack = with_kernel ? CPU_PERF_KERNEL_MAX : 0,
        .wakeup_events = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int paranoid(void)
{
    FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int level = -1;

    if (f != NULL && fscanf(f, "%d", &level) != 1)
        level = -1;
    if (f != NULL)
        fclose(f);
    return level;
}

int cpu_perf_probe(char why[200])
{
    int fd = open_counter(0, 1000000, true), refused = errno;

    why[0] = 0;
    has_kernel = fd >= 0;
    if (fd < 0)
        fd = open_counter(0, 1000000, false);
    if (fd < 0) {
        snprintf(why, 200, "perf_event_open: %s, perf_event_paranoid is %d", strerror(errno),
                 paranoid());
        return -1;
    }
    close(fd);
    if (!has_kernel)
        snprintf(why, 200, "perf_event_open with the kernel: %s, perf_event_paranoid is %d",
                 strerror(refused), paranoid());
    return has_kernel;
}

/* Signals go to the thread that is counted. */
static int send_signals(int fd, int32_t tid, int signal_number)
{
    struct f_owner_ex owner = {F_OWNER_TID, tid};

    return fcntl(fd, F_SETOWN_EX, &owner) == 0 && fcntl(fd, F_SETSIG, signal_number) == 0 &&
                   fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC) == 0
               ? 0
               : -1;
}

int cpu_perf_open(struct thread *t, int64_t interval, int64_t first, int signal_number)
{
    int64_t least = interval < FIRST_MIN ? interval : FIRST_MIN;
    int fd = open_counter(t->tid, first < least ? least : first, has_kernel);
    void *ring;

    if (fd < 0)
        return -1;
    /* Without a ring the counter still works, but stacks have no kernel part. */
    ring = has_kernel ? mmap(NULL, RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    t->perf_ring = ring == MAP_FAILED ? NULL : ring;
    t->perf_interval = interval;
    t->perf_taken = 0;
    atomic_store_explicit(&t->perf, fd + 1, memory_order_release);
    if (send_signals(fd, t->tid, signal_number) == 0 && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
        return 0;
    cpu_perf_close(t);
    cpu_perf_forget(t);
    return -1;
}

void cpu_perf_close(struct thread *t)
{
    int fd = atomic_exchange_explicit(&t->perf, 0, memory_order_acq_rel) - 1;

    if (fd < 0)
        return;
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    close(fd);
}

void cpu_perf_forget(struct thread *t)
{
    if (t->perf_ring != NULL)
        munmap(t->perf_ring, RING);
    t->perf_ring = NULL;
}

/* ASYNC-SIGNAL-SAFE from here on */

bool cpu_perf_is_from(const struct thread *t, int fd)
{
    return atomic_load_explicit(&t->perf, memory_order_acquire) == fd + 1;
}

/* The first overflow came early, and sets the interval. What is counted decides the others: signals
 * that were not sent, because one was waiting or the kernel was excluded, are made up for. */
static uint32_t weight_of_period(struct thread *t, int fd)
{
    uint64_t count;
    int64_t n;

    if (syscall(SYS_read, fd, &count, sizeof(count)) != (long)sizeof(count))
        return 1;
    if (t->perf_taken == 0) {
        uint64_t interval = (uint64_t)t->perf_interval;

        syscall(SYS_ioctl, fd, PERF_EVENT_IOC_PERIOD, &interval);
        t->perf_taken = (int64_t)count;
        return 1;
    }
    n = ((int64_t)count - t->perf_taken + t->perf_interval / 2) / t->perf_interval;
    if (n < 1)
        n = 1;
    t->perf_taken += n * t->perf_interval;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void copy_out(const uint8_t *records, uint64_t at, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)to)[i] = records[(at + i) % PAGE];
}

/* Copies the addresses of the kernel: those after its marker, up to the next marker. */
static int take_chain(const uint8_t *records, uint64_t at, size_t bytes, uint64_t *kernel)
{
    uint64_t n, address;
    bool is_kernel = false;
    int found = 0;

    copy_out(records, at, &n, sizeof(n));
    for (uint64_t i = 0; i < n && (i + 2) * sizeof(n) <= bytes; i++) {
        copy_out(records, at + (i + 1) * sizeof(n), &address, sizeof(address));
        if (address >= (uint64_t)PERF_CONTEXT_MAX)
            is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
        else if (is_kernel && found < CPU_PERF_KERNEL_MAX)
            kernel[found++] = address;
    }
    return found;
}

/* Reads all records; the newest one is of this overflow. */
static int take_kernel(void *ring, uint64_t *kernel)
{
    struct perf_event_mmap_page *page = ring;
    const uint8_t *records = (const uint8_t *)ring + PAGE;
    uint64_t at = page->data_tail, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    struct perf_event_header h;
    int n = 0;

    for (; head - at >= sizeof(h) && head - at <= PAGE; at += h.size) {
        copy_out(records, at, &h, sizeof(h));
        if (h.size < sizeof(h) || h.size > RECORD_MAX)
            break;
        if (h.type == PERF_RECORD_SAMPLE)
            n = take_chain(records, at + sizeof(h), h.size - sizeof(h), kernel);
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return n;
}

void cpu_perf_take(struct thread *t, struct cpu_perf_taken *taken)
{
    int fd = atomic_load_explicit(&t->perf, memory_order_acquire) - 1;

    taken->n_kernel = t->perf_ring == NULL ? 0 : take_kernel(t->perf_ring, taken->kernel);
    taken->weight = fd < 0 ? 1 : weight_of_period(t, fd);
}
