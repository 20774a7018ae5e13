/* vm_crash.c - asks the kernel whose handler of SIGSEGV is in force. */
#include "recorder/base/vm_crash.h"

#include "recorder/base/code_range.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KERNEL_SIGSET 8 /* bytes */

static struct code_range library;
static uintptr_t usual; /* the VM's handler; 0: unknown */
static atomic_bool has_begun;

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
    return address >= library.low && address < library.high;
}

void vm_crash_watch(uintptr_t address)
{
    uintptr_t now = handler();

    if (library.high == 0 && code_range_find(address, &library) && is_of_vm(now))
        usual = now;
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
