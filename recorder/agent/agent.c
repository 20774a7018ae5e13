/*
 * agent.c - the functions that the VM calls: Agent_OnLoad, Agent_OnAttach, and the callbacks for
 * the start and end of the VM and of threads.
 *
 * It connects the VM with the session (session.c) and decides nothing about the recording itself:
 * options are parsed by settings/, commands of attached processes are run by control.c. If
 * something fails, the program continues without a recording, and a line in the log says why.
 */
#include "recorder/context/context.h"
#include "recorder/context/java.h"
#include "recorder/agent/control.h"
#include "recorder/engine/engines.h"
#include "recorder/engine/java_threads.h"
#include "recorder/base/log.h"
#include "recorder/base/vm_crash.h"
#include "recorder/events/objects.h"
#include "recorder/agent/reply.h"
#include "recorder/agent/session.h"
#include "recorder/sources/sources.h"
#include "recorder/vm/flag.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static JavaVM *java_vm;
static jvmtiEnv *agent_jvmti;
static struct rec_options pending; /* of the command line, until the VM is ready */
static bool has_pending;
static char *reply_path; /* of the command line: gets the replies for the start and for the end */

/* Keeps the library loaded: our handlers and callbacks may be called as long as the process lives.
 */
static void pin(void)
{
    Dl_info info;

    if (dladdr((void *)(uintptr_t)pin, &info) != 0 && info.dli_fname != NULL)
        (void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static void start(struct rec_options *options)
{
    struct buf reply = {0};

    reply_path = options->reply == NULL ? NULL : strdup(options->reply);
    if (control_start(options, &reply) != 0) {
        log_line(LOG_ERROR, "not recording: %.*s", (int)reply.n - 8, (const char *)reply.p + 7);
    } else {
        buf_reset(&reply);
        control_status(&reply);
    }
    if (reply_path != NULL)
        (void)reply_send(reply_path, &reply);
    buf_free(&reply);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti, (void)thread;
    objects_init(env);
    java_threads_init(env);
    context_java_connect(java_vm, jvmti, env, false);
    if (has_pending)
        start(&pending);
    has_pending = false;
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    struct buf reply = {0};

    (void)jvmti, (void)env;
    engine_shutdown_vm_death();
    sources_vm_ends();
    if (control_vm_death(&reply) == 0 && reply_path != NULL)
        (void)reply_send(reply_path, &reply);
    buf_free(&reply);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    java_threads_start(jvmti, env, thread);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    context_thread_ends(context_current());
    java_threads_end(jvmti, env, thread);
}

static const char too_early[] = "the VM is not ready yet, or has ended: try again";

/* Returns NULL, or a reason why it failed. */
static const char *make_environment(JavaVM *vm)
{
    jvmtiEventCallbacks callbacks = {
        .VMInit = on_vm_init,
        .VMDeath = on_vm_death,
        .ThreadStart = on_thread_start,
        .ThreadEnd = on_thread_end,
    };
    static const jvmtiEvent always[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH};
    jint rc = (*vm)->GetEnv(vm, (void **)&agent_jvmti, JVMTI_VERSION_1_0);

    if (rc == JNI_EDETACHED) /* before VMInit; newer VMs refuse the attach themselves */
        return too_early;
    if (rc != JNI_OK ||
        (*agent_jvmti)->SetEventCallbacks(agent_jvmti, &callbacks, sizeof(callbacks)) !=
            JVMTI_ERROR_NONE)
        return "this VM has no JVMTI";
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        (*agent_jvmti)->SetEventNotificationMode(agent_jvmti, JVMTI_ENABLE, always[i], NULL);
    return NULL;
}

/* Runs once, whether the library was loaded at the start or attached; again if the VM was not
 * ready. Returns NULL, or a reason why it failed. */
static const char *init(JavaVM *vm)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_done;
    const char *why = NULL;

    pthread_mutex_lock(&lock);
    if (!is_done) {
        java_vm = vm;
        pin();
        vm_crash_watch((uintptr_t)(*vm)->GetEnv);
        /* Without it compiled code has line numbers at calls only. Methods that are compiled
         * already stay as they are. */
        vm_flag_set("DebugNonSafepoints", true);
        why = make_environment(vm);
        is_done = why == NULL;
        if (is_done)
            control_init(vm, agent_jvmti);
    }
    pthread_mutex_unlock(&lock);
    return why;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    const char *why;
    char err[200];

    (void)reserved;
    if (has_pending) {
        log_line(LOG_ERROR,
                 "not recording a second time: '%.200s': there is one recording in a JVM",
                 text == NULL ? "" : text);
        return 0;
    }
    if (rec_options_parse(&pending, text, err) != 0) {
        log_line(LOG_ERROR, "not recording: %s", err);
        return 0; /* the program starts without a recording */
    }
    if (pending.command != REC_START) {
        log_line(LOG_ERROR, "not recording: only command=start makes sense at the start");
        return 0;
    }
    why = init(vm);
    if (why != NULL)
        log_line(LOG_ERROR, "not recording: %s", why);
    has_pending = why == NULL;
    return 0;
}

/* For programs that start a JVM with these options: returns 0 if a recording could begin with them,
 * else -1 and one line in why. Not while a recording is running. */
JNIEXPORT int Agent_CheckOptions(const char *text, char *why, size_t room);

JNIEXPORT int Agent_CheckOptions(const char *text, char *why, size_t room)
{
    char err[200], session_why[REPLY_WHY] = "";
    struct rec_options options;
    int rc;

    if (rec_options_parse(&options, text, err) != 0) {
        snprintf(why, room, "%s", err);
        return -1;
    }
    rc = session_prepare(&options, session_why);
    session_drop();
    snprintf(why, room, "%s", session_why);
    rec_options_free(&options);
    return rc;
}

static void obey(struct rec_options *options, struct buf *reply)
{
    switch (options->command) {
    case REC_START:
        control_start(options, reply);
        break;
    case REC_STOP:
        control_stop(reply);
        break;
    case REC_DUMP:
        control_dump(options->file, reply);
        break;
    case REC_STATUS:
        control_status(reply);
        break;
    }
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    struct rec_options options;
    struct buf reply = {0};
    const char *why = NULL;
    char err[200], path[4096];
    JNIEnv *env;
    jint rc = 0;

    (void)reserved;
    rec_options_reply(text, path, sizeof(path));
    if (rec_options_parse(&options, text, err) != 0)
        buf_printf(&reply, "error: %s\n", err);
    else if ((why = init(vm)) != NULL)
        buf_printf(&reply, "error: %s\n", why);
    else if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        buf_str(&reply, "error: the thread that attaches is none of the VM's\n");
    else {
        if (options.reply != NULL)
            snprintf(path, sizeof(path), "%s", options.reply);
        options.reply = NULL; /* the file is for this reply alone, and is removed after it */
        objects_init(env);
        java_threads_init(env);
        context_java_connect(vm, agent_jvmti, env, true);
        obey(&options, &reply);
    }
    rec_options_free(&options);
    if (why == too_early && *path != '\0')
        rc = EX_TEMPFAIL; /* the client repeats the request */
    else
        rc = reply_send(*path == 0 ? NULL : path, &reply);
    buf_free(&reply);
    return rc;
}
