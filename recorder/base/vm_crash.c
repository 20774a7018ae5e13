#include "recorder/base/vm_crash.h"

#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KERNEL_SIGSET 8 /* bytes */

struct range {
    uintptr_t within, lo, hi;
};

static struct range library;
static uintptr_t usual; /* the VM's handler; 0: unknown */
static atomic_bool has_begun;

static int find_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct range *r = arg;
    uintptr_t lo = UINTPTR_MAX, hi = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + p->p_vaddr;

        if (p->p_type != PT_LOAD)
            continue;
        lo = begin < lo ? begin : lo;
        hi = begin + p->p_memsz > hi ? begin + p->p_memsz : hi;
    }
    if (r->within < lo || r->within >= hi)
        return 0;
    r->lo = lo;
    r->hi = hi;
    return 1;
}

/* Of the kernel, which libjsig does not stand in front of. ASYNC-SIGNAL-SAFE */
static uintptr_t handler(void)
{
    struct {
        uintptr_t handler;
        unsigned long flags;
        void *restorer;
        uint8_t mask[KERNEL_SIGSET];
    } now = {0};

    return syscall(SYS_rt_sigaction, SIGSEGV, NULL, &now, KERNEL_SIGSET) == 0 ? now.handler : 0;
}

static bool is_of_vm(uintptr_t address)
{
    return address >= library.lo && address < library.hi;
}

void vm_crash_watch(uintptr_t address)
{
    uintptr_t now = handler();

    if (library.within != 0)
        return;
    library.within = address;
    dl_iterate_phdr(find_library, &library);
    usual = is_of_vm(now) ? now : 0;
}

/* ASYNC-SIGNAL-SAFE */
bool vm_crash_has_begun(void)
{
    uintptr_t now;

    if (usual == 0 || atomic_load_explicit(&has_begun, memory_order_relaxed))
        return usual != 0;
    now = handler();
    if (now == usual || !is_of_vm(now))
        return false;
    atomic_store_explicit(&has_begun, true, memory_order_relaxed);
    return true;
}
