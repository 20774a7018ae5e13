#include "tools/rec/jvm.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

struct main_row {
    const char *name;
    const char *cmdline; /* '|' for the end of an argument */
    const char *want; /* NULL = there is none */
};

static const struct main_row mains[] = {
    {"class", "java|Main|arg", "Main"},
    {"options", "/usr/bin/java|-Xmx1g|-Da=b|com.acme.Main", "com.acme.Main"},
    {"class path", "java|-cp|a.jar:b.jar|Main", "Main"},
    {"class path in one", "java|--class-path=a.jar|Main", "Main"},
    {"jar", "java|-jar|/opt/app.jar|x", "/opt/app.jar"},
    {"module", "java|-p|mods|-m|acme/com.acme.Main", "acme/com.acme.Main"},
    {"file of options", "java|@opts|Main", "Main"},
    {"nothing", "java", NULL},
    {"options alone", "java|-version", NULL},
    {"class path and no more", "java|-cp|a.jar", NULL},
    {"class path without a value", "java|-cp", NULL},
    {"jar without a name", "java|-jar", NULL},
    {"empty", "", NULL},
};

static void main_class(void **state)
{
    const struct main_row *t = *state;
    size_t n = strlen(t->cmdline) + 1;
    struct guarded g = guarded_copy(t->cmdline, n, 0);
    const char *got;

    for (size_t i = 0; i < n; i++)
        if (g.bytes[i] == '|')
            g.bytes[i] = '\0';
    got = jvm_main((char *)g.bytes, n);
    if (t->want == NULL)
        assert_null(got);
    else
        assert_string_equal(got, t->want);
    guarded_free(&g);
}

static void put32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof(v));
}

/* A file with one counter whose name and value lie behind the fixed part of its entry. */
static size_t make_counters(uint8_t *p, const char *key, const char *value)
{
    size_t length = 20 + strlen(key) + 1 + strlen(value) + 1;

    memset(p, 0, 32 + length);
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t) "\xca\xfe\xc0\xc0"[i];
    p[5] = 2;
    put32(p + 24, 32);
    put32(p + 28, 1);
    put32(p + 32, (uint32_t)length);
    put32(p + 36, 20);
    p[32 + 12] = 'B';
    put32(p + 48, (uint32_t)(20 + strlen(key) + 1));
    strcpy((char *)p + 52, key);
    strcpy((char *)p + 52 + strlen(key) + 1, value);
    return 32 + length;
}

static void a_counter_is_found(void **state)
{
    uint8_t file[256];
    size_t n = make_counters(file, "sun.rt.javaCommand", "Main a b");

    (void)state;
    assert_string_equal(jvm_counter(file, n, "sun.rt.javaCommand"), "Main a b");
    assert_null(jvm_counter(file, n, "sun.rt.javaCommandx"));
    file[0] = 0;
    assert_null(jvm_counter(file, n, "sun.rt.javaCommand"));
}

static void damaged_counters_are_read_within_their_bounds(void **state)
{
    uint8_t file[256];
    size_t n = make_counters(file, "key", "value");

    (void)state;
    for (size_t cut = 0; cut <= n; cut++) {
        struct guarded g = guarded_copy(file, cut, 0);
        const char *v = jvm_counter(g.bytes, cut, "key");

        assert_true(v == NULL || (cut == n && strcmp(v, "value") == 0));
        guarded_free(&g);
    }
    for (size_t at = 24; at < n; at++)
        for (int v = 0; v < 256; v++) {
            struct guarded g = guarded_copy(file, n, 0);
            const char *found;

            g.bytes[at] = (uint8_t)v;
            found = jvm_counter(g.bytes, n, "key");
            assert_true(found == NULL ||
                        (found >= (char *)g.bytes && found + strlen(found) < (char *)g.bytes + n));
            guarded_free(&g);
        }
}

static void this_process_is_no_jvm(void **state)
{
    struct jvm jvm;

    (void)state;
    assert_int_equal(jvm_look(getpid(), &jvm), 0);
    assert_int_equal(jvm.pid, getpid());
    assert_int_equal(jvm.uid, geteuid());
    assert_int_equal(jvm.gid, getegid());
    assert_int_equal(jvm.kind, JVM_NONE);
    assert_false(jvm.catches_quit);
}

static void options_are_whole_words(void **state)
{
    struct jvm jvm = {.pid = fork()};
    char text[4096];
    size_t n = 0;

    (void)state;
    if (jvm.pid == 0) {
        setenv("JAVA_TOOL_OPTIONS", "-Xmx1g '-XX:+DisableAttachMechanism'", 1);
        setenv("OTHER", "-XX:+Other", 1);
        execl("/bin/sleep", "sleep", "1000", NULL);
        _exit(1);
    }
    do { /* until it is that program */
        char path[64];
        FILE *f;

        snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)jvm.pid);
        f = fopen(path, "re");
        n = f == NULL ? 0 : fread(text, 1, sizeof(text) - 1, f);
        text[n] = '\0';
        if (f != NULL)
            fclose(f);
    } while (strcmp(text, "sleep") != 0);
    assert_true(jvm_has_option(&jvm, "-XX:+DisableAttachMechanism"));
    assert_true(jvm_has_option(&jvm, "1000"));
    assert_false(jvm_has_option(&jvm, "-XX:+DisableAttach"));
    assert_false(jvm_has_option(&jvm, "100"));
    assert_false(jvm_has_option(&jvm, "-XX:+Other"));
    kill(jvm.pid, SIGKILL);
    waitpid(jvm.pid, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_is_found),
        cmocka_unit_test(damaged_counters_are_read_within_their_bounds),
        cmocka_unit_test(this_process_is_no_jvm),
        cmocka_unit_test(options_are_whole_words),
    };

    return run_rows("jvm: main class", mains, main_class) +
           cmocka_run_group_tests_name("jvm", tests, NULL, NULL);
}
