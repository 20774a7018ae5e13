/*
 * rewrite_fuzz.c - any bytes are rewritten to a recording in which our reader finds no damage, and
 * which, when it was made of undamaged bytes, is not changed by rewriting it again. (With types
 * that only an enemy declares, repair may take several rounds, so it is only run.)
 */
#include "convert/rewrite/rewrite.h"
#include "jfrfmt/jfr.h"

#include <assert.h>
#include <stdlib.h>

static int gather(void *ctx, const void *bytes, size_t n)
{
    buf_bytes(ctx, bytes, n);
    return buf_ok(ctx) ? 0 : JFR_E_NOMEM;
}

static void rewrite_chunk(struct rewrite *rw, struct jfr_chunk *chunk)
{
    struct jfr_event ev;

    rewrite_begin(rw, chunk);
    while (jfr_chunk_next(chunk, &ev) > 0)
        rewrite_event(rw, &ev);
    rewrite_end(rw);
}

/* Returns the number of errors met. */
static size_t rewrite_bytes(const uint8_t *bytes, size_t n, const struct rewrite_edit *edit,
                            struct buf *out)
{
    const struct rewrite_options options = {.edit = edit};
    const struct raw_sink sink = {.write = gather, .ctx = out};
    struct rewrite *rw = rewrite_new(&options);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(bytes, n, &err);
    struct jfr_raw raw;
    size_t n_errors = 0;
    int rc;

    jfr_chunk_set_pool_rule(chunk, JFR_POOL_OLDEST);
    rewrite_to(rw, &sink);
    while (src != NULL && (rc = jfr_source_next(src, &raw, &err)) != 0) {
        n_errors += rc < 0;
        if (rc < 0 && jfr_source_done(src))
            break;
        if (rc < 0)
            continue;
        if (jfr_chunk_load(chunk, &raw, &err) == 0) {
            rewrite_chunk(rw, chunk);
            n_errors += jfr_chunk_n_errors(chunk);
        } else {
            n_errors++;
        }
        jfr_source_release(src, &raw);
    }
    rewrite_finish(rw);
    rewrite_free(rw);
    jfr_chunk_free(chunk);
    jfr_source_close(src);
    return n_errors;
}

static void check(const uint8_t *bytes, size_t n, const struct rewrite_edit *edit)
{
    struct buf once = {0}, twice = {0};

    bool is_good = rewrite_bytes(bytes, n, edit, &once) == 0;

    if (once.n > 0) {
        size_t n_errors = rewrite_bytes(once.p, once.n, edit, &twice);

        assert(edit != NULL || n_errors == 0);
        assert(edit != NULL || !is_good ||
               (once.n == twice.n && memcmp(once.p, twice.p, once.n) == 0));
    }
    buf_free(&once);
    buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const struct rewrite_edit repair = {.repair = true};

    check(bytes, n, NULL);
    check(bytes, n, &repair);
    return 0;
}
