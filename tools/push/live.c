/*
 * live.c - the loop: take what is new, send what waits, sleep.
 *
 * A failed request ends the sending until its pause is over, so a server that is away never delays
 * the reading for longer than one request may take.
 */
#include "tools/push/live.h"

#include "convert/rewrite/interval.h"
#include "convert/text/out.h"
#include "jfrfmt/base/amount.h"
#include "jfrfmt/base/now.h"
#include "tools/push/spool.h"
#include "tools/rec/followed.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define LOOK_NS (SECOND / 2) /* between looks at whether the recording has ended */
#define GONE_LOOKS 4 /* after so many without the file its recording has ended */

struct live {
    const struct live_how *how;
    struct followed what;
    struct interval *interval;
    struct spool spool;
    int64_t taken_ns; /* wall clock: up to when events were taken */
    int64_t next_try_ns; /* steady clock */
    unsigned n_failed; /* requests in a row */
    uint64_t n_told; /* lost files, when that was last reported */
};

static volatile sig_atomic_t is_stopped;

static void on_stop(int signal)
{
    (void)signal;
    is_stopped = 1;
}

/* --- taking --- */

static int write_to_spool(void *ctx, const void *bytes, size_t n)
{
    return out_file_write(ctx, bytes, n);
}

/* Writes the next file of the spool. Returns whether there is one, or negative. */
static int take_interval(struct live *l, const char *path, int64_t now)
{
    struct jfr_error err = {0};
    struct out_file *file = out_file_open(spool_next(&l->spool), &err);
    struct raw_sink sink = {write_to_spool, NULL, file};
    uint64_t n_events = 0;
    int rc = file == NULL ? JFR_E_IO
                          : interval_take(l->interval, path, l->taken_ns, now, &sink, &n_events);

    if (rc == 0 && n_events > 0)
        rc = out_file_commit(file, &err) == 0 ? 1 : JFR_E_IO;
    else
        out_file_abort(file);
    if (rc == JFR_E_NOMEM)
        cli_no_memory(l->how->command);
    else if (rc < 0)
        cli_error(l->how->command, "%s: %s", l->spool.folder,
                  err.code != 0 ? err.text : "cannot be written");
    return rc;
}

/* Puts what is new into the spool. 0 or an exit code. */
static int take_new(struct live *l)
{
    int64_t now = now_ns(CLOCK_REALTIME);
    int has_file = take_interval(l, l->what.path, now), rc;
    struct buf state = {0};

    if (has_file < 0)
        return EXIT_FAILED;
    interval_save(l->interval, &state);
    rc = buf_ok(&state) ? spool_add(&l->spool, has_file > 0, &state)
                        : cli_no_memory(l->how->command);
    buf_free(&state);
    l->taken_ns = now;
    if (rc == 0 && l->spool.n_lost > l->n_told)
        cli_error(l->how->command,
                  "%s is full: %" PRIu64 " intervals were deleted before they were sent",
                  l->spool.folder, l->spool.n_lost - l->n_told);
    l->n_told = l->spool.n_lost;
    return rc;
}

/* --- sending --- */

static int64_t pause_for(unsigned n_failed)
{
    int64_t pause = n_failed > 6 ? 60 : INT64_C(1) << n_failed;

    return pause > 60 ? 60 * SECOND : pause * SECOND;
}

/* Sends what waits, until something fails. */
static void send_waiting(struct live *l)
{
    const char *path;
    char why[RETRY_WHY];

    while (now_ns(CLOCK_MONOTONIC) >= l->next_try_ns && (path = spool_oldest(&l->spool)) != NULL) {
        enum retry_result result = l->how->send(l->how->ctx, path, why);

        if (result == RETRY_LATER || result == RETRY_WRONG) {
            if (l->n_failed == 0 && !l->how->is_quiet)
                cli_error(l->how->command, "%s; what is recorded waits in %s", why,
                          l->spool.folder);
            l->next_try_ns = now_ns(CLOCK_MONOTONIC) + pause_for(l->n_failed++);
            return;
        }
        if (result == RETRY_REFUSED)
            cli_error(l->how->command, "an interval is lost: %s", why);
        else if (l->n_failed > 0 && !l->how->is_quiet)
            cli_error(l->how->command, "the server is back; %zu intervals waited",
                      l->spool.n_files);
        l->n_failed = 0;
        spool_remove(&l->spool, result == RETRY_SENT);
        l->n_told = l->spool.n_lost;
    }
}

/* --- the loop --- */

/* Waits for the next interval. Returns false if there will be none. */
static bool wait_for_interval(struct live *l)
{
    int64_t end = now_ns(CLOCK_MONOTONIC) + l->how->every_ns;
    int n_gone = 0;

    while (!is_stopped && now_ns(CLOCK_MONOTONIC) < end) {
        struct timespec pause = {0, LOOK_NS};

        nanosleep(&pause, NULL);
        send_waiting(l);
        if (followed_has_ended(l->how->command, &l->what))
            return false;
        n_gone = access(l->what.path, F_OK) == 0 || l->what.is_jvm ? 0 : n_gone + 1;
        if (n_gone == GONE_LOOKS)
            return false;
    }
    return !is_stopped;
}

static int run_intervals(struct live *l)
{
    bool goes_on = true;
    int rc = 0;

    while (rc == 0 && goes_on) {
        goes_on = wait_for_interval(l);
        rc = take_new(l);
        send_waiting(l);
    }
    if (rc == 0 && l->what.is_jvm && strcmp(l->what.path, l->what.written.whole) != 0 &&
        access(l->what.written.whole, F_OK) == 0) {
        l->what.path = l->what.written.whole;
        rc = take_new(l);
    }
    for (int64_t end = now_ns(CLOCK_MONOTONIC) + l->how->retry_ns;
         !is_stopped && l->spool.n_files > 0 && now_ns(CLOCK_MONOTONIC) < end;) {
        send_waiting(l);
        if (l->spool.n_files > 0)
            nanosleep(&(struct timespec){0, LOOK_NS / 5}, NULL);
    }
    send_waiting(l);
    return rc;
}

static int report_live(const struct live *l)
{
    const struct spool *s = &l->spool;
    char size[32];

    if (!l->how->is_quiet)
        fprintf(stderr, "%s: %" PRIu64 " intervals, %s sent; %zu wait, %" PRIu64 " lost\n",
                cli_name(l->how->command), s->n_sent, amount_bytes((int64_t)s->sent_bytes, size),
                s->n_files, s->n_lost);
    if (s->n_files == 0 && s->n_lost == 0)
        return 0;
    if (s->n_files > 0)
        cli_error(l->how->command, "the next run with --spool-folder %s sends what waits",
                  s->folder);
    return EXIT_FAILED;
}

int live_run(const struct live_how *how)
{
    struct live l = {.how = how, .interval = interval_new(how->edit)};
    struct sigaction act = {.sa_handler = on_stop};
    int rc = spool_open(how->command, how->spool, how->spool_bytes, &l.spool);

    if (rc == 0 && (l.interval == NULL ||
                    (l.spool.state != NULL && !interval_restore(l.interval, l.spool.state))))
        rc = cli_no_memory(how->command);
    if (rc == 0)
        rc = followed_find(how->command, how->operand, &l.what);
    if (rc == 0) {
        sigaction(SIGINT, &act, NULL);
        sigaction(SIGTERM, &act, NULL);
        rc = run_intervals(&l);
        if (rc == 0)
            rc = report_live(&l);
    }
    interval_free(l.interval);
    spool_close(&l.spool);
    return rc;
}
