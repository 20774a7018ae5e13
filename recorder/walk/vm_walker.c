/*
 * vm_walker.c - the walker that reads the VM's own structures, as the engines use it: start,
 * checks, walks in signals and of waiting virtual threads.
 */
#include "recorder/walk/vm_walker.h"
#include "recorder/base/safe_load.h"
#include "recorder/vm/walk_cpu.h"
#include "recorder/walk/vm_walker_internal.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct walk_vm_state state;
static atomic_bool is_open;
static int users; /* starts without stops; by the thread that starts and stops */

struct walk_vm_state *walk_vm_state(void)
{
    return atomic_load_explicit(&is_open, memory_order_acquire) ? &state : NULL;
}

/* The loader of java.lang.Object, by which boot classes are recognized. */
static uintptr_t boot_loader(const struct vm *vm, JNIEnv *env)
{
    jclass cls = (*env)->FindClass(env, "java/lang/Object");
    jmethodID id = cls != NULL ? (*env)->GetMethodID(env, cls, "hashCode", "()I") : NULL;
    uintptr_t method, loader = 0;
    struct vm_method words;

    /* A jmethodID points at the Method* up to JDK 25; later this just finds nothing. */
    if (id != NULL && safe_load_pointer((uintptr_t)id, &method) &&
        vm_method_read(vm, method, &words))
        vm_load_ptr(words.holder, vm->l.method.loader_data, &loader);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, cls);
    return loader;
}

/* The stub has the second name in JDK 21, and the third there on aarch64. */
static void find_barrier(struct vm_walker *w)
{
    static const char *const names[] = {"cont_returnBarrier", "Cont thaw return barrier",
                                        "cont return barrier"};
    const struct vm_stub *s = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && s == NULL; i++)
        s = vm_stubs_named(&w->stubs, names[i]);
    if (w->vm.cont_barrier == 0 && s != NULL)
        w->vm.cont_barrier = s->low;
}

static int open_parts(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, char why[200])
{
    struct vm_walker *w = &state.walker;
    int rc = safe_load_install();

    if (rc != 0) {
        snprintf(why, 200, "cannot handle SIGSEGV: %s", strerror(-rc));
        return -1;
    }
    if (vm_open(&w->vm, vm, why) != 0)
        return -1;
    if (!vm_threads_open(&state.threads, env)) {
        snprintf(why, 200, "cannot find where the VM keeps its current thread");
        return -1;
    }
    if (!vm_dict_open(&w->dict) || !vm_cache_open(&w->cache)) {
        snprintf(why, 200, "no memory for the dictionary of methods");
        return -1;
    }
    vm_stubs_open(&w->stubs, vm); /* if it fails, stubs are named by their blob */
    find_barrier(w);
    vm_cont_open(&w->cont, &w->vm, env);
    vm_virtual_open(&state.virtual, &w->vm, env);
    state.boot_loader = boot_loader(&w->vm, env);
    return walk_vm_check(&state, jvmti, env, why);
}

static void close_all(void)
{
    vm_dict_close(&state.walker.dict);
    vm_cache_close(&state.walker.cache);
    vm_stubs_close(&state.walker.stubs);
}

static int start(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, char why[200])
{
    if (walk_vm_state() != NULL) {
        users++;
        return 0;
    }
    memset(&state, 0, sizeof state);
    if (open_parts(vm, jvmti, env, why) != 0) {
        close_all();
        return -1;
    }
    users = 1;
    /* Pairs with the acquire in walk_vm_state(). */
    atomic_store_explicit(&is_open, true, memory_order_release);
    return 0;
}

void walk_vm_begin(struct vm_walk *w, const void *ucontext, unsigned flags)
{
    bool is_java;
    uintptr_t thread = vm_thread_current(&state.threads, &is_java);

    if (ucontext != NULL)
        vm_walk_context(w, &state.walker, is_java ? thread : 0, ucontext, flags);
    else
        vm_walk_anchor(w, &state.walker, is_java ? thread : 0, flags);
}

/* The reason why a walk failed: WALK_DEOPT if the thread's frames are being replaced. */
static enum walk_reason explain(const struct vm_walk *w)
{
    uintptr_t vframes;

    if (w->reason == WALK_BAD_FRAME && w->thread != 0 &&
        vm_load_ptr(w->thread, w->walker->vm.l.thread.vframes, &vframes) && vframes != 0)
        return WALK_DEOPT;
    return w->reason;
}

int walk_vm_collect(struct vm_walk *w, struct frame *frames, int room, enum walk_reason *reason)
{
    struct vm_frame f;
    int n = 0;

    while (vm_walk_next(w, &f)) {
        if (n == room) {
            *reason = WALK_TRUNCATED;
            return n;
        }
        /* Symbols are looked up by the call, not by what is after it: that may be another
         * function. */
        if (n > 0 && (f.kind == FRAME_C || f.kind == FRAME_VM))
            f.pc--;
        frames[n++] = (struct frame){
            .method = f.id, .pc = f.pc, .bci = f.bci, .kind = (uint8_t)f.kind, .level = f.level};
    }
    *reason = explain(w);
    return n;
}

static bool is_java_thread_here(void)
{
    bool is_java;

    return vm_thread_current(&state.threads, &is_java) != 0 && is_java;
}

static int walk_by_vm(void *ucontext, struct frame *frames, int room, enum walk_reason *reason)
{
    int before = errno, n;
    struct vm_walk w;

    if (ucontext == NULL && !is_java_thread_here()) {
        *reason = WALK_NO_JAVA;
        return 0;
    }
    walk_vm_begin(&w, ucontext, VM_WALK_C_FRAMES);
    n = walk_vm_collect(&w, frames, room, reason);
    errno = before;
    return n;
}

uint64_t walk_vm_virtual(uintptr_t *object)
{
    bool is_java;
    uintptr_t thread = walk_vm_state() == NULL ? 0 : vm_thread_current(&state.threads, &is_java);

    return thread == 0 || !is_java
               ? 0
               : vm_virtual_id(&state.virtual, &state.walker.vm, thread, object);
}

void walk_vm_virtual_name(uintptr_t object, char *out, size_t room)
{
    vm_virtual_name(&state.virtual, &state.walker.vm, object, out, room);
}

/* Finds where a thread's Java code waits for native code or a lock. Returns false if it does not
 * wait. */
static bool waits_at(uintptr_t thread, uintptr_t *sp, uintptr_t *pc)
{
    const struct vm_layout *l = &state.walker.vm.l;
    uintptr_t anchor = thread + (uintptr_t)l->thread.anchor.at;
    int32_t now;

    return vm_load_int(thread, l->thread.state, &now) &&
           (now == VM_IN_NATIVE || now == VM_BLOCKED) &&
           vm_load_ptr(anchor, l->thread.last_sp, sp) &&
           vm_load_ptr(anchor, l->thread.last_pc, pc) && *sp != 0;
}

/* The thread may continue at any time. What was read is valid if the thread is still at the same
 * place, with the same virtual thread. */
bool walk_vm_waiting(JNIEnv *env, jthread carrier, struct frame *frames, int room,
                     struct waiting *out)
{
    uintptr_t thread, sp, pc, sp_after, pc_after, object;
    struct vm_walk w;

    thread = walk_vm_state() == NULL ? 0 : vm_thread_of(&state.threads, env, carrier);
    if (thread == 0 || !waits_at(thread, &sp, &pc))
        return false;
    out->id = vm_virtual_id(&state.virtual, &state.walker.vm, thread, &out->object);
    if (out->id == 0)
        return false;
    vm_walk_anchor(&w, &state.walker, thread, 0);
    out->n = walk_vm_collect(&w, frames, room, &out->reason);
    return waits_at(thread, &sp_after, &pc_after) && sp_after == sp && pc_after == pc &&
           vm_virtual_id(&state.virtual, &state.walker.vm, thread, &object) == out->id;
}

static bool describe(uint64_t method, struct method_info *info)
{
    const struct vm_entry *e = vm_dict_get(&state.walker.dict, method);

    if (e == NULL)
        return false;
    *info = (struct method_info){
        .cls = e->text,
        .name = e->text + e->cls_n,
        .descriptor = e->text + e->cls_n + e->name_n,
        .cls_n = e->cls_n,
        .name_n = e->name_n,
        .descriptor_n = e->descriptor_n,
        .modifiers = e->modifiers,
        .is_hidden = e->is_hidden,
        .loader = e->loader == state.boot_loader ? 0 : e->loader,
        .lines = e->lines,
        .n_lines = e->n_lines,
    };
    return true;
}

static void stop(void)
{
    if (walk_vm_state() == NULL || --users > 0)
        return;
    atomic_store_explicit(&is_open, false, memory_order_release);
    close_all();
}

const struct walker walk_vm = {
    .name = "signal",
    .is_lasting = true,
    .start = start,
    .walk = walk_by_vm,
    .virtual_thread = walk_vm_virtual,
    .virtual_name = walk_vm_virtual_name,
    .walk_waiting = walk_vm_waiting,
    .describe = describe,
    .stop = stop,
};
