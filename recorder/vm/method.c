/*
 * method.c - reads HotSpot's Method objects: whether an address is one, its names, its bytecode
 * index, its line numbers.
 *
 * The walker calls it in signal handlers, the drain thread for names. Nothing is trusted: each
 * pointer is checked for plausibility and read by safe loads.
 */
#include "recorder/vm/method.h"
#include "recorder/vm/code.h"

enum {
    MODIFIERS = 0xffff,
    LINE_ESCAPE = 0xff,
    CODE_MAX = 65535
};

/* Where a pointer of the VM may point: not at small numbers, and aligned. */
static bool plausible(uintptr_t p)
{
    return p >= 4096 && (p & 7) == 0;
}

static bool follow(uintptr_t base, struct vm_slot slot, uintptr_t *p)
{
    return vm_load_ptr(base, slot, p) && plausible(*p);
}

/* The Symbol* at an index of a constant pool; 0: none. */
static uintptr_t vm_pool_symbol(const struct vm *vm, uintptr_t pool, uint32_t index)
{
    uintptr_t symbol;

    if (index == 0 ||
        !safe_load_pointer(pool + vm->l.method.pool_header + sizeof(uintptr_t) * index, &symbol))
        return 0;
    return plausible(symbol) ? symbol : 0;
}

bool vm_method_read(const struct vm *vm, uintptr_t method, struct vm_method *m)
{
    const struct vm_layout *l = &vm->l;
    uint64_t name, signature, code_size;

    if (!plausible(method) || !follow(method, l->method.const_method, &m->const_method) ||
        !follow(m->const_method, l->method.constants, &m->pool) ||
        !follow(m->pool, l->method.holder, &m->holder) ||
        !vm_load(m->const_method, l->method.name, &name) ||
        !vm_load(m->const_method, l->method.signature, &signature) ||
        !vm_load(m->const_method, l->method.code_size, &code_size))
        return false;
    m->name = vm_pool_symbol(vm, m->pool, (uint32_t)name);
    m->signature = vm_pool_symbol(vm, m->pool, (uint32_t)signature);
    m->code_size = (uint32_t)code_size;
    return m->name != 0 && m->signature != 0 && m->code_size <= CODE_MAX;
}

static uintptr_t code(const struct vm *vm, const struct vm_method *m)
{
    return m->const_method + vm->l.method.const_size;
}

int32_t vm_method_bci(const struct vm *vm, const struct vm_method *m, uintptr_t bcp)
{
    uintptr_t begin = code(vm, m);

    if (bcp == 0)
        return 0;
    /* JDK 8 keeps an index instead of an address there while it collects garbage. */
    if (bcp < 65536 && vm->major <= 8)
        return bcp < m->code_size ? (int32_t)bcp : -1;
    /* A native method has no bytecodes; the slot then points at the beginning. */
    return bcp == begin || (bcp > begin && bcp - begin < m->code_size) ? (int32_t)(bcp - begin)
                                                                       : -1;
}

bool vm_symbol_text(const struct vm *vm, uintptr_t symbol, struct vm_text *text)
{
    uint64_t n;

    if (symbol == 0 || !vm_load(symbol, vm->l.method.symbol_length, &n) || n == 0 || n > 65535)
        return false;
    *text = (struct vm_text){symbol + (uintptr_t)vm->l.method.symbol_body.at, (uint32_t)n};
    return true;
}

/* The index stands in the last half-word of the ConstMethod, in front of pointers to annotations,
 * one for each of four bits of the flags. */
uintptr_t vm_method_generic(const struct vm *vm, const struct vm_method *m)
{
    const struct vm_layout *l = &vm->l;
    uint64_t flags, words;
    uintptr_t end;
    uint16_t index;

    if (!vm_load(m->const_method, l->method.flags, &flags) || !(flags & l->method.has_generic) ||
        !vm_load(m->const_method, l->method.total_size, &words) || words > 1 << 20)
        return 0;
    end = m->const_method + words * sizeof(uintptr_t);
    for (size_t i = 0; i < sizeof l->method.annotations / sizeof *l->method.annotations; i++)
        end -= flags & l->method.annotations[i] ? sizeof(uintptr_t) : 0;
    return safe_load16(end - sizeof index, &index) ? vm_pool_symbol(vm, m->pool, index) : 0;
}

int32_t vm_method_modifiers(const struct vm *vm, uintptr_t method)
{
    uint64_t flags;

    return vm_load(method, vm->l.method.access_flags, &flags) ? (int32_t)(flags & MODIFIERS) : 0;
}

/* A number whose lowest bit is its sign. */
static bool signed_number(const struct vm *vm, uintptr_t *address, int32_t *value)
{
    uint32_t n;

    if (!vm_number(vm, address, &n))
        return false;
    *value = (int32_t)(n >> 1) ^ -(int32_t)(n & 1);
    return true;
}

int vm_method_line(const struct vm *vm, const struct vm_method *m, uintptr_t *address, int32_t *bci,
                   int32_t *line)
{
    int32_t bci_step, line_step;
    uint64_t flags;
    uint8_t c;

    if (*address == 0) {
        if (!vm_load(m->const_method, vm->l.method.flags, &flags))
            return -1;
        if (!(flags & vm->l.method.has_lines))
            return 0;
        *address = code(vm, m) + m->code_size;
        *bci = *line = 0;
    }
    if (!safe_load8((*address)++, &c))
        return -1;
    if (c == 0)
        return 0;
    bci_step = c >> 3;
    line_step = c & 7;
    if (c == LINE_ESCAPE &&
        (!signed_number(vm, address, &bci_step) || !signed_number(vm, address, &line_step)))
        return -1;
    *bci = (int32_t)((uint32_t)*bci + (uint32_t)bci_step);
    *line = (int32_t)((uint32_t)*line + (uint32_t)line_step);
    return 1;
}
