/*
 * cont.c - finds the frames of a virtual thread that are stored in the heap, and steps from one
 * to the next.
 *
 * The walker calls it in signal handlers when it reaches the end of a virtual thread's frames on
 * the carrier's stack. vm_cont_open() looks up the fields of jdk.internal.vm.StackChunk once.
 */
#include "recorder/vm/cont.h"

#include <string.h>

enum {
    WORD = sizeof(uintptr_t),
    CONT_IN_ENTRY = 16, /* offset of the continuation in a ContinuationEntry */
    ENTRY_SIZE = 64,
    MAX_CHUNKS = 64,
    MAX_CHUNK_WORDS = 1 << 24
};

/* The Klass* of a class, through its mirror. */
static uintptr_t klass_of(const struct vm *vm, jclass cls)
{
    uintptr_t mirror, klass;
    uint32_t offset;

    if (vm->l.vm.klass_offset == 0 || !safe_load32(vm->l.vm.klass_offset, &offset) ||
        !safe_load_pointer((uintptr_t)cls & ~(uintptr_t)7, &mirror))
        return 0;
    return safe_load_pointer(mirror + offset, &klass) ? klass : 0;
}

/* Releases before 24 or so do not tell where a thread has its entry, but the code of enterSpecial
 * does, which is made for the first virtual thread. */
uintptr_t vm_cont_entry(struct vm_cont *c, const struct vm *vm, uintptr_t thread)
{
    int32_t at = atomic_load_explicit(&c->entry, memory_order_relaxed);
    struct code_blob blob;
    uintptr_t code, entry;

    if (at < 0 && c->enter_special != 0 &&
        vm_load_ptr(c->enter_special, vm->l.method.code, &code) && code != 0 &&
        vm_code_find(vm, code, &blob)) {
        at = vm_cont_entry_slot(&blob);
        atomic_store_explicit(&c->entry, at, memory_order_relaxed);
    }
    return vm_load_ptr(thread, (struct vm_slot){at, WORD}, &entry) ? entry : 0;
}

static bool find_all(struct vm_cont *c, const struct vm *vm, JNIEnv *env, jclass cont, jclass chunk)
{
    jmethodID enter;
    uintptr_t klass;
    int32_t layout;

    if (!vm_java_field(env, cont, "tail", "Ljdk/internal/vm/StackChunk;", &c->tail) ||
        !vm_java_field(env, chunk, "parent", "Ljdk/internal/vm/StackChunk;", &c->parent) ||
        !vm_java_field(env, chunk, "size", "I", &c->size) ||
        !vm_java_field(env, chunk, "sp", "I", &c->sp) ||
        !vm_java_field(env, chunk, "bottom", "I", &c->bottom))
        return false;
    enter =
        (*env)->GetStaticMethodID(env, cont, "enterSpecial", "(Ljdk/internal/vm/Continuation;ZZ)V");
    (*env)->ExceptionClear(env);
    if (enter != NULL)
        safe_load_pointer((uintptr_t)enter, &c->enter_special);
    klass = klass_of(vm, chunk);
    if (klass == 0 || !vm_load_int(klass, vm->l.method.layout_helper, &layout) || layout <= 0)
        return false;
    c->header = (uint32_t)layout & ~7u;
    return c->header >= 16 && c->header < 256;
}

void vm_cont_open(struct vm_cont *c, const struct vm *vm, JNIEnv *env)
{
    jclass cont, chunk;

    memset(c, 0, sizeof *c);
    atomic_init(&c->entry, vm->l.thread.cont_entry.at);
    c->entry_size = vm->l.vm.cont_entry_size != 0 ? (uint32_t)vm->l.vm.cont_entry_size : ENTRY_SIZE;
    if (vm->major < 21)
        return;
    cont = (*env)->FindClass(env, "jdk/internal/vm/Continuation");
    (*env)->ExceptionClear(env);
    chunk = (*env)->FindClass(env, "jdk/internal/vm/StackChunk");
    (*env)->ExceptionClear(env);
    if (cont != NULL && chunk != NULL)
        c->is_known = find_all(c, vm, env, cont, chunk);
    (*env)->DeleteLocalRef(env, cont);
    (*env)->DeleteLocalRef(env, chunk);
}

static bool enter_stack_chunk(const struct vm_cont *c, struct vm_chunk *chunk)
{
    uint32_t size, sp, bottom;

    if (chunk->oop == 0 || (chunk->oop & 7) != 0 || ++chunk->n > MAX_CHUNKS ||
        !safe_load32(chunk->oop + (uintptr_t)c->size, &size) ||
        !safe_load32(chunk->oop + (uintptr_t)c->sp, &sp) ||
        !safe_load32(chunk->oop + (uintptr_t)c->bottom, &bottom) || size > MAX_CHUNK_WORDS ||
        bottom > size || sp > bottom)
        return false;
    chunk->low = chunk->oop + c->header;
    chunk->sp = chunk->low + (uintptr_t)sp * WORD;
    chunk->end = chunk->low + (uintptr_t)bottom * WORD;
    chunk->unextended_sp = 0;
    return true;
}

bool vm_chunk_open(const struct vm_cont *c, const struct vm *vm, struct vm_chunk *chunk,
                   uintptr_t enter_fp)
{
    uintptr_t cont;

    *chunk = (struct vm_chunk){.resume_fp = enter_fp};
    if (!c->is_known || !safe_load_pointer(enter_fp - c->entry_size + CONT_IN_ENTRY, &cont) ||
        cont == 0 || (cont & 7) != 0 || !vm_load_oop(vm, cont + (uintptr_t)c->tail, &chunk->oop))
        return false;
    if (chunk->oop == 0 || enter_stack_chunk(c, chunk))
        return true;
    chunk->oop = 0;
    return false;
}

bool vm_chunk_next(const struct vm_cont *c, const struct vm *vm, struct vm_chunk *chunk,
                   struct vm_frozen *f, bool *damaged)
{
    *damaged = false;
    while (chunk->oop != 0 && chunk->sp >= chunk->end) {
        if (!vm_load_oop(vm, chunk->oop + (uintptr_t)c->parent, &chunk->oop) ||
            (chunk->oop != 0 && !enter_stack_chunk(c, chunk))) {
            chunk->oop = 0;
            *damaged = true;
        }
    }
    if (chunk->oop == 0)
        return false;
    *f = (struct vm_frozen){.sp = chunk->unextended_sp != 0 ? chunk->unextended_sp : chunk->sp};
    if (!safe_load_pointer(chunk->sp - WORD, &f->pc)) {
        *damaged = true;
        return false;
    }
    if (vm_is_interpreter(vm, f->pc)) { /* its fp is stored as a distance */
        uintptr_t at = chunk->sp - 2 * WORD, words;

        if (!safe_load_pointer(at, &words) || (intptr_t)words < 0 || words > MAX_CHUNK_WORDS) {
            *damaged = true;
            return false;
        }
        f->sp = chunk->sp;
        f->fp = at + words * WORD;
    }
    return true;
}

void vm_chunk_step_compiled(struct vm_chunk *chunk, const struct vm_frozen *f, uint32_t words)
{
    chunk->sp = f->sp + words * WORD;
    chunk->unextended_sp = 0;
    if (chunk->sp + 2 * WORD >= chunk->end)
        chunk->sp = chunk->end;
}

bool vm_chunk_step_interpreted(const struct vm *vm, struct vm_chunk *chunk,
                               const struct vm_frozen *f)
{
    uintptr_t locals, sender;

    if (!safe_load_pointer(f->fp + (uintptr_t)(vm->slots.locals * WORD), &locals) ||
        !safe_load_pointer(f->fp + (uintptr_t)(vm->slots.sender_sp * WORD), &sender) ||
        (intptr_t)locals < 0 || locals > MAX_CHUNK_WORDS || (intptr_t)sender < 0 ||
        sender > MAX_CHUNK_WORDS)
        return false;
    chunk->unextended_sp = f->fp + sender * WORD;
    chunk->sp = f->fp + 2 * WORD;
    if (f->fp + locals * WORD + WORD >= chunk->end)
        chunk->sp = chunk->end;
    return true;
}
