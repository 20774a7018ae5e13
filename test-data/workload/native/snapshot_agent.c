/*
 * snapshot_agent - walks threads in the handler and, from a copy of the stack, when they have run
 * on; tells how the frames differ and what either costs the handler.
 *
 *     -agentpath:snapshot_agent.so=SECONDS,KILOBYTES
 *
 * Prints "SNAPSHOT kb=N walks=N equal=N cut=N differ=N ...": cut is what the copy was too short for
 * and equal as far as it went.
 */
#include "recorder/libs.h"
#include "recorder/safe_load.h"
#include "recorder/walk_snapshot.h"
#include "recorder/walk_vm.h"

#include <dirent.h>
#include <errno.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    DEPTH = 1024,
    TIMES = 200000
};

static double seconds = 5;
static int kilobytes = 64;
static volatile int stop;
static pthread_t sampler;

static struct {
    struct frame frames[DEPTH];
    int n, done;
    enum walk_reason reason;
    size_t bytes;
} answer;

static struct walk_snapshot *snapshot, *moved;
static size_t room;
static int wanted, wanted_tid;
static long walks, equal, cut, differ, shown, unlike_reason;
static unsigned long long bytes;
static int walk_times[TIMES], copy_times[TIMES], n_times;

static long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void on_signal(int signo, siginfo_t *info, void *ucontext)
{
    int saved = errno, request = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
    long a, b, c;

    (void)signo;
    (void)info;
    if (syscall(SYS_gettid) == wanted_tid && answer.done != request) {
        /* what comes second finds warm caches: each is first every other time */
        a = now_ns();
        if (request % 2 == 0)
            answer.bytes = walk_snapshot_take(snapshot, room, ucontext, VM_WALK_C_FRAMES);
        b = now_ns();
        answer.n = walk_vm.walk(ucontext, answer.frames, DEPTH, &answer.reason);
        c = now_ns();
        if (request % 2 != 0)
            answer.bytes = walk_snapshot_take(snapshot, room, ucontext, VM_WALK_C_FRAMES);
        if (n_times < TIMES) {
            walk_times[n_times] = (int)(c - b);
            copy_times[n_times++] = (int)(request % 2 == 0 ? b - a : now_ns() - c);
        }
        __atomic_store_n(&answer.done, request, __ATOMIC_RELEASE);
    }
    errno = saved;
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

static void ask(int tid)
{
    int request = wanted + 1;

    wanted_tid = tid;
    __atomic_store_n(&wanted, request, __ATOMIC_RELEASE);
    if (syscall(SYS_tgkill, getpid(), tid, SIGPROF) != 0)
        return;
    for (int i = 0; i < 4000 && __atomic_load_n(&answer.done, __ATOMIC_ACQUIRE) != request; i++)
        usleep(i < 20 ? 20 : 100);
    if (__atomic_load_n(&answer.done, __ATOMIC_ACQUIRE) == request)
        compare();
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *sample(void *arg)
{
    int self = (int)syscall(SYS_gettid);
    long end = now_ns() + (long)(seconds * 1e9);

    (void)arg;
    usleep(200000);
    while (!stop && now_ns() < end) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *d;

        libs_update();
        while (tasks != NULL && !stop && (d = readdir(tasks)) != NULL)
            if (atoi(d->d_name) > 0 && atoi(d->d_name) != self)
                ask(atoi(d->d_name));
        if (tasks != NULL)
            closedir(tasks);
    }
    return NULL;
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    JavaVM *java;
    char why[200] = "";

    (void)thread;
    (*env)->GetJavaVM(env, &java);
    room = sizeof(*snapshot) + (size_t)kilobytes * 1024;
    snapshot = malloc(room);
    moved = malloc(room);
    libs_set_vm((uintptr_t)(*java)->GetEnv);
    if (safe_load_install() != 0 || libs_update() < 0 ||
        walk_vm.start(java, jvmti, env, why) != 0) {
        printf("SNAPSHOT failed: %s\n", why);
        return;
    }
    sigaction(SIGPROF, &sa, NULL);
    pthread_create(&sampler, NULL, sample, NULL);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    (void)env;
    stop = 1;
    if (sampler != 0)
        pthread_join(sampler, NULL);
    signal(SIGPROF, SIG_IGN);
    qsort(walk_times, (size_t)n_times, sizeof(walk_times[0]), ascending);
    qsort(copy_times, (size_t)n_times, sizeof(copy_times[0]), ascending);
    printf("SNAPSHOT kb=%d walks=%ld equal=%ld cut=%ld differ=%ld other_reason=%ld bytes=%llu "
           "walk_p50=%d walk_p99=%d copy_p50=%d copy_p99=%d\n",
           kilobytes, walks, equal, cut, differ, unlike_reason,
           bytes / (walks ? (unsigned long long)walks : 1), n_times ? walk_times[n_times / 2] : 0,
           n_times ? walk_times[n_times * 99L / 100] : 0, n_times ? copy_times[n_times / 2] : 0,
           n_times ? copy_times[n_times * 99L / 100] : 0);
    fflush(stdout);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_init, .VMDeath = on_death};
    jvmtiEnv *jvmti;

    (void)reserved;
    if (options != NULL)
        sscanf(options, "%lf,%d", &seconds, &kilobytes);
    if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
