/*
 * seeds.c - makes the seeds of the fuzz targets: small recordings that hold every shape a field can
 * have, so that mutations reach the code behind each. From the root of the project:
 *
 *     make && cc -I. -D_GNU_SOURCE -o build/seeds test-data/fuzz/seeds.c build/libjfrkit.a && \
 *         build/seeds test-data/fuzz/recording
 */
#include "jfrfmt/base/buf.h"

#include <stdio.h>
#include <string.h>

#define TICKS 1000
#define N_WORDS 64

struct words { /* the metadata's string table */
    const char *text[N_WORDS];
    unsigned n;
};

static void text(struct buf *b, const char *s)
{
    buf_byte(b, 3);
    buf_varint(b, strlen(s));
    buf_bytes(b, s, strlen(s));
}

/* An event of the content, its size in four bytes. */
static void event(struct buf *b, uint64_t type, struct buf *body)
{
    struct buf head = {0};
    size_t size;

    buf_varint(&head, type);
    size = 4 + head.n + body->n;
    for (int i = 0; i < 4; i++)
        buf_byte(b, (uint8_t)((size >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0)));
    buf_bytes(b, head.p, head.n);
    buf_bytes(b, body->p, body->n);
    buf_free(&head);
    buf_free(body);
}

static void word(struct buf *b, struct words *w, const char *s)
{
    unsigned i;

    for (i = 0; i < w->n && strcmp(w->text[i], s) != 0; i++)
        ;
    if (i == w->n)
        w->text[w->n++] = s;
    buf_varint(b, i);
}

/* The start of an element; its children follow by themselves. */
static void element(struct buf *b, struct words *w, const char *name, const char *const *attrs,
                    unsigned n_children)
{
    unsigned n = 0;

    while (attrs != NULL && attrs[n] != NULL)
        n++;
    word(b, w, name);
    buf_varint(b, n / 2);
    for (unsigned i = 0; i < n; i++)
        word(b, w, attrs[i]);
    buf_varint(b, n_children);
}

#define ATTRS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define CLASS(n_fields, ...) element(b, w, "class", ATTRS(__VA_ARGS__), n_fields)
#define FIELD(...) element(b, w, "field", ATTRS(__VA_ARGS__), 0)

static void classes(struct buf *b, struct words *w)
{
    static const char *const primitives[][2] = {
        {"boolean", "4"}, {"char", "5"}, {"float", "6"}, {"double", "7"},           {"byte", "8"},
        {"short", "9"},   {"int", "10"}, {"long", "11"}, {"java.lang.String", "20"}};

    element(b, w, "root", NULL, 2);
    element(b, w, "metadata", NULL, 15);
    for (size_t i = 0; i < 9; i++)
        CLASS(0, "name", primitives[i][0], "id", primitives[i][1]);
    CLASS(4, "name", "java.lang.Thread", "id", "22");
    FIELD("name", "osName", "class", "20");
    FIELD("name", "osThreadId", "class", "11");
    FIELD("name", "javaName", "class", "20");
    FIELD("name", "javaThreadId", "class", "11");
    CLASS(1, "name", "jdk.types.Symbol", "id", "30", "simpleType", "true");
    FIELD("name", "string", "class", "20");
    CLASS(2, "name", "java.lang.Class", "id", "21"); /* refers to itself */
    FIELD("name", "name", "class", "30", "constantPool", "true");
    FIELD("name", "outer", "class", "21", "constantPool", "true");
    CLASS(2, "name", "jdk.types.StackFrame", "id", "27");
    FIELD("name", "method", "class", "21", "constantPool", "true");
    FIELD("name", "lineNumber", "class", "10");
    CLASS(2, "name", "jdk.types.StackTrace", "id", "26");
    FIELD("name", "truncated", "class", "4");
    FIELD("name", "frames", "class", "27", "dimension", "1");
    CLASS(14, "name", "seed.All", "id", "101", "superType", "jdk.jfr.Event");
    FIELD("name", "startTime", "class", "11");
    FIELD("name", "eventThread", "class", "22", "constantPool", "true");
    FIELD("name", "stackTrace", "class", "26", "constantPool", "true");
    for (size_t i = 0; i < 9; i++)
        FIELD("name", primitives[i][0], "class", primitives[i][1]);
    FIELD("name", "inline", "class", "22");
    FIELD("name", "array", "class", "20", "dimension", "1");
    element(b, w, "region", ATTRS("locale", "en_US", "gmtOffset", "3600000"), 0);
}

static void metadata(struct buf *b)
{
    struct buf body = {0}, tree = {0};
    struct words w = {.n = 0};

    classes(&tree, &w);
    buf_varint(&body, TICKS);
    buf_varint(&body, 0);
    buf_varint(&body, 1);
    buf_varint(&body, w.n);
    for (unsigned i = 0; i < w.n; i++)
        text(&body, w.text[i]);
    buf_bytes(&body, tree.p, tree.n);
    buf_free(&tree);
    event(b, 0, &body);
}

static void pools(struct buf *b, int64_t delta)
{
    struct buf body = {0};

    buf_varint(&body, TICKS);
    buf_varint(&body, 0);
    buf_varint(&body, (uint64_t)delta);
    buf_byte(&body, 1);
    buf_varint(&body, 5);
    buf_varint(&body, 22), buf_varint(&body, 1), buf_varint(&body, 7);
    text(&body, "main"), buf_varint(&body, 70), text(&body, "main"), buf_varint(&body, 1);
    buf_varint(&body, 30), buf_varint(&body, 1), buf_varint(&body, 3), text(&body, "a/B");
    buf_varint(&body, 21), buf_varint(&body, 1), buf_varint(&body, 2), buf_varint(&body, 3),
        buf_varint(&body, 2);
    buf_varint(&body, 26), buf_varint(&body, 1), buf_varint(&body, 9), buf_byte(&body, 0);
    buf_varint(&body, 2), buf_varint(&body, 2), buf_varint(&body, 42), buf_varint(&body, 2),
        buf_varint(&body, 0);
    buf_varint(&body, 20), buf_varint(&body, 1), buf_varint(&body, 5), text(&body, "pooled");
    event(b, 1, &body);
}

static void all(struct buf *b, uint64_t ticks)
{
    struct buf body = {0};

    buf_varint(&body, ticks), buf_varint(&body, 7), buf_varint(&body, 9);
    buf_byte(&body, 1), buf_varint(&body, 'c'), buf_be(&body, 0x3fc00000, 4),
        buf_be(&body, 0x4004ull << 48, 8);
    buf_byte(&body, 0xff), buf_varint(&body, 300), buf_varint(&body, UINT64_MAX),
        buf_varint(&body, 1ull << 60);
    text(&body, "caf\xc3\xa9");
    buf_byte(&body, 5), buf_varint(&body, 2), buf_bytes(&body, "t\xe9", 2), buf_varint(&body, 70);
    buf_byte(&body, 4), buf_varint(&body, 2), buf_varint(&body, 0xd83d), buf_varint(&body, 0xde00);
    buf_varint(&body, 1);
    buf_varint(&body, 4), buf_byte(&body, 0), buf_byte(&body, 1), buf_byte(&body, 2);
    buf_varint(&body, 5), text(&body, "x");
    event(b, 101, &body);
}

static void chunk(struct buf *b, uint64_t start_ns)
{
    struct buf events = {0}, head = {0};
    size_t first, last;

    metadata(&events);
    all(&events, TICKS + 5);
    first = events.n;
    pools(&events, 0);
    all(&events, TICKS + 3);
    last = events.n;
    pools(&events, (int64_t)first - (int64_t)last);
    buf_bytes(&head, "FLR\0\0\2\0\1", 8);
    buf_be(&head, 68 + events.n, 8), buf_be(&head, 68 + last, 8), buf_be(&head, 68, 8);
    buf_be(&head, start_ns, 8), buf_be(&head, 1000, 8), buf_be(&head, TICKS, 8),
        buf_be(&head, 1000000000, 8);
    buf_be(&head, 1, 4);
    buf_bytes(b, head.p, head.n);
    buf_bytes(b, events.p, events.n);
    buf_free(&head);
    buf_free(&events);
}

static int save(const char *dir, const char *name, const struct buf *b, size_t n)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "wb");
    if (f == NULL || fwrite(b->p, 1, n, f) != n || fclose(f) != 0)
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    struct buf one = {0}, two = {0};

    if (argc != 2)
        return 2;
    chunk(&one, 1700000000000000000);
    chunk(&two, 1700000000000000000);
    chunk(&two, 1700000001000000000);
    return one.failed || two.failed || save(argv[1], "one.jfr", &one, one.n) ||
           save(argv[1], "two.jfr", &two, two.n) ||
           save(argv[1], "cut.jfr", &two, two.n - two.n / 20);
}
