#include "recorder/walk_snapshot.h"
#include "recorder/walk_vm.h"

enum {
    RED_ZONE = 128 /* bytes below sp that leaf functions may use */
};

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

int walk_snapshot_collect(struct walk_snapshot *s, struct frame *frames, int room,
                          enum walk_reason *reason)
{
    struct cfi_copy copy = {s->low, s->low + s->n, s->bytes};
    int n;

    s->walk.copy = &copy;
    s->walk.start.all = s->walk.r.all = (uintptr_t)s->registers;
    n = walk_vm_collect(&s->walk, frames, room, reason);
    s->walk.copy = NULL;
    if (!s->is_whole && *reason != WALK_END && *reason != WALK_NO_JAVA)
        *reason = WALK_TRUNCATED;
    return n;
}
