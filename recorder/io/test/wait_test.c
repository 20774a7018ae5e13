#include "recorder/io/wait.h"

#include "jfrfmt/test/testing.h"

#define MS 1000000
#define FD 7
#define BEGAN (1000 * (int64_t)MS)

/* The limit of a wait in milliseconds, as the JDK asks Net.poll for what is left of it. */
static const struct row {
    const char *name;
    int64_t tried_us; /* since the read began: when it had found nothing */
    int64_t polls[2], after_us[2]; /* since the read began; of the second poll 0: there is none */
    int32_t want;
} rows[] = {
    {"without a limit", 3, {-1, 0}, {5, 0}, 0},
    {"at once", 3, {60, 0}, {5, 0}, 60},
    {"at once, not round", 3, {61, 0}, {5, 0}, 61},
    {"the read took long", 3190, {57, 0}, {3200, 0}, 60},
    {"the read took long, not round", 3190, {58, 0}, {3200, 0}, 61},
    {"interrupted before the clock was read", 3, {288, 0}, {12500, 0}, 300},
    {"interrupted after the clock was read", 3, {300, 0}, {12500, 0}, 300},
    {"interrupted after the clock was read, long limit", 3, {30000, 0}, {950000, 0}, 30000},
    {"interrupted, no round number is near", 3, {291, 0}, {3500, 0}, 294},
    {"the clock was read just before the read began", 3, {59, 0}, {950, 0}, 60},
    {"a wait that was disturbed", 3, {60, 20}, {5, 40100}, 60},
    {"more than there is", 3, {INT64_MAX / 2, 0}, {5, 0}, INT32_MAX},
};

static void limit(void **state)
{
    const struct row *r = *state;
    const struct io_wait part = {.began = BEGAN};

    io_wait_for(FD, &part, BEGAN + r->tried_us * 1000);
    for (int i = 0; i < 2 && r->after_us[i] > 0; i++) {
        io_wait_polls(FD, r->polls[i], BEGAN + r->after_us[i] * 1000);
        io_wait_polled(FD, 0, false);
    }
    assert_true(io_wait_any());
    assert_true(io_wait_mine.has_waited);
    assert_int_equal(io_wait_mine.timeout_ms, r->want);
}

int main(void)
{
    return run_rows("io_wait: limits", rows, limit);
}
