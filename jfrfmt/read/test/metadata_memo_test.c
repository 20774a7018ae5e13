/* Chunks whose metadata are those of the chunk before, or nearly. */
#include "jfrfmt/jfr.h"
#include "jfrfmt/test/chunk.h"
#include "jfrfmt/test/testing.h"

#include <stdlib.h>

#define TICK 100

/* A chunk with one class; its metadata event has this id. */
static struct tc chunk_of(const char *name, uint8_t id)
{
    struct tc t;
    uint64_t at = 0;

    tc_begin(&t);
    tc_class(&t, TICK, name, "jdk.jfr.Event");
    tc_field(&t, "startTime", TC_LONG, 0);
    tc_event_begin(&t, TICK);
    buf_varint(&t.b, 5);
    tc_event_end(&t);
    tc_end(&t);
    for (int i = 24; i < 32; i++)
        at = at << 8 | t.b.p[i];
    t.b.p[at + 4 + 1 + 1 + 1] = id; /* after size, type, start and duration */
    return t;
}

static const struct jfr_class *load(struct jfr_chunk *chunk, const struct tc *t)
{
    struct jfr_raw raw = tc_raw(t);
    struct jfr_error err = {0};
    struct jfr_event ev;

    assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
    assert_int_equal(jfr_chunk_next(chunk, &ev), 1);
    assert_non_null(ev.type);
    return ev.type;
}

static void equal_metadata_are_kept(void **state)
{
    struct tc a = chunk_of("a.Tick", 1), again = chunk_of("a.Tick", 2), b = chunk_of("b.Tick", 1);
    struct jfr_chunk *chunk = jfr_chunk_new();
    const struct jfr_class *first;

    (void)state;
    first = load(chunk, &a);
    assert_string_equal(first->name, "a.Tick");
    assert_int_equal(jfr_chunk_metadata(chunk)->id, 1);
    assert_ptr_equal(load(chunk, &again), first);
    assert_string_equal(first->name, "a.Tick");
    assert_int_equal(jfr_chunk_metadata(chunk)->id, 2);
    assert_string_equal(load(chunk, &b)->name, "b.Tick");
    assert_string_equal(load(chunk, &a)->name, "a.Tick");
    jfr_chunk_free(chunk);
    tc_free(&a);
    tc_free(&again);
    tc_free(&b);
}

/* What is left of the metadata of a cut chunk is not taken for those of a whole one. */
static void cut_metadata_are_not_kept(void **state)
{
    struct tc whole = chunk_of("a.Tick", 1);
    struct jfr_chunk *chunk = jfr_chunk_new();

    (void)state;
    load(chunk, &whole);
    for (size_t n = JFR_CHUNK_HEADER_SIZE; n < whole.b.n; n++) {
        struct jfr_raw raw = tc_raw(&whole);
        struct jfr_error err = {0};

        raw.n = n;
        if (jfr_chunk_load(chunk, &raw, &err) == 0)
            assert_true(jfr_chunk_n_errors(chunk) > 0);
        assert_string_equal(load(chunk, &whole)->name, "a.Tick");
        assert_int_equal(jfr_chunk_n_errors(chunk), 0);
    }
    jfr_chunk_free(chunk);
    tc_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_metadata_are_kept),
        cmocka_unit_test(cut_metadata_are_not_kept),
    };

    return cmocka_run_group_tests_name("metadata memo", tests, NULL, NULL);
}
