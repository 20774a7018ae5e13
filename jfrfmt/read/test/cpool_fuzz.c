#include <assert.h>

#include "jfrfmt/test/chunk.h"
#include "jfrfmt/test/testing_fuzz.h"
#include "jfrfmt/test/walk.h"

#define EVENT 100

/* A chunk that has metadata and nothing else; made once. */
static struct tc fixed;

static void make_fixed(void)
{
    tc_begin(&fixed);
    tc_class(&fixed, EVENT, "a.Tick", "jdk.jfr.Event");
    tc_field(&fixed, "eventThread", TC_THREAD, TC_POOLED);
    tc_field(&fixed, "stackTrace", TC_TRACE, TC_POOLED);
    tc_class(&fixed, EVENT + 1, "Empty", "x");
    tc_class(&fixed, EVENT + 2, "Odd", NULL);
    tc_field(&fixed, "texts", TC_STRING, TC_ARRAY);
    tc_field(&fixed, "frames", TC_FRAME, TC_ARRAY);
    tc_field(&fixed, "nothing", EVENT + 1, TC_ARRAY);
    tc_field(&fixed, "d", TC_DOUBLE, 0);
    tc_field(&fixed, "b", TC_BYTE, TC_ARRAY);
    tc_end(&fixed);
}

/* The bytes are what follows the metadata: checkpoints, the last byte of the first `head` of which
 * says where the chain starts. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct jfr_chunk *chunk;
    struct buf b = {0};
    struct jfr_error err = {0};
    struct jfr_raw raw;
    struct walk w = {0};

    if (fixed.b.n == 0) {
        make_fixed();
        chunk = jfr_chunk_new();
    }
    if (n < 2)
        return 0;
    buf_bytes(&b, fixed.b.p, fixed.b.n);
    buf_bytes(&b, bytes + 2, n - 2);
    put_be(b.p + 8, b.n);
    put_be(b.p + 16, fixed.b.n + bytes[0]);
    b.p[64] = bytes[1] & 1; /* 1: never finished, so strays count */
    raw = (struct jfr_raw){.bytes = b.p, .n = b.n, .declared = b.n};
    assert(jfr_chunk_load(chunk, &raw, &err) == 0);
    jfr_chunk_set_pool_rule(chunk, bytes[1] & 2 ? JFR_POOL_OLDEST : JFR_POOL_NEWEST);
    walk_chunk(&w, chunk);
    buf_free(&b);
    return 0;
}

/* The first event's size put right: it spans all. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    n = LLVMFuzzerMutate(bytes, n, max);
    if (seed % 2 == 0 && n > 7) {
        bytes[0] = 0;
        buf_varint_at(bytes + 2, n - 2, 4);
        bytes[6] = 1;
    }
    return n;
}
