/*
 * A small profiler: everything about stacks comes from recorder/api/jfrkit_walk.h.
 *
 *     java -agentpath:walk-example.so=/path/libjfrkit.so,out.jfr ...
 *
 * Samples CPU time each millisecond, counts how often each method was on top of a stack and
 * anywhere in one, and writes a recording for jfr2flame.
 */
#include "recorder/api/jfrkit_walk.h"
#include "jfrfmt/write/writer.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

enum {
    DEPTH = 128,
    MAX_SAMPLES = 1 << 14,
    MAX_METHODS = 1 << 17
};

struct sample {
    atomic_int is_done;
    struct jk_trace trace;
    struct jk_frame frames[DEPTH];
};

struct count {
    jk_method method;
    long self, total, last; /* last: the sample that was counted last */
};

static const struct jk_walk_api *walk;
static struct sample *samples;
static atomic_int n_samples, n_lost;
static char library[512], output[512];

static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    int i = atomic_fetch_add(&n_samples, 1);
    struct sample *s = &samples[i < MAX_SAMPLES ? i : 0];

    (void)sig;
    (void)info;
    if (i >= MAX_SAMPLES) {
        atomic_fetch_add(&n_lost, 1);
        return;
    }
    s->trace.frames = s->frames;
    walk->trace(&s->trace, DEPTH, ucontext, JK_WALK_C_FRAMES | JK_WALK_NON_JAVA_THREADS);
    atomic_store(&s->is_done, 1);
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval each = {{0, 1000}, {0, 1000}};
    JavaVM *vm;
    char why[200] = "no libjfrkit.so";

    (void)jvmti;
    (void)thread;
    (*env)->GetJavaVM(env, &vm);
    walk = jk_walk_open(library);
    if (walk == NULL || walk->start(vm, why) != 0) {
        fprintf(stderr, "EXAMPLE cannot walk: %s\n", why);
        return;
    }
    samples = mmap(NULL, sizeof *samples * MAX_SAMPLES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (samples == MAP_FAILED)
        return;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &each, NULL);
}

static void count_sample(struct count *counts, const struct sample *s, long number)
{
    for (int i = 0; i < s->trace.num_frames; i++) {
        struct count *c = &counts[s->frames[i].method % MAX_METHODS];

        c->method = s->frames[i].method;
        c->self += i == 0;
        c->total += c->last != number;
        c->last = number;
    }
}

static int by_self(const void *a, const void *b)
{
    const struct count *x = a, *y = b;

    return (x->self < y->self) - (x->self > y->self);
}

static void print_counts(int n)
{
    struct count *counts = calloc(MAX_METHODS, sizeof *counts);
    long failed = 0, java = 0, errors[16] = {0};
    struct jk_method_info m;

    if (counts == NULL)
        return;
    for (int i = 0; i < n; i++) {
        failed += samples[i].trace.error != 0;
        errors[-samples[i].trace.error & 15]++;
        java += samples[i].trace.kind == JK_KIND_JAVA;
        count_sample(counts, &samples[i], i + 1);
    }
    fprintf(stderr, "EXAMPLE samples=%d lost=%d java=%ld failed=%ld failed_percent=%.2f\n", n,
            (int)n_lost, java, failed, n > 0 ? 100.0 * (double)failed / n : 0.0);
    for (int i = 1; i < 16; i++)
        if (errors[i] > 0)
            fprintf(stderr, "EXAMPLE error %s=%ld\n", walk->error_name(-i), errors[i]);
    counts[0].self = 0; /* C code, which has no method here */
    qsort(counts, MAX_METHODS, sizeof *counts, by_self);
    for (int i = 0; i < 5 && counts[i].self > 0; i++)
        if (walk->method_info(counts[i].method, &m))
            fprintf(stderr, "EXAMPLE top self=%ld total=%ld %.*s.%.*s%.*s\n", counts[i].self,
                    counts[i].total, (int)m.class_name_n, m.class_name, (int)m.name_n, m.name,
                    (int)m.signature_n, m.signature);
    free(counts);
}

static uint64_t method_key(struct jfr_writer *w, const struct jk_frame *f)
{
    struct jk_method_info m = {.class_name = "", .name = "native", .name_n = 6};
    struct jfr_class_def cls = {.name = "[native]"};
    char name[256], descriptor[1024];

    walk->method_info(f->method, &m);
    if (m.class_name_n > 0) {
        cls.name = m.class_name;
        cls.name_n = m.class_name_n;
    }
    snprintf(name, sizeof name, "%.*s", (int)m.name_n, m.name);
    snprintf(descriptor, sizeof descriptor, "%.*s", (int)m.signature_n,
             m.signature != NULL ? m.signature : "");
    return jfr_writer_method(w, jfr_writer_class(w, &cls), name, descriptor, m.modifiers, false);
}

static uint64_t frame_type(const struct jk_frame *f)
{
    switch (f->type) {
    case JK_FRAME_JAVA:
        return f->comp_level == 0  ? JFR_FRAME_INTERPRETED
               : f->comp_level < 4 ? JFR_FRAME_C1
                                   : JFR_FRAME_JIT;
    case JK_FRAME_JAVA_INLINED:
        return JFR_FRAME_INLINED;
    case JK_FRAME_NATIVE:
        return JFR_FRAME_NATIVE;
    default:
        return JFR_FRAME_CPP;
    }
}

static void write_sample(struct jfr_writer *w, int64_t type, const struct sample *s)
{
    struct jfr_frame frames[DEPTH] = {0};

    for (int i = 0; i < s->trace.num_frames; i++)
        frames[i] = (struct jfr_frame){
            .method_key = method_key(w, &s->frames[i]),
            .type_key = frame_type(&s->frames[i]),
            .line = walk->line(s->frames[i].method, s->frames[i].bci),
            .bci = s->frames[i].bci,
        };
    jfr_event_begin(w, type, jfr_writer_now());
    jfr_put_key(w, 1);
    jfr_put_key(w, jfr_writer_stack(w, frames, (size_t)s->trace.num_frames, false));
    jfr_put_key(w, JFR_STATE_RUNNABLE);
    jfr_event_end(w);
}

static void write_recording(int n)
{
    static const struct jfr_field_def fields[] = {
        {"sampledThread", "java.lang.Thread", "Thread", .flags = JFR_POOLED},
        {"stackTrace", "jdk.types.StackTrace", "Stack Trace", .flags = JFR_POOLED},
        {"state", "jdk.types.ThreadState", "Thread State", .flags = JFR_POOLED},
    };
    static const struct jfr_type_def type = {
        "jdk.ExecutionSample", JFR_TYPE_EVENT, "Method Profiling Sample",
        .fields = fields,      .n_fields = 3,  .category = "Java Virtual Machine|Profiling"};
    struct jfr_writer_options options = {.replace = true};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(output, &options, &err);
    int64_t id;

    if (w == NULL)
        return;
    id = jfr_writer_declare(w, &type, 1);
    jfr_writer_thread(w, 1, &(struct jfr_thread_def){"all", "all", 1, 1, 0, false});
    for (int i = 0; i < n; i++)
        if (samples[i].trace.num_frames > 0)
            write_sample(w, id, &samples[i]);
    if (jfr_writer_close(w, &err) != 0)
        fprintf(stderr, "EXAMPLE %s: not written\n", output);
}

/* Walks that are under way may still fill their sample: those are left out. */
static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    struct itimerval never = {0};
    int n = 0, all;
    jmethodID id = NULL;
    char *name = NULL;

    setitimer(ITIMER_PROF, &never, NULL);
    all = atomic_load(&n_samples) < MAX_SAMPLES ? atomic_load(&n_samples) : MAX_SAMPLES;
    while (samples != NULL && n < all && atomic_load(&samples[n].is_done))
        n++;
    if (walk == NULL || n == 0)
        return;
    print_counts(n);
    for (int i = 0; i < n && id == NULL; i++)
        for (int k = 0; k < samples[i].trace.num_frames && id == NULL; k++)
            if (samples[i].frames[k].type <= JK_FRAME_NATIVE)
                id = walk->method_id(jvmti, env, samples[i].frames[k].method);
    if (id != NULL && (*jvmti)->GetMethodName(jvmti, id, &name, NULL, NULL) == 0)
        fprintf(stderr, "EXAMPLE jmethodID of %s\n", name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    write_recording(n);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_init, .VMDeath = on_death};
    jvmtiEnv *jvmti;

    (void)reserved;
    if (options == NULL || sscanf(options, "%511[^,],%511s", library, output) != 2) {
        fprintf(stderr, "EXAMPLE wants libjfrkit.so and a file to write\n");
        return JNI_ERR;
    }
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
