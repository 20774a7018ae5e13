#include <assert.h>

#include "jfrfmt/base/arena.h"
#include "jfrfmt/test/testing_fuzz.h"
#include "jfrfmt/test/walk.h"

/* The bytes are one raw chunk; the chunk object is used over and over, as a reader does. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct jfr_chunk *chunk;
    struct jfr_raw raw = {.bytes = bytes, .n = n, .offset = 5000, .index = 3};
    struct jfr_error err = {0};
    struct walk w = {0};
    int rc;

    if (chunk == NULL)
        chunk = jfr_chunk_new();
    if (n < 16)
        return 0;
    rc = jfr_chunk_load(chunk, &raw, &err);
    assert(rc == err.code && rc != JFR_E_NOMEM && err.chunk == 3);
    if (rc != 0) {
        assert(rc < 0 && err.text[0] != '\0');
        return 0;
    }
    assert(jfr_chunk_header(chunk)->ticks_per_second > 0);
    walk_chunk(&w, chunk);
    assert(arena_ok(jfr_chunk_arena(chunk)));
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    n = LLVMFuzzerMutate(bytes, n, max);
    if (seed % 2 == 0)
        mend_chunk(bytes, n);
    return n;
}
