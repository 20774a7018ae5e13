#include "jfrfmt/test/testing.h"

#include "convert/driver/run.h"
#include "jfrfmt/test/alloc.h"
#include "jfrfmt/test/rich.h"
#include "jfrfmt/test/walk.h"

#include <fcntl.h>

#define N_CHUNKS 6

static char path[] = "/tmp/run_alloc_test.XXXXXX";

struct sums {
    uint64_t events, texts;
    atomic_bool starved; /* the test's own memory was short */
};

struct state {
    struct sums *sums;
    struct walk walk;
};

static void *state_new(void *shared)
{
    struct state *s = calloc(1, sizeof(*s));

    if (s != NULL)
        s->sums = shared;
    return s;
}

static int on_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct state *s = worker;

    s->walk = (struct walk){0};
    walk_chunk(&s->walk, rc->chunk);
    if (s->walk.starved)
        s->sums->starved = true;
    buf_printf(&out->b, "%u ", rc->number);
    return 0;
}

static int on_merge(void *shared, void *worker, const struct run_chunk *rc)
{
    struct sums *sums = shared;
    const struct state *s = worker;

    (void)rc;
    sums->events += s->walk.n_events;
    sums->texts += s->walk.n_texts;
    return 0;
}

static int on_drain(struct out *o)
{
    struct buf *to = o->ctx;

    if (!buf_ok(&o->b))
        return o->rc = JFR_E_NOMEM;
    buf_bytes(to, o->b.p, o->b.n);
    buf_reset(&o->b);
    return buf_ok(to) ? 0 : JFR_E_NOMEM;
}

struct jobs_row {
    const char *name;
    unsigned jobs;
};

static const struct jobs_row rows[] = {{"one thread", 1}, {"two threads", 2}, {"four threads", 4}};

/* Whichever allocation fails, the run ends with that word, or nothing is missing. */
static void all_or_nothing(void **state)
{
    const struct jobs_row *row = *state;
    const char *paths[] = {path, path};
    bool failed = true;

    for (int forever = 0; forever < 2; forever++, failed = true)
        for (long k = 1; failed; k++) {
            struct sums sums = {0};
            struct buf text = {0};
            struct run_options opt = {.paths = paths, .n_paths = 2, .jobs = row->jobs};
            struct run_job job = {&sums, state_new, free, on_chunk, on_merge};
            struct out out = {.drain = on_drain, .ctx = &text};
            struct jfr_error err = {0};
            struct run_result result;
            const char *err_path;
            int rc;

            alloc_fail(k, forever);
            rc = run_all(&opt, &job, &out, &result, &err, &err_path);
            failed = alloc_stop();
            assert_int_equal(rc, err.code);
            assert_true(rc == 0 || rc == JFR_E_NOMEM);
            if (rc == 0 && !sums.starved) {
                assert_int_equal(sums.events, 2 * N_CHUNKS);
                assert_int_equal(result.chunks, 2 * N_CHUNKS);
                assert_memory_equal(text.p, "0 1 2 3 4 5 6 7 8 9 10 11 ", text.n);
            }
            buf_free(&text);
            buf_free(&out.b);
        }
}

static void make_file(void)
{
    struct buf b = {0};
    struct tc t;
    int fd = mkstemp(path);

    for (int i = 0; i < N_CHUNKS; i++) {
        rich_chunk(&t);
        tc_poke(&t, 32, b.n + 1, 8);
        buf_bytes(&b, t.b.p, t.b.n);
        tc_free(&t);
    }
    if (fd < 0 || write(fd, b.p, b.n) != (ssize_t)b.n)
        abort();
    close(fd);
    buf_free(&b);
}

int main(void)
{
    int failed;

    make_file();
    failed = run_rows("run: allocations", rows, all_or_nothing);
    unlink(path);
    return failed;
}
