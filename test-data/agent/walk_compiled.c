/* Every address that a compiled method has a record for, against what the compiler told JVMTI. */
#include "test-data/agent/walk.h"

#include <jvmticmlr.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    long nmethods, pcs, frames, levels[5], no_blob, other_method, wrong;
} sum;
static jvmtiEnv *own;

static int same_scopes(const struct code_blob *b, const PCStackInfo *p)
{
    const struct vm *vm = &agent.state->walker.vm;
    int32_t at = vm_code_scope(vm, b, (uintptr_t)p->pc, true);
    struct code_scope s;
    jint n = 0;

    for (; at > 0; at = s.sender, n++) {
        if (n == p->numstackframes || !vm_code_scope_read(vm, b, at, &s) ||
            s.method != method_of(p->methods[n]))
            return 0;
        /* The entry of a method is -1 in the record and 0 for JVMTI's stack traces. */
        if (s.bci != (p->bcis[n] < 0 ? 0 : p->bcis[n]))
            return 0;
        sum.frames++;
    }
    return n == p->numstackframes;
}

static void check_record(const struct code_blob *b, const jvmtiCompiledMethodLoadInlineRecord *r)
{
    for (jint i = 0; i < r->numpcs; i++) {
        sum.pcs++;
        if (!same_scopes(b, &r->pcinfo[i]) && sum.wrong++ < 5)
            fprintf(stderr, "WALK wrong pc %p: %d frames\n", r->pcinfo[i].pc,
                    (int)r->pcinfo[i].numstackframes);
    }
}

static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID id, jint size, const void *address,
                                jint map_n, const jvmtiAddrLocationMap *map, const void *info)
{
    struct code_blob b;
    struct code_method m;

    (void)jvmti;
    (void)size;
    (void)map_n;
    (void)map;
    pthread_mutex_lock(&lock);
    if (!vm_code_find(&agent.state->walker.vm, (uintptr_t)address, &b) ||
        !vm_code_method(&agent.state->walker.vm, &b, &m)) {
        sum.no_blob++;
    } else {
        sum.nmethods++;
        sum.levels[m.level]++;
        sum.other_method += m.method != method_of(id);
        for (const jvmtiCompiledMethodLoadRecordHeader *h = info; h != NULL; h = h->next)
            if (h->kind == JVMTI_CMLR_INLINE_INFO)
                check_record(&b, (const jvmtiCompiledMethodLoadInlineRecord *)h);
    }
    pthread_mutex_unlock(&lock);
}

/* In an environment of its own, for its capability changes how methods are compiled. */
void check_compiled_begin(void)
{
    jvmtiCapabilities caps = {.can_generate_compiled_method_load_events = 1};
    jvmtiEventCallbacks callbacks = {.CompiledMethodLoad = on_compiled};

    if ((*agent.vm)->GetEnv(agent.vm, (void **)&own, JVMTI_VERSION_1_2) != JNI_OK ||
        own[0]->AddCapabilities(own, &caps) != 0)
        return;
    own[0]->SetEventCallbacks(own, &callbacks, sizeof callbacks);
    own[0]->SetEventNotificationMode(own, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    own[0]->GenerateEvents(own, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

/* Method handle intrinsics share one jmethodID, so `other_method` need not be 0. */
void check_compiled_end(void)
{
    pthread_mutex_lock(&lock);
    fprintf(stderr,
            "WALK compiled nmethods=%ld native=%ld c1=%ld c2=%ld pcs=%ld frames=%ld no_blob=%ld "
            "other_method=%ld wrong=%ld\n",
            sum.nmethods, sum.levels[0], sum.levels[1] + sum.levels[2] + sum.levels[3],
            sum.levels[4], sum.pcs, sum.frames, sum.no_blob, sum.other_method, sum.wrong);
    pthread_mutex_unlock(&lock);
}
