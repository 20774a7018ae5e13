/* record.c - jfrkit record: runs a program with the agent in its JVMs, shows how it goes, prints
 * the result. */
#include "tools/cli/peek.h"
#include "tools/rec/child.h"
#include "tools/rec/launch.h"
#include "tools/rec/pusher.h"
#include "tools/rec/result.h"
#include "jfrfmt/base/amount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 1000
#define WATCHED_MAX 64 /* JVMs at a time */

/* clang-format off */
static const struct cli_table tables[] = {
    {&rec_what_set}, {&rec_engines_set},
    {&rec_limits_set}, {&rec_result_set}, {&rec_push_set},
    {&rec_children_set},
    {&rec_agent_set}, {&rec_quiet_set}, {0},
};
/* clang-format on */

static const struct cli_command command = {
    .name = "jfrec record",
    .usage = "[options] -- PROGRAM [ARGUMENTS]",
    .about = "Run a program and record the JVMs that it starts.",
    .tables = tables,
    .examples = "  jfrkit record -o app.jfr -- java -jar app.jar\n"
                "  jfrkit record --cpu 1ms --open -- java -jar app.jar # with a flame graph\n",
    .notes = "Default of -o: recording.jfr; several JVMs have one file each, with their pid.\n"
             "Ctrl-C ends the recording, a second Ctrl-C the program.\n"
             "Exit: the exit code of the program.\n",
};

struct watch {
    struct launch *launch;
    struct child child;
    struct pusher *pusher;
    struct jvm *jvms; /* room for WATCHED_MAX */
    bool shows; /* a line on a terminal */
    bool stopped; /* by the user */
    time_t began;
};

static uint64_t number(const struct agent_reply *reply, const char *key)
{
    const char *text = agent_reply_get(reply, key);

    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static void clear_line(const struct watch *w)
{
    if (w->shows)
        fputs("\r\033[K", stderr);
}

/* "12 s: 3456 samples, 0 lost, 1.2 MB" over all JVMs of the session. */
static void show_record_progress(struct watch *w)
{
    size_t n = launch_jvms(w->launch, w->jvms, WATCHED_MAX);
    uint64_t samples = 0, lost = 0, bytes = 0;
    unsigned recorded = 0;
    char size[32];

    for (size_t i = 0; i < n; i++) {
        struct agent_reply reply;

        if (!launch_status(w->launch, &w->jvms[i], &reply))
            continue;
        recorded += agent_reply_get(&reply, "file") != NULL;
        samples += number(&reply, "samples");
        lost += number(&reply, "lost");
        bytes += number(&reply, "bytes");
        agent_reply_free(&reply);
    }
    fprintf(stderr, "\r\033[K%ld s: %llu samples, %llu lost, %s", (long)(time(NULL) - w->began),
            (unsigned long long)samples, (unsigned long long)lost,
            amount_bytes((int64_t)bytes, size));
    if (recorded != 1)
        fprintf(stderr, ", %u JVMs", recorded);
    fflush(stderr);
}

/* The first Ctrl-C is for us, the others are for the program. */
static void record_interrupted(struct watch *w)
{
    size_t n;

    clear_line(w);
    if (w->stopped) {
        child_signal(&w->child, SIGINT);
        return;
    }
    w->stopped = true;
    n = launch_jvms(w->launch, w->jvms, WATCHED_MAX);
    for (size_t i = 0; i < n; i++)
        launch_stop(w->launch, &w->jvms[i]);
    cli_error(&command, "the recording has ended; the program continues (Ctrl-C ends it)");
}

/* Has what each JVM of the session records sent, once it has begun. */
static void push_recordings(struct watch *w)
{
    size_t n = launch_jvms(w->launch, w->jvms, WATCHED_MAX);

    for (size_t i = 0; i < n; i++) {
        struct agent_reply reply;
        const char *file;

        if (pusher_has(w->pusher, w->jvms[i].pid) || !launch_status(w->launch, &w->jvms[i], &reply))
            continue;
        file = agent_reply_get(&reply, "file");
        if (file != NULL)
            (void)pusher_follow(w->pusher, w->jvms[i].pid, file);
        agent_reply_free(&reply);
    }
}

static void push_rest(void *ctx, const char *file, const char *path)
{
    (void)pusher_send(ctx, file, path);
}

static void watch_program(struct watch *w)
{
    while (!w->child.ended) {
        int sig = child_wait(&w->child, TICK_MS);

        if (w->launch->args->push != NULL && !w->child.ended && !w->stopped)
            push_recordings(w);

        if (sig == SIGINT)
            record_interrupted(w);
        else if (!w->child.ended && w->shows && !w->stopped && !w->child.has_terminal)
            show_record_progress(w);
    }
    clear_line(w);
}

/* Standard output belongs to the program that was recorded: what we print goes to standard error.
 * Under the older name, which scripts use, there is a report only on demand. */
static void show_result(const struct rec_args *given, const char *file)
{
    struct rec_args args = *given;

    if (args.report == NULL && (args.quiet || strncmp(cli_name(&command), "jfrkit", 6) != 0))
        args.report = "none";
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        (void)rec_result(&command, &args, file, file, NULL);
}

static int run(struct launch *launch, struct pusher *pusher, bool quiet)
{
    struct watch w = {.launch = launch, .pusher = pusher, .began = time(NULL)};
    const struct launch_use use = {push_rest, pusher};
    char only[JVM_PATH_MAX];
    int error, rc;

    w.jvms = calloc(WATCHED_MAX, sizeof(*w.jvms));
    if (w.jvms == NULL) {
        cli_error(&command, "out of memory");
        return EXIT_FAILED;
    }
    error = child_start(&w.child, launch->argv, launch->env);
    if (error != 0) {
        cli_error(&command, "cannot run %s: %s", launch->argv[0], strerror(error));
        free(w.jvms);
        return error == ENOENT ? 127 : 126;
    }
    w.shows = !quiet && w.child.terminal >= 0 && isatty(STDERR_FILENO);
    watch_program(&w);
    rc = child_end(&w.child);
    (void)pusher_wait(pusher); /* before files get other names */
    if (!launch_report(launch, only, &use))
        cli_error(&command,
                  "nothing was recorded: no JVM was started that loaded the agent; JVMs that "
                  "java starts need --children");
    free(w.jvms);
    if (only[0] != '\0')
        show_result(launch->args, only);
    return rc;
}

/* Where the program begins in argv: after "--". argc: there is none. */
static int find_program(int argc, char **argv)
{
    int i = 1;

    while (i < argc && strcmp(argv[i], "--") != 0)
        i++;
    return i;
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (cli_peek_help(argv[i]))
            return true;
    return false;
}

int rec_record(int argc, char **argv)
{
    struct rec_args args = {0};
    struct cli_list operands = {0};
    struct launch launch = {.command = &command, .args = &args};
    struct pusher pusher = {.command = &command, .args = &args};
    int at = find_program(argc, argv), rc;
    char **program = argv + at + (at < argc);

    if (at < argc)
        argv[at] = NULL; /* the options end here */
    else if (argc > 1 && !wants_help(argc, argv))
        return cli_usage(&command,
                         "put -- before the program: jfrkit record -o app.jfr -- java ...");
    rc = cli_parse(&command, at, argv, &args, &operands);
    if (rc >= 0)
        return rc;
    if (operands.n > 0 || *program == NULL) {
        rc = operands.n > 0
                 ? cli_usage(&command, "put -- before the program: '%s' is not an option",
                             operands.items[0])
                 : cli_usage(&command,
                             "which program? For example: jfrkit record -- java -jar app.jar");
    } else {
        rc = rec_result_check(&command, &args);
        if (rc == 0)
            rc = pusher_check(&pusher);
        if (rc == 0)
            rc = launch_open(&launch, program);
        if (rc == 0)
            rc = run(&launch, &pusher, args.quiet);
        pusher_free(&pusher);
        launch_free(&launch);
    }
    cli_free(&command, &args, &operands);
    return rc;
}
