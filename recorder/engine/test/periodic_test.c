/* What the periodic events say of this machine, and when they are written. There is no VM here, so
 * what only a VM knows must be left out and nothing else. */
#include "recorder/engine/periodic.h"

#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/testing.h"
#include "recorder/settings/options.h"
#include "recorder/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static char dir[] = "/tmp/periodic.XXXXXX";
static char path[64];

static struct {
    struct jfr_writer *w;
    struct settings *settings;
    struct rec_options options;
    struct recording r;
    int64_t types[EV_N];
} t;

/* Instead of the recorder's registry: every thread is known. */
uint64_t drain_tid(struct recording *r, int32_t tid)
{
    jfr_writer_thread(r->writer, (uint64_t)tid,
                      &(struct jfr_thread_def){.os_name = "thread", .os_id = tid});
    return (uint64_t)tid;
}

static void begin(const char *const *settings)
{
    struct jfr_error err = {0};
    char why[SETTINGS_WHY];

    t.w = jfr_writer_open(path, &(struct jfr_writer_options){.replace = true}, &err);
    assert_non_null(t.w);
    assert_int_equal(jdk_types_declare(t.w, t.types, NULL), 0);
    t.settings = settings_new(NULL);
    for (; *settings != NULL; settings++)
        if ((strchr(*settings, '#') == NULL ? settings_load : settings_set)(t.settings, *settings,
                                                                            why) != 0)
            fail_msg("%s", why);
    t.options = (struct rec_options){.max_age = REC_UNSET, .duration = 5 * SECOND, .max_size = 0};
    t.r = (struct recording){.writer = t.w,
                             .options = &t.options,
                             .settings = t.settings,
                             .types = t.types,
                             .file = path,
                             .start_ticks = jfr_writer_now(),
                             .start_nanos = 1700000000 * SECOND,
                             .id = 3};
    assert_int_equal(engine_periodic.open(&t.r), 0);
}

static void finish(void)
{
    struct jfr_error err = {0};
    struct jfr_writer_stats stats;

    engine_periodic.close(&t.r);
    jfr_writer_stats(t.w, &stats);
    assert_int_equal(stats.n_refused, 0);
    assert_int_equal(stats.n_unresolved, 0);
    if (jfr_writer_close(t.w, &err) != 0)
        fail_msg("%s", err.text);
    settings_free(t.settings);
}

static struct jfr_reader *reader;

static void open_reader(void)
{
    struct jfr_error err = {0};

    reader = jfr_reader_open(path, &err);
    assert_non_null(reader);
}

/* The body of the next event of this name, behind its start time; false: there is none. */
static bool next(const char *name, struct cursor *body)
{
    struct jfr_event ev;
    int rc;

    while ((rc = jfr_reader_next(reader, &ev)) > 0)
        if (ev.type != NULL && strcmp(ev.type->name, name) == 0) {
            *body = ev.body;
            cur_varint(body);
            return true;
        }
    assert_int_equal(rc, 0);
    return false;
}

static size_t count(const char *name)
{
    struct cursor c;
    size_t n = 0;

    open_reader();
    while (next(name, &c))
        n++;
    jfr_reader_close(reader);
    return n;
}

static float get_float(struct cursor *c)
{
    uint32_t bits = (uint32_t)cur_be(c, 4);
    float v;

    memcpy(&v, &bits, 4);
    return v;
}

static void burn(int ms)
{
    volatile unsigned x = 0;
    int64_t end = jfr_writer_now() + ms * (SECOND / 1000);

    while (jfr_writer_now() < end)
        x++;
}

/* --- when --- */

static const char *const quiet[] = {"none", "jdk.PhysicalMemory#enabled=true", NULL, NULL};

static void run_quiet(const char *period, void (*middle)(void))
{
    const char *settings[4];
    char text[80];

    memcpy(settings, quiet, sizeof(settings));
    snprintf(text, sizeof(text), "jdk.PhysicalMemory#period=%s", period);
    settings[2] = text;
    begin(settings);
    if (middle != NULL)
        middle();
    finish();
}

static void rotate(void)
{
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jfr_writer_rotate(t.w, 0), 0);
        engine_periodic.tick(&t.r, jfr_writer_now());
        engine_periodic.tick(&t.r, jfr_writer_now());
    }
}

static void five_seconds(void)
{
    int64_t start = jfr_writer_now();

    for (int i = 0; i <= 500; i++)
        engine_periodic.tick(&t.r, start + i * (SECOND / 100));
}

static void borders_of_chunks(void **state)
{
    (void)state;
    run_quiet("beginChunk", NULL);
    assert_int_equal(count("jdk.PhysicalMemory"), 1);
    run_quiet("endChunk", NULL);
    assert_int_equal(count("jdk.PhysicalMemory"), 1);
    run_quiet("everyChunk", NULL);
    assert_int_equal(count("jdk.PhysicalMemory"), 2);
    run_quiet("infinity", rotate);
    assert_int_equal(count("jdk.PhysicalMemory"), 0);
}

static void intervals(void **state)
{
    (void)state;
    run_quiet("1 s", five_seconds);
    assert_in_range(count("jdk.PhysicalMemory"), 5, 6); /* at 0, 1, ... 5 s, less a delay */
    run_quiet("100 ms", five_seconds);
    assert_in_range(count("jdk.PhysicalMemory"), 49, 51);
    run_quiet("999 d", five_seconds);
    assert_int_equal(count("jdk.PhysicalMemory"), 1);
}

static void disabled_events_are_not_written(void **state)
{
    static const char *const nothing[] = {"none",
                                          "jdk.ActiveRecording#enabled=false",
                                          "jdk.ActiveSetting#enabled=false",
                                          "jdk.JVMInformation#enabled=false",
                                          "jdk.OSInformation#enabled=false",
                                          NULL};
    struct jfr_writer_stats stats;

    (void)state;
    begin(nothing);
    five_seconds();
    jfr_writer_stats(t.w, &stats);
    assert_int_equal(stats.n_events, 0);
    finish();
}

/* --- what --- */

static void every_chunk_says_what_it_is(void **state)
{
    static const char *const settings[] = {"default", "jdk.InitialEnvironmentVariable#enabled=true",
                                           "jdk.SystemProcess#enabled=true", NULL};
    struct cursor c;

    (void)state;
    begin(settings);
    engine_periodic.tick(&t.r, jfr_writer_now());
    assert_int_equal(jfr_writer_rotate(t.w, 0), 0);
    engine_periodic.tick(&t.r, jfr_writer_now());
    finish();
    assert_int_equal(count("jdk.JVMInformation"), 2);
    assert_int_equal(count("jdk.OSInformation"), 2);
    assert_int_equal(count("jdk.CPUInformation"), 2);
    assert_int_equal(count("jdk.ActiveRecording"), 2);
    assert_true(count("jdk.ActiveSetting") >= 2 * EV_N);
    assert_true(count("jdk.InitialEnvironmentVariable") >= 2);
    assert_true(count("jdk.NativeLibrary") >= 4);
    assert_true(count("jdk.SystemProcess") >= 2);
    open_reader();
    assert_true(next("jdk.ActiveRecording", &c));
    assert_int_equal(cur_varint(&c), 3); /* id */
    jfr_reader_close(reader);
}

static void loads_are_shares(void **state)
{
    static const char *const settings[] = {"none",
                                           "jdk.CPULoad#enabled=true",
                                           "jdk.CPULoad#period=1 s",
                                           "jdk.ThreadCPULoad#enabled=true",
                                           "jdk.ThreadCPULoad#period=10 s",
                                           "jdk.ThreadContextSwitchRate#enabled=true",
                                           "jdk.ThreadContextSwitchRate#period=10 s",
                                           NULL};
    struct cursor c;
    float user, system, machine;

    (void)state;
    begin(settings);
    burn(300);
    finish();
    open_reader();
    assert_true(next("jdk.CPULoad", &c)); /* the only one: at the end */
    user = get_float(&c);
    system = get_float(&c);
    machine = get_float(&c);
    assert_true(user > 0 && system >= 0 && user + system <= 1);
    assert_true(machine >= user + system && machine <= 1);
    assert_false(next("jdk.CPULoad", &c));
    jfr_reader_close(reader);
    open_reader();
    assert_true(next("jdk.ThreadCPULoad", &c));
    assert_int_equal(cur_varint(&c), getpid());
    user = get_float(&c);
    system = get_float(&c);
    assert_true(user > 0 && user + system <= 1);
    jfr_reader_close(reader);
    open_reader();
    assert_true(next("jdk.ThreadContextSwitchRate", &c));
    assert_true(get_float(&c) >= 0);
    jfr_reader_close(reader);
}

static void memory_is_that_of_the_machine(void **state)
{
    static const char *const settings[] = {"none", "jdk.PhysicalMemory#enabled=true",
                                           "jdk.ResidentSetSize#enabled=true", NULL};
    struct cursor c;
    uint64_t total, used, size, peak;

    (void)state;
    begin(settings);
    finish();
    open_reader();
    assert_true(next("jdk.PhysicalMemory", &c));
    total = cur_varint(&c);
    used = cur_varint(&c);
    assert_int_equal(total / 4096, sysconf(_SC_PHYS_PAGES));
    assert_true(used > 0 && used < total);
    jfr_reader_close(reader);
    open_reader();
    assert_true(next("jdk.ResidentSetSize", &c));
    size = cur_varint(&c);
    peak = cur_varint(&c);
    assert_true(size > 1 << 20 && size <= peak && peak < total);
    jfr_reader_close(reader);
}

static bool contains(const char *name, const char *text)
{
    struct cursor c;
    bool found = false;

    open_reader();
    while (!found && next(name, &c))
        found = memmem(c.p, cur_left(&c), text, strlen(text)) != NULL;
    jfr_reader_close(reader);
    return found;
}

/* The environment is that of the start, so the program starts itself again. */
static void secrets_are_not_recorded(void **state)
{
    static const char *const settings[] = {"default", "jdk.InitialEnvironmentVariable#enabled=true",
                                           "jdk.SystemProcess#enabled=true", NULL};

    (void)state;
    assert_string_equal(getenv("PERIODIC_TEST_TOKEN"), "abracadabra");
    begin(settings);
    finish();
    assert_true(contains("jdk.InitialEnvironmentVariable", "PERIODIC_TEST_TOKEN"));
    assert_true(contains("jdk.InitialEnvironmentVariable", "harmless=open"));
    assert_false(contains("jdk.InitialEnvironmentVariable", "abracadabra"));
    assert_false(contains("jdk.SystemProcess", "abracadabra"));
    assert_true(contains("jdk.SystemProcess", "--password [redacted]"));
    assert_true(contains("jdk.NativeLibrary", "libc.so"));
    assert_true(contains("jdk.OSInformation", "Linux"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_of_chunks),
        cmocka_unit_test(intervals),
        cmocka_unit_test(disabled_events_are_not_written),
        cmocka_unit_test(every_chunk_says_what_it_is),
        cmocka_unit_test(loads_are_shares),
        cmocka_unit_test(memory_is_that_of_the_machine),
        cmocka_unit_test(secrets_are_not_recorded),
    };
    int rc;

    if (argc == 1) {
        setenv("PERIODIC_TEST_TOKEN", "abracadabra", 1);
        setenv("PERIODIC_TEST_OPTIONS", "harmless=open,token=abracadabra", 1);
        execl("/proc/self/exe", argv[0], "--password", "abracadabra", (char *)NULL);
        return 1;
    }
    if (mkdtemp(dir) == NULL)
        return 1;
    snprintf(path, sizeof(path), "%s/out.jfr", dir);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(dir);
    return rc;
}
