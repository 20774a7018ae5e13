/*
 * chunk_test.c - chunks made by hand, whole, damaged and cut: events, constants, damage with its
 * place, and what is read after it.
 */
#include "jfrfmt/test/testing.h"

#include "jfrfmt/jfr.h"
#include "jfrfmt/read/stack.h"

#include <stdio.h>
#include <stdlib.h>

#include "jfrfmt/test/chunk.h"

#define TICK 100

/* A chunk with a pool of two strings, a thread, a method, a stack, and three events. */
static void make(struct tc *t)
{
    tc_begin(t);
    tc_class(t, TICK, "a.Tick", "jdk.jfr.Event");
    tc_annotation(t, TC_LABEL, "A tick");
    tc_field(t, "startTime", TC_LONG, 0);
    tc_field(t, "eventThread", TC_THREAD, TC_POOLED);
    tc_field(t, "stackTrace", TC_TRACE, TC_POOLED);
    tc_field(t, "text", TC_STRING, 0);
    tc_field_with(t, "count", TC_INT, 0, TC_UNSIGNED, NULL);
    tc_pool_begin(t);
    tc_pool(t, TC_STRING, 1);
    buf_varint(&t->b, 9);
    tc_text(&t->b, "old");
    tc_pool(t, TC_SYMBOL, 3);
    buf_varint(&t->b, 1);
    tc_text(&t->b, "java/lang/Thread");
    buf_varint(&t->b, 2);
    tc_text(&t->b, "run");
    buf_varint(&t->b, 3);
    tc_text(&t->b, "()V");
    tc_pool_end(t);
    tc_event_begin(t, TICK);
    buf_varint(&t->b, 1500);
    buf_varint(&t->b, 77);
    buf_varint(&t->b, 0xfeedfacecafebeef);
    buf_byte(&t->b, 2);
    buf_varint(&t->b, 9);
    buf_varint(&t->b, UINT64_MAX);
    tc_event_end(t);
    tc_pool_begin(t);
    tc_pool(t, TC_STRING, 1);
    buf_varint(&t->b, 9);
    tc_text(&t->b, "new");
    tc_pool(t, TC_THREAD, 1);
    buf_varint(&t->b, 77);
    buf_byte(&t->b, 0);
    buf_varint(&t->b, 4711);
    tc_text(&t->b, "main");
    buf_varint(&t->b, 1);
    tc_pool(t, TC_CLASS, 1);
    buf_varint(&t->b, 5);
    buf_varint(&t->b, 1);
    tc_pool(t, TC_METHOD, 1);
    buf_varint(&t->b, 0x10000);
    buf_varint(&t->b, 5);
    buf_varint(&t->b, 2);
    buf_varint(&t->b, 3);
    buf_varint(&t->b, 1);
    buf_byte(&t->b, 1);
    tc_pool(t, TC_FRAME_TYPE, 1);
    buf_varint(&t->b, 0);
    tc_text(&t->b, "Interpreted");
    tc_pool(t, TC_TRACE, 1);
    buf_varint(&t->b, 0xfeedfacecafebeef);
    buf_byte(&t->b, 1);
    buf_varint(&t->b, 2);
    for (uint64_t i = 0; i < 2; i++) {
        buf_varint(&t->b, 0x10000 + i);
        buf_varint(&t->b, 42);
        buf_varint(&t->b, UINT64_MAX);
        buf_varint(&t->b, 0);
    }
    tc_pool_end(t);
    tc_event_begin(t, 4242);
    tc_event_end(t);
    tc_event_begin(t, TICK);
    buf_varint(&t->b, 500);
    buf_varint(&t->b, 0);
    buf_varint(&t->b, 0);
    tc_text(&t->b, "plain");
    buf_varint(&t->b, 7);
    tc_event_end(t);
    tc_end(t);
}

struct fixture {
    struct tc t;
    struct jfr_chunk *chunk;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    make(&f->t);
    f->chunk = jfr_chunk_new();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    jfr_chunk_free(f->chunk);
    tc_free(&f->t);
    free(f);
    return 0;
}

static void load(struct fixture *f)
{
    struct jfr_raw raw = tc_raw(&f->t);
    struct jfr_error err = {0};

    assert_int_equal(jfr_chunk_load(f->chunk, &raw, &err), 0);
}

/* All events, from the first one; those of known classes are found in both ways. */
static size_t count_events(struct jfr_chunk *chunk)
{
    bool wanted[200];
    struct jfr_event ev;
    size_t n = 0, n_known = 0, n_wanted = 0;

    while (jfr_chunk_next(chunk, &ev) > 0) {
        n++;
        n_known += ev.type != NULL;
    }
    assert_true(jfr_chunk_metadata(chunk)->n_classes <= sizeof(wanted));
    memset(wanted, true, sizeof(wanted));
    jfr_chunk_rewind(chunk);
    while (jfr_chunk_next_of(chunk, wanted, &ev) > 0)
        n_wanted++;
    assert_int_equal(n_wanted, n_known);
    return n;
}

static void check_text(struct jfr_str s, const char *want)
{
    struct buf b = {0};

    jfr_str_append_utf8(&b, s);
    buf_byte(&b, 0);
    assert_string_equal((char *)b.p, want);
    buf_free(&b);
}

static void events_come_in_order_with_their_types(void **state)
{
    struct fixture *f = *state;
    struct jfr_event ev;

    load(f);
    assert_int_equal(jfr_chunk_next(f->chunk, &ev), 1);
    assert_string_equal(ev.type->name, "a.Tick");
    assert_string_equal(ev.type->simple, "Tick");
    assert_string_equal(ev.type->label, "A tick");
    assert_int_equal(jfr_chunk_next(f->chunk, &ev), 1);
    assert_null(ev.type);
    assert_int_equal(ev.type_id, 4242);
    assert_int_equal(jfr_chunk_next(f->chunk, &ev), 1);
    assert_int_equal(ev.type_id, TICK);
    assert_int_equal(jfr_chunk_next(f->chunk, &ev), 0);
    assert_int_equal(jfr_chunk_next(f->chunk, &ev), 0);
    assert_int_equal(jfr_chunk_n_errors(f->chunk), 0);
}

/* Events that are not wanted are stepped over: of a declared type, of one that is not declared, and
 * checkpoints. */
static void events_of_wanted_classes_alone(void **state)
{
    struct fixture *f = *state;
    bool wanted[200] = {false};
    const struct jfr_class *tick;
    struct jfr_event ev;

    load(f);
    tick = jfr_metadata_by_name(jfr_chunk_metadata(f->chunk), "a.Tick");
    assert_true(jfr_chunk_metadata(f->chunk)->n_classes <= sizeof(wanted));
    assert_int_equal(jfr_chunk_next_of(f->chunk, wanted, &ev), 0);
    assert_int_equal(jfr_chunk_next_of(f->chunk, wanted, &ev), 0);
    jfr_chunk_rewind(f->chunk);
    wanted[tick->index] = true;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jfr_chunk_next_of(f->chunk, wanted, &ev), 1);
        assert_ptr_equal(ev.type, tick);
        assert_int_equal(ev.type_id, TICK);
        assert_int_equal(ev.offset + ev.size, ev.body.end - (const uint8_t *)tc_raw(&f->t).bytes);
    }
    assert_int_equal(jfr_chunk_next_of(f->chunk, wanted, &ev), 0);
    assert_int_equal(jfr_chunk_n_errors(f->chunk), 0);
}

static void plan_decodes_wanted_fields_in_any_order(void **state)
{
    static const char *const want[] = {"count", "startTime", "text", "missing", "count"};
    struct fixture *f = *state;
    const struct jfr_plan *p;
    union jfr_value v[5];
    struct jfr_event ev;
    struct cursor c;

    load(f);
    jfr_chunk_next(f->chunk, &ev);
    p = jfr_plan_new(f->chunk, ev.type, want, 5);
    assert_non_null(p);
    assert_int_equal(jfr_plan_run(p, ev.body, v, NULL), 0);
    assert_int_equal(v[0].i, UINT32_MAX); /* unsigned: not -1 */
    assert_int_equal(v[4].i, UINT32_MAX);
    assert_int_equal(v[1].i, 1500);
    assert_null(jfr_plan_field(p, 3));
    assert_int_equal(v[3].i, 0);
    c = (struct cursor){.p = v[2].at, .end = ev.body.end};
    check_text(jfr_chunk_resolve(f->chunk, jfr_str_read(&c)), "new");
    assert_true(jfr_epoch_ns(jfr_chunk_header(f->chunk), v[1].i) == 1000000000000000500);
}

static void newer_constant_counts_or_the_older_one_by_rule(void **state)
{
    struct fixture *f = *state;
    struct jfr_str s = {.encoding = JFR_STR_CONSTANT, .n = 9};

    load(f);
    check_text(jfr_chunk_resolve(f->chunk, s), "new");
    jfr_chunk_set_pool_rule(f->chunk, JFR_POOL_OLDEST);
    load(f);
    check_text(jfr_chunk_resolve(f->chunk, s), "old");
    s.n = 10;
    assert_true(jfr_str_is_null(jfr_chunk_resolve(f->chunk, s)));
}

static void stack_frames_and_methods_are_found_by_name(void **state)
{
    struct fixture *f = *state;
    struct jfr_frame frame;
    struct jfr_frames it;
    struct jfr_stacks st;
    struct jfr_method m;
    struct jfr_event ev;
    int64_t i;

    load(f);
    jfr_chunk_next(f->chunk, &ev);
    assert_int_equal(jfr_stacks_init(&st, f->chunk, jfr_class_field(ev.type, "stackTrace")), 0);
    i = jfr_pool_find(st.traces, 0xfeedfacecafebeef);
    assert_int_equal(i, 0);
    assert_int_equal(jfr_stacks_open(&st, (size_t)i, &it), 0);
    assert_true(it.is_truncated);
    assert_true(jfr_frames_next(&it, &frame));
    assert_int_equal(frame.line, 42);
    assert_int_equal(frame.bci, -1);
    assert_true(jfr_method_get(&st, frame.method_key, &m));
    check_text(m.class_name, "java/lang/Thread");
    check_text(m.name, "run");
    check_text(m.descriptor, "()V");
    assert_true(m.is_hidden);
    check_text(jfr_simple_text(f->chunk, st.type_class, frame.type_key), "Interpreted");
    assert_true(jfr_frames_next(&it, &frame));
    assert_false(jfr_method_get(&st, frame.method_key, &m)); /* nobody defines it: null */
    assert_true(jfr_str_is_null(m.name));
    assert_false(jfr_frames_next(&it, &frame));
    assert_true(cur_ok(&it.c));
}

static void thread_is_read_by_field_names(void **state)
{
    struct fixture *f = *state;
    const struct jfr_class *cls;
    struct jfr_thread thread;

    load(f);
    cls = jfr_metadata_by_id(jfr_chunk_metadata(f->chunk), TC_THREAD);
    assert_true(jfr_thread_get(f->chunk, cls, 77, &thread));
    check_text(thread.java_name, "main");
    assert_true(jfr_str_is_null(thread.os_name));
    assert_int_equal(thread.os_id, 4711);
    assert_false(jfr_thread_get(f->chunk, cls, 0, &thread));
}

/* Each row spoils one place. What is said must hold the text; so many events must still come. */
struct damage {
    const char *name;
    size_t at; /* in the header; or 0: the checkpoint named by `delta` */
    uint64_t value;
    unsigned n;
    int rc;
    size_t events;
    const char *said;
};

static const struct damage damages[] = {
    {"a finished chunk says nothing", 2, 0x5200, 2, 0, 3, NULL},
    {"state 1 is told and read", 64, 1, 1, 0, 3, "never finished"},
    {"size beyond the bytes", 8, UINT64_MAX, 8, 0, 3, "chunk ends after"},
    {"size 0", 8, 0, 8, 0, 3, "size of 0 bytes"},
    {"no metadata offset: it is looked for", 24, 0, 8, 0, 3, NULL},
    {"wrong metadata offset: it is looked for", 24, 70, 8, 0, 3, "another metadata event is used"},
    {"metadata offset outside", 24, UINT64_MAX, 8, 0, 3, "another metadata event is used"},
    {"checkpoint offset outside", 16, UINT64_MAX - 9, 8, 0, 3, "outside of the chunk"},
    {"checkpoint offset at an event of another type", 16, 80, 8, 0, 3,
     "checkpoint event is damaged"},
    {"no ticks per second", 56, 0, 8, 0, 3, "0 ticks per second"},
    {"version 3", 4, 3, 2, JFR_E_UNSUPPORTED, 0, "version 3.1"},
};

static void damage(void **state)
{
    const struct damage *d = *state;
    struct fixture *f;
    void *fixture;
    struct jfr_error err = {0};
    struct jfr_raw raw;
    struct jfr_str s = {.encoding = JFR_STR_CONSTANT, .n = 9};
    bool said = d->said == NULL;

    set_up(&fixture);
    f = fixture;
    tc_poke(&f->t, d->at, d->value, d->n);
    raw = tc_raw(&f->t);
    assert_int_equal(jfr_chunk_load(f->chunk, &raw, &err), d->rc);
    if (d->rc != 0) {
        assert_non_null(strstr(err.text, d->said));
    } else {
        check_text(jfr_chunk_resolve(f->chunk, s), "new"); /* constants survive all of this */
        assert_int_equal(count_events(f->chunk), d->events);
        for (size_t i = 0; i < jfr_chunk_n_errors(f->chunk); i++)
            said |= d->said != NULL && strstr(jfr_chunk_error(f->chunk, i)->text, d->said) != NULL;
        assert_true(said);
        if (d->said == NULL && d->at != 24)
            assert_int_equal(jfr_chunk_n_errors(f->chunk), 0);
    }
    tear_down(&fixture);
}

static void event_of_size_zero_ends_the_chunk_and_says_where(void **state)
{
    struct fixture *f = *state;
    struct jfr_event ev;
    uint64_t offset;

    load(f);
    jfr_chunk_next(f->chunk, &ev);
    jfr_chunk_next(f->chunk, &ev);
    offset = ev.offset;
    memset(f->t.b.p + offset, 0, 4);
    jfr_chunk_rewind(f->chunk);
    assert_int_equal(count_events(f->chunk), 1);
    assert_int_equal(jfr_chunk_n_errors(f->chunk), 1);
    assert_int_equal(jfr_chunk_error(f->chunk, 0)->offset, offset);
    jfr_chunk_rewind(f->chunk);
    assert_int_equal(count_events(f->chunk), 1);
    assert_int_equal(jfr_chunk_n_errors(f->chunk), 1); /* not said twice */
}

static void events_after_damage_are_found_at_the_next_checkpoint(void **state)
{
    struct fixture *f = *state;
    struct jfr_event ev;
    uint64_t offset, size;
    char skipped[60];

    load(f);
    jfr_chunk_next(f->chunk, &ev);
    offset = ev.offset;
    size = ev.size;
    memset(f->t.b.p + offset, 0, 4);
    for (int pass = 0; pass < 2; pass++) {
        jfr_chunk_rewind(f->chunk);
        assert_int_equal(count_events(f->chunk), 2);
        assert_int_equal(jfr_chunk_n_errors(f->chunk), 1);
    }
    assert_int_equal(jfr_chunk_error(f->chunk, 0)->offset, offset);
    snprintf(skipped, sizeof(skipped), "; %llu bytes are skipped", (unsigned long long)size);
    assert_non_null(strstr(jfr_chunk_error(f->chunk, 0)->text, skipped));
    /* An event whose size is larger than the rest of the chunk. */
    tc_poke(&f->t, offset, 0xffffff7f, 4);
    load(f);
    assert_int_equal(count_events(f->chunk), 2);
    assert_int_equal(jfr_chunk_n_errors(f->chunk), 1);
}

/* An event that ends in its last field is damaged where the next event begins. */
static void each_damaged_event_is_recorded_once(void **state)
{
    struct fixture *f = *state;
    struct jfr_event first, second = {0};

    load(f);
    do { /* others have a checkpoint between them */
        first = second;
        assert_int_equal(jfr_chunk_next(f->chunk, &second), 1);
    } while (first.offset + first.size != second.offset);
    for (int pass = 0; pass < 2; pass++) {
        jfr_chunk_damaged(f->chunk, &first, first.body.end, "ends inside a field");
        jfr_chunk_damaged(f->chunk, &second, NULL, "cannot be decoded");
    }
    assert_int_equal(jfr_chunk_n_errors(f->chunk), 2);
    assert_int_equal(jfr_chunk_error(f->chunk, 0)->offset, second.offset);
    assert_int_equal(jfr_chunk_error(f->chunk, 1)->offset, second.offset);
}

static void cyclic_checkpoint_chain_ends_and_is_told(void **state)
{
    struct fixture *f = *state;
    size_t first = JFR_CHUNK_HEADER_SIZE;
    struct jfr_str s = {.encoding = JFR_STR_CONSTANT, .n = 9};

    /* the first checkpoint's delta, one byte behind size, type, start and duration, to itself
     * + 1... */
    f->t.b.p[first + 4 + 1 + 1 + 1] = 0x7f;
    load(f);
    check_text(jfr_chunk_resolve(f->chunk, s), "new");
    assert_true(jfr_chunk_n_errors(f->chunk) > 0);
    assert_int_equal(count_events(f->chunk), 3);
}

/* Cut at every byte, right before an unmapped page: nothing is read behind the end, all that is
 * whole before it is delivered, and that something is missing is said. */
static void cut_at_every_byte(void **state)
{
    struct fixture *f = *state;
    size_t whole = f->t.b.n;

    for (size_t n = 0; n < whole; n++) {
        struct guarded g = guarded_copy(f->t.b.p, n, 0);
        struct jfr_raw raw = {.bytes = g.bytes, .n = n, .declared = whole};
        struct jfr_error err = {0};
        struct jfr_str s = {.encoding = JFR_STR_CONSTANT, .n = 9};
        int rc = jfr_chunk_load(f->chunk, &raw, &err);

        if (rc == 0) {
            assert_int_equal(count_events(f->chunk), 3); /* metadata comes last in this chunk */
            jfr_chunk_resolve(f->chunk, s);
            assert_true(jfr_chunk_n_errors(f->chunk) > 0);
        } else {
            assert_true(err.code == rc && err.text[0] != '\0');
        }
        guarded_free(&g);
    }
}

/* Chunks of older JVMs end with their metadata, so that is what a cut takes first. */
static void classes_that_are_whole_survive_a_cut_of_the_metadata(void **state)
{
    struct fixture *f = *state;
    struct jfr_raw raw = tc_raw(&f->t);
    struct jfr_error err = {0};
    struct jfr_event ev;

    raw.n -= 3; /* of the region, which comes last */
    assert_int_equal(jfr_chunk_load(f->chunk, &raw, &err), 0);
    assert_int_equal(jfr_chunk_next(f->chunk, &ev), 1);
    assert_string_equal(ev.type->name, "a.Tick");
    assert_int_equal(jfr_chunk_n_errors(f->chunk), 2);
    assert_non_null(strstr(jfr_chunk_error(f->chunk, 0)->text, "chunk ends after"));
    assert_non_null(strstr(jfr_chunk_error(f->chunk, 1)->text, "metadata is cut off after"));
}

/* Every byte set to a few hostile values: it ends, stays inside, and the numbers stay bounded. */
static void every_byte_hostile(void **state)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    struct fixture *f = *state;

    for (size_t i = 0; i < f->t.b.n; i++)
        for (size_t k = 0; k < sizeof(values); k++) {
            struct guarded g = guarded_copy(f->t.b.p, f->t.b.n, 0);
            struct jfr_raw raw = {.bytes = g.bytes, .n = g.n, .declared = g.n};
            struct jfr_error err = {0};

            g.bytes[i] = values[k];
            if (jfr_chunk_load(f->chunk, &raw, &err) == 0) {
                const struct jfr_metadata *md = jfr_chunk_metadata(f->chunk);

                assert_true(count_events(f->chunk) <= g.n / 2);
                for (size_t c = 0; c < md->n_classes; c++) {
                    const struct jfr_pool *pool = jfr_chunk_pool(f->chunk, &md->classes[c]);

                    assert_true(jfr_pool_n(pool) <= g.n);
                }
            }
            guarded_free(&g);
        }
}

static void loading_again_forgets_the_last_chunk(void **state)
{
    struct fixture *f = *state;
    struct jfr_str s = {.encoding = JFR_STR_CONSTANT, .n = 9};
    struct jfr_error err = {0};
    struct jfr_raw raw;
    struct tc empty;

    load(f);
    check_text(jfr_chunk_resolve(f->chunk, s), "new");
    tc_begin(&empty);
    tc_end(&empty);
    raw = tc_raw(&empty);
    assert_int_equal(jfr_chunk_load(f->chunk, &raw, &err), 0);
    assert_true(jfr_str_is_null(jfr_chunk_resolve(f->chunk, s)));
    assert_int_equal(count_events(f->chunk), 0);
    tc_free(&empty);
}

struct span {
    const char *name;
    int64_t ticks, per_second, want;
};

static const struct span spans[] = {
    {"ns", 1500, 1000000000, 1500},
    {"53 bits have all digits", (INT64_C(1) << 53) - 1, 1000000000, (INT64_C(1) << 53) - 1},
    {"54 bits have not", -(INT64_C(1) << 53) - 1, 1000000000, -(INT64_C(1) << 53)},
    {"cut toward zero", -3, 2000000000, -1},
    {"more than 53 bits lose digits as the JDK's do", INT64_MAX, 1000000000, INT64_MAX},
    {"lowest", INT64_MIN, 1000000000, INT64_MIN},
    {"saturates", INT64_MAX, 1, INT64_MAX},
    {"round frequency", 2799998858, 2799998858, 1000000000},
};

static void span(void **state)
{
    const struct span *s = *state;
    struct jfr_chunk_header h = {.ticks_per_second = s->per_second};

    assert_true(jfr_span_ns(&h, s->ticks) == s->want);
}

#define WITH(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(events_come_in_order_with_their_types),
        WITH(events_of_wanted_classes_alone),
        WITH(plan_decodes_wanted_fields_in_any_order),
        WITH(newer_constant_counts_or_the_older_one_by_rule),
        WITH(stack_frames_and_methods_are_found_by_name),
        WITH(thread_is_read_by_field_names),
        WITH(event_of_size_zero_ends_the_chunk_and_says_where),
        WITH(events_after_damage_are_found_at_the_next_checkpoint),
        WITH(each_damaged_event_is_recorded_once),
        WITH(cyclic_checkpoint_chain_ends_and_is_told),
        WITH(cut_at_every_byte),
        WITH(classes_that_are_whole_survive_a_cut_of_the_metadata),
        WITH(every_byte_hostile),
        WITH(loading_again_forgets_the_last_chunk),
    };

    return cmocka_run_group_tests_name("chunk", tests, NULL, NULL) +
           run_rows("chunk: damage", damages, damage) + run_rows("chunk: span", spans, span);
}
