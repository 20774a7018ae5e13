/*
 * jfrkit_walk.c - the functions of jfrkit_walk.h, by which other profilers use the walker.
 *
 * It translates between the types of that header and those of vm/walk.c. All but start(), stop()
 * and method_id() may be called in signal handlers.
 */
#define JFRKIT_WALK_INSIDE
#include "recorder/api/jfrkit_walk.h"
#include "recorder/native/libs.h"
#include "recorder/base/local_refs.h"
#include "recorder/walk/vm_walker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum {
    COMM_MAX = 16
};

struct jk_walk {
    struct vm_walk w;
    bool with_c;
    enum jk_trace_kind kind;
};

_Static_assert(sizeof(struct jk_line) == sizeof(struct line_entry), "lines are handed out as such");

static const struct {
    enum walk_reason reason;
    int error;
    const char *name;
} errors[] = {
    {WALK_END, 0, "end"},
    {WALK_NOT_READY, JK_WALK_NOT_STARTED, "not_started"},
    {WALK_NO_JAVA, JK_WALK_THREAD, "thread"},
    {WALK_DEOPT, JK_WALK_DEOPT, "deopt"},
    {WALK_BAD_SP, JK_WALK_STACK, "stack"},
    {WALK_BAD_PC, JK_WALK_CODE, "code"},
    {WALK_BAD_FRAME, JK_WALK_FRAME, "frame"},
    {WALK_FAULT, JK_WALK_MEMORY, "memory"},
    {WALK_LIMIT, JK_WALK_LIMIT, "limit"},
};

static int error_of(enum walk_reason reason)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].reason == reason)
            return errors[i].error;
    return JK_WALK_FRAME;
}

static const char *error_name(int error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return errors[i].name;
    return "unknown";
}

static int start(JavaVM *vm, char why[200])
{
    jvmtiEnv *jvmti = NULL;
    JNIEnv *env = NULL;
    int rc;

    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK ||
        (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        strcpy(why, "not on a Java thread, or the VM offers no JVMTI");
        return -1;
    }
    rc = walk_vm.start(vm, jvmti, env, why);
    /* A recording that runs keeps track of libraries itself. */
    if (libs_enter() == NULL && rc == 0) {
        libs_set_vm((uintptr_t)(*vm)->GetEnv);
        libs_update();
    }
    libs_leave();
    (*jvmti)->DisposeEnvironment(jvmti);
    return rc;
}

static void stop(void)
{
    walk_vm.stop();
}

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The VM's own threads differ by name; those of Java that are not threads of its own class are the
 * compilers' and a few others. */
static enum jk_trace_kind kind_of_vm_thread(bool is_java)
{
    static const char *const collectors[] = {
        "GC ", "G1 ", "Z", "Shenandoah", "Parallel", "CMS", "Concurrent Mark"};
    char name[COMM_MAX + 1] = "";

    prctl(PR_GET_NAME, name);
    if (is_java)
        return begins_with(name, "C1 ") || begins_with(name, "C2 ") || begins_with(name, "JVMCI")
                   ? JK_KIND_JIT
                   : JK_KIND_JAVA;
    for (size_t i = 0; i < sizeof collectors / sizeof *collectors; i++)
        if (begins_with(name, collectors[i]))
            return JK_KIND_GC;
    return JK_KIND_VM;
}

/* The calling thread's kind and, if it is Java's, its JavaThread*. */
static enum jk_trace_kind current_walk_thread(const struct walk_vm_state *s, uintptr_t *thread)
{
    bool is_java, is_plain;
    uintptr_t found = vm_thread_current_kind(&s->threads, &is_java, &is_plain);

    *thread = is_java ? found : 0;
    if (found == 0)
        return JK_KIND_NATIVE;
    return is_plain ? JK_KIND_JAVA : kind_of_vm_thread(is_java);
}

static unsigned walk_flags_of(uint32_t options)
{
    return ((options & JK_WALK_C_FRAMES) != 0 ? VM_WALK_C_FRAMES : 0u) |
           ((options & JK_WALK_NO_CARRIER) != 0 ? VM_WALK_NO_CARRIER : 0u) |
           ((options & JK_WALK_TO_THREAD_START) != 0 ? VM_WALK_TO_THREAD_START : 0u);
}

/* 0, or why not. Exactly one of ucontext and at is given. */
static int begin(struct jk_walk *k, const void *ucontext, const struct jk_walk_start *at,
                 uint32_t options)
{
    struct walk_vm_state *s = walk_vm_state();
    uintptr_t thread;

    k->kind = JK_KIND_UNKNOWN;
    if (s == NULL)
        return JK_WALK_NOT_STARTED;
    k->with_c = (options & JK_WALK_C_FRAMES) != 0;
    if (at != NULL && at->env != NULL) {
        thread = (uintptr_t)at->env - s->threads.env_offset;
        k->kind = JK_KIND_JAVA;
    } else {
        k->kind = current_walk_thread(s, &thread);
    }
    if (thread == 0 && !(options & JK_WALK_NON_JAVA_THREADS))
        return JK_WALK_THREAD;
    if (ucontext != NULL) {
        vm_walk_context(&k->w, &s->walker, thread, ucontext, walk_flags_of(options));
    } else {
        struct vm_registers r = {
            .pc = (uintptr_t)at->pc, .sp = (uintptr_t)at->sp, .fp = (uintptr_t)at->fp};

        vm_walk_registers(&k->w, &s->walker, thread, &r, false, walk_flags_of(options));
    }
    return 0;
}

static int state(const struct jk_walk *k)
{
    /* A thread without Java frames has a bottom, too, for those who want its C frames. */
    if (!k->w.is_done || (k->w.reason == WALK_NO_JAVA && k->with_c))
        return 0;
    return error_of(k->w.reason);
}

static int next_frame(struct jk_walk *k, struct jk_frame *frame)
{
    static const uint8_t types[] = {
        [FRAME_INTERPRETED] = JK_FRAME_JAVA,
        [FRAME_COMPILED] = JK_FRAME_JAVA,
        [FRAME_INLINED] = JK_FRAME_JAVA_INLINED,
        [FRAME_NATIVE_METHOD] = JK_FRAME_NATIVE,
        [FRAME_STUB] = JK_FRAME_STUB,
        [FRAME_C] = JK_FRAME_NON_JAVA,
        [FRAME_VM] = JK_FRAME_NON_JAVA,
        [FRAME_CONTINUATION] = JK_FRAME_CONTINUATION,
        [FRAME_REASON] = JK_FRAME_JAVA, /* what deoptimization has not filled yet */
    };
    struct vm_frame f;

    do {
        if (!vm_walk_next(&k->w, &f))
            return state(k);
    } while (f.kind == FRAME_STUB && !k->with_c);
    *frame = (struct jk_frame){
        .type = types[f.kind],
        .comp_level = f.level,
        .bci = f.kind == FRAME_REASON ? -1 : f.bci,
        .method = f.id,
        .pc = (void *)f.pc,
        .sp = (void *)f.sp,
        .fp = (void *)f.fp,
    };
    return 1;
}

static void rewind_walk(struct jk_walk *k)
{
    vm_walk_rewind(&k->w);
}

static int kind(const struct jk_walk *k)
{
    return k->kind;
}

static int run(const void *ucontext, uint32_t options, jk_walk_fn *fn, void *arg)
{
    int before = errno, rc;
    struct jk_walk k;

    rc = begin(&k, ucontext, NULL, options);
    rc = rc == 0 ? fn(&k, arg) : rc;
    errno = before;
    return rc;
}

static int run_at(const struct jk_walk_start *at, uint32_t options, jk_walk_fn *fn, void *arg)
{
    int before = errno, rc;
    struct jk_walk k;

    rc = begin(&k, NULL, at, options);
    rc = rc == 0 ? fn(&k, arg) : rc;
    errno = before;
    return rc;
}

static int trace(struct jk_trace *t, int32_t depth, const void *ucontext, uint32_t options)
{
    int before = errno, more = 1;
    struct jk_walk k;

    t->num_frames = t->error = begin(&k, ucontext, NULL, options);
    t->kind = k.kind;
    if (t->error == 0) {
        while (t->num_frames < depth && (more = next_frame(&k, &t->frames[t->num_frames])) > 0)
            t->num_frames++;
        t->error = more > 0 ? 0 : more;
        if (t->num_frames == 0 && t->error < 0)
            t->num_frames = t->error;
    }
    errno = before;
    return t->num_frames;
}

static const struct vm_entry *entry(jk_method method)
{
    struct walk_vm_state *s = walk_vm_state();

    return s != NULL ? vm_dict_get(&s->walker.dict, method) : NULL;
}

static int method_info(jk_method method, struct jk_method_info *info)
{
    const struct vm_entry *e = entry(method);

    if (e == NULL)
        return 0;
    *info = (struct jk_method_info){
        .class_name = e->text,
        .name = e->text + e->cls_n,
        .signature = e->text + e->cls_n + e->name_n,
        .generic_signature = e->text + e->cls_n + e->name_n + e->descriptor_n,
        .class_name_n = e->cls_n,
        .name_n = e->name_n,
        .signature_n = e->descriptor_n,
        .generic_signature_n = e->generic_n,
        .modifiers = e->modifiers,
        .lines = (const struct jk_line *)e->lines,
        .n_lines = e->n_lines,
    };
    return 1;
}

static int line(jk_method method, int32_t bci)
{
    const struct vm_entry *e = entry(method);
    int found = 0;

    for (uint32_t i = 0; e != NULL && i < e->n_lines && e->lines[i].bci <= bci; i++)
        found = e->lines[i].line;
    return found;
}

/* Whether it is this method and not one of the same name in a class of another loader. */
static bool is_method(struct walk_vm_state *s, const struct vm_entry *e, jmethodID id)
{
    struct vm_method words;
    uintptr_t method;

    return safe_load_pointer((uintptr_t)id, &method) && method == e->address &&
           vm_method_read(&s->walker.vm, method, &words) && words.holder == e->words.holder &&
           words.const_method == e->words.const_method;
}

static jmethodID id_in_class(struct walk_vm_state *s, jvmtiEnv *jvmti, const struct vm_entry *e,
                             jclass cls)
{
    char *signature = NULL;
    jmethodID *ids = NULL, found = NULL;
    jint n = 0;

    if ((*jvmti)->GetClassSignature(jvmti, cls, &signature, NULL) == 0 &&
        (e->is_hidden ||
         (strlen(signature) == e->cls_n + 2 && memcmp(signature + 1, e->text, e->cls_n) == 0)) &&
        (*jvmti)->GetClassMethods(jvmti, cls, &n, &ids) == 0)
        for (jint i = 0; i < n && found == NULL; i++)
            if (is_method(s, e, ids[i]))
                found = ids[i];
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
    return found;
}

static jmethodID method_id(jvmtiEnv *jvmti, JNIEnv *env, jk_method method)
{
    struct walk_vm_state *s = walk_vm_state();
    const struct vm_entry *e = entry(method);
    jmethodID found = NULL;
    jclass *classes = NULL;
    jint n = 0;

    if (e == NULL || e->cls_n == 0 || (*jvmti)->GetLoadedClasses(jvmti, &n, &classes) != 0)
        return NULL;
    local_refs_more(env, n);
    for (jint i = 0; i < n; i++) {
        if (found == NULL)
            found = id_in_class(s, jvmti, e, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    return found;
}

static const struct jk_walk_api api = {
    .size = sizeof api,
    .start = start,
    .stop = stop,
    .trace = trace,
    .run = run,
    .run_at = run_at,
    .next = next_frame,
    .rewind = rewind_walk,
    .kind = kind,
    .state = state,
    .method_info = method_info,
    .line = line,
    .method_id = method_id,
    .error_name = error_name,
};

__attribute__((visibility("default"))) const struct jk_walk_api *jfrkit_walk_api(void)
{
    return &api;
}
