/* context_source_test.c - the option contextsource: what it means, and what it refuses. */
#include "recorder/settings/context_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What a text means: sources with their keys in brackets, or why it is refused. */
static const char *meaning(const char *text)
{
    static const char *const names[SOURCE_N] = {"mdc", "otel", "tasks", "threads"};
    static char out[1024];
    struct context_source s;
    char why[CONTEXT_SOURCE_WHY];
    size_t n = 0;

    if (context_source_parse(text, &s, why) != 0) {
        snprintf(out, sizeof(out), "error: %s", why);
        return out;
    }
    out[0] = '\0';
    for (enum source i = 0; i < SOURCE_N; i++) {
        if (!s.of[i].is_wanted)
            continue;
        n += (size_t)snprintf(out + n, sizeof(out) - n, " %s[", names[i]);
        for (size_t k = 0; k < s.of[i].n_keys; k++)
            n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s", k > 0 ? "," : "",
                                  s.of[i].keys[k]);
        n += (size_t)snprintf(out + n, sizeof(out) - n, "]");
    }
    return out;
}

static void test_meaning(void **state)
{
    (void)state;
    assert_string_equal(meaning(NULL), " mdc[] otel[] tasks[]");
    assert_string_equal(meaning("auto"), " mdc[] otel[] tasks[]");
    assert_string_equal(meaning("none"), "");
    assert_string_equal(meaning("mdc"), " mdc[] tasks[]");
    assert_string_equal(meaning("otel"), " otel[] tasks[]");
    assert_string_equal(meaning("otel+mdc"), " mdc[] otel[] tasks[]");
    assert_string_equal(meaning("mdc=user"), " mdc[user] tasks[]");
    assert_string_equal(meaning("mdc=user+request.id"), " mdc[user,request.id] tasks[]");
    assert_string_equal(meaning("otel=baggage:user+enduser.id+mdc=user+tenant"),
                        " mdc[user,tenant] otel[baggage:user,enduser.id] tasks[]");
    assert_string_equal(meaning("mdc=user+otel"), " mdc[user] otel[] tasks[]");
    assert_string_equal(meaning("notasks"), " mdc[] otel[]");
    assert_string_equal(meaning("mdc+notasks"), " mdc[]");
    assert_string_equal(meaning("notasks+mdc=user+tenant"), " mdc[user,tenant]");
    assert_string_equal(meaning("mdc=user+notasks+tenant"), " mdc[user,tenant]");
    assert_string_equal(meaning("threads"), " mdc[] otel[] tasks[] threads[]");
    assert_string_equal(meaning("mdc=user+threads"), " mdc[user] tasks[] threads[]");
    assert_string_equal(meaning("auto+threads"), " mdc[] otel[] tasks[] threads[]");
    assert_string_equal(meaning("auto+notasks"), " mdc[] otel[]");
}

static void refuses(const char *text, const char *words)
{
    const char *got = meaning(text);

    if (strncmp(got, "error: ", 7) != 0 || strstr(got, words) == NULL)
        fail_msg("'%s': %s", text, got);
}

static void test_refused(void **state)
{
    char many[200] = "mdc=a", wide[300] = "mdc=";

    (void)state;
    for (int i = 0; i < CONTEXT_SOURCE_KEYS; i++)
        strcat(many, "+b");
    memset(wide + 4, 'k', CONTEXT_SOURCE_KEY);
    refuses("", "'' is none of auto, none, otel, mdc");
    refuses("slf4j", "'slf4j' is none of");
    refuses("auto+mdc", "mdc is given twice");
    refuses("auto+", "'' is none of");
    refuses("automatic", "'automatic' is none of");
    refuses("auto+user", "'user' is none of");
    refuses("tasks", "'tasks' is none of");
    refuses("mdc+user", "'user' is none of");
    refuses("mdc=user+x=y", "'x' is none of");
    refuses("notasks+threads", "threads cannot be among the words with notasks");
    refuses("mdc+mdc", "mdc is given twice");
    refuses("mdc=user+", "1 to 12 keys");
    refuses("mdc=", "1 to 12 keys");
    refuses("mdc=+otel", "1 to 12 keys");
    refuses(many, "1 to 12 keys");
    refuses(wide, "at most 127 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests_name("context_source", tests, NULL, NULL);
}
