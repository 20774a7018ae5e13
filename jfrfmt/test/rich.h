/* rich.h - a small chunk that has some of everything: for tests that spoil or starve it,
 * and as a seed of fuzz targets. */
#ifndef JFRFMT_TEST_RICH_H
#define JFRFMT_TEST_RICH_H

#include "jfrfmt/test/chunk.h"

#define RICH_EVENT 100

static inline void rich_text(struct buf *b, uint64_t key, const char *s)
{
    buf_varint(b, key);
    tc_text(b, s);
}

static inline void rich_numbers(struct buf *b, size_t n, const uint64_t *v)
{
    for (size_t i = 0; i < n; i++)
        buf_varint(b, v[i]);
}

#define RICH_NUMBERS(b, ...) \
    rich_numbers(b, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__})

static inline void rich_checkpoints(struct tc *t)
{
    tc_pool_begin(t);
    tc_pool(t, TC_SYMBOL, 3);
    rich_text(&t->b, 1, "java/lang/Thread");
    rich_text(&t->b, 2, "run");
    rich_text(&t->b, 3, "()V");
    tc_pool(t, TC_CLASS, 1);
    RICH_NUMBERS(&t->b, 5, 1);
    tc_pool_end(t);
    tc_pool_begin(t);
    tc_pool(t, TC_METHOD, 1);
    RICH_NUMBERS(&t->b, 0x10000, 5, 2, 3, 1, 0);
    tc_pool(t, TC_FRAME_TYPE, 1);
    rich_text(&t->b, 0, "Interpreted");
    tc_pool(t, TC_TRACE, 1);
    RICH_NUMBERS(&t->b, 9, 1, 2, 0x10000, 42, 3, 0, 0x10001, UINT64_MAX, 7, 1);
    tc_pool(t, TC_THREAD, 1);
    buf_bytes(&t->b, "\4\0\5\4\2ab\1", 8);
    tc_pool(t, TC_STRING, 2);
    buf_bytes(&t->b, "\1\5\1\xe9\2\1", 6);
    tc_pool_end(t);
}

/* tc_free() is the caller's. */
static inline void rich_chunk(struct tc *t)
{
    tc_begin(t);
    tc_class(t, RICH_EVENT, "a.Tick", "jdk.jfr.Event");
    tc_annotation(t, TC_LABEL, "A tick");
    tc_field(t, "startTime", TC_LONG, 0);
    tc_field(t, "eventThread", TC_THREAD, TC_POOLED);
    tc_field(t, "stackTrace", TC_TRACE, TC_POOLED);
    tc_field(t, "text", TC_STRING, 0);
    tc_field_with(t, "count", TC_INT, TC_ARRAY, TC_UNSIGNED, NULL);
    tc_field(t, "ratio", TC_FLOAT, 0);
    rich_checkpoints(t);
    tc_event_begin(t, RICH_EVENT);
    RICH_NUMBERS(&t->b, 1500, 4, 9, 2, 1, 2, 7, 8);
    buf_be(&t->b, 0x3f800000, 4);
    tc_event_end(t);
    tc_end(t);
}

#endif
