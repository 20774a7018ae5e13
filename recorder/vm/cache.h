/*
 * cache.h - what return addresses in compiled methods stand for, remembered.
 *
 * Finding the block, the record and the scopes of one costs dozens of loads, and the same ones turn
 * up in nearly every sample. An entry holds the frames themselves. It is believed only while the
 * block at the place it names is in use for the same compilation.
 *
 * One table for all threads: direct mapped, each entry guarded by a sequence number. No thread
 * waits: a reader that finds an entry being written does the lookup itself.
 *
 * Signals: all but open and close are async-signal-safe.
 */
#ifndef RECORDER_VM_CACHE_H
#define RECORDER_VM_CACHE_H

#include "recorder/vm/code.h"

#include <stdatomic.h>

enum {
    VM_CACHE_FRAMES = 24, /* most that one entry holds */
    VM_CACHE_ENTRIES = 4096
};

struct vm_cached_frame {
    uint32_t id; /* of the method (dict.h) */
    int32_t bci;
};

struct vm_cached {
    uintptr_t pc, blob, method;
    int32_t compile_id;
    uint32_t frame_words;
    uint8_t level, n;
    bool is_native;
    struct vm_cached_frame frames[VM_CACHE_FRAMES]; /* innermost first */
};

struct vm_cache_entry;

struct vm_cache {
    struct vm_cache_entry *entries;
};

/* False: no memory. */
bool vm_cache_open(struct vm_cache *c);
void vm_cache_close(struct vm_cache *c);

/* Fills *to from the entry for pc, which may be any word. False: there is none. It counts only if
 * it still holds, which is left to the caller: so the next entry can be on its way meanwhile. */
bool vm_cache_get(const struct vm_cache *c, uintptr_t pc, struct vm_cached *to);
bool vm_cache_holds(const struct vm_cached *c, const struct vm *vm);

/* Says that the entry for pc, any word, will be requested soon. */
void vm_cache_expect(const struct vm_cache *c, uintptr_t pc);

/* Remembers; or not, when another thread writes there. */
void vm_cache_put(struct vm_cache *c, const struct vm_cached *from);

#endif
