/*
 * crafted_test.c - recordings that are legal or nearly so, and cost a careless reader far more than
 * their size. crafted_test --write SHAPE N FILE writes one; without arguments it tests that each is
 * what it says. Shapes, where N grows:
 *
 *     fields       one event type with N fields, 20 events
 *     types        N event types, an event each
 *     same-name    N event types of one name and with a field of their own, an event each
 *     super        N classes, each the super class of the next, and 20 events of the last
 *     struct       N classes, each with a field of the one before, and an event of the last
 *     empty        N classes, each with 20 fields of the one before, the first without any field
 *     pools        one event, and N constants that refer to each other in a chain
 *     text         one text of N bytes in 20 events
 *     attributes   one event type with N annotations
 *     frames       one stack of N frames, of which it says that it is not whole, in 20 events
 *     stacks       N events with stacks of 64 frames, all different
 *     threads      N threads with an event each
 *     past         one sample of an allocation of N MB in the first millisecond
 */
#include "jfrfmt/read/chunk.h"
#include "jfrfmt/test/chunk.h"
#include "jfrfmt/test/testing.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 1000 /* id of a shape's first class */
#define N_EVENTS 20

/* An event type as the JDK's: with a start time. */
static void event_class(struct tc *t, int64_t id, const char *name)
{
    tc_class(t, id, name, "jdk.jfr.Event");
    tc_field(t, "startTime", TC_LONG, 0);
}

static void event_begin(struct tc *t, int64_t type, unsigned i)
{
    tc_event_begin(t, type);
    buf_varint(&t->b, i);
}

static char *name_of(const char *stem, unsigned i)
{
    static char name[64];

    snprintf(name, sizeof(name), "%s%u", stem, i);
    return name;
}

static void fields(struct tc *t, unsigned n)
{
    event_class(t, FIRST, "a.Wide");
    for (unsigned i = 0; i < n; i++)
        tc_field(t, name_of("f", i), TC_LONG, 0);
    for (unsigned e = 0; e < N_EVENTS; e++) {
        event_begin(t, FIRST, e);
        for (unsigned i = 0; i < n; i++)
            buf_byte(&t->b, 1);
        tc_event_end(t);
    }
}

static void types(struct tc *t, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        event_class(t, FIRST + i, name_of("a.Type", i));
    for (unsigned i = 0; i < n; i++) {
        event_begin(t, FIRST + i, i);
        tc_event_end(t);
    }
}

static void same_name(struct tc *t, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        event_class(t, FIRST + i, "a.Same");
        tc_field(t, name_of("f", i), TC_LONG, 0);
    }
    for (unsigned i = 0; i < n; i++) {
        event_begin(t, FIRST + i, i);
        buf_byte(&t->b, 1);
        tc_event_end(t);
    }
}

static void super(struct tc *t, unsigned n)
{
    char above[64] = "jdk.jfr.Event";

    for (unsigned i = 0; i < n; i++) {
        const char *name = name_of("a.Sub", i);

        tc_class(t, FIRST + i, name, above);
        if (i == 0)
            tc_field(t, "startTime", TC_LONG, 0);
        snprintf(above, sizeof(above), "%s", name);
    }
    for (unsigned e = 0; e < N_EVENTS; e++) {
        event_begin(t, FIRST + n - 1, e);
        tc_event_end(t);
    }
}

static void structs(struct tc *t, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        tc_class(t, FIRST + i, name_of("a.Struct", i), NULL);
        tc_field(t, "inner", i == 0 ? TC_LONG : FIRST + i - 1, 0);
    }
    event_class(t, FIRST + n, "a.Deep");
    tc_field(t, "value", FIRST + n - 1, 0);
    for (unsigned e = 0; e < N_EVENTS; e++) {
        event_begin(t, FIRST + n, e);
        buf_byte(&t->b, 1);
        tc_event_end(t);
    }
}

static void empty(struct tc *t, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        tc_class(t, FIRST + i, name_of("a.Empty", i), NULL);
        for (unsigned f = 0; i > 0 && f < 20; f++)
            tc_field(t, name_of("f", f), FIRST + i - 1, 0);
    }
    event_class(t, FIRST + n, "a.Nothing");
    tc_field(t, "value", FIRST + n - 1, 0);
    for (unsigned e = 0; e < N_EVENTS; e++) {
        event_begin(t, FIRST + n, e);
        tc_event_end(t);
    }
}

static void pools(struct tc *t, unsigned n)
{
    tc_class(t, FIRST, "a.Link", NULL);
    tc_field(t, "next", FIRST, TC_POOLED);
    event_class(t, FIRST + 1, "a.Chain");
    tc_field(t, "first", FIRST, TC_POOLED);
    event_begin(t, FIRST + 1, 0);
    buf_varint(&t->b, 1);
    tc_event_end(t);
    tc_pool_begin(t);
    tc_pool(t, FIRST, n);
    for (unsigned i = 1; i <= n; i++) {
        buf_varint(&t->b, i);
        buf_varint(&t->b, i < n ? i + 1 : 0);
    }
    tc_pool_end(t);
}

static void text(struct tc *t, unsigned n)
{
    event_class(t, FIRST, "a.Text");
    tc_field(t, "text", TC_STRING, 0);
    for (unsigned e = 0; e < N_EVENTS; e++) {
        event_begin(t, FIRST, e);
        buf_byte(&t->b, 2); /* a constant */
        buf_varint(&t->b, 1);
        tc_event_end(t);
    }
    tc_pool_begin(t);
    tc_pool(t, TC_STRING, 1);
    buf_varint(&t->b, 1);
    buf_byte(&t->b, 3); /* UTF-8 */
    buf_varint(&t->b, n);
    for (unsigned i = 0; i < n; i++)
        buf_byte(&t->b, (uint8_t)('a' + i % 26));
    tc_pool_end(t);
}

static void attributes(struct tc *t, unsigned n)
{
    event_class(t, FIRST, "a.Annotated");
    tc_field_with(t, "f", TC_LONG, 0, TC_LABEL, "label");
    for (unsigned i = 0; i < n; i++)
        tc_annotation(t, TC_LABEL, name_of("label", i));
    for (unsigned e = 0; e < N_EVENTS; e++) {
        event_begin(t, FIRST, e);
        buf_byte(&t->b, 1);
        tc_event_end(t);
    }
}

/* n_stacks stacks of `depth` frames each, of 1000 methods. */
static void write_stacks(struct tc *t, unsigned n_stacks, unsigned depth)
{
    tc_pool_begin(t);
    tc_pool(t, TC_TRACE, n_stacks);
    for (unsigned s = 0; s < n_stacks; s++) {
        buf_varint(&t->b, s + 1);
        buf_byte(&t->b, n_stacks == 1); /* truncated */
        buf_varint(&t->b, depth);
        for (unsigned f = 0; f < depth; f++) {
            buf_varint(&t->b, (s * 7919ull + f * (f < 4 ? s / 1000 + 1 : 1)) % 1000 + 1);
            buf_varint(&t->b, f); /* line */
            buf_varint(&t->b, 0);
            buf_varint(&t->b, 1);
        }
    }
    tc_pool(t, TC_METHOD, 1000);
    for (unsigned m = 1; m <= 1000; m++) {
        buf_varint(&t->b, m);
        buf_varint(&t->b, 0); /* class */
        buf_varint(&t->b, m); /* name */
        buf_varint(&t->b, m); /* descriptor */
        buf_varint(&t->b, 1);
        buf_byte(&t->b, 0);
    }
    tc_pool(t, TC_SYMBOL, 1000);
    for (unsigned m = 1; m <= 1000; m++) {
        buf_varint(&t->b, m);
        tc_text(&t->b, name_of("method", m));
    }
    tc_pool_end(t);
}

static void sample_class(struct tc *t)
{
    event_class(t, FIRST, "jdk.ExecutionSample");
    tc_field(t, "sampledThread", TC_THREAD, TC_POOLED);
    tc_field(t, "stackTrace", TC_TRACE, TC_POOLED);
    tc_field(t, "state", TC_STATE, TC_POOLED);
}

static void sample(struct tc *t, unsigned i, unsigned thread, unsigned stack)
{
    event_begin(t, FIRST, i);
    buf_varint(&t->b, thread);
    buf_varint(&t->b, stack);
    buf_varint(&t->b, 0);
    tc_event_end(t);
}

static void frames(struct tc *t, unsigned n)
{
    sample_class(t);
    for (unsigned e = 0; e < N_EVENTS; e++)
        sample(t, e, 0, 1);
    write_stacks(t, 1, n);
}

static void stacks(struct tc *t, unsigned n)
{
    sample_class(t);
    for (unsigned e = 0; e < n; e++)
        sample(t, e, 0, e + 1);
    write_stacks(t, n, 64);
}

static void threads(struct tc *t, unsigned n)
{
    sample_class(t);
    for (unsigned e = 0; e < n; e++)
        sample(t, e, e + 1, 0);
    tc_pool_begin(t);
    tc_pool(t, TC_THREAD, n);
    for (unsigned i = 1; i <= n; i++) {
        buf_varint(&t->b, i);
        tc_text(&t->b, name_of("thread", i)); /* name of the system */
        buf_varint(&t->b, i);
        tc_text(&t->b, name_of("java", i));
        buf_varint(&t->b, i);
    }
    tc_pool_end(t);
}

static void past(struct tc *t, unsigned n)
{
    event_class(t, FIRST, "jdk.ObjectAllocationSample");
    tc_field(t, "eventThread", TC_THREAD, TC_POOLED);
    tc_field(t, "stackTrace", TC_TRACE, TC_POOLED);
    tc_field(t, "objectClass", TC_CLASS, TC_POOLED);
    tc_field(t, "weight", TC_LONG, 0);
    event_begin(t, FIRST, 1000);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, n * 1000000ull);
    tc_event_end(t);
}

static const struct {
    const char *name;
    void (*make)(struct tc *t, unsigned n);
} shapes[] = {
    {"fields", fields}, {"types", types},    {"same-name", same_name},
    {"super", super},   {"struct", structs}, {"empty", empty},
    {"pools", pools},   {"text", text},      {"attributes", attributes},
    {"frames", frames}, {"stacks", stacks},  {"threads", threads},
    {"past", past},
};

static int save(const char *path, const struct tc *t)
{
    FILE *f = fopen(path, "wb");

    if (f == NULL || fwrite(t->b.p, 1, t->b.n, f) != t->b.n || fclose(f) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

static bool make(const char *name, unsigned n, struct tc *t)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (strcmp(name, shapes[i].name) != 0)
            continue;
        tc_begin(t);
        shapes[i].make(t, n);
        tc_end(t);
        return true;
    }
    return false;
}

static int write_one(const char *name, const char *n, const char *path)
{
    struct tc t;
    int rc;

    if (!make(name, (unsigned)strtoul(n, NULL, 10), &t)) {
        fprintf(stderr, "no shape %s\n", name);
        return 2;
    }
    rc = save(path, &t);
    tc_free(&t);
    return rc;
}

/* The chunk is read without a word, and has so many events and classes of its own. */
static void expect(const char *name, unsigned n, size_t n_events, size_t n_classes)
{
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_error err = {0};
    struct jfr_event ev;
    size_t events = 0, classes = 0;
    struct jfr_raw raw;
    struct tc t;

    assert_true(make(name, n, &t));
    raw = tc_raw(&t);
    assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
    while (jfr_chunk_next(chunk, &ev) > 0)
        events += ev.type != NULL;
    for (size_t i = 0; i < jfr_chunk_metadata(chunk)->n_classes; i++)
        classes += jfr_chunk_metadata(chunk)->classes[i].id >= FIRST;
    assert_int_equal(jfr_chunk_n_errors(chunk), 0);
    assert_int_equal(events, n_events);
    assert_int_equal(classes, n_classes);
    jfr_chunk_free(chunk);
    tc_free(&t);
}

static void each_is_a_chunk(void **state)
{
    (void)state;
    expect("fields", 100, N_EVENTS, 1);
    expect("types", 100, 100, 100);
    expect("same-name", 100, 100, 100);
    expect("super", 100, 0, 100); /* only a class right below jdk.jfr.Event is an event type */
    expect("struct", 20, N_EVENTS, 21);
    expect("empty", 3, N_EVENTS, 4);
    expect("pools", 100, 1, 2);
    expect("text", 100, N_EVENTS, 1);
    expect("attributes", 100, N_EVENTS, 1);
    expect("frames", 100, N_EVENTS, 1);
    expect("stacks", 100, 100, 1);
    expect("threads", 100, 100, 1);
    expect("past", 100, 1, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_a_chunk)};

    if (argc == 5 && strcmp(argv[1], "--write") == 0)
        return write_one(argv[2], argv[3], argv[4]);
    return cmocka_run_group_tests_name("crafted recordings", tests, NULL, NULL);
}
