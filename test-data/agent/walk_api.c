/* The public interface (jfrkit_walk.h) against JVMTI's GetStackTrace. */
#include "test-data/agent/walk.h"

#define JFRKIT_WALK_INSIDE
#include "recorder/api/jfrkit_walk.h"

#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum {
    MAX_FRAMES = 4096
};

struct want {
    const struct jk_walk_api *api;
    const jvmtiFrameInfo *frames;
    jint n;
    int with_c; /* C frames must be among them */
    struct jk_frame found[MAX_FRAMES];
};

static int is_method(const struct jk_frame *f)
{
    return f->type <= JK_FRAME_NATIVE;
}

/* By name: what a profiler sees. */
static int same(const struct want *w, const struct jk_frame *f, const jvmtiFrameInfo *j)
{
    char *name = NULL, *signature = NULL;
    struct jk_method_info m;
    int equal = 0;

    if (w->api->method_info(f->method, &m) &&
        agent.jvmti[0]->GetMethodName(agent.jvmti, j->method, &name, &signature, NULL) == 0)
        equal = strlen(name) == m.name_n && memcmp(name, m.name, m.name_n) == 0 &&
                strlen(signature) == m.signature_n &&
                memcmp(signature, m.signature, m.signature_n) == 0 &&
                (j->location == -1 || j->location == f->bci);
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)name);
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)signature);
    return equal;
}

static int compare(const struct want *w, int n)
{
    jint k = 0, c = 0;

    for (int i = 0; i < n; i++) {
        if (w->found[i].type == JK_FRAME_CONTINUATION)
            break;
        if (is_method(&w->found[i]) && (k == w->n || !same(w, &w->found[i], &w->frames[k++])))
            return 1;
        c += w->found[i].type == JK_FRAME_NON_JAVA;
    }
    return k != w->n || (c > 0) != w->with_c;
}

/* Twice, for a walk begun again must give the same. */
static int collect(struct jk_walk *walk, void *arg)
{
    struct want *w = arg;
    int first = 0, n = 0, rc;

    while (first < MAX_FRAMES && (rc = w->api->next(walk, &w->found[first])) > 0)
        first++;
    if (rc != 0 || w->api->state(walk) != 0 || w->api->kind(walk) != JK_KIND_JAVA)
        return 1;
    w->api->rewind(walk);
    while (n < MAX_FRAMES && w->api->next(walk, &w->found[n]) > 0)
        n++;
    return n != first || compare(w, n);
}

int check_api(JNIEnv *env, const jvmtiFrameInfo *frames, jint n)
{
    static struct want w;
    struct jk_trace trace = {.frames = w.found};
    struct jk_walk_start at;
    ucontext_t uc;
    int wrong = 0;

    w.api = jfrkit_walk_api();
    w.frames = frames;
    w.n = n;
    getcontext(&uc);
    w.with_c = 1;
    wrong += w.api->run(&uc, JK_WALK_C_FRAMES, collect, &w) != 0;
    w.with_c = 0;
    wrong += w.api->run(&uc, 0, collect, &w) != 0;
#if defined(__x86_64__)
    at = (struct jk_walk_start){.pc = (void *)uc.uc_mcontext.gregs[REG_RIP],
                                .sp = (void *)uc.uc_mcontext.gregs[REG_RSP],
                                .fp = (void *)uc.uc_mcontext.gregs[REG_RBP],
                                .env = env};
    w.with_c = 1;
    wrong += w.api->run_at(&at, JK_WALK_C_FRAMES, collect, &w) != 0;
#endif
    w.with_c = 1;
    wrong += w.api->trace(&trace, MAX_FRAMES, &uc, JK_WALK_C_FRAMES) <= 0 || trace.error != 0 ||
             trace.kind != JK_KIND_JAVA || compare(&w, trace.num_frames) != 0;
    /* No more than there is room for, and none where they are not asked for. */
    w.found[3].type = 99;
    wrong += w.api->trace(&trace, 3, &uc, 0) != (n < 3 ? n : 3) || w.found[3].type != 99;
    if (wrong != 0)
        fprintf(stderr, "WALK wrong api: %d of 5 ways\n", wrong);
    return wrong;
}
