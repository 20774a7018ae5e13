/*
 * timed.c - jfrkit attach: records a running JVM for a while, then prints the result.
 *
 * The agent ends the recording itself when its time is over, so that it ends even if this program
 * is killed. This program waits, shows the progress on a terminal, and ends the recording early on
 * Ctrl-C. The JVM may end first: its agent completes the file then.
 */
#include "tools/rec/ask.h"
#include "tools/rec/pusher.h"
#include "tools/rec/result.h"
#include "tools/cli/run.h"
#include "tools/rec/target.h"

#include "convert/text/timespec.h"
#include "jfrfmt/base/amount.h"
#include "jfrfmt/base/now.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 1000 /* between looks at the recording */
#define LATE_MS 200 /* the same when its time is over */
#define LATE_MOST 50 /* so often, then it is ended by a request */

/* clang-format off */
static const struct cli_table tables[] = {
    {&rec_limits_set}, {&rec_result_set}, {&rec_push_set},
    {&rec_what_set}, {&rec_engines_set},
    {&rec_agent_set}, {&rec_target_set}, {&rec_quiet_set},
    {&rec_json_set}, {0},
};
/* clang-format on */

static const struct cli_command command = {
    .name = "jfrkit attach",
    .usage = "[options] JVM",
    .about = "Record a running JVM for a while, then print its top methods and users.",
    .tables = tables,
    .examples = "  jfrkit attach -d 10s --open 4711 # with a flame graph in the browser\n"
                "  jfrkit attach -d 5s --report gc-pauses --cpu 1ms -o app.jfr 4711\n",
    .notes = "JVM is a process id, its main class or jar, or a word of these that is unique.\n"
             "The JVM writes the file: in its container, as its user.\n"
             "Default of -d: until Ctrl-C. Default of -o: recording-%p.jfr in this folder.\n",
};

struct session {
    struct rec_request request; /* of which `word` changes */
    struct jvm jvm;
    int64_t limit_ms; /* 0: none */
    struct pusher pusher;
    sigset_t signals; /* those that end the recording */
    char file[JVM_PATH_MAX]; /* as the JVM sees it; "": not known yet */
};

/* Waits, at most so long. True: the user wants an end. */
static bool wait_ms(const struct session *s, int64_t ms)
{
    struct timespec limit = {ms / 1000, ms % 1000 * 1000000};

    return ms > 0 && sigtimedwait(&s->signals, NULL, &limit) > 0;
}

static void show_status(const struct session *s, const struct agent_reply *reply, int64_t ms)
{
    const char *samples = agent_reply_get(reply, "samples"),
               *bytes = agent_reply_get(reply, "bytes");
    char line[140], limit[40] = "", size[32];

    if (s->request.args->quiet)
        return;
    if (s->limit_ms > 0)
        snprintf(limit, sizeof(limit), " of %.0f s", (double)s->limit_ms / 1e3);
    snprintf(line, sizeof(line), "recording %d: %.0f s%s, %.12s samples, %s", (int)s->jvm.pid,
             (double)ms / 1e3, limit, samples == NULL ? "?" : samples,
             amount_bytes(bytes == NULL ? 0 : atoll(bytes), size));
    cli_progress(&command, line);
}

/* Requests the status, and keeps the name of the file. Returns false if the JVM no longer records.
 */
static bool is_still_recording(struct session *s, int64_t ms)
{
    struct agent_reply reply;
    const char *state, *file;
    bool runs = true;

    if (!rec_ask_status(&s->request, &s->jvm, &reply)) {
        struct jvm now;

        return jvm_look(s->jvm.pid, &now) == 0 && now.state != 'Z'; /* busy, not gone */
    }
    state = agent_reply_get(&reply, "state");
    file = agent_reply_get(&reply, "file");
    if (file != NULL)
        snprintf(s->file, sizeof(s->file), "%s", file);
    runs = state != NULL && strcmp(state, "off") != 0;
    if (runs && file != NULL)
        (void)pusher_follow(&s->pusher, s->jvm.pid, file);
    if (runs && strcmp(state, "stopping") != 0)
        show_status(s, &reply, ms);
    agent_reply_free(&reply);
    return runs;
}

static int stop(struct session *s)
{
    struct agent_reply reply;
    int rc;

    s->request.word = "stop";
    rc = rec_ask(&s->request, &s->jvm, &reply);
    agent_reply_free(&reply);
    return rc;
}

/* Until the time is over, the user wants an end, or the JVM has ended. 0 or an exit code. */
static int wait_for_end(struct session *s)
{
    int64_t began = now_ns(CLOCK_MONOTONIC) / 1000000, ms = 0;
    int late = 0;
    bool runs = is_still_recording(s, 0);

    while (runs && late < LATE_MOST) {
        int64_t left = s->limit_ms - ms;
        int64_t tick = s->limit_ms == 0 || left > TICK_MS ? TICK_MS : left > 0 ? left : LATE_MS;

        if (wait_ms(s, tick)) {
            cli_progress(&command, NULL);
            return stop(s);
        }
        ms = now_ns(CLOCK_MONOTONIC) / 1000000 - began;
        late += s->limit_ms > 0 && ms > s->limit_ms;
        runs = is_still_recording(s, ms);
    }
    cli_progress(&command, NULL);
    return runs ? stop(s) : 0;
}

/* The path by which we can read the file: the JVM may have another root. NULL after a message. */
static char *find_file(const struct session *s)
{
    struct stat ours, theirs;
    char *path = NULL;

    if (s->file[0] == '\0') {
        cli_error(&command, "process %d did not say where its recording is", (int)s->jvm.pid);
        return NULL;
    }
    if (asprintf(&path, "/proc/%d/root%s", (int)s->jvm.pid, s->file) < 0) {
        cli_no_memory(&command);
        return NULL;
    }
    if (stat(s->file, &ours) == 0 && (stat(path, &theirs) != 0 || (ours.st_dev == theirs.st_dev &&
                                                                   ours.st_ino == theirs.st_ino)))
        strcpy(path, s->file);
    else if (stat(path, &theirs) != 0) {
        cli_error(&command, "process %d has ended, and its recording %s cannot be read from here",
                  (int)s->jvm.pid, s->file);
        free(path);
        return NULL;
    }
    return path;
}

static int show_timed_result(const struct session *s)
{
    char *path = find_file(s), *page = NULL;
    const char *slash = strrchr(s->file, '/');
    struct stat st;
    char size[32];
    int rc;

    if (path == NULL)
        return EXIT_FAILED;
    /* A page beside a file in a container would be in that container. */
    if (strcmp(path, s->file) != 0 &&
        asprintf(&page, "%.*s.html", out_stem_length(slash + 1), slash + 1) < 0)
        page = NULL;
    if (!s->request.args->quiet && !s->request.args->json && stat(path, &st) == 0) {
        printf("Recording: %s, %s\n", s->file, amount_bytes(st.st_size, size));
        fflush(stdout); /* before what is written without stdio */
    }
    rc = s->request.args->quiet && !s->request.args->open
             ? EXIT_DONE
             : rec_result(&command, s->request.args, path, s->file, page);
    free(page);
    free(path);
    return rc;
}

static int record_timed(struct session *s, const char *target)
{
    struct agent_reply reply;
    int rc = rec_target(&command, target, &s->jvm);

    if (rc == 0)
        rc = rec_may_ask(&s->request, &s->jvm);
    if (rc != 0)
        return rc;
    sigprocmask(SIG_BLOCK, &s->signals, NULL);
    rc = rec_ask(&s->request, &s->jvm, &reply);
    agent_reply_free(&reply);
    s->request.word = "status";
    if (rc == 0)
        rc = wait_for_end(s);
    if (rc == 0)
        rc = pusher_wait(&s->pusher);
    sigprocmask(SIG_UNBLOCK, &s->signals, NULL);
    return rc == 0 ? show_timed_result(s) : rc;
}

static int read_limits(const struct rec_args *args, int64_t *ms)
{
    struct jfr_error err = {0};
    int64_t duration = 0, delay = 0;

    if ((args->duration != NULL && timespec_duration(args->duration, &duration, &err) < 0) ||
        (args->delay != NULL && timespec_duration(args->delay, &delay, &err) < 0))
        return cli_usage(&command, "%s", err.text);
    *ms = args->duration == NULL ? 0 : (duration + delay) / 1000000;
    return 0;
}

int rec_attach(int argc, char **argv)
{
    struct rec_args args = {0};
    struct cli_list operands = {0};
    struct session s = {.request = {.command = &command, .args = &args, .word = "start"},
                        .pusher = {.command = &command, .args = &args}};
    int rc = cli_parse(&command, argc, argv, &args, &operands);

    if (rc >= 0)
        return rc;
    sigemptyset(&s.signals);
    sigaddset(&s.signals, SIGINT);
    sigaddset(&s.signals, SIGTERM);
    sigaddset(&s.signals, SIGHUP);
    s.request.file = args.output == NULL ? "recording-%p.jfr" : args.output;
    rc = rec_result_check(&command, &args);
    if (rc == 0)
        rc = read_limits(&args, &s.limit_ms);
    if (rc == 0)
        rc = pusher_check(&s.pusher);
    if (rc == 0 && operands.n != 1)
        rc = cli_usage(&command, "name one JVM by its pid or main class: jfrkit list shows them");
    if (rc == 0)
        rc = record_timed(&s, operands.items[0]);
    pusher_free(&s.pusher);
    cli_free(&command, &args, &operands);
    return rc;
}
