/* workload.c - the native half of Workload: CPU time spent in C, with and without a Java thread. */
#define _GNU_SOURCE
#include <jni.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static volatile uint64_t sink;

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void burn_in_c(int64_t ns)
{
    int64_t end = cpu_ns() + ns;

    while (cpu_ns() < end)
        for (int i = 0; i < 100000; i++)
            sink = sink * 6364136223846793005u + 1442695040888963407u;
}

static void *body(void *ns)
{
    pthread_setname_np(pthread_self(), "native-burner");
    burn_in_c(*(int64_t *)ns);
    *(int64_t *)ns = cpu_ns();
    return NULL;
}

struct guest {
    JavaVM *vm;
    int64_t ns;
};

__attribute__((noinline)) static void burn_before(int64_t ns)
{
    burn_in_c(ns);
    sink++;
}

__attribute__((noinline)) static void burn_after(int64_t ns)
{
    burn_in_c(ns);
    sink += 2;
}

/* Visits the VM, several times, and goes on without it, under another name. */
static void *guest_body(void *arg)
{
    struct guest *g = arg;
    JavaVMAttachArgs args = {JNI_VERSION_1_6, (char *)"guest", NULL};
    JNIEnv *env;

    pthread_setname_np(pthread_self(), "native-before");
    burn_before(g->ns / 2);
    for (int i = 0; i < 3; i++) {
        if ((*g->vm)->AttachCurrentThread(g->vm, (void **)&env, &args) != JNI_OK)
            return NULL;
        (*g->vm)->DetachCurrentThread(g->vm);
    }
    pthread_setname_np(pthread_self(), "native-after");
    burn_after(g->ns / 2);
    g->ns = cpu_ns();
    return NULL;
}

JNIEXPORT jlong JNICALL Java_Workload_burnGuest(JNIEnv *env, jclass cls, jdouble seconds)
{
    struct guest g = {NULL, (int64_t)(seconds * 1e9)};
    pthread_t thread;

    (void)cls;
    if ((*env)->GetJavaVM(env, &g.vm) != 0 || pthread_create(&thread, NULL, guest_body, &g) != 0)
        return -1;
    pthread_join(thread, NULL);
    return g.ns;
}

JNIEXPORT jlong JNICALL Java_Workload_burnNative(JNIEnv *env, jclass cls, jdouble seconds)
{
    int64_t before = cpu_ns();

    (void)env, (void)cls;
    burn_in_c((int64_t)(seconds * 1e9));
    return cpu_ns() - before;
}

JNIEXPORT jlong JNICALL Java_Workload_burnNativeThread(JNIEnv *env, jclass cls, jdouble seconds)
{
    int64_t ns = (int64_t)(seconds * 1e9);
    pthread_t thread;

    (void)env, (void)cls;
    if (pthread_create(&thread, NULL, body, &ns) != 0)
        return -1;
    pthread_join(thread, NULL);
    return ns;
}
