/* walk.c - walks a stack from frame to frame: compiled and interpreted code, stubs, C code, the
 * heap. Each step leaves a frame as the kind of its code requires. Inlined methods are returned one
 * by one. Runs in signal handlers: no allocation, no lock, safe loads only. CPUs: walk_x86.c,
 * walk_aarch64.c. */
#include "recorder/vm/walk.h"
#include "recorder/vm/native.h"
#include "recorder/vm/walk_cpu.h"
#include "recorder/vm/walk_internal.h"

#include <string.h>

enum {
    WORD = sizeof(uintptr_t),
    MAX_STEPS = 1 << 16,
    MAX_NESTED = 16, /* continuations inside each other */
    PARENT_IN_ENTRY = 8, /* offset in a ContinuationEntry */
};

void vm_walk_end(struct vm_walk *w, enum walk_reason reason)
{
    w->is_done = true;
    w->reason = reason;
}

/* A word of a frame on the stack or in the heap. */
static bool frame_word(const struct vm_walk *w, uintptr_t address, uintptr_t *word)
{
    return w->chunk.oop != 0 ? safe_load_pointer(address, word) : vm_stack_word(w, address, word);
}

/* One frame that stands for itself. */
static void emit_frame(struct vm_walk *w, enum frame_kind kind, uint32_t id, int32_t bci)
{
    w->shape = (struct vm_frame){
        .kind = kind, .pc = w->r.pc, .sp = w->r.sp, .fp = w->r.fp, .in_heap = w->chunk.oop != 0};
    w->found.frames[0] = (struct vm_cached_frame){id, bci};
    w->found.n = 1;
    w->at = 0;
    w->scope = 0;
    w->is_unpacking = w->is_unpacking && kind == FRAME_REASON;
}

/* Reads scopes from w->scope on, as many as there is room for. */
static void read_scopes(struct vm_walk *w)
{
    struct vm_walker *k = w->walker;
    struct code_scope s;
    unsigned n = 0;

    while (n < VM_CACHE_FRAMES && w->scope > 0) {
        if (!vm_code_scope_read(&k->vm, &w->blob, w->scope, &s)) {
            w->scope = 0;
            break;
        }
        w->found.frames[n++] =
            (struct vm_cached_frame){vm_dict_method(&k->dict, &k->vm, s.method), s.bci};
        /* Senders stand before: a chain that turned round would never end. */
        w->scope = s.sender < w->scope ? s.sender : 0;
    }
    w->found.n = (uint8_t)n;
    w->at = 0;
}

static bool take_pending(struct vm_walk *w, struct vm_frame *f)
{
    const struct vm_cached_frame *c;

    if (w->at >= w->found.n && w->scope > 0)
        read_scopes(w);
    if (w->at >= w->found.n)
        return false;
    c = &w->found.frames[w->at++];
    *f = w->shape;
    f->id = c->id;
    f->bci = c->bci;
    if (f->kind == FRAME_COMPILED && (w->at < w->found.n || w->scope > 0))
        f->kind = FRAME_INLINED;
    return true;
}

/* Continues the walk at the youngest Java frame below C frames. */
void vm_walk_to_anchor(struct vm_walk *w)
{
    uintptr_t pc = w->anchor_pc, sp = w->anchor_sp;

    w->anchor_sp = 0;
    if (!vm_on_stack(w, sp) || sp < w->r.sp) {
        vm_walk_end(w, WALK_BAD_SP);
        return;
    }
    if (pc == 0 && !vm_stack_word(w, sp - WORD, &pc)) {
        vm_walk_end(w, WALK_FAULT);
        return;
    }
    w->r = (struct vm_registers){.pc = vm_cpu_strip(pc), .sp = sp, .fp = w->anchor_fp};
    w->is_top = false;
    if (!vm_is_code(&w->walker->vm, w->r.pc))
        vm_walk_end(w, WALK_BAD_PC);
}

bool vm_walk_load_anchor(struct vm_walk *w, uintptr_t anchor)
{
    const struct vm_layout *l = &w->walker->vm.l;

    w->anchor_fp = 0;
    if (l->thread.last_fp.at >= 0 && !vm_load_ptr(anchor, l->thread.last_fp, &w->anchor_fp))
        return false;
    return vm_load_ptr(anchor, l->thread.last_sp, &w->anchor_sp) &&
           vm_load_ptr(anchor, l->thread.last_pc, &w->anchor_pc);
}

/* The same of an anchor that C++ code keeps on the stack. */
static bool load_stack_anchor(struct vm_walk *w, uintptr_t anchor)
{
    const struct vm_layout *l = &w->walker->vm.l;

    w->anchor_fp = 0;
    if (l->thread.last_fp.at >= 0 &&
        !vm_stack_word(w, anchor + (uintptr_t)l->thread.last_fp.at, &w->anchor_fp))
        return false;
    return vm_stack_word(w, anchor + (uintptr_t)l->thread.last_sp.at, &w->anchor_sp) &&
           vm_stack_word(w, anchor + (uintptr_t)l->thread.last_pc.at, &w->anchor_pc);
}

/* Where C code is left there is Java code, the anchor of older Java code, or the thread's start. */
static void step_c(struct vm_walk *w)
{
    const struct vm *vm = &w->walker->vm;
    bool is_vm = w->r.pc >= vm->library_low && w->r.pc < vm->library_high;
    enum walk_reason reason;

    if (w->flags & VM_WALK_C_FRAMES)
        emit_frame(w, is_vm ? FRAME_VM : FRAME_C, 0, -1);
    if (w->anchor_sp != 0 && !(w->flags & VM_WALK_C_FRAMES)) {
        vm_walk_to_anchor(w);
        return;
    }
    reason = vm_native_leave(w);
    /* After the end of a copy there are no older frames. */
    if (w->anchor_sp != 0 && (w->copy == NULL || reason != WALK_FAULT)) {
        if (reason != WALK_END || w->r.sp >= w->anchor_sp || vm_is_code(vm, w->r.pc)) {
            if (w->r.sp > w->anchor_sp)
                w->r.sp = w->anchor_sp;
            vm_walk_to_anchor(w);
        }
    } else if (reason != WALK_END) {
        vm_walk_end(w, reason);
    } else if (w->r.pc == 0) {
        vm_walk_end(w, w->thread != 0 && !w->seen_java ? WALK_NO_JAVA : WALK_END);
    }
}

/* Below the call stub's frame is C code that keeps the anchor of the Java code that called it. */
static void step_entry(struct vm_walk *w)
{
    const struct vm *vm = &w->walker->vm;
    uintptr_t wrapper, fp = w->r.fp, pc, caller_fp;
    bool with_c = (w->flags & VM_WALK_C_FRAMES) != 0;

    if (!vm_stack_word(w, fp + (uintptr_t)(vm->l.thread.wrapper_slot * WORD), &wrapper) ||
        wrapper <= fp || !vm_on_stack(w, wrapper) ||
        !load_stack_anchor(w, wrapper + (uintptr_t)vm->l.thread.wrapper_anchor.at)) {
        vm_walk_end(w, WALK_BAD_FRAME);
        return;
    }
    if (w->anchor_sp == 0 && !(with_c && (w->flags & VM_WALK_TO_THREAD_START))) {
        vm_walk_end(w, WALK_END);
    } else if (w->anchor_sp != 0 && !with_c) {
        vm_walk_to_anchor(w);
    } else if (!vm_stack_word(w, fp + WORD, &pc) || !vm_stack_word(w, fp, &caller_fp) ||
               !vm_move(w, pc, fp + 2 * WORD, caller_fp)) {
        vm_walk_end(w, WALK_BAD_FRAME);
    }
}

/* Deoptimization makes room for interpreted frames first and fills them then: of those that are not
 * filled only the callers are known. One frame stands for all of them. */
static void step_unfilled(struct vm_walk *w)
{
    uintptr_t fp = w->r.fp, sp, pc, caller_fp;

    if (w->shape.kind != FRAME_REASON)
        emit_frame(w, FRAME_REASON, 0, WALK_DEOPT);
    if (!vm_stack_word(w, fp + (uintptr_t)(w->walker->vm.slots.sender_sp * WORD), &sp) ||
        !vm_stack_word(w, fp + WORD, &pc) || !vm_stack_word(w, fp, &caller_fp) ||
        !vm_move(w, pc, sp, caller_fp))
        vm_walk_end(w, WALK_BAD_FRAME);
}

/* The caller of an interpreted frame is one mostly, too. */
static void expect_caller(const struct vm_walk *w, uintptr_t fp)
{
    const struct vm *vm = &w->walker->vm;
    uintptr_t method;

    if (vm_stack_word(w, fp, &fp) &&
        vm_stack_word(w, fp + (uintptr_t)(vm->slots.method * WORD), &method))
        vm_dict_expect(&w->walker->dict, vm, method);
}

static void step_interpreted(struct vm_walk *w)
{
    struct vm_walker *k = w->walker;
    const struct vm *vm = &k->vm;
    uintptr_t fp = w->r.fp, bcp, method, sp, pc, caller_fp;
    struct vm_method words;
    int32_t bci = -1;

    expect_caller(w, fp);

    /* All slots of a frame are written when sp has passed the last one. */
    if (vm_on_stack(w, fp) && w->r.sp <= fp &&
        (!w->is_top || w->r.sp < fp + (uintptr_t)(vm->slots.bcp * WORD)) &&
        vm_stack_word(w, fp + (uintptr_t)(vm->slots.method * WORD), &method) &&
        vm_stack_word(w, fp + (uintptr_t)(vm->slots.bcp * WORD), &bcp) &&
        vm_method_read(vm, method, &words)) {
        /* The register is ahead of the slot, which is written before calls only. */
        if (w->is_top && w->r.bcp != 0)
            bci = vm_method_bci(vm, &words, w->r.bcp);
        if (bci < 0)
            bci = vm_method_bci(vm, &words, bcp);
    }
    if (bci >= 0) {
        w->seen_java = true;
        if (vm_method_modifiers(vm, method) & 0x100)
            emit_frame(w, FRAME_NATIVE_METHOD, vm_dict_known(&k->dict, vm, method, &words), -1);
        else
            emit_frame(w, FRAME_INTERPRETED, vm_dict_known(&k->dict, vm, method, &words), bci);
        if (!vm_stack_word(w, fp + (uintptr_t)(vm->slots.sender_sp * WORD), &sp) ||
            !vm_stack_word(w, fp + WORD, &pc) || !vm_stack_word(w, fp, &caller_fp) ||
            !vm_move(w, pc, sp, caller_fp))
            vm_walk_end(w, WALK_BAD_FRAME);
    } else if (w->is_top && w->r.method != 0 && vm_method_read(vm, w->r.method, &words)) {
        w->seen_java = true;
        emit_frame(w, FRAME_INTERPRETED, vm_dict_known(&k->dict, vm, w->r.method, &words), 0);
        if (!vm_cpu_leave_interpreter_entry(w))
            vm_walk_end(w, WALK_BAD_FRAME);
    } else if (w->is_unpacking) {
        step_unfilled(w);
    } else if (!w->is_top || !vm_cpu_leave_interpreter_exit(w)) {
        vm_walk_end(w, WALK_BAD_FRAME);
    }
}

/* The caller of a frame of known size, whose last words are the saved fp and the return address. */
static void leave_frame(struct vm_walk *w, uint32_t words)
{
    uintptr_t sp = w->r.sp + words * WORD, pc, fp;

    if (w->is_top && vm_stack_word(w, sp - WORD, &pc) && !vm_is_code(&w->walker->vm, pc))
        sp += vm_cpu_words_above(w, words) * WORD;
    if (words < 2 || !vm_stack_word(w, sp - WORD, &pc) || !vm_stack_word(w, sp - 2 * WORD, &fp) ||
        !vm_move(w, pc, sp, fp))
        vm_walk_end(w, WALK_BAD_FRAME);
}

/* enterSpecial, where a virtual thread's stack ends and its carrier's begins. */
static void step_boundary(struct vm_walk *w, const struct code_method *m)
{
    emit_frame(w, FRAME_CONTINUATION,
               vm_dict_method(&w->walker->dict, &w->walker->vm, w->walker->cont.enter_special), -1);
    if (w->flags & VM_WALK_NO_CARRIER)
        vm_walk_end(w, WALK_END);
    else if (!w->is_top)
        leave_frame(w, (uint32_t)w->blob.frame_words);
    else if (!vm_cpu_leave_compiled(w, &w->blob, m))
        vm_walk_end(w, WALK_BAD_FRAME);
}

/* The scopes of a compiled frame at pc, into w->found. */
static void emit_scopes(struct vm_walk *w, const struct code_method *m, uintptr_t pc, bool exact)
{
    struct vm_walker *k = w->walker;
    bool has_frame = exact || (w->blob.frame_complete >= 0 &&
                               pc >= w->blob.code_begin + (uintptr_t)w->blob.frame_complete);

    w->is_odd_call = false;
    emit_frame(w, FRAME_COMPILED, 0, -1);
    w->shape.level = (uint8_t)m->level;
    /* Records describe the instructions before them; a signal comes between two. */
    w->scope = has_frame ? vm_code_scope(&k->vm, &w->blob, pc + !exact, exact) : 0;
    if (w->scope == 0 && exact) { /* a call out of the middle of an instruction's work */
        w->scope = vm_code_scope(&k->vm, &w->blob, pc, false);
        w->r.sp += vm_cpu_words_pushed(pc, (uint32_t)w->blob.frame_words) * WORD;
        w->shape.sp = w->r.sp;
        w->is_odd_call = true;
    }
    if (w->scope > 0)
        read_scopes(w);
    else
        w->found.frames[0] = (struct vm_cached_frame){vm_dict_method(&k->dict, &k->vm, m->method),
                                                      has_frame ? -1 : 0};
    w->seen_java = true;
}

/* Under which key the cache keeps what an address stands for: as a return address, or interrupted
 * there. No address has the highest bit. */
static uintptr_t cache_key(const struct vm_walk *w, uintptr_t pc)
{
    return w->is_top ? pc | (uintptr_t)1 << 63 : pc;
}

static void remember_frame(struct vm_walk *w, const struct code_method *m)
{
    if (w->scope > 0 || w->found.n == 0 || w->is_odd_call || (w->flags & VM_WALK_NO_CACHE))
        return;
    for (int i = 0; i < w->found.n; i++)
        if (w->found.frames[i].id == 0)
            return;
    w->found.pc = cache_key(w, w->shape.pc);
    w->found.blob = w->blob.start;
    w->found.method = m->method;
    w->found.compile_id = m->compile_id;
    w->found.frame_words = (uint32_t)w->blob.frame_words;
    w->found.level = (uint8_t)m->level;
    w->found.is_native = w->blob.kind == CODE_NATIVE;
    vm_cache_put(&w->walker->cache, &w->found);
}

static void step_compiled(struct vm_walk *w)
{
    struct vm_walker *k = w->walker;
    struct code_method m;
    uintptr_t pc = w->r.pc, original;
    bool is_native = w->blob.kind == CODE_NATIVE, is_deopt;

    if (!vm_code_method(&k->vm, &w->blob, &m)) {
        vm_walk_end(w, WALK_FAULT);
        return;
    }
    if (is_native && m.method == k->cont.enter_special && m.method != 0) {
        step_boundary(w, &m);
        return;
    }
    if (w->is_top && !is_native && vm_cpu_is_call_stub(pc)) {
        if (!vm_stack_word(w, w->r.sp, &original) || !vm_move(w, original, w->r.sp + WORD, w->r.fp))
            vm_walk_end(w, WALK_BAD_FRAME);
        return;
    }
    is_deopt = !is_native && (pc == m.deopt || pc == m.deopt_mh) && m.orig_pc >= 0 &&
               frame_word(w, w->r.sp + (uintptr_t)m.orig_pc, &original) &&
               original > w->blob.code_begin && original <= w->blob.code_end;
    if (is_native) {
        emit_frame(w, FRAME_NATIVE_METHOD, vm_dict_method(&k->dict, &k->vm, m.method), -1);
        w->seen_java = true;
    } else {
        emit_scopes(w, &m, is_deopt ? original : pc, is_deopt || !w->is_top);
        w->shape.is_deoptimized = is_deopt;
    }
    if (w->chunk.oop != 0)
        return;
    if (!w->is_top || vm_cpu_has_plain_frame(&w->blob, pc)) {
        if (!is_deopt)
            remember_frame(w, &m);
        leave_frame(w, (uint32_t)w->blob.frame_words);
    } else if (!vm_cpu_leave_compiled(w, &w->blob, &m)) {
        vm_walk_end(w, WALK_BAD_FRAME);
    }
}

/* From native code by a function handle: an entry frame of its own shape. */
static void step_upcall(struct vm_walk *w)
{
    const struct vm *vm = &w->walker->vm;
    int32_t offset;

    if (vm->l.vm.upcall_anchor.at < 0 ||
        !vm_load_int(w->blob.start, vm->l.vm.upcall_frame_data, &offset) ||
        !vm_walk_load_anchor(w, w->r.sp + (uintptr_t)offset + (uintptr_t)vm->l.vm.upcall_anchor.at))
        vm_walk_end(w, WALK_BAD_FRAME);
    else if (w->anchor_sp == 0)
        vm_walk_end(w, WALK_END);
    else
        vm_walk_to_anchor(w);
}

/* Returns the fp of the enterSpecial frame, in which the carrier entered the virtual thread. The
 * frame contains the thread's ContinuationEntry, and its fp is the end of that. The fp that the
 * frame above has saved cannot be used: after a fast thaw it still has the value from an earlier
 * mount. Without an entry, the fp of the registers is returned. Entries are nested if a
 * continuation runs another one. */
static uintptr_t enter_fp(const struct vm_walk *w)
{
    struct vm_walker *k = w->walker;
    uintptr_t entry = 0;

    if (w->started_thread != 0)
        entry = vm_cont_entry(&k->cont, &k->vm, w->started_thread);
    for (int i = 0; i < MAX_NESTED && vm_on_stack(w, entry); i++) {
        if (entry + k->cont.entry_size > w->r.sp)
            return entry + k->cont.entry_size;
        if (!vm_stack_word(w, entry + PARENT_IN_ENTRY, &entry))
            break;
    }
    return w->r.fp;
}

/* cont_thaw, cont_returnBarrier... and in JDK 21 "Cont thaw", "cont return barrier"... */
static bool is_of_continuations(const struct vm_stub *s)
{
    return vm_text_starts((uintptr_t)s->name, "cont_") ||
           vm_text_starts((uintptr_t)s->name, "Cont ") ||
           vm_text_starts((uintptr_t)s->name, "cont ");
}

/* Is a stub running that copies frames of a virtual thread from the heap to the stack? Then neither
 * copy of the frames is complete, so the walk skips them and continues with the carrier's frames,
 * below the frame of enterSpecial. */
static bool is_thawing(const struct vm_walk *w, const struct vm_stub *s)
{
    uintptr_t fp = enter_fp(w), pc;

    return s != NULL && is_of_continuations(s) && fp > w->r.sp &&
           vm_stack_word(w, fp + WORD, &pc) && vm_code_returns(&w->walker->vm, pc);
}

static void step_stub(struct vm_walk *w)
{
    struct vm_walker *k = w->walker;
    const struct vm_stub *s =
        w->blob.kind == CODE_BUFFER ? vm_stubs_find(&k->stubs, w->r.pc) : NULL;
    uintptr_t start = s != NULL ? s->low : w->blob.code_begin;

    emit_frame(w, FRAME_STUB,
               vm_dict_stub(&k->dict, start, s != NULL ? (uintptr_t)s->name : w->blob.name), -1);
    w->is_unpacking = w->blob.kind == CODE_STUB && !w->is_top &&
                      (vm_text_starts(w->blob.name, "Deoptimization") ||
                       vm_text_starts(w->blob.name, "UncommonTrap"));
    if (is_thawing(w, s)) {
        w->chunk.resume_fp = enter_fp(w);
        w->is_at_boundary = true;
    } else if (w->blob.kind == CODE_UPCALL && !w->is_top)
        step_upcall(w);
    else if (!w->is_top && w->blob.kind == CODE_STUB && w->blob.frame_words > 0 &&
             !vm_cpu_has_stub_frame(w, &w->blob))
        leave_frame(w, (uint32_t)w->blob.frame_words);
    else if (!vm_cpu_leave_stub(w, &w->blob, start))
        vm_walk_end(w, WALK_BAD_FRAME);
}

/* Looks the frame of w->r.pc up in the cache, and copies it to w->found. The entry of the caller's
 * frame is prefetched at the same time, since each entry is in another cache line. */
static bool is_cached(struct vm_walk *w)
{
    const struct vm_walker *k = w->walker;
    uintptr_t pc;

    if (!vm_cache_get(&k->cache, cache_key(w, w->r.pc), &w->found))
        return false;
    if (vm_stack_word(w, w->r.sp + w->found.frame_words * WORD - WORD, &pc))
        vm_cache_expect(&k->cache, pc);
    return vm_cache_holds(&w->found, &k->vm);
}

static void step_code(struct vm_walk *w)
{
    struct vm_walker *k = w->walker;

    if (!(w->flags & VM_WALK_NO_CACHE) && is_cached(w)) {
        w->shape = (struct vm_frame){
            .kind = w->found.is_native ? FRAME_NATIVE_METHOD : FRAME_COMPILED,
            .level = w->found.level,
            .pc = w->r.pc,
            .sp = w->r.sp,
            .fp = w->r.fp,
        };
        w->at = 0;
        w->scope = 0;
        w->seen_java = true;
        leave_frame(w, w->found.frame_words);
    } else if (!vm_code_find(&k->vm, w->r.pc, &w->blob)) {
        vm_walk_end(w, WALK_BAD_PC);
    } else if (w->blob.kind == CODE_NMETHOD || w->blob.kind == CODE_NATIVE) {
        step_compiled(w);
    } else {
        step_stub(w);
    }
}

/* The continuation's frames have been read; the stack continues with enterSpecial's frame. */
static void leave_chunks(struct vm_walk *w)
{
    uintptr_t fp = w->chunk.resume_fp, sp = w->r.sp, pc, caller_fp;

    memset(&w->chunk, 0, sizeof w->chunk);
    w->is_at_boundary = false;
    w->r = (struct vm_registers){
        .pc = w->walker->vm.cont_return_pc, .sp = fp - w->walker->cont.entry_size, .fp = fp};
    emit_frame(w, FRAME_CONTINUATION,
               vm_dict_method(&w->walker->dict, &w->walker->vm, w->walker->cont.enter_special), -1);
    if (w->flags & VM_WALK_NO_CARRIER)
        vm_walk_end(w, WALK_END);
    else if (fp < sp || !vm_stack_word(w, fp + WORD, &pc) || !vm_stack_word(w, fp, &caller_fp) ||
             !vm_move(w, pc, fp + 2 * WORD, caller_fp))
        vm_walk_end(w, WALK_BAD_FRAME);
}

static void step_barrier(struct vm_walk *w)
{
    struct vm_walker *k = w->walker;
    uintptr_t fp = enter_fp(w);

    if (!vm_on_stack(w, fp) || fp < w->r.sp) {
        vm_walk_end(w, WALK_BAD_FRAME);
        return;
    }
    if (w->copy != NULL) { /* what is in the heap may be another thread's by now */
        vm_walk_end(w, WALK_TRUNCATED);
        return;
    }
    if (!vm_chunk_open(&k->cont, &k->vm, &w->chunk, fp))
        vm_walk_end(w, WALK_FAULT);
    else if (w->chunk.oop == 0)
        leave_chunks(w);
}

/* An interpreted frame in the heap. False: what is there is none. */
static bool emit_frozen(struct vm_walk *w, const struct vm_frozen *f)
{
    struct vm_walker *k = w->walker;
    uintptr_t method, bcp;
    struct vm_method words;
    int32_t bci;

    if (!safe_load_pointer(f->fp + (uintptr_t)(k->vm.slots.method * WORD), &method) ||
        !safe_load_pointer(f->fp + (uintptr_t)(k->vm.slots.bcp * WORD), &bcp) ||
        !vm_method_read(&k->vm, method, &words))
        return false;
    bci = vm_method_bci(&k->vm, &words, bcp);
    if (bci >= 0)
        emit_frame(w, FRAME_INTERPRETED, vm_dict_known(&k->dict, &k->vm, method, &words), bci);
    return bci >= 0;
}

/* Frames cannot be left out: a walk that cannot read one ends there. */
static void step_frozen(struct vm_walk *w)
{
    struct vm_walker *k = w->walker;
    struct vm_registers on_stack = w->r;
    struct vm_frozen f;
    bool damaged;

    if (!vm_chunk_next(&k->cont, &k->vm, &w->chunk, &f, &damaged)) {
        if (damaged)
            vm_walk_end(w, WALK_FAULT);
        else
            leave_chunks(w);
        return;
    }
    w->r = (struct vm_registers){.pc = f.pc, .sp = f.sp, .fp = f.fp};
    if (vm_is_interpreter(&k->vm, f.pc)) {
        if (!emit_frozen(w, &f) || !vm_chunk_step_interpreted(&k->vm, &w->chunk, &f))
            vm_walk_end(w, WALK_BAD_FRAME);
    } else if (!vm_code_find(&k->vm, f.pc, &w->blob) || w->blob.frame_words == 0) {
        vm_walk_end(w, WALK_BAD_PC);
    } else {
        if (w->blob.kind == CODE_NMETHOD)
            step_compiled(w);
        vm_chunk_step_compiled(&w->chunk, &f, (uint32_t)w->blob.frame_words);
    }
    w->r = on_stack;
}

static void step_frame(struct vm_walk *w)
{
    const struct vm *vm = &w->walker->vm;

    if (w->chunk.oop != 0)
        step_frozen(w);
    else if (w->is_at_boundary)
        leave_chunks(w);
    else if (!vm_on_stack(w, w->r.sp))
        vm_walk_end(w, WALK_BAD_SP);
    else if (!vm_is_code(vm, w->r.pc))
        step_c(w);
    else if (w->anchor_sp != 0)
        vm_walk_to_anchor(w);
    else if (vm_is_interpreter(vm, w->r.pc))
        step_interpreted(w);
    else if (w->r.pc == vm->call_stub_return)
        step_entry(w);
    else if (w->r.pc == vm->cont_barrier && vm->cont_barrier != 0)
        step_barrier(w);
    else
        step_code(w);
}

bool vm_walk_next(struct vm_walk *w, struct vm_frame *f)
{
    while (!take_pending(w, f)) {
        if (w->is_done)
            return false;
        if (++w->steps > MAX_STEPS)
            vm_walk_end(w, WALK_LIMIT);
        else
            step_frame(w);
    }
    return true;
}
