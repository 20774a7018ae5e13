#include "jfrfmt/jfr.h"
#include "jfrfmt/v0/v0.h"
#include "jfrfmt/test/v0_testing.h"

#include <assert.h>

static uint64_t be(const uint8_t *p, unsigned n)
{
    struct cursor c = cur_over(p, n);

    return cur_be(&c, n);
}

/* Every event is exactly as long as its class says, and every constant is whole. */
static void read_all(struct jfr_chunk *chunk)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);
    struct jfr_event ev;

    while (jfr_chunk_next(chunk, &ev) > 0) {
        assert(ev.type != NULL && ev.type->is_event);
        jfr_plan_skip(jfr_plan_for_skipping(chunk, ev.type), &ev.body);
        assert(cur_ok(&ev.body) && cur_left(&ev.body) == 0);
    }
    for (size_t i = 0; i < md->n_classes; i++) {
        const struct jfr_pool *pool = jfr_chunk_pool(chunk, &md->classes[i]);
        for (size_t k = 0; k < jfr_pool_n(pool); k++) {
            struct cursor c = jfr_pool_value(pool, k);
            jfr_plan_skip(jfr_plan_for_skipping(chunk, &md->classes[i]), &c);
            assert(cur_ok(&c));
        }
    }
    assert(jfr_chunk_n_errors(chunk) == 0);
}

static void rewrite(const uint8_t *bytes, size_t n)
{
    struct buf out = {0};
    struct jfr_error err = {0};
    int rc = v0_rewrite(bytes, n, 1000, &out, &err);

    assert(rc == err.code && (rc == 0 || err.text[0] != '\0'));
    assert(rc != 0 || out.n > 0);
    assert(out.n <= 64 * n + 16384);
    if (out.n > 0) {
        struct jfr_raw raw = {.bytes = out.p, .n = out.n, .declared = out.n};
        struct jfr_chunk *chunk = jfr_chunk_new();
        assert(memcmp(out.p, "FLR\0\0\2\0\1", 8) == 0 && be(out.p + 8, 8) == out.n);
        assert(jfr_chunk_load(chunk, &raw, &err) == 0 || err.code == JFR_E_NOMEM);
        read_all(chunk);
        jfr_chunk_free(chunk);
    }
    buf_free(&out);
}

/* The hand-made chunk with bytes replaced: each five of the input say where (two) and what. */
static void patch(const uint8_t *bytes, size_t n)
{
    struct buf sample = {0};

    sample_chunk(&sample);
    for (; n >= 5; bytes += 5, n -= 5) {
        size_t at = be(bytes, 2) % sample.n, room = sample.n - at;
        memcpy(sample.p + at, bytes + 2, room < 3 ? room : 3);
    }
    rewrite(sample.p, sample.n);
    buf_free(&sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rewrite(bytes, n);
    patch(bytes, n);
    return 0;
}
