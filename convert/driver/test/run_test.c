#include "jfrfmt/test/testing.h"

#include "convert/driver/run.h"
#include "jfrfmt/test/chunk.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TICK 100
#define START_AT 32 /* in the header */
#define PER_CHUNK 3

static char dir[] = "/tmp/run_test.XXXXXX";

/* A chunk of PER_CHUNK events whose one field is `value`. */
static void put_chunk(struct buf *to, uint64_t value)
{
    struct tc t;

    tc_begin(&t);
    tc_class(&t, TICK, "a.Tick", "jdk.jfr.Event");
    tc_field(&t, "value", TC_LONG, 0);
    for (int i = 0; i < PER_CHUNK; i++) {
        tc_event_begin(&t, TICK);
        buf_varint(&t.b, value);
        tc_event_end(&t);
    }
    tc_end(&t);
    tc_poke(&t, START_AT, to->n + 1, 8); /* chunks of one file do not begin at one time */
    buf_bytes(to, t.b.p, t.b.n);
    tc_free(&t);
}

/* parts: a letter is a chunk with that value, X one of version 9, M one without
 * metadata, # garbage. */
static const char *file(const char *name, const char *parts)
{
    static char paths[16][64];
    static int used;
    char *path = paths[used++ % 16];
    struct buf b = {0};
    int fd;

    for (const char *p = parts; *p != '\0'; p++) {
        size_t at = b.n;

        if (*p == '#') {
            buf_str(&b, "################################################################");
            continue;
        }
        put_chunk(&b, (uint64_t)*p);
        if (*p == 'X')
            b.p[at + 5] = 9;
        if (*p == 'M') /* the metadata event is of another type */
            b.p[at + b.p[at + 30] * 256u + b.p[at + 31] + 4] = 5;
    }
    snprintf(path, 64, "%s/%s", dir, name);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(fd >= 0 && write(fd, b.p, b.n) == (ssize_t)b.n);
    close(fd);
    buf_free(&b);
    return path;
}

/* Everything a run does, as text: chunks in the output, merges and damage in the log. */
struct record {
    struct buf out, log;
    int fail_chunk, fail_merge, fail_drain; /* at which value or drain; 0: never */
    int drains;
    atomic_int workers, starved;
    bool in_merge; /* merge() is never called twice at a time */
    bool early; /* drain in the middle of a chunk */
};

struct worker_state {
    struct record *record;
    int64_t value;
};

static void *worker_new(void *shared)
{
    struct record *r = shared;
    struct worker_state *w = calloc(1, sizeof(*w));

    if (r->starved > 0 && atomic_fetch_sub(&r->starved, 1) == 1) {
        free(w);
        return NULL;
    }
    w->record = r;
    r->workers++;
    return w;
}

static void worker_free(void *worker)
{
    struct worker_state *w = worker;

    w->record->workers--;
    free(w);
}

static int on_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    static const char *const want[] = {"value"};
    struct worker_state *w = worker;
    struct jfr_event ev;

    while (jfr_chunk_next(rc->chunk, &ev) > 0) {
        const struct jfr_plan *plan = jfr_plan_shared(rc->chunk, ev.type, want, 1);
        union jfr_value v[1];

        if (plan == NULL || jfr_plan_run(plan, ev.body, v, NULL) != 0)
            return JFR_E_NOMEM;
        w->value = v[0].i;
        buf_byte(&out->b, (uint8_t)w->value);
        if (w->value % 4 == 0)
            usleep(500); /* so that later ones come first */
        if (w->record->early && out->drain(out) != 0)
            return out->rc;
    }
    return w->value == w->record->fail_chunk ? JFR_E_LIMIT : 0;
}

static int on_merge(void *shared, void *worker, const struct run_chunk *rc)
{
    struct record *r = shared;
    struct worker_state *w = worker;

    assert_false(r->in_merge);
    r->in_merge = true;
    buf_printf(&r->log, "%c%u/%u ", (char)w->value, rc->file, rc->number);
    r->in_merge = false;
    return w->value == r->fail_merge ? JFR_E_LIMIT : 0;
}

static void on_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    struct record *r = ctx;

    buf_printf(&r->log, "!%s%u:%d ", strrchr(path, '/') + 1, err->chunk, -err->code);
}

static int on_drain(struct out *o)
{
    struct record *r = o->ctx;

    if (o->b.n > 0 && ++r->drains == r->fail_drain)
        o->rc = JFR_E_IO;
    if (o->rc == 0)
        buf_bytes(&r->out, o->b.p, o->b.n);
    buf_reset(&o->b);
    return o->rc;
}

struct ran {
    struct run_result result;
    struct jfr_error err;
    const char *err_path;
    int rc;
};

static struct ran run(struct record *r, const char *const *paths, size_t n, unsigned jobs)
{
    struct run_options opt = {
        .paths = paths, .n_paths = n, .jobs = jobs, .on_damage = on_damage, .ctx = r};
    struct run_job job = {r, worker_new, worker_free, on_chunk, on_merge};
    struct out out = {.drain = on_drain, .ctx = r};
    struct ran ran = {0};

    ran.rc = run_all(&opt, &job, &out, &ran.result, &ran.err, &ran.err_path);
    assert_int_equal(r->workers, 0); /* all freed */
    assert_int_equal(ran.rc, ran.err.code);
    buf_byte(&r->log, 0);
    buf_byte(&r->out, 0);
    buf_free(&out.b);
    return ran;
}

static void forget(struct record *r)
{
    buf_free(&r->out);
    buf_free(&r->log);
}

/* The same files with 1..8 threads, output drained at the end of a chunk and in its middle. */
struct run_row {
    const char *name;
    const char *files[4];
    const char *out; /* each letter PER_CHUNK times */
    const char *log;
    int fail_chunk, fail_merge, fail_drain;
    int rc;
    uint64_t damages;
    const char *err_file; /* suffix */
};

/* clang-format off */
static const struct run_row runs[] = {
    {"one chunk", {"a"}, "a", "a0/0 ", 0, 0, 0, 0, 0, NULL},
    {"many chunks", {"abcdefghijklmnop"}, "abcdefghijklmnop",
     "a0/0 b0/1 c0/2 d0/3 e0/4 f0/5 g0/6 h0/7 i0/8 j0/9 k0/10 l0/11 m0/12 n0/13 o0/14 p0/15 ",
     0, 0, 0, 0, 0, NULL},
    {"several files", {"ab", "c", "def"}, "abcdef", "a0/0 b0/1 c1/2 d2/3 e2/4 f2/5 ", 0, 0, 0, 0, 0, NULL},
    {"damage in its place", {"ab#c", "X", "dXe"}, "abcde",
     "a0/0 b0/1 !01:2 c0/2 !10:4 d2/3 !21:4 e2/4 ", 0, 0, 0, 0, 3, NULL},
    {"damage first", {"Xab"}, "ab", "!00:4 a0/0 b0/1 ", 0, 0, 0, 0, 1, NULL},
    {"nothing but damage", {"X"}, "", "", 0, 0, 0, JFR_E_UNSUPPORTED, 1, "0"},
    {"chunks without metadata", {"MaMM"}, "a", "!00:2 a0/1 !02:2 !03:2 ", 0, 0, 0, 0, 3, NULL},
    {"much damage and nothing else", {"MMM"}, "", "!00:2 !01:2 !02:2 ", 0, 0, 0, JFR_E_FORMAT, 3, NULL},
    {"an empty file", {""}, "", "", 0, 0, 0, JFR_E_SHORT, 1, "0"},
    {"an empty file among others", {"a", "", "b"}, "ab", "a0/0 !10:3 b2/1 ", 0, 0, 0, 0, 1, NULL},
    {"a chunk fails", {"abcdefgh"}, "abc", "a0/0 b0/1 c0/2 ", 'd', 0, 0, JFR_E_LIMIT, 0, "0"},
    {"a merge fails", {"abc", "defgh"}, "abcd", "a0/0 b0/1 c0/2 d1/3 ", 0, 'd', 0, JFR_E_LIMIT, 0, "1"},
    {"the output fails", {"abcdefgh"}, "ab", "a0/0 b0/1 ", 0, 0, 3, JFR_E_IO, 0, "0"},
};
/* clang-format on */

static void check_out(const struct run_row *row, const char *out, bool early)
{
    char want[64];
    size_t n = 0;

    for (const char *p = row->out; *p != '\0'; p++)
        for (int i = 0; i < PER_CHUNK; i++)
            want[n++] = *p;
    want[n] = '\0';
    if (!early)
        assert_string_equal(out, want);
    else if (row->rc == 0 || row->fail_drain == 0) /* a chunk that fails may have said something */
        assert_memory_equal(out, want, n);
}

static void runs_as(void **state)
{
    const struct run_row *row = *state;
    const char *paths[4];
    size_t n = 0;

    for (; n < 4 && row->files[n] != NULL; n++) {
        char name[2] = {(char)('0' + n), '\0'};

        paths[n] = file(name, row->files[n]);
    }
    for (unsigned round = 0; round < 24; round++) {
        struct record r = {.fail_chunk = row->fail_chunk, .fail_merge = row->fail_merge};
        struct ran ran;

        r.early = round >= 16 && row->fail_drain == 0;
        r.fail_drain = row->fail_drain;
        ran = run(&r, paths, n, 1 + round % 8);
        assert_int_equal(ran.rc, row->rc);
        assert_string_equal((char *)r.log.p, row->log);
        check_out(row, (char *)r.out.p, r.early);
        assert_int_equal(ran.result.damages, row->damages);
        if (row->err_file != NULL)
            assert_string_equal(strrchr(ran.err_path, '/') + 1, row->err_file);
        forget(&r);
    }
}

static void file_that_is_missing_ends_the_run_behind_those_before(void **state)
{
    const char *paths[] = {file("0", "abcdef"), "no/such/file.jfr", file("2", "g")};

    (void)state;
    for (unsigned jobs = 1; jobs <= 8; jobs++) {
        struct record r = {0};
        struct ran ran = run(&r, paths, 3, jobs);

        assert_int_equal(ran.rc, JFR_E_IO);
        assert_ptr_equal(ran.err_path, paths[1]);
        assert_string_equal((char *)r.log.p, "a0/0 b0/1 c0/2 d0/3 e0/4 f0/5 ");
        assert_string_equal((char *)r.out.p, "aaabbbcccdddeeefff");
        forget(&r);
    }
}

/* Inputs that end while chunks of them are still worked on: none may be lost or closed too early.
 */
static void many_small_files_on_many_threads(void **state)
{
    enum {
        N = 200
    };
    const char *paths[N], *one = file("0", "d"), *two = file("1", "ab");

    (void)state;
    for (int i = 0; i < N; i++)
        paths[i] = i % 2 == 0 ? one : two;
    for (unsigned jobs = 2; jobs <= 8; jobs += 3) {
        struct record r = {0};
        struct ran ran = run(&r, paths, N, jobs);

        assert_int_equal(ran.rc, 0);
        assert_int_equal(ran.result.chunks, N / 2 * 3);
        for (size_t i = 0; i < N / 2 * 9; i++)
            assert_int_equal(r.out.p[i], "dddaaabbb"[i % 9]);
        forget(&r);
    }
}

static void worker_that_cannot_be_made_is_lack_of_memory(void **state)
{
    const char *path = file("0", "abc");

    (void)state;
    for (int starved = 1; starved <= 3; starved++) {
        struct record r = {.starved = starved};
        struct ran ran = run(&r, &path, 1, 3);

        assert_int_equal(ran.rc, JFR_E_NOMEM);
        assert_int_equal(ran.result.chunks, 0);
        forget(&r);
    }
}

static int count_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    (void)worker;
    (void)out;
    return rc->number == 7 ? JFR_E_LIMIT : 0;
}

/* No state, no output, nobody to tell. */
static void job_without_anything(void **state)
{
    const char *path = file("0", "a#bX");
    struct run_options opt = {.paths = &path, .n_paths = 1};
    struct run_job job = {.chunk = count_chunk};
    struct run_result result;
    struct jfr_error err = {0};
    const char *err_path;

    (void)state;
    assert_int_equal(run_all(&opt, &job, NULL, &result, &err, &err_path), 0);
    assert_true(result.chunks == 2 && result.damages == 2 && result.bytes > 0);
}

static int clean_up(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_that_is_missing_ends_the_run_behind_those_before),
        cmocka_unit_test(many_small_files_on_many_threads),
        cmocka_unit_test(worker_that_cannot_be_made_is_lack_of_memory),
        cmocka_unit_test(job_without_anything),
    };
    int failed;

    if (mkdtemp(dir) == NULL)
        return 1;
    failed = run_rows("run: files", runs, runs_as) +
             cmocka_run_group_tests_name("run", tests, NULL, NULL);
    return clean_up(NULL) + failed;
}
