/*
 * code.c - finds the block of generated code that an address is in, and what the block says: its
 * kind, its method, the scopes at a return address.
 *
 * The walker calls it in signal handlers. It searches the segment map of each code heap as
 * HotSpot does, reads by safe loads only, and checks each result, since a block may be freed
 * while it is read.
 */
#include "recorder/vm/code.h"

#include <string.h>

enum {
    SEGMENT_FREE = 0xff,
    MAX_HOPS = 1 << 16,
    MAX_PC_BYTES = 1 << 28,
    NUMBER_LOW = 192, /* bytes below end a number */
    NUMBER_MAX = 5
};

bool vm_text_starts(uintptr_t address, const char *prefix)
{
    uint8_t c;

    for (; *prefix != '\0'; prefix++, address++)
        if (!safe_load8(address, &c) || c != (uint8_t)*prefix)
            return false;
    return true;
}

/* Start of the block that holds pc, which lies in this heap. The map says for each segment how far
 * to go back; a writer may be at work on it. */
static bool find_block(const struct vm *vm, uintptr_t heap, uintptr_t low, uintptr_t pc,
                       uintptr_t *block)
{
    const struct vm_layout *l = &vm->l;
    const struct vm_slot map_low = {l->code.segmap.at + l->code.space_low.at, 8};
    uintptr_t map, segment;
    uint64_t shift, used;
    uint8_t back;

    if (!vm_load_ptr(heap, map_low, &map) || !vm_load(heap, l->code.log2_segment, &shift) ||
        shift > 20)
        return false;
    segment = (pc - low) >> shift;
    if (!safe_load8(map + segment, &back) || back == SEGMENT_FREE)
        return false;
    for (int hops = 0; back != 0 && hops < MAX_HOPS; hops++) {
        if (back > segment)
            return false;
        segment -= back;
        if (!safe_load8(map + segment, &back) || back == SEGMENT_FREE)
            return false;
    }
    *block = low + (segment << shift);
    return back == 0 && vm_load(*block, l->code.block_used, &used) && (used & 0xff) != 0;
}

static bool find_start(const struct vm *vm, uintptr_t pc, uintptr_t *start)
{
    const struct vm_layout *l = &vm->l;
    const struct vm_slot low = {l->code.memory.at + l->code.space_low.at, 8};
    const struct vm_slot high = {l->code.memory.at + l->code.space_high.at, 8};
    uintptr_t a, b;

    if (!vm_is_code(vm, pc))
        return false;
    for (int i = 0; i < vm->n_heaps; i++)
        if (vm_load_ptr(vm->heaps[i], low, &a) && vm_load_ptr(vm->heaps[i], high, &b) && pc >= a &&
            pc < b && find_block(vm, vm->heaps[i], a, pc, start)) {
            *start += l->code.block_header;
            return true;
        }
    return false;
}

static enum code_kind kind_by_name(uintptr_t name)
{
    static const struct {
        const char *prefix;
        enum code_kind kind;
    } kinds[] = {
        {"nmethod", CODE_NMETHOD},       {"native nmethod", CODE_NATIVE},
        {"I2C/C2I", CODE_ADAPTER},       {"MethodHandles adapters", CODE_BUFFER},
        {"vtable chunks", CODE_ADAPTER}, {"InlineCacheBuffer", CODE_ADAPTER},
        {"StubRoutines", CODE_BUFFER},   {"Interpreter", CODE_BUFFER},
        {"StubRoutines", CODE_BUFFER},   {"upcall_stub", CODE_UPCALL},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (vm_text_starts(name, kinds[i].prefix))
            return kinds[i].kind;
    return CODE_STUB;
}

static enum code_kind kind_of_code(const struct vm *vm, const struct code_blob *b)
{
    uint64_t kind;
    uint8_t second;

    if (vm->l.nmethod.kind < 0 || !vm_load(b->start, vm->l.blob.kind, &kind))
        return kind_by_name(b->name);
    if ((int64_t)kind != vm->l.nmethod.kind)
        return kind_by_name(b->name);
    /* Wrappers are of the same kind; only the name tells "native nmethod" from "nmethod". */
    return safe_load8(b->name + 1, &second) && second == 'a' ? CODE_NATIVE : CODE_NMETHOD;
}

static bool read_code(const struct vm *vm, struct code_blob *b)
{
    const struct vm_layout *l = &vm->l;
    uint64_t begin, end;

    if (l->blob.code_begin.at >= 0)
        return vm_load_ptr(b->start, l->blob.code_begin, &b->code_begin) &&
               vm_load_ptr(b->start, l->blob.code_end, &b->code_end);
    if (!vm_load(b->start, l->blob.code_offset, &begin) ||
        !vm_load(b->start, l->blob.data_offset, &end))
        return false;
    b->code_begin = b->start + (uint32_t)begin;
    b->code_end = b->start + (uint32_t)end;
    return true;
}

bool vm_code_find(const struct vm *vm, uintptr_t pc, struct code_blob *b)
{
    const struct vm_layout *l = &vm->l;
    uint64_t size;

    if (!find_start(vm, pc, &b->start) || !vm_load(b->start, l->blob.size, &size) ||
        pc < b->start || pc - b->start >= (uint32_t)size)
        return false;
    b->size = (uint32_t)size;
    if (!vm_load_int(b->start, l->blob.frame_size, &b->frame_words) ||
        !vm_load_int(b->start, l->blob.frame_complete, &b->frame_complete) ||
        !vm_load_ptr(b->start, l->blob.name, &b->name) || !read_code(vm, b))
        return false;
    if (b->frame_words < 0 || (uint32_t)b->frame_words > 1 << 17)
        b->frame_words = 0;
    b->kind = kind_of_code(vm, b);
    return true;
}

/* Deoptimisation handlers: pointers, later offsets from the blob. */
static uintptr_t handler_at(const struct code_blob *b, struct vm_slot pointer,
                            struct vm_slot offset)
{
    uintptr_t address;
    int32_t n;

    if (pointer.at >= 0)
        return vm_load_ptr(b->start, pointer, &address) ? address : 0;
    return vm_load_int(b->start, offset, &n) && n > 0 ? b->start + (uint32_t)n : 0;
}

bool vm_code_method(const struct vm *vm, const struct code_blob *b, struct code_method *m)
{
    const struct vm_layout *l = &vm->l;
    int32_t entry_bci;
    uint64_t offset;

    if (!vm_load_ptr(b->start, l->nmethod.method, &m->method) ||
        !vm_load_int(b->start, l->nmethod.level, &m->level) ||
        !vm_load_int(b->start, l->nmethod.compile_id, &m->compile_id))
        return false;
    if (m->level < 0 || m->level > 4)
        m->level = 0;
    m->is_osr = vm_load_int(b->start, l->nmethod.entry_bci, &entry_bci) && entry_bci >= 0;
    if (!vm_load_int(b->start, l->nmethod.orig_pc, &m->orig_pc))
        m->orig_pc = -1;
    m->deopt = handler_at(b, l->nmethod.deopt_begin, l->nmethod.deopt_offset);
    m->deopt_mh = handler_at(b, l->nmethod.deopt_mh_begin, l->nmethod.deopt_mh_offset);
    if (l->nmethod.verified_entry.at >= 0)
        return vm_load_ptr(b->start, l->nmethod.verified_entry, &m->verified_entry);
    if (!vm_load(b->start, l->nmethod.verified_offset, &offset))
        return false;
    m->verified_entry = b->code_begin + offset;
    return true;
}

static bool int_field(const struct code_blob *b, struct vm_slot slot, uint32_t *value)
{
    return vm_load_int(b->start, slot, (int32_t *)value);
}

/* Where the records of pcs and scopes are: after the code, since JDK 23 in memory of their own. */
static bool immutable(const struct vm *vm, const struct code_blob *b, uintptr_t *base)
{
    *base = b->start;
    return vm->l.nmethod.immutable_data.at < 0 ||
           vm_load_ptr(b->start, vm->l.nmethod.immutable_data, base);
}

static bool pc_records(const struct vm *vm, const struct code_blob *b, uintptr_t *first,
                       uint32_t *n)
{
    const struct vm_layout *l = &vm->l;
    uintptr_t base;
    uint32_t begin, end;

    if (!immutable(vm, b, &base) || !int_field(b, l->nmethod.pcs, &begin) ||
        !int_field(b,
                   l->nmethod.immutable_data.at >= 0 ? l->nmethod.scopes_offset
                                                     : l->nmethod.dependencies,
                   &end) ||
        end < begin || end - begin > MAX_PC_BYTES)
        return false;
    *first = base + begin;
    *n = (end - begin) / (uint32_t)l->nmethod.pc_size;
    return true;
}

int32_t vm_code_scope(const struct vm *vm, const struct code_blob *b, uintptr_t pc, bool exact)
{
    const struct vm_layout *l = &vm->l;
    int64_t key = (int64_t)(pc - b->code_begin);
    uint32_t low = 0, n, middle;
    uintptr_t first;
    int32_t offset, scope;

    if (!pc_records(vm, b, &first, &n))
        return 0;
    for (uint32_t high = n; low < high;) {
        middle = low + (high - low) / 2;
        if (!vm_load_int(first + middle * l->nmethod.pc_size, l->nmethod.pc_offset, &offset))
            return 0;
        if (offset < key)
            low = middle + 1;
        else
            high = middle;
    }
    first += low * l->nmethod.pc_size;
    if (low == n || !vm_load_int(first, l->nmethod.pc_offset, &offset) ||
        !vm_load_int(first, l->nmethod.pc_scope, &scope) || (exact && offset != key))
        return 0;
    return scope;
}

bool vm_number(const struct vm *vm, uintptr_t *address, uint32_t *value)
{
    uint32_t shift = 0;
    uint8_t c;

    *value = 0;
    for (int i = 0; i < NUMBER_MAX; i++, shift += 6) {
        if (!safe_load8((*address)++, &c))
            return false;
        *value += (uint32_t)(c - vm->number_base) << shift;
        if (c < NUMBER_LOW)
            break;
    }
    return true;
}

/* The methods that scopes name by number. */
static bool metadata(const struct vm *vm, const struct code_blob *b, uintptr_t *first)
{
    const struct vm_layout *l = &vm->l;
    uint64_t offset;
    uint32_t n;

    if (l->nmethod.metadata.at < 0) {
        if (!vm_load_ptr(b->start, l->blob.mutable_data, first) ||
            !int_field(b, l->blob.relocation_size, &n))
            return false;
        *first += n;
        return true;
    }
    if (!vm_load(b->start, l->nmethod.metadata, &offset))
        return false;
    *first = b->start + offset;
    if (l->nmethod.immutable_data.at >= 0) { /* JDK 23 and 24 count from the data */
        if (!int_field(b, l->blob.data_offset, &n))
            return false;
        *first += n;
    }
    return true;
}

static bool scopes(const struct vm *vm, const struct code_blob *b, uintptr_t *first)
{
    uint32_t offset;

    if (vm->l.nmethod.scopes_begin.at >= 0)
        return vm_load_ptr(b->start, vm->l.nmethod.scopes_begin, first);
    if (!immutable(vm, b, first) || !int_field(b, vm->l.nmethod.scopes_offset, &offset))
        return false;
    *first += offset;
    return true;
}

bool vm_code_scope_read(const struct vm *vm, const struct code_blob *b, int32_t at,
                        struct code_scope *s)
{
    uintptr_t address, methods;
    uint32_t sender, method, bci;

    if (at <= 0 || !scopes(vm, b, &address))
        return false;
    address += (uint32_t)at;
    if (!vm_number(vm, &address, &sender) || !vm_number(vm, &address, &method) ||
        !vm_number(vm, &address, &bci))
        return false;
    s->method = 0;
    if (method != 0 && (!metadata(vm, b, &methods) ||
                        !safe_load_pointer(methods + (method - 1) * sizeof(uintptr_t), &s->method)))
        return false;
    /* -1, written as 0, is the entry of a method, before its first bytecode. */
    s->bci = bci == 0 ? 0 : (int32_t)(bci - 1);
    s->sender = (int32_t)sender;
    return true;
}

bool vm_code_returns(const struct vm *vm, uintptr_t pc)
{
    struct code_blob b;

    if (!vm_is_code(vm, pc))
        return false;
    return vm_is_interpreter(vm, pc) || pc == vm->call_stub_return ||
           (vm_code_find(vm, pc, &b) && (b.kind == CODE_NMETHOD || b.kind == CODE_NATIVE));
}
