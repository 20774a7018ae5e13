/* clock_test.c - times in ticks of another clock: computed, written, and read back. */
#include "jfrfmt/read/clock.h"

#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/write/writer.h"

#include <stdlib.h>
#include <unistd.h>

/* clang-format off */
static const struct span_row {
    const char *name;
    int64_t per_second, ns, want;
} spans[] = {
    {"nanoseconds stay", 0, 12345, 12345},
    {"2.5 ticks a nanosecond", 2500000000, 1000, 2500},
    {"fewer ticks", 24000000, 1000000, 24000},
    {"years", 2500000000, INT64_C(1) << 60, (INT64_C(1) << 60) / 2 * 5},
    {"too long", 5000000000, INT64_C(1) << 62, INT64_MAX},
    {"before", 2500000000, -1000, -2500},
    {"no end", 2500000000, INT64_MAX, INT64_MAX},
    {"no time", 2500000000, INT64_MIN, INT64_MIN},
};
/* clang-format on */

static void span(void **state)
{
    const struct span_row *t = *state;
    struct jfr_clock c = {.per_second = t->per_second, .ticks = 77, .at_ns = 1000};

    assert_true(clock_span(&c, t->ns) == t->want);
}

static void spans_have_the_rate_that_was_seen(void **state)
{
    struct jfr_clock c = {.per_second = 2800000000, .so_many = 27934, .in_ns = 10000};

    (void)state;
    assert_true(clock_span(&c, 20000) == 55868);
    assert_true(clock_span(&c, INT64_MAX) == INT64_MAX);
}

static void moments_are_counted_from_the_common_one(void **state)
{
    struct jfr_clock c = {.per_second = 2500000000, .ticks = 77, .at_ns = 1000}, none = {0};

    (void)state;
    assert_true(clock_moment(&c, 1000) == 77);
    assert_true(clock_moment(&c, 3000) == 77 + 5000);
    assert_true(clock_moment(&c, INT64_MIN) == INT64_MIN);
    assert_true(clock_moment(&none, 3000) == 3000);
    assert_true(clock_per_second(&none) == 1000000000);
}

static const struct jfr_field_def fields[] = {
    {"pause", "long", "Pause", .unit = JFR_UNIT_TICKS},
    {"at", "long", "At", .unit = JFR_UNIT_TIMESTAMP_TICKS},
    {"plain", "long", "Plain", .unit = JFR_UNIT_NS},
};
static const struct jfr_type_def type = {"a.Event", JFR_TYPE_EVENT, .flags = JFR_HAS_DURATION,
                                         .fields = fields, .n_fields = 3};

/* A chunk of one event that began 4 us after the chunk, written with that clock. */
static void write_file(int fd, const struct jfr_clock *clock)
{
    struct jfr_writer_options o = {.start_ticks = 1000, .start_nanos = 5, .clock = *clock};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open_fd_take(fd, &o, &err);
    int64_t id;

    assert_non_null(w);
    id = jfr_writer_declare(w, &type, 1);
    assert_true(id > 0);
    jfr_event_begin(w, id, 5000);
    jfr_put_long(w, 400); /* duration */
    jfr_put_long(w, 40);
    jfr_put_long(w, 1000);
    jfr_put_long(w, 40);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_flush(w, 6000), 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void a_file_counts_as_its_clock_says(void **state)
{
    const struct jfr_clock clock = {.per_second = 2500000000, .ticks = 77, .at_ns = 1000};
    static const uint64_t want[] = {77 + 10000, 1000, 100, 77, 40};
    char path[] = "/tmp/jfrkit-clock-XXXXXX";
    struct jfr_error err = {0};
    struct jfr_reader *r;
    struct jfr_event ev;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    write_file(fd, &clock);
    r = jfr_reader_open(path, &err);
    assert_non_null(r);
    assert_int_equal(jfr_reader_next(r, &ev), 1);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        assert_true(cur_varint(&ev.body) == want[i]);
    assert_true(jfr_chunk_header(jfr_reader_chunk(r))->ticks_per_second == 2500000000);
    assert_true(jfr_chunk_header(jfr_reader_chunk(r))->start_ticks == 77);
    assert_int_equal(jfr_reader_next(r, &ev), 0);
    jfr_reader_close(r);
    unlink(path);
}

/* The other clock is 100 millionths faster than it says. */
static void a_clock_that_runs_otherwise_is_followed(void **state)
{
    struct jfr_writer_options o = {.start_ticks = 1000,
                                   .start_nanos = 5,
                                   .clock = {.per_second = 2500000000, .ticks = 77, .at_ns = 1000}};
    const struct jfr_clock seen = {
        .per_second = 2500000000, .ticks = 77 + 2500250000, .at_ns = 1000 + 1000000000};
    static const int64_t at[] = {1000 + 1000000000, 1000 + 1100000000}; /* ns */
    static const uint64_t want[] = {77 + 2500250000, 77 + 2750275000};
    char path[] = "/tmp/jfrkit-clock-XXXXXX";
    struct jfr_error err = {0};
    struct jfr_reader *r;
    struct jfr_event ev;
    int fd = mkstemp(path);
    struct jfr_writer *w = jfr_writer_open_fd_take(fd, &o, &err);
    int64_t id;

    (void)state;
    assert_non_null(w);
    id = jfr_writer_declare(w, &type, 1);
    jfr_writer_follow(w, &seen);
    jfr_writer_follow(w, &seen); /* it begins where it began, however often it is asked */
    for (size_t i = 0; i < 2; i++) {
        jfr_event_begin(w, id, at[i]);
        for (int k = 0; k < 4; k++)
            jfr_put_long(w, 0);
        assert_int_equal(jfr_event_end(w), 0);
    }
    assert_int_equal(jfr_writer_close(w, &err), 0);
    r = jfr_reader_open(path, &err);
    assert_non_null(r);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(jfr_reader_next(r, &ev), 1);
        assert_true(cur_varint(&ev.body) == want[i]);
    }
    assert_true(jfr_chunk_header(jfr_reader_chunk(r))->start_ticks == 77);
    jfr_reader_close(r);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_have_the_rate_that_was_seen),
        cmocka_unit_test(moments_are_counted_from_the_common_one),
        cmocka_unit_test(a_file_counts_as_its_clock_says),
        cmocka_unit_test(a_clock_that_runs_otherwise_is_followed),
    };

    return run_rows("clock: span", spans, span) +
           cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
