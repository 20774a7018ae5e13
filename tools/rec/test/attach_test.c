#include "tools/rec/agent_call.h"
#include "tools/rec/attach.h"

#include "jfrfmt/test/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#define PATIENCE_MS 30000 /* where an answer comes */
#define IMPATIENCE_MS 300 /* where none will */

struct reply_row {
    const char *name;
    const char *reply;
    int want; /* enum attach_errc, 0 = loaded */
    int agent_code;
    const char *words; /* in the message */
};

/* clang-format off */
static const struct reply_row replies[] = {
    {"JDK 8: loaded", "0\n0\n", 0, 0, ""},
    {"JDK 8: the agent says no", "0\n-1\n", ATTACH_E_AGENT, -1, "code -1"},
    {"JDK 8: no library", "-1\n", ATTACH_E_REFUSED, 0, "gives no reason"},
    {"JDK 9: loaded", "0\nreturn code: 0\n", 0, 0, ""},
    {"JDK 9: without the last end of line", "0\nreturn code: 0", 0, 0, ""},
    {"JDK 9: the agent says no", "0\nreturn code: 102\n", ATTACH_E_AGENT, 102, "code 102"},
    {"JDK 9: no library", "-1\n/x.so was not loaded.\n/x.so: no such file\n", ATTACH_E_REFUSED, 0,
     "/x.so was not loaded. /x.so: no such file"},
    {"JDK 21: no library, status 0", "0\n/x.so was not loaded.\n/x.so: invalid ELF header\n",
     ATTACH_E_REFUSED, 0, "was not loaded. /x.so: invalid ELF header"},
    {"JDK 21: loading is off", "0\nDynamic agent loading is not enabled. Use "
     "-XX:+EnableDynamicAgentLoading to launch target VM.\n", ATTACH_E_REFUSED, 0, "jfrkit record"},
    {"a container without glibc", "0\nx was not loaded.\nlibc.so.6: cannot open shared object file\n",
     ATTACH_E_REFUSED, 0, "without glibc"},
    {"a /tmp without programs", "0\nx was not loaded.\nx: failed to map segment from shared object\n",
     ATTACH_E_REFUSED, 0, "noexec"},
    {"JDK 21: it is starting", "0\nDynamic agent loading is only permitted in the live phase\n",
     ATTACH_E_EARLY, 0, "still starting"},
    {"JDK 17: it is starting", "0\nreturn code: 75\n", ATTACH_E_EARLY, 0, "still starting"},
    {"another protocol", "101\n", ATTACH_E_PROTOCOL, 0, "another version"},
    {"status 0 alone", "0\n", ATTACH_E_REFUSED, 0, "gives no reason"},
    {"nonsense", "hello\n", ATTACH_E_PROTOCOL, 0, "\"hello\""},
    {"nothing", "", ATTACH_E_PROTOCOL, 0, "not understood"},
    {"a status that is too large", "99999999999\n", ATTACH_E_PROTOCOL, 0, "not understood"},
    {"control characters", "0\na\033[2Jb\n", ATTACH_E_REFUSED, 0, "a [2Jb"},
};
/* clang-format on */

static void judge(void **state)
{
    const struct reply_row *t = *state;
    struct guarded g = guarded_copy(t->reply, strlen(t->reply), 0);
    struct attach_error err = {0};

    assert_int_equal(attach_judge_load((char *)g.bytes, g.n, &err), t->want);
    assert_int_equal(err.code, t->want);
    assert_int_equal(err.agent_code, t->agent_code);
    assert_non_null(strstr(err.text, t->words));
    guarded_free(&g);
}

static void every_beginning_of_a_reply_is_judged(void **state)
{
    static const char reply[] = "0\nreturn code: 0\n/x.so was not loaded.\n";
    struct attach_error err;

    (void)state;
    for (size_t n = 0; n < sizeof(reply); n++) {
        struct guarded g = guarded_copy(reply, n, 0);

        attach_judge_load((char *)g.bytes, n, &err);
        guarded_free(&g);
    }
}

/* What a JVM's listener does with a connection. */
struct listener {
    const char *reply;
    size_t pieces; /* bytes at a time; 0 = at once */
    bool hangs; /* never answers */
    bool babbles; /* never ends */
    bool hangs_up;
};

/* Reads the five strings of a request. */
static size_t read_request(int fd, char *request, size_t room)
{
    size_t n = 0, strings = 0;

    while (strings < 5 && n < room && read(fd, request + n, 1) == 1)
        strings += request[n++] == '\0';
    return n;
}

static void babble(int fd)
{
    static char bytes[64 << 10];

    memset(bytes, '1', sizeof(bytes));
    while (send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) > 0)
        continue;
}

/* The request comes back through `tell`. */
static void listen_once(const struct listener *l, int fd, int tell)
{
    char request[4096];
    size_t n = l->hangs_up ? 0 : read_request(fd, request, sizeof(request));
    size_t left = l->reply == NULL ? 0 : strlen(l->reply);

    if (tell >= 0 && write(tell, request, n) != (ssize_t)n)
        _exit(1);
    if (l->hangs)
        pause();
    if (l->babbles)
        babble(fd);
    for (const char *p = l->reply; left > 0;) {
        size_t part = l->pieces == 0 || l->pieces > left ? left : l->pieces;

        if (send(fd, p, part, MSG_NOSIGNAL) != (ssize_t)part)
            break;
        p += part;
        left -= part;
        if (l->pieces > 0)
            poll(NULL, 0, 1);
    }
    close(fd);
}

struct talk_row {
    const char *name;
    struct listener listener;
    int timeout_ms;
    int want;
    const char *words;
};

static const struct talk_row talks[] = {
    {"an answer", {.reply = "0\nreturn code: 0\n"}, PATIENCE_MS, 0, ""},
    {"an answer byte by byte", {.reply = "0\nreturn code: 0\n", .pieces = 1}, PATIENCE_MS, 0, ""},
    {"no answer", {.hangs = true}, IMPATIENCE_MS, ATTACH_E_SILENT, "does not answer in time"},
    {"closed without an answer", {0}, PATIENCE_MS, ATTACH_E_PROTOCOL, "closed the connection"},
    {"closed without listening",
     {.hangs_up = true},
     PATIENCE_MS,
     ATTACH_E_PROTOCOL,
     "closed the connection"},
    {"an endless answer",
     {.babbles = true},
     PATIENCE_MS,
     ATTACH_E_PROTOCOL,
     "longer than an answer"},
};

static void talk(void **state)
{
    const struct talk_row *t = *state;
    struct attach_error err = {0};
    int pair[2], tell[2];
    char request[4096];
    ssize_t n;
    pid_t pid;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(pipe2(tell, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pair[0]);
        listen_once(&t->listener, pair[1], tell[1]);
        _exit(0);
    }
    close(pair[1]);
    close(tell[1]);
    assert_int_equal(attach_request_load(pair[0], "/x/libjfrkit.so", "command=status,file=a b",
                                         t->timeout_ms, &err),
                     t->want);
    assert_non_null(strstr(err.text, t->words));
    if (!t->listener.hangs_up) {
        static const char want[] = "1\0load\0/x/libjfrkit.so\0true\0command=status,file=a b";

        n = read(tell[0], request, sizeof(request));
        assert_int_equal(n, sizeof(want));
        assert_memory_equal(request, want, sizeof(want));
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(pair[0]);
    close(tell[0]);
}

static void long_options_are_refused_before_they_are_sent(void **state)
{
    struct attach_error err = {0};
    char text[ATTACH_OPTIONS_MAX + 2];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(attach_request_load(-1, "/x.so", text, PATIENCE_MS, &err), ATTACH_E_LONG);
    assert_non_null(strstr(err.text, "1025 bytes"));
}

/* A process that looks like a JVM: libjvm.so in its memory, and what a JVM does on SIGQUIT. */
struct fake {
    const char *name;
    const char *library; /* mapped file, "libjvm.so"; NULL = none */
    bool handles_quit; /* else SIGQUIT would end it */
    bool listens; /* on SIGQUIT, if there is a trigger */
    bool left_over; /* a socket of this name without anybody behind it is there already */
    bool stops; /* as by SIGSTOP */
    int deaf; /* does nothing so many times */
    int starts; /* says so many times that it is starting */
    int timeout_ms;
    int want;
    const char *words;
};

static const struct fake fakes[] = {
    {"a JVM that is asked to listen", "libjvm.so", true, true, false, false, 0, 0, PATIENCE_MS, 0,
     ""},
    {"a socket that was left behind", "libjvm.so", true, true, true, false, 0, 0, PATIENCE_MS, 0,
     ""},
    {"a JVM that starts", "libjvm.so", true, true, false, false, 0, 3, PATIENCE_MS, 0, ""},
    {"a JVM that has to be asked twice", "libjvm.so", true, true, false, false, 1, 0, 2000, 0, ""},
    {"a JVM that starts and starts", "libjvm.so", true, true, false, false, 0, 1000, IMPATIENCE_MS,
     ATTACH_E_EARLY, "still starting"},
    {"a JVM that does not listen", "libjvm.so", true, false, false, false, 0, 0, IMPATIENCE_MS,
     ATTACH_E_SILENT, "does not listen at /tmp/.java_pid"},
    {"a JVM with -Xrs", "libjvm.so", false, false, false, false, 0, 0, IMPATIENCE_MS,
     ATTACH_E_DISABLED, "-Xrs"},
    {"a process that is no JVM", NULL, false, false, false, false, 0, 0, IMPATIENCE_MS,
     ATTACH_E_NOT_JVM, "is not a JVM"},
    {"OpenJ9", "libj9vm29.so", true, true, false, false, 0, 0, IMPATIENCE_MS, ATTACH_E_NOT_JVM,
     "OpenJ9"},
    {"a stopped JVM", "libjvm.so", true, true, false, true, 0, 0, IMPATIENCE_MS, ATTACH_E_STOPPED,
     "kill -CONT"},
};

static volatile sig_atomic_t asked;

static void on_quit(int sig)
{
    (void)sig;
    asked++;
}

static void map_library(const char *name)
{
    char dir[] = "/tmp/attach_test.XXXXXX", path[64];
    int fd;

    if (mkdtemp(dir) == NULL)
        _exit(1);
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1 ||
        mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
        _exit(1);
    close(fd);
    unlink(path);
    rmdir(dir);
}

static int open_socket(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/.java_pid%d", (int)getpid());
    unlink(at.sun_path);
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || chmod(at.sun_path, 0600) != 0)
        _exit(1);
    return fd;
}

static void serve(const struct fake *f)
{
    static const struct listener starts = {
        .reply = "0\nDynamic agent loading is only permitted in the live phase\n"};
    static const struct listener runs = {.reply = "0\nreturn code: 0\n"};
    char trigger[32];
    int fd;

    snprintf(trigger, sizeof(trigger), "/tmp/.attach_pid%d", (int)getpid());
    while (asked <= f->deaf)
        poll(NULL, 0, 5);
    if (!f->listens || access(trigger, F_OK) != 0)
        return;
    fd = open_socket();
    for (int i = 0; i <= f->starts && listen(fd, 5) == 0; i++)
        listen_once(i < f->starts ? &starts : &runs, accept(fd, NULL, NULL), -1);
}

static pid_t start_fake(const struct fake *f)
{
    struct sigaction sa = {.sa_handler = on_quit};
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGQUIT, SIG_DFL);
        if (f->handles_quit)
            sigaction(SIGQUIT, &sa, NULL);
        if (f->library != NULL)
            map_library(f->library);
        if (f->left_over)
            close(open_socket());
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        if (f->stops)
            raise(SIGSTOP);
        serve(f);
        for (;;) /* it may be asked again, as a JVM that did not answer is */
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void attach(void **state)
{
    const struct fake *f = *state;
    struct attach_error err = {0};
    char path[64];
    struct jvm jvm;
    pid_t pid = start_fake(f);
    int rc;

    do
        assert_int_equal(jvm_look(pid, &jvm), 0);
    while (f->stops && jvm.state != 'T');
    rc = attach_check(&jvm, &err);
    if (rc == 0)
        rc = attach_load(&jvm, "/x.so", "", f->timeout_ms, &err);
    assert_string_equal(err.text[0] == '\0' || strstr(err.text, f->words) != NULL ? "" : err.text,
                        "");
    assert_int_equal(rc, f->want);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* nothing has ended it */
    snprintf(path, sizeof(path), "/tmp/.attach_pid%d", (int)pid);
    assert_int_not_equal(access(path, F_OK), 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    snprintf(path, sizeof(path), "/tmp/.java_pid%d", (int)pid);
    unlink(path);
}

static void a_process_that_ended_is_told_from_one_that_never_was(void **state)
{
    struct attach_error err = {0};
    struct jvm jvm;
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(0);
    do
        assert_int_equal(jvm_look(pid, &jvm), 0);
    while (jvm.state != 'Z');
    assert_int_equal(attach_check(&jvm, &err), ATTACH_E_GONE);
    waitpid(pid, NULL, 0);
    assert_int_equal(jvm_look(pid, &jvm), -1);
    assert_int_equal(errno, ESRCH);
}

static void answers_are_lines_of_keys_and_values(void **state)
{
    static char text[] = "ok\0file: /tmp/a: b.jfr\0samples: 12\0odd\0empty: \0";
    struct agent_reply reply = {text, sizeof(text) - 1};
    struct agent_reply_line line;
    size_t at = 0, n = 0;

    (void)state;
    assert_string_equal(agent_reply_get(&reply, "file"), "/tmp/a: b.jfr");
    assert_string_equal(agent_reply_get(&reply, "samples"), "12");
    assert_string_equal(agent_reply_get(&reply, "empty"), "");
    assert_null(agent_reply_get(&reply, "sample"));
    assert_null(agent_reply_get(&reply, "odd"));
    while (agent_reply_next(&reply, &at, &line))
        n++;
    assert_int_equal(n, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_beginning_of_a_reply_is_judged),
        cmocka_unit_test(long_options_are_refused_before_they_are_sent),
        cmocka_unit_test(a_process_that_ended_is_told_from_one_that_never_was),
        cmocka_unit_test(answers_are_lines_of_keys_and_values),
    };

    signal(SIGPIPE, SIG_IGN);
    return run_rows("attach: replies to load", replies, judge) +
           run_rows("attach: conversations", talks, talk) +
           run_rows("attach: processes", fakes, attach) +
           cmocka_run_group_tests_name("attach", tests, NULL, NULL);
}
