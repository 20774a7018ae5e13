/*
 * libraries.c - finds libraries that hold contexts by the packages of the classes in a chunk.
 *
 * explain.c uses it to say how the next recording of the same program can have contexts.
 */
#include "convert/select/libraries.h"

#include <string.h>

static const struct library {
    const char *package, *name;
} libraries[] = {
    {"org/slf4j/", "slf4j"},
    {"ch/qos/logback/", "slf4j"},
    {"org/apache/logging/log4j/", "Log4j"},
    {"org/jboss/logmanager/", "JBoss Log Manager"},
    {"io/opentelemetry/", "OpenTelemetry"},
};
#define LIBRARIES (sizeof(libraries) / sizeof(libraries[0]))

/* Class names have '/' or '.', as their producer writes them. */
static bool is_in_package(const char *name, size_t n, const char *package)
{
    size_t i = 0;

    while (package[i] != '\0' && i < n &&
           (name[i] == package[i] || (name[i] == '.' && package[i] == '/')))
        i++;
    return package[i] == '\0';
}

uint32_t libraries_seen(struct jfr_chunk *chunk)
{
    const struct jfr_class *cls =
        jfr_metadata_by_name(jfr_chunk_metadata(chunk), "java.lang.Class");
    const struct jfr_pool *pool = cls == NULL ? NULL : jfr_chunk_pool(chunk, cls);
    uint32_t seen = 0;

    for (size_t i = 0; pool != NULL && i < jfr_pool_n(pool); i++) {
        struct jfr_str name = jfr_class_name(chunk, cls, jfr_pool_key(pool, i));

        for (size_t k = 0; k < LIBRARIES && name.p != NULL; k++)
            if (is_in_package((const char *)name.p, name.n, libraries[k].package))
                seen |= 1U << k;
    }
    return seen;
}

void libraries_put(struct buf *b, uint32_t seen)
{
    const char *names[LIBRARIES];
    size_t n = 0;

    for (size_t k = 0; k < LIBRARIES; k++)
        if ((seen & 1U << k) != 0 && (n == 0 || strcmp(names[n - 1], libraries[k].name) != 0))
            names[n++] = libraries[k].name;
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", names[i]);
}
