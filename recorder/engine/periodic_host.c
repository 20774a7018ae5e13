/*
 * periodic_host.c - periodic events about the machine: processors, system, processes, libraries.
 *
 * periodic.c calls each function on the drain thread, at the interval of its event. Values come
 * from /proc, CPUID and the loader. Environment variables and command lines may hold secrets, so
 * they are written through redact.h.
 */
#include "recorder/engine/periodic.h"

#include "recorder/base/pages.h"
#include "recorder/base/proc.h"
#include "recorder/base/redact.h"
#include "jfrfmt/base/array.h"

#include <ctype.h>
#include <dirent.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define CPUINFO_MAX (4u << 20)
#define CLOCK_HERTZ 1000000000

/* --- the machine --- */

void periodic_os_information(struct periodic *p)
{
    char release[4096], text[5200], libc[128] = "";
    struct utsname u;

    if (uname(&u) != 0)
        return;
    if (proc_read("/etc/os-release", release, sizeof(release)) < 0)
        release[0] = '\0';
    confstr(_CS_GNU_LIBC_VERSION, libc, sizeof(libc));
    snprintf(text, sizeof(text), "%suname: %s %s %s %s\nlibc: %s\n", release, u.sysname, u.release,
             u.version, u.machine, libc[0] == '\0' ? "unknown" : libc);
    periodic_begin(p, EV_OS_INFORMATION);
    jfr_put_string(p->w, text);
    periodic_end(p);
}

static bool read_processor(struct proc_processor *out)
{
    char *text = pages_take(CPUINFO_MAX);
    bool ok = text != NULL && proc_read("/proc/cpuinfo", text, CPUINFO_MAX) > 0 &&
              proc_processor(text, out);

    pages_give(text, CPUINFO_MAX);
    return ok;
}

void periodic_cpu_information(struct periodic *p)
{
    static struct proc_processor cpu;
    struct utsname u;
    char name[256], text[5000];

    if (!read_processor(&cpu) || uname(&u) != 0)
        return;
    snprintf(name, sizeof(name), "%s %s", cpu.model_name[0] != '\0' ? cpu.model_name : cpu.vendor,
             u.machine);
    snprintf(text, sizeof(text),
             "Brand: %s, Vendor: %s\nFamily: 0x%x, Model: 0x%x, Stepping: 0x%x\nSupports: %s",
             cpu.model_name, cpu.vendor, cpu.family, cpu.model, cpu.stepping, cpu.flags);
    periodic_begin(p, EV_CPU_INFORMATION);
    jfr_put_string(p->w, name);
    jfr_put_string(p->w, text);
    jfr_put_int(p->w, (int32_t)cpu.sockets);
    jfr_put_int(p->w, (int32_t)cpu.cores);
    jfr_put_int(p->w, (int32_t)cpu.threads);
    periodic_end(p);
}

/* The recorder's clock is the system's, so its frequency is both. */
void periodic_time_stamp_counter(struct periodic *p)
{
    static struct proc_processor cpu;
    bool is_steady = read_processor(&cpu) && proc_has_flag(&cpu, "constant_tsc") &&
                     proc_has_flag(&cpu, "nonstop_tsc");

    periodic_begin(p, EV_CPU_TIME_STAMP_COUNTER);
    jfr_put_boolean(p->w, false);
    jfr_put_boolean(p->w, is_steady);
    jfr_put_long(p->w, CLOCK_HERTZ);
    jfr_put_long(p->w, CLOCK_HERTZ);
    periodic_end(p);
}

/* The name that a hypervisor reports by CPUID, or "". */
static void hypervisor(char name[13])
{
    memset(name, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d;

    if (__get_cpuid(1, &a, &b, &c, &d) && (c >> 31 & 1) != 0) {
        __cpuid(0x40000000, a, b, c, d);
        memcpy(name, &b, 4);
        memcpy(name + 4, &c, 4);
        memcpy(name + 8, &d, 4);
    }
#endif
    for (char *q = name; *q != '\0'; q++)
        if (!isprint((unsigned char)*q))
            *q = '?';
}

void periodic_virtualization(struct periodic *p)
{
    static const struct {
        const char *id, *name; /* as the JDK calls them */
    } known[] = {
        {"", "No virtualization detected"},
        {"KVMKVMKVM", "KVM virtualization"},
        {"VMwareVMware", "VMWare virtualization"},
        {"Microsoft Hv", "Hyper-V virtualization"},
        {"XenVMMXenVMM", "Xen hardware-assisted virtualization"},
    };
    char id[13];
    const char *name = id;

    hypervisor(id);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(id, known[i].id) == 0)
            name = known[i].name;
    periodic_begin(p, EV_VIRTUALIZATION_INFORMATION);
    jfr_put_string(p->w, name);
    periodic_end(p);
}

/* --- processes --- */

static void write_variable(struct periodic *p, const char *variable)
{
    const char *equals = strchr(variable, '=');
    char *key, *value;

    if (equals == NULL || equals == variable)
        return;
    key = strndup(variable, (size_t)(equals - variable));
    value = key != NULL && redact_is_secret(key) ? strdup(REDACTED) : redact_command(equals + 1);
    if (key != NULL && value != NULL) {
        periodic_begin(p, EV_INITIAL_ENVIRONMENT_VARIABLE);
        jfr_put_string(p->w, key);
        jfr_put_string(p->w, value);
        periodic_end(p);
    }
    free(key);
    free(value);
}

/* The environment of the process at its start; a change since then may be in progress on another
 * thread. */
void periodic_environment(struct periodic *p)
{
    size_t room = 1u << 20;
    char *text = malloc(room);
    ssize_t n = text == NULL ? -1 : proc_read("/proc/self/environ", text, room);

    for (char *at = text; n > 0 && at < text + n; at += strlen(at) + 1)
        write_variable(p, at);
    free(text);
}

/* A process without a command line is a part of the kernel, or it has ended. */
static void write_process(struct periodic *p, const char *pid)
{
    char path[300], text[4096], *line;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
    n = proc_read(path, text, sizeof(text));
    if (n <= 0)
        return;
    for (ssize_t i = 0; i < n; i++)
        if (text[i] == '\0')
            text[i] = i == n - 1 ? '\0' : ' ';
    line = redact_command(text);
    if (line == NULL)
        return;
    periodic_begin(p, EV_SYSTEM_PROCESS);
    jfr_put_string(p->w, pid);
    jfr_put_string(p->w, line);
    periodic_end(p);
    free(line);
}

void periodic_processes(struct periodic *p)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            write_process(p, entry->d_name);
    if (dir != NULL)
        closedir(dir);
}

/* --- libraries --- */

struct library {
    char *name;
    uintptr_t base, top;
};

struct libraries {
    struct library *list;
    size_t n, room;
};

/* Only collects: the loader's lock is held. */
static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct libraries *l = arg;
    struct library one = {.base = UINTPTR_MAX};

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];

        if (h->p_type != PT_LOAD)
            continue;
        if (info->dlpi_addr + h->p_vaddr < one.base)
            one.base = info->dlpi_addr + h->p_vaddr;
        if (info->dlpi_addr + h->p_vaddr + h->p_memsz > one.top)
            one.top = info->dlpi_addr + h->p_vaddr + h->p_memsz;
    }
    if (!array_reserve(&l->list, &l->room, l->n + 1, sizeof(*l->list)))
        return 1;
    one.name = strdup(info->dlpi_name == NULL ? "" : info->dlpi_name);
    if (one.name == NULL || one.base > one.top) {
        free(one.name);
        return 0;
    }
    l->list[l->n++] = one;
    return 0;
}

/* The first entry is the program, which the loader does not name. */
static const char *program(char *path, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", path, room - 1);

    path[n < 0 ? 0 : n] = '\0';
    return path;
}

void periodic_libraries(struct periodic *p)
{
    struct libraries l = {0};
    char path[4096];

    dl_iterate_phdr(add_library, &l);
    for (size_t i = 0; i < l.n; i++) {
        const char *name = l.list[i].name;

        if (name[0] == '\0' && i == 0)
            name = program(path, sizeof(path));
        if (name[0] != '\0') {
            periodic_begin(p, EV_NATIVE_LIBRARY);
            jfr_put_string(p->w, name);
            jfr_put_long(p->w, (int64_t)l.list[i].base);
            jfr_put_long(p->w, (int64_t)l.list[i].top);
            periodic_end(p);
        }
        free(l.list[i].name);
    }
    free(l.list);
}
