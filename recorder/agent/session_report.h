/*
 * session_report.h - losses of a recording as events, its state as text.
 */
#ifndef RECORDER_AGENT_SESSION_REPORT_H
#define RECORDER_AGENT_SESSION_REPORT_H

#include "jfrfmt/base/buf.h"
#include "recorder/capture/engine.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/capture/lost.h"

#define SESSION_ENGINES_MAX 64

struct settings;

struct session { /* of session.c */
    struct recording r;
    struct settings *settings;
    int64_t types[EV_N];
    bool is_open[SESSION_ENGINES_MAX], is_on[SESSION_ENGINES_MAX];
    char walker_why[300]; /* why it is not the first choice; "" if it is */
    bool is_second; /* another library gets faults before the recorder does */
    bool is_crashing; /* the VM writes a crash report */
    int64_t next_second;
    uint64_t n_records;
    int64_t process_cpu, recorder_cpu; /* ns, when engines were started */

    int64_t loss_type;
    struct losses {
        uint64_t n[LOST_N], bytes;
    } lost_before, /* at the start of the recording */
        written, /* since then, those in events */
        written_before; /* before the last report, whose events the writer may lose */
    uint64_t writer_lost; /* at the last report */
};

/* Declares the event type of losses, and begins to count. */
void report_open(struct session *s);

/* Begins to count CPU time. */
void report_clocks(struct session *s);

/* Events for what was lost since the last call. */
void report_losses(struct session *s, int64_t now);

/* Writes the event with the reason why the recording ends. */
void report_reason(struct session *s, const char *reason);

/* "key: value" lines. */
void report_status(struct session *s, const char *state, struct buf *reply);

#endif
