/*
 * jfrsync.c - runs the JDK's recorder beside ours: start, dump, stop, and joins both files.
 *
 * jdk.c calls Java, on a thread of its own; merge.c joins the two files.
 */
#include "recorder/jfrsync/jfrsync.h"

#include "recorder/jfrsync/jdk.h"
#include "recorder/jfrsync/merge.h"
#include "recorder/base/log.h"
#include "recorder/settings/options.h"
#include "recorder/settings/settings.h"
#include "recorder/capture/threads.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS 5000000
/* A clock of the JDK with this rate is CLOCK_MONOTONIC, as ours. */
#define NS_PER_SECOND 1000000000
#define MEASURED_NS (NS_PER_SECOND / 2) /* a clock is read to about 2 us */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum jfrsync_request request; /* not yet done */
    bool is_running; /* the thread */
    _Atomic bool is_recording; /* the JDK, as far as we know */
    _Atomic bool has_failed; /* it does not begin */
    bool leaves_any; /* of wanted.is_left */
    struct jfrsync_wanted wanted;
    char dir[PATH_MAX]; /* FILE.jdk; "": there is nothing to do */
    char dump[PATH_MAX + 16]; /* in it */
    const char *done; /* one of these: what was requested last */
    struct jfr_clock first, newest; /* the JDK's clock when the recording began, and later */
} jdk = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

bool jfrsync_clock(JNIEnv *env, struct jfr_clock *clock)
{
    return jfrsync_jdk_clock(env, clock);
}

void jfrsync_follow_clock(const struct recording *r)
{
    struct jfr_clock clock;

    if (r->options->jfrsync == NULL || r->writer == NULL || !jfrsync_clock(r->env, &clock) ||
        clock.per_second == NS_PER_SECOND)
        return;
    jdk.newest = clock;
    jfr_writer_follow(r->writer, &clock);
}

/* The rate of the JDK's clock as it was seen, ticks a second; 0: not long enough. */
static int64_t measured_rate(void)
{
    int64_t ns = jdk.newest.at_ns - jdk.first.at_ns;

    return jdk.first.per_second == NS_PER_SECOND || jdk.newest.per_second == 0 || ns < MEASURED_NS
               ? 0
               : (int64_t)((__int128)(jdk.newest.ticks - jdk.first.ticks) * NS_PER_SECOND / ns);
}

void jfrsync_divide(const struct recording *r)
{
    static const enum event numbered[] = {EV_GARBAGE_COLLECTION, EV_YOUNG_GARBAGE_COLLECTION,
                                          EV_OLD_GARBAGE_COLLECTION, EV_GC_PHASE_PAUSE,
                                          EV_GC_HEAP_SUMMARY};
    struct jfr_clock clock;

    memset(jdk.wanted.is_left, 0, sizeof(jdk.wanted.is_left));
    jdk.has_failed = jdk.leaves_any = false;
    jdk.first = jdk.newest = (struct jfr_clock){0};
    if (r->options->jfrsync == NULL || !jfrsync_clock(r->env, &clock))
        return;
    jdk.first = clock;
    for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
        jdk.wanted.is_left[numbered[i]] = settings_of(r->settings, numbered[i])->is_enabled;
        jdk.leaves_any |= jdk.wanted.is_left[numbered[i]];
    }
}

bool jfrsync_leaves(enum event e)
{
    return jdk.wanted.is_left[e] && !jdk.has_failed;
}

static void fail(const char *why)
{
    jdk.has_failed = true;
    log_line(LOG_WARNING, "no events of the JDK's recorder: %s%s", why,
             jdk.leaves_any ? "; garbage collections are recorded without it from now on" : "");
}

/* --- the thread --- */

static enum jfrsync_request wait_for_request(void)
{
    enum jfrsync_request request;

    pthread_mutex_lock(&jdk.lock);
    while (jdk.request == JFRSYNC_NOTHING)
        pthread_cond_wait(&jdk.changed, &jdk.lock);
    request = jdk.request;
    pthread_mutex_unlock(&jdk.lock);
    return request;
}

static void request_done(bool is_last)
{
    pthread_mutex_lock(&jdk.lock);
    jdk.request = JFRSYNC_NOTHING;
    jdk.is_running = !is_last;
    pthread_cond_broadcast(&jdk.changed);
    pthread_mutex_unlock(&jdk.lock);
}

static void record(JNIEnv *env)
{
    char why[JFRSYNC_WHY];
    enum jfrsync_request request = JFRSYNC_NOTHING;

    if (jfrsync_jdk_start(env, &jdk.wanted, why))
        jdk.is_recording = true;
    else
        fail(why);
    while (request != JFRSYNC_STOP) {
        request = wait_for_request();
        if (jdk.is_recording && !(request == JFRSYNC_STOP ? jfrsync_jdk_stop(env, why)
                                                          : jfrsync_jdk_dump(env, jdk.dump, why)))
            log_line(LOG_WARNING, "the JDK's recorder: %s", why);
        if (request != JFRSYNC_STOP)
            request_done(false);
    }
}

static void *sync_main(void *arg)
{
    JavaVM *vm = arg;
    JavaVMAttachArgs args = {JNI_VERSION_1_6, (char *)(uintptr_t) "jfrkit jfrsync", NULL};
    struct thread *self = threads_self();
    JNIEnv *env = NULL;

    prctl(PR_SET_NAME, "jfrkit-sync");
    if (self != NULL)
        self->is_ours = true;
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &args) == JNI_OK) {
        record(env);
        (*vm)->DetachCurrentThread(vm);
    }
    if (self != NULL)
        threads_exiting(self);
    request_done(true);
    return NULL;
}

static int spawn_sync(JavaVM *vm)
{
    sigset_t all, old;
    pthread_attr_t attr;
    pthread_t thread;
    int rc;

    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&thread, &attr, sync_main, vm);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return rc;
}

/* --- the drain thread --- */

static int64_t option_or_zero(int64_t option)
{
    return option == REC_UNSET ? 0 : option;
}

static void want(const struct recording *r)
{
    struct jfrsync_wanted *w = &jdk.wanted;

    snprintf(w->settings, sizeof(w->settings), "%s", r->options->jfrsync);
    snprintf(w->file, sizeof(w->file), "%s/recording.jfr", jdk.dir);
    snprintf(jdk.dump, sizeof(jdk.dump), "%s/dump.jfr", jdk.dir);
    w->max_size = option_or_zero(r->options->max_size);
    w->max_age = option_or_zero(r->options->max_age);
    for (int e = 0; e < EV_N; e++)
        w->is_ours[e] =
            e < EV_N_MADE && settings_of(r->settings, (enum event)e)->is_enabled && !w->is_left[e];
    /* We write both kinds of samples as one event type. */
    w->is_ours[EV_NATIVE_METHOD_SAMPLE] |= w->is_ours[EV_EXECUTION_SAMPLE];
    w->is_ours[EV_CPU_TIME_SAMPLE] |= w->is_ours[EV_EXECUTION_SAMPLE];
    w->is_ours[EV_CPU_TIME_SAMPLES_LOST] |= w->is_ours[EV_EXECUTION_SAMPLE];
}

static bool is_thread_there(void)
{
    bool is_there;

    pthread_mutex_lock(&jdk.lock);
    is_there = jdk.is_running;
    pthread_mutex_unlock(&jdk.lock);
    return is_there;
}

/* NULL, or why not. */
static const char *begin(const struct recording *r)
{
    if (is_thread_there())
        return "the last recording has not ended yet";
    if (snprintf(jdk.dir, sizeof(jdk.dir), "%s.jdk", r->file) >= (int)sizeof(jdk.dir))
        return "the path is too long";
    if (mkdir(jdk.dir, 0700) != 0 && errno != EEXIST)
        return strerror(errno);
    want(r);
    jdk.request = JFRSYNC_NOTHING;
    jdk.is_running = true;
    if (spawn_sync(r->vm) == 0)
        return NULL;
    jdk.is_running = false;
    return "no thread for it";
}

void jfrsync_start(const struct recording *r)
{
    const char *why;

    jdk.done = NULL;
    jdk.is_recording = false;
    if (r->options->jfrsync == NULL)
        return;
    why = begin(r);
    if (why == NULL)
        return;
    fail(why);
    jdk.dir[0] = '\0';
}

void jfrsync_ask(enum jfrsync_request request)
{
    pthread_mutex_lock(&jdk.lock);
    if (jdk.is_running) {
        jdk.request = request;
        jdk.done = request == JFRSYNC_STOP ? jdk.wanted.file : jdk.dump;
        pthread_cond_broadcast(&jdk.changed);
    }
    pthread_mutex_unlock(&jdk.lock);
}

bool jfrsync_is_done(void)
{
    struct timespec until;
    bool done;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&jdk.lock);
    if (jdk.request != JFRSYNC_NOTHING)
        pthread_cond_timedwait(&jdk.changed, &jdk.lock, &until);
    done = jdk.request == JFRSYNC_NOTHING;
    pthread_mutex_unlock(&jdk.lock);
    return done;
}

uint64_t jfrsync_merge(const char *file)
{
    struct jfr_error err = {0};
    struct stat st;

    if (!jdk.is_recording || jdk.done == NULL || stat(jdk.done, &st) != 0 || st.st_size == 0)
        return 0;
    if (jfrsync_join(file, jdk.done, jdk.wanted.is_ours, measured_rate(), &err) != 0) {
        log_line(LOG_ERROR, "'%s': %s; the JDK's events stay in '%s'", file, err.text, jdk.done);
        return 0;
    }
    unlink(jdk.done);
    return (uint64_t)st.st_size;
}

bool jfrsync_is_recording(void)
{
    return jdk.is_recording;
}

void jfrsync_status(struct buf *reply)
{
    if (jdk.dir[0] != '\0')
        buf_printf(reply, "jfrsync: %s\n", jdk.is_recording ? "recording" : "not recording");
}

void jfrsync_close(void)
{
    if (jdk.dir[0] == '\0')
        return;
    if (!jdk.is_recording)
        unlink(jdk.wanted.file);
    unlink(jdk.dump);
    rmdir(jdk.dir); /* fails, and the folder stays, if there is a file in it */
    jdk.dir[0] = '\0';
}
