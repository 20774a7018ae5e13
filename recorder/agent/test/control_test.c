/* Requests of many threads are answered by the running recording. The session
 * is a stand-in of plain variables: under ThreadSanitizer only the drain thread may touch them. */
#include "recorder/agent/control.h"

#include "jfrfmt/test/testing.h"
#include "recorder/agent/session.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#define THREADS 6
#define TURNS 300

static bool is_open, is_prepared;
static int passes, passes_max, n_opened, n_closed;
static atomic_int n_started;
static sem_t disk; /* "slow" is there */
static char dumped[10];

int session_prepare(const struct rec_options *options, char why[REPLY_WHY])
{
    assert_false(is_open || is_prepared);
    is_prepared = options->snapshot != 1;
    if (is_prepared)
        return 0;
    strcpy(why, "no such setting");
    return -1;
}

void session_drop(void)
{
    assert_true(is_prepared);
    is_prepared = false;
}

int session_open(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, const struct rec_options *options,
                 char why[REPLY_WHY])
{
    (void)vm, (void)jvmti, (void)env;
    assert_false(is_open);
    is_prepared = false;
    if (options->depth == 1) {
        strcpy(why, "not so");
        return -1;
    }
    is_open = true;
    n_opened++;
    passes = 0;
    passes_max = (int)options->depth;
    return 0;
}

bool session_pass(void)
{
    assert_true(is_open);
    return ++passes < passes_max;
}

int64_t session_pace(void)
{
    return 100000;
}

void session_close(const char *reason, struct buf *reply)
{
    assert_true(is_open);
    is_open = false;
    n_closed++;
    if (reply != NULL)
        buf_printf(reply, "reason: %s\n", reason);
}

int session_dump(const char *path, struct buf *reply, char why[REPLY_WHY])
{
    assert_true(is_open);
    if (path == NULL) {
        strcpy(why, "where to?");
        return -1;
    }
    if (strcmp(path, "slow") == 0)
        sem_wait(&disk);
    snprintf(dumped, sizeof(dumped), "%s", path);
    buf_printf(reply, "file: %s\n", path);
    return 0;
}

void session_status(struct buf *reply)
{
    assert_true(is_open);
    buf_printf(reply, "passes: %d\n", passes);
}

static jint JNICALL attach(JavaVM *vm, void **env, void *args)
{
    (void)vm, (void)args;
    *env = &passes_max; /* some address */
    return JNI_OK;
}

static jint JNICALL detach(JavaVM *vm)
{
    (void)vm;
    return JNI_OK;
}

static const struct JNIInvokeInterface_ functions = {.AttachCurrentThreadAsDaemon = attach,
                                                     .DetachCurrentThread = detach};
static JavaVM vm = &functions;

static void answer(const struct buf *b, char text[200])
{
    snprintf(text, 200, "%.*s", (int)b->n, (const char *)b->p);
}

static int start(int64_t depth, char text[200])
{
    struct rec_options options = {.depth = depth};
    struct buf reply = {0};
    int rc = control_start(&options, &reply);

    n_started += rc == 0;
    answer(&reply, text);
    buf_free(&reply);
    return rc;
}

static int dump(const char *path, char text[200])
{
    struct buf reply = {0};
    int rc = control_dump(path, &reply);

    answer(&reply, text);
    buf_free(&reply);
    return rc;
}

static int stop(int (*how)(struct buf *reply), char text[200])
{
    struct buf reply = {0};
    int rc = how(&reply);

    answer(&reply, text);
    buf_free(&reply);
    return rc;
}

static void one_recording_after_the_other(void **state)
{
    char text[200];

    (void)state;
    assert_int_equal(stop(control_stop, text), -1);
    assert_string_equal(text, "error: no recording runs\n");
    assert_int_equal(start(1, text), -1);
    assert_string_equal(text, "error: not so\n");
    assert_int_equal(start(1 << 30, text), 0);
    assert_int_equal(start(1 << 30, text), -1);
    assert_string_equal(text, "error: a recording is running already: stop it first\n");
    assert_int_equal(dump("x", text), 0);
    assert_string_equal(text, "ok\nfile: x\n");
    assert_int_equal(dump(NULL, text), -1);
    assert_string_equal(text, "error: where to?\n");
    assert_int_equal(stop(control_status, text), 0);
    assert_memory_equal(text, "ok\npasses: ", 11);
    assert_int_equal(stop(control_stop, text), 0);
    assert_string_equal(text, "ok\nreason: Stop requested\n");
    assert_int_equal(stop(control_status, text), 0);
    assert_string_equal(text, "ok\nstate: off\nrecordings: 2\n");
}

static int start_delayed(int64_t delay, int64_t snapshot, char text[200])
{
    struct rec_options options = {.depth = 1 << 30, .delay = delay, .snapshot = snapshot};
    struct buf reply = {0};
    int rc = control_start(&options, &reply);

    answer(&reply, text);
    buf_free(&reply);
    return rc;
}

static void a_delayed_recording_answers_and_can_be_stopped(void **state)
{
    const int64_t hour = INT64_C(3600000000000);
    int opened = n_opened;
    char text[200];

    (void)state;
    assert_int_equal(start_delayed(hour, 1, text), -1);
    assert_string_equal(text, "error: no such setting\n");
    assert_int_equal(start_delayed(hour, 0, text), 0);
    assert_string_equal(text, "ok\n");
    assert_int_equal(start(1 << 30, text), -1);
    assert_string_equal(text, "error: a recording waits to begin (delay)\n");
    assert_int_equal(stop(control_status, text), 0);
    assert_string_equal(text, "ok\nstate: delayed\nbegins: in 3600 s\n");
    assert_int_equal(dump("x", text), -1);
    assert_string_equal(text, "error: the recording has not begun yet (delay)\n");
    assert_int_equal(stop(control_stop, text), 0);
    assert_string_equal(text, "ok\nstate: stopped\n");
    assert_int_equal(n_opened, opened);
    assert_false(is_prepared);
}

static void a_delayed_recording_begins(void **state)
{
    char text[200];

    (void)state;
    assert_int_equal(start_delayed(1, 0, text), 0);
    do
        assert_int_equal(stop(control_status, text), 0);
    while (strncmp(text, "ok\nstate: delayed", 17) == 0);
    assert_memory_equal(text, "ok\npasses: ", 11);
    assert_int_equal(stop(control_stop, text), 0);
    assert_string_equal(text, "ok\nreason: Stop requested\n");
    n_started++;
}

/* Who asked has gone with the name of the file; the next ones are not told that all is well. */
static void a_recorder_that_is_stuck_says_so(void **state)
{
    static const char stuck[] = "error: the recorder does not answer";
    char text[200], name[] = "slow";

    (void)state;
    sem_init(&disk, 0, 0);
    assert_int_equal(start(1 << 30, text), 0);
    control_patience_s = 0;
    assert_int_equal(dump(name, text), -1);
    assert_memory_equal(text, stuck, strlen(stuck));
    memset(name, '?', strlen(name));
    assert_int_equal(stop(control_status, text), -1);
    assert_memory_equal(text, stuck, strlen(stuck));
    assert_int_equal(stop(control_stop, text), -1);
    assert_memory_equal(text, stuck, strlen(stuck));
    control_patience_s = 30;
    sem_post(&disk);
    assert_int_equal(stop(control_status, text), 0);
    assert_memory_equal(text, "ok\npasses: ", 11);
    assert_string_equal(dumped, "slow");
    assert_int_equal(stop(control_stop, text), 0);
    assert_string_equal(text, "ok\nreason: Stop requested\n");
}

/* Returns true if text is a possible answer to the request. Other threads start and stop recordings
 * meanwhile, and recordings end by themselves, so a status may report any state but "delayed".
 * cmocka's assertions are for the main thread only. */
static bool fits(unsigned what, int rc, const char *text)
{
    switch (what) {
    case 0: /* start */
        return strcmp(text, rc == 0
                                ? "ok\n"
                                : "error: a recording is running already: stop it first\n") == 0;
    case 1: /* a dump that was answered with "ok" has been written */
        return strcmp(text, rc == 0 ? "ok\nfile: x\n" : "error: no recording runs\n") == 0;
    case 2: /* status */
        return rc == 0 && (strncmp(text, "ok\npasses: ", 11) == 0 ||
                           strncmp(text, "ok\nstate: starting\n", 19) == 0 ||
                           strncmp(text, "ok\nstate: stopping\n", 19) == 0 ||
                           strncmp(text, "ok\nstate: off\n", 14) == 0);
    default: /* stop */
        return rc == 0 ? strncmp(text, "ok\n", 3) == 0
                       : strcmp(text, "error: no recording runs\n") == 0;
    }
}

/* Returns NULL, or the first answer that does not fit, to be freed. */
static void *many_things(void *arg)
{
    unsigned random = (unsigned)(uintptr_t)arg;
    char text[200];

    for (int i = 0; i < TURNS; i++) {
        unsigned what;
        int rc;

        random = random * 1103515245 + 12345;
        what = random >> 16 & 3;
        if (what == 0)
            rc = start(random >> 18 & 1 ? 3 : 1 << 30, text);
        else if (what == 1)
            rc = dump("x", text);
        else
            rc = stop(what == 2 ? control_status : control_stop, text);
        if (!fits(what, rc, text))
            return strdup(text);
    }
    return NULL;
}

static void everybody_at_once(void **state)
{
    pthread_t threads[THREADS];
    char text[200];

    (void)state;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_things, (void *)(i + 1)), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;

        pthread_join(threads[i], &wrong);
        assert_string_equal(wrong == NULL ? "" : wrong, "");
    }
    stop(control_stop, text);
    assert_int_equal(n_opened, n_closed);
    assert_int_equal(n_opened, n_started);
}

static void a_vm_that_ends_starts_nothing_more(void **state)
{
    char text[200];

    (void)state;
    assert_int_equal(start(1 << 30, text), 0);
    assert_int_equal(stop(control_vm_death, text), 0);
    assert_string_equal(text, "ok\nreason: JVM shutdown\n");
    assert_int_equal(start(1 << 30, text), -1);
    assert_string_equal(text, "error: the VM has ended\n");
    assert_int_equal(n_opened, n_closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_recording_after_the_other),
        cmocka_unit_test(a_delayed_recording_answers_and_can_be_stopped),
        cmocka_unit_test(a_delayed_recording_begins),
        cmocka_unit_test(a_recorder_that_is_stuck_says_so),
        cmocka_unit_test(everybody_at_once),
        cmocka_unit_test(a_vm_that_ends_starts_nothing_more),
    };

    control_init(&vm, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
