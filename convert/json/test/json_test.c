/* The layouts of JSON, value by value, of recordings made by hand. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows end early */
#include "jfrfmt/test/testing.h"

#include "convert/test/json_testing.h"
#include "convert/test/testing_chunk.h"

#define LITERAL(s) s, sizeof(s) - 1

enum {
    THREAD = 22,
    TRACE = 26,
    FRAME,
    METHOD,
    SYMBOL = 30,
    NODE = 40,
    PAIR,
    TWICE,
    EVENT = 100
};

static const struct made_class shared_classes[] = {
    {"java.lang.Thread", THREAD,
     .fields = {{"osName", MADE_STRING}, {"osThreadId", MADE_LONG}, {"javaName", MADE_STRING}}},
    {"jdk.types.StackTrace", TRACE,
     .fields = {{"truncated", MADE_BOOLEAN}, {"frames", FRAME, MADE_ARRAY}}},
    {"jdk.types.StackFrame", FRAME,
     .fields = {{"method", METHOD, MADE_POOLED}, {"lineNumber", MADE_INT}}},
    {"jdk.types.Method", METHOD, .fields = {{"name", SYMBOL, MADE_POOLED}}},
    {"jdk.types.Symbol", SYMBOL, MADE_SIMPLE, .fields = {{"string", MADE_STRING}}},
    {"my.Node", NODE, .fields = {{"next", NODE, MADE_POOLED}, {"name", MADE_STRING}}},
    {"my.Pair", PAIR, .fields = {{"a", MADE_INT}, {"b", MADE_INT}}},
    {"my.Twice", TWICE, .fields = {{"l", TWICE, MADE_POOLED}, {"r", TWICE, MADE_POOLED}}},
};

#define N_SHARED (sizeof(shared_classes) / sizeof(shared_classes[0]))
#define CHAIN 200 /* the first of so many nodes in a row */

static void begin(struct made *m, const struct made_field *fields, size_t n)
{
    struct made_class classes[N_SHARED + 1];

    memcpy(classes, shared_classes, sizeof(shared_classes));
    classes[N_SHARED] = (struct made_class){.name = "my.E", .id = EVENT, .super = "jdk.jfr.Event"};
    memcpy(classes[N_SHARED].fields, fields, n * sizeof(*fields));
    made_begin(m, classes, N_SHARED + 1);
}

static void put_node(struct buf *b, uint64_t key, uint64_t next, const char *name)
{
    buf_varint(b, key);
    buf_varint(b, next);
    made_string(b, name);
}

static void put_pools(struct made *m)
{
    struct buf *b = made_pool(m, SYMBOL, 2);

    buf_varint(b, 1);
    made_string(b, "run");
    buf_varint(b, 2);
    made_string(b, "a/b\"");
    buf_bytes(made_pool(m, METHOD, 1), "\1\1", 2);
    buf_bytes(made_pool(m, TRACE, 1), "\1\0\3\1\7\1\10\1\11", 9);
    b = made_pool(m, NODE, 3 + CHAIN);
    put_node(b, 1, 2, "a");
    put_node(b, 2, 1, "b");
    put_node(b, 3, 0, "end");
    for (uint64_t i = 0; i < CHAIN; i++)
        put_node(b, CHAIN + i, CHAIN + i + 1, "n");
    b = made_pool(m, TWICE, 60);
    for (uint8_t i = 1; i <= 60; i++) {
        buf_byte(b, i);
        buf_byte(b, i + 1);
        buf_byte(b, i + 1);
    }
    b = made_pool(m, THREAD, 1);
    buf_byte(b, 1);
    made_string(b, "os");
    buf_varint(b, 77);
    made_string(b, "java");
}

static void end(struct made *m)
{
    put_pools(m);
    made_end(m);
}

/* Prints m's file; the caller frees the text. */
static int print(const struct made *m, const struct json_options *opt, struct buf *text)
{
    static const struct select_spec everything = {0};
    struct jfr_error err = {0};
    struct select *select = select_new(&everything, &err);
    int rc = json_print(opt, select, m->file.p, m->file.n, text);

    select_free(select);
    buf_byte(text, '\0');
    text->n--;
    return rc;
}

/* Values: one event of one field. */

enum {
    R25 = JSON_RULES_25,
    R17 = JSON_RULES_17,
    OWN = JSON_RULES_OWN
};

struct value_row {
    const char *name;
    int rules;
    struct made_field field;
    const char *body;
    size_t n;
    const char *want;
};

#define FF8 "\xff\xff\xff\xff\xff\xff\xff\xff"
#define LONG_MIN_BYTES "\x80\x80\x80\x80\x80\x80\x80\x80\x80"
#define LONG_MAX_BYTES "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"

// clang-format off
static const struct value_row value_rows[] = {
    {"boolean", R25, {"f", MADE_BOOLEAN}, LITERAL("\2"), "true"},
    {"a byte has a sign", R25, {"f", MADE_BYTE}, LITERAL("\xff"), "-1"},
    {"a byte without one", R25, {"f", MADE_BYTE, 0, MADE_UNSIGNED}, LITERAL("\xff"), "255"},
    {"17 prints unsigned values signed", R17, {"f", MADE_BYTE, 0, MADE_UNSIGNED}, LITERAL("\xff"), "-1"},
    {"short in nine bytes", R25, {"f", MADE_SHORT}, LITERAL(FF8 "\xff"), "-1"},
    {"int in five bytes", R25, {"f", MADE_INT}, LITERAL("\xff\xff\xff\xff\x0f"), "-1"},
    {"unsigned int", R25, {"f", MADE_INT, 0, MADE_UNSIGNED}, LITERAL(FF8 "\xff"), "4294967295"},
    {"unsigned long", R25, {"f", MADE_LONG, 0, MADE_UNSIGNED}, LITERAL(FF8 "\xff"), "18446744073709551615"},
    {"long", R25, {"f", MADE_LONG}, LITERAL(LONG_MIN_BYTES), "-9223372036854775808"},
    {"char", R25, {"f", MADE_CHAR}, LITERAL("A"), "\"A\""},
    {"a lone surrogate is escaped", R25, {"f", MADE_CHAR}, LITERAL("\xbd\xb0\x03"), "\"\\ud83d\""},
    {"float", R25, {"f", MADE_FLOAT}, LITERAL("\x3f\xc0\0\0"), "1.5"},
    {"double", R25, {"f", MADE_DOUBLE}, LITERAL("\x40\x59\0\0\0\0\0\0"), "100.0"},
    {"not a number is null", R25, {"f", MADE_DOUBLE}, LITERAL("\x7f\xf8\0\0\0\0\0\0"), "null"},
    {"infinity is null", R25, {"f", MADE_FLOAT}, LITERAL("\x7f\x80\0\0"), "null"},
    {"null string", R25, {"f", MADE_STRING}, LITERAL("\0"), "null"},
    {"empty string", R25, {"f", MADE_STRING}, LITERAL("\1"), "\"\""},
    {"a slash is escaped in the tool's words", R25, {"f", MADE_STRING}, LITERAL("\3\3a/b"), "\"a\\/b\""},
    {"but not in ours", OWN, {"f", MADE_STRING}, LITERAL("\3\3a/b"), "\"a/b\""},
    {"split surrogates fall apart in the tool's words", R25, {"f", MADE_STRING},
     LITERAL("\3\6\xed\xa0\xbd\xed\xb8\x80"), "\"\\ufffd\\ufffd\""},
    {"and are joined in ours", OWN, {"f", MADE_STRING}, LITERAL("\3\6\xed\xa0\xbd\xed\xb8\x80"), "\"\xf0\x9f\x98\x80\""},
    {"a string constant that is not there", R25, {"f", MADE_STRING}, LITERAL("\2\5"), "null"},
    {"time in ticks, in the chunk's zone", R25, {"f", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"}, LITERAL("\xd0\x0f"),
     "\"2023-11-14T23:13:20.000001+01:00\""},
    {"time in ticks, ours", OWN, {"f", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"}, LITERAL("\xd0\x0f"),
     "\"2023-11-14T22:13:20.000001Z\""},
    {"a missing time as the tool has it", R25, {"f", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"}, LITERAL(LONG_MIN_BYTES),
     "\"-999999999-01-01T00:00+18:00\""},
    {"a missing time is null in ours", OWN, {"f", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"}, LITERAL(LONG_MIN_BYTES), "null"},
    {"milliseconds since 1970", OWN, {"f", MADE_LONG, 0, MADE_TIMESTAMP, "MILLISECONDS_SINCE_EPOCH"}, LITERAL("\0"),
     "\"1970-01-01T00:00Z\""},
    {"nanoseconds since 1970", OWN, {"f", MADE_LONG, 0, MADE_TIMESTAMP, "NANOSECONDS_SINCE_EPOCH"}, LITERAL("\1"),
     "\"1970-01-01T00:00:00.000000001Z\""},
    {"span in ticks", R25, {"f", MADE_LONG, 0, MADE_TIMESPAN, "TICKS"}, LITERAL("\xd0\x0f"), "\"PT0.000002S\""},
    {"span in an int", R25, {"f", MADE_INT, 0, MADE_TIMESPAN, "SECONDS"}, LITERAL("\7"), "\"PT7S\""},
    {"span in microseconds", R25, {"f", MADE_LONG, 0, MADE_TIMESPAN, "MICROSECONDS"}, LITERAL("\7"), "\"PT0.000007S\""},
    {"for ever in the words of 25", R25, {"f", MADE_LONG, 0, MADE_TIMESPAN, "NANOSECONDS"}, LITERAL(LONG_MAX_BYTES),
     "\"PT2562047788015215H30M7.999999999S\""},
    {"for ever in the words of 17", R17, {"f", MADE_LONG, 0, MADE_TIMESPAN, "NANOSECONDS"}, LITERAL(LONG_MAX_BYTES),
     "\"PT2562047H47M16.854775807S\""},
    {"array of numbers", R25, {"f", MADE_INT, MADE_ARRAY}, LITERAL("\2\1\2"), "[1,2]"},
    {"array without elements", R25, {"f", MADE_INT, MADE_ARRAY}, LITERAL("\0"), "[]"},
    {"span in microseconds overflows as the JDK's does", R25, {"f", MADE_LONG, 0, MADE_TIMESPAN, "MICROSECONDS"},
     LITERAL("\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"), "\"PT-0.000002S\""},
    {"span in microseconds is exact by our own rules", OWN, {"f", MADE_LONG, 0, MADE_TIMESPAN, "MICROSECONDS"},
     LITERAL("\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"), "\"PT2562047788H54.775806S\""},
    {"span in ticks that only becomes the longest is not for ever", R25, {"f", MADE_LONG, 0, MADE_TIMESPAN, "TICKS"},
     LITERAL("\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"), "\"PT2562047H47M16.854775807S\""},
    {"array of spans", OWN, {"f", MADE_LONG, MADE_ARRAY, MADE_TIMESPAN, "SECONDS"}, LITERAL("\2\1\2"), "[\"PT1S\",\"PT2S\"]"},
    {"array of strings", R25, {"f", MADE_STRING, MADE_ARRAY}, LITERAL("\2\3\1a\0"), "[\"a\",null]"},
    {"array of constants, one missing", OWN, {"f", SYMBOL, MADE_ARRAY | MADE_POOLED}, LITERAL("\2\1\11"), "[\"run\",null]"},
    {"array of structures", R25, {"f", PAIR, MADE_ARRAY}, LITERAL("\2\1\2\3\4"), "[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}]"},
    {"structure", R25, {"f", PAIR}, LITERAL("\1\2"), "{\"a\":1,\"b\":2}"},
    {"a simple type is its field", R25, {"f", SYMBOL, MADE_POOLED}, LITERAL("\2"), "\"a\\/b\\\"\""},
    {"a simple type inline", R25, {"f", SYMBOL}, LITERAL("\3\1x"), "\"x\""},
    {"a constant that is not there", R25, {"f", THREAD, MADE_POOLED}, LITERAL("\11"), "null"},
    {"a constant that holds itself", OWN, {"f", NODE, MADE_POOLED}, LITERAL("\1"),
     "{\"next\":{\"next\":null,\"name\":\"b\"},\"name\":\"a\"}"},
    {"stack trace", OWN, {"f", TRACE, MADE_POOLED}, LITERAL("\1"),
     "{\"truncated\":false,\"frames\":[{\"method\":{\"name\":\"run\"},\"lineNumber\":7},"
     "{\"method\":{\"name\":\"run\"},\"lineNumber\":8}]}"},
};
// clang-format on

static void value(void **state)
{
    const struct value_row *t = *state;
    struct json_options opt = json_options_default("ndjson");
    struct made m = {0};
    struct buf text = {0}, want = {0};

    opt.style.rules = (enum json_rules)t->rules;
    opt.style.stack_depth = 2;
    begin(&m, &t->field, 1);
    for (int i = 0; i < 2; i++) { /* the second one finds constants' text already made */
        buf_bytes(made_event(&m), t->body, t->n);
        made_done(&m, EVENT);
        buf_printf(&want, "{\"type\":\"my.E\",\"values\":{\"f\":%s}}\n", t->want);
    }
    end(&m);
    assert_int_equal(print(&m, &opt, &text), 0);
    buf_byte(&want, '\0');
    assert_string_equal((char *)text.p, (char *)want.p);
    made_free(&m);
    buf_free(&text);
    buf_free(&want);
}

/* Layouts: three events, the last of which ends first. */

static const struct made_field layout_fields[] = {
    {"startTime", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"},
    {"eventThread", THREAD, MADE_POOLED},
    {"stackTrace", TRACE, MADE_POOLED},
    {"n", MADE_LONG},
};

static void make_layout_file(struct made *m, int n)
{
    static const char bodies[3][6] = {"\xd1\x0f\1\1\1", "\xd2\x0f\0\0\2", "\xd0\x0f\0\1\3"};

    begin(m, layout_fields, 4);
    for (int i = 0; i < n; i++) {
        buf_bytes(made_event(m), bodies[i], 5);
        made_done(m, EVENT);
    }
    end(m);
}

struct layout_row {
    const char *name;
    const char *layout, *fields;
    int n; /* events in the file */
    const char *want;
};

#define PRETTY_HEAD "{\n  \"recording\": {\n    \"events\": ["
#define PRETTY_EVENT "{\n      \"type\": \"my.E\", \n      \"values\": {\n        "

// clang-format off
static const struct layout_row layout_rows[] = {
    {"jdk, no event", "jdk", NULL, 0, PRETTY_HEAD "]\n  }\n}"},
    {"jdk, events in the order of their ends", "jdk", "n", 3,
     PRETTY_HEAD PRETTY_EVENT "\"n\": 3\n      }\n    }, " PRETTY_EVENT "\"n\": 1\n      }\n    }, "
     PRETTY_EVENT "\"n\": 2\n      }\n    }]\n  }\n}"},
    {"jdk, objects inside", "jdk", "eventThread,stackTrace.frames.lineNumber", 1,
     PRETTY_HEAD PRETTY_EVENT "\"eventThread\": {\n          \"osName\": \"os\", \n          \"osThreadId\": 77, \n"
     "          \"javaName\": \"java\"\n        }, \n        \"stackTrace\": {\n          \"frames\": [{\n"
     "            \"lineNumber\": 7\n          }, {\n            \"lineNumber\": 8\n          }, {\n"
     "            \"lineNumber\": 9\n          }]\n        }\n      }\n    }]\n  }\n}"},
    {"ndjson, no event", "ndjson", NULL, 0, ""},
    {"ndjson, fields inside constants", "ndjson", "startTime, eventThread.javaName ,n", 2,
     "{\"type\":\"my.E\",\"values\":{\"startTime\":\"2023-11-14T22:13:20.000001001Z\",\"eventThread\":{\"javaName\":\"java\"},\"n\":1}}\n"
     "{\"type\":\"my.E\",\"values\":{\"startTime\":\"2023-11-14T22:13:20.000001002Z\",\"eventThread\":null,\"n\":2}}\n"},
    {"ndjson, a field that is not there", "ndjson", "nope.x", 1, "{\"type\":\"my.E\",\"values\":{}}\n"},
    {"columns, no event", "columns", NULL, 0, "{\n}\n"},
    {"columns", "columns", "eventThread.osName,n", 3,
     "{\n\"my.E\":{\"n\":3,\"values\":{\n\"eventThread\":[null,{\"osName\":\"os\"},null],\n\"n\":[3,1,2]}}\n}\n"},
    {"stacktable, no event", "stacktable", NULL, 0, "{\"events\":[\n],\"stacks\":{\n}}\n"},
    {"stacktable, a stack stands there once", "stacktable", "stackTrace.frames.lineNumber,n", 3,
     "{\"events\":[\n{\"type\":\"my.E\",\"values\":{\"stackTrace\":\"@\",\"n\":3}},\n"
     "{\"type\":\"my.E\",\"values\":{\"stackTrace\":\"@\",\"n\":1}},\n"
     "{\"type\":\"my.E\",\"values\":{\"stackTrace\":null,\"n\":2}}\n],\"stacks\":{\n"
     "\"@\":{\"frames\":[{\"lineNumber\":7},{\"lineNumber\":8},{\"lineNumber\":9}]}\n}}\n"},
};
// clang-format on

/* Ids are 16 digits that mean nothing here: "@" each, after a look that they are all the same. */
static void hide_ids(char *text)
{
    char *to = text, id[17] = "";

    for (char *p = text; *p != '\0'; *to++ = *p++) {
        if (*p != '"' || strspn(p + 1, "0123456789abcdef") != 16)
            continue;
        if (id[0] == '\0')
            memcpy(id, p + 1, 16);
        assert_memory_equal(id, p + 1, 16);
        *to++ = *p;
        *to++ = '@';
        p += 17;
    }
    *to = '\0';
}

static void layout(void **state)
{
    const struct layout_row *t = *state;
    struct json_options opt = json_options_default(t->layout);
    struct made m = {0};
    struct buf text = {0};

    opt.style.rules = JSON_RULES_OWN;
    opt.fields = (struct select_list){&t->fields, t->fields != NULL};
    make_layout_file(&m, t->n);
    assert_int_equal(print(&m, &opt, &text), 0);
    assert_true(json_is_valid(&text, strcmp(t->layout, "ndjson") == 0));
    if (strcmp(t->layout, "stacktable") == 0)
        hide_ids((char *)text.p);
    assert_string_equal((char *)text.p, t->want);
    made_free(&m);
    buf_free(&text);
}

/* Rules of their own. */

static void print_one(const struct made_field *field, const char *body, size_t n,
                      const struct json_options *opt, int want_damages, struct buf *text)
{
    struct made m = {0};

    begin(&m, field, 1);
    buf_bytes(made_event(&m), body, n);
    made_done(&m, EVENT);
    end(&m);
    assert_int_equal(print(&m, opt, text), want_damages);
    made_free(&m);
}

static void text_of_constants_is_bounded(void **state)
{
    static const struct made_field field = {"f", TWICE, MADE_POOLED};
    struct json_options opt = json_options_default("ndjson");
    struct buf text = {0};

    (void)state;
    opt.style.text_max = 100000;
    print_one(&field, "\1", 1, &opt, 1, &text);
    assert_true(json_is_valid(&text, true));
    assert_in_range(text.n, 90000, 110000);
    buf_free(&text);
}

static void chain_of_constants_is_cut_where_it_is_asked_for(void **state)
{
    static const struct made_field field = {"f", NODE, MADE_POOLED};
    struct json_options opt = json_options_default("ndjson");
    struct buf text = {0};
    size_t names = 0;

    (void)state;
    opt.style.nesting = 64;
    print_one(&field, "\xc8\1", 2, &opt, 1, &text);
    assert_true(json_is_valid(&text, true));
    for (const char *p = (char *)text.p; (p = strstr(p, "\"n\"")) != NULL; p++)
        names++;
    assert_int_equal(names, 64);
    buf_free(&text);
}

/* What an entry looks like inside another one is not what it looks like on its own. */
static void text_that_was_cut_is_not_used_again(void **state)
{
    static const struct made_field field = {"f", NODE, MADE_POOLED};
    struct json_options opt = json_options_default("ndjson");
    struct made m = {0};
    struct buf text = {0};

    (void)state;
    begin(&m, &field, 1);
    for (uint8_t key = 1; key <= 2; key++) {
        buf_byte(made_event(&m), key);
        made_done(&m, EVENT);
    }
    end(&m);
    assert_int_equal(print(&m, &opt, &text), 0);
    assert_non_null(
        strstr((char *)text.p, "{\"next\":{\"next\":null,\"name\":\"b\"},\"name\":\"a\"}"));
    assert_non_null(
        strstr((char *)text.p, "{\"next\":{\"next\":null,\"name\":\"a\"},\"name\":\"b\"}"));
    made_free(&m);
    buf_free(&text);
}

static void event_that_ends_early_is_printed_with_nulls(void **state)
{
    static const struct made_field fields[] = {
        {"a", MADE_INT}, {"b", MADE_STRING}, {"c", PAIR, MADE_ARRAY}, {"d", MADE_LONG}};
    struct json_options opt = json_options_default("ndjson");
    struct made m = {0};
    struct buf text = {0};

    (void)state;
    begin(&m, fields, 4);
    buf_bytes(made_event(&m), "\1\3\1x\1\5", 6);
    made_done(&m, EVENT);
    end(&m);
    assert_int_equal(print(&m, &opt, &text), 1);
    assert_string_equal(
        (char *)text.p,
        "{\"type\":\"my.E\",\"values\":{\"a\":1,\"b\":\"x\",\"c\":[{\"a\":5,\"b\":null}],\"d\":null}}\n");
    made_free(&m);
    buf_free(&text);
}

static void array_with_more_elements_than_bytes_is_damage(void **state)
{
    static const struct made_field field = {"f", MADE_INT, MADE_ARRAY};
    struct json_options opt = json_options_default("ndjson");
    struct buf text = {0};

    (void)state;
    print_one(&field, "\xff\xff\xff\xff\x07\1", 6, &opt, 1, &text);
    assert_string_equal((char *)text.p, "{\"type\":\"my.E\",\"values\":{\"f\":null}}\n");
    buf_free(&text);
}

static void numbers_beyond_2_to_53_become_strings(void **state)
{
    static const struct made_field field = {"f", MADE_LONG, MADE_ARRAY};
    static const char body[] = "\2\x80\x80\x80\x80\x80\x80\x80\x10\x81\x80\x80\x80\x80\x80\x80\x10";
    struct json_options opt = json_options_default("ndjson");
    struct buf text = {0};

    (void)state;
    opt.style.text64 = true;
    print_one(&field, body, sizeof(body) - 1, &opt, 0, &text);
    assert_non_null(strstr((char *)text.p, "[9007199254740992,\"9007199254740993\"]"));
    buf_free(&text);
}

static void head_stops(void **state)
{
    struct json_options opt = json_options_default("ndjson");
    const char *fields = "n";
    struct made m = {0};
    struct buf text = {0};

    (void)state;
    opt.head = 2;
    opt.fields = (struct select_list){&fields, 1};
    make_layout_file(&m, 3);
    assert_int_equal(print(&m, &opt, &text), 0);
    assert_string_equal((char *)text.p, "{\"type\":\"my.E\",\"values\":{\"n\":3}}\n"
                                        "{\"type\":\"my.E\",\"values\":{\"n\":1}}\n");
    made_free(&m);
    buf_free(&text);
}

/* The n of the events that are printed of four chunks, each with n = 3, 1, 2 in this order. */
static void sample_goes_on_behind_a_chunk(void **state)
{
    static const struct {
        uint64_t sample, head;
        const char *want;
    } uses[] = {{1, UINT64_MAX, "312312312312"}, {2, UINT64_MAX, "321321"},
                {5, UINT64_MAX, "321"},          {5, 2, "32"},
                {3, UINT64_MAX, "3333"},         {12, UINT64_MAX, "3"},
                {11, UINT64_MAX, "32"},          {UINT64_MAX, UINT64_MAX, "3"}};
    const char *fields = "n";
    struct buf one = {0};
    struct made m = {0};

    (void)state;
    make_layout_file(&m, 3);
    buf_bytes(&one, m.file.p, m.file.n);
    for (int i = 0; i < 3; i++)
        buf_bytes(&m.file, one.p, one.n);
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        struct json_options opt = json_options_default("ndjson");
        struct buf text = {0};
        char got[20] = "";
        size_t n = 0;

        opt.sample = uses[i].sample;
        opt.head = uses[i].head;
        opt.fields = (struct select_list){&fields, 1};
        assert_int_equal(print(&m, &opt, &text), 0);
        for (const char *p = (char *)text.p; n < 19 && (p = strstr(p, "\"n\":")) != NULL; p += 4)
            got[n++] = p[4];
        assert_string_equal(got, uses[i].want);
        buf_free(&text);
    }
    made_free(&m);
    buf_free(&one);
}

static void frames_are_cut_and_what_follows_is_read(void **state)
{
    static const struct made_field fields[] = {{"trace", TRACE}, {"after", MADE_INT}};
    struct json_options opt = json_options_default("ndjson");
    struct made m = {0};
    struct buf text = {0};

    (void)state;
    opt.style.stack_depth = 0;
    begin(&m, fields, 2);
    buf_bytes(made_event(&m), "\1\2\1\7\1\10\5", 7);
    made_done(&m, EVENT);
    end(&m);
    assert_int_equal(print(&m, &opt, &text), 0);
    assert_non_null(strstr((char *)text.p, "{\"truncated\":true,\"frames\":[]},\"after\":5}"));
    made_free(&m);
    buf_free(&text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_constants_is_bounded),
        cmocka_unit_test(chain_of_constants_is_cut_where_it_is_asked_for),
        cmocka_unit_test(text_that_was_cut_is_not_used_again),
        cmocka_unit_test(event_that_ends_early_is_printed_with_nulls),
        cmocka_unit_test(array_with_more_elements_than_bytes_is_damage),
        cmocka_unit_test(numbers_beyond_2_to_53_become_strings),
        cmocka_unit_test(head_stops),
        cmocka_unit_test(sample_goes_on_behind_a_chunk),
        cmocka_unit_test(frames_are_cut_and_what_follows_is_read),
    };
    int failed = run_rows("json: values", value_rows, value);

    failed += run_rows("json: layouts", layout_rows, layout);
    return failed + cmocka_run_group_tests_name("json: limits", tests, NULL, NULL);
}
