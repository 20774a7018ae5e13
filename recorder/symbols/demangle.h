/*
 * demangle.h - C++ and Rust names as people write them, without parameters.
 *
 *     char name[4096];
 *     if (demangle("_ZN2ns1fEi", name, sizeof(name)))
 *         puts(name);                                     ns::f
 *
 * Names of the Itanium C++ ABI, and of Rust's legacy and v0 schemes, exactly as `c++filt -p` writes
 * them. The caller shows a name that is refused unchanged.
 *
 * Threads: any; there is no state. Signals: not async-signal-safe, and needs up to DEMANGLE_STACK
 * bytes of stack.
 */
#ifndef RECORDER_SYMBOLS_DEMANGLE_H
#define RECORDER_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Hostile names of the greatest length use 326 kB on x86-64. */
#define DEMANGLE_STACK ((size_t)512 << 10)

/* Writes the name with its terminator to `to`. Returns false, with unspecified bytes in `to`, if
 * `mangled` is not a mangled name or a damaged one, is longer than 1023 (C++) or 4096 (Rust)
 * characters, does not fit into `room` bytes, or if this build has no libiberty. */
bool demangle(const char *mangled, char *to, size_t room);

/* Whether this build has libiberty. */
bool demangle_is_built(void);

#endif
