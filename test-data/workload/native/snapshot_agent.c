/*
 * snapshot_agent - walks threads in the handler and, from a copy of the stack, when they have run
 * on; tells how the frames differ and what either costs the handler.
 *
 *     -agentpath:snapshot_agent.so=SECONDS,KILOBYTES
 *
 * Prints "SNAPSHOT kb=N walks=N equal=N cut=N differ=N ...": cut is what the copy was too short for
 * and equal as far as it went.
 */
#include "test-data/workload/native/sampler.h"
#include "recorder/native/libs.h"
#include "recorder/base/safe_load.h"
#include "recorder/walk/snapshot.h"
#include "recorder/walk/vm_walker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH = 1024,
    TIMES = 200000
};

static struct {
    struct frame frames[DEPTH];
    int n;
    enum walk_reason reason;
    size_t bytes;
} answer;

static struct walk_snapshot *snapshot, *moved;
static size_t room;
static long walks, equal, cut, differ, shown, unlike_reason;
static unsigned long long bytes;
static int walk_times[TIMES], copy_times[TIMES], n_times;

void sampler_look(void *ucontext, int request)
{
    long a, b, c;

    /* what comes second finds warm caches: each is first every other time */
    a = sampler_now_ns();
    if (request % 2 == 0)
        answer.bytes = walk_snapshot_take(snapshot, room, ucontext, VM_WALK_C_FRAMES);
    b = sampler_now_ns();
    answer.n = walk_vm.walk(ucontext, answer.frames, DEPTH, &answer.reason);
    c = sampler_now_ns();
    if (request % 2 != 0)
        answer.bytes = walk_snapshot_take(snapshot, room, ucontext, VM_WALK_C_FRAMES);
    if (n_times < TIMES) {
        walk_times[n_times] = (int)(c - b);
        copy_times[n_times++] = (int)(request % 2 == 0 ? b - a : sampler_now_ns() - c);
    }
}

static void compare(void)
{
    static struct frame frames[DEPTH];
    enum walk_reason reason;
    int n, same = 0;

    if (answer.bytes == 0)
        return;
    memcpy(moved, snapshot, answer.bytes);
    n = walk_snapshot_collect(moved, frames, DEPTH, &reason);
    while (same < n && same < answer.n && frames[same].pc == answer.frames[same].pc &&
           frames[same].kind == answer.frames[same].kind &&
           frames[same].method == answer.frames[same].method &&
           frames[same].bci == answer.frames[same].bci)
        same++;
    walks++;
    bytes += answer.bytes;
    if (same == n && same == answer.n) {
        equal++;
        unlike_reason += reason != answer.reason;
    } else if (same == n && reason == WALK_TRUNCATED) {
        cut++;
    } else {
        differ++;
        if (shown++ < 5)
            printf("DIFFER at %d of %d, %d: %s, %s; kind %d %d pc %lx %lx\n", same, answer.n, n,
                   walk_reason_name(answer.reason), walk_reason_name(reason),
                   answer.frames[same].kind, frames[same].kind,
                   (unsigned long)answer.frames[same].pc, (unsigned long)frames[same].pc);
    }
}

void sampler_visit(int tid)
{
    if (sampler_ask(tid))
        compare();
}

bool sampler_open(JavaVM *java, jvmtiEnv *jvmti, JNIEnv *env)
{
    char why[200] = "";

    room = sizeof(*snapshot) + (size_t)sampler_number * 1024;
    snapshot = malloc(room);
    moved = malloc(room);
    libs_set_vm((uintptr_t)(*java)->GetEnv);
    if (safe_load_install() == 0 && libs_update() >= 0 && walk_vm.start(java, jvmti, env, why) == 0)
        return true;
    printf("SNAPSHOT failed: %s\n", why);
    return false;
}

void sampler_report(void)
{
    printf("SNAPSHOT kb=%d walks=%ld equal=%ld cut=%ld differ=%ld other_reason=%ld bytes=%llu "
           "walk_p50=%d walk_p99=%d copy_p50=%d copy_p99=%d\n",
           sampler_number, walks, equal, cut, differ, unlike_reason,
           bytes / (walks ? (unsigned long long)walks : 1),
           sampler_quantile(walk_times, n_times, 0.5), sampler_quantile(walk_times, n_times, 0.99),
           sampler_quantile(copy_times, n_times, 0.5), sampler_quantile(copy_times, n_times, 0.99));
}
