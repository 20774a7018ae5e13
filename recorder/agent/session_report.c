/*
 * session_report.c - writes losses and the reason of the end of a recording as events, and the
 * lines of a status.
 *
 * session.c calls it on the drain thread. Losses are written as differences to the last report. An
 * event about a loss may be lost itself, on a full disk; the difference is then reported again.
 */
#include "recorder/agent/session_report.h"

#include "recorder/capture/capture.h"
#include "recorder/engine/cpu.h"
#include "recorder/engine/wall.h"
#include "recorder/jfrsync/jfrsync.h"
#include "recorder/events/keys.h"
#include "recorder/agent/output.h"
#include "recorder/settings/settings.h"
#include "recorder/capture/signals.h"
#include "recorder/sources/sources.h"
#include "recorder/walk/vm_walker.h"
#include "jfrfmt/base/now.h"

#include <inttypes.h>
#include <time.h>

static const struct jfr_field_def loss_fields[] = {
    {"reason", "java.lang.String", "Reason"},
    {"count", "long", "Count", "Events lost since the last event with this reason",
     .flags = JFR_UNSIGNED},
    {"total", "long", "Total", "Events lost since the recording began", .flags = JFR_UNSIGNED},
};

static const struct jfr_type_def loss_type = {
    .name = "jfrkit.EventLoss",
    .kind = JFR_TYPE_EVENT,
    .label = "Event Loss",
    .description = "Samples and events that could not be recorded, by reason",
    .category = "Flight Recorder",
    .flags = JFR_ON_USE,
    .fields = loss_fields,
    .n_fields = sizeof(loss_fields) / sizeof(loss_fields[0]),
};

void report_open(struct session *s)
{
    s->loss_type = jfr_writer_declare(s->r.writer, &loss_type, 1);
    for (int i = 0; i < LOST_N; i++)
        s->lost_before.n[i] = lost_count((enum lost_reason)i);
    s->lost_before.bytes = atomic_load(&lost_bytes);
}

/* The writer counts the events that it could not write. */
static uint64_t lost_now(const struct session *s, enum lost_reason reason)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(s->r.writer, &stats);
    return lost_count(reason) - s->lost_before.n[reason] +
           (reason == LOST_WRITER    ? stats.n_lost
            : reason == LOST_REFUSED ? stats.n_refused
                                     : 0);
}

static void write_loss(struct session *s, int64_t now, enum lost_reason reason, uint64_t total)
{
    struct jfr_writer *w = s->r.writer;

    jfr_event_begin(w, s->loss_type, now);
    jfr_put_string(w, lost_name(reason));
    jfr_put_long(w, (int64_t)(total - s->written.n[reason]));
    jfr_put_long(w, (int64_t)total);
    if (jfr_event_end(w) == 0)
        s->written.n[reason] = total;
}

static void write_lost_bytes(struct session *s, int64_t now)
{
    uint64_t total = atomic_load(&lost_bytes) - s->lost_before.bytes;
    struct jfr_writer *w = s->r.writer;
    struct jfr_writer_stats stats;

    jfr_writer_stats(w, &stats);
    total += stats.n_lost_bytes;
    if (total == s->written.bytes)
        return;
    jfr_event_begin(w, s->types[EV_DATA_LOSS], now);
    jfr_put_long(w, (int64_t)(total - s->written.bytes));
    jfr_put_long(w, (int64_t)total);
    if (jfr_event_end(w) == 0)
        s->written.bytes = total;
}

/* If the writer has lost events since the last report, the events of that report may be among them:
 * they are written again. */
static void check_last_report(struct session *s)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(s->r.writer, &stats);
    if (stats.n_lost != s->writer_lost)
        s->written = s->written_before;
    else
        s->written_before = s->written;
    s->writer_lost = stats.n_lost;
}

void report_losses(struct session *s, int64_t now)
{
    check_last_report(s);
    for (int i = 0; i < LOST_N; i++) {
        uint64_t total = lost_now(s, (enum lost_reason)i);

        if (total > s->written.n[i])
            write_loss(s, now, (enum lost_reason)i, total);
    }
    write_lost_bytes(s, now);
}

void report_reason(struct session *s, const char *reason)
{
    struct jfr_writer *w = s->r.writer;

    if (!settings_of(s->settings, EV_DUMP_REASON)->is_enabled)
        return;
    jfr_event_begin(w, s->types[EV_DUMP_REASON], jfr_writer_now());
    jfr_put_string(w, reason);
    jfr_put_int(w, (int32_t)s->r.id);
    jfr_event_end(w);
}

static void put(struct buf *b, const char *key, uint64_t value)
{
    buf_printf(b, "%s: %" PRIu64 "\n", key, value);
}

static void put_losses(const struct session *s, struct buf *b)
{
    uint64_t sum = 0;

    for (int i = 0; i < LOST_N; i++)
        sum += lost_now(s, (enum lost_reason)i);
    put(b, "lost", sum);
    for (int i = 0; i < LOST_N; i++)
        if (lost_now(s, (enum lost_reason)i) > 0)
            buf_printf(b, "lost (%s): %" PRIu64 "\n", lost_name((enum lost_reason)i),
                       lost_now(s, (enum lost_reason)i));
}

static void put_cpu(const struct session *s, struct buf *b)
{
    struct cpu_status cpu;

    engine_cpu_status(&cpu);
    put(b, "samples", jfr_writer_n_events(s->r.writer, s->types[EV_EXECUTION_SAMPLE]));
    put(b, "cpu-interval-ns", (uint64_t)cpu.interval_ns);
    put(b, "timers", (uint64_t)cpu.n_timers);
    if (cpu.n_counters > 0)
        buf_printf(b, "counters: %d, %s the kernel's frames\n", cpu.n_counters,
                   cpu.with_kernel ? "with" : "without");
    if (cpu.is_process_wide)
        buf_str(b, "timers-note: one timer for all threads, the system gave no more\n");
}

static void put_wall(struct buf *b)
{
    int64_t interval;
    uint64_t samples, n_signals;

    engine_wall_status(&interval, &samples, &n_signals);
    if (interval == 0)
        return;
    put(b, "wall-samples", samples);
    put(b, "wall-interval-ns", (uint64_t)interval);
    put(b, "wall-signals", n_signals);
}

static void put_handler(struct buf *b)
{
    put(b, "handler-calls", hist_n(&capture_times));
    put(b, "handler-p50-ns", hist_quantile(&capture_times, 0.5));
    put(b, "handler-p99-ns", hist_quantile(&capture_times, 0.99));
    put(b, "handler-max-ns", atomic_load(&capture_times.max));
    if (signals_dropped() > 0)
        put(b, "stray-signals", signals_dropped());
}

static void put_report_stacks(struct buf *b)
{
    struct keys_status keys;

    keys_status(&keys);
    put(b, "stacks", keys.n_stacks);
    put(b, "methods", keys.n_methods);
    put(b, "nameless-methods", keys.n_nameless);
    if (walk_vm_state() != NULL) {
        uint64_t refused = atomic_load(&walk_vm_state()->walker.dict.n_refused);

        if (refused > 0)
            put(b, "frames-without-room", refused); /* the dictionary of methods is full */
    }
    for (int i = 0; i < WALK_N_REASONS; i++)
        if (keys.reasons[i] > 0)
            buf_printf(b, "walks (%s): %" PRIu64 "\n", walk_reason_name((enum walk_reason)i),
                       keys.reasons[i]);
}

void report_clocks(struct session *s)
{
    s->process_cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    s->recorder_cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void put_start(const struct session *s, struct buf *b)
{
    time_t seconds = (time_t)(s->r.start_nanos / 1000000000);
    struct tm tm;
    char text[64];

    localtime_r(&seconds, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S%z", &tm);
    buf_printf(b, "started: %s\n", text);
    put(b, "duration-ms", (uint64_t)((jfr_writer_now() - s->r.start_ticks) / 1000000));
    put(b, "process-cpu-ms",
        (uint64_t)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - s->process_cpu) / 1000000);
    put(b, "recorder-cpu-ms",
        (uint64_t)(now_ns(CLOCK_THREAD_CPUTIME_ID) - s->recorder_cpu) / 1000000);
}

void report_status(struct session *s, const char *state, struct buf *b)
{
    struct jfr_writer_stats stats;
    const char *settings = s->r.options->settings;

    jfr_writer_stats(s->r.writer, &stats);
    buf_printf(b, "state: %s\nfile: %s\n", state, s->r.file);
    put(b, "recording", (uint64_t)s->r.id);
    put_start(s, b);
    buf_printf(b, "settings: %s\n", settings == NULL ? "default" : settings);
    put(b, "bytes", stats.n_bytes);
    put(b, "chunks", stats.n_chunks);
    put(b, "constant-bytes", stats.constant_bytes);
    put(b, "constants-unknown", stats.n_unresolved);
    put(b, "events", stats.n_events);
    put_cpu(s, b);
    put_wall(b);
    put_losses(s, b);
    put_handler(b);
    buf_printf(b, "walker: %s\n", s->r.walker->name);
    if (s->walker_why[0] != 0)
        buf_printf(b, "walker-why: %s\n", s->walker_why);
    put_report_stacks(b);
    sources_status(b);
    output_status(b);
    jfrsync_status(b);
}
