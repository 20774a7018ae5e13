/* Allocation samples that stand for more than a thread can allocate since the recording began; and
 * which chunks are one recording. */
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
        c->n += select_event(c->run, &ev) > 0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_possible),
        cmocka_unit_test(time_counts_from_the_start_of_the_recording),
    };

    return cmocka_run_group_tests_name("select: allocations of the past", tests, NULL, NULL);
}
