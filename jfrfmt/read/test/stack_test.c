/* stack_test.c - stack traces, frames, methods and threads in the layouts that producers write,
 * and in layouts that nothing can be read from. */
#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/arena.h"
#include "jfrfmt/read/chunk_internal.h"
#include "jfrfmt/read/stack.h"
#include "jfrfmt/test/chunk.h"

#include <stdlib.h>

enum {
    TRACE = 200,
    FRAME,
    METHOD,
    EVENT,
    THREAD,
    CLASS,
    LOOP,
    TEXT
};

struct loaded {
    struct tc t;
    struct jfr_chunk *chunk;
    const struct jfr_field *field; /* of the event */
};

static void begin(struct loaded *l)
{
    *l = (struct loaded){.chunk = jfr_chunk_new()};
    tc_begin(&l->t);
}

static void load(struct loaded *l)
{
    struct jfr_raw raw;
    struct jfr_error err = {0};
    const struct jfr_class *event;

    tc_end(&l->t);
    raw = tc_raw(&l->t);
    assert_int_equal(jfr_chunk_load(l->chunk, &raw, &err), 0);
    event = jfr_metadata_by_id(jfr_chunk_metadata(l->chunk), EVENT);
    l->field = event == NULL ? NULL : jfr_class_field(event, "stackTrace");
}

static void unload(struct loaded *l)
{
    jfr_chunk_free(l->chunk);
    tc_free(&l->t);
}

static void event_with_trace(struct loaded *l, int64_t trace, int flags)
{
    tc_class(&l->t, EVENT, "a.Event", "jdk.jfr.Event");
    tc_field(&l->t, "stackTrace", trace, flags);
}

static const struct jfr_class *class_of(struct loaded *l, int64_t id)
{
    return jfr_metadata_by_id(jfr_chunk_metadata(l->chunk), id);
}

static void numbers(struct loaded *l, size_t n, const uint64_t *v)
{
    for (size_t i = 0; i < n; i++)
        buf_varint(&l->t.b, v[i]);
}

#define NUMBERS(l, ...) \
    numbers(l, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__})

/* How a frame's class is declared, and how the frame {method 7, line 42, bci 3, type 1} then lies.
 */
struct layout_row {
    const char *name;
    const char *fields; /* m, l, b, t as usual; s: a string, L: a line that is a string, T: a type
                           that is a number, B: a bci of 16 bits, v: a method that is an array */
    int rc;
    int32_t line, bci;
    uint64_t type_key;
};

static const struct layout_row layouts[] = {
    {"usual", "mlbt", 0, 42, 3, 1},
    {"usual and more", "mlbts", 0, 42, 3, 1},
    {"more before", "smlbt", 0, 42, 3, 1},
    {"other order", "tblm", 0, 42, 3, 1},
    {"method last, strings between", "tsbslsm", 0, 42, 3, 1},
    {"no line", "mbt", 0, -1, 3, 1},
    {"no bci", "mlt", 0, 42, -1, 1},
    {"no type", "mlb", 0, 42, 3, UINT64_MAX},
    {"method alone", "m", 0, -1, -1, UINT64_MAX},
    {"line that is a text", "mLbt", 0, -1, 3, 1},
    {"type that is a number", "mlbT", 0, 42, 3, UINT64_MAX},
    {"bci of 16 bits", "mlBt", 0, 42, 3, 1},
    {"two lines: the last", "mllbt", 0, 42, 3, 1},
    {"no method", "lbt", JFR_E_FORMAT, 0, 0, 0},
    {"nothing", "", JFR_E_FORMAT, 0, 0, 0},
    {"method that is an array", "vlbt", JFR_E_FORMAT, 0, 0, 0},
};

static void declare_frame(struct loaded *l, const char *fields)
{
    tc_class(&l->t, FRAME, "Frame", fields[0] == '\0' ? "x" : NULL);
    for (const char *f = fields; *f != '\0'; f++)
        switch (*f) {
        case 'm':
            tc_field(&l->t, "method", TC_METHOD, TC_POOLED);
            break;
        case 'v':
            tc_field(&l->t, "method", TC_METHOD, TC_POOLED | TC_ARRAY);
            break;
        case 'l':
            tc_field(&l->t, "lineNumber", TC_INT, 0);
            break;
        case 'L':
            tc_field(&l->t, "lineNumber", TC_STRING, 0);
            break;
        case 'b':
            tc_field(&l->t, "bytecodeIndex", TC_INT, 0);
            break;
        case 'B':
            tc_field(&l->t, "bytecodeIndex", TC_SHORT, 0);
            break;
        case 't':
            tc_field(&l->t, "type", TC_FRAME_TYPE, TC_POOLED);
            break;
        case 'T':
            tc_field(&l->t, "type", TC_INT, 0);
            break;
        default:
            tc_field(&l->t, "other", TC_STRING, 0);
            break;
        }
}

static void put_frame(struct loaded *l, const char *fields, uint64_t method)
{
    for (const char *f = fields; *f != '\0'; f++)
        switch (*f) {
        case 'm':
            buf_varint(&l->t.b, method);
            break;
        case 'l':
            buf_varint(&l->t.b, f[1] == 'l' ? 13 : 42);
            break;
        case 'b':
        case 'B':
            buf_varint(&l->t.b, 3);
            break;
        case 't':
        case 'T':
            buf_varint(&l->t.b, 1);
            break;
        default:
            tc_text(&l->t.b, "some text");
            break;
        }
}

static void check_frames(struct loaded *l, const struct layout_row *r, uint64_t n)
{
    struct jfr_stacks st;
    struct jfr_frames it;
    struct jfr_frame frames[5];
    uint64_t seen = 0;
    size_t got;

    assert_int_equal(jfr_stacks_init(&st, l->chunk, l->field), 0);
    assert_int_equal(jfr_pool_n(st.traces), 1);
    assert_int_equal(jfr_stacks_open(&st, 0, &it), 0);
    assert_true(it.is_truncated);
    do {
        got = jfr_frames_read(&it, frames, 5);
        for (size_t i = 0; i < got; i++, seen++) {
            assert_true(frames[i].method_key == 7 + seen && frames[i].type_key == r->type_key);
            assert_true(frames[i].line == r->line && frames[i].bci == r->bci);
        }
    } while (got == 5);
    assert_int_equal(seen, n);
    assert_false(jfr_frames_next(&it, frames));
    assert_true(cur_ok(&it.c));
}

static void frames_of_layout(void **state)
{
    const struct layout_row *r = *state;
    struct loaded l;

    for (int pooled = 0; pooled < 2; pooled++) {
        for (uint64_t n = 0; n < 12; n += 5) {
            struct jfr_stacks st;

            begin(&l);
            declare_frame(&l, r->fields);
            tc_class(&l.t, TRACE, "Trace", NULL);
            tc_field(&l.t, "frames", FRAME, TC_ARRAY | (pooled ? TC_POOLED : 0));
            tc_field(&l.t, "truncated", TC_BOOLEAN, 0);
            event_with_trace(&l, TRACE, TC_POOLED);
            if (r->rc == 0) {
                tc_pool_begin(&l.t);
                if (pooled) {
                    tc_pool(&l.t, FRAME, n);
                    for (uint64_t i = 0; i < n; i++) {
                        buf_varint(&l.t.b, 1000 * i);
                        put_frame(&l, r->fields, 7 + i);
                    }
                }
                tc_pool(&l.t, TRACE, 1);
                NUMBERS(&l, 1, n);
                for (uint64_t i = 0; i < n; i++)
                    if (pooled)
                        buf_varint(&l.t.b, 1000 * i);
                    else
                        put_frame(&l, r->fields, 7 + i);
                buf_byte(&l.t.b, 1);
                tc_pool_end(&l.t);
            }
            load(&l);
            if (r->rc == 0)
                check_frames(&l, r, n);
            else
                assert_int_equal(jfr_stacks_init(&st, l.chunk, l.field), r->rc);
            unload(&l);
        }
    }
}

struct trace_row {
    const char *name;
    void (*declare)(struct loaded *l);
};

static void not_pooled(struct loaded *l)
{
    event_with_trace(l, TC_TRACE, 0);
}

static void a_number(struct loaded *l)
{
    event_with_trace(l, TC_INT, TC_POOLED);
}

static void undeclared(struct loaded *l)
{
    event_with_trace(l, 4711, TC_POOLED);
}

static void frames_no_array(struct loaded *l)
{
    tc_class(&l->t, TRACE, "Trace", NULL);
    tc_field(&l->t, "frames", TC_FRAME, 0);
    event_with_trace(l, TRACE, TC_POOLED);
}

static void frames_undeclared(struct loaded *l)
{
    tc_class(&l->t, TRACE, "Trace", NULL);
    tc_field(&l->t, "frames", 4711, TC_ARRAY);
    event_with_trace(l, TRACE, TC_POOLED);
}

static void trace_in_itself(struct loaded *l)
{
    tc_class(&l->t, TRACE, "Trace", NULL);
    tc_field(&l->t, "frames", TC_FRAME, TC_ARRAY);
    tc_field(&l->t, "more", TRACE, 0);
    event_with_trace(l, TRACE, TC_POOLED);
}

static void frame_in_itself(struct loaded *l)
{
    tc_class(&l->t, FRAME, "Frame", NULL);
    tc_field(&l->t, "method", TC_METHOD, TC_POOLED);
    tc_field(&l->t, "more", FRAME, 0);
    tc_class(&l->t, TRACE, "Trace", NULL);
    tc_field(&l->t, "frames", FRAME, TC_ARRAY);
    event_with_trace(l, TRACE, TC_POOLED);
}

static const struct trace_row no_traces[] = {
    {"trace that is not pooled", not_pooled},
    {"trace that is a number", a_number},
    {"trace of an undeclared class", undeclared},
    {"frames that are no array", frames_no_array},
    {"frames of an undeclared class", frames_undeclared},
    {"trace that holds itself", trace_in_itself},
    {"frame that holds itself", frame_in_itself},
};

/* Never JFR_E_NOMEM, which would end the run. */
static void is_no_stack_trace(void **state)
{
    const struct trace_row *r = *state;
    struct jfr_stacks st;
    struct loaded l;

    begin(&l);
    r->declare(&l);
    load(&l);
    assert_int_equal(jfr_stacks_init(&st, l.chunk, l.field), JFR_E_FORMAT);
    unload(&l);
}

static void methods_of_an_undeclared_class_are_unknown(void **state)
{
    struct jfr_stacks st;
    struct jfr_method m;
    struct loaded l;

    (void)state;
    begin(&l);
    tc_class(&l.t, FRAME, "Frame", NULL);
    tc_field(&l.t, "method", 4711, TC_POOLED);
    tc_class(&l.t, TRACE, "Trace", NULL);
    tc_field(&l.t, "frames", FRAME, TC_ARRAY);
    event_with_trace(&l, TRACE, TC_POOLED);
    load(&l);
    assert_int_equal(jfr_stacks_init(&st, l.chunk, l.field), 0);
    assert_false(jfr_method_get(&st, 1, &m));
    assert_true(jfr_str_is_null(m.name));
    unload(&l);
}

struct cut_row {
    const char *name;
    uint64_t count;
    size_t bytes; /* of frames that follow */
    int rc; /* of opening */
};

static const struct cut_row cuts[] = {
    {"as many as said", 3, 12, 0},
    {"2^64-1 frames", UINT64_MAX, 12, JFR_E_SHORT},
    {"2^31 frames", 1u << 31, 12, JFR_E_SHORT},
};

/* A trace that was stepped over once cannot lie; so the bytes are spoilt after the pool was made.
 */
static void frame_count_is_checked_against_the_bytes(void **state)
{
    const struct cut_row *r = *state;
    struct jfr_stacks st;
    struct jfr_frames it;
    struct jfr_frame frame[8];
    struct loaded l;
    size_t at;

    begin(&l);
    event_with_trace(&l, TC_TRACE, TC_POOLED);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, TC_TRACE, 1);
    buf_byte(&l.t.b, 9);
    buf_byte(&l.t.b, 0);
    at = l.t.b.n;
    for (int i = 0; i < 9; i++)
        buf_byte(&l.t.b, 0);
    buf_varint_at(l.t.b.p + at, 3, 9);
    for (size_t i = 0; i < r->bytes; i++)
        buf_byte(&l.t.b, 1);
    tc_pool_end(&l.t);
    load(&l);
    assert_int_equal(jfr_stacks_init(&st, l.chunk, l.field), 0);
    buf_varint_at(l.t.b.p + at, r->count, 9);
    assert_int_equal(jfr_stacks_open(&st, 0, &it), r->rc);
    assert_int_equal(jfr_frames_read(&it, frame, 8), r->rc == 0 ? 3 : 0);
    assert_false(jfr_frames_next(&it, frame));
    unload(&l);
}

/* A trace ends inside its second frame. Its chunk ends there, too, or has other bytes after it,
 * which must not complete the frame. */
static void frame_that_is_cut_is_not_delivered(void **state)
{
    static const uint8_t bytes[100] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct jfr_chunk chunk = {.bytes = bytes};
    struct jfr_stacks st = {.chunk = &chunk, .has_usual_layout = true};
    struct jfr_frame frame[3];

    (void)state;
    for (chunk.n = 7; chunk.n <= sizeof(bytes); chunk.n += 93) {
        struct jfr_frames it = {.st = &st, .c = cur_over(bytes, 7), .left = 3};

        assert_int_equal(jfr_frames_read(&it, frame, 3), 1);
        assert_int_equal(frame[0].method_key, 1);
        assert_int_equal(frame[0].type_key, 4);
        assert_false(cur_ok(&it.c));
        assert_int_equal(jfr_frames_read(&it, frame, 3), 0);
    }
}

/* A thread and a method whose numbers are texts and whose texts are numbers. */
static void wrong_kinds_read_as_nothing(void **state)
{
    struct jfr_thread thread;
    struct loaded l;
    const struct jfr_class *cls;

    (void)state;
    begin(&l);
    tc_class(&l.t, THREAD, "Thread", NULL);
    tc_field(&l.t, "osName", TC_INT, 0);
    tc_field(&l.t, "osThreadId", TC_STRING, 0);
    tc_field(&l.t, "javaName", TC_STRING, TC_ARRAY);
    tc_field(&l.t, "javaThreadId", TC_DOUBLE, 0);
    tc_field(&l.t, "virtual", TC_STRING, 0);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, THREAD, 1);
    buf_bytes(&l.t.b, "\1\5\3\1a\1\3\1b\x40\0\0\0\0\0\0\0\3\1c", 20);
    tc_pool_end(&l.t);
    load(&l);
    cls = class_of(&l, THREAD);
    assert_true(jfr_thread_get(l.chunk, cls, 1, &thread));
    assert_true(jfr_str_is_null(thread.os_name) && jfr_str_is_null(thread.java_name));
    assert_true(thread.os_id == 0 && thread.java_id == 0 && !thread.is_virtual);
    assert_false(jfr_thread_get(l.chunk, cls, 2, &thread));
    assert_int_equal(jfr_chunk_n_errors(l.chunk), 0);
    unload(&l);
    begin(&l);
    tc_class(&l.t, THREAD, "Thread", NULL);
    tc_field(&l.t, "osThreadId", TC_INT, TC_POOLED);
    tc_field(&l.t, "javaThreadId", TC_SYMBOL, 0);
    tc_field(&l.t, "virtual", TC_INT, TC_ARRAY);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, THREAD, 1);
    buf_bytes(&l.t.b, "\1\5\1\1\1", 5);
    tc_pool_end(&l.t);
    load(&l);
    assert_true(jfr_thread_get(l.chunk, class_of(&l, THREAD), 1, &thread));
    assert_true(thread.os_id == 0 && thread.java_id == 0 && !thread.is_virtual);
    unload(&l);
}

/* Texts inline, pooled, behind simple types; cycles of simple types end. */
static void texts_are_found_wherever_they_are(void **state)
{
    struct loaded l;

    (void)state;
    begin(&l);
    tc_class(&l.t, CLASS, "Class", NULL);
    tc_field(&l.t, "name", TC_STRING, 0);
    tc_class(&l.t, LOOP, "Loop", "simple");
    tc_field(&l.t, "self", LOOP, TC_POOLED);
    tc_class(&l.t, TEXT, "Text", "simple");
    tc_field(&l.t, "symbol", TC_SYMBOL, 0);
    tc_pool_begin(&l.t);
    tc_pool(&l.t, CLASS, 2);
    buf_bytes(&l.t.b, "\1\3\1A\2\2\x63", 7); /* inline, and by key 99 of String */
    tc_pool(&l.t, LOOP, 1);
    buf_bytes(&l.t.b, "\1\1", 2);
    tc_pool(&l.t, TEXT, 1);
    buf_bytes(&l.t.b, "\1\3\1T", 4);
    tc_pool(&l.t, TC_STRING, 1);
    buf_bytes(&l.t.b, "\x63\3\1S", 4);
    tc_pool(&l.t, TC_CLASS, 1);
    buf_bytes(&l.t.b, "\1\5", 2);
    tc_pool(&l.t, TC_SYMBOL, 1);
    buf_bytes(&l.t.b, "\5\3\1Y", 4);
    tc_pool_end(&l.t);
    load(&l);
    assert_true(jfr_str_equals(jfr_class_name(l.chunk, class_of(&l, CLASS), 1), "A"));
    assert_true(jfr_str_equals(jfr_class_name(l.chunk, class_of(&l, CLASS), 2), "S"));
    assert_true(jfr_str_is_null(jfr_class_name(l.chunk, class_of(&l, CLASS), 3)));
    assert_true(jfr_str_equals(jfr_class_name(l.chunk, class_of(&l, TC_CLASS), 1), "Y"));
    assert_true(jfr_str_is_null(jfr_class_name(l.chunk, class_of(&l, LOOP), 1)));
    assert_true(jfr_str_is_null(jfr_simple_text(l.chunk, class_of(&l, LOOP), 1)));
    assert_true(jfr_str_equals(jfr_simple_text(l.chunk, class_of(&l, TEXT), 1), "T"));
    assert_true(jfr_str_equals(jfr_simple_text(l.chunk, class_of(&l, TC_STRING), 99), "S"));
    assert_true(jfr_str_is_null(jfr_simple_text(l.chunk, class_of(&l, TEXT), 2)));
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_of_an_undeclared_class_are_unknown),
        cmocka_unit_test(frame_that_is_cut_is_not_delivered),
        cmocka_unit_test(wrong_kinds_read_as_nothing),
        cmocka_unit_test(texts_are_found_wherever_they_are),
    };

    return run_rows("stack: layouts", layouts, frames_of_layout) +
           run_rows("stack: no traces", no_traces, is_no_stack_trace) +
           run_rows("stack: counts", cuts, frame_count_is_checked_against_the_bytes) +
           cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
