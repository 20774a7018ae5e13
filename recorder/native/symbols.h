/*
 * symbols.h - which function an address belongs to: libraries, their symbols, names as people write
 * them.
 *
 *     libs_update();                        now and then
 *     struct symbol s;
 *     if (symbols_find(frame.pc, &s))
 *         method_name = s.name, package = s.library;
 *
 * Symbols come from .symtab, from debug files (symbols/debug_file.h), or from .dynsym; linkage
 * stubs are named "memcpy@plt". They are read when an address of their library is first requested.
 *
 * Threads:   one at a time, the one that calls libs_update(). Takes milliseconds when a library is
 *            new, 100 ns afterwards.
 * Signals:   nothing here is async-signal-safe.
 */
#ifndef RECORDER_NATIVE_SYMBOLS_H
#define RECORDER_NATIVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    const char *name; /* demangled, without parameters: "ns::Class<int>::run"; NULL: none known */
    const char *raw; /* as in the file; NULL with name */
    const char *library; /* path; "[vdso]", "[jit]" */
    uint64_t offset; /* from the start of the function; from the library's when there is no name */
    uint64_t vaddr; /* as in the file, for other tools: addr2line -e LIBRARY VADDR */
};

/* True when pc lies in a library or in code that perf_map.h knows. `name` is valid until the next
 * call, the other strings until the next libs_update() or reading of a map. For a return address
 * ask for one less. */
bool symbols_find(uintptr_t pc, struct symbol *s);

/* What is before the last '/' cut off. */
const char *symbols_file_name(const char *library);

#endif
