/* What C makes of stacks: leaf calls, deep recursion, alloca, callbacks from libc, system calls,
 * realigned frames, linkage stubs, signal frames. Compiled without frame pointers. */
#include "shapes.h"

#include <alloca.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

volatile long shapes_sink;

__attribute__((noinline, noclone)) static long deep(int n)
{
    long below = n == 0 ? 1 : deep(n - 1);

    return below * 3 + n; /* not a tail call */
}

static void recursion(void)
{
    shapes_sink = deep(300);
}

__attribute__((noinline, noclone)) static long varying(int n)
{
    volatile char *bytes = alloca((size_t)n * 16 + 1);

    bytes[0] = (char)n;
    bytes[n] = 1;
    return n == 0 ? bytes[0] : varying(n - 1) + bytes[n];
}

static void alloca_frames(void)
{
    shapes_sink = varying(40);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void callbacks(void)
{
    int v[50];

    for (int i = 0; i < 50; i++)
        v[i] = (i * 7919) % 211;
    qsort(v, 50, sizeof(v[0]), ascending);
    shapes_sink = v[0];
}

static void linkage_stubs(void)
{
    char text[100];

    for (int i = 0; i < 15; i++) {
        snprintf(text, sizeof(text), "%d %s %f", i, "text", i * 1.5);
        shapes_sink += (long)strlen(text) + (long)sin(i) + atoi(text);
        free(malloc((size_t)i * 100 + 1));
    }
}

static void system_calls(void)
{
    int ends[2];
    char c = 0;

    if (pipe(ends) != 0)
        return;
    for (int i = 0; i < 20; i++) {
        shapes_sink += write(ends[1], &c, 1);
        shapes_sink += read(ends[0], &c, 1);
        shapes_sink += getppid();
    }
    close(ends[0]);
    close(ends[1]);
}

/* More alignment than the ABI gives. (With alloca beside it gcc 12 describes one instruction of the
 * epilogue wrongly, and libgcc's unwinder crashes there.) */
__attribute__((noinline, noclone)) static long aligned(int n)
{
    _Alignas(64) volatile char bytes[64];

    bytes[n % 64] = (char)n;
    return n == 0 ? bytes[0] : aligned(n - 1) + bytes[n % 64];
}

static void realigned_frames(void)
{
    shapes_sink = aligned(60);
}

static jmp_buf back;

__attribute__((noinline, noclone, noreturn)) static void jump(int n)
{
    if (n == 0)
        longjmp(back, 1);
    jump(n - 1); /* nothing follows this call: the return address is another function's */
}

static void calls_that_do_not_return(void)
{
    for (int i = 0; i < 5; i++)
        if (setjmp(back) == 0)
            jump(10);
}

__attribute__((noinline, noclone)) static long many(long a, long b, long c, long d, long e, long f,
                                                    long g, long h)
{
    /* enough live values for all registers that a callee saves */
    long x = a + getpid(), y = b * getpid(), z = c ^ getpid(), w = d + getpid();

    return a + b * x + c * y + d * z + e * w + f + g * x + h * y;
}

static void saved_registers(void)
{
    for (long i = 0; i < 20; i++)
        shapes_sink += many(i, 2, 3, 4, 5, 6, 7, 8);
}

const struct shape c_shapes[] = {
    {"300-deep recursion", recursion},
    {"alloca", alloca_frames},
    {"callback from qsort", callbacks},
    {"linkage stubs, malloc, printf", linkage_stubs},
    {"system calls", system_calls},
    {"realigned frames", realigned_frames},
    {"calls that do not return", calls_that_do_not_return},
    {"saved registers", saved_registers},
    {0},
};
