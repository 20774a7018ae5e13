/* context_testing.h - what unit tests of contexts share: a type of four attributes, and no recorder
 * around them. A test includes it once. */
#ifndef RECORDER_CONTEXT_TEST_CONTEXT_TESTING_H
#define RECORDER_CONTEXT_TEST_CONTEXT_TESTING_H

#include "recorder/context/context.h"

#include "jfrfmt/test/testing.h"
#include "recorder/capture/emit.h"
#include "recorder/context/values.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t emit_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

bool emit_wanted(void)
{
    return true;
}

static const char *const names[] = {"user", "action", "file", "trace"};
static int tracer;

static inline void open_values(int64_t *token, const char *a, const char *b)
{
    uint32_t ids[4] = {values_intern(a, strlen(a)), b == NULL ? 0 : values_intern(b, strlen(b))};

    *token = context_open(tracer, ids, 4);
}

/* "alice/store", with - for none. */
static inline const char *now(void)
{
    static char text[600];
    uint32_t ids[CONTEXT_SLOTS];
    size_t at = 0;

    if (!context_read(ids))
        return "nothing";
    for (int i = 0; i < 2; i++) {
        size_t n;
        const char *value = values_text(ids[i], &n);

        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s", i == 0 ? "" : "/",
                               value == NULL ? 1 : (int)n, value == NULL ? "-" : value);
    }
    return text;
}

static inline int define_tracer(void **state)
{
    (void)state;
    if (context_init() != 0)
        return -1;
    tracer = context_define("tracer", names, 4);
    return tracer > 0 ? 0 : -1;
}

#endif
