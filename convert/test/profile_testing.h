/*
 * profile_testing.h - profiles of recordings made by hand, for tests.
 *
 *     struct shop s = {.chunks = 3, .types = 1 << EXEC | 1 << ALLOC};
 *     shop_make(&s);                                     the events below, of these types
 *     struct profile *p = shop_profile(&s, &options, jobs);
 *     shop_free(&s);
 *
 * Every chunk has its own keys for the same methods, threads and stacks.
 */
#ifndef CONVERT_TEST_PROFILE_TESTING_H
#define CONVERT_TEST_PROFILE_TESTING_H

#include "convert/profile/profile.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/chunk.h"

#include <stdlib.h>

enum shop_type {
    EXEC,
    ALLOC,
    LOCK,
    CPUTIME,
    WALL,
    REQUEST,
    DATADOG,
    N_TYPES
};

enum { /* numbers of stacks; the frames from the root on */
    NO_TRACE,
    TO_WORK, /* main, run, work */
    TO_ADD, /* main, run, run, add */
    VIA_HIDDEN, /* main, a hidden frame, work; cut off when recorded */
    EMPTY,
    BROKEN, /* main, a method that is missing */
    ONLY_RUN, /* main, run */
    DEEP, /* only with .deep: main, then run so many times */
    LOST = 9, /* not in the pool */
};

enum {
    MAIN = 1,
    WORKER,
    GONE = 9
}; /* threads */

enum {
    RUNNABLE = 1,
    SLEEPING
};

enum {
    STRINGS = 1,
    CLASS_B
}; /* classes of objects */

struct shop_event {
    enum shop_type type;
    int64_t v[6]; /* behind startTime, in the order of the fields */
};

/* clang-format off */
static const struct shop_event shop_events[] = {
    /* thread, stack, state */
    {EXEC, {MAIN, TO_WORK, RUNNABLE}},
    {EXEC, {WORKER, TO_WORK, RUNNABLE}},
    {EXEC, {MAIN, TO_ADD, RUNNABLE}},
    {EXEC, {MAIN, TO_WORK, SLEEPING}},
    {EXEC, {MAIN, LOST, RUNNABLE}},
    {EXEC, {MAIN, BROKEN, RUNNABLE}},
    {EXEC, {GONE, EMPTY, RUNNABLE}},
    {EXEC, {MAIN, VIA_HIDDEN, RUNNABLE}},
    /* thread, stack, class, bytes, bytes of the TLAB */
    {ALLOC, {MAIN, TO_WORK, STRINGS, 16, 1000}},
    {ALLOC, {WORKER, TO_WORK, CLASS_B, 32, 2000}},
    {ALLOC, {WORKER, ONLY_RUN, STRINGS, 8, 500}},
    {ALLOC, {WORKER, ONLY_RUN, GONE, 8, 500}},
    /* duration, thread, stack, class */
    {LOCK, {500, MAIN, TO_WORK, CLASS_B}},
    {LOCK, {0, MAIN, TO_ADD, CLASS_B}},
    {LOCK, {-5, MAIN, TO_ADD, CLASS_B}},
    /* stack, thread, failed, period */
    {CPUTIME, {TO_WORK, MAIN, 0, 10}},
    {CPUTIME, {TO_ADD, MAIN, 0, 30}},
    {CPUTIME, {NO_TRACE, WORKER, 1, 10}},
    /* thread, stack, state, samples */
    {WALL, {MAIN, TO_WORK, RUNNABLE, 3}},
    {WALL, {MAIN, TO_ADD, SLEEPING, 4}},
    {WALL, {MAIN, ONLY_RUN, RUNNABLE, -1}},
    /* duration, stack, ms waited, bytes, score in eighths; the largest stands for 1e300 */
    {REQUEST, {7, TO_WORK, 3, 100, 20}},
    {REQUEST, {0, TO_ADD, -1, -100, -8}},
    {REQUEST, {2, TO_ADD, INT64_MAX, INT64_MAX, INT64_MAX}},
    {REQUEST, {2, ONLY_RUN, 0, 0, 0}},
    /* thread, stack, weight in eighths: a real number, which cannot count samples */
    {DATADOG, {MAIN, TO_WORK, 20}},
};
/* clang-format on */

struct shop {
    unsigned chunks; /* 0: 1 */
    unsigned types; /* bits by enum shop_type */
    unsigned times; /* each event so often, at other times; 0: once */
    uint32_t deep; /* frames of the stack DEEP, which then has a sample */
    bool cut; /* a sample more in each chunk, which ends behind its stack: before its state */
    char path[40];
};

#define SHOP_CLASS 100 /* id of the class of EXEC; the others follow */

static inline void shop_classes(struct tc *t)
{
    static const char *const names[N_TYPES] = {
        "jdk.ExecutionSample",    "jdk.ObjectAllocationInNewTLAB", "jdk.JavaMonitorEnter",
        "jdk.CPUTimeSample",      "profiler.WallClockSample",      "my.Request",
        "datadog.ExecutionSample"};
    static const char *const fields[N_TYPES] = {
        "sampledThread T stackTrace S state Z",
        "eventThread T stackTrace S objectClass C allocationSize B tlabSize B",
        "duration D eventThread T stackTrace S monitorClass C",
        "stackTrace S eventThread T failed F samplingPeriod D",
        "sampledThread T stackTrace S state Z samples I",
        "duration D stackTrace S waited M size B score R",
        "eventThread T stackTrace S weight R",
    };

    tc_class(t, 50, "jdk.jfr.DataAmount", "java.lang.annotation.Annotation");
    tc_field(t, "value", TC_STRING, 0);
    for (int i = 0; i < N_TYPES; i++) {
        char text[100], *save, *name, *kind;

        tc_class(t, SHOP_CLASS + i, names[i], "jdk.jfr.Event");
        tc_field(t, "startTime", TC_LONG, 0);
        strcpy(text, fields[i]);
        for (name = strtok_r(text, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save)) {
            kind = strtok_r(NULL, " ", &save);
            switch (*kind) {
            case 'T':
                tc_field(t, name, TC_THREAD, TC_POOLED);
                break;
            case 'S':
                tc_field(t, name, TC_TRACE, TC_POOLED);
                break;
            case 'Z':
                tc_field(t, name, TC_STATE, TC_POOLED);
                break;
            case 'C':
                tc_field(t, name, TC_CLASS, TC_POOLED);
                break;
            case 'D':
                tc_field_with(t, name, TC_LONG, 0, TC_TIMESPAN, "TICKS");
                break;
            case 'M':
                tc_field_with(t, name, TC_LONG, 0, TC_TIMESPAN, "MILLISECONDS");
                break;
            case 'B':
                tc_field_with(t, name, TC_LONG, 0, 50, "BYTES");
                break;
            case 'R':
                tc_field(t, name, TC_DOUBLE, 0);
                break;
            default:
                tc_field(t, name, *kind == 'F' ? TC_BOOLEAN : TC_INT, 0);
            }
        }
    }
}

/* A trace; `methods` from the top on. */
static inline void shop_trace(struct tc *t, unsigned keys, int trace, bool truncated,
                              const int *methods, size_t n)
{
    buf_varint(&t->b, keys + (unsigned)trace);
    buf_byte(&t->b, truncated);
    buf_varint(&t->b, n);
    for (size_t i = 0; i < n; i++) {
        buf_varint(&t->b, keys + (unsigned)methods[i]);
        buf_varint(&t->b, 10 * (uint64_t)methods[i]); /* line */
        buf_varint(&t->b, (uint64_t)methods[i]); /* bci */
        buf_varint(&t->b, i == 0 ? 1 : 2); /* how it ran: interpreted, JIT */
    }
}

static inline void shop_pools(struct tc *t, unsigned keys, uint32_t deep)
{
    static const char *const symbols[] = {"A",
                                          "a/B",
                                          "java/util/List",
                                          "java/lang/invoke/LambdaForm$MH/0x1",
                                          "[Ljava/lang/String;",
                                          "main",
                                          "run",
                                          "work",
                                          "add",
                                          "invoke",
                                          "()V"};
    static const char *const texts[] = {"Interpreted", "JIT compiled"};
    static const char *const states[] = {"STATE_RUNNABLE", "STATE_SLEEPING"};
    static const int classes[] = {4, 1, 0, 2, 3}; /* their symbols; [] and B come first */
    static const int methods[][2] = {{2, 5}, {1, 6}, {1, 7}, {3, 8}, {4, 9}}; /* class, symbol */
    enum {
        M_MAIN = 1,
        M_RUN,
        M_WORK,
        M_ADD,
        M_HIDDEN,
        M_LOST = 8
    };
    int *frames = calloc(deep + 1, sizeof(*frames));

    tc_pool_begin(t);
    tc_pool(t, TC_SYMBOL, 11);
    for (unsigned i = 0; i < 11; i++) {
        buf_varint(&t->b, keys + i);
        tc_text(&t->b, symbols[i]);
    }
    tc_pool(t, TC_CLASS, 5);
    for (unsigned i = 0; i < 5; i++) {
        buf_varint(&t->b, keys + i + 1);
        buf_varint(&t->b, keys + (unsigned)classes[i]);
    }
    tc_pool(t, TC_METHOD, 5);
    for (unsigned i = 0; i < 5; i++) {
        buf_varint(&t->b, keys + i + 1);
        buf_varint(&t->b, keys + 1 + (unsigned)methods[i][0]);
        buf_varint(&t->b, keys + (unsigned)methods[i][1]);
        buf_varint(&t->b, keys + 10);
        buf_varint(&t->b, 1);
        buf_byte(&t->b, i == 4);
    }
    tc_pool(t, TC_FRAME_TYPE, 2);
    for (unsigned i = 0; i < 2; i++) {
        buf_varint(&t->b, i + 1);
        tc_text(&t->b, texts[i]);
    }
    tc_pool(t, TC_STATE, 2);
    for (unsigned i = 0; i < 2; i++) {
        buf_varint(&t->b, keys + i + 1);
        tc_text(&t->b, states[i]);
    }
    tc_pool(t, TC_THREAD, 2);
    for (unsigned i = 0; i < 2; i++) {
        buf_varint(&t->b, keys + i + 1);
        tc_text(&t->b, i == 0 ? "java" : "worker");
        buf_varint(&t->b, 100 + i);
        tc_text(&t->b, i == 0 ? "main" : "");
        buf_varint(&t->b, i == 0);
    }
    tc_pool(t, TC_TRACE, deep > 0 ? 7 : 6);
    shop_trace(t, keys, TO_WORK, false, (int[]){M_WORK, M_RUN, M_MAIN}, 3);
    shop_trace(t, keys, TO_ADD, false, (int[]){M_ADD, M_RUN, M_RUN, M_MAIN}, 4);
    shop_trace(t, keys, VIA_HIDDEN, true, (int[]){M_WORK, M_HIDDEN, M_MAIN}, 3);
    shop_trace(t, keys, EMPTY, false, NULL, 0);
    shop_trace(t, keys, BROKEN, false, (int[]){M_LOST, M_MAIN}, 2);
    shop_trace(t, keys, ONLY_RUN, false, (int[]){M_RUN, M_MAIN}, 2);
    for (uint32_t i = 0; i <= deep; i++)
        frames[i] = i == deep ? M_MAIN : M_RUN;
    if (deep > 0)
        shop_trace(t, keys, DEEP, false, frames, (size_t)deep + 1);
    tc_pool_end(t);
    free(frames);
}

static inline void shop_event(struct tc *t, const struct shop_event *e, unsigned keys,
                              uint64_t start)
{
    /* R: a double; V: a number; K: a key of the chunk */
    static const char *const forms[N_TYPES] = {"KKK",  "KKKVV", "VKKK", "KKBV",
                                               "KKKV", "VKVVR", "KKR"};

    tc_event_begin(t, SHOP_CLASS + (int)e->type);
    buf_varint(&t->b, start);
    for (int i = 0; forms[e->type][i] != '\0'; i++) {
        double real = e->v[i] == INT64_MAX ? 1e300 : (double)e->v[i] / 8;
        uint64_t bits;

        switch (forms[e->type][i]) {
        case 'K':
            buf_varint(&t->b, e->v[i] == NO_TRACE ? 0 : keys + (uint64_t)e->v[i]);
            break;
        case 'B':
            buf_byte(&t->b, (uint8_t)e->v[i]);
            break;
        case 'R':
            memcpy(&bits, &real, sizeof(bits));
            buf_be(&t->b, bits, 8);
            break;
        default:
            buf_varint(&t->b, (uint64_t)e->v[i]);
        }
    }
    tc_event_end(t);
}

/* Writes the recording; events go to the chunks in turn. */
static inline void shop_make(struct shop *s)
{
    const struct shop_event deep = {EXEC, {MAIN, DEEP, RUNNABLE}};
    unsigned chunks = s->chunks == 0 ? 1 : s->chunks;
    int fd;

    strcpy(s->path, "/tmp/profile_test.XXXXXX");
    fd = mkstemp(s->path);
    assert_true(fd >= 0);
    for (unsigned c = 0; c < chunks; c++) {
        unsigned keys = 1 + 20 * c, turn = 0;
        struct tc t;

        tc_begin(&t);
        shop_classes(&t);
        for (unsigned time = 0; time == 0 || time < s->times; time++, turn = 0)
            for (size_t i = 0; i < sizeof(shop_events) / sizeof(shop_events[0]); i++)
                if ((s->types >> shop_events[i].type & 1) != 0 && turn++ % chunks == c)
                    shop_event(&t, &shop_events[i], keys, 1000u << time);
        if (s->deep > 0)
            shop_event(&t, &deep, keys, 1000);
        if (s->cut) {
            tc_event_begin(&t, SHOP_CLASS + EXEC);
            buf_varint(&t.b, 1000);
            buf_varint(&t.b, keys + MAIN);
            buf_varint(&t.b, keys + TO_WORK);
            tc_event_end(&t);
        }
        shop_pools(&t, keys, s->deep);
        tc_end(&t);
        assert_int_equal(write(fd, t.b.p, t.b.n), (ssize_t)t.b.n);
        tc_free(&t);
    }
    close(fd);
}

static inline void shop_free(struct shop *s)
{
    unlink(s->path);
}

static inline void shop_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    const struct shop *s = ctx;

    if (!s->cut)
        fail_msg("%s: %s", path, err->text);
}

/* The finished profile of the inputs of a run. */
static inline struct profile *profile_of_run(const struct run_options *run,
                                             const struct profile_options *opt,
                                             struct run_result *result)
{
    struct profile *p = profile_new(opt);
    struct run_job job;
    struct jfr_error err;
    const char *err_path;

    assert_non_null(p);
    job = profile_job(p);
    assert_int_equal(run_all(run, &job, NULL, result, &err, &err_path), 0);
    assert_int_equal(profile_finish(p), 0);
    return p;
}

/* The finished profile of the recording, which must be whole unless it was cut. */
static inline struct profile *shop_profile(const struct shop *s, const struct profile_options *opt,
                                           unsigned jobs)
{
    const char *paths[] = {s->path};
    struct run_options run = {.paths = paths,
                              .n_paths = 1,
                              .jobs = jobs,
                              .on_damage = shop_damage,
                              .ctx = (void *)(uintptr_t)s};
    struct run_result result = {0};

    return profile_of_run(&run, opt, &result);
}

#endif
