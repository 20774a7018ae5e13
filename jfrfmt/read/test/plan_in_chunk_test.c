/*
 * plan_in_chunk_test.c - plans read events inside a chunk as words, where bytes follow the event.
 * They find the same as in a copy of the event after which no byte can be read.
 */
#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/arena.h"
#include "jfrfmt/test/chunk.h"

#define A 100 /* the class under test */
#define PAIR 101
#define N_WANTED 7
#define STRUCT 6 /* whose place is wanted, not its values */

static void declare_and_write(struct tc *t, unsigned bits)
{
    static const int64_t types[] = {TC_LONG, TC_INT, PAIR, TC_SHORT, TC_CHAR, TC_LONG};

    tc_begin(t);
    tc_class(t, PAIR, "Pair", NULL);
    tc_field(t, "x", TC_LONG, 0);
    tc_field(t, "y", TC_INT, 0);
    tc_class(t, A, "A", "jdk.jfr.Event");
    for (int i = 0; i < 6; i++)
        tc_field(t, (const char[]){(char)('a' + i), 0}, types[i], 0);
    tc_event_begin(t, A);
    for (unsigned i = 0; i < 7; i++)
        buf_varint(&t->b, UINT64_C(0x9e3779b97f4a7c15) >> (bits + 17 * i) % 64);
    tc_event_end(t);
    tc_end(t);
}

/* Reads the first n bytes of the body in place, and in a copy. */
static void compare_reads(const struct jfr_plan *plan, const struct jfr_event *ev, size_t n)
{
    union jfr_value v[N_WANTED], expected[N_WANTED];
    const uint8_t *where = NULL, *expected_where = NULL;
    struct guarded g = guarded_copy(ev->body.p, n, 0);
    int code = jfr_plan_run(plan, cur_over(ev->body.p, n), v, &where);

    assert_int_equal(code, n == cur_left(&ev->body) ? 0 : JFR_E_SHORT);
    assert_int_equal(jfr_plan_run(plan, cur_over(g.bytes, n), expected, &expected_where), code);
    for (int i = 0; i < STRUCT && code == 0; i++)
        assert_int_equal(v[i].i, expected[i].i);
    if (code == 0)
        assert_int_equal(v[STRUCT].at - ev->body.p, expected[STRUCT].at - g.bytes);
    if (code != 0)
        assert_int_equal(where - ev->body.p, expected_where - g.bytes);
    guarded_free(&g);
}

/* Varints of one to nine bytes, cut at every byte. */
static void in_a_chunk_as_in_a_copy(void **state)
{
    static const char *const want[N_WANTED] = {"b", "f", "missing", "d", "b", "d", "c"};

    (void)state;
    for (unsigned bits = 0; bits < 64; bits += 3) {
        struct jfr_chunk *chunk = jfr_chunk_new();
        struct jfr_error err = {0};
        struct tc t = {0};
        struct jfr_raw raw;
        struct jfr_event ev;

        declare_and_write(&t, bits);
        raw = tc_raw(&t);
        assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
        assert_int_equal(jfr_chunk_next(chunk, &ev), 1);
        for (size_t n = 0; n <= cur_left(&ev.body); n++)
            compare_reads(jfr_plan_new(chunk, ev.type, want, N_WANTED), &ev, n);
        jfr_chunk_free(chunk);
        tc_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_a_chunk_as_in_a_copy)};

    return cmocka_run_group_tests_name("plan in a chunk", tests, NULL, NULL);
}
