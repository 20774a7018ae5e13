/* What settings add up to, from which sources, and what is refused. */
#include "recorder/settings/settings.h"

#include "config/jfc.h"
#include "config/jfc_rows.h"
#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/settings.XXXXXX";
static char plugin[4096];

static const char *in_dir(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static const char *write_file(const char *name, const char *text)
{
    FILE *f = fopen(in_dir(name), "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    return in_dir(name);
}

static struct settings *fresh(void)
{
    struct settings *s = settings_new(plugin);

    assert_non_null(s);
    return s;
}

static void load(struct settings *s, const char *name)
{
    char why[SETTINGS_WHY];

    if (settings_load(s, name, why) != 0)
        fail_msg("%s", why);
}

static void set(struct settings *s, const char *text)
{
    char why[SETTINGS_WHY];

    if (settings_set(s, text, why) != 0)
        fail_msg("%s", why);
}

/* --- the built-in tables --- */

static void builtin_is_what_libxml2_reads(void **state)
{
    static const char *const names[] = {"default", "profile"};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct settings *s = fresh();
        struct jfc *c = jfc_new();
        struct jfc_error err = {0};
        const struct settings_row *rows;
        const struct jfc_setting *want;
        char path[64];
        size_t n, n_want;

        load(s, names[k]);
        snprintf(path, sizeof(path), "config/%s.jfc", names[k]);
        if (jfc_read_file(c, path, &err) != 0)
            fail_msg("%s", err.text);
        rows = settings_rows(s, &n);
        want = jfc_settings(c, &n_want);
        assert_int_equal(n, n_want);
        for (size_t i = 0; i < n; i++) {
            assert_string_equal(rows[i].event, want[i].event);
            assert_string_equal(rows[i].setting, want[i].setting);
            assert_string_equal(rows[i].value, want[i].value);
        }
        jfc_free(c);
        settings_free(s);
    }
}

static void the_plugin_reads_the_same(void **state)
{
    struct settings *s = fresh(), *built = fresh();
    const struct settings_row *a, *b;
    size_t n, m;

    (void)state;
    load(s, "config/profile.jfc");
    load(built, "profile");
    a = settings_rows(s, &n);
    b = settings_rows(built, &m);
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(a[i].event, b[i].event);
        assert_string_equal(a[i].setting, b[i].setting);
        assert_string_equal(a[i].value, b[i].value);
    }
    assert_null(settings_warning(s, 0));
    settings_free(s);
    settings_free(built);
}

static void written_lines_are_read_back(void **state)
{
    static const char xml[] =
        "<configuration version='2.0'><event name='jdk.FileRead'><setting name='threshold'>5 "
        "ms</setting></event><event name='a.B'><setting name='x'>1\\2\t3\n4=5#6</setting>"
        "<setting name='y'></setting></event></configuration>";
    struct jfc *c = jfc_new();
    struct jfc_error err = {0};
    struct settings *s = fresh();
    FILE *f;

    (void)state;
    assert_int_equal(jfc_read_memory(c, "xml", xml, strlen(xml), &err), 0);
    f = fopen(in_dir("rows"), "w");
    assert_non_null(f);
    assert_int_equal(jfc_rows_write(c, f), 0);
    assert_int_equal(fclose(f), 0);
    load(s, in_dir("rows"));
    assert_string_equal(settings_get(s, "jdk.FileRead", "threshold"), "5 ms");
    assert_string_equal(settings_get(s, "a.B", "x"), jfc_get(c, "a.B", "x"));
    assert_string_equal(settings_get(s, "a.B", "y"), "");
    jfc_free(c);
    settings_free(s);
}

/* --- what they mean --- */

static void unmentioned_events_are_off_but_those_about_the_recording(void **state)
{
    struct settings *s = fresh();

    (void)state;
    load(s, "none");
    for (int e = 0; e < EV_N; e++) {
        bool on = e == EV_ACTIVE_RECORDING || e == EV_ACTIVE_SETTING || e == EV_DATA_LOSS ||
                  e == EV_JVM_INFORMATION || e == EV_OS_INFORMATION;

        assert_int_equal(settings_of(s, (enum event)e)->is_enabled, on);
    }
    assert_true(settings_of(s, EV_THREAD_PARK)->with_stack);
    assert_true(settings_of(s, EV_JVM_INFORMATION)->at_begin);
    assert_int_equal(settings_of(s, EV_OBJECT_ALLOCATION_SAMPLE)->throttle_events, SETTINGS_OFF);
    assert_string_equal(settings_get(s, "jdk.ThreadPark", "threshold"), "0 ns");
    assert_string_equal(settings_get(s, "jdk.ThreadPark", "enabled"), "false");
    assert_null(settings_get(s, "jdk.ThreadPark", "nothing"));
    settings_free(s);
}

static void texts_become_values(void **state)
{
    struct settings *s = fresh();

    (void)state;
    set(s, "jdk.ThreadPark#enabled=true");
    set(s, "jdk.ThreadPark#threshold=10ms");
    set(s, "jdk.ThreadPark#stackTrace=false");
    set(s, "jdk.ThreadPark#withContext=true");
    set(s, "jdk.CPULoad#period=beginChunk");
    set(s, "jdk.PhysicalMemory#period=250 ms");
    set(s, "jdk.SystemProcess#period=endChunk");
    set(s, "jdk.NativeLibrary#period=infinity");
    set(s, "jdk.ObjectAllocationSample#throttle=150/s");
    set(s, "jdk.JavaExceptionThrow#throttle=off");
    set(s, "jdk.CPUTimeSample#throttle=20ms");
    assert_true(settings_of(s, EV_THREAD_PARK)->is_enabled);
    assert_false(settings_of(s, EV_THREAD_PARK)->with_stack);
    assert_true(settings_of(s, EV_THREAD_PARK)->with_context);
    assert_int_equal(settings_of(s, EV_THREAD_PARK)->threshold_ns, 10000000);
    assert_string_equal(settings_get(s, "jdk.ThreadPark", "threshold"), "10 ms");
    assert_true(settings_of(s, EV_CPU_LOAD)->at_begin);
    assert_false(settings_of(s, EV_CPU_LOAD)->at_end);
    assert_int_equal(settings_of(s, EV_CPU_LOAD)->period_ns, 0);
    assert_int_equal(settings_of(s, EV_PHYSICAL_MEMORY)->period_ns, 250000000);
    assert_false(settings_of(s, EV_PHYSICAL_MEMORY)->at_begin);
    assert_true(settings_of(s, EV_SYSTEM_PROCESS)->at_end);
    assert_int_equal(settings_of(s, EV_NATIVE_LIBRARY)->period_ns, 0);
    assert_int_equal(settings_of(s, EV_OBJECT_ALLOCATION_SAMPLE)->throttle_events, 150);
    assert_int_equal(settings_of(s, EV_OBJECT_ALLOCATION_SAMPLE)->throttle_ns, 1000000000);
    assert_int_equal(settings_of(s, EV_JAVA_EXCEPTION_THROW)->throttle_events, SETTINGS_OFF);
    assert_int_equal(settings_of(s, EV_CPU_TIME_SAMPLE)->period_ns, 20000000);
    assert_int_equal(settings_of(s, EV_CPU_TIME_SAMPLE)->throttle_events, SETTINGS_OFF);
    set(s, "jdk.CPUTimeSample#throttle=500/s");
    assert_int_equal(settings_of(s, EV_CPU_TIME_SAMPLE)->period_ns, 0);
    assert_int_equal(settings_of(s, EV_CPU_TIME_SAMPLE)->throttle_events, 500);
    settings_free(s);
}

static void later_wins(void **state)
{
    struct settings *s = fresh();
    const char *rows = write_file("later", JFC_ROWS_FIRST_LINE "\n# why\n\n"
                                                               "jdk.ThreadPark#threshold=7 ms\n"
                                                               "jdk.ThreadPark#threshold=8 ms");

    (void)state;
    load(s, "default");
    assert_int_equal(settings_of(s, EV_THREAD_PARK)->threshold_ns, 20000000);
    load(s, rows);
    assert_int_equal(settings_of(s, EV_THREAD_PARK)->threshold_ns, 8000000);
    assert_true(settings_of(s, EV_THREAD_PARK)->is_enabled);
    load(s, "profile");
    assert_int_equal(settings_of(s, EV_THREAD_PARK)->threshold_ns, 10000000);
    settings_free(s);
}

static void events_nobody_can_make_are_listed_once(void **state)
{
    struct settings *s = fresh();
    size_t n;

    (void)state;
    assert_string_equal(settings_unmade(s, &n), "");
    set(s, "+jdk.ZPageAllocation#enabled=true");
    set(s, "jdk.ZPageAllocation#threshold=1 ms");
    set(s, "+jdk.Deoptimization#enabled=true");
    set(s, "+jdk.FileForceX#enabled=false");
    assert_string_equal(settings_unmade(s, &n), "jdk.Deoptimization, jdk.ZPageAllocation");
    assert_int_equal(n, 2);
    settings_free(s);
}

/* --- what is refused --- */

/* clang-format off */
struct refused {
    const char *name;
    const char *text; /* a setting; with a newline: a file */
    const char *want; /* in the message */
};

#define LINES(text) JFC_ROWS_FIRST_LINE "\n" text "\n"

static const struct refused refused[] = {
    {"no such event", "jdk.NoSuch#enabled=true", "there is no event 'jdk.NoSuch'"},
    {"no value", "jdk.CPULoad#enabled", "not of the form"},
    {"no setting", "jdk.CPULoad=true", "not of the form"},
    {"no name of a setting", "jdk.CPULoad#=true", "not of the form"},
    {"no name of an event", "#enabled=true", "not of the form"},
    {"nothing", "", "not of the form"},
    {"a bad boolean", "jdk.CPULoad#enabled=yes", "'yes' is neither true nor false"},
    {"no control characters in messages", "jdk.CPULoad#enabled=a\033b", "'a?b'"},
    {"a bad duration", "jdk.ThreadPark#threshold=5", "lacks a unit"},
    {"a bad rate", "jdk.ObjectAllocationSample#throttle=5", "neither 'off' nor a rate"},
    {"a bad period", "jdk.CPULoad#period=always", "is not a number"},
    {"lines: bad value", LINES("jdk.A#x=1\njdk.CPULoad#enabled=maybe"), ":3: 'jdk.CPULoad#enabled=maybe'"},
    {"lines: no value", LINES("jdk.A#x"), ":2: 'jdk.A#x' is not of the form"},
    {"lines: bad escape", LINES("jdk.A#x=a\\qb"), "unknown escape"},
    {"lines: escape at the end", LINES("jdk.A#x=a\\"), "unknown escape"},
    {"another version of lines", "jfrkit settings 2\njdk.A#x=1\n", ":1: "},
    {"xml that is cut off", "<configuration version='2.0'>\n<event name='jdk.A'>\n", "bad:"},
    {"xml with an entity", "<!DOCTYPE x [<!ENTITY a 'b'>]>\n<configuration version='2.0'/>\n", "DOCTYPE"},
    {"xml of the old kind", "<configuration version='1.0'>\n</configuration>\n", "version"},
};
/* clang-format on */

static void is_refused_and_changes_nothing(void **state)
{
    const struct refused *r = *state;
    struct settings *s = fresh();
    char why[SETTINGS_WHY] = "";
    size_t before, after;
    int rc;

    load(s, "default");
    settings_rows(s, &before);
    if (strchr(r->text, '\n') == NULL)
        rc = settings_set(s, r->text, why);
    else
        rc = settings_load(s, write_file("bad", r->text), why);
    settings_rows(s, &after);
    assert_true(rc < 0);
    if (strstr(why, r->want) == NULL)
        fail_msg("'%s' lacks '%s'", why, r->want);
    assert_null(strchr(why, '\n'));
    assert_int_equal(before, after);
    settings_free(s);
}

static void files_that_cannot_be_read(void **state)
{
    struct settings *s = fresh();
    struct settings *bare = settings_new("/nowhere/libjfrkit-config.so");
    char why[SETTINGS_WHY];

    (void)state;
    assert_true(settings_load(s, in_dir("missing"), why) < 0);
    assert_non_null(strstr(why, "No such file"));
    assert_true(settings_load(s, dir, why) < 0);
    assert_non_null(strstr(why, "not a regular file"));
    assert_true(settings_load(s, "/dev/zero", why) < 0);
    assert_non_null(strstr(why, "not a regular file"));
    assert_true(settings_load(bare, "config/default.jfc", why) < 0);
    assert_non_null(strstr(why, "/nowhere/"));
    assert_int_equal(settings_load(bare, "default", why), 0);
    settings_free(s);
    settings_free(bare);
}

static void find_plugin(void)
{
    char *slash;
    ssize_t n = readlink("/proc/self/exe", plugin, sizeof(plugin) - 40);

    plugin[n < 0 ? 0 : n] = '\0';
    for (int i = 0; i < 4 && (slash = strrchr(plugin, '/')) != NULL; i++)
        *slash = '\0';
    strcat(plugin, "/libjfrkit-config.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_is_what_libxml2_reads),
        cmocka_unit_test(the_plugin_reads_the_same),
        cmocka_unit_test(written_lines_are_read_back),
        cmocka_unit_test(unmentioned_events_are_off_but_those_about_the_recording),
        cmocka_unit_test(texts_become_values),
        cmocka_unit_test(later_wins),
        cmocka_unit_test(events_nobody_can_make_are_listed_once),
        cmocka_unit_test(files_that_cannot_be_read),
    };
    int rc;

    find_plugin();
    if (mkdtemp(dir) == NULL)
        return 1;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    rc |= run_rows("settings: refused", refused, is_refused_and_changes_nothing);
    unlink(in_dir("rows"));
    unlink(in_dir("later"));
    unlink(in_dir("bad"));
    rmdir(dir);
    return rc;
}
