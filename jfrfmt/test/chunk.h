/*
 * chunk.h - chunks made by hand, for tests: right by default, and wrong where a test wants
 * it.
 *
 *     struct tc t;
 *     tc_begin(&t);                                     header room, usual classes
 *     tc_class(&t, 100, "a.Tick", "jdk.jfr.Event");
 *     tc_field(&t, "startTime", TC_LONG, 0);
 *     tc_pool_begin(&t); tc_pool(&t, TC_STRING, 1); buf_varint(&t.b, key); ...; tc_pool_end(&t);
 *     tc_event_begin(&t, 100); buf_varint(&t.b, 42); tc_event_end(&t);
 *     tc_end(&t);                                       metadata, header
 *     ... t.b.p, t.b.n ...
 *     tc_free(&t);
 */
#ifndef JFRFMT_TEST_CHUNK_H
#define JFRFMT_TEST_CHUNK_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/jfr.h"
#include "jfrfmt/base/intern.h"

#include <stdio.h>

enum { /* ids of the classes that tc_begin() declares */
    TC_BOOLEAN = 10,
    TC_BYTE,
    TC_CHAR,
    TC_SHORT,
    TC_INT,
    TC_LONG,
    TC_FLOAT,
    TC_DOUBLE,
    TC_STRING,
    TC_SYMBOL,
    TC_THREAD,
    TC_CLASS,
    TC_METHOD,
    TC_TRACE,
    TC_FRAME,
    TC_FRAME_TYPE,
    TC_STATE,
    TC_LABEL,
    TC_TIMESPAN,
    TC_UNSIGNED,
};

enum {
    TC_POOLED = 1,
    TC_ARRAY = 2
}; /* flags of a field */

struct tc {
    struct buf b; /* the chunk */
    struct buf classes; /* element tree of the classes so far */
    struct buf fields; /* children of the current class */
    struct intern strings;
    uint64_t n_classes, n_fields;
    struct buf open; /* head of the current class: name, attributes */
    size_t event_at, checkpoint_at, last_checkpoint, n_pools, n_pools_at;
    bool in_class;
};

static inline void tc_string(struct tc *t, struct buf *b, const char *s)
{
    buf_varint(b, intern_add(&t->strings, s, strlen(s)));
}

static inline void tc_attr(struct tc *t, struct buf *b, const char *key, const char *value)
{
    tc_string(t, b, key);
    tc_string(t, b, value);
}

static inline void tc_attr_number(struct tc *t, struct buf *b, const char *key, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)value);
    tc_attr(t, b, key, text);
}

static inline void tc_close_class(struct tc *t)
{
    if (!t->in_class)
        return;
    buf_bytes(&t->classes, t->open.p, t->open.n);
    buf_varint(&t->classes, t->n_fields);
    buf_bytes(&t->classes, t->fields.p, t->fields.n);
    buf_reset(&t->open);
    buf_reset(&t->fields);
    t->n_fields = 0;
    t->n_classes++;
    t->in_class = false;
}

/* super: NULL for a plain type, "simple" for a simple one. */
static inline void tc_class(struct tc *t, int64_t id, const char *name, const char *super)
{
    bool simple = super != NULL && strcmp(super, "simple") == 0;

    tc_close_class(t);
    t->in_class = true;
    tc_string(t, &t->open, "class");
    buf_varint(&t->open, super == NULL ? 2 : 3);
    tc_attr(t, &t->open, "name", name);
    tc_attr_number(t, &t->open, "id", id);
    if (super != NULL)
        tc_attr(t, &t->open, simple ? "simpleType" : "superType", simple ? "true" : super);
}

static inline void tc_annotation_open(struct tc *t, int64_t type, const char *value)
{
    tc_string(t, &t->fields, "annotation");
    buf_varint(&t->fields, value == NULL ? 1 : 2);
    tc_attr_number(t, &t->fields, "class", type);
    if (value != NULL)
        tc_attr(t, &t->fields, "value", value);
    buf_varint(&t->fields, 0);
}

/* An annotation of the class itself. */
static inline void tc_annotation(struct tc *t, int64_t type, const char *value)
{
    tc_annotation_open(t, type, value);
    t->n_fields++;
}

/* A field, with one annotation unless annotation is 0. */
static inline void tc_field_with(struct tc *t, const char *name, int64_t type, int flags,
                                 int64_t annotation, const char *value)
{
    tc_string(t, &t->fields, "field");
    buf_varint(&t->fields, 2u + !!(flags & TC_POOLED) + !!(flags & TC_ARRAY));
    tc_attr(t, &t->fields, "name", name);
    tc_attr_number(t, &t->fields, "class", type);
    if (flags & TC_POOLED)
        tc_attr(t, &t->fields, "constantPool", "true");
    if (flags & TC_ARRAY)
        tc_attr(t, &t->fields, "dimension", "1");
    buf_varint(&t->fields, annotation != 0);
    if (annotation != 0)
        tc_annotation_open(t, annotation, value);
    t->n_fields++;
}

static inline void tc_field(struct tc *t, const char *name, int64_t type, int flags)
{
    tc_field_with(t, name, type, flags, 0, NULL);
}

/* The classes that nearly every test needs. */
static inline void tc_usual_classes(struct tc *t)
{
    static const char *const names[] = {"boolean", "byte",  "char",   "short",           "int",
                                        "long",    "float", "double", "java.lang.String"};

    for (int i = 0; i < 9; i++)
        tc_class(t, TC_BOOLEAN + i, names[i], NULL);
    tc_class(t, TC_SYMBOL, "jdk.types.Symbol", "simple");
    tc_field(t, "string", TC_STRING, 0);
    tc_class(t, TC_THREAD, "java.lang.Thread", NULL);
    tc_field(t, "osName", TC_STRING, 0);
    tc_field(t, "osThreadId", TC_LONG, 0);
    tc_field(t, "javaName", TC_STRING, 0);
    tc_field(t, "javaThreadId", TC_LONG, 0);
    tc_class(t, TC_CLASS, "java.lang.Class", NULL);
    tc_field(t, "name", TC_SYMBOL, TC_POOLED);
    tc_class(t, TC_METHOD, "jdk.types.Method", NULL);
    tc_field(t, "type", TC_CLASS, TC_POOLED);
    tc_field(t, "name", TC_SYMBOL, TC_POOLED);
    tc_field(t, "descriptor", TC_SYMBOL, TC_POOLED);
    tc_field(t, "modifiers", TC_INT, 0);
    tc_field(t, "hidden", TC_BOOLEAN, 0);
    tc_class(t, TC_TRACE, "jdk.types.StackTrace", NULL);
    tc_field(t, "truncated", TC_BOOLEAN, 0);
    tc_field(t, "frames", TC_FRAME, TC_ARRAY);
    tc_class(t, TC_FRAME, "jdk.types.StackFrame", NULL);
    tc_field(t, "method", TC_METHOD, TC_POOLED);
    tc_field(t, "lineNumber", TC_INT, 0);
    tc_field(t, "bytecodeIndex", TC_INT, 0);
    tc_field(t, "type", TC_FRAME_TYPE, TC_POOLED);
    tc_class(t, TC_FRAME_TYPE, "jdk.types.FrameType", "simple");
    tc_field(t, "description", TC_STRING, 0);
    tc_class(t, TC_STATE, "jdk.types.ThreadState", "simple");
    tc_field(t, "name", TC_STRING, 0);
    tc_class(t, TC_LABEL, "jdk.jfr.Label", "java.lang.annotation.Annotation");
    tc_field(t, "value", TC_STRING, 0);
    tc_class(t, TC_TIMESPAN, "jdk.jfr.Timespan", "java.lang.annotation.Annotation");
    tc_field(t, "value", TC_STRING, 0);
    tc_class(t, TC_UNSIGNED, "jdk.jfr.Unsigned", "java.lang.annotation.Annotation");
}

static inline void tc_begin(struct tc *t)
{
    *t = (struct tc){0};
    for (int i = 0; i < JFR_CHUNK_HEADER_SIZE; i++)
        buf_byte(&t->b, 0);
    tc_usual_classes(t);
}

/* The size field takes four bytes, as HotSpot writes it. */
static inline void tc_event_begin(struct tc *t, int64_t type)
{
    t->event_at = t->b.n;
    buf_be(&t->b, 0, 4);
    buf_varint(&t->b, (uint64_t)type);
}

static inline void tc_event_end(struct tc *t)
{
    buf_varint_at(t->b.p + t->event_at, t->b.n - t->event_at, 4);
}

/* A checkpoint that points back to the one before. */
static inline void tc_pool_begin(struct tc *t)
{
    t->checkpoint_at = t->b.n;
    tc_event_begin(t, 1);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, t->last_checkpoint == 0 ? 0 : t->last_checkpoint - t->checkpoint_at);
    buf_byte(&t->b, 0);
    t->n_pools_at = t->b.n;
    t->n_pools = 0;
    buf_be(&t->b, 0, 4);
}

/* Constants of a class: n times a key and a value have to follow in t->b. */
static inline void tc_pool(struct tc *t, int64_t class_id, uint64_t n)
{
    t->n_pools++;
    buf_varint(&t->b, (uint64_t)class_id);
    buf_varint(&t->b, n);
}

static inline void tc_pool_end(struct tc *t)
{
    buf_varint_at(t->b.p + t->n_pools_at, t->n_pools, 4);
    tc_event_end(t);
    t->last_checkpoint = t->checkpoint_at;
}

static inline void tc_text(struct buf *b, const char *s)
{
    buf_byte(b, 3);
    buf_varint(b, strlen(s));
    buf_str(b, s);
}

static inline void tc_poke(struct tc *t, size_t at, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        t->b.p[at + i] = (uint8_t)(v >> 8 * (n - 1 - i));
}

static inline void tc_tree(struct tc *t, struct buf *tree)
{
    tc_string(t, tree, "root");
    buf_varint(tree, 0);
    buf_varint(tree, 2);
    tc_string(t, tree, "metadata");
    buf_varint(tree, 0);
    buf_varint(tree, t->n_classes);
    buf_bytes(tree, t->classes.p, t->classes.n);
    tc_string(t, tree, "region");
    buf_varint(tree, 1);
    tc_attr(t, tree, "gmtOffset", "3600000");
    buf_varint(tree, 0);
}

/* Writes the metadata event and the header. The clock: 1 000 000 000 ticks per second, tick 1000 at
 * 2001-09-09T01:46:40Z. */
static inline void tc_end(struct tc *t)
{
    struct buf tree = {0};
    size_t metadata = t->b.n;

    tc_close_class(t);
    tc_tree(t, &tree);
    tc_event_begin(t, 0);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, 7);
    buf_varint(&t->b, intern_n(&t->strings));
    for (uint32_t i = 0; i < intern_n(&t->strings); i++)
        tc_text(&t->b, intern_get(&t->strings, i, NULL));
    buf_bytes(&t->b, tree.p, tree.n);
    tc_event_end(t);
    memcpy(t->b.p, JFR_CHUNK_MAGIC, 4);
    tc_poke(t, 4, 0x00020001, 4);
    tc_poke(t, 8, t->b.n, 8);
    tc_poke(t, 16, t->last_checkpoint, 8);
    tc_poke(t, 24, metadata, 8);
    tc_poke(t, 32, 1000000000000000000, 8);
    tc_poke(t, 40, 1000000, 8);
    tc_poke(t, 48, 1000, 8);
    tc_poke(t, 56, 1000000000, 8);
    tc_poke(t, 64, 1, 4);
    buf_free(&tree);
}

static inline struct jfr_raw tc_raw(const struct tc *t)
{
    return (struct jfr_raw){.bytes = t->b.p, .n = t->b.n, .declared = t->b.n};
}

static inline void tc_free(struct tc *t)
{
    buf_free(&t->b);
    buf_free(&t->classes);
    buf_free(&t->fields);
    buf_free(&t->open);
    intern_free(&t->strings);
}

#endif
