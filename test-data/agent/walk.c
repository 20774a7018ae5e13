/* walk.c - the test agent that runs the stack walker inside a JVM and compares its stacks with
 * those of JVMTI. This file has what the agent's parts share: options, and methods and frames as
 * text. */
#include "test-data/agent/walk.h"
#include "recorder/native/libs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct agent agent;

long option(const char *name, long otherwise)
{
    const char *at = strstr(agent.options, name);
    size_t n = strlen(name);

    return at != NULL && at[n] == '=' ? strtol(at + n + 1, NULL, 10) : at != NULL ? 1 : otherwise;
}

uintptr_t method_of(jmethodID id)
{
    uintptr_t method;

    return id != NULL && safe_load_pointer((uintptr_t)id, &method) ? method : 0;
}

const char *frame_text(const struct vm_frame *f, char *to, size_t n)
{
    const struct vm_entry *e = vm_dict_get(&agent.state->walker.dict, f->id);

    if (e == NULL)
        snprintf(to, n, "?");
    else
        snprintf(to, n, "%.*s.%.*s", (int)e->cls_n, e->text, (int)e->name_n, e->text + e->cls_n);
    return to;
}

const char *method_text(jmethodID id, char *to, size_t n)
{
    char *name = NULL, *cls = NULL;
    jclass holder;

    if (agent.jvmti[0]->GetMethodName(agent.jvmti, id, &name, NULL, NULL) != 0 ||
        agent.jvmti[0]->GetMethodDeclaringClass(agent.jvmti, id, &holder) != 0 ||
        agent.jvmti[0]->GetClassSignature(agent.jvmti, holder, &cls, NULL) != 0)
        snprintf(to, n, "?");
    else
        snprintf(to, n, "%s.%s", cls, name);
    return to;
}

/* AsyncGetCallTrace finds only methods that have ids, and classes it was told of. */
static void make_ids(jclass cls)
{
    jmethodID *ids;
    jint n;

    if (agent.jvmti[0]->GetClassMethods(agent.jvmti, cls, &n, &ids) == 0)
        agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)ids);
}

static void make_all_ids(JNIEnv *env)
{
    jclass *classes;
    jint n = 0;

    if (agent.jvmti[0]->GetLoadedClasses(agent.jvmti, &n, &classes) != 0)
        return;
    for (jint i = 0; i < n; i++) {
        make_ids(classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)classes);
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    char why[200] = "";

    if (walk_vm.start(agent.vm, jvmti, env, why) != 0) {
        fprintf(stderr, "WALK start failed: %s\n", why);
        return;
    }
    agent.state = walk_vm_state();
    libs_set_vm(agent.state->walker.vm.library_low);
    libs_update();
    make_all_ids(env);
    fprintf(stderr, "WALK start major=%d heaps=%d stubs=%u barrier=%d continuations=%d\n",
            agent.state->walker.vm.major, agent.state->walker.vm.n_heaps,
            agent.state->walker.stubs.n, agent.state->walker.vm.cont_barrier != 0,
            agent.state->walker.cont.is_known);
    if (option("selftest", 0))
        check_selftest(env);
    if (option("compiled", 0))
        check_compiled_begin();
    if (option("sample", 0))
        sample_begin(env, 0);
    (void)thread;
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    if (agent.state == NULL)
        return;
    if (option("sample", 0))
        sample_end();
    if (option("methods", 0))
        check_methods(env);
    if (option("compiled", 0))
        check_compiled_end();
    fprintf(stderr, "WALK end entries=%u refused=%lu faults=%lu\n",
            (unsigned)agent.state->walker.dict.n_entries,
            (unsigned long)agent.state->walker.dict.n_refused, (unsigned long)safe_load_faults());
}

static void JNICALL on_thread(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    if (option("sample", 0))
        sample_thread(env, thread);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    (void)env;
    (void)thread;
    if (option("sample", 0))
        sample_thread_end();
}

static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass cls)
{
    (void)jvmti;
    (void)env;
    (void)thread;
    make_ids(cls);
}

static void JNICALL on_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass cls)
{
    (void)jvmti;
    (void)env;
    (void)thread;
    (void)cls;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT,       JVMTI_EVENT_VM_DEATH,
                                        JVMTI_EVENT_THREAD_START,  JVMTI_EVENT_THREAD_END,
                                        JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_CLASS_LOAD};
    jvmtiEventCallbacks callbacks = {.VMInit = on_init,
                                     .VMDeath = on_death,
                                     .ThreadStart = on_thread,
                                     .ThreadEnd = on_thread_end,
                                     .ClassPrepare = on_prepare,
                                     .ClassLoad = on_load};
    jvmtiCapabilities caps = {.can_get_line_numbers = 1};

    (void)reserved;
    agent.vm = vm;
    agent.options = options != NULL ? strdup(options) : "";
    if ((*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    if (agent.jvmti[0]->AddCapabilities(agent.jvmti, &caps) != 0 ||
        agent.jvmti[0]->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) != 0)
        return JNI_ERR;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        agent.jvmti[0]->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, events[i], NULL);
    return JNI_OK;
}
