/* rewrite_test.c - what real recordings seldom hold: cycles, odd clocks, chunks that start at once.
 */
#include "convert/rewrite/rewrite.h"
#include "jfrfmt/jfr.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/chunk.h"

#define NODE 50
#define TICK 100
#define N 4

/* A chunk in which node i of a ring of `n` has key first + i; node 0 is named `name`, the others
 * "x". An event for each node, and one constant that nothing refers to. */
static void ring_chunk(struct tc *t, uint64_t first, uint64_t n, const char *name)
{
    tc_begin(t);
    tc_class(t, NODE, "a.Node", NULL);
    tc_field(t, "next", NODE, TC_POOLED);
    tc_field(t, "name", TC_STRING, 0);
    tc_class(t, 51, "jdk.jfr.Timestamp", "java.lang.annotation.Annotation");
    tc_field(t, "value", TC_STRING, 0);
    tc_class(t, TICK, "a.Tick", "jdk.jfr.Event");
    tc_field_with(t, "startTime", TC_LONG, 0, 51, "TICKS");
    tc_field_with(t, "took", TC_LONG, 0, TC_TIMESPAN, "TICKS");
    tc_field(t, "node", NODE, TC_POOLED);
    tc_pool_begin(t);
    tc_pool(t, NODE, n + 1);
    for (uint64_t i = 0; i < n; i++) {
        buf_varint(&t->b, first + i);
        buf_varint(&t->b, first + (i + 1) % n);
        tc_text(&t->b, i == 0 ? name : "x");
    }
    buf_varint(&t->b, first + n);
    buf_varint(&t->b, 0);
    tc_text(&t->b, "nobody asks for me");
    tc_pool_end(t);
    for (uint64_t i = 0; i < n; i++) {
        tc_event_begin(t, TICK);
        buf_varint(&t->b, 5000 + i);
        buf_varint(&t->b, 777777 + i);
        buf_varint(&t->b, first + i);
        tc_event_end(t);
    }
    tc_end(t);
}

static int gather(void *ctx, const void *bytes, size_t n)
{
    buf_bytes(ctx, bytes, n);
    return 0;
}

static void rewrite_all(const struct buf *in, struct buf *out)
{
    const struct raw_sink sink = {.write = gather, .ctx = out};
    struct rewrite *rw = rewrite_new(NULL);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(in->p, in->n, &err);
    struct jfr_event ev;
    struct jfr_raw raw;

    rewrite_to(rw, &sink);
    while (jfr_source_next(src, &raw, &err) > 0) {
        assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
        assert_int_equal(rewrite_begin(rw, chunk), 0);
        while (jfr_chunk_next(chunk, &ev) > 0)
            assert_int_equal(rewrite_event(rw, &ev), 0);
        assert_int_equal(rewrite_end(rw), 0);
        assert_int_equal(jfr_chunk_n_errors(chunk), 0);
        jfr_source_release(src, &raw);
    }
    assert_int_equal(rewrite_finish(rw), 0);
    rewrite_free(rw);
    jfr_chunk_free(chunk);
    jfr_source_close(src);
}

struct seen { /* of the events of a chunk */
    uint64_t keys[N];
    int64_t starts[N], spans[N]; /* ns */
    size_t n, n_constants;
    int64_t nanos;
};

static void look(const uint8_t *bytes, size_t n, struct seen *seen, size_t n_chunks)
{
    static const char *const want[] = {"startTime", "took", "node"};
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(bytes, n, &err);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_event ev;
    struct jfr_raw raw;

    for (size_t i = 0; i < n_chunks; i++) {
        const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
        struct seen *s = &seen[i];

        *s = (struct seen){0};
        assert_int_equal(jfr_source_next(src, &raw, &err), 1);
        assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
        s->nanos = h->start_nanos;
        for (; jfr_chunk_next(chunk, &ev) > 0; s->n++) {
            union jfr_value v[3];

            assert_true(s->n < N);
            assert_int_equal(
                jfr_plan_run(jfr_plan_shared(chunk, ev.type, want, 3), ev.body, v, NULL), 0);
            s->starts[s->n] = jfr_epoch_ns(h, v[0].i);
            s->spans[s->n] = jfr_span_ns(h, v[1].i);
            s->keys[s->n] = v[2].key;
        }
        s->n_constants = jfr_pool_n(
            jfr_chunk_pool(chunk, jfr_metadata_by_name(jfr_chunk_metadata(chunk), "a.Node")));
        assert_int_equal(jfr_chunk_n_errors(chunk), 0);
        jfr_source_release(src, &raw);
    }
    assert_int_equal(jfr_source_next(src, &raw, &err), 0);
    jfr_chunk_free(chunk);
    jfr_source_close(src);
}

/* Two chunks, rewritten. */
static void two_rings(struct tc *a, struct tc *b, struct seen seen[2])
{
    struct buf both = {0}, out = {0};

    buf_bytes(&both, a->b.p, a->b.n);
    buf_bytes(&both, b->b.p, b->b.n);
    rewrite_all(&both, &out);
    look(out.p, out.n, seen, 2);
    buf_free(&both);
    buf_free(&out);
}

static void same_cycle_in_another_chunk_has_the_same_keys(void **state)
{
    struct seen seen[2];
    struct tc a, b;

    (void)state;
    ring_chunk(&a, 10, N, "first");
    ring_chunk(&b, 1u << 30, N, "first");
    two_rings(&a, &b, seen);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(seen[0].keys[i], seen[1].keys[i]);
        assert_int_not_equal(seen[0].keys[i], 0);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(seen[0].keys[i], seen[0].keys[k]);
    }
    assert_int_equal(seen[0].n_constants, N);
    tc_free(&a);
    tc_free(&b);
}

static void other_cycle_has_other_keys(void **state)
{
    struct seen seen[2];
    struct tc a, b;

    (void)state;
    ring_chunk(&a, 10, N, "first");
    ring_chunk(&b, 10, N, "other");
    two_rings(&a, &b, seen);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++)
            assert_int_not_equal(seen[0].keys[i], seen[1].keys[k]);
    tc_free(&a);
    tc_free(&b);
}

static void constant_that_refers_to_itself(void **state)
{
    struct seen seen[2];
    struct tc a, b;

    (void)state;
    ring_chunk(&a, 10, 1, "x");
    ring_chunk(&b, 20, 1, "x");
    two_rings(&a, &b, seen);
    assert_int_equal(seen[0].n, 1);
    assert_int_not_equal(seen[0].keys[0], 0);
    assert_int_equal(seen[0].keys[0], seen[1].keys[0]);
    tc_free(&a);
    tc_free(&b);
}

static void times_stay_with_any_frequency(void **state)
{
    static const uint64_t frequencies[] = {1000000000, 2799998858, 1600000000, 1000, 24000000};

    (void)state;
    for (size_t i = 0; i < sizeof(frequencies) / sizeof(frequencies[0]); i++) {
        struct seen before, after[2];
        struct tc a, b;

        ring_chunk(&a, 10, N, "first");
        ring_chunk(&b, 10, N, "first");
        tc_poke(&b, 56, frequencies[i], 8);
        tc_poke(&b, 48, 4000, 8);
        look(b.b.p, b.b.n, &before, 1);
        two_rings(&a, &b, after);
        assert_memory_equal(before.starts, after[1].starts, sizeof(before.starts));
        assert_memory_equal(before.spans, after[1].spans, sizeof(before.spans));
        tc_free(&a);
        tc_free(&b);
    }
}

static void chunks_start_one_after_the_other(void **state)
{
    struct seen before, seen[2];
    struct tc a, b;

    (void)state;
    ring_chunk(&a, 10, N, "first");
    ring_chunk(&b, 10, N, "first");
    look(b.b.p, b.b.n, &before, 1);
    two_rings(&a, &b, seen);
    assert_int_equal(seen[0].nanos, before.nanos);
    assert_int_equal(seen[1].nanos, before.nanos + 1);
    assert_memory_equal(before.starts, seen[1].starts, sizeof(before.starts));
    tc_free(&a);
    tc_free(&b);
}

/* HotSpot has values of simple types in pools only, and the JDK's tool may refuse an inline one. */
static void inline_values_of_simple_types_become_what_they_hold(void **state)
{
    struct buf out = {0};
    struct tc t;
    struct jfr_error err = {0};
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_source *src;
    const struct jfr_class *event;
    union jfr_value v[1];
    struct jfr_event ev;
    struct jfr_raw raw;

    (void)state;
    tc_begin(&t);
    tc_class(&t, 60, "a.Name", "simple");
    tc_field(&t, "name", TC_STRING, 0);
    tc_class(&t, 61, "a.Counter", "simple");
    tc_field(&t, "of", 60, 0);
    tc_class(&t, 62, "a.Count", "jdk.jfr.Event");
    tc_field(&t, "startTime", TC_LONG, 0);
    tc_field(&t, "counter", 61, 0);
    tc_event_begin(&t, 62);
    buf_varint(&t.b, 5000);
    tc_text(&t.b, "hits");
    tc_event_end(&t);
    tc_end(&t);
    rewrite_all(&t.b, &out);
    src = jfr_source_open_mem(out.p, out.n, &err);
    assert_int_equal(jfr_source_next(src, &raw, &err), 1);
    assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
    event = jfr_metadata_by_name(jfr_chunk_metadata(chunk), "a.Count");
    assert_non_null(event);
    assert_string_equal(event->fields[1].type->name, "java.lang.String");
    assert_int_equal(jfr_chunk_next(chunk, &ev), 1);
    assert_int_equal(
        jfr_plan_run(jfr_plan_shared(chunk, ev.type, (const char *const[]){"counter"}, 1), ev.body,
                     v, NULL),
        0);
    assert_memory_equal(v[0].at, "\3\4hits", 6); /* UTF-8, 4 bytes */
    jfr_source_release(src, &raw);
    jfr_chunk_free(chunk);
    jfr_source_close(src);
    buf_free(&out);
    tc_free(&t);
}

/* The first of the published vectors: key 00 01 .. 0f, input 00 01 .. of so many bytes. */
static void keyed_hash_is_siphash(void **state)
{
    static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    static const uint64_t want[2][2] = {{0xe6a825ba047f81a3u, 0x930255c71472f66du},
                                        {0x44af996bd8c187dau, 0x45fc229b11597634u}};

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        uint64_t hash[2];

        siphash128(key, "\0", n, hash);
        assert_memory_equal(hash, want[n], sizeof(hash));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_cycle_in_another_chunk_has_the_same_keys),
        cmocka_unit_test(other_cycle_has_other_keys),
        cmocka_unit_test(constant_that_refers_to_itself),
        cmocka_unit_test(times_stay_with_any_frequency),
        cmocka_unit_test(chunks_start_one_after_the_other),
        cmocka_unit_test(inline_values_of_simple_types_become_what_they_hold),
        cmocka_unit_test(keyed_hash_is_siphash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
