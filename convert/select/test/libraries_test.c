/* libraries_test.c - libraries that hold contexts are found by the classes of a chunk. */
#include "convert/select/libraries.h"

#include "jfrfmt/test/chunk.h"
#include "jfrfmt/test/testing.h"

#include <stdlib.h>
#include <string.h>

/* What the libraries of a chunk with these classes are called. */
static char *seen_of(const char *const *classes, size_t n)
{
    struct tc t;
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_error err = {0};
    struct jfr_raw raw;
    struct buf b = {0};

    assert_non_null(chunk);
    tc_begin(&t);
    tc_pool_begin(&t);
    tc_pool(&t, TC_SYMBOL, n);
    for (size_t i = 0; i < n; i++) {
        buf_varint(&t.b, i + 1);
        tc_text(&t.b, classes[i]);
    }
    tc_pool(&t, TC_CLASS, n);
    for (size_t i = 0; i < n; i++) {
        buf_varint(&t.b, i + 100);
        buf_varint(&t.b, i + 1);
    }
    tc_pool_end(&t);
    tc_end(&t);
    raw = tc_raw(&t);
    assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
    libraries_put(&b, libraries_seen(chunk));
    buf_byte(&b, 0);
    jfr_chunk_free(chunk);
    tc_free(&t);
    return (char *)b.p;
}

static void are_named(void **state)
{
    static const struct {
        const char *classes[4];
        size_t n;
        const char *names;
    } rows[] = {
        {{"java/lang/Thread"}, 1, ""},
        {{"org/slf4j/MDC", "java/lang/Thread"}, 2, "slf4j"},
        {{"org.slf4j.Logger"}, 1, "slf4j"},
        {{"ch/qos/logback/classic/Logger", "org/slf4j/MDC"}, 2, "slf4j"},
        {{"org/slf4jx/MDC", "org/slf4"}, 2, ""},
        {{"io/opentelemetry/context/Context", "org/slf4j/MDC"}, 2, "slf4j and OpenTelemetry"},
        {{"org/jboss/logmanager/MDC", "io/opentelemetry/a", "org/apache/logging/log4j/Logger"},
         3,
         "Log4j, JBoss Log Manager and OpenTelemetry"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *names = seen_of(rows[i].classes, rows[i].n);

        assert_string_equal(names, rows[i].names);
        free(names);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_named),
    };

    return cmocka_run_group_tests_name("libraries", tests, NULL, NULL);
}
