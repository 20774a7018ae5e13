#include "jfrfmt/test/source_testing.h"

/* ---- what is found in what ---- */

static void open_state(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    b->p[64] = 255;
    put_chunk(b, 400, 400, 2);
}

static void garbage_before(struct buf *b)
{
    buf_str(b, "Started recording 1.\nFLR");
    buf_byte(b, 0);
    buf_be(b, 0x0007000000000000, 8);
    two(b);
}

static void much_garbage_before(struct buf *b)
{
    for (int i = 0; i < 3000000; i++)
        buf_byte(b, 'x');
    two(b);
}

static void garbage_between(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    buf_str(b, "garbage");
    put_chunk(b, 400, 400, 2);
}

static void garbage_behind(struct buf *b)
{
    two(b);
    buf_str(b, "garbage");
}

static void zeros_behind(struct buf *b)
{
    two(b);
    for (int i = 0; i < 2000000; i++)
        buf_byte(b, 0);
}

static void no_recording(struct buf *b)
{
    buf_str(b, "<?xml version=\"1.0\"?> this is a longer text that is not a recording at all");
}

static void empty(struct buf *b)
{
    (void)b;
}

static void three_bytes(struct buf *b)
{
    buf_str(b, "FLR");
}

static void header_cut(struct buf *b)
{
    put_header(b, 2, 1, 300);
    b->n = 67;
}

static void second_header_cut(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_header(b, 2, 1, 300);
    b->n = 340;
}

static void cut(struct buf *b)
{
    two(b);
    b->n -= 100;
}

static void open_chunk_before_another(struct buf *b)
{
    put_chunk(b, 300, 1 << 30, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_0(struct buf *b)
{
    put_chunk(b, 300, 0, 1);
    put_chunk(b, 400, 400, 2);
    put_chunk(b, 200, 0, 3);
}

static void declared_67(struct buf *b)
{
    put_chunk(b, 300, 67, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_68(struct buf *b)
{
    put_chunk(b, 300, 68, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_2_63_less_1(struct buf *b)
{
    put_chunk(b, 300, INT64_MAX, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_2_64_less_1(struct buf *b)
{
    put_chunk(b, 300, UINT64_MAX, 1);
    put_chunk(b, 400, 400, 2);
}

static void only_headers(struct buf *b)
{
    put_chunk(b, 68, 68, 1);
    put_chunk(b, 68, 68, 2);
}

static void implausible_header_in_damage(struct buf *b)
{
    put_chunk(b, 300, 0, 1);
    put_header(b, 2, 1, 67); /* too small */
    put_header(b, 2, 100, 200); /* minor */
    put_header(b, 2, 1, 200);
    memset(b->p + b->n - 68 + 16, 0xff, 8); /* checkpoint outside */
    put_header(b, 2, 1, 200);
    b->p[b->n - 68 + 31] = 67; /* metadata in the header */
    put_chunk(b, 400, 400, 2);
}

/* JVMs keep copies of a chunk's header in it. */
static void copies_of_the_header_in_damage(struct buf *b)
{
    put_header(b, 2, 1, 2000);
    b->p[39] = 1; /* start, ns */
    for (int i = 0; i < 2; i++) {
        put_body(b, 100, 1);
        buf_reserve(b, 68);
        buf_bytes(b, b->p, 68);
    }
    put_chunk(b, 400, 400, 2);
}

/* An intact chunk may contain whatever it likes, also a whole recording. */
static void recording_in_a_chunk(struct buf *b)
{
    put_header(b, 2, 1, 68 + 700);
    two(b);
    put_chunk(b, 500, 500, 2);
}

static void version_3(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_header(b, 3, 7, 200);
    put_body(b, 132, 1);
    put_chunk(b, 400, 400, 2);
    put_header(b, 0xffff, 0, 68);
}

static void version_0(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    put_chunk_v0(b, 20, 4);
    put_chunk(b, 300, 300, 1);
    put_chunk_v0(b, 500, 60);
}

static void version_0_cut(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    put_chunk_v0(b, 500, 60);
    b->n -= 56;
}

static void version_0_cut_before_its_size(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    put_chunk_v0(b, 500, 60);
    b->n -= 57;
}

static void version_0_bad(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    memset(b->p + 8, 0, 8); /* no metadata offset */
    put_chunk_v0(b, 400, 60);
    memset(b->p + 500 + 340, 0xff, 4); /* its size is negative */
    put_chunk_v0(b, 300, 60);
    memset(b->p + 900 + 8, 0xff, 8); /* so large that it is taken for no header */
    put_chunk(b, 300, 300, 1);
}

static void version_0_header_cut(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_header(b, 0, 9, 20);
    b->n -= 1;
}

static const struct row {
    const char *name;
    void (*make)(struct buf *b);
    const char *want;
} rows[] = {
    // clang-format off
    {"two chunks", two, "[0+300 of 300][300+400 of 400]"},
    {"chunk still being written", open_state, "[0+300 of 300][300+400 of 400]"},
    {"only headers", only_headers, "[0+68 of 68][68+68 of 68]"},
    {"garbage before", garbage_before,
     "(-2@0 0: 33 bytes before the first chunk belong to no chunk)[33+300 of 300][333+400 of 400]"},
    {"3 MB of garbage before", much_garbage_before,
     "(-2@0 0: 3000000 bytes before the first chunk belong to no chunk)[3000000+300 of 300][3000300+400 of 400]"},
    {"garbage between", garbage_between, "[0+307 of 300][307+400 of 400]"},
    {"garbage behind", garbage_behind, "[0+300 of 300][300+407 of 400]"},
    {"2 MB of zeros behind", zeros_behind, "[0+300 of 300][300+2000400 of 400]"},
    {"no recording", no_recording, "(-2@0 0: not a JFR recording)"},
    {"empty", empty, "(-3@0 0: file is empty)"},
    {"three bytes", three_bytes, "(-7@0 0: chunk header is cut off: 3 of 68 bytes)"},
    {"header cut", header_cut, "(-7@0 0: chunk header is cut off: 67 of 68 bytes)"},
    {"second header cut", second_header_cut,
     "[0+300 of 300](-7@300 1: chunk header is cut off: 40 of 68 bytes)"},
    {"cut", cut, "[0+300 of 300][300+300 of 400]"},
    {"open chunk before another", open_chunk_before_another,
     "[0+300 of 1073741824][300+400 of 400]"},
    {"declared 0", declared_0, "[0+300 of 0][300+400 of 400][700+200 of 0]"},
    {"declared 67", declared_67, "[0+300 of 67][300+400 of 400]"},
    {"declared 68", declared_68, "[0+300 of 68][300+400 of 400]"},
    {"declared 2^63-1", declared_2_63_less_1, "[0+300 of 9223372036854775807][300+400 of 400]"},
    {"declared 2^64-1", declared_2_64_less_1, "[0+300 of 18446744073709551615][300+400 of 400]"},
    {"copies of the header in damage", copies_of_the_header_in_damage,
     "[0+404 of 2000][404+400 of 400]"},
    {"implausible headers in damage", implausible_header_in_damage,
     "[0+572 of 0][572+400 of 400]"},
    {"recording in an intact chunk", recording_in_a_chunk, "[0+768 of 768][768+500 of 500]"},
    {"version 3", version_3,
     "[0+300 of 300](-4@300 1: version 3.7 is not supported)[500+400 of 400]"
     "(-4@900 2: version 65535.0 is not supported)"},
    {"version 0", version_0,
     "[0+500 of 500][500+20 of 20][520+300 of 300][820+500 of 500]"},
    {"version 0 cut", version_0_cut, "[0+500 of 500][500+444 of 500]"},
    {"version 0 cut before its size", version_0_cut_before_its_size,
     "[0+500 of 500][500+443 of 0]"},
    {"version 0 bad", version_0_bad, "[0+500 of 0][500+700 of 0][1200+300 of 300]"},
    {"version 0 header cut", version_0_header_cut,
     "[0+300 of 300](-7@300 1: chunk header is cut off: 15 of 16 bytes)"},
    // clang-format on
};

static void is_told(void **state)
{
    const struct row *t = *state;
    struct buf in = {0};
    struct story s;

    t->make(&in);
    s = told(&in);
    assert_string_equal((char *)s.text.p, t->want);
    story_free(&s);
    buf_free(&in);
}

/* ---- cut at every byte ---- */

static void cut_anywhere_loses_no_byte(void **state)
{
    struct buf in = {0};
    size_t n_all;

    (void)state;
    two(&in);
    n_all = in.n;
    for (in.n = 1; in.n <= n_all; in.n++) {
        struct story s = told(&in);
        size_t lost = in.n < 68 ? in.n : in.n > 300 && in.n < 368 ? in.n - 300 : 0;

        assert_int_equal(s.bytes.n, in.n - lost);
        assert_true(s.bytes.n == 0 || memcmp(s.bytes.p, in.p, s.bytes.n) == 0);
        assert_int_equal(strstr((char *)s.text.p, "(-7@") != NULL, lost > 0);
        story_free(&s);
    }
    buf_free(&in);
}

/* ---- many small chunks, held at once, released anywhere ---- */

#define MANY 3000

static void *release_half(void *arg)
{
    struct jfr_raw *raws = arg;

    for (size_t i = 0; i < MANY; i += 2) {
        assert_int_equal(raws[i].bytes[68], (uint8_t)i);
        jfr_source_release(NULL, &raws[i]); /* a block knows all that is needed */
    }
    return NULL;
}

static void may_be_held_and_released_by_threads(void **state)
{
    struct jfr_raw *raws = calloc(MANY, sizeof(*raws));
    struct buf in = {0};
    struct jfr_error err = {0};

    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        put_chunk(&in, 69 + i % 1000, i % 5 == 0 ? 0 : 69 + i % 1000, i);
    for (size_t r = 2; r < N_ROUTES; r++) {
        struct jfr_source *src = routes[r].open(in.p, in.n);
        pthread_t t;

        source_window_of(src)->limit = routes[r].limit == 0 ? 77777 : routes[r].limit;
        for (size_t i = 0; i < MANY; i++) {
            assert_int_equal(jfr_source_next(src, &raws[i], &err), 1);
            assert_int_equal(raws[i].index, i);
            assert_int_equal(raws[i].n, 69 + i % 1000);
        }
        assert_int_equal(pthread_create(&t, NULL, release_half, raws), 0);
        for (size_t i = 1; i < MANY; i += 2) {
            assert_int_equal(raws[i].bytes[68], (uint8_t)i);
            jfr_source_release(src, &raws[i]);
        }
        pthread_join(t, NULL);
        assert_int_equal(jfr_source_next(src, &raws[0], &err), 0);
        jfr_source_close(src);
    }
    buf_free(&in);
    free(raws);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere_loses_no_byte),
        cmocka_unit_test(may_be_held_and_released_by_threads),
    };
    int failed;

    signal(SIGPIPE, SIG_IGN); /* a source may be closed before its writer is done */
    failed = run_rows("source: is told", rows, is_told);
    return failed + cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
