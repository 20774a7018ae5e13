/*
 * session.c - runs one recording: opens settings, file, walker and engines, drains, and closes
 * them.
 *
 * Called by control.c on the drain thread. The order matters: threads are listed before the engines
 * start, engines stop before the last drain, and the file is closed after everything was written.
 */
#include "recorder/agent/session.h"

#include "recorder/capture/capture.h"
#include "recorder/context/fields.h"
#include "recorder/context/java.h"
#include "recorder/engine/cpu.h"
#include "recorder/engine/java_threads.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/jfrsync/jfrsync.h"
#include "recorder/events/keys.h"
#include "recorder/native/libs.h"
#include "recorder/base/log.h"
#include "recorder/agent/output.h"
#include "recorder/base/safe_load.h"
#include "recorder/base/vm_crash.h"
#include "recorder/settings/settings.h"
#include "recorder/agent/session_report.h"
#include "recorder/agent/session_settings.h"
#include "recorder/capture/threads.h"
#include "recorder/walk/parked.h"
#include "recorder/walk/snapshot.h"
#include "recorder/walk/vm_walker.h"
#include "jfrfmt/base/now.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
#define DEPTH 1024
#define REST_NS INT64_C(1000000) /* at least between passes, unless it is woken */
#define BUFFER ((size_t)4 << 20)
#define ENGINES_MAX 64
#define SAMPLES "jdk.ExecutionSample"

static struct session s;

static int64_t given_or(int64_t value, int64_t otherwise)
{
    return value == REC_UNSET ? otherwise : value;
}

/* --- settings --- */

static int load_settings(const struct rec_options *o, char why[REPLY_WHY])
{
    if (s.settings == NULL)
        s.settings = session_settings_new(o, why);
    if (s.settings == NULL)
        return -1;
    s.r.settings = s.settings;
    jfrsync_divide(&s.r);
    return 0;
}

int session_prepare(const struct rec_options *options, char why[REPLY_WHY])
{
    s.settings = session_settings_new(options, why);
    return s.settings == NULL ? -1 : 0;
}

void session_drop(void)
{
    settings_free(s.settings);
    s.settings = NULL;
}

/* --- walker --- */

static const struct walker *walker_named(const char *name)
{
    static const struct walker *const all[] = {&walk_vm, &walk_parked, &walk_snapshot, &walk_agct};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(name, all[i]->name) == 0)
            return all[i];
    return &walk_vm;
}

static bool start_walker(const struct walker *w)
{
    char reason[200];

    if (w->start(s.r.vm, s.r.jvmti, s.r.env, reason) == 0) {
        s.r.walker = w;
        return true;
    }
    snprintf(s.walker_why, sizeof(s.walker_why), "%s: %s", w->name, reason);
    log_line(LOG_WARNING, "no stacks by %s", s.walker_why);
    return false;
}

/* Opens the walker that an option names, or fails. Without an option: the walker of the settings,
 * or AsyncGetCallTrace if that cannot be used. The recording contains the walker and the reason. */
static int choose_walker(char why[REPLY_WHY])
{
    const char *name = settings_get(s.settings, SAMPLES, "walker");
    const struct walker *wanted = walker_named(name == NULL ? "" : name);

    walk_snapshot_limit((size_t)given_or(s.r.options->snapshot, WALK_SNAPSHOT_STACK));
    if (!start_walker(wanted) &&
        (s.r.options->walker != NULL || wanted == &walk_agct || !start_walker(&walk_agct))) {
        snprintf(why, REPLY_WHY, "no way to walk stacks: %s", s.walker_why);
        return -1;
    }
    if (s.walker_why[0] != 0 &&
        session_settings_set(s.settings, SAMPLES, "walkerWhy", s.walker_why, why) != 0)
        return -1;
    return session_settings_set(s.settings, SAMPLES, "walker", s.r.walker->name, why);
}

/* --- engines --- */

static void open_engines(void)
{
    for (int i = 0; engines[i] != NULL && i < ENGINES_MAX; i++) {
        engines[i]->id = (uint8_t)i;
        s.is_open[i] = engines[i]->open == NULL || engines[i]->open(&s.r) == 0;
    }
}

static void start_engines(void)
{
    for (int i = 0; engines[i] != NULL && i < ENGINES_MAX; i++) {
        if (s.is_open[i] && engines[i]->start != NULL)
            s.is_on[i] = engines[i]->start(&s.r) == 0;
        else
            s.is_on[i] = s.is_open[i];
    }
}

static void stop_engines(void)
{
    int n = 0;

    while (engines[n] != NULL && n < ENGINES_MAX)
        n++;
    while (n-- > 0)
        if (s.is_on[n] && engines[n]->stop != NULL)
            engines[n]->stop(&s.r);
}

static void close_engines(void)
{
    int n = 0;

    while (engines[n] != NULL && n < ENGINES_MAX)
        n++;
    while (n-- > 0)
        if (s.is_open[n] && engines[n]->close != NULL)
            engines[n]->close(&s.r);
}

/* --- threads --- */

static void notify_threads(jvmtiEventMode mode)
{
    jvmtiEnv *ti = s.r.jvmti;

    (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_THREAD_START, NULL);
    (*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_THREAD_END, NULL);
}

static void sweep(void)
{
    threads_sweep(engine_cpu_thread_begin, engine_cpu_thread_end);
}

/* Enables the callbacks first: a thread that begins meanwhile is then found twice, not missed. */
static void find_running_threads(void)
{
    threads_count_anew();
    notify_threads(JVMTI_ENABLE);
    sweep();
    java_threads_find_all(s.r.jvmti, s.r.env);
}

/* --- opening --- */

static int prepare(char why[REPLY_WHY])
{
    const struct rec_options *o = s.r.options;

    if (log_open(o->log, o->quiet) != 0) {
        snprintf(why, REPLY_WHY, "the log '%s' cannot be opened: %s", o->log,
                 errno == 0 ? "not a regular file" : strerror(errno));
        return -1;
    }
    if (threads_init() != 0 || capture_open((size_t)given_or(o->buffer_size, BUFFER)) != 0) {
        snprintf(why, REPLY_WHY, "no memory for buffers");
        return -1;
    }
    return 0;
}

/* The file declares the types that it may have events of. Readers' views of pauses need all levels
 * of them. */
static void plan_types(struct jdk_type_plan plans[EV_N])
{
    for (int e = 0; e < EV_N; e++) {
        enum event asked = e < EV_N_MADE ? (enum event)e : EV_GC_PHASE_PAUSE;

        plans[e].is_wanted = settings_of(s.settings, asked)->is_enabled && !jfrsync_leaves(asked);
    }
}

/* Opens what has to exist before anything is recorded. */
static int open_recording(char why[REPLY_WHY])
{
    struct jdk_type_plan plans[EV_N] = {0};

    if (prepare(why) != 0 || load_settings(s.r.options, why) != 0)
        return -1;
    if (output_open(&s.r, why) != 0)
        return -1;
    plan_types(plans);
    context_plan(s.r.options, s.settings);
    if (jdk_types_declare(s.r.writer, s.types, plans) < 0) {
        snprintf(why, REPLY_WHY, "%s", jfr_writer_error(s.r.writer)->text);
        return -1;
    }
    s.r.types = s.types;
    return choose_walker(why);
}

int session_open(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, const struct rec_options *options,
                 char why[REPLY_WHY])
{
    int64_t id = s.r.id + 1;
    uint32_t epoch =
        s.r.constants_epoch; /* continues, since threads keep keys between recordings */
    struct settings *prepared = s.settings;

    memset(&s, 0, sizeof(s));
    s.settings = prepared;
    s.r = (struct recording){.vm = vm,
                             .jvmti = jvmti,
                             .env = env,
                             .options = options,
                             .id = id,
                             .constants_epoch = epoch};
    now_pair(now_real, NULL, &s.r.start_ticks, &s.r.start_nanos);
    if (open_recording(why) != 0) {
        output_close(&s.r);
        session_drop();
        return -1;
    }
    session_settings_log_odd(s.settings);
    libs_set_vm((uintptr_t)(*vm)->GetEnv);
    libs_update();
    report_open(&s);
    keys_open(&s.r);
    open_engines();
    find_running_threads();
    hist_reset(&capture_times);
    capture_start(s.r.walker, (int)given_or(options->depth, DEPTH));
    report_clocks(&s);
    start_engines();
    jfrsync_start(&s.r);
    s.next_second = s.r.start_ticks + SECOND;
    output_flush(&s.r, 0);
    return 0;
}

/* --- running --- */

/* Drains all records in one pass. Frequent small passes would find their data out of the cache each
 * time: at 200 samples a second, one pass a second takes half of the CPU time of ten. */
static void drain_what(const struct record *(*peek)(int ring))
{
    const struct record *rec;

    s.r.drained_ticks = jfr_writer_now();
    capture_begin_drain();
    for (int i = 0; i < CAPTURE_RINGS; i++)
        while ((rec = peek(i)) != NULL) {
            s.n_records++;
            context_look(&s.r);
            if (engines[rec->engine]->write != NULL)
                engines[rec->engine]->write(&s.r, rec);
            capture_release(i, rec);
        }
}

static void drain(void)
{
    drain_what(capture_peek);
}

static void tick(int64_t now)
{
    for (int i = 0; engines[i] != NULL && i < ENGINES_MAX; i++)
        if (s.is_on[i] && engines[i]->tick != NULL)
            engines[i]->tick(&s.r, now);
}

/* Walkers read memory by loads that may fault. That is safe only while our handler is first. */
static void keep_faults_first(void)
{
    if (walk_vm_state() == NULL || vm_crash_has_begun() || safe_load_is_first())
        return;
    if (safe_load_install() == 0)
        log_line(LOG_INFO, "another library handles SIGSEGV; the recorder goes first again");
    else if (!s.is_second)
        log_line(LOG_WARNING, "another library handles SIGSEGV and goes first again and again");
    s.is_second = !safe_load_is_first();
}

static void write_ongoing(void)
{
    for (int i = 0; engines[i] != NULL && i < ENGINES_MAX; i++)
        if (s.is_on[i] && engines[i]->ongoing != NULL)
            engines[i]->ongoing(&s.r);
}

static void pass_ahead(struct record *rec, void *arg)
{
    (void)arg;
    if (s.is_on[rec->engine] && engines[rec->engine]->ahead != NULL)
        engines[rec->engine]->ahead(&s.r, rec);
}

/* Ends a part of the recording that is read on its own: a chunk, or a copy. What has begun in it
 * gets its event for the time until now in the same part. */
static void end_part(void)
{
    capture_mark();
    drain_what(capture_peek_marked);
    write_ongoing();
    capture_look(pass_ahead, NULL);
}

static void each_second(int64_t now)
{
    keep_faults_first();
    sweep();
    context_java_connect_missed(s.r.jvmti, s.r.env);
    libs_update();
    report_losses(&s, now);
    threads_reclaim();
    jfrsync_follow_clock(&s.r);
    if (output_is_chunk_due(&s.r, now)) {
        end_part(); /* events so far have the old names of threads */
        java_threads_find_all(s.r.jvmti, s.r.env); /* names that were changed without a record */
    }
    output_flush(&s.r, now);
}

/* At the same place in each second, so that periodic events share the pass. */
static bool is_second_over(int64_t now)
{
    if (now < s.next_second)
        return false;
    s.next_second += ((now - s.next_second) / SECOND + 1) * SECOND;
    return true;
}

static int64_t end(void)
{
    int64_t duration = given_or(s.r.options->duration, 0);

    return duration == 0 ? INT64_MAX : s.r.start_ticks + duration;
}

/* The process ends when the VM has written its crash report. Calls into the VM may never return, so
 * this only drains and flushes. */
static void save_before_crash(int64_t now)
{
    s.is_crashing = true;
    log_line(LOG_WARNING, "the JVM reports a fatal error: sampling has stopped");
    drain();
    output_flush(&s.r, now);
}

bool session_pass(void)
{
    int64_t now = jfr_writer_now();
    bool is_second = is_second_over(now);

    if (!s.is_crashing && vm_crash_has_begun())
        save_before_crash(now);
    if (is_second || now - s.r.drained_ticks >= capture_patience() ||
        output_is_chunk_due(&s.r, now))
        drain();
    tick(now);
    if (is_second || output_is_chunk_due(&s.r, now))
        each_second(now);
    return now < end();
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* If a chunk could not be ended when it was due, the next attempt is at the next second. */
static int64_t next_pass(int64_t now)
{
    int64_t at = earlier(s.next_second, end()), patience = capture_patience();

    if (output_chunk_end(&s.r) > now)
        at = earlier(at, output_chunk_end(&s.r));
    if (patience < INT64_MAX)
        at = earlier(at, s.r.drained_ticks + patience);
    for (int i = 0; engines[i] != NULL && i < ENGINES_MAX; i++)
        if (s.is_on[i] && engines[i]->next_tick > 0)
            at = earlier(at, engines[i]->next_tick);
    return at;
}

int64_t session_pace(void)
{
    int64_t now = jfr_writer_now(), left = next_pass(now) - now;

    return left > REST_NS ? left : REST_NS;
}

/* --- the end --- */

/* Waits for the JDK's recorder, and keeps draining meanwhile. Returns false if it takes too long.
 */
static bool wait_for_jdk(void)
{
    /* A recording of the JDK that has not begun does not begin once the VM ends. */
    int64_t until = jfr_writer_now() + (jfrsync_is_recording() ? 20 : 2) * SECOND;

    while (!jfrsync_is_done()) {
        if (s.r.writer != NULL)
            drain();
        if (jfr_writer_now() >= until) {
            log_line(LOG_WARNING, "the JDK's recorder does not answer; its events are left out");
            return false;
        }
    }
    return true;
}

void session_close(const char *reason, struct buf *reply)
{
    notify_threads(JVMTI_DISABLE);
    jfrsync_ask(JFRSYNC_STOP);
    stop_engines();
    if (!capture_stop())
        log_line(LOG_WARNING, "a thread did not leave the recorder in time");
    drain();
    capture_close();
    s.r.walker->stop();
    close_engines();
    report_losses(&s, jfr_writer_now());
    report_reason(&s, reason);
    output_flush(&s.r, 0);
    if (reply != NULL)
        report_status(&s, "stopped", reply);
    output_close(&s.r);
    keys_close();
    if (wait_for_jdk())
        jfrsync_merge(s.r.file);
    jfrsync_close();
    session_drop();
}

int session_dump(const char *path, struct buf *reply, char why[REPLY_WHY])
{
    if (path == NULL) {
        snprintf(why, REPLY_WHY, "dump needs file=...");
        return -1;
    }
    if (jfrsync_is_recording())
        jfrsync_ask(JFRSYNC_DUMP);
    if (!wait_for_jdk()) {
        snprintf(why, REPLY_WHY, "the JDK's recorder does not answer");
        return -1;
    }
    end_part();
    report_losses(&s, jfr_writer_now());
    report_reason(&s, "Dump requested");
    output_flush(&s.r, 0);
    return output_dump(&s.r, path, reply, why);
}

void session_status(struct buf *reply)
{
    drain();
    report_status(&s, "running", reply);
}
