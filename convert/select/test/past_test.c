/* Allocation samples that stand for more than a thread can allocate since the recording began, or
 * for about as much as it had allocated then; and which chunks are one recording. */
#include "convert/driver/run.h"
#include "convert/select/select.h"
#include "convert/select/past.h"
#include "jfrfmt/test/chunk.h"
#include "jfrfmt/test/testing.h"

#include <stdlib.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define MB INT64_C(1000000)
#define SAMPLE 100
#define STATISTICS 101

static void what_is_possible(void **state)
{
    (void)state;
    assert_true(past_is_possible(8 * MB, 0, 0));
    assert_false(past_is_possible(2000 * MB, 0, 10 * MS));
    assert_true(past_is_possible(2000 * MB, 0, 1000 * MS));
    assert_false(past_is_possible(INT64_MAX, 0, 1000 * MS));
    assert_true(past_is_possible(INT64_MIN, 0, 0));
    assert_true(past_is_possible(8 * MB, 5, 0)); /* a clock that went back */
    assert_false(past_is_possible(9 * MB, 5, 0));
    assert_true(past_is_possible(9 * MB, INT64_MIN, INT64_MAX)); /* a crafted clock */
}

/* A chunk of 1 s that begins at start_s; each of its samples, at so many ms, weighs so many MB. */
static void add_chunk(struct buf *file, int64_t start_s, const int (*samples)[2], size_t n)
{
    struct tc t;

    tc_begin(&t);
    tc_class(&t, SAMPLE, "jdk.ObjectAllocationSample", "jdk.jfr.Event");
    tc_field(&t, "startTime", TC_LONG, 0);
    tc_field(&t, "weight", TC_LONG, 0);
    for (size_t i = 0; i < n; i++) {
        tc_event_begin(&t, SAMPLE);
        buf_varint(&t.b, 1000 + (uint64_t)samples[i][0] * MS); /* the chunk begins at tick 1000 */
        buf_varint(&t.b, (uint64_t)samples[i][1] * MB);
        tc_event_end(&t);
    }
    tc_end(&t);
    tc_poke(&t, 32, (uint64_t)start_s * 1000 * MS, 8);
    tc_poke(&t, 40, 1000 * MS, 8);
    buf_bytes(file, t.b.p, t.b.n);
    tc_free(&t);
}

struct counting {
    struct select *select;
    struct select_run *run;
    size_t n;
};

static int count_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct counting *c = shared;
    struct jfr_event ev;

    (void)out;
    assert_int_equal(select_run_load(c->run, rc->chunk), 0);
    while (jfr_chunk_next(rc->chunk, &ev) > 0)
        c->n += select_event(c->run, &ev) > 0 && ev.type->id == SAMPLE;
    return 0;
}

/* How many samples of a file count; *bytes is what was left out. */
static size_t count(const struct buf *file, bool leaves_out, size_t *n_past, uint64_t *bytes)
{
    const struct select_spec spec = {.leaves_out_past = leaves_out};
    char path[] = "/tmp/past_test.XXXXXX";
    const char *paths[] = {path};
    const struct run_options options = {.paths = paths, .n_paths = 1, .jobs = 1};
    struct jfr_error err = {0};
    struct counting c = {.select = select_new(&spec, &err)};
    const struct run_job job = {.shared = &c, .chunk = count_chunk};
    struct run_result result;
    const char *where;
    int fd = mkstemp(path);

    c.run = select_run_new(c.select);
    assert_non_null(c.run);
    assert_int_equal(write(fd, file->p, file->n), file->n);
    close(fd);
    assert_int_equal(run_all(&options, &job, NULL, &result, &err, &where), 0);
    *n_past = select_past(c.select, bytes);
    select_run_free(c.run);
    select_free(c.select);
    unlink(path);
    return c.n;
}

static void time_counts_from_the_start_of_the_recording(void **state)
{
    static const int first[][2] = {{1, 500}, {2, 5}, {900, 500}}, second[][2] = {{1, 500}, {2, 5}};
    struct buf file = {0};
    uint64_t bytes;
    size_t n_past;

    (void)state;
    add_chunk(&file, 10, first, 3);
    add_chunk(&file, 11, second, 2); /* of the same recording: 500 MB in a second are possible */
    add_chunk(&file, 20, second, 2); /* of another one */
    assert_int_equal(count(&file, true, &n_past, &bytes), 5);
    assert_int_equal(n_past, 2);
    assert_int_equal(bytes, 1000 * MB);
    assert_int_equal(count(&file, false, &n_past, &bytes), 7);
    assert_int_equal(n_past, 0);
    buf_free(&file);
}

/* Of a thread: what it had allocated at a time, then at most two samples. Times in ms, bytes in MB.
 */
struct life {
    int at, allocated;
    int samples[2][2];
    bool is_counted; /* the larger sample */
};

static const struct life lives[] = {
    {10, 100, {{200, 110}}, true}, /* two threads "main", by the start of the JVM, */
    {10, 300, {{200, 310}}, false}, /* and more than that needs */
    {10, 100, {{200, 110}}, false},
    {10, 100, {{200, 210}}, true}, /* more than half was allocated in the recording */
    {10, 100, {{300, 110}, {15, 1}}, true}, /* not the first one, though written first */
    {500, 100, {{600, 110}}, true}, /* born in the recording */
    {10, 7, {{200, 8}}, true}, /* too little to be looked up */
    {10, 120, {{200, 110}}, true}, /* sampled by another recording before */
};
#define N_LIVES (sizeof(lives) / sizeof(lives[0]))

static void event(struct tc *t, int64_t type, int ms, uint64_t thread, int mb)
{
    tc_event_begin(t, type);
    buf_varint(&t->b, 1000 + (uint64_t)ms * MS);
    buf_varint(&t->b, thread);
    buf_varint(&t->b, (uint64_t)mb * MB);
    tc_event_end(t);
}

static void add_lives(struct buf *file, int64_t start_s)
{
    struct tc t;

    tc_begin(&t);
    tc_class(&t, SAMPLE, "jdk.ObjectAllocationSample", "jdk.jfr.Event");
    tc_field(&t, "startTime", TC_LONG, 0);
    tc_field(&t, "eventThread", TC_THREAD, TC_POOLED);
    tc_field(&t, "weight", TC_LONG, 0);
    tc_class(&t, STATISTICS, "jdk.ThreadAllocationStatistics", "jdk.jfr.Event");
    tc_field(&t, "startTime", TC_LONG, 0);
    tc_field(&t, "thread", TC_THREAD, TC_POOLED);
    tc_field(&t, "allocated", TC_LONG, 0);
    tc_pool_begin(&t);
    tc_pool(&t, TC_THREAD, N_LIVES);
    for (size_t i = 0; i < N_LIVES; i++) {
        buf_varint(&t.b, i + 1);
        tc_text(&t.b, i < 2 ? "main" : "worker");
        buf_varint(&t.b, i + 1);
        tc_text(&t.b, i < 2 ? "main" : "worker");
        buf_varint(&t.b, i + 1);
    }
    tc_pool_end(&t);
    for (size_t i = 0; i < N_LIVES; i++) {
        const struct life *l = &lives[i];

        for (size_t k = 0; k < 2 && l->samples[k][1] > 0; k++)
            event(&t, SAMPLE, l->samples[k][0], i + 1, l->samples[k][1]);
        event(&t, STATISTICS, 900, i + 1, l->allocated + 200); /* the end of the chunk, first */
        event(&t, STATISTICS, l->at, i + 1, l->allocated);
    }
    tc_end(&t);
    tc_poke(&t, 32, (uint64_t)start_s * 1000 * MS, 8);
    tc_poke(&t, 40, 1000 * MS, 8);
    buf_bytes(file, t.b.p, t.b.n);
    tc_free(&t);
}

static void first_samples_are_compared_with_what_threads_had_allocated(void **state)
{
    size_t n_samples = 0, n_left_out = 0, n_past;
    uint64_t bytes, left_out = 0;
    struct buf file = {0};

    (void)state;
    for (size_t i = 0; i < N_LIVES; i++) {
        n_samples += lives[i].samples[1][1] > 0 ? 2 : 1;
        n_left_out += !lives[i].is_counted;
        left_out += lives[i].is_counted ? 0 : (uint64_t)lives[i].samples[0][1] * MB;
    }
    add_lives(&file, 10);
    assert_int_equal(count(&file, true, &n_past, &bytes), n_samples - n_left_out);
    assert_int_equal(n_past, n_left_out);
    assert_int_equal(bytes, left_out);
    add_lives(&file, 11); /* a later chunk of the recording: all of it counts */
    assert_int_equal(count(&file, true, &n_past, &bytes), 2 * n_samples - n_left_out);
    assert_int_equal(count(&file, false, &n_past, &bytes), 2 * n_samples);
    buf_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_possible),
        cmocka_unit_test(time_counts_from_the_start_of_the_recording),
        cmocka_unit_test(first_samples_are_compared_with_what_threads_had_allocated),
    };

    return cmocka_run_group_tests_name("select: allocations of the past", tests, NULL, NULL);
}
