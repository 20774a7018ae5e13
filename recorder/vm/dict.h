/*
 * dict.h - what frames have named, captured while the frames were live.
 *
 *     uint32_t id = vm_dict_method(&dict, &vm, method);      in the handler
 *     const struct vm_entry *e = vm_dict_get(&dict, id);     any time later
 *
 * The key of a method is its address and the words that follow it in memory (method.h). If the
 * class is unloaded and another method gets the same address, that method gets another id. Entries
 * are written once and never change or go away; when there is no more room new methods get id 0 and
 * are counted.
 *
 * Threads: any. Signals: all but open and close are async-signal-safe and lock-free; an insertion
 *          that is interrupted by another of the same method at worst wastes an entry.
 * Memory: reserved at open, touched as it fills.
 */
#ifndef RECORDER_VM_DICT_H
#define RECORDER_VM_DICT_H

#include "recorder/vm/method.h"
#include "recorder/base/walker.h"

#include <stdatomic.h>

enum {
    VM_DICT_METHODS = 1 << 17, /* entries at most */
    VM_DICT_TEXT_MIB = 96 /* bytes of names and lines at most, in 2^20 */
};

struct vm_entry {
    uintptr_t address; /* Method*, or of a stub | 1 */
    struct vm_method words;
    const char *text; /* class, name, descriptor, generic signature, one after the other */
    uint32_t cls_n, name_n, descriptor_n, generic_n;
    const struct line_entry *lines; /* sorted by bci */
    uint32_t n_lines;
    int32_t modifiers;
    uintptr_t loader; /* ClassLoaderData* */
    bool is_hidden;
};

struct vm_dict {
    struct vm_entry *entries; /* id - 1 */
    _Atomic uint32_t *buckets; /* ids */
    char *text;
    atomic_uint n_entries;
    atomic_size_t n_text;
    atomic_uint_fast64_t n_refused; /* for want of room */
    void *map;
    size_t map_n;
};

/* False: no memory. */
bool vm_dict_open(struct vm_dict *d);
void vm_dict_close(struct vm_dict *d);

/* Says that a method may be requested soon: what has to be loaded then is on its way meanwhile. Any
 * word will do. */
void vm_dict_expect(const struct vm_dict *d, const struct vm *vm, uintptr_t method);

/* The id of a method met in a frame; 0: it is none, it cannot be read or there is no room. */
uint32_t vm_dict_method(struct vm_dict *d, const struct vm *vm, uintptr_t method);

/* The same for a method whose words have just been read. */
uint32_t vm_dict_known(struct vm_dict *d, const struct vm *vm, uintptr_t method,
                       const struct vm_method *words);

/* The id of a stub that begins at `address`; its name is the C string at `name`, in the VM. */
uint32_t vm_dict_stub(struct vm_dict *d, uintptr_t address, uintptr_t name);

/* NULL: no such id. */
const struct vm_entry *vm_dict_get(const struct vm_dict *d, uint64_t id);

#endif
