#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/arena.h"
#include "jfrfmt/test/chunk.h"

#include <stdlib.h>

#define EMPTY 200 /* a class without fields */
#define LOOP 201 /* one that holds itself */
#define SIZE_AT 8 /* in the header */
#define CHECKPOINT_AT 16
#define STATE_AT 64
#define DELTA_AT 7 /* in a checkpoint: behind 4 of size, type, start, duration */

struct loaded {
    struct tc t;
    struct jfr_chunk *chunk;
    size_t n; /* bytes to load, 0: all */
};

static void begin(struct loaded *l)
{
    *l = (struct loaded){.chunk = jfr_chunk_new()};
    tc_begin(&l->t);
    tc_class(&l->t, EMPTY, "Empty", "x");
    tc_class(&l->t, LOOP, "Loop", NULL);
    tc_field(&l->t, "self", LOOP, 0);
}

static void load(struct loaded *l)
{
    struct jfr_raw raw = tc_raw(&l->t);
    struct jfr_error err = {0};

    if (l->n != 0)
        raw.n = l->n;
    assert_int_equal(jfr_chunk_load(l->chunk, &raw, &err), 0);
}

static void unload(struct loaded *l)
{
    jfr_chunk_free(l->chunk);
    tc_free(&l->t);
}

/* A constant of java.lang.String. */
static void constant(struct loaded *l, uint64_t key, const char *text)
{
    buf_varint(&l->t.b, key);
    tc_text(&l->t.b, text);
}

static void one_string(struct loaded *l, uint64_t key, const char *text)
{
    tc_pool_begin(&l->t);
    tc_pool(&l->t, TC_STRING, 1);
    constant(l, key, text);
    tc_pool_end(&l->t);
}

static const struct jfr_pool *pool_of(struct loaded *l, int64_t id)
{
    const struct jfr_class *cls = jfr_metadata_by_id(jfr_chunk_metadata(l->chunk), id);

    assert_non_null(cls);
    return jfr_chunk_pool(l->chunk, cls);
}

/* NULL: there is none. */
static void check(struct loaded *l, uint64_t key, const char *want)
{
    struct jfr_str s = {.encoding = JFR_STR_CONSTANT, .n = key};

    s = jfr_chunk_resolve(l->chunk, s);
    if (want == NULL)
        assert_true(jfr_str_is_null(s));
    else
        assert_true(jfr_str_equals(s, want));
}

static bool said(struct loaded *l, const char *what)
{
    for (size_t i = 0; i < jfr_chunk_n_errors(l->chunk); i++)
        if (strstr(jfr_chunk_error(l->chunk, i)->text, what) != NULL)
            return true;
    return false;
}

struct keys_row {
    const char *name;
    uint64_t first, step;
    unsigned n;
};

static const struct keys_row keys[] = {
    {"one, zero", 0, 1, 1},
    {"one, greatest", UINT64_MAX, 1, 1},
    {"dense from zero", 0, 1, 1000},
    {"dense, far out", UINT64_MAX - 999, 1, 1000},
    {"dense, descending", 999, UINT64_MAX, 1000},
    {"sparse", 7, 0x100000001, 1000},
    {"method ids", 0x10000, 0x10000, 1000},
    {"both ends", 0, UINT64_MAX, 2},
    {"wraps around", UINT64_MAX - 5, 1, 12},
    {"just dense enough", 5, 4, 1000},
    {"just too sparse", 5, 5, 1000},
};

static void every_key_is_found_and_no_other(void **state)
{
    const struct keys_row *r = *state;
    struct loaded l;
    const struct jfr_pool *pool;
    char text[24];

    begin(&l);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, TC_STRING, r->n);
    for (unsigned i = 0; i < r->n; i++) {
        snprintf(text, sizeof(text), "%u", i);
        constant(&l, r->first + i * r->step, text);
    }
    tc_pool_end(&l.t);
    tc_end(&l.t);
    load(&l);
    pool = pool_of(&l, TC_STRING);
    assert_int_equal(jfr_pool_n(pool), r->n);
    for (unsigned i = 0; i < r->n; i++) {
        uint64_t key = r->first + i * r->step;
        int64_t at = jfr_pool_find(pool, key);
        struct cursor c;

        assert_in_range(at, 0, r->n - 1);
        assert_true(jfr_pool_key(pool, (size_t)at) == key);
        c = jfr_pool_value(pool, (size_t)at);
        snprintf(text, sizeof(text), "%u", i);
        assert_true(jfr_str_equals(jfr_str_read(&c), text));
    }
    for (unsigned i = 0; i < 2 * r->n && r->step > 1 && r->step < UINT64_MAX; i++)
        assert_int_equal(jfr_pool_find(pool, r->first + i * r->step + 1), -1);
    assert_int_equal(jfr_pool_find(pool, r->first - r->step), -1);
    assert_int_equal(jfr_pool_find(pool, r->first + r->n * r->step), -1);
    assert_int_equal(jfr_chunk_n_errors(l.chunk), 0);
    unload(&l);
}

static void empty_and_missing_pools_find_nothing(void **state)
{
    struct loaded l;
    struct jfr_class stranger = {.is_unknown = true};

    (void)state;
    begin(&l);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, TC_THREAD, 0);
    tc_pool_end(&l.t);
    tc_pool_begin(&l.t); /* not a single pool */
    tc_pool_end(&l.t);
    tc_end(&l.t);
    load(&l);
    for (int64_t id = TC_STRING; id <= TC_THREAD; id += TC_THREAD - TC_STRING) {
        assert_int_equal(jfr_pool_n(pool_of(&l, id)), 0);
        assert_int_equal(jfr_pool_find(pool_of(&l, id), 0), -1);
        assert_int_equal(jfr_pool_find(pool_of(&l, id), UINT64_MAX), -1);
    }
    assert_int_equal(jfr_pool_find(NULL, 0), -1);
    assert_non_null(jfr_chunk_pool(l.chunk, &stranger)); /* no lack of memory */
    assert_int_equal(jfr_pool_n(jfr_chunk_pool(l.chunk, &stranger)), 0);
    assert_int_equal(jfr_chunk_n_errors(l.chunk), 0);
    unload(&l);
}

static void duplicates_go_by_rule(void **state)
{
    struct loaded l;

    (void)state;
    for (int rule = JFR_POOL_NEWEST; rule <= JFR_POOL_OLDEST; rule++) {
        bool newest = rule == JFR_POOL_NEWEST;

        begin(&l);
        one_string(&l, 1, "oldest");
        one_string(&l, 2, "other");
        one_string(&l, 1, "middle");
        one_string(&l, 1, "newest");
        tc_end(&l.t);
        jfr_chunk_set_pool_rule(l.chunk, (enum jfr_pool_rule)rule);
        load(&l);
        check(&l, 1, newest ? "newest" : "oldest");
        check(&l, 2, "other");
        assert_int_equal(jfr_pool_n(pool_of(&l, TC_STRING)), 4);
        unload(&l);
    }
}

/* The same class twice in one checkpoint, and constants that name constants. */
static void constant_of_a_constant_is_null(void **state)
{
    struct loaded l;

    (void)state;
    begin(&l);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, TC_STRING, 1);
    buf_bytes(&l.t.b, "\1\2\1", 3); /* 1 is what 1 is */
    tc_pool(&l.t, TC_STRING, 1);
    constant(&l, 2, "two");
    tc_pool_end(&l.t);
    tc_end(&l.t);
    load(&l);
    check(&l, 1, NULL);
    check(&l, 2, "two");
    unload(&l);
}

/* Values without a byte are no constants: a huge count of them costs nothing. */
static void constants_without_bytes_are_left_out(void **state)
{
    struct loaded l;

    (void)state;
    begin(&l);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, EMPTY, 3);
    buf_bytes(&l.t.b, "\1\2\3", 3);
    tc_pool(&l.t, TC_STRING, 1);
    constant(&l, 4, "behind");
    tc_pool_end(&l.t);
    tc_end(&l.t);
    load(&l);
    assert_int_equal(jfr_pool_n(pool_of(&l, EMPTY)), 0);
    check(&l, 4, "behind");
    assert_int_equal(jfr_chunk_n_errors(l.chunk), 0);
    unload(&l);
}

/* The oldest checkpoint is whole, the newest has a pool that cannot be stepped over. */
struct bad_row {
    const char *name;
    int64_t class_id;
    uint64_t n;
    const char *bytes;
    size_t n_bytes;
    const char *said;
};

#define HUGE_N UINT64_MAX

static const struct bad_row bads[] = {
    {"undeclared class", 4711, 1, "\1\1", 2, "undeclared class 4711"},
    {"class that holds itself", LOOP, 1, "\1\1", 2, "undecodable class 201"},
    {"huge count", TC_STRING, HUGE_N, "\1\1", 2, "checkpoint event is damaged"},
    {"huge count of nothing", EMPTY, HUGE_N, "\1\1", 2, "checkpoint event is damaged"},
    {"one constant too many", TC_STRING, 2, "\x09\1", 2, "checkpoint event is damaged"},
    {"unknown encoding", TC_STRING, 1, "\1\x09", 2, "checkpoint event is damaged"},
    {"string longer than the checkpoint", TC_STRING, 1, "\1\3\x7f", 3,
     "checkpoint event is damaged"},
};

static void bad_pool_costs_only_what_follows_it(void **state)
{
    const struct bad_row *r = *state;
    struct loaded l;

    begin(&l);
    one_string(&l, 1, "before");
    tc_pool_begin(&l.t);
    tc_pool(&l.t, TC_STRING, 1);
    constant(&l, 2, "same");
    tc_pool(&l.t, r->class_id, r->n);
    buf_bytes(&l.t.b, r->bytes, r->n_bytes);
    tc_pool_end(&l.t);
    one_string(&l, 3, "after");
    tc_end(&l.t);
    load(&l);
    check(&l, 1, "before");
    check(&l, 2, "same");
    check(&l, 3, "after");
    assert_true(said(&l, r->said));
    assert_int_equal(jfr_chunk_n_errors(l.chunk), 1);
    assert_int_equal(jfr_chunk_error(l.chunk, 0)->code, JFR_E_FORMAT);
    unload(&l);
}

/* Deltas: where the newest of three checkpoints leads instead of to the one before. */
struct chain_row {
    const char *name;
    int target; /* number of a checkpoint, 3: outside, 4: an event, -1: nowhere */
    size_t n; /* strings found */
    const char *said;
};

static const struct chain_row chains[] = {
    {"to the one before", 1, 3, NULL},
    {"past one", 0, 2, NULL},
    {"to itself", 2, 3, NULL}, /* a delta of 0 is the end of the chain, and legal */
    {"outside", 3, 3, "outside of the chunk"},
    {"to another event", 4, 3, "checkpoint event is damaged"},
};

static void set_delta(struct loaded *l, size_t at, int64_t delta)
{
    buf_varint_at(l->t.b.p + at + DELTA_AT, (uint64_t)delta, 9);
}

/* Three checkpoints with nine-byte deltas, at[0] the oldest, and one event at at[4]. */
static void three(struct loaded *l, size_t *at)
{
    static const char *const texts[] = {"a", "b", "c"};

    begin(l);
    for (size_t i = 0; i < 3; i++) {
        l->t.last_checkpoint = 1; /* not 0: so that the delta takes nine bytes */
        at[i] = l->t.b.n;
        one_string(l, i, texts[i]);
        set_delta(l, at[i], i == 0 ? 0 : (int64_t)at[i - 1] - (int64_t)at[i]);
    }
    at[3] = 1000000;
    at[4] = l->t.b.n;
    tc_event_begin(&l->t, 77);
    tc_event_end(&l->t);
}

static void chain_leads(void **state)
{
    const struct chain_row *r = *state;
    struct loaded l;
    size_t at[5];

    three(&l, at);
    set_delta(&l, at[2], (int64_t)at[r->target] - (int64_t)at[2]);
    tc_end(&l.t);
    load(&l);
    if (r->target == 2) { /* the newest is the last of the chain: the rest is not in it */
        check(&l, 2, "c");
        check(&l, 1, NULL);
        assert_int_equal(jfr_chunk_n_errors(l.chunk), 0);
    } else {
        assert_int_equal(jfr_pool_n(pool_of(&l, TC_STRING)), r->n);
        assert_int_equal(jfr_chunk_n_errors(l.chunk), r->said != NULL);
        assert_true(r->said == NULL || said(&l, r->said));
    }
    unload(&l);
}

static void cycle_ends_and_everything_is_found(void **state)
{
    struct loaded l;
    size_t at[5];

    (void)state;
    three(&l, at);
    set_delta(&l, at[1], (int64_t)at[2] - (int64_t)at[1]);
    tc_end(&l.t);
    load(&l);
    check(&l, 0, "a"); /* out of the chain, but among the events */
    check(&l, 1, "b");
    check(&l, 2, "c");
    assert_true(said(&l, "cyclic"));
    assert_int_equal(jfr_pool_n(pool_of(&l, TC_STRING)), 3); /* none is read twice */
    unload(&l);
}

static void positive_deltas_are_followed(void **state)
{
    struct loaded l;
    size_t at[5];

    (void)state;
    three(&l, at);
    set_delta(&l, at[0], (int64_t)at[1] - (int64_t)at[0]);
    set_delta(&l, at[1], (int64_t)at[2] - (int64_t)at[1]);
    set_delta(&l, at[2], 0);
    tc_end(&l.t);
    tc_poke(&l.t, CHECKPOINT_AT, at[0], 8);
    load(&l);
    check(&l, 0, "a");
    check(&l, 2, "c");
    assert_int_equal(jfr_chunk_n_errors(l.chunk), 0);
    unload(&l);
}

static void padded_numbers_are_read(void **state)
{
    static const uint8_t body[] = {0x80, 0x80, 0,    0x80,
                                   0,    0x80, 0x80, 0x80,
                                   0,    1, /* to the mask */
                                   0x81, 0x80, 0,    0x80 | TC_STRING,
                                   0x80, 0,    0x81, 0,
                                   0x85, 0x80, 0x80, 0x80,
                                   0x80, 0x80, 0x80, 0x80,
                                   0,    3,    0x81, 0x80,
                                   0,    'x'};
    struct loaded l;

    (void)state;
    begin(&l);
    l.t.last_checkpoint = l.t.b.n;
    tc_event_begin(&l.t, 1);
    buf_bytes(&l.t.b, body, sizeof(body));
    tc_event_end(&l.t);
    tc_end(&l.t);
    load(&l);
    check(&l, 5, "x");
    assert_int_equal(jfr_chunk_n_errors(l.chunk), 0);
    unload(&l);
}

/* What was written behind the last flush of a recorder that was killed counts, and is newer. */
static void strays_of_an_unfinished_chunk_are_newer(void **state)
{
    struct loaded l;
    size_t flushed, chain;

    (void)state;
    begin(&l);
    one_string(&l, 1, "flushed");
    one_string(&l, 2, "only flushed");
    chain = l.t.last_checkpoint;
    tc_end(&l.t);
    flushed = l.t.b.n;
    one_string(&l, 1, "behind");
    one_string(&l, 1, "last");
    tc_poke(&l.t, SIZE_AT, flushed, 8);
    tc_poke(&l.t, CHECKPOINT_AT, chain, 8);
    tc_poke(&l.t, STATE_AT, 3, 1);
    load(&l);
    check(&l, 1, "last");
    check(&l, 2, "only flushed");
    jfr_chunk_set_pool_rule(l.chunk, JFR_POOL_OLDEST);
    load(&l);
    check(&l, 1, "flushed");
    tc_poke(&l.t, CHECKPOINT_AT, 0, 8); /* killed before the first flush named one */
    load(&l);
    check(&l, 1, "flushed");
    check(&l, 2, "only flushed");
    unload(&l);
}

/* Every checkpoint spans all that follow it: read naively, bytes are read n^2 / 2 times. */
static void overlapping_checkpoints_are_not_read_over_and_over(void **state)
{
    enum {
        N = 20000
    };
    struct loaded l;
    size_t first, one, end;

    (void)state;
    begin(&l);
    first = l.t.b.n;
    for (int i = 0; i < N; i++) {
        l.t.last_checkpoint = 1;
        one_string(&l, 1, "");
    }
    end = l.t.b.n;
    one = (end - first) / N;
    for (size_t i = 0, at = first; i < N; i++, at += one) {
        buf_varint_at(l.t.b.p + at, end - at, 4);
        set_delta(&l, at, i + 1 == N ? 0 : (int64_t)one);
        buf_varint_at(l.t.b.p + at + DELTA_AT + 10, 2, 4); /* one pool more: the next head */
    }
    tc_end(&l.t);
    tc_poke(&l.t, CHECKPOINT_AT, first, 8);
    load(&l);
    assert_true(jfr_pool_n(pool_of(&l, TC_STRING)) <= N);
    assert_true(said(&l, "checkpoints overlap"));
    unload(&l);
}

static void chunks_of_many_and_few_classes_take_turns(void **state)
{
    struct loaded l;
    struct tc few, many;

    (void)state;
    begin(&l);
    one_string(&l, 1, "few");
    tc_end(&l.t);
    few = l.t;
    l.t = (struct tc){0};
    tc_begin(&l.t);
    for (int i = 0; i < 3000; i++)
        tc_class(&l.t, 1000 + i, "X", NULL);
    tc_class(&l.t, 5000, "Y", NULL);
    tc_field(&l.t, "f", TC_INT, 0);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, 5000, 2);
    buf_bytes(&l.t.b, "\1\2\3\4", 4);
    tc_pool_end(&l.t);
    tc_end(&l.t);
    many = l.t;
    for (int i = 0; i < 6; i++) {
        l.t = i % 2 == 0 ? few : many;
        load(&l);
        check(&l, 1, i % 2 == 0 ? "few" : NULL);
        if (i % 2 != 0)
            assert_int_equal(jfr_pool_find(pool_of(&l, 5000), 3), 1);
    }
    tc_free(&few);
    l.t = many;
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_and_missing_pools_find_nothing),
        cmocka_unit_test(duplicates_go_by_rule),
        cmocka_unit_test(constant_of_a_constant_is_null),
        cmocka_unit_test(constants_without_bytes_are_left_out),
        cmocka_unit_test(cycle_ends_and_everything_is_found),
        cmocka_unit_test(positive_deltas_are_followed),
        cmocka_unit_test(padded_numbers_are_read),
        cmocka_unit_test(strays_of_an_unfinished_chunk_are_newer),
        cmocka_unit_test(overlapping_checkpoints_are_not_read_over_and_over),
        cmocka_unit_test(chunks_of_many_and_few_classes_take_turns),
    };

    return run_rows("cpool: keys", keys, every_key_is_found_and_no_other) +
           run_rows("cpool: bad pools", bads, bad_pool_costs_only_what_follows_it) +
           run_rows("cpool: chains", chains, chain_leads) +
           cmocka_run_group_tests_name("cpool", tests, NULL, NULL);
}
