#include "jfrfmt/read/source.h"
#include "jfrfmt/read/source_window.h"

#include <assert.h>
#include <string.h>

/* What holds for any input; `limit` decides how much of a stream stays in memory. */
static void walk(const uint8_t *bytes, size_t n, size_t limit)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(bytes, n, &err);
    bool is_plain;
    struct jfr_raw raw;
    uint64_t at = 0;
    uint32_t index = 0;
    int rc;

    assert(src != NULL);
    is_plain = !unwrap_is_wrapped(bytes, n);
    assert(jfr_source_size(src) == (is_plain ? n : 0));
    source_window_of(src)->limit = limit;
    while ((rc = jfr_source_next(src, &raw, &err)) != 0) {
        if (rc < 0) {
            assert(rc == err.code && err.text[0] != '\0');
            assert(err.offset >= at && err.chunk == index);
            at = err.offset;
            if (jfr_source_done(src))
                break;
            err = (struct jfr_error){0};
            continue;
        }
        assert(raw.index == index++ && raw.offset >= at);
        assert(raw.n >= 16 && memcmp(raw.bytes, "FLR", 4) == 0);
        assert(!is_plain || raw.bytes == bytes + raw.offset);
        assert(!is_plain || raw.n <= n - raw.offset);
        at = raw.offset + raw.n;
        jfr_source_release(src, &raw);
    }
    assert(jfr_source_done(src));
    assert(jfr_source_next(src, &raw, &err) == 0);
    jfr_source_close(src);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    walk(bytes, n, SOURCE_IN_MEMORY);
    if (unwrap_is_wrapped(bytes, n))
        walk(bytes, n, 1000); /* through a temporary file */
    return 0;
}
