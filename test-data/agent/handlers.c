/* handlers.c - an agent that handles SIGPROF and SIGSEGV itself, as other profilers and crash
 * reporters do.
 *
 *   -agentpath:handlers.so=load,pass     when the agent is loaded; what is not its own it passes on
 *   -agentpath:handlers.so=init,keep     when the VM is there; it keeps what it gets
 *   ...,all                              SIGVTALRM, SIGSTKFLT as well
 *
 * SIGSEGV is always passed on, for the VM lives on it. At the end it prints how many it has seen:
 * foreign_prof=N of kill(1)'s, foreign_other=N of others, foreign_segv=N. */
#include <jvmti.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct sigaction before[NSIG];
static bool passes_on, takes_all;
static _Atomic long n_prof, n_other, n_segv;

static void pass_on(int sig, siginfo_t *info, void *ucontext)
{
    const struct sigaction *old = &before[sig];

    if ((old->sa_flags & SA_SIGINFO) != 0)
        old->sa_sigaction(sig, info, ucontext);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(sig);
    else if (sig == SIGSEGV)
        signal(SIGSEGV, SIG_DFL); /* it comes again */
}

static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    if (sig == SIGSEGV)
        n_segv++;
    else if (info->si_code == SI_USER)
        n_prof++;
    else
        n_other++;
    if (sig == SIGSEGV || (passes_on && info->si_code != SI_USER))
        pass_on(sig, info, ucontext);
}

static void install(void)
{
    static const int signals[] = {SIGPROF, SIGSEGV, SIGVTALRM, SIGSTKFLT};
    struct sigaction sa = {.sa_sigaction = on_signal,
                           .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER};

    for (int i = 0; i < (takes_all ? 4 : 2); i++)
        sigaction(signals[i], &sa, &before[signals[i]]);
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti, (void)env, (void)thread;
    install();
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti, (void)env;
    printf("foreign_prof=%ld\nforeign_other=%ld\nforeign_segv=%ld\n", n_prof, n_other, n_segv);
    fflush(stdout);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_init, .VMDeath = on_death};
    jvmtiEnv *jvmti;

    (void)reserved;
    passes_on = strstr(options, "pass") != NULL;
    takes_all = strstr(options, "all") != NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK)
        return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    if (strstr(options, "load") != NULL)
        install();
    else
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}
