/*
 * libs.h - the executable files mapped into this process: where, and what is known of them.
 *
 *     libs_update();                                    drain thread, now and then
 *
 *     const struct libs_map *map = libs_enter();        signal handler
 *     const struct lib *lib = libs_find(map, pc);
 *     ...
 *     libs_leave();
 *
 * A map is immutable. libs_update() makes a new one when libraries came or went, publishes it with
 * one store, and frees the old one when it has seen a moment without readers. Libraries that went
 * are remembered for a while, because samples that were taken in them may not be written yet.
 *
 * Threads:   any; all but the three of handlers take one lock. What libs_find_any() gives is
 *            for the thread that updates, or while no update runs.
 * Signals:   libs_enter(), libs_find() and libs_leave() are async-signal-safe.
 * Ownership: everything belongs to this module.
 */
#ifndef RECORDER_NATIVE_LIBS_H
#define RECORDER_NATIVE_LIBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_table;
struct lib_file;

struct lib {
    uintptr_t lo, hi; /* from the first executable byte to after the last */
    uintptr_t bias; /* address in the process - virtual address in the file */
    const char *path; /* as the kernel tells it, without " (deleted)"; "[vdso]" */
    const struct cfi_table *cfi; /* NULL: none could be made */
    struct lib_file *file; /* shared by all mappings of the same file */
};

struct libs_segment {
    uintptr_t lo, hi;
    const struct lib *lib;
};

#define LIBS_CACHE 4096 /* power of two */

struct libs_map {
    uint32_t n;
    uintptr_t vm_lo, vm_hi; /* the VM's own library; equal: unknown */
    /* pc -> rule, see cfi.h: remembered by handlers, forgotten with the map */
    _Atomic uint64_t *rules;
    struct libs_segment segments[]; /* ascending, disjoint */
};

/* Looks for libraries that came or went. Cheap when none did. 1: there is a new map; 0: nothing
 * changed; negative: maps cannot be read or memory is exhausted, and the old map stays. */
int libs_update(void);

/* Says which library is the VM: the one that holds this address. Known from the next map on. */
void libs_set_vm(uintptr_t address);

/* The current map, which stays valid until libs_leave(); NULL before the first update. Calls nest.
 * libs_leave() is due in both cases. */
const struct libs_map *libs_enter(void);
void libs_leave(void);

/* The library whose executable mapping holds pc, or NULL. `map` may be NULL. */
const struct lib *libs_find(const struct libs_map *map, uintptr_t pc);

/* The same for a pc that was sampled a while ago: libraries that went count too, the most recent
 * first. The result is valid until the next libs_update(). */
const struct lib *libs_find_any(uintptr_t pc);

struct libs_usage {
    uint32_t n_live, n_gone; /* libraries */
    uint32_t n_waiting; /* old maps that some handler may still read */
    uint32_t n_without_cfi; /* live ones whose frames can be walked by frame pointer only */
    uint64_t cfi_bytes, symbols, symbol_bytes; /* live and gone */
    uint64_t n_updates, n_lost; /* maps made; libraries refused because there were too many */
};

void libs_usage(struct libs_usage *usage);

/* Frees everything. No handler may be inside libs_enter() or enter any more. */
void libs_stop(void);

#endif
