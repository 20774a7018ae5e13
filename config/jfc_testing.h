/* jfc_testing.h - what the tests of config/ share: small files, comparing settings. */
#ifndef CONFIG_JFC_TESTING_H
#define CONFIG_JFC_TESTING_H

#include "config/jfc.h"
#include "jfrfmt/test/testing.h"

#include <stdbool.h>
#include <stdio.h>

#define CONFIG_JFC_TESTING_H

#include "config/jfc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CONF(inside) "<configuration version=\"2.0\" label=\"x\">" inside "</configuration>"
#define EVENT(name, inside) "<event name=\"" name "\">" inside "</event>"
#define SET(name, value) "<setting name=\"" name "\">" value "</setting>"

#define assert_contains(text, part) assert_contains_((text), (part), __FILE__, __LINE__)

static inline void assert_contains_(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) == NULL) {
        print_error("\"%s\" is not in \"%s\"\n", part, text);
        _fail(file, line);
    }
}

/* All settings as "event#setting=value;...", in order. */
static inline void assert_settings(const struct jfc *c, const char *want)
{
    char text[4096] = "";
    size_t n, at = 0;
    const struct jfc_setting *s = jfc_settings(c, &n);

    for (size_t i = 0; i < n && at < sizeof(text); i++) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s#%s=%s;", s[i].event, s[i].setting,
                               s[i].value);
        assert_string_equal(jfc_get(c, s[i].event, s[i].setting), s[i].value);
    }
    assert_string_equal(text, want);
}

static inline struct jfc *read_text(const char *text)
{
    struct jfc *c = jfc_new();
    struct jfc_error err = {0};

    assert_non_null(c);
    jfc_read_memory(c, "f.jfc", text, strlen(text), &err);
    assert_string_equal(err.text, "");
    return c;
}

#endif
