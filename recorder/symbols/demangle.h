/*
 * demangle.h - C++ and Rust names as people write them.
 *
 *     char name[4096];
 *     if (demangle("_ZN2ns1fEi", name, sizeof(name), DEMANGLE_NO_PARAMS))
 *         puts(name);                                     ns::f
 *
 * Names of the Itanium C++ ABI and of Rust's legacy scheme. The input is bounded in depth, steps
 * and output; a name that is damaged or uses what is not known here is refused, and the caller
 * shows it as it is.
 *
 * Threads: any; there is no state. Signals: not meant for handlers (uses 100 KB of stack).
 */
#ifndef RECORDER_SYMBOLS_DEMANGLE_H
#define RECORDER_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Against binutils on the 170 000 names of two libjvm.so and libstdc++: all but one in 10 000 are
 * equal. A parameter that an inner function shares with an outer one by number is shown as the
 * inner's. */
enum demangle_style {
    DEMANGLE_FULL, /* with parameters and compilers' marks: "ns::f(int) [clone .cold]" */
    DEMANGLE_NO_PARAMS, /* as flame graphs show them: "ns::f" */
};

/* False, and `to` is unspecified: not a mangled name, or not one that is understood, or it does not
 * fit into `room` bytes with its terminator. */
bool demangle(const char *mangled, char *to, size_t room, enum demangle_style style);

#endif
