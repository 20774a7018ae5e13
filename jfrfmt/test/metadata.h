/* metadata.h - metadata events by hand, for the tests of metadata.c. */
#ifndef JFRFMT_TEST_METADATA_H
#define JFRFMT_TEST_METADATA_H

#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/intern.h"
#include "jfrfmt/read/metadata.h"

#define BASE 1000 /* file offset of the event */

/* A metadata event by hand: elements are appended in order, children behind their parent. */
struct made {
    struct intern strings;
    struct buf tree, event;
    int encoding; /* of the strings in the table */
};

static inline void word(struct made *m, const char *s)
{
    buf_varint(&m->tree, intern_add(&m->strings, s, strlen(s)));
}

/* attrs: key, value, ... or NULL for none. */
static inline void element(struct made *m, const char *name, const char *const *attrs,
                           uint64_t n_children)
{
    uint64_t n = 0;

    while (attrs != NULL && attrs[n] != NULL)
        n++;
    word(m, name);
    buf_varint(&m->tree, n / 2);
    for (uint64_t i = 0; i < n; i++)
        word(m, attrs[i]);
    buf_varint(&m->tree, n_children);
}

#define ATTRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void text(struct buf *b, int encoding, const char *s, size_t n)
{
    buf_byte(b, (uint8_t)encoding);
    buf_varint(b, n);
    buf_bytes(b, s, n);
}

static inline void finish(struct made *m)
{
    buf_be(&m->event, 0, 4);
    buf_varint(&m->event, 0);
    buf_varint(&m->event, 1);
    buf_varint(&m->event, 2);
    buf_varint(&m->event, (uint64_t)-5);
    buf_varint(&m->event, intern_n(&m->strings));
    for (uint32_t i = 0; i < intern_n(&m->strings); i++) {
        size_t n;
        const char *s = intern_get(&m->strings, i, &n);

        text(&m->event, m->encoding == 0 ? 3 : m->encoding, s, n);
    }
    buf_bytes(&m->event, m->tree.p, m->tree.n);
    buf_varint_at(m->event.p, m->event.n, 4);
}

static inline void made_free(struct made *m)
{
    intern_free(&m->strings);
    buf_free(&m->tree);
    buf_free(&m->event);
    *m = (struct made){0};
}

struct parsed {
    struct jfr_metadata md;
    struct arena arena;
    struct jfr_error err;
    struct guarded bytes;
    int rc;
};

static inline struct parsed parse(struct made *m)
{
    struct parsed p = {0};

    finish(m);
    p.bytes = guarded_copy(m->event.p, m->event.n, 0);
    p.rc = jfr_metadata_parse(&p.md, cur_over(p.bytes.bytes, p.bytes.n), BASE, &p.arena, &p.err);
    return p;
}

static inline void parsed_free(struct parsed *p, struct made *m)
{
    arena_free(&p->arena);
    guarded_free(&p->bytes);
    made_free(m);
}

static inline void open_tree(struct made *m, uint64_t n_classes)
{
    element(m, "root", NULL, 2);
    element(m, "metadata", NULL, n_classes);
}

static inline void region(struct made *m)
{
    element(m, "region", ATTRS("locale", "de_CH", "gmtOffset", "-3600000", "dst", "7"), 0);
}

static inline void leaf(struct made *m, const char *id, const char *name)
{
    element(m, "class", ATTRS("name", name, "id", id), 0);
}

static inline void annotation(struct made *m, const char *id, const char *value)
{
    element(m, "annotation", ATTRS("class", id, "value", value), 0);
}

#endif
