/*
 * snapshot.c - the walker "snapshot": copies the stack in the signal handler, and walks the copy
 * on the drain thread.
 *
 * The handler copies the registers and as many bytes of the stack as there is room for. Addresses
 * within the copied part are read from the copy; a walk that reaches its end is reported as
 * truncated.
 */
#include "recorder/walk/snapshot.h"
#include "recorder/walk/vm_walker.h"

#include <errno.h>

enum {
    RED_ZONE = 128 /* bytes below sp that leaf functions may use */
};

static size_t limit = WALK_SNAPSHOT_STACK;

/* Bytes that a snapshot with at most `limit` bytes of stack takes; 0 when walk_vm has not been
 * started. */
static size_t walk_snapshot_size(const void *ucontext, size_t most)
{
    struct vm_walk w;
    size_t n;

    if (walk_vm_state() == NULL)
        return 0;
    walk_vm_begin(&w, ucontext, 0);
    n = w.stack_high - w.r.sp + RED_ZONE;
    return sizeof(struct walk_snapshot) + (n < most ? n : most);
}

size_t walk_snapshot_take(struct walk_snapshot *s, size_t room, const void *ucontext,
                          unsigned flags)
{
    const ucontext_t *uc = ucontext;
    uintptr_t high;

    if (room < sizeof(*s) + RED_ZONE || walk_vm_state() == NULL)
        return 0;
    walk_vm_begin(&s->walk, ucontext, flags);
#if defined(__x86_64__)
    memcpy(s->registers, uc->uc_mcontext.gregs, sizeof(s->registers));
#else
    memcpy(s->registers, uc->uc_mcontext.regs, sizeof(uc->uc_mcontext.regs));
#endif
    s->low = s->walk.r.sp - RED_ZONE;
    high = s->walk.stack_high;
    room -= sizeof(*s);
    if (room > high - s->low)
        room = high - s->low;
    /* a thread that the VM does not know ends where its stack's memory ends */
    s->n = (uint32_t)safe_copy(s->bytes, s->low, room);
    s->is_whole = s->low + s->n == high;
    return sizeof(*s) + s->n;
}

int walk_snapshot_collect(const struct walk_snapshot *s, struct frame *frames, int room,
                          enum walk_reason *reason)
{
    struct cfi_copy copy = {s->low, s->low + s->n, s->bytes};
    struct vm_walk w = s->walk;
    int n;

    w.copy = &copy;
    w.start.all = w.r.all = (uintptr_t)s->registers;
    n = walk_vm_collect(&w, frames, room, reason);
    if (!s->is_whole && *reason != WALK_END && *reason != WALK_NO_JAVA)
        *reason = WALK_TRUNCATED;
    return n;
}

/* --- the walker --- */

void walk_snapshot_limit(size_t bytes)
{
    limit = bytes;
}

static size_t copy_size(const void *ucontext)
{
    return walk_snapshot_size(ucontext, limit);
}

static void copy(const void *ucontext, void *to, size_t n)
{
    int before = errno;

    walk_snapshot_take(to, n, ucontext, VM_WALK_C_FRAMES);
    errno = before;
}

static int walk_copy(const void *from, struct frame *frames, int room, enum walk_reason *reason)
{
    return walk_snapshot_collect(from, frames, room, reason);
}

static int start(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, char why[200])
{
    return walk_vm.start(vm, jvmti, env, why);
}

static int walk_copied(void *ucontext, struct frame *frames, int room, enum walk_reason *reason)
{
    return walk_vm.walk(ucontext, frames, room, reason);
}

static bool describe(uint64_t method, struct method_info *info)
{
    return walk_vm.describe(method, info);
}

static void stop(void)
{
    walk_vm.stop();
}

const struct walker walk_snapshot = {
    .name = "snapshot",
    .start = start,
    .walk = walk_copied,
    .copy_size = copy_size,
    .copy = copy,
    .walk_copy = walk_copy,
    .virtual_thread = walk_vm_virtual,
    .virtual_name = walk_vm_virtual_name,
    .walk_waiting = walk_vm_waiting,
    .describe = describe,
    .stop = stop,
};
