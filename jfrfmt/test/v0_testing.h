/* v0_testing.h - a small 0.9 chunk made by hand, for the tests and the fuzz target. */
#ifndef JFRFMT_TEST_V0_TESTING_H
#define JFRFMT_TEST_V0_TESTING_H

#include "jfrfmt/base/buf.h"

struct sample_field {
    const char *name;
    uint8_t type; /* as numbered in the file */
    int32_t content;
    uint32_t sub;
};

struct sample_struct {
    struct sample_field fields[20];
};

struct sample_event {
    int32_t id;
    const char *path, *label;
    uint8_t has_start, has_thread, has_stack;
    uint32_t body;
};

struct sample_content {
    int32_t id;
    const char *name;
    uint8_t key_type;
    uint32_t value;
};

struct sample_producer {
    const char *uri;
    const struct sample_struct *structs;
    const struct sample_event *events;
    const struct sample_content *contents;
    uint32_t n_structs, n_events, n_contents;
};

enum {
    BOOL,
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
    S64,
    U64,
    F32,
    F64,
    UTF,
    STR,
    ARR,
    STRUCT,
    STRUCTS
};
enum {
    THREAD = 7,
    JAVA_THREAD = 8,
    STACK = 9,
    CLASS = 10,
    METHOD = 32,
    SYMBOL,
    GROUP,
    FRAME,
    MODE
};

/* clang-format off */
static const struct sample_struct jvm_structs[] = {
    /* 0 thread */ {{{"name", UTF, 0, 0}}},
    /* 1 java thread */ {{{"thread", U32, THREAD, 0}, {"allocated", U64, 1, 0},
                          {"group", U32, GROUP, 0}}},
    /* 2 group */ {{{"parent", U32, GROUP, 0}, {"name", UTF, 0, 0}}},
    /* 3 class */ {{{"loaderClass", U64, CLASS, 0}, {"name", U64, SYMBOL, 0},
                    {"modifiers", S16, 0, 0}}},
    /* 4 method, in another order than it is shown */
                  {{{"modifiers", S16, 0, 0}, {"signature", U64, SYMBOL, 0},
                    {"name", U64, SYMBOL, 0}, {"class", U64, CLASS, 0}}},
    /* 5 symbol */ {{{"utf8", UTF, 0, 0}}},
    /* 6 stack */ {{{"truncated", BOOL, 0, 0}, {"frames", STRUCTS, 0, 7}}},
    /* 7 frame */ {{{"method", U64, METHOD, 0}, {"line", S32, 0, 0}, {"type", U8, FRAME, 0}}},
    /* 8 frame type */ {{{"desc", UTF, 0, 0}}},
    /* 9 mode */ {{{"a", U8, 0, 0}, {"next", S16, MODE, 0}}},
    /* 10 code cache */ {{{"entryCount", S32, 0, 0}, {"unallocatedCapacity", U64, 1, 0}}},
    /* 11 sample */ {{{"sampledThread", U32, THREAD, 0}, {"stackTrace", U64, STACK, 0}}},
    /* 12 thread end */ {{{"javalangthread", S64, JAVA_THREAD, 0}}},
    /* 13 park */ {{{"klass", U64, CLASS, 0}, {"timeout", S64, 3, 0}, {"address", U64, 6, 0}}},
    /* 14 nothing */ {{{0}}},
};
static const struct sample_event jvm_events[] = {
    {20, "vm/code_cache/stats", "Code Cache Statistics", 0, 0, 0, 10},
    {21, "vm/prof/execution_sample", "Method Profiling Sample", 0, 0, 0, 11},
    {22, "java/thread_end", "Java Thread End", 0, 1, 0, 12},
    {23, "java/thread_park", "Java Thread Park", 1, 1, 1, 13},
    {24, "vm/gc/1odd-path/", "", 0, 0, 0, 14},
};
static const struct sample_content jvm_contents[] = {
    {THREAD, "Thread", U32, 0},  {JAVA_THREAD, "JavaThread", U64, 1}, {GROUP, "ThreadGroup", U32, 2},
    {CLASS, "Class", U64, 3},    {METHOD, "Method", U64, 4},          {SYMBOL, "UTFConstant", U64, 5},
    {STACK, "StackTrace", U64, 6}, {FRAME, "FrameType", U8, 8},       {MODE, "Mode", S16, 9},
};
static const struct sample_struct app_structs[] = {
    {{{"b", BOOL, 0, 0}, {"s8", S8, 0, 0}, {"u8", U8, 0, 0}, {"s16", S16, 0, 0}, {"u16", U16, 0, 0},
      {"s32", S32, 5, 0}, {"u32", U32, 0, 0}, {"s64", S64, 2, 0}, {"u64", U64, 4, 0},
      {"f32", F32, 11, 0}, {"f64", F64, 0, 0}, {"utf", UTF, 0, 0}, {"str", STR, 0, 0},
      {"mode", U16, MODE, 0}, {"numbers", ARR, 0, S16}, {"texts", ARR, 0, UTF},
      {"one", STRUCT, 0, 1}, {"many", STRUCTS, 0, 1}, {"duration", S32, 0, 0}, {"old_value", S8, 0, 0}}},
    {{{"x", S16, 0, 0}, {"thread", U32, THREAD, 0}}},
    {{{0}}},
};
static const struct sample_event app_events[] = {{30, "all/types", "All", 0, 0, 0, 0}};
static const struct sample_struct info_structs[] = {
    {{{"period", S64, 3, 0}, {"threshold", S64, 4, 0}, {"stacktrace", BOOL, 0, 0},
      {"enabled", BOOL, 0, 0}, {"path", STR, 0, 0}, {"id", S32, 0, 0}}},
};
static const struct sample_event info_events[] = {
    {40, "recordings/recording_setting", "Recording Setting", 0, 0, 0, 0}};
/* clang-format on */

#define SAMPLE_COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct sample_producer producers[] = {
    {"http://www.oracle.com/hotspot/jvm/", jvm_structs, jvm_events, jvm_contents,
     SAMPLE_COUNT(jvm_structs), SAMPLE_COUNT(jvm_events), SAMPLE_COUNT(jvm_contents)},
    {"http://example.org/app-1/", app_structs, app_events, NULL, SAMPLE_COUNT(app_structs), 1, 0},
    {"http://www.oracle.com/hotspot/jfr-info/", info_structs, info_events, NULL, 1, 1, 0},
};

static inline void sample_utf(struct buf *b, const char *s)
{
    buf_be(b, strlen(s), 2);
    buf_str(b, s);
}

static inline void sample_str(struct buf *b, const char *ascii)
{
    buf_be(b, strlen(ascii), 4);
    for (; *ascii != '\0'; ascii++)
        buf_be(b, (uint8_t)*ascii, 2);
}

/* Integers of 1, 2, 4 or 8 bytes each: widths "1248" name one byte, then two, ... */
static inline void sample_ints(struct buf *b, const char *widths, const int64_t *values)
{
    for (; *widths != '\0'; widths++)
        buf_be(b, (uint64_t)*values++, (unsigned)(*widths - '0'));
}

#define PUT(b, widths, ...) sample_ints(b, widths, (const int64_t[]){__VA_ARGS__})

static inline size_t sample_begin(struct buf *b, int32_t type)
{
    PUT(b, "44", 0, type);
    return b->n - 8;
}

static inline void sample_end(struct buf *b, size_t at)
{
    struct buf size = buf_fixed(b->p + at, 4);

    buf_be(&size, b->n - at, 4);
}

static inline void sample_producer(struct buf *b, const struct sample_producer *p)
{
    PUT(b, "4", 1);
    sample_utf(b, "name");
    sample_utf(b, "description");
    sample_utf(b, p->uri);
    PUT(b, "4", 1);
    sample_utf(b, "a relation");
    PUT(b, "4", p->n_structs);
    for (uint32_t i = 0; i < p->n_structs; i++) {
        const struct sample_field *f = p->structs[i].fields;
        uint32_t n = 0;
        while (n < SAMPLE_COUNT(p->structs[i].fields) && f[n].name != NULL)
            n++;
        PUT(b, "4", n);
        for (; n-- > 0; f++) {
            sample_utf(b, f->name);
            sample_utf(b, f->name);
            sample_utf(b, "");
            PUT(b, "11444", 1, f->type, f->content, f->sub, 0);
        }
    }
    PUT(b, "4", p->n_events);
    for (uint32_t i = 0; i < p->n_events; i++) {
        const struct sample_event *e = &p->events[i];
        PUT(b, "4", e->id);
        sample_utf(b, e->label);
        sample_utf(b, "what it is");
        sample_utf(b, e->path);
        PUT(b, "111144", e->has_start, e->has_thread, e->has_stack, 0, e->body, 0);
    }
    PUT(b, "4", p->n_contents);
    for (uint32_t i = 0; i < p->n_contents; i++) {
        PUT(b, "4", p->contents[i].id);
        sample_utf(b, p->contents[i].name);
        sample_utf(b, "");
        PUT(b, "14", p->contents[i].key_type, p->contents[i].value);
    }
}

static inline void sample_thread(struct buf *b, uint32_t id, const char *name)
{
    PUT(b, "444", THREAD, 1, id);
    sample_utf(b, name);
}

/* Holds at times up to 1000. */
static inline void sample_checkpoint_1(struct buf *b)
{
    size_t at = sample_begin(b, 1);

    PUT(b, "88", 1000, 0);
    sample_thread(b, 5, "old");
    PUT(b, "44", MODE, 2);
    PUT(b, "212", -1, 200, 3);
    PUT(b, "212", 3, 9, 7); /* mode 7 is nowhere */
    sample_end(b, at);
}

/* Holds at times up to 2000. */
static inline void sample_checkpoint_2(struct buf *b, size_t previous)
{
    static const char *const symbols[] = {"a/B", "run", "()V", "oracle/jrockit/jfr/events/Handler"};
    size_t at = sample_begin(b, 1);

    PUT(b, "88", 2000, (int64_t)previous);
    sample_thread(b, 5, "new");
    PUT(b, "44", JAVA_THREAD, 1);
    PUT(b, "8484", 77, 5, 123456, 2);
    PUT(b, "44", GROUP, 2);
    PUT(b, "44", 1, 0);
    sample_utf(b, "system");
    PUT(b, "44", 2, 1);
    sample_utf(b, "main");
    PUT(b, "44", SYMBOL, 4);
    for (int i = 0; i < 4; i++) {
        PUT(b, "8", 100 + i);
        sample_utf(b, symbols[i]);
    }
    PUT(b, "44", CLASS, 2);
    PUT(b, "8882", 50, 0, 100, 1);
    PUT(b, "8882", 51, 50, 103, 0);
    PUT(b, "44", METHOD, 2);
    PUT(b, "82888", 60, 9, 102, 101, 50);
    PUT(b, "82888", 61, 1, 102, 101, 51);
    PUT(b, "441", FRAME, 1, 0);
    sample_utf(b, "Interpreted");
    PUT(b, "44", STACK, 1);
    PUT(b, "814", 900, 1, 3);
    PUT(b, "841", 61, 10, 0);
    PUT(b, "841", 60, 20, 0);
    PUT(b, "841", 99, 30, 1); /* neither the method nor the type is anywhere */
    sample_end(b, at);
}

static inline void sample_all_types(struct buf *b, int64_t end)
{
    size_t at = sample_begin(b, 30);

    PUT(b, "8111224488", end, 1, -5, 200, -300, 60000, -70000, 0xfffffffe, -1, 1);
    PUT(b, "48", 0x3f000000, 0x4004000000000000);
    sample_utf(b, "utf \xc3\xa4");
    sample_str(b, "str");
    PUT(b, "24222", 3, 3, -1, 0, 1);
    PUT(b, "4", 2);
    sample_utf(b, "");
    sample_utf(b, "t");
    PUT(b, "24424244", 7, 5, 2, 8, 5, 9, 6, 1234);
    PUT(b, "1", 4);
    sample_end(b, at);
}

static inline void sample_setting(struct buf *b, int64_t period, int64_t threshold, int32_t id)
{
    size_t at = sample_begin(b, 40);

    PUT(b, "88811", 1100, period, threshold, 0, 1);
    sample_str(b, "some/path");
    PUT(b, "4", id);
    sample_end(b, at);
}

/* The chunk. Each event is there to be asked about by the tests. */
static inline void sample_chunk(struct buf *b)
{
    size_t at, first, second, metadata;

    buf_bytes(b, "FLR", 4);
    PUT(b, "228", 0, 9, 0);
    sample_all_types(b, 900);
    first = b->n;
    sample_checkpoint_1(b);
    sample_all_types(b, 1500);
    at = sample_begin(b, 20);
    PUT(b, "848", 1200, 3, 7);
    sample_end(b, at);
    at = sample_begin(b, 21);
    PUT(b, "848", 1300, 5, 900);
    sample_end(b, at);
    at = sample_begin(b, 22);
    PUT(b, "848", 1400, 5, 77);
    sample_end(b, at);
    at = sample_begin(b, 23);
    PUT(b, "8848888", 1450, 1350, 5, 900, 50, -1, 0x123456789a);
    sample_end(b, at);
    at = sample_begin(b, 2);
    PUT(b, "844", 1460, 5, 777);
    sample_end(b, at);
    at = sample_begin(b, 999); /* not declared */
    PUT(b, "8", 1);
    sample_end(b, at);
    sample_setting(b, 0, INT64_MIN, 21);
    sample_setting(b, INT64_MAX, 20, 40);
    sample_setting(b, 1000, 20, 12345);
    at = sample_begin(b, 24);
    PUT(b, "8", 2500);
    sample_end(b, at);
    second = b->n;
    sample_checkpoint_2(b, first);
    sample_all_types(b, 2500);
    metadata = sample_begin(b, 0);
    PUT(b, "4", SAMPLE_COUNT(producers));
    for (size_t i = 0; i < SAMPLE_COUNT(producers); i++)
        sample_producer(b, &producers[i]);
    PUT(b, "88888", 1600000000000, 1600000010000, 500, 1000000000, (int64_t)second);
    sample_utf(b, "sv_SE");
    PUT(b, "4", 3600000);
    sample_end(b, metadata);
    struct buf header = buf_fixed(b->p + 8, 8);
    buf_be(&header, metadata, 8);
}

#endif
