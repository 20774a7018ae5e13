/* Natives of the class WalkOracle: the caller's stack against JVMTI's GetStackTrace. */
#include "test-data/agent/walk.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_FRAMES = 4096
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    long calls, frames, in_heap, deoptimized, wrong, kinds[FRAME_REASON + 1];
    long api, api_wrong;
} sum;

static int is_java(const struct vm_frame *f)
{
    return f->kind <= FRAME_NATIVE_METHOD;
}

/* Our frames of methods, youngest first; the rest is left out. */
static int collect(uintptr_t thread, unsigned flags, struct vm_frame *out)
{
    struct vm_walk w;
    struct vm_frame f;
    int n = 0;

    vm_walk_anchor(&w, &agent.state->walker, thread, flags | VM_WALK_NO_CARRIER);
    while (vm_walk_next(&w, &f)) {
        if (is_java(&f) && n < MAX_FRAMES)
            out[n++] = f;
        sum.kinds[f.kind]++;
    }
    if (w.reason != WALK_END) {
        fprintf(stderr, "WALK stack ends with %d after %d frames, pc %lx\n", w.reason, n,
                (long)w.r.pc);
        return -1;
    }
    return n;
}

static int same(const struct vm_frame *f, const jvmtiFrameInfo *j)
{
    const struct vm_entry *e = vm_dict_get(&agent.state->walker.dict, f->id);

    return e != NULL && e->address == method_of(j->method) &&
           (j->location == -1 || j->location == f->bci);
}

static void show(const struct vm_frame *ours, int n, const jvmtiFrameInfo *theirs, jint m)
{
    char a[400], b[400];

    for (int i = 0; i < n || i < m; i++) {
        a[0] = b[0] = '\0';
        if (i < n)
            frame_text(&ours[i], a, sizeof a);
        if (i < m)
            method_text(theirs[i].method, b, sizeof b);
        fprintf(stderr, "WALK   %c %s@%d kind %d level %d pc %lx | %s@%ld\n",
                i < n && i < m && same(&ours[i], &theirs[i]) ? ' ' : '!', a,
                i < n ? ours[i].bci : 0, i < n ? (int)ours[i].kind : -1, i < n ? ours[i].level : 0,
                i < n ? (long)ours[i].pc : 0, b, i < m ? (long)theirs[i].location : 0);
    }
}

/* With the cache, and the long way. */
static int check_one(JNIEnv *env, uintptr_t thread, unsigned flags)
{
    static struct vm_frame ours[MAX_FRAMES];
    static jvmtiFrameInfo theirs[MAX_FRAMES];
    jint m = 0;
    int n, i;

    if (agent.jvmti[0]->GetStackTrace(agent.jvmti, NULL, 0, MAX_FRAMES, theirs, &m) != 0)
        return 0;
    n = collect(thread, flags, ours);
    for (i = 0; i < n && i < m && same(&ours[i], &theirs[i]); i++) {
        sum.frames++;
        sum.in_heap += ours[i].in_heap;
        sum.deoptimized += ours[i].is_deoptimized;
    }
    if (n == m && i == n) {
        if (flags == 0) {
            sum.api++;
            sum.api_wrong += check_api(env, theirs, m) != 0;
        }
        return n;
    }
    if (sum.wrong++ < 3) {
        fprintf(stderr, "WALK wrong stack: %d frames, JVMTI has %d, frame %d differs\n", n, m, i);
        show(ours, n, theirs, m);
    }
    return -1;
}

JNIEXPORT jint JNICALL Java_WalkOracle_check(JNIEnv *env, jclass cls)
{
    bool is_java_thread;
    uintptr_t thread = vm_thread_current(&agent.state->threads, &is_java_thread);
    int n;

    (void)cls;
    pthread_mutex_lock(&lock);
    sum.calls++;
    n = check_one(env, thread, 0);
    if (n >= 0)
        n = check_one(env, thread, VM_WALK_NO_CACHE);
    pthread_mutex_unlock(&lock);
    return n;
}

JNIEXPORT void JNICALL Java_WalkOracle_report(JNIEnv *env, jclass cls, jstring name)
{
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);

    (void)cls;
    fprintf(stderr,
            "WALK stacks of=%s calls=%ld frames=%ld interpreted=%ld compiled=%ld inlined=%ld "
            "native=%ld stub=%ld in_heap=%ld deoptimized=%ld api=%ld api_wrong=%ld wrong=%ld\n",
            text, sum.calls, sum.frames, sum.kinds[FRAME_INTERPRETED], sum.kinds[FRAME_COMPILED],
            sum.kinds[FRAME_INLINED], sum.kinds[FRAME_NATIVE_METHOD], sum.kinds[FRAME_STUB],
            sum.in_heap, sum.deoptimized, sum.api, sum.api_wrong, sum.wrong);
    memset(&sum, 0, sizeof sum);
    (*env)->ReleaseStringUTFChars(env, name, text);
}
