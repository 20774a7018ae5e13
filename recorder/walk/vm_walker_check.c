/*
 * vm_walker_check.c - checks at the start of a recording that the walker and JVMTI agree in this
 * JVM: on methods, line numbers, and the stacks of waiting threads.
 *
 * It runs once, on a Java thread. If anything differs, the walker is not used, and the reason is
 * logged: a walker that is wrong about this JVM's structures would record wrong stacks.
 */
#include "recorder/walk/vm_walker_internal.h"

#include "recorder/base/local_refs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    MAX_METHODS = 200,
    MAX_THREADS = 16,
    MAX_FRAMES = 64,
    TRIES = 8,
    LAST_WITH_POINTERS = 25 /* releases in which a jmethodID points at the Method* */
};

struct check {
    struct walk_vm_state *state;
    jvmtiEnv *jvmti;
    JNIEnv *env;
    char *why;
    int n_methods;
};

static bool is_text(const char *bytes, uint32_t n, const char *text)
{
    return strlen(text) == n && memcmp(bytes, text, n) == 0;
}

static int differs(struct check *c, const char *what, const char *name)
{
    snprintf(c->why, 200, "the walker and JVMTI disagree on %s of %s", what, name);
    return -1;
}

/* 0 too where JVMTI does not tell, for want of the capability. */
static int check_lines(struct check *c, jmethodID id, const struct vm_entry *e, const char *name)
{
    jvmtiLineNumberEntry *lines = NULL;
    jint n = 0;
    int rc = 0;

    if ((*c->jvmti)->GetLineNumberTable(c->jvmti, id, &n, &lines) != 0)
        return 0;
    if ((uint32_t)n != e->n_lines || (n > 0 && (lines[n - 1].start_location > e->lines[n - 1].bci ||
                                                lines[0].start_location < e->lines[0].bci)))
        rc = differs(c, "the lines", name);
    for (jint i = 0; i < n && rc == 0; i++) {
        uint32_t k = 0;

        while (k < e->n_lines && !(e->lines[k].bci == lines[i].start_location &&
                                   e->lines[k].line == lines[i].line_number))
            k++;
        if (k == e->n_lines)
            rc = differs(c, "the lines", name);
    }
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)lines);
    return rc;
}

static int check_walked_method(struct check *c, jmethodID id, const char *cls)
{
    struct vm_walker *w = &c->state->walker;
    char *name = NULL, *descriptor = NULL;
    const struct vm_entry *e;
    uintptr_t method = 0;
    int rc = 0;

    if ((*c->jvmti)->GetMethodName(c->jvmti, id, &name, &descriptor, NULL) != 0)
        return 0;
    safe_load_pointer((uintptr_t)id, &method);
    e = vm_dict_get(&w->dict, vm_dict_method(&w->dict, &w->vm, method));
    if (e == NULL || !is_text(e->text, e->cls_n, cls) ||
        !is_text(e->text + e->cls_n, e->name_n, name) ||
        !is_text(e->text + e->cls_n + e->name_n, e->descriptor_n, descriptor))
        rc = differs(c, "the name", name);
    else
        rc = check_lines(c, id, e, name);
    c->n_methods++;
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)name);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)descriptor);
    return rc;
}

static int check_class(struct check *c, const char *name)
{
    jclass cls = (*c->env)->FindClass(c->env, name);
    jmethodID *ids = NULL;
    jint n = 0;
    int rc = 0;

    (*c->env)->ExceptionClear(c->env);
    if (cls == NULL || (*c->jvmti)->GetClassMethods(c->jvmti, cls, &n, &ids) != 0)
        return 0;
    for (jint i = 0; i < n && rc == 0 && c->n_methods < MAX_METHODS; i++)
        rc = check_walked_method(c, ids[i], name);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)ids);
    (*c->env)->DeleteLocalRef(c->env, cls);
    return rc;
}

static int check_methods(struct check *c)
{
    static const char *const classes[] = {"java/lang/Object", "java/lang/Thread",
                                          "java/util/HashMap", "java/lang/String"};
    int rc = 0;

    if (c->state->walker.vm.major > LAST_WITH_POINTERS)
        return 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes && rc == 0; i++)
        rc = check_class(c, classes[i]);
    if (rc == 0 && c->n_methods < MAX_METHODS / 2)
        rc = differs(c, "the number", "methods");
    return rc;
}

/* By name and place, which works whatever a jmethodID is. */
static bool same_frame(struct check *c, const struct vm_frame *f, const jvmtiFrameInfo *j)
{
    const struct vm_entry *e = vm_dict_get(&c->state->walker.dict, f->id);
    char *name = NULL, *descriptor = NULL;
    bool same = false;

    if (e != NULL && (*c->jvmti)->GetMethodName(c->jvmti, j->method, &name, &descriptor, NULL) == 0)
        same = is_text(e->text + e->cls_n, e->name_n, name) &&
               is_text(e->text + e->cls_n + e->name_n, e->descriptor_n, descriptor) &&
               (j->location == -1 || j->location == f->bci);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)name);
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)descriptor);
    return same;
}

/* 1: the stacks are equal; 0: they are not. -1: a virtual thread stands on it, and JVMTI shows only
 * what lies below that. */
static int same_stack(struct check *c, uintptr_t thread, const jvmtiFrameInfo *frames, jint n)
{
    struct vm_walk w;
    struct vm_frame f;
    jint i = 0;

    vm_walk_anchor(&w, &c->state->walker, thread, VM_WALK_NO_CARRIER);
    if (vm_cont_entry(&c->state->walker.cont, &c->state->walker.vm, thread) != 0)
        return -1;
    while (vm_walk_next(&w, &f))
        if (f.kind <= FRAME_NATIVE_METHOD && (i == n || !same_frame(c, &f, &frames[i++])))
            return i == MAX_FRAMES;
    return i == n && (w.reason == WALK_END || w.reason == WALK_NO_JAVA);
}

/* Where a thread's Java frames end, as it says itself. */
struct stand {
    uintptr_t sp, pc;
    jvmtiFrameInfo frames[MAX_FRAMES];
    jint n;
};

/* False: the thread is not in a place where its frames can be seen from outside. */
static bool look_at_frames(struct check *c, jthread thread, uintptr_t at, struct stand *out)
{
    const struct vm_layout *l = &c->state->walker.vm.l;
    struct vm_slot sp = {l->thread.anchor.at + l->thread.last_sp.at, 8};
    struct vm_slot pc = {l->thread.anchor.at + l->thread.last_pc.at, 8};

    memset(out, 0, sizeof(*out));
    return (*c->jvmti)->GetStackTrace(c->jvmti, thread, 0, MAX_FRAMES, out->frames, &out->n) == 0 &&
           out->n > 0 && vm_load_ptr(at, sp, &out->sp) && out->sp != 0 &&
           vm_load_ptr(at, pc, &out->pc);
}

static bool is_same_frame(const struct stand *a, const struct stand *b)
{
    bool same = a->sp == b->sp && a->pc == b->pc && a->n == b->n;

    for (jint i = 0; i < a->n && same; i++)
        same = a->frames[i].method == b->frames[i].method &&
               a->frames[i].location == b->frames[i].location;
    return same;
}

/* 1: equal, 0: not, -1: it did not stand still, or cannot be seen. */
static int check_once(struct check *c, jthread thread, uintptr_t at)
{
    struct stand before, after;
    int same;

    if (!look_at_frames(c, thread, at, &before))
        return -1;
    same = same_stack(c, at, before.frames, before.n);
    return look_at_frames(c, thread, at, &after) && is_same_frame(&before, &after) ? same : -1;
}

/* A thread that waits. Another one may go round and be seen in the same place before and after, but
 * elsewhere meanwhile: only what differs each time is a fault of ours. 0: it is. */
static int check_thread(struct check *c, jthread thread)
{
    struct timespec ms = {0, 1000000};
    uintptr_t at = vm_thread_of(&c->state->threads, c->env, thread);
    int same = at == 0 ? -1 : check_once(c, thread, at);

    for (int i = 1; i < TRIES && same == 0; i++) {
        nanosleep(&ms, NULL);
        same = check_once(c, thread, at);
    }
    return same;
}

static int check_stacks(struct check *c)
{
    jthread *threads = NULL;
    jint n = 0;
    int rc = 0;

    if ((*c->jvmti)->GetAllThreads(c->jvmti, &n, &threads) != 0)
        return 0;
    local_refs_more(c->env, n);
    for (jint i = 0; i < n; i++) {
        if (i < MAX_THREADS && rc == 0 && check_thread(c, threads[i]) == 0)
            rc = differs(c, "the stack", "a waiting thread");
        (*c->env)->DeleteLocalRef(c->env, threads[i]);
    }
    (*c->jvmti)->Deallocate(c->jvmti, (unsigned char *)threads);
    return rc;
}

/* An environment of our own that may see line tables, which costs the VM nothing; NULL: none. */
static jvmtiEnv *with_lines(JNIEnv *env)
{
    jvmtiCapabilities caps = {.can_get_line_numbers = 1};
    jvmtiEnv *own = NULL;
    JavaVM *vm;

    if ((*env)->GetJavaVM(env, &vm) != 0 ||
        (*vm)->GetEnv(vm, (void **)&own, JVMTI_VERSION_1_2) != JNI_OK)
        return NULL;
    (*own)->AddCapabilities(own, &caps);
    return own;
}

int walk_vm_check(struct walk_vm_state *state, jvmtiEnv *jvmti, JNIEnv *env, char why[200])
{
    jvmtiEnv *own = with_lines(env);
    struct check c = {.state = state, .jvmti = own != NULL ? own : jvmti, .env = env, .why = why};
    int rc = check_methods(&c) != 0 || check_stacks(&c) != 0 ? -1 : 0;

    if (own != NULL)
        (*own)->DisposeEnvironment(own);
    return rc;
}
