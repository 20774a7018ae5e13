/* sampler.c - the sampling thread of the test agents: it sends a signal to each thread of the JVM
 * in turn and waits until the handler has called the agent's sampler_look() there. */
#include "test-data/workload/native/sampler.h"
#include "recorder/native/libs.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int sampler_number;
static double seconds = 5;
static atomic_bool is_stopping;
static pthread_t thread;
static atomic_int wanted, wanted_tid, answered; /* requests, by number */

long sampler_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

bool sampler_is_stopping(void)
{
    return atomic_load(&is_stopping);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int sampler_quantile(int *numbers, int n, double share)
{
    qsort(numbers, (size_t)n, sizeof(*numbers), ascending);
    return n > 0 ? numbers[(int)(n * share)] : 0;
}

static void on_signal(int signo, siginfo_t *info, void *ucontext)
{
    int saved = errno, request = atomic_load(&wanted);

    (void)signo;
    (void)info;
    /* a late answer is nobody's */
    if (syscall(SYS_gettid) == atomic_load(&wanted_tid) && atomic_load(&answered) != request) {
        sampler_look(ucontext, request);
        atomic_store(&answered, request);
    }
    errno = saved;
}

bool sampler_ask(int tid)
{
    int request = atomic_load(&wanted) + 1;

    atomic_store(&wanted_tid, tid);
    atomic_store(&wanted, request);
    if (syscall(SYS_tgkill, getpid(), tid, SIGPROF) != 0)
        return false;
    for (int i = 0; i < 4000 && atomic_load(&answered) != request; i++)
        usleep(i < 20 ? 20 : 100);
    return atomic_load(&answered) == request;
}

static void *sample(void *arg)
{
    int self = (int)syscall(SYS_gettid);
    long end = sampler_now_ns() + (long)(seconds * 1e9);

    usleep(200000);
    while (!sampler_is_stopping() && sampler_now_ns() < end) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *d;

        libs_update();
        while (tasks != NULL && !sampler_is_stopping() && (d = readdir(tasks)) != NULL)
            if (atoi(d->d_name) > 0 && atoi(d->d_name) != self)
                sampler_visit(atoi(d->d_name));
        if (tasks != NULL)
            closedir(tasks);
    }
    return arg;
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread first)
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    JavaVM *java;

    (void)first;
    (*env)->GetJavaVM(env, &java);
    if (!sampler_open(java, jvmti, env))
        return;
    sigaction(SIGPROF, &sa, NULL);
    pthread_create(&thread, NULL, sample, NULL);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    (void)env;
    atomic_store(&is_stopping, true);
    if (thread != 0)
        pthread_join(thread, NULL);
    signal(SIGPROF, SIG_IGN);
    sampler_report();
    fflush(stdout);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_init, .VMDeath = on_death};
    jvmtiEnv *jvmti;

    (void)reserved;
    if (options != NULL)
        sscanf(options, "%lf,%d", &seconds, &sampler_number);
    if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
