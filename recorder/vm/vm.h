/*
 * vm.h - the HotSpot in this process: its layout and what stands still in it while it runs.
 *
 *     static struct vm vm;
 *     if (vm_open(&vm, java_vm, why) == 0) ...
 *
 * Everything here is read once, after the VM's initialisation: the ends of the code heap, the
 * interpreter, stubs that the walker must know by address.
 *
 * Threads: read only once opened. Signals: vm_open() not; the inline functions yes.
 */
#ifndef RECORDER_VM_VM_H
#define RECORDER_VM_VM_H

#include "recorder/base/safe_load.h"
#include "recorder/vm/layout.h"
#include "recorder/vm/zgc.h"

#include <jni.h>

enum {
    VM_MAX_HEAPS = 8
};

enum vm_thread_state { /* some of JavaThreadState's */
    VM_IN_NATIVE = 4,
    VM_IN_VM = 6,
    VM_IN_JAVA = 8,
    VM_BLOCKED = 10
};

/* Slots of an interpreter frame, in words from its fp. */
struct vm_slots {
    int32_t sender_sp, method, bcp, locals;
};

struct vm {
    struct vm_layout l;
    int major; /* 8, 11, 17... */
    uintptr_t library_low, library_high; /* libjvm's executable part */
    uintptr_t code_low, code_high; /* all code lies between */
    uintptr_t heaps[VM_MAX_HEAPS];
    int n_heaps;
    uintptr_t interpreter_low, interpreter_high;
    uintptr_t call_stub_return;
    struct vm_slots slots;
    uint32_t number_base; /* what UNSIGNED5 takes off each byte: 0, since JDK 20 1 */
    bool narrow_oops;
    uintptr_t oop_base;
    uint32_t oop_shift;
    bool is_zgc; /* references in the heap are no plain addresses: */
    struct zgc zgc;
    uintptr_t cont_return_pc, cont_barrier; /* 0: none or not known yet */
};

/* 0; negative: not a VM that can be read, and why[] says so. */
int vm_open(struct vm *vm, JavaVM *java, char why[200]);

/* A -XX flag's value: its first byte; `otherwise` if the VM does not know the flag. */
int vm_flag(const struct vm *vm, const char *name, int otherwise);

/* Where in its objects a class has a field; false: it has none of that name and type. Not in a
 * signal; leaves no exception pending. */
bool vm_java_field(JNIEnv *env, jclass cls, const char *name, const char *type, int32_t *offset);

/* The object that a field of an object in the heap refers to, 0: null. False: not readable.
 * Async-signal-safe. */
bool vm_load_oop(const struct vm *vm, uintptr_t address, uintptr_t *oop);

/* The same of a handle of the VM's own, a member of the structure at `base`. */
bool vm_load_handle(const struct vm *vm, uintptr_t base, struct vm_slot slot, uintptr_t *oop);

static inline bool vm_is_code(const struct vm *vm, uintptr_t pc)
{
    return pc >= vm->code_low && pc < vm->code_high;
}

static inline bool vm_is_interpreter(const struct vm *vm, uintptr_t pc)
{
    return pc >= vm->interpreter_low && pc < vm->interpreter_high;
}

/* The field `slot` of the structure at `base`, zero-extended. False also if there is no such
 * field; *value is 0 then. */
static inline bool vm_load(uintptr_t base, struct vm_slot slot, uint64_t *value)
{
    uint8_t byte;
    uint16_t quarter;
    uint32_t half;
    bool ok;

    *value = 0;
    if (slot.at < 0)
        return false;
    base += (uintptr_t)slot.at;
    switch (slot.size) {
    case 1:
        ok = safe_load8(base, &byte);
        *value = byte;
        return ok;
    case 2:
        ok = safe_load16(base, &quarter);
        *value = quarter;
        return ok;
    case 4:
        ok = safe_load32(base, &half);
        *value = half;
        return ok;
    default:
        return safe_load64(base, value);
    }
}

/* The same for a signed number. */
static inline bool vm_load_int(uintptr_t base, struct vm_slot slot, int32_t *value)
{
    uint64_t word;
    bool ok = vm_load(base, slot, &word);

    *value = slot.size == 1 ? (int8_t)word : slot.size == 2 ? (int16_t)word : (int32_t)word;
    return ok;
}

/* A pointer member. */
static inline bool vm_load_ptr(uintptr_t base, struct vm_slot slot, uintptr_t *value)
{
    if (slot.at >= 0)
        return safe_load_pointer(base + (uintptr_t)slot.at, value);
    *value = 0;
    return false;
}

#endif
