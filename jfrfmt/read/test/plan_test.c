#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/arena.h"
#include "jfrfmt/test/chunk.h"

#include <math.h>
#include <stdlib.h>

#define A 100 /* the class under test; further ones follow */
#define NINE 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff /* -1 */

struct loaded {
    struct tc t;
    struct jfr_chunk *chunk;
    const struct jfr_class *cls;
};

static void load(struct loaded *l)
{
    struct jfr_error err = {0};
    struct jfr_raw raw;

    tc_end(&l->t);
    raw = tc_raw(&l->t);
    l->chunk = jfr_chunk_new();
    assert_int_equal(jfr_chunk_load(l->chunk, &raw, &err), 0);
    l->cls = jfr_metadata_by_id(jfr_chunk_metadata(l->chunk), A);
    assert_non_null(l->cls);
}

static void unload(struct loaded *l)
{
    jfr_chunk_free(l->chunk);
    tc_free(&l->t);
}

static void begin(struct loaded *l)
{
    *l = (struct loaded){0};
    tc_begin(&l->t);
}

static const struct jfr_plan *plan(struct loaded *l, const char *const *paths, size_t n)
{
    return jfr_plan_new(l->chunk, l->cls, paths, n);
}

enum {
    I,
    F
};

struct value_row {
    const char *name;
    int64_t type;
    int annotation; /* of the field */
    uint8_t bytes[10];
    size_t n;
    int member;
    int64_t i;
    double f;
};

/* clang-format off */
static const struct value_row values[] = {
    {"boolean false", TC_BOOLEAN, 0, {0}, 1, I, 0, 0},
    {"boolean true", TC_BOOLEAN, 0, {1}, 1, I, 1, 0},
    {"boolean 255 is true", TC_BOOLEAN, 0, {255}, 1, I, 1, 0},
    {"byte", TC_BYTE, 0, {0x80}, 1, I, -128, 0},
    {"byte unsigned", TC_BYTE, TC_UNSIGNED, {0x80}, 1, I, 128, 0},
    {"char", TC_CHAR, 0, {0xff, 0xff, 3}, 3, I, 65535, 0},
    {"char is cut", TC_CHAR, 0, {NINE}, 9, I, 65535, 0},
    {"short -1, short form", TC_SHORT, 0, {0xff, 0xff, 3}, 3, I, -1, 0},
    {"short -1, long form", TC_SHORT, 0, {NINE}, 9, I, -1, 0},
    {"short unsigned", TC_SHORT, TC_UNSIGNED, {NINE}, 9, I, 65535, 0},
    {"short is cut", TC_SHORT, 0, {0x85, 0x80, 4}, 3, I, 5, 0},
    {"int -1, five bytes", TC_INT, 0, {0xff, 0xff, 0xff, 0xff, 15}, 5, I, -1, 0},
    {"int -1, nine bytes", TC_INT, 0, {NINE}, 9, I, -1, 0},
    {"int unsigned", TC_INT, TC_UNSIGNED, {NINE}, 9, I, 4294967295, 0},
    {"int padded", TC_INT, 0, {0x87, 0x80, 0x80, 0}, 4, I, 7, 0},
    {"long -1", TC_LONG, 0, {NINE}, 9, I, -1, 0},
    {"long least", TC_LONG, 0, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 9, I, INT64_MIN, 0},
    {"long unsigned keeps its bits", TC_LONG, TC_UNSIGNED, {NINE}, 9, I, -1, 0},
    {"float", TC_FLOAT, 0, {0x3f, 0x80, 0, 0}, 4, F, 0, 1.0},
    {"float infinity", TC_FLOAT, 0, {0xff, 0x80, 0, 0}, 4, F, 0, -HUGE_VAL},
    {"double", TC_DOUBLE, 0, {0xc0, 4, 0, 0, 0, 0, 0, 0}, 8, F, 0, -2.5},
};
/* clang-format on */

/* The field alone; as the last of an array of unwanted ones; cut at every byte. */
static void value_decodes(void **state)
{
    static const char *const want[] = {"v", "w", "v"};
    const struct value_row *r = *state;
    struct loaded l;
    const struct jfr_plan *p, *skip;
    struct guarded g;
    union jfr_value v[3];
    uint8_t bytes[24];
    const uint8_t *where = NULL;
    struct cursor c;

    begin(&l);
    tc_class(&l.t, A, "A", NULL);
    tc_field_with(&l.t, "v", r->type, 0, r->annotation, NULL);
    tc_field_with(&l.t, "w", r->type, 0, r->annotation, NULL);
    load(&l);
    memcpy(bytes, r->bytes, r->n);
    memcpy(bytes + r->n, r->bytes, r->n);
    p = plan(&l, want, 3);
    skip = jfr_plan_for_skipping(l.chunk, l.cls);
    g = guarded_copy(bytes, 2 * r->n, 0);
    assert_int_equal(jfr_plan_run(p, cur_over(g.bytes, g.n), v, &where), 0);
    for (int i = 0; i < 3; i++)
        assert_true(r->member == F ? v[i].f == r->f : v[i].i == r->i);
    guarded_free(&g);
    for (size_t n = 0; n <= 2 * r->n; n++) {
        bool whole = n == 2 * r->n;

        g = guarded_copy(bytes, n, 0);
        assert_int_equal(jfr_plan_run(p, cur_over(g.bytes, n), v, &where), whole ? 0 : JFR_E_SHORT);
        assert_true(whole || n == 0 ||
                    where == g.bytes + (n < r->n ? 0 : r->n)); /* where the cut value starts */
        assert_int_equal(jfr_plan_run(p, cur_over(g.bytes, n), v, NULL), whole ? 0 : JFR_E_SHORT);
        c = cur_over(g.bytes, n);
        jfr_plan_skip(skip, &c);
        assert_int_equal(cur_ok(&c), whole);
        assert_int_equal(cur_left(&c), 0);
        guarded_free(&g);
    }
    unload(&l);
}

/* Arrays of each kind lie between two values; both are found, and at points to the count. */
static void array_is_stepped_over(void **state)
{
    static const char *const want[] = {"first", "last", "array"};
    const struct value_row *r = *state;
    struct loaded l;
    const struct jfr_plan *p;
    struct guarded g;
    union jfr_value v[3];
    struct buf b = {0};

    begin(&l);
    tc_class(&l.t, A, "A", NULL);
    tc_field(&l.t, "first", TC_INT, 0);
    tc_field(&l.t, "unwanted", r->type, TC_ARRAY);
    tc_field(&l.t, "array", r->type, TC_ARRAY);
    tc_field(&l.t, "pooled", r->type, TC_ARRAY | TC_POOLED);
    tc_field(&l.t, "last", TC_INT, 0);
    load(&l);
    for (unsigned n = 0; n < 20; n++) {
        buf_reset(&b);
        buf_varint(&b, 5);
        for (int twice = 0; twice < 2; twice++) {
            buf_varint(&b, n);
            for (unsigned i = 0; i < n; i++)
                buf_bytes(&b, r->bytes, r->n);
        }
        buf_varint(&b, n);
        for (unsigned i = 0; i < n; i++)
            buf_varint(&b, UINT64_MAX - i);
        buf_varint(&b, 6);
        g = guarded_copy(b.p, b.n, 0);
        p = plan(&l, want, 3);
        assert_int_equal(jfr_plan_run(p, cur_over(g.bytes, g.n), v, NULL), 0);
        assert_true(v[0].i == 5 && v[1].i == 6);
        assert_ptr_equal(v[2].at, g.bytes + 2 + n * r->n);
        guarded_free(&g);
        for (size_t cut = 0; cut < b.n; cut++) {
            g = guarded_copy(b.p, cut, 0);
            assert_int_equal(jfr_plan_run(p, cur_over(g.bytes, cut), v, NULL), JFR_E_SHORT);
            guarded_free(&g);
        }
    }
    buf_free(&b);
    unload(&l);
}

static void arrays_of_strings_structs_and_arrays(void **state)
{
    static const uint8_t bytes[] = {
        2, 3,  1, 'a', 0, /* two strings */
        2, 1,  7, 1,   5, 1, 'x', /* two structs: array {7}, null?, ... */
        0, /* array {} */
        1, 42,
    };
    static const char *const want[] = {"last"};
    struct loaded l;
    union jfr_value v[1];
    const struct jfr_plan *p;

    (void)state;
    begin(&l);
    tc_class(&l.t, A + 1, "Part", NULL);
    tc_field(&l.t, "numbers", TC_LONG, TC_ARRAY);
    tc_field(&l.t, "text", TC_STRING, 0);
    tc_class(&l.t, A, "A", NULL);
    tc_field(&l.t, "texts", TC_STRING, TC_ARRAY);
    tc_field(&l.t, "parts", A + 1, TC_ARRAY);
    tc_field(&l.t, "last", TC_INT, 0);
    load(&l);
    p = plan(&l, want, 1);
    /* parts: {numbers {7}, text empty}, {numbers of 5, of which one ...} does not fit */
    assert_int_equal(jfr_plan_run(p, cur_over(bytes, sizeof(bytes)), v, NULL), JFR_E_SHORT);
    assert_int_equal(jfr_plan_run(p, cur_over("\1\3\1a\2\1\7\1\0\5\1x\x2a", 13), v, NULL), 0);
    assert_int_equal(v[0].i, 42);
    unload(&l);
}

/* Steps are joined, but not those of an array's elements with those behind the array. */
static void what_follows_an_array_is_not_part_of_it(void **state)
{
    static const char *const want[] = {"last"};
    struct loaded l;
    union jfr_value v[1];
    const struct jfr_plan *p;

    (void)state;
    begin(&l);
    tc_class(&l.t, A + 1, "Part", NULL);
    tc_field(&l.t, "text", TC_STRING, 0);
    tc_field(&l.t, "number", TC_INT, 0);
    tc_class(&l.t, A, "A", NULL);
    tc_field(&l.t, "before", TC_INT, 0);
    tc_field(&l.t, "parts", A + 1, TC_ARRAY);
    tc_field(&l.t, "behind", TC_INT, 0);
    tc_field(&l.t, "numbers", TC_INT, TC_ARRAY);
    tc_field(&l.t, "last", TC_INT, 0);
    load(&l);
    p = plan(&l, want, 1);
    assert_int_equal(jfr_plan_run(p, cur_over("\x9\2\1\5\0\6\7\1\x8\x2a", 10), v, NULL), 0);
    assert_int_equal(v[0].i, 42);
    assert_int_equal(jfr_plan_run(p, cur_over("\x9\0\7\0\x2a", 5), v, NULL), 0);
    assert_int_equal(v[0].i, 42);
    unload(&l);
}

#define HUGE_COUNT "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"

struct count_row {
    const char *name;
    int64_t type;
    const char *count;
    size_t n;
};

static const struct count_row counts[] = {
    {"2^63-1 bytes", TC_BYTE, HUGE_COUNT, 9},
    {"2^63-1 ints", TC_INT, HUGE_COUNT, 9},
    {"2^63-1 doubles", TC_DOUBLE, HUGE_COUNT, 9},
    {"2^63-1 strings", TC_STRING, HUGE_COUNT, 9},
    {"2^63-1 structs of two ints", A + 1, HUGE_COUNT, 9},
    {"2^63-1 structs of arrays", A + 2, HUGE_COUNT, 9},
    {"-1 ints", TC_INT, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9},
    {"one double too many", TC_DOUBLE, "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16},
    {"one struct too many", A + 1, "\2\1\1\1", 4},
};

static void hostile_count_fails_at_once(void **state)
{
    static const char *const want[] = {"last"};
    const struct count_row *r = *state;
    struct loaded l;
    union jfr_value v[1];
    struct guarded g = guarded_copy(r->count, r->n, 0);
    struct cursor c = cur_over(g.bytes, g.n);

    begin(&l);
    tc_class(&l.t, A + 1, "Two", NULL);
    tc_field(&l.t, "a", TC_INT, 0);
    tc_field(&l.t, "b", TC_INT, 0);
    tc_class(&l.t, A + 2, "Arrays", NULL);
    tc_field(&l.t, "a", TC_STRING, TC_ARRAY);
    tc_class(&l.t, A, "A", NULL);
    tc_field(&l.t, "array", r->type, TC_ARRAY);
    tc_field(&l.t, "last", TC_INT, 0);
    load(&l);
    assert_int_equal(jfr_plan_run(plan(&l, want, 1), c, v, NULL), JFR_E_SHORT);
    jfr_plan_skip(jfr_plan_for_skipping(l.chunk, l.cls), &c);
    assert_false(cur_ok(&c));
    unload(&l);
    guarded_free(&g);
}

/* Elements without a byte: any count is as good as none. */
static void array_of_nothing_takes_no_time(void **state)
{
    static const char *const want[] = {"last"};
    struct loaded l;
    union jfr_value v[1];

    (void)state;
    begin(&l);
    tc_class(&l.t, A + 1, "Nothing", "x");
    tc_class(&l.t, A + 2, "NothingInside", "x");
    tc_field(&l.t, "nothing", A + 1, 0);
    tc_class(&l.t, A, "A", NULL);
    tc_field(&l.t, "array", A + 1, TC_ARRAY);
    tc_field(&l.t, "another", A + 2, TC_ARRAY);
    tc_field(&l.t, "last", TC_INT, 0);
    load(&l);
    assert_int_equal(
        jfr_plan_run(plan(&l, want, 1), cur_over(HUGE_COUNT HUGE_COUNT "\5", 19), v, NULL), 0);
    assert_int_equal(v[0].i, 5);
    unload(&l);
}

static void nested(struct loaded *l)
{
    begin(l);
    tc_class(&l->t, A + 1, "Inner", NULL);
    tc_field(&l->t, "x", TC_INT, 0);
    tc_field(&l->t, "y.z", TC_INT, 0); /* a name with a dot */
    tc_class(&l->t, A + 2, "Middle", NULL);
    tc_field(&l->t, "one", A + 1, 0);
    tc_field(&l->t, "two", A + 1, 0);
    tc_class(&l->t, A, "A", NULL);
    tc_field(&l->t, "m", A + 2, 0);
    tc_field(&l->t, "m.one", TC_LONG, 0); /* both this and the inline struct have this path */
    tc_field(&l->t, "p", A + 2, TC_POOLED);
    tc_field(&l->t, "array", A + 1, TC_ARRAY);
    tc_field(&l->t, "twice", TC_INT, 0);
    tc_field(&l->t, "twice", TC_INT, 0);
    tc_field(&l->t, "", TC_INT, 0);
    load(l);
}

static void paths_lead_through_inline_structs(void **state)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 1, 7, 8, 9, 10, 11, 12, 13, 14};
    static const char *const want[] = {"m.two.x", "m.one.y.z", "m.two.y.z", "m",     "m.two",  "p",
                                       "p.one",   "array",     "array.x",   "twice", "m.one",  "",
                                       "m.",      "m.two.x.q", ".",         "mm",    "m.two.x"};
    enum {
        N = sizeof(want) / sizeof(want[0])
    };
    struct loaded l;
    union jfr_value v[N];
    const struct jfr_plan *p;
    struct cursor c = cur_over(bytes, sizeof(bytes));

    (void)state;
    nested(&l);
    p = plan(&l, want, N);
    assert_non_null(p);
    assert_int_equal(jfr_plan_run(p, c, v, NULL), 0);
    assert_true(v[0].i == 3 && v[1].i == 2 && v[2].i == 4 && v[16].i == 3);
    assert_ptr_equal(v[3].at, bytes);
    assert_ptr_equal(v[4].at, bytes + 2);
    assert_int_equal(v[5].key, 6);
    assert_null(jfr_plan_field(p, 6)); /* behind a pool */
    assert_ptr_equal(v[7].at, bytes + 6);
    assert_null(jfr_plan_field(p, 8)); /* behind an array */
    assert_int_equal(v[9].i, 10); /* the last of two */
    assert_int_equal(jfr_plan_field(p, 9)->index, 5);
    assert_int_equal(v[10].i, 5); /* the field of that very name comes last */
    assert_int_equal(v[11].i, 11); /* the empty name */
    for (size_t i = 12; i < 16; i++) {
        assert_null(jfr_plan_field(p, i));
        assert_int_equal(v[i].i, 0);
    }
    assert_null(jfr_plan_field(p, N));
    assert_null(jfr_plan_field(p, SIZE_MAX));
    jfr_plan_skip(jfr_plan_for_skipping(l.chunk, l.cls), &c);
    assert_true(cur_ok(&c) && cur_left(&c) == 3); /* bytes of a newer producer are left alone */
    unload(&l);
}

static void behind_the_last_wanted_nothing_is_read(void **state)
{
    static const char *const want[] = {"m.one.x"};
    struct guarded g = guarded_copy("\7", 1, 0);
    struct loaded l;
    union jfr_value v[1];

    (void)state;
    nested(&l);
    assert_int_equal(jfr_plan_run(plan(&l, want, 1), cur_over(g.bytes, 1), v, NULL), 0);
    assert_int_equal(v[0].i, 7);
    assert_int_equal(jfr_plan_run(plan(&l, want, 1), cur_over(g.bytes, 0), v, NULL), JFR_E_SHORT);
    unload(&l);
    guarded_free(&g);
}

static void sixty_four_wants_and_no_more(void **state)
{
    const char *want[JFR_PLAN_WANTS_MAX + 1];
    union jfr_value v[JFR_PLAN_WANTS_MAX];
    struct loaded l;
    const struct jfr_plan *p;
    char names[JFR_PLAN_WANTS_MAX + 1][8];
    uint8_t bytes[JFR_PLAN_WANTS_MAX + 1];

    (void)state;
    begin(&l);
    tc_class(&l.t, A, "A", NULL);
    for (int i = 0; i <= JFR_PLAN_WANTS_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "f%d", i);
        want[JFR_PLAN_WANTS_MAX - i] = names[i];
        bytes[i] = (uint8_t)i;
        tc_field(&l.t, names[i], TC_INT, 0);
    }
    load(&l);
    assert_null(plan(&l, want, JFR_PLAN_WANTS_MAX + 1));
    p = plan(&l, want, JFR_PLAN_WANTS_MAX);
    assert_int_equal(jfr_plan_run(p, cur_over(bytes, sizeof(bytes)), v, NULL), 0);
    for (int i = 0; i < JFR_PLAN_WANTS_MAX; i++)
        assert_int_equal(v[i].i, JFR_PLAN_WANTS_MAX - i);
    unload(&l);
}

static void none_wanted_is_fine(void **state)
{
    static const char *const want[] = {"missing"};
    struct loaded l;
    union jfr_value v[1] = {{.i = 9}};

    (void)state;
    nested(&l);
    assert_int_equal(jfr_plan_run(plan(&l, want, 1), cur_over(NULL, 0), v, NULL), 0);
    assert_int_equal(v[0].i, 0);
    unload(&l);
}

struct layout_row {
    const char *name;
    void (*declare)(struct tc *t);
    bool good;
};

static void chain(struct tc *t, int n, int64_t last)
{
    tc_class(t, A, "A", NULL);
    tc_field(t, "f", A + 1, 0);
    for (int i = 1; i < n; i++) {
        tc_class(t, A + i, "Link", NULL);
        tc_field(t, "f", i + 1 == n ? last : A + i + 1, 0);
    }
}

static void chain_32(struct tc *t)
{
    chain(t, 33, TC_INT);
}

static void chain_33(struct tc *t)
{
    chain(t, 34, TC_INT);
}

static void cycle(struct tc *t)
{
    chain(t, 3, A);
}

static void cycle_in_array(struct tc *t)
{
    tc_class(t, A, "A", NULL);
    tc_field(t, "f", A, TC_ARRAY);
}

static void cycle_through_pool(struct tc *t)
{
    tc_class(t, A, "A", NULL);
    tc_field(t, "f", A, TC_POOLED);
}

static void doubling(struct tc *t)
{
    for (int i = 0; i < 30; i++) {
        tc_class(t, A + i, "Double", NULL);
        tc_field(t, "f", i == 29 ? TC_INT : A + i + 1, 0);
        tc_field(t, "g", i == 29 ? TC_INT : A + i + 1, 0);
    }
}

static void thousand_inline(struct tc *t)
{
    tc_class(t, A + 1, "Ten", NULL);
    for (int i = 0; i < 10; i++)
        tc_field(t, "f", TC_INT, 0);
    tc_class(t, A, "A", NULL);
    for (int i = 0; i < 100; i++)
        tc_field(t, "f", A + 1, 0);
}

static void many_ints(struct tc *t)
{
    tc_class(t, A, "A", NULL);
    for (int i = 0; i < 20000; i++)
        tc_field(t, "f", TC_INT, 0);
}

static void many_steps(struct tc *t)
{
    tc_class(t, A, "A", NULL);
    for (int i = 0; i < 5000; i++)
        tc_field(t, "f", TC_STRING, 0);
}

static void unknown_class(struct tc *t)
{
    tc_class(t, A, "A", NULL);
    tc_field(t, "f", 4711, 0);
}

static void unknown_class_in_pool(struct tc *t)
{
    tc_class(t, A, "A", NULL);
    tc_field(t, "f", 4711, TC_POOLED);
}

static const struct layout_row layouts[] = {
    {"32 levels", chain_32, true},
    {"33 levels", chain_33, false},
    {"struct in itself", cycle, false},
    {"struct in an array of itself", cycle_in_array, false},
    {"struct behind its own pool", cycle_through_pool, true},
    {"every level doubles", doubling, false},
    {"a thousand inline fields", thousand_inline, true},
    {"many ints", many_ints, true},
    {"too many steps", many_steps, false},
    {"field of an undeclared class", unknown_class, false},
    {"key of an undeclared class", unknown_class_in_pool, true},
};

static void layout_compiles_or_not(void **state)
{
    static const char *const want[] = {"f.f.f.f"};
    const struct layout_row *r = *state;
    struct loaded l;

    begin(&l);
    r->declare(&l.t);
    load(&l);
    assert_int_equal(jfr_plan_for_skipping(l.chunk, l.cls) != NULL, r->good);
    assert_int_equal(jfr_plan_new(l.chunk, l.cls, want, 1) != NULL, r->good);
    assert_true(arena_ok(jfr_chunk_arena(l.chunk))); /* not for lack of memory */
    unload(&l);
}

/* A plan that is large is fine; a chunk that asks for thousands of them is after the time. */
static void all_plans_of_a_chunk_share_a_bound(void **state)
{
    static const char *const want[] = {"f"};
    struct loaded l;
    size_t n = 0;

    (void)state;
    begin(&l);
    thousand_inline(&l.t);
    load(&l);
    while (n < 10000 && plan(&l, want, 1) != NULL)
        n++;
    assert_in_range(n, 1000, 9999);
    assert_true(arena_ok(jfr_chunk_arena(l.chunk)));
    unload(&l);
}

static void shared_plans_are_made_once(void **state)
{
    static const char *const one[] = {"x"}, *const same[] = {"x"};
    struct loaded l;
    const struct jfr_class *inner;

    (void)state;
    nested(&l);
    inner = jfr_metadata_by_id(jfr_chunk_metadata(l.chunk), A + 1);
    assert_ptr_equal(jfr_plan_shared(l.chunk, inner, one, 1),
                     jfr_plan_shared(l.chunk, inner, one, 1));
    assert_ptr_not_equal(jfr_plan_shared(l.chunk, inner, one, 1),
                         jfr_plan_shared(l.chunk, inner, same, 1));
    assert_ptr_not_equal(jfr_plan_shared(l.chunk, inner, one, 1),
                         jfr_plan_shared(l.chunk, l.cls, one, 1));
    assert_ptr_equal(jfr_plan_for_skipping(l.chunk, inner), jfr_plan_for_skipping(l.chunk, inner));
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_strings_structs_and_arrays),
        cmocka_unit_test(what_follows_an_array_is_not_part_of_it),
        cmocka_unit_test(array_of_nothing_takes_no_time),
        cmocka_unit_test(paths_lead_through_inline_structs),
        cmocka_unit_test(behind_the_last_wanted_nothing_is_read),
        cmocka_unit_test(sixty_four_wants_and_no_more),
        cmocka_unit_test(none_wanted_is_fine),
        cmocka_unit_test(all_plans_of_a_chunk_share_a_bound),
        cmocka_unit_test(shared_plans_are_made_once),
    };

    return run_rows("plan: values", values, value_decodes) +
           run_rows("plan: arrays", values, array_is_stepped_over) +
           run_rows("plan: counts", counts, hostile_count_fails_at_once) +
           run_rows("plan: layouts", layouts, layout_compiles_or_not) +
           cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
