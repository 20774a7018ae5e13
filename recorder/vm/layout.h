/*
 * layout.h - where in HotSpot's structures stands what walking a stack needs.
 *
 * Filled once from the tables (tables.h). Whatever differs between releases is kept as what it
 * is in this VM: a slot that is not there has `at` -1, and the code that needs one thing of two or
 * three asks which is there. Only three things are not in any table and follow from the release:
 * the slots of an interpreter frame, the base of UNSIGNED5 numbers and which collector is used.
 */
#ifndef RECORDER_VM_LAYOUT_H
#define RECORDER_VM_LAYOUT_H

#include "recorder/vm/tables.h"

/* Of an entry frame, where the tables do not say it: on aarch64 none does. */
#if defined(__aarch64__)
#define VM_WRAPPER_SLOT (-8)
#else
#define VM_WRAPPER_SLOT (-6)
#endif

struct vm_slot {
    int32_t at; /* -1: this VM has no such field */
    uint32_t size; /* bytes to load */
};

struct vm_layout {
    struct { /* code cache */
        uintptr_t heaps, only_heap, low_bound, high_bound; /* addresses of statics; 0: none */
        struct vm_slot array_length, array_data, memory, segmap, log2_segment;
        struct vm_slot space_low, space_high, space_end, block_used;
        size_t block_header;
    } code;
    struct { /* what all code has in common */
        struct vm_slot name, size, frame_size, frame_complete, kind;
        struct vm_slot code_begin, code_end; /* pointers; or: */
        struct vm_slot code_offset, data_offset;
        struct vm_slot mutable_data, relocation_size;
    } blob;
    struct { /* compiled methods */
        struct vm_slot method, level, compile_id, entry_bci, orig_pc;
        struct vm_slot pcs, dependencies, scopes_offset, scopes_begin, immutable_data, metadata;
        struct vm_slot verified_entry, verified_offset;
        struct vm_slot deopt_begin, deopt_mh_begin, deopt_offset, deopt_mh_offset;
        int64_t kind; /* value of blob.kind; -1: the name decides */
        struct vm_slot pc_offset, pc_scope; /* of a PcDesc */
        size_t pc_size;
    } nmethod;
    struct { /* methods and their classes */
        struct vm_slot const_method, code, access_flags, constants, code_size, name, signature,
            flags;
        struct vm_slot holder, source_file, total_size;
        struct vm_slot class_name, loader_data, layout_helper;
        struct vm_slot symbol_length, symbol_body;
        size_t const_size, pool_header;
        uint32_t has_lines, has_generic; /* bits of flags */
        uint32_t annotations[4]; /* bits too */
    } method;
    struct { /* threads */
        struct vm_slot anchor, state, stack_base, stack_size, vframes, cont_entry, osthread, tid;
        struct vm_slot last_sp, last_pc, last_fp, wrapper_anchor, exception_pc;
        struct vm_slot object, vthread; /* OopHandles: of the thread itself, of what it runs */
        struct vm_slot list_length, list_threads;
        uintptr_t list; /* address of the static; 0: none */
        int32_t wrapper_slot; /* of an entry frame, in words from fp */
    } thread;
    struct { /* statics and the rest */
        uintptr_t interpreter, call_stub_return, cont_return_pc, cont_barrier;
        uintptr_t oop_base, oop_shift, klass_offset, major_version;
        uintptr_t flags, n_flags;
        struct vm_slot stub_buffer, buffer_limit, flag_name, flag_address;
        struct vm_slot upcall_frame_data, upcall_anchor;
        size_t flag_size, cont_entry_size;
    } vm;
};

/* 0. Negative: a field that every way of walking needs is missing, and why[] names it. */
int vm_layout_read(struct vm_layout *l, const struct vm_tables *t, char why[200]);

#endif
