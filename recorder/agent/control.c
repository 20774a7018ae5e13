/*
 * control.c - starts, stops and questions the one recording of a JVM.
 *
 * A recording belongs to the drain thread, which is created for it. Other threads (the attach
 * listener, the VM's own at its start and end) post one request at a time, wake the drain thread
 * and wait for the answer. The variables below are guarded by `lock`; `asking` admits one
 * requester.
 */
#include "recorder/agent/control.h"

#include "jfrfmt/write/writer.h"
#include "recorder/base/log.h"
#include "recorder/agent/reply.h"
#include "recorder/base/safe_load.h"
#include "recorder/agent/session.h"
#include "recorder/capture/threads.h"
#include "recorder/capture/wake.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define DRAIN_STACK ((size_t)1 << 20) /* at least; DEMANGLE_STACK is the deepest known need */

enum state {
    OFF,
    STARTING,
    DELAYED, /* the options were accepted, and the recording begins later */
    RUNNING,
    STOPPING
};
enum request {
    NOTHING,
    STOP,
    DUMP,
    STATUS
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all of the following */
static pthread_cond_t changed;
static enum state state;
static bool is_dead; /* the VM */
static uint64_t n_starts, n_ends;

int control_patience_s = 30;

/* A request to the drain thread, and its reply. `asking` admits one at a time. While there is a
 * request, the drain thread owns all of this, also if the requester no longer waits. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static enum request request;
static char *dump_path;
static struct buf answer;
static bool is_failed;
static bool is_unheard; /* the recording ended before the request was read */

static JavaVM *java_vm;
static jvmtiEnv *agent_jvmti;
static struct rec_options recording_options; /* owned by the drain thread while it runs */
static char start_error[REPLY_WHY];

void control_init(JavaVM *vm, jvmtiEnv *jvmti)
{
    pthread_condattr_t attr;

    java_vm = vm;
    agent_jvmti = jvmti;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attr);
    pthread_condattr_destroy(&attr);
}

static struct timespec in(int64_t ns)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    ns += t.tv_nsec;
    t.tv_sec += ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    return t;
}

static void set_state(enum state s)
{
    pthread_mutex_lock(&lock);
    state = s;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* --- the drain thread --- */

/* Sleeps for `ns` nanoseconds, or until there is a request. */
static enum request next_request(int64_t ns)
{
    enum request r;

    wake_wait(ns);
    pthread_mutex_lock(&lock);
    r = request;
    pthread_mutex_unlock(&lock);
    return r;
}

static void answered(void)
{
    pthread_mutex_lock(&lock);
    request = NOTHING;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void do_dump(void)
{
    char why[REPLY_WHY];

    if (session_dump(dump_path, &answer, why) != 0) {
        is_failed = true;
        buf_printf(&answer, "error: %s\n", why);
    }
    answered();
}

static const char *end_reason(enum request r)
{
    bool has_vm_ended;

    pthread_mutex_lock(&lock);
    has_vm_ended = is_dead;
    pthread_mutex_unlock(&lock);
    return has_vm_ended ? "JVM shutdown" : r == STOP ? "Stop requested" : "Duration reached";
}

static void run(void)
{
    bool goes_on = true;
    enum request r = NOTHING;

    while (goes_on && r != STOP) {
        r = next_request(session_pace());
        goes_on = session_pass();
        if (r == STATUS) {
            session_status(&answer);
            answered();
        } else if (r == DUMP)
            do_dump();
    }
    set_state(STOPPING);
    session_close(end_reason(r), r == STOP ? &answer : NULL);
}

/* --- a delay before the recording --- */

static void answer_while_delayed(enum request r, int64_t left)
{
    if (r == STATUS) {
        buf_printf(&answer, "state: delayed\nbegins: in %lld s\n",
                   (long long)((left + 999999999) / 1000000000));
    } else {
        is_failed = true;
        buf_str(&answer, "error: the recording has not begun yet (delay)\n");
    }
    answered();
}

/* Returns false if the recording was stopped before the delay was over. */
static bool wait_for_delay(int64_t ns)
{
    int64_t until = jfr_writer_now() + ns, left;

    set_state(DELAYED);
    while ((left = until - jfr_writer_now()) > 0) {
        enum request r = next_request(left);

        if (r == STOP) {
            buf_str(&answer, "state: stopped\n");
            return false;
        }
        if (r != NOTHING)
            answer_while_delayed(r, left);
    }
    return true;
}

/* The start has had its reply before the delay; reports its result to the same place. */
static void report_delayed_start(int rc, const char *why)
{
    struct buf b = {0};

    if (rc == 0) {
        buf_str(&b, "ok\n");
        session_status(&b);
    } else {
        buf_printf(&b, "error: %s\n", why);
        log_line(LOG_ERROR, "not recording: %s", why);
    }
    if (recording_options.reply != NULL)
        (void)reply_send(recording_options.reply, &b);
    buf_free(&b);
}

/* Opens the session, now or after the delay. Returns 0, or -1 if there is nothing to run. Errors
 * before the delay go to start_error, which the thread that starts the recording waits for. */
static int open_session(JNIEnv *env)
{
    char why[REPLY_WHY] = "";
    int rc;

    if (recording_options.delay == REC_UNSET || recording_options.delay == 0)
        return session_open(java_vm, agent_jvmti, env, &recording_options, start_error);
    if (session_prepare(&recording_options, start_error) != 0)
        return -1;
    if (!wait_for_delay(recording_options.delay)) {
        session_drop();
        return -1;
    }
    rc = session_open(java_vm, agent_jvmti, env, &recording_options, why);
    report_delayed_start(rc, why);
    return rc;
}

static JNIEnv *attach(void)
{
    JavaVMAttachArgs args = {JNI_VERSION_1_6, (char *)(uintptr_t) "jfrkit recorder", NULL};
    JNIEnv *env = NULL;

    return (*java_vm)->AttachCurrentThreadAsDaemon(java_vm, (void **)&env, &args) == JNI_OK ? env
                                                                                            : NULL;
}

static void *drain_main(void *arg)
{
    struct thread *self = threads_self();
    JNIEnv *env;
    int rc = -1;

    (void)arg;
    prctl(PR_SET_NAME, "jfrkit");
    if (self != NULL)
        self->is_ours = true;
    env = attach();
    if (env == NULL)
        strcpy(start_error, "the VM takes no more threads");
    else
        rc = open_session(env);
    if (rc == 0) {
        set_state(RUNNING);
        run();
    }
    rec_options_free(&recording_options);
    if (env != NULL)
        (*java_vm)->DetachCurrentThread(java_vm);
    if (self != NULL)
        threads_exiting(self);
    pthread_mutex_lock(&lock);
    state = OFF;
    n_ends++;
    is_unheard = request == DUMP || request == STATUS;
    request = NOTHING;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Starts the drain thread with all signals blocked, those of the application and our own. */
static int spawn(void)
{
    sigset_t old;
    pthread_attr_t attr;
    pthread_t thread;
    size_t stack = 0;
    int rc;

    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    /* The default is ulimit -s, which may be too small for demangling a complex name. */
    if (pthread_attr_getstacksize(&attr, &stack) == 0 && stack < DRAIN_STACK)
        pthread_attr_setstacksize(&attr, DRAIN_STACK);
    safe_load_block_others(&old);
    rc = pthread_create(&thread, &attr, drain_main, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return rc;
}

/* --- other threads --- */

static int refuse(struct buf *reply, const char *why)
{
    buf_reset(reply);
    buf_printf(reply, "error: %s\n", why);
    return -1;
}

/* lock is held. */
static void wait_while(enum state s)
{
    while (state == s)
        pthread_cond_wait(&changed, &lock);
}

/* Takes the options, also on failure. */
static const char *begin(struct rec_options *options)
{
    const char *why = is_dead            ? "the VM has ended"
                      : state == DELAYED ? "a recording waits to begin (delay)"
                      : state != OFF     ? "a recording is running already: stop it first"
                                         : NULL;

    if (why != NULL)
        return why;
    recording_options = *options;
    options->text = NULL;
    start_error[0] = 0;
    state = STARTING;
    n_starts++;
    if (spawn() != 0) {
        state = OFF;
        rec_options_free(&recording_options);
        return "no thread for the recorder";
    }
    wait_while(STARTING);
    return start_error[0] != 0 ? start_error : NULL;
}

int control_start(struct rec_options *options, struct buf *reply)
{
    const char *why;

    if (threads_init() != 0)
        return refuse(reply, "no memory for threads");
    pthread_mutex_lock(&lock);
    why = begin(options);
    pthread_mutex_unlock(&lock);
    rec_options_free(options);
    if (why != NULL)
        return refuse(reply, why);
    buf_str(reply, "ok\n");
    return 0;
}

/* lock is held. Returns false if the time has passed. */
static bool wait_until(const struct timespec *until)
{
    return pthread_cond_timedwait(&changed, &lock, until) == 0;
}

/* lock is held, and there is no request. */
static void post(enum request what, const char *path)
{
    free(dump_path);
    dump_path = path == NULL ? NULL : strdup(path);
    buf_reset(&answer);
    is_failed = is_unheard = false;
    request = what;
    wake();
}

enum outcome {
    ANSWERED,
    FAILED, /* with a reply, too */
    NO_RECORDING,
    NO_ANSWER
};

/* Posts a request to the drain thread and waits until it is done. A stop request also waits if the
 * recording ends for another reason. `asking` is held. */
static enum outcome ask_session(enum request what, const char *path)
{
    struct timespec until = in(control_patience_s * INT64_C(1000000000));
    bool is_running, is_late = false;
    uint64_t ended;

    pthread_mutex_lock(&lock);
    wait_while(STARTING);
    while (!is_late && request != NOTHING)
        is_late = !wait_until(&until);
    ended = n_ends;
    is_running = state == RUNNING || state == DELAYED;
    if (is_running && !is_late)
        post(what, path);
    /* Until this recording has ended: the next one may have begun before we are awake. */
    while (!is_late &&
           (what == STOP ? state != OFF && n_ends == ended : is_running && request == what))
        is_late = !wait_until(&until);
    is_running &= !is_unheard;
    pthread_mutex_unlock(&lock);
    return is_late ? NO_ANSWER : !is_running ? NO_RECORDING : is_failed ? FAILED : ANSWERED;
}

static enum outcome ask_and_reply(enum request what, const char *path, struct buf *reply)
{
    enum outcome outcome;

    pthread_mutex_lock(&asking);
    outcome = ask_session(what, path);
    if (outcome == NO_ANSWER)
        refuse(reply,
               "the recorder does not answer: it waits for its disk, or the process stood still");
    else if (outcome == NO_RECORDING)
        refuse(reply, "no recording runs");
    else {
        buf_str(reply, outcome == FAILED ? "" : "ok\n");
        buf_bytes(reply, answer.p, answer.n);
        buf_free(&answer);
    }
    pthread_mutex_unlock(&asking);
    return outcome;
}

int control_stop(struct buf *reply)
{
    return ask_and_reply(STOP, NULL, reply) == ANSWERED ? 0 : -1;
}

int control_dump(const char *path, struct buf *reply)
{
    return ask_and_reply(DUMP, path, reply) == ANSWERED ? 0 : -1;
}

int control_status(struct buf *reply)
{
    enum outcome outcome = ask_and_reply(STATUS, NULL, reply);
    const char *word;
    uint64_t n;

    if (outcome == NO_RECORDING) {
        pthread_mutex_lock(&lock);
        n = n_starts;
        word = state == STARTING   ? "starting"
               : state == STOPPING ? "stopping" /* the file is not complete yet */
                                   : "off";
        pthread_mutex_unlock(&lock);
        buf_reset(reply);
        buf_printf(reply, "ok\nstate: %s\nrecordings: %llu\n", word, (unsigned long long)n);
    }
    return outcome == NO_ANSWER ? -1 : 0;
}

int control_vm_death(struct buf *reply)
{
    pthread_mutex_lock(&lock);
    is_dead = true;
    pthread_mutex_unlock(&lock);
    return control_stop(reply);
}
