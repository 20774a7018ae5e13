/*
 * testing_chunk.h - recordings made by hand, for tests: classes as tables, values as bytes.
 *
 *     struct made m = {0};
 *     made_begin(&m, classes, n_classes);
 *     buf_varint(made_event(&m), 2000); ... made_done(&m, 100);
 *     buf_varint(made_pool(&m, 22, 1), KEY); ... the value
 *     made_end(&m);                                         the file is m.file.p[0..m.file.n)
 *     made_free(&m);
 */
#ifndef CONVERT_TEST_TESTING_CHUNK_H
#define CONVERT_TEST_TESTING_CHUNK_H

#include "jfrfmt/base/buf.h"

#include <stdio.h>

#define MADE_FIELDS 8
#define MADE_STRINGS 256

enum { /* ids that every made recording declares */
    MADE_BOOLEAN = 4,
    MADE_CHAR,
    MADE_FLOAT,
    MADE_DOUBLE,
    MADE_BYTE,
    MADE_SHORT,
    MADE_INT,
    MADE_LONG,
    MADE_STRING = 20,
    MADE_TIMESTAMP = 200,
    MADE_TIMESPAN,
    MADE_UNSIGNED,
    MADE_CATEGORY,
};

enum {
    MADE_POOLED = 1,
    MADE_ARRAY = 2,
    MADE_SIMPLE = 4, /* of a class */
};

struct made_field {
    const char *name;
    int type, flags;
    int annotation; /* 0 = none */
    const char *value; /* of the annotation */
};

struct made_class {
    const char *name;
    int id, flags;
    const char *super, *category;
    struct made_field fields[MADE_FIELDS];
};

struct made {
    struct buf file, body; /* body: of the event being made */
    struct buf pools;
    uint64_t n_pools;
    const char *strings[MADE_STRINGS];
    size_t n_strings;
};

static inline void made_string(struct buf *b, const char *s)
{
    buf_byte(b, 3);
    buf_varint(b, strlen(s));
    buf_str(b, s);
}

static inline uint64_t made_index(struct made *m, const char *s)
{
    for (size_t i = 0; i < m->n_strings; i++)
        if (strcmp(m->strings[i], s) == 0)
            return i;
    m->strings[m->n_strings] = s;
    return m->n_strings++;
}

static inline void made_attr(struct made *m, struct buf *b, const char *key, const char *value)
{
    buf_varint(b, made_index(m, key));
    buf_varint(b, made_index(m, value));
}

static inline const char *made_number(int n)
{
    static char texts[256][8];

    snprintf(texts[n], sizeof(texts[n]), "%d", n);
    return texts[n];
}

static inline void made_annotation(struct made *m, struct buf *b, int id, const char *key,
                                   const char *value)
{
    buf_varint(b, made_index(m, "annotation"));
    buf_varint(b, value == NULL ? 1 : 2);
    made_attr(m, b, "class", made_number(id));
    if (value != NULL)
        made_attr(m, b, key, value);
    buf_varint(b, 0);
}

static inline void made_put_field(struct made *m, struct buf *b, const struct made_field *f)
{
    bool is_pooled = (f->flags & MADE_POOLED) != 0, is_array = (f->flags & MADE_ARRAY) != 0;

    buf_varint(b, made_index(m, "field"));
    buf_varint(b, 2 + is_pooled + is_array);
    made_attr(m, b, "name", f->name);
    made_attr(m, b, "class", made_number(f->type));
    if (is_pooled)
        made_attr(m, b, "constantPool", "true");
    if (is_array)
        made_attr(m, b, "dimension", "1");
    buf_varint(b, f->annotation != 0);
    if (f->annotation != 0)
        made_annotation(m, b, f->annotation, "value", f->value);
}

static inline void made_put_class(struct made *m, struct buf *b, const struct made_class *c)
{
    size_t n = 0;

    while (n < MADE_FIELDS && c->fields[n].name != NULL)
        n++;
    buf_varint(b, made_index(m, "class"));
    buf_varint(b, 2 + (c->super != NULL) + ((c->flags & MADE_SIMPLE) != 0));
    made_attr(m, b, "name", c->name);
    made_attr(m, b, "id", made_number(c->id));
    if (c->super != NULL)
        made_attr(m, b, "superType", c->super);
    if ((c->flags & MADE_SIMPLE) != 0)
        made_attr(m, b, "simpleType", "true");
    buf_varint(b, n + (c->category != NULL));
    for (size_t i = 0; i < n; i++)
        made_put_field(m, b, &c->fields[i]);
    if (c->category != NULL)
        made_annotation(m, b, MADE_CATEGORY, "value-0", c->category);
}

/* Appends an event of `type` whose body is there; its size field has five bytes. */
static inline void made_append(struct made *m, uint64_t type, const struct buf *body)
{
    uint8_t head[16];
    struct buf h = buf_fixed(head, sizeof(head));
    uint8_t size[5];

    buf_varint(&h, type);
    buf_varint_at(size, 5 + h.n + body->n, 5);
    buf_bytes(&m->file, size, 5);
    buf_bytes(&m->file, head, h.n);
    buf_bytes(&m->file, body->p, body->n);
}

static inline void made_metadata(struct made *m, const struct made_class *classes, size_t n)
{
    static const struct made_class builtin[] = {
        {.name = "boolean", .id = MADE_BOOLEAN},
        {.name = "char", .id = MADE_CHAR},
        {.name = "float", .id = MADE_FLOAT},
        {.name = "double", .id = MADE_DOUBLE},
        {.name = "byte", .id = MADE_BYTE},
        {.name = "short", .id = MADE_SHORT},
        {.name = "int", .id = MADE_INT},
        {.name = "long", .id = MADE_LONG},
        {.name = "java.lang.String", .id = MADE_STRING},
        {.name = "jdk.jfr.Timestamp", .id = MADE_TIMESTAMP},
        {.name = "jdk.jfr.Timespan", .id = MADE_TIMESPAN},
        {.name = "jdk.jfr.Unsigned", .id = MADE_UNSIGNED},
        {.name = "jdk.jfr.Category", .id = MADE_CATEGORY},
    };
    size_t n_builtin = sizeof(builtin) / sizeof(builtin[0]);
    struct buf tree = {0}, body = {0};

    buf_varint(&tree, made_index(m, "root"));
    buf_varint(&tree, 0);
    buf_varint(&tree, 2);
    buf_varint(&tree, made_index(m, "metadata"));
    buf_varint(&tree, 0);
    buf_varint(&tree, n + n_builtin);
    for (size_t i = 0; i < n_builtin; i++)
        made_put_class(m, &tree, &builtin[i]);
    for (size_t i = 0; i < n; i++)
        made_put_class(m, &tree, &classes[i]);
    buf_varint(&tree, made_index(m, "region"));
    buf_varint(&tree, 1);
    made_attr(m, &tree, "gmtOffset", "3600000");
    buf_varint(&tree, 0);
    buf_bytes(&body, "\0\0\1", 3); /* start, duration, metadata id */
    buf_varint(&body, m->n_strings);
    for (size_t i = 0; i < m->n_strings; i++)
        made_string(&body, m->strings[i]);
    buf_bytes(&body, tree.p, tree.n);
    made_append(m, 0, &body);
    buf_free(&tree);
    buf_free(&body);
}

/* Starts a chunk: 2023-11-14T22:13:20Z is tick 1000, a tick is a nanosecond, ten seconds long. */
static inline void made_begin(struct made *m, const struct made_class *classes, size_t n)
{
    static const uint64_t header[] = {0, 0, 68, 1700000000000000000, 10000000000, 1000, 1000000000};

    buf_reset(&m->file);
    buf_reset(&m->pools);
    m->n_pools = m->n_strings = 0;
    buf_bytes(&m->file, "FLR\0\0\2\0\1", 8);
    for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++)
        buf_be(&m->file, header[i], 8);
    buf_be(&m->file, 1, 4);
    made_metadata(m, classes, n);
}

/* The body of the next event, to be filled and then appended. */
static inline struct buf *made_event(struct made *m)
{
    buf_reset(&m->body);
    return &m->body;
}

static inline void made_done(struct made *m, uint64_t type)
{
    made_append(m, type, &m->body);
}

/* A pool of `n` entries: the keys and values go into the result. */
static inline struct buf *made_pool(struct made *m, uint64_t type, uint64_t n)
{
    m->n_pools++;
    buf_varint(&m->pools, type);
    buf_varint(&m->pools, n);
    return &m->pools;
}

static inline void made_patch(struct made *m, size_t at, uint64_t v)
{
    struct buf b = buf_fixed(m->file.p + at, 8);

    buf_be(&b, v, 8);
}

/* Ends the chunk: writes the pools and completes the header. */
static inline void made_end(struct made *m)
{
    made_patch(m, 16, m->file.n);
    buf_reset(&m->body);
    buf_bytes(&m->body, "\0\0\0\0", 4); /* start, duration, delta, mask */
    buf_varint(&m->body, m->n_pools);
    buf_bytes(&m->body, m->pools.p, m->pools.n);
    made_append(m, 1, &m->body);
    made_patch(m, 8, m->file.n);
}

static inline void made_free(struct made *m)
{
    buf_free(&m->file);
    buf_free(&m->body);
    buf_free(&m->pools);
}

#endif
