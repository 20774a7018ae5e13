#include <assert.h>

#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/testing_fuzz.h"
#include "jfrfmt/read/unwrap.h"

/* The bytes are a file. Every answer is an event or an error, so there are never more than bytes
 * for events, and a handful of errors for each place where a chunk may begin. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct jfr_error err = {0};
    size_t n_events = 0, n_errors = 0;
    struct jfr_reader *r;
    struct jfr_event ev;
    int rc;

    if (unwrap_is_wrapped(bytes, n)) /* source_fuzz goes there */
        return 0;
    r = jfr_reader_open_source_take(jfr_source_open_mem(bytes, n, &err), &err);
    assert(r != NULL);
    while ((rc = jfr_reader_next(r, &ev)) != 0) {
        if (rc < 0) {
            assert(rc == jfr_reader_error(r)->code && jfr_reader_error(r)->text[0] != '\0');
            assert(rc != JFR_E_NOMEM && rc != JFR_E_IO);
            assert(++n_errors <= 16 + 10 * n);
            continue;
        }
        n_events++;
        assert(ev.size > 0 && ev.body.p <= ev.body.end && ev.type_id != 0 && ev.type_id != 1);
        assert(ev.type == NULL || ev.type->is_event);
        if (ev.type != NULL && ev.type->n_fields > 0)
            jfr_chunk_pool(jfr_reader_chunk(r), ev.type->fields[0].type);
    }
    assert(n_events > 0 || n_errors > 0 || n > 0);
    assert(jfr_reader_next(r, &ev) == 0 && jfr_reader_next(r, &ev) == 0); /* the end sticks */
    jfr_reader_close(r);
    return 0;
}

/* Every place that looks like a chunk becomes one that ends where the next begins. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    n = LLVMFuzzerMutate(bytes, n, max);
    if (seed % 2 == 0)
        for (size_t at = next_magic(bytes, n, 0), next; at < n; at = next) {
            next = next_magic(bytes, n, at + 4);
            mend_chunk(bytes + at, next - at);
        }
    return n;
}
