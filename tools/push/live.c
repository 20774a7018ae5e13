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
#include "tools/rec/push_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define LOOK_NS (SECOND / 2) /* between looks at whether the recording has ended */
#define PAUSE_MS 2000 /* after the first failed request: one to two seconds */
#define PAUSE_MOST_MS 60000
#define GONE_LOOKS 4 /* after so many without the file its recording has ended */

struct live {
    const struct live_how *how;
    struct followed what;
    struct interval *interval;
    struct spool spool;
    int64_t next_try_ns; /* steady clock */
    unsigned n_failed; /* requests in a row */
    bool is_full; /* the spool lost files, which was reported, and nothing was sent since */
    char error[RETRY_WHY]; /* of the last request that failed; "": none has */
    char folder[SPOOL_PATH]; /* of the spool */
};

static volatile sig_atomic_t is_stopped;

static void on_stop(int signal)
{
    (void)signal;
    is_stopped = 1;
}

/* Writes how it goes into the spool folder, see push_state.h. 0 or an exit code. */
static int write_push_state(struct live *l, const char *state)
{
    const struct spool *s = &l->spool;
    struct buf b = {0};
    int rc;

    buf_printf(&b,
               "push-to: %s\npush-state: %s\npush-pid: %d\npush-every-ms: %lld\n"
               "push-sent: %" PRIu64 "\npush-sent-bytes: %" PRIu64 "\npush-waiting: %zu\n"
               "push-lost: %" PRIu64 "\n",
               l->how->to, state, (int)getpid(), (long long)(l->how->every_ns / 1000000), s->n_sent,
               s->sent_bytes, s->n_files, s->n_lost);
    if (l->error[0] != '\0')
        buf_printf(&b, "push-error: %.*s\n", (int)strcspn(l->error, "\n"), l->error);
    rc = buf_ok(&b) ? spool_write(&l->spool, PUSH_STATE_NAME, &b) : cli_no_memory(l->how->command);
    buf_free(&b);
    return rc;
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
    int rc = file == NULL
                 ? JFR_E_IO
                 : interval_take(l->interval, path, l->spool.taken_ns, now, &sink, &n_events);

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
    uint64_t n_lost;

    if (has_file < 0)
        return EXIT_FAILED;
    interval_save(l->interval, &state);
    l->spool.taken_ns = now;
    n_lost = l->spool.n_lost;
    rc = buf_ok(&state) ? spool_add(&l->spool, has_file > 0, &state)
                        : cli_no_memory(l->how->command);
    buf_free(&state);
    if (rc == 0 && l->spool.n_lost > n_lost && !l->is_full) {
        l->is_full = true;
        cli_error(l->how->command,
                  "%s is full: the oldest intervals are deleted before they were sent, until the "
                  "server is back",
                  l->spool.folder);
    }
    return rc;
}

/* --- sending --- */

/* The pause after a failed request, at most a minute, whatever the server requests. */
static int64_t pause_ns(unsigned n_failed, int64_t asked_ms)
{
    int64_t ms = retry_pause(n_failed, asked_ms, PAUSE_MS, PAUSE_MOST_MS);

    return (ms < PAUSE_MOST_MS ? ms : PAUSE_MOST_MS) * (SECOND / 1000);
}

/* Sends what waits, until something fails. */
static void send_waiting(struct live *l)
{
    const char *path;
    char why[RETRY_WHY];

    while (now_ns(CLOCK_MONOTONIC) >= l->next_try_ns && (path = spool_oldest(&l->spool)) != NULL) {
        int64_t pause_ms = 0;
        enum retry_result result = l->how->send(l->how->ctx, path, why, &pause_ms);

        if (result != RETRY_SENT)
            memcpy(l->error, why, sizeof(why));
        if (result == RETRY_LATER || result == RETRY_WRONG) {
            if (l->n_failed == 0 && !l->how->is_quiet)
                cli_error(l->how->command, "%s; what is recorded waits in %s", why,
                          l->spool.folder);
            l->next_try_ns = now_ns(CLOCK_MONOTONIC) + pause_ns(l->n_failed++, pause_ms);
            return;
        }
        if (result == RETRY_REFUSED)
            cli_error(l->how->command, "an interval is lost: %s", why);
        else if (l->n_failed > 0 && !l->how->is_quiet)
            cli_error(l->how->command, "the server is back; %zu intervals waited",
                      l->spool.n_files);
        l->n_failed = 0;
        spool_remove(&l->spool, result == RETRY_SENT);
        l->is_full = false;
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
        if (rc == 0)
            rc = write_push_state(l, "running");
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
    return rc == 0 ? write_push_state(l, "ended") : rc;
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

/* --- a process of its own --- */

/* Continues in another process, whose messages go to the log in the spool folder. Returns 0 in that
 * process, its id in this one, and -1 after a message. */
static pid_t detach_sending(struct live *l)
{
    char log[SPOOL_PATH + 8];
    int fd, null = open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_t pid;

    snprintf(log, sizeof(log), "%s/log", l->folder);
    fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    pid = fd < 0 || null < 0 ? -1 : fork();
    if (pid < 0)
        cli_error(l->how->command, "%s: %s", log, strerror(errno));
    if (pid == 0 && (setsid() < 0 || dup2(null, STDIN_FILENO) < 0 ||
                     dup2(null, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0))
        _exit(EXIT_FAILED);
    if (pid > 0 && !l->how->is_quiet)
        cli_error(l->how->command, "process %d sends to %s every %.0f s; its messages are in %s",
                  (int)pid, l->how->to, (double)l->how->every_ns / 1e9, log);
    if (null >= 0)
        close(null);
    if (fd >= 0)
        close(fd);
    return pid;
}

/* Finds the recording and opens the spool, with what an earlier run left there. */
static int open_sending(struct live *l)
{
    const struct live_how *how = l->how;
    int rc = followed_find(how->command, how->operand, &l->what);

    if (rc != 0)
        return rc;
    if (how->spool != NULL)
        snprintf(l->folder, sizeof(l->folder), "%s", how->spool);
    else
        push_state_folder(l->what.is_jvm ? l->what.written.whole : how->operand, l->folder,
                          sizeof(l->folder));
    rc = spool_open(how->command, l->folder, how->spool_bytes, &l->spool);
    if (rc == 0 && (l->interval == NULL ||
                    (l->spool.state != NULL && !interval_restore(l->interval, l->spool.state))))
        rc = cli_no_memory(how->command);
    return rc;
}

static int run_sending(struct live *l)
{
    struct sigaction act = {.sa_handler = on_stop};
    int rc;

    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    rc = write_push_state(l, "running");
    if (rc == 0)
        rc = run_intervals(l);
    return rc == 0 ? report_live(l) : rc;
}

int live_run(const struct live_how *how)
{
    struct live l = {.how = how, .interval = interval_new(how->edit), .spool.lock = -1};
    pid_t sender = 0;
    int rc = open_sending(&l);

    if (rc == 0 && how->is_detached) {
        sender = detach_sending(&l);
        rc = sender < 0 ? EXIT_FAILED : 0;
    }
    if (rc == 0 && sender == 0)
        rc = run_sending(&l);
    interval_free(l.interval);
    spool_close(&l.spool);
    return rc;
}
