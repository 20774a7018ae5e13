/* labels_fuzz.c - any bytes as a recording: its contexts become labels that can be read back. */
#include "convert/rewrite/labels.h"
#include "convert/rewrite/labels.pb-c.h"
#include "jfrfmt/test/testing_fuzz.h"

#include <assert.h>

static int keep(struct out *out)
{
    return out->rc;
}

/* The contexts of any bytes, met twice as in two chunks, are a snapshot that can be read, with as
 * many contexts as there are ids. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct context *context = context_new();
    struct context_run *r;
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct labels *l = labels_new();
    struct out out = {.drain = keep};
    struct jfr_error err = {0};
    Labels__LabelsSnapshot *read;
    uint64_t most = 0;

    context_want_all(context);
    r = context_run_new(context);
    for (int i = 0; i < 2; i++) {
        uint64_t before = most;
        struct jfr_event ev;

        err = (struct jfr_error){0};
        if (jfr_chunk_load(chunk, &(struct jfr_raw){.bytes = bytes, .n = n}, &err) != 0)
            break;
        assert(context_run_load(r, chunk) == 0);
        labels_load(l);
        while (jfr_chunk_next(chunk, &ev) > 0) {
            uint64_t id = labels_id(l, r, context_event(r, &ev));

            assert(id != LABELS_FAILED && id <= most + 1);
            most = id > most ? id : most;
        }
        assert(i == 0 || most == before);
    }
    assert(labels_write(l, &out) == 0 && buf_ok(&out.b));
    read = labels__labels_snapshot__unpack(NULL, out.b.n, out.b.p);
    assert(read != NULL && read->n_contexts == most);
    labels__labels_snapshot__free_unpacked(read, NULL);
    out_free(&out);
    labels_free(l);
    context_run_free(r);
    context_free(context);
    jfr_chunk_free(chunk);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    (void)seed;
    n = LLVMFuzzerMutate(bytes, n, max);
    mend_chunk(bytes, n);
    return n;
}
