#include "recorder/fast_clock.h"

struct fast_clock fast_clock;

/* The counter goes on at one rate whatever the processor does to save power. */
static bool is_even(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1 << 8) != 0;
#else
    return false;
#endif
}

void fast_clock_init(void)
{
    if (fast_clock.ns != 0)
        return;
    fast_clock.counter = fast_clock_counter();
    fast_clock.ns = fast_clock_ns();
    fast_clock.is_counter = is_even();
}
