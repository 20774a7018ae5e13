#include "recorder/capture/wake.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint32_t is_woken;

/* ASYNC-SIGNAL-SAFE */
void wake(void)
{
    /* Pairs with the exchange in wake_wait(): what this thread stored before is visible after it.
     */
    if (atomic_exchange(&is_woken, 1) == 0)
        syscall(SYS_futex, &is_woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void wake_wait(int64_t ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};

    if (atomic_load(&is_woken) == 0)
        syscall(SYS_futex, &is_woken, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
    atomic_exchange(&is_woken, 0);
}
