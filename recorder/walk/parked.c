/*
 * The walks of vm_walker.c made by a thread of their own, while the sampled thread waits in its
 * signal handler: mode "parked". The handler needs little stack then and runs no walker; what it
 * costs is two switches of context.
 *
 * Each waiting thread has a slot. Its state goes FREE, CLAIMED, ASKED, WALKING, DONE, FREE; the
 * waiting thread moves it but for ASKED to WALKING to DONE, which is the walking thread's. A thread
 * that waited too long takes its request back and walks itself; while it is being walked it cannot,
 * but walks are bounded.
 */
#include "recorder/walk/parked.h"
#include "recorder/base/safe_load.h"
#include "recorder/walk/vm_walker.h"
#include "jfrfmt/base/now.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOTS = 64,
    LIMIT_NS = 10 * 1000 * 1000,
    SPINS = 200
};

enum slot_state {
    FREE,
    CLAIMED,
    ASKED,
    WALKING,
    DONE
};

struct slot {
    _Atomic uint32_t state; /* a futex */
    uintptr_t thread;
    const void *ucontext;
    struct frame *frames;
    int room, n;
    enum walk_reason reason;
};

static struct slot slots[SLOTS];
static _Atomic uint32_t asked; /* counts requests; a futex */
static atomic_bool is_on;
static pthread_t walking_thread;
static atomic_uint_fast64_t n_walked, n_alone;

static void futex_wake(_Atomic uint32_t *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value, long limit_ns)
{
    struct timespec limit = {limit_ns / 1000000000, limit_ns % 1000000000};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit_ns > 0 ? &limit : NULL, NULL, 0);
}

static bool move(struct slot *s, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(&s->state, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static void serve(struct slot *s)
{
    struct vm_walk w;

    if (!move(s, ASKED, WALKING)) /* its thread has given up */
        return;
    vm_walk_context(&w, &walk_vm_state()->walker, s->thread, s->ucontext, VM_WALK_C_FRAMES);
    s->n = walk_vm_collect(&w, s->frames, s->room, &s->reason);
    /* Pairs with the acquire in wait_for(): the frames are complete. */
    atomic_store_explicit(&s->state, DONE, memory_order_release);
    futex_wake(&s->state, 1);
}

static void *walk_for_others(void *arg)
{
    uint32_t seen;

    while (atomic_load_explicit(&is_on, memory_order_acquire)) {
        seen = atomic_load_explicit(&asked, memory_order_acquire);
        for (int i = 0; i < SLOTS; i++)
            if (atomic_load_explicit(&slots[i].state, memory_order_acquire) == ASKED)
                serve(&slots[i]);
        futex_wait(&asked, seen, 0);
    }
    return arg;
}

static struct slot *claim_slot(void)
{
    uint32_t first = (uint32_t)syscall(SYS_gettid);

    for (uint32_t i = 0; i < SLOTS; i++)
        if (move(&slots[(first + i) % SLOTS], FREE, CLAIMED))
            return &slots[(first + i) % SLOTS];
    return NULL;
}

/* Whether the walk was made. */
static bool wait_for(struct slot *s)
{
    long limit = now_ns(CLOCK_MONOTONIC) + LIMIT_NS, left = LIMIT_NS;
    uint32_t state;

    for (int i = 0; i < SPINS; i++)
        if (atomic_load_explicit(&s->state, memory_order_acquire) == DONE)
            return true;
    for (;;) {
        state = atomic_load_explicit(&s->state, memory_order_acquire);
        if (state == DONE)
            return true;
        if (left <= 0 && move(s, ASKED, CLAIMED))
            return false;
        futex_wait(&s->state, state, left > 0 ? left : 1000 * 1000);
        left = limit - now_ns(CLOCK_MONOTONIC);
    }
}

static bool ask_helper(struct slot *s, void *ucontext, struct frame *frames, int room)
{
    bool is_java;
    uintptr_t thread = vm_thread_current(&walk_vm_state()->threads, &is_java);

    s->thread = is_java ? thread : 0;
    s->ucontext = ucontext;
    s->frames = frames;
    s->room = room;
    /* Pairs with the acquire in serve(). */
    atomic_store_explicit(&s->state, ASKED, memory_order_release);
    atomic_fetch_add_explicit(&asked, 1, memory_order_release);
    futex_wake(&asked, 1);
    return wait_for(s);
}

static int walk_requested(void *ucontext, struct frame *frames, int room, enum walk_reason *reason)
{
    int before = errno, n = 0;
    struct slot *s = NULL;
    bool walked = false;

    /* Outside of signal handlers there is nothing that another thread could begin at. */
    if (ucontext != NULL && atomic_load_explicit(&is_on, memory_order_acquire))
        s = claim_slot();
    if (s != NULL) {
        walked = ask_helper(s, ucontext, frames, room);
        n = s->n;
        *reason = s->reason;
        atomic_store_explicit(&s->state, FREE, memory_order_release);
    }
    atomic_fetch_add_explicit(walked ? &n_walked : &n_alone, 1, memory_order_relaxed);
    errno = before;
    return walked ? n : walk_vm.walk(ucontext, frames, room, reason);
}

static void stop(void)
{
    if (atomic_exchange_explicit(&is_on, false, memory_order_acq_rel)) {
        atomic_fetch_add_explicit(&asked, 1, memory_order_release);
        futex_wake(&asked, 1);
        pthread_join(walking_thread, NULL);
    }
    walk_vm.stop();
}

static int start_thread(void)
{
    sigset_t before;
    int rc;

    atomic_store_explicit(&is_on, true, memory_order_release);
    safe_load_block_others(&before);
    rc = pthread_create(&walking_thread, NULL, walk_for_others, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        atomic_store_explicit(&is_on, false, memory_order_release);
    return rc;
}

static int start(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, char why[200])
{
    int rc = walk_vm.start(vm, jvmti, env, why);

    if (rc != 0)
        return rc;
    rc = start_thread();
    if (rc != 0) {
        snprintf(why, 200, "cannot start a thread: %s", strerror(rc));
        walk_vm.stop();
        return -1;
    }
    return 0;
}

static bool describe(uint64_t method, struct method_info *info)
{
    return walk_vm.describe(method, info);
}

void walk_parked_counts(uint64_t *walked, uint64_t *alone)
{
    *walked = atomic_load_explicit(&n_walked, memory_order_relaxed);
    *alone = atomic_load_explicit(&n_alone, memory_order_relaxed);
}

const struct walker walk_parked = {
    .name = "parked",
    .is_lasting = true,
    .start = start,
    .walk = walk_requested,
    .virtual_thread = walk_vm_virtual,
    .virtual_name = walk_vm_virtual_name,
    .walk_waiting = walk_vm_waiting,
    .describe = describe,
    .stop = stop,
};
