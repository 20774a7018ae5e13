/*
 * vm.c - finds what the layout names in the VM of this process, and what no table has.
 *
 * vm_open() runs once, on the thread that starts the agent. Addresses come from the tables that
 * libjvm exports for the serviceability agent (layout.c); the code heap's bounds, the interpreter's
 * code and the stubs are read through them. Conventions that no table describes are derived from
 * the release. Each read is a safe load: an unknown VM is refused with a reason, it is never a
 * crash.
 */
#include "recorder/vm/vm.h"

#include "recorder/base/code_range.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const void *library_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

/* libjvm, by one of the functions that it gave us; it stays loaded for ever. */
static void *open_library(struct vm *vm, JavaVM *java)
{
    struct code_range r;
    Dl_info info;
    void *fn;

    memcpy(&fn, &(*java)->GetEnv, sizeof fn);
    if (!dladdr(fn, &info))
        return NULL;
    code_range_find((uintptr_t)fn, &r);
    vm->library_low = r.low;
    vm->library_high = r.high;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

static uintptr_t vm_word_at(uintptr_t address)
{
    uintptr_t word = 0;

    if (address != 0)
        safe_load_pointer(address, &word);
    return word;
}

static uint32_t half_at(uintptr_t address)
{
    uint32_t half = 0;

    if (address != 0)
        safe_load32(address, &half);
    return half;
}

static bool read_heaps(struct vm *vm)
{
    const struct vm_layout *l = &vm->l;
    uintptr_t array, data = 0;
    uint64_t n = 0;

    if (l->code.heaps == 0) {
        vm->n_heaps = 1;
        vm->heaps[0] = vm_word_at(l->code.only_heap);
        return vm->heaps[0] != 0;
    }
    array = vm_word_at(l->code.heaps);
    if (!vm_load(array, l->code.array_length, &n) ||
        !vm_load_ptr(array, l->code.array_data, &data) || n == 0 || n > VM_MAX_HEAPS)
        return false;
    vm->n_heaps = (int)n;
    for (int i = 0; i < vm->n_heaps; i++)
        vm->heaps[i] = vm_word_at(data + sizeof(uintptr_t) * (uintptr_t)i);
    return true;
}

static bool read_bounds(struct vm *vm)
{
    const struct vm_layout *l = &vm->l;
    const struct vm_slot low = {l->code.memory.at + l->code.space_low.at, 8};
    const struct vm_slot end = {l->code.memory.at + l->code.space_end.at, 8};
    uintptr_t a, b;

    vm->code_low = vm_word_at(l->code.low_bound);
    vm->code_high = vm_word_at(l->code.high_bound);
    for (int i = 0; i < vm->n_heaps && l->code.low_bound == 0; i++)
        if (vm_load_ptr(vm->heaps[i], low, &a) && vm_load_ptr(vm->heaps[i], end, &b)) {
            /* The only heap of JDK 8, up to the end of its reserve, into which it may grow.
             * Libraries may be mapped right after it. */
            vm->code_low = a;
            vm->code_high = b;
        }
    return vm->code_low != 0 && vm->code_low < vm->code_high;
}

static bool read_interpreter(struct vm *vm)
{
    const struct vm_layout *l = &vm->l;
    uintptr_t queue = vm_word_at(l->vm.interpreter);
    uint64_t limit = 0;

    if (!vm_load_ptr(queue, l->vm.stub_buffer, &vm->interpreter_low) ||
        !vm_load(queue, l->vm.buffer_limit, &limit))
        return false;
    vm->interpreter_high = vm->interpreter_low + limit;
    return limit > 0 && vm_is_code(vm, vm->interpreter_low);
}

int vm_flag(const struct vm *vm, const char *name, int otherwise)
{
    const struct vm_layout *l = &vm->l;
    uintptr_t flag = vm_word_at(l->vm.flags), n = vm_word_at(l->vm.n_flags), text, address;
    char have[64];
    uint8_t value;

    if (flag == 0 || l->vm.flag_size == 0 || n > 10000)
        return otherwise;
    for (; n > 0; n--, flag += l->vm.flag_size) {
        if (!vm_load_ptr(flag, l->vm.flag_name, &text) || text == 0)
            continue;
        if (safe_copy(have, text, strlen(name) + 1) == strlen(name) + 1 &&
            memcmp(have, name, strlen(name) + 1) == 0)
            return vm_load_ptr(flag, l->vm.flag_address, &address) && safe_load8(address, &value)
                       ? value
                       : otherwise;
    }
    return otherwise;
}

/* The release: what the VM says of itself up to 8, whose tables number HotSpot instead (25 for JDK
 * 8), and the number in the tables from 9 on. */
static int release_of_vm(const struct vm *vm, JavaVM *java)
{
    JNIEnv *env = NULL;
    jint version = JNI_VERSION_1_8;

    if ((*java)->GetEnv(java, (void **)&env, JNI_VERSION_1_8) == JNI_OK)
        version = (*env)->GetVersion(env);
    else if (vm->l.vm.major_version != 0)
        return (int)half_at(vm->l.vm.major_version);
    if (version >> 16 == 1)
        return version & 0xffff;
    return vm->l.vm.major_version != 0 ? (int)half_at(vm->l.vm.major_version) : version >> 16;
}

/* What no table tells. */
static void read_conventions(struct vm *vm, const struct vm_tables *tables)
{
#if defined(__x86_64__)
    vm->slots = (struct vm_slots){-1, -3, vm->major >= 9 ? -8 : -7, vm->major >= 9 ? -7 : -6};
#else
    vm->slots = (struct vm_slots){-1, -3, vm->major >= 9 ? -9 : -7, vm->major >= 9 ? -8 : -6};
#endif
    vm->number_base = vm->major >= 20;
    vm->is_zgc = vm_flag(vm, "UseZGC", 0) != 0;
    if (vm->is_zgc)
        zgc_open(&vm->zgc, tables, vm_flag(vm, "ZGenerational", 1) == 0 ? 'X' : 'Z');
    vm->narrow_oops = vm_flag(vm, "UseCompressedOops", 0) != 0;
    vm->oop_base = vm_word_at(vm->l.vm.oop_base);
    vm->oop_shift = half_at(vm->l.vm.oop_shift);
    vm->cont_return_pc = vm_word_at(vm->l.vm.cont_return_pc);
    vm->cont_barrier = vm_word_at(vm->l.vm.cont_barrier);
}

int vm_open(struct vm *vm, JavaVM *java, char why[200])
{
    struct vm_tables tables;
    void *library;

    memset(vm, 0, sizeof *vm);
    library = open_library(vm, java);
    if (library == NULL || !vm_tables_open(&tables, library_symbol, library)) {
        snprintf(why, 200, "this VM exports no tables of its structures");
        return -1;
    }
    if (vm_layout_read(&vm->l, &tables, why) != 0)
        return -1;
    if (!read_heaps(vm) || !read_bounds(vm) || !read_interpreter(vm)) {
        snprintf(why, 200, "the VM's code cache is not laid out as its tables say");
        return -1;
    }
    vm->call_stub_return = vm_word_at(vm->l.vm.call_stub_return);
    if (!vm_is_code(vm, vm->call_stub_return)) {
        snprintf(why, 200, "the VM's call stub is not where its tables say");
        return -1;
    }
    vm->major = release_of_vm(vm, java);
    read_conventions(vm, &tables);
    return 0;
}

/* HotSpot's field ids are offsets with two low bits of their own. */
bool vm_java_field(JNIEnv *env, jclass cls, const char *name, const char *type, int32_t *offset)
{
    jfieldID id = (*env)->GetFieldID(env, cls, name, type);

    (*env)->ExceptionClear(env);
    *offset = (int32_t)((uintptr_t)id >> 2);
    return id != NULL && *offset > 0 && *offset < 4096;
}

bool vm_load_oop(const struct vm *vm, uintptr_t address, uintptr_t *oop)
{
    uint32_t narrow;

    if (vm->is_zgc)
        return zgc_load(&vm->zgc, address, oop);
    if (!vm->narrow_oops)
        return safe_load_pointer(address, oop);
    if (!safe_load32(address, &narrow))
        return false;
    *oop = narrow != 0 ? vm->oop_base + ((uintptr_t)narrow << vm->oop_shift) : 0;
    return true;
}

bool vm_load_handle(const struct vm *vm, uintptr_t base, struct vm_slot slot, uintptr_t *oop)
{
    uintptr_t at;

    *oop = 0;
    if (!vm_load_ptr(base, slot, &at) || at == 0)
        return false;
    return vm->is_zgc ? zgc_load(&vm->zgc, at, oop) : safe_load_pointer(at, oop);
}
