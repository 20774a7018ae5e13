#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/arena.h"
#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/alloc.h"
#include "jfrfmt/test/rich.h"
#include "jfrfmt/test/walk.h"

/* Each way of the file image is read to its end with the k-th allocation failing, for every k. */
struct image {
    const char *name;
    void (*make)(struct buf *b);
};

static void one_chunk(struct buf *b)
{
    struct tc t;

    rich_chunk(&t);
    tc_poke(&t, 32, b->n + 1, 8);
    buf_bytes(b, t.b.p, t.b.n);
    tc_free(&t);
}

static void two_chunks(struct buf *b)
{
    one_chunk(b);
    one_chunk(b);
}

/* Its metadata is looked for, and its checkpoints too. */
static void lost_offsets(struct buf *b)
{
    one_chunk(b);
    memset(b->p + 16, 0, 16);
}

/* Tables that have to grow: classes by hash, constants by hash, many checkpoints. */
static void large(struct buf *b)
{
    struct tc t;

    tc_begin(&t);
    for (int i = 0; i < 700; i++)
        tc_class(&t, 1000000 + 7777 * i, "a.Class", NULL);
    for (uint64_t i = 0; i < 200; i++) {
        tc_pool_begin(&t);
        tc_pool(&t, TC_STRING, 20);
        for (uint64_t j = 0; j < 20; j++) {
            buf_varint(&t.b, (i * 20 + j) * 1000003);
            tc_text(&t.b, "text");
        }
        tc_pool_end(&t);
    }
    tc_end(&t);
    buf_bytes(b, t.b.p, t.b.n);
    tc_free(&t);
}

static const struct image images[] = {
    {"a chunk", one_chunk},
    {"two chunks", two_chunks},
    {"offsets lost", lost_offsets},
    {"large tables", large},
};

/* 0, or the first final error. */
static int read_image(const struct buf *b, struct walk *w)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(b->p, b->n, &err);
    struct jfr_reader *r = src == NULL ? NULL : jfr_reader_open_source_take(src, &err);
    const struct jfr_chunk_header *entered = NULL;
    uint64_t start = 0;
    struct jfr_event ev;
    int rc, again;

    if (r == NULL)
        return err.code;
    while ((rc = jfr_reader_next(r, &ev)) != 0) {
        if (rc == JFR_E_NOMEM || rc == JFR_E_IO)
            break;
        entered = jfr_chunk_header(jfr_reader_chunk(r));
        if (rc > 0 && (w->chunk == NULL || entered->offset + 1 != start)) {
            start = entered->offset + 1;
            jfr_chunk_rewind(jfr_reader_chunk(r));
            walk_chunk(w, jfr_reader_chunk(r));
        }
    }
    again = jfr_reader_next(r, &ev);
    assert_int_equal(again, rc); /* final answers repeat */
    jfr_reader_close(r);
    return rc;
}

static void reads_all_or_says_so(void **state)
{
    const struct image *image = *state;
    struct buf b = {0};
    struct walk whole = {0};
    bool failed = true;

    image->make(&b);
    assert_int_equal(read_image(&b, &whole), 0);
    for (int forever = 0; forever < 2; forever++, failed = true)
        for (long k = 1; failed; k++) {
            struct walk w = {0};
            int rc;

            alloc_fail(k, forever);
            rc = read_image(&b, &w);
            failed = alloc_stop();
            if (failed && !w.starved)
                assert_int_equal(rc, JFR_E_NOMEM);
            if (rc == 0 && !w.starved) {
                assert_int_equal(w.n_events, whole.n_events);
                assert_int_equal(w.n_decoded, whole.n_decoded);
                assert_int_equal(w.n_texts, whole.n_texts);
            }
        }
    buf_free(&b);
}

/* A chunk object that met a shortage is as good as new at the next load. */
static void chunk_recovers(void **state)
{
    const struct image *image = *state;
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct buf b = {0};
    struct walk whole = {0};
    struct jfr_raw raw;
    struct jfr_error err = {0};
    bool failed = true;

    image->make(&b);
    raw = (struct jfr_raw){.bytes = b.p, .n = b.n, .declared = b.n};
    if (image->make == two_chunks)
        raw.n = raw.declared = b.n / 2;
    assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
    walk_chunk(&whole, chunk);
    jfr_chunk_free(chunk);
    chunk = jfr_chunk_new();
    for (long k = 1; failed; k++) {
        struct walk w = {0}, after = {0};
        int rc;

        err = (struct jfr_error){0};
        alloc_fail(k, false);
        rc = jfr_chunk_load(chunk, &raw, &err);
        if (rc == 0)
            walk_chunk(&w, chunk);
        failed = alloc_stop();
        assert_true(rc == 0 || (rc == JFR_E_NOMEM && err.code == rc));
        if (failed && rc == 0 && !w.starved)
            assert_false(arena_ok(jfr_chunk_arena(chunk)));
        err = (struct jfr_error){0};
        assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
        walk_chunk(&after, chunk);
        assert_true(after.n_texts == whole.n_texts && after.n_decoded == whole.n_decoded);
        if (failed) { /* all its memory is there now: begin with a new one */
            jfr_chunk_free(chunk);
            chunk = jfr_chunk_new();
        }
    }
    jfr_chunk_free(chunk);
    buf_free(&b);
}

static void intern_fails_cleanly(void **state)
{
    bool failed = true;

    (void)state;
    for (long k = 1; failed; k++) {
        struct intern in = {0};
        uint32_t n = 0, id = 0;

        alloc_fail(k, true);
        for (; n < 2000 && id != INTERN_FAILED; n++)
            id = intern_add(&in, &n, sizeof(n));
        failed = alloc_stop();
        assert_int_equal(id == INTERN_FAILED, failed);
        assert_int_equal(intern_n(&in), failed ? n - 1 : n);
        for (uint32_t i = 0; i < intern_n(&in); i++)
            assert_memory_equal(intern_get(&in, i, NULL), &i, sizeof(i));
        intern_free(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(intern_fails_cleanly)};

    return run_rows("alloc: reader", images, reads_all_or_says_so) +
           run_rows("alloc: chunk", images, chunk_recovers) +
           cmocka_run_group_tests_name("alloc: intern", tests, NULL, NULL);
}
