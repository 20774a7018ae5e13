/* merge_test.c - chunks of a joined file have one clock: its rate, and when they begin. */
#include "recorder/jfrsync/merge.h"

#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DECLARED 2800000000

static char folder[] = "/tmp/merge_test.XXXXXX", ours[64], theirs[64];

static void write_recording(const char *path, int64_t start_ticks, int64_t start_nanos)
{
    static const struct jfr_type_def type = {"a.Event", JFR_TYPE_EVENT};
    struct jfr_writer_options o = {
        .replace = true,
        .start_ticks = 1000,
        .start_nanos = start_nanos,
        .clock = {.per_second = DECLARED, .ticks = start_ticks, .at_ns = 1000}};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, &o, &err);
    int64_t id;

    assert_non_null(w);
    id = jfr_writer_declare(w, &type, 1);
    jfr_event_begin(w, id, 5000);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

/* Joins two recordings, the second of which begins 2793438000 ticks later and says a wrong time.
 * The headers of the events' chunks are stored; returns their number. */
static size_t join(int64_t per_second, struct jfr_chunk_header headers[4])
{
    static const bool is_ours[EV_N];
    struct jfr_error err = {0};
    struct jfr_reader *reader;
    struct jfr_event ev;
    size_t n = 0;

    write_recording(ours, 5000, 1000000000);
    write_recording(theirs, 5000 + INT64_C(2793438000), 2007000000);
    assert_int_equal(jfrsync_join(ours, theirs, is_ours, per_second, &err), 0);
    reader = jfr_reader_open(ours, &err);
    assert_non_null(reader);
    while (n < 4 && jfr_reader_next(reader, &ev) > 0)
        headers[n++] = *jfr_chunk_header(jfr_reader_chunk(reader));
    jfr_reader_close(reader);
    return n;
}

static void chunks_have_the_rate(void **state)
{
    struct jfr_chunk_header h[4];

    (void)state;
    assert_int_equal(join(2793438000, h), 2);
    assert_true(h[0].ticks_per_second == 2793438000 && h[1].ticks_per_second == 2793438000);
}

static void theirs_begin_when_their_ticks_say(void **state)
{
    struct jfr_chunk_header h[4];

    (void)state;
    assert_int_equal(join(2793438000, h), 2);
    assert_true(h[0].start_nanos == 1000000000);
    assert_true(h[1].start_nanos == 2000000000);
}

static void without_a_rate_they_keep_theirs(void **state)
{
    struct jfr_chunk_header h[4];

    (void)state;
    assert_int_equal(join(0, h), 2);
    assert_true(h[0].ticks_per_second == DECLARED && h[1].ticks_per_second == DECLARED);
}

static int start(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(ours, sizeof(ours), "%s/ours.jfr", folder);
    snprintf(theirs, sizeof(theirs), "%s/theirs.jfr", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(ours);
    unlink(theirs);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_have_the_rate),
        cmocka_unit_test(theirs_begin_when_their_ticks_say),
        cmocka_unit_test(without_a_rate_they_keep_theirs),
    };

    return cmocka_run_group_tests_name("merge", tests, start, end);
}
