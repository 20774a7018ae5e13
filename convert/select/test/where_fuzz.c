#include "convert/select/where.h"
#include "jfrfmt/test/testing_fuzz.h"

#include <assert.h>
#include <stdlib.h>

/* The events of any bytes for any condition: what holds for a class holds for its events, and an
 * event is asked twice with one answer. The text ends at the first NUL. */
static void ask(struct where *w, struct context *context, const uint8_t *bytes, size_t n)
{
    struct context_run *cr = context_run_new(context);
    struct where_run *r = where_run_new(w);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_error err = {0};
    struct jfr_event ev;

    if (jfr_chunk_load(chunk, &(struct jfr_raw){.bytes = bytes, .n = n}, &err) == 0) {
        assert(context_run_load(cr, chunk) == 0);
        assert(where_run_load(r, chunk, cr) == 0);
        while (jfr_chunk_next(chunk, &ev) > 0) {
            enum where_class decision;
            int holds;

            if (ev.type == NULL)
                continue;
            decision = where_class(r, ev.type);
            holds = where_event(r, &ev, NULL);
            assert(holds == where_event(r, &ev, NULL));
            assert(decision == WHERE_MAYBE || holds == (decision == WHERE_YES));
        }
    }
    jfr_chunk_free(chunk);
    where_run_free(r);
    context_run_free(cr);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char usual[] =
        "duration > 10ms and eventThread.javaName ~ /a/ or frame ~ /x/ or "
        "state = 'x' or ctx.user != null or startTime < '2026-01-01T00:00Z'";
    const uint8_t *end = n == 0 ? NULL : memchr(bytes, 0, n);
    bool is_recording = n > 4 && memcmp(bytes, "FLR\0", 4) == 0;
    struct context *context = context_new();
    struct jfr_error err = {0};
    char text[300], *condition;
    struct where *w;
    bool is_error;

    condition = is_recording || end == NULL ? strdup(usual) : strdup((const char *)bytes);
    w = where_new(condition, context, &err);
    assert((w == NULL) == (err.code < 0));
    if (w != NULL && is_recording)
        ask(w, context, bytes, n);
    else if (w != NULL && end != NULL)
        ask(w, context, end + 1, n - (size_t)(end + 1 - bytes));
    for (size_t i = 0; w != NULL && where_note(w, i, &is_error, text, sizeof(text)); i++)
        assert(strlen(text) > 0);
    where_free(w);
    context_free(context);
    free(condition);
    return 0;
}

/* The recording behind the text is put right after a change. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    size_t at;

    (void)seed;
    n = LLVMFuzzerMutate(bytes, n, max);
    at = next_magic(bytes, n, 0);
    if (at < n)
        mend_chunk(bytes + at, n - at);
    return n;
}
