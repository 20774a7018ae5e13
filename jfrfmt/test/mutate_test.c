#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/arena.h"
#include "jfrfmt/test/rich.h"
#include "jfrfmt/test/walk.h"

#include <time.h>

/* Every truncation, every byte at sixteen values, every varint at five: whatever comes out, it ends
 * soon, and the damage has a word. What it reads is told by sanitizers and by the guard page. */
struct seed {
    const char *name;
    void (*make)(struct buf *b);
};

static void take(struct buf *b, struct tc *t)
{
    buf_bytes(b, t->b.p, t->b.n);
    tc_free(t);
}

static void rich(struct buf *b)
{
    struct tc t;

    rich_chunk(&t);
    take(b, &t);
}

static void unfinished(struct buf *b)
{
    rich(b);
    b->p[64] = 1;
}

static void no_offsets(struct buf *b)
{
    rich(b);
    memset(b->p + 16, 0, 16);
}

static void nested(struct buf *b)
{
    struct tc t;

    tc_begin(&t);
    tc_class(&t, 101, "Inner", NULL);
    tc_field(&t, "x", TC_INT, TC_ARRAY);
    tc_field(&t, "text", TC_STRING, 0);
    tc_class(&t, 100, "a.Event", "jdk.jfr.Event");
    tc_field(&t, "inner", 101, TC_ARRAY);
    tc_field(&t, "one", 101, 0);
    tc_field(&t, "texts", TC_STRING, TC_ARRAY);
    tc_field(&t, "d", TC_DOUBLE, TC_ARRAY);
    tc_event_begin(&t, 100);
    buf_bytes(&t.b, "\2\2\1\2\3\1a\0\1\1\5\4\2ab\2\3\1b\0\1\1\2\3\4\5\6\7\0", 26);
    tc_event_end(&t);
    tc_end(&t);
    take(b, &t);
}

static const struct seed seeds[] = {
    {"a chunk with everything", rich},
    {"the same, never finished", unfinished},
    {"the same, offsets lost", no_offsets},
    {"structs, arrays, strings", nested},
};

static void decode(struct jfr_chunk *chunk, const uint8_t *bytes, size_t n)
{
    struct jfr_raw raw = {.bytes = bytes, .n = n, .declared = n};
    struct jfr_error err = {0};
    struct walk w = {0};
    int rc = jfr_chunk_load(chunk, &raw, &err);

    assert_int_equal(rc, err.code);
    if (rc != 0) {
        assert_true(rc < 0 && rc != JFR_E_NOMEM && err.text[0] != '\0' && err.offset <= n);
        return;
    }
    walk_chunk(&w, chunk);
    assert_true(arena_ok(jfr_chunk_arena(chunk)));
    assert_true(w.n_events <= n);
}

static void truncations(struct jfr_chunk *chunk, const struct buf *b)
{
    for (size_t n = 0; n < b->n; n++) {
        struct guarded g = guarded_copy(b->p, n, 0);

        decode(chunk, g.bytes, n);
        guarded_free(&g);
    }
}

static void bytes(struct jfr_chunk *chunk, struct guarded *g)
{
    static const uint8_t values[16] = {0,    1,    2,    3,    4,    5,    6,    0x0f,
                                       0x10, 0x3f, 0x7f, 0x80, 0x81, 0xc0, 0xfe, 0xff};

    for (size_t i = 0; i < g->n; i++) {
        uint8_t was = g->bytes[i];

        for (int v = 0; v < 16; v++) {
            g->bytes[i] = values[v];
            decode(chunk, g->bytes, g->n);
        }
        g->bytes[i] = was;
    }
}

/* Any place may be a varint: it is replaced by another, and the rest moves. The header, which has
 * none, is put right: it would say no more than that all offsets are wrong. */
static void varints(struct jfr_chunk *chunk, const struct buf *b)
{
    static const uint64_t values[] = {0, 1, UINT64_C(1) << 31, UINT64_C(1) << 63, UINT64_MAX};

    for (size_t i = JFR_CHUNK_HEADER_SIZE; i < b->n; i++)
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            struct cursor c = cur_over(b->p + i, b->n - i);
            struct tc t = {0};
            size_t metadata = (size_t)b->p[30] << 8 | b->p[31], longer;

            cur_varint(&c);
            buf_bytes(&t.b, b->p, i);
            buf_varint(&t.b, values[v]);
            longer = t.b.n - (size_t)(c.p - b->p);
            buf_bytes(&t.b, c.p, cur_left(&c));
            tc_poke(&t, 8, t.b.n, 8);
            if (metadata > i)
                tc_poke(&t, 24, metadata + longer, 8);
            decode(chunk, t.b.p, t.b.n);
            buf_free(&t.b);
        }
}

static void spoilt_everywhere(void **state)
{
    const struct seed *seed = *state;
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct buf b = {0};
    struct guarded g;

    seed->make(&b);
    assert_in_range(b.n, JFR_CHUNK_HEADER_SIZE, 1536);
    decode(chunk, b.p, b.n);
    assert_int_equal(jfr_chunk_n_errors(chunk), b.p[64] != 0);
    truncations(chunk, &b);
    g = guarded_copy(b.p, b.n, 0);
    bytes(chunk, &g);
    guarded_free(&g);
    varints(chunk, &b);
    buf_free(&b);
    jfr_chunk_free(chunk);
}

int main(void)
{
    return run_rows("mutate", seeds, spoilt_everywhere);
}
