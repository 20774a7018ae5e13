/*
 * summary_testing.h - small recordings made by hand, for tests of summaries and metadata.
 *
 *     static const struct made_element types[] = {
 *         {0, "class", "name=long|id=11"},
 *         {0, "class", "name=my.Event|superType=jdk.jfr.Event|id=100"},
 *         {1, "field", "name=startTime|class=11"},
 *     };
 *     struct made m = {0};
 *     made_event(&m, 100, "\x07", 1);
 *     made_chunk(&recording, &m, types, n);       appends a chunk; m is empty again
 */
#ifndef CONVERT_TEST_SUMMARY_TESTING_H
#define CONVERT_TEST_SUMMARY_TESTING_H

#include "convert/driver/run.h"
#include "jfrfmt/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MADE_TEXTS 4000

struct made_element { /* in document order */
    unsigned depth; /* 0: a class */
    const char *name;
    const char *attributes; /* "key=value|key=value"; the first '=' splits */
};

struct made {
    struct buf events; /* of the chunk to come */
    char *texts[MADE_TEXTS]; /* string table of its metadata */
    size_t n_texts;
};

static inline size_t made_text(struct made *m, const char *s, size_t n)
{
    for (size_t i = 0; i < m->n_texts; i++)
        if (strlen(m->texts[i]) == n && memcmp(m->texts[i], s, n) == 0)
            return i;
    m->texts[m->n_texts] = strndup(s, n);
    return m->n_texts++;
}

/* size, type, body: the size counts itself, in one to three bytes. */
static inline void made_sized(struct buf *to, uint64_t type, const void *body, size_t n)
{
    struct buf head = {0};
    size_t total;

    buf_varint(&head, type);
    total = head.n + n + 4;
    buf_reserve(to, total);
    buf_varint_at(to->p + to->n, total, 4);
    to->n += 4;
    buf_bytes(to, head.p, head.n);
    buf_bytes(to, body, n);
    buf_free(&head);
}

static inline void made_event(struct made *m, uint64_t type, const void *body, size_t n)
{
    made_sized(&m->events, type, body, n);
}

/* One string field, as UTF-8. */
static inline void made_string(struct buf *b, const char *s)
{
    buf_byte(b, 3);
    buf_varint(b, strlen(s));
    buf_str(b, s);
}

static inline void made_attributes(struct made *m, struct buf *b, const char *attributes)
{
    struct buf body = {0};
    uint64_t n = 0;

    for (const char *p = attributes; *p != 0; n++) {
        size_t key = strcspn(p, "="), value = strcspn(p + key, "|");

        buf_varint(&body, made_text(m, p, key));
        buf_varint(&body, made_text(m, p + key + 1, value - 1));
        p += key + value;
        p += *p == '|';
    }
    buf_varint(b, n);
    buf_bytes(b, body.p, body.n);
    buf_free(&body);
}

static inline void made_elements(struct made *m, struct buf *b, const struct made_element *e,
                                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t children = 0;

        for (size_t k = i + 1; k < n && e[k].depth > e[i].depth; k++)
            children += e[k].depth == e[i].depth + 1;
        buf_varint(b, made_text(m, e[i].name, strlen(e[i].name)));
        made_attributes(m, b, e[i].attributes);
        buf_varint(b, children);
    }
}

static inline void made_metadata(struct made *m, struct buf *to, const struct made_element *e,
                                 size_t n)
{
    struct buf tree = {0}, body = {0};
    size_t classes = 0;

    for (size_t i = 0; i < n; i++)
        classes += e[i].depth == 0;
    buf_varint(&tree, made_text(m, "root", 4));
    buf_bytes(&tree, "\0\2", 2);
    buf_varint(&tree, made_text(m, "metadata", 8));
    buf_byte(&tree, 0);
    buf_varint(&tree, classes);
    made_elements(m, &tree, e, n);
    buf_varint(&tree, made_text(m, "region", 6));
    buf_bytes(&tree, "\0\0", 2);
    buf_bytes(&body, "\0\0\1", 3);
    buf_varint(&body, m->n_texts);
    for (size_t i = 0; i < m->n_texts; i++)
        made_string(&body, m->texts[i]);
    buf_bytes(&body, tree.p, tree.n);
    made_sized(to, 0, body.p, body.n);
    buf_free(&tree);
    buf_free(&body);
}

/* Appends a chunk that starts at `second` after 2023-11-14 22:13:20 and lasts 10 s; a tick is a ns.
 * Without constants. */
static inline void made_chunk(struct buf *to, struct made *m, const struct made_element *e,
                              size_t n, unsigned second)
{
    struct buf metadata = {0};

    made_metadata(m, &metadata, e, n);
    buf_bytes(to, "FLR\0\0\2\0\1", 8);
    buf_be(to, 68 + metadata.n + m->events.n, 8);
    buf_be(to, 0, 8);
    buf_be(to, 68, 8);
    buf_be(to, (UINT64_C(1700000000) + second) * 1000000000, 8);
    buf_be(to, UINT64_C(10000000000), 8);
    buf_be(to, 0, 8);
    buf_be(to, 1000000000, 8);
    buf_be(to, 1, 4);
    buf_bytes(to, metadata.p, metadata.n);
    buf_bytes(to, m->events.p, m->events.n);
    buf_free(&metadata);
    buf_free(&m->events);
    while (m->n_texts > 0)
        free(m->texts[--m->n_texts]);
}

/* Writes the bytes to a file under /tmp that the caller removes. */
static inline void made_file(const struct buf *b, char path[32])
{
    FILE *f;

    strcpy(path, "/tmp/jfrkit-test-XXXXXX");
    f = fdopen(mkstemp(path), "wb");
    fwrite(b->p, 1, b->n, f);
    fclose(f);
}

/* An output that is kept in memory: o.b holds it. */
static inline int made_keep(struct out *o)
{
    return o->rc;
}

static inline struct out made_out(void)
{
    return (struct out){.drain = made_keep};
}

#endif
