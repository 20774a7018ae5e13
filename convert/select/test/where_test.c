/* where_test.c - conditions of --where: what each accepts of one event, how errors name the place,
 * and limits. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows end early */
#include "jfrfmt/test/testing.h"

#include "convert/test/testing_chunk.h"
#include "convert/select/where.h"

enum {
    THREAD = 22,
    GROUP = 23,
    STATE = 25,
    CLASS = 26,
    SYMBOL = 27,
    INNER = 28,
    WORK = 100,
    SAMPLE,
    BARE,
    REQUEST,
};

/* Events are told apart by a letter. */
static const struct made_class classes[] = {
    {"java.lang.Thread", THREAD,
     .fields = {{"osName", MADE_STRING},
                {"javaName", MADE_STRING},
                {"javaThreadId", MADE_LONG},
                {"group", GROUP, MADE_POOLED}}},
    {"jdk.types.ThreadGroup", GROUP,
     .fields = {{"parent", GROUP, MADE_POOLED}, {"name", MADE_STRING}}},
    {"jdk.types.ThreadState", STATE, MADE_SIMPLE, .fields = {{"name", MADE_STRING}}},
    {"java.lang.Class", CLASS, .fields = {{"name", SYMBOL, MADE_POOLED}}},
    {"jdk.types.Symbol", SYMBOL, MADE_SIMPLE, .fields = {{"string", MADE_STRING}}},
    {"my.Inner", INNER, .fields = {{"deep", MADE_INT}, {"text", MADE_STRING}}},
    {"my.Work", WORK, .super = "jdk.jfr.Event",
     .fields = {{"startTime", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"},
                {"letter", MADE_CHAR},
                {"duration", MADE_LONG, 0, MADE_TIMESPAN, "TICKS"},
                {"eventThread", THREAD, MADE_POOLED},
                {"path", MADE_STRING},
                {"share", MADE_FLOAT},
                {"id", MADE_LONG, 0, MADE_UNSIGNED},
                {"inner", INNER}}},
    {"jdk.Sample", SAMPLE, .super = "jdk.jfr.Event",
     .fields = {{"startTime", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"},
                {"letter", MADE_CHAR},
                {"sampledThread", THREAD, MADE_POOLED},
                {"state", STATE, MADE_POOLED},
                {"objectClass", CLASS, MADE_POOLED},
                {"ok", MADE_BOOLEAN},
                {"list", MADE_INT, MADE_ARRAY},
                {"wait", MADE_LONG, 0, MADE_TIMESPAN, "MILLISECONDS"}}},
    {"my.Bare", BARE, .super = "jdk.jfr.Event",
     .fields = {{"startTime", MADE_LONG, 0, MADE_TIMESTAMP, "TICKS"},
                {"letter", MADE_CHAR},
                {"a.b", MADE_INT},
                {"tracer-context_user", MADE_STRING}}},
};

static void begin_event(struct made *m, int64_t second, char letter)
{
    struct buf *b = made_event(m);

    buf_varint(b, (uint64_t)(second * 1000000000 + 1000));
    buf_varint(b, (uint64_t)letter);
}

static void put_work(struct made *m, int64_t second, char letter, int64_t us, int thread,
                     const char *path, float share, uint64_t id, int32_t deep)
{
    struct buf *b = &m->body;
    uint32_t bits;

    begin_event(m, second, letter);
    buf_varint(b, (uint64_t)us * 1000);
    buf_varint(b, (uint64_t)thread);
    if (path == NULL)
        buf_byte(b, 0);
    else
        made_string(b, path);
    memcpy(&bits, &share, sizeof(bits));
    buf_be(b, bits, 4);
    buf_varint(b, id);
    buf_varint(b, (uint32_t)deep);
    made_string(b, "in");
    made_done(m, WORK);
}

static void put_sample(struct made *m, int64_t second, char letter, int thread, int state,
                       int class, bool ok, int64_t wait_ms)
{
    struct buf *b = &m->body;

    begin_event(m, second, letter);
    buf_varint(b, (uint64_t)thread);
    buf_varint(b, (uint64_t)state);
    buf_varint(b, (uint64_t) class);
    buf_byte(b, ok);
    buf_bytes(b, "\1\7", 2);
    buf_varint(b, (uint64_t)wait_ms);
    made_done(m, SAMPLE);
}

static void put_bare(struct made *m, int64_t second, char letter, const char *user, int dotted)
{
    begin_event(m, second, letter);
    buf_varint(&m->body, (uint64_t)dotted);
    made_string(&m->body, user);
    made_done(m, BARE);
}

static void put_thread(struct buf *b, uint64_t key, const char *os, const char *java, int group)
{
    buf_varint(b, key);
    made_string(b, os);
    if (java == NULL)
        buf_byte(b, 0);
    else
        made_string(b, java);
    buf_varint(b, key + 10);
    buf_varint(b, (uint64_t)group);
}

/* a, b, c work; d, e are samples; f, g have contexts. */
static void make_file(struct made *m)
{
    struct buf *b;

    made_begin(m, classes, sizeof(classes) / sizeof(classes[0]));
    put_work(m, 0, 'a', 10000, 1, "/var/log/x", 0.1F, UINT64_MAX, -5);
    put_work(m, 1, 'b', 10001, 2, "/tmp/y", 0.5F, 7, 12);
    put_work(m, 2, 'c', 0, 9, NULL, -1.5F, 1, 0);
    put_sample(m, 3, 'd', 1, 1, 1, true, 20);
    put_sample(m, 4, 'e', 3, 2, 2, false, -1);
    put_bare(m, 5, 'f', "alice", 3);
    put_bare(m, 6, 'g', "bob", 4);
    b = made_pool(m, THREAD, 3);
    put_thread(b, 1, "main", "main", 1);
    put_thread(b, 2, "pool", "http-1", 2);
    put_thread(b, 3, "GC Thread#0", NULL, 0);
    b = made_pool(m, GROUP, 2);
    buf_bytes(b, "\1\2", 2);
    made_string(b, "inner group");
    buf_bytes(b, "\2\0", 2);
    made_string(b, "system");
    b = made_pool(m, STATE, 2);
    buf_byte(b, 1);
    made_string(b, "STATE_RUNNABLE");
    buf_byte(b, 2);
    made_string(b, "STATE_PARKED");
    b = made_pool(m, CLASS, 2);
    buf_bytes(b, "\1\1\2\2", 4);
    b = made_pool(m, SYMBOL, 2);
    buf_byte(b, 1);
    made_string(b, "java/lang/String");
    buf_byte(b, 2);
    made_string(b, "[I");
    made_end(m);
}

struct row {
    const char *text, *want;
    const char *note; /* part of the first note; NULL: none */
};

// clang-format off
static const struct row rows[] = {
    {"true", "abcdefg"},
    {"false", ""},
    {"letter = 'a'", "a"},
    {"letter >= \"f\"", "fg"},
    {"letter='a' or letter='b' and letter='c'", "a"},
    {"(letter='a' or letter='b') and letter!='a'", "b"},
    {"letter='a'||letter='b'&&!(letter='x')", "ab"},
    {"not letter = 'a' and not not letter < 'd'", "bc"},
    {"duration > 10ms", "b"},
    {"duration >= 10ms", "ab"},
    {"duration = 0.01s", "a"},
    {"duration == 10001us", "b"},
    {"duration != 10ms", "bcdefg"},
    {"duration < 1h30m", "abc"},
    {"duration = 0", "c"},
    {"0 < duration", "ab"},
    {"wait = 20ms or wait = -1ms", "de"},
    {"wait > 19ms", "d"},
    {"duration > 10", "", "character 1: a time span (10ms) is compared with a number"},
    {"path = null", "cdefg"},
    {"path != null", "ab"},
    {"path", "ab"},
    {"!path", "cdefg"},
    {"ok", "d"},
    {"ok = false", "e"},
    {"ok > false", "", "true or false"},
    {"path ~ /log/", "a"},
    {"path =~ 'lo?g/'", "a"},
    {"path ~ /^\\/tmp\\//", "b"},
    {"path !~ /log/", "bcdefg"},
    {"path = \"/tmp/y\"", "b"},
    {"path < '/u'", "b"},
    {"duration ~ /1/", "", "compared with a pattern"},
    {"share = 0.1", "a"},
    {"share >= 50%", "b"},
    {"share < 0", "c"},
    {"share = -1.5e0", "c"},
    {"id = 18446744073709551615", "a"},
    {"id > 0x7", "a"},
    {"id > -1", "abc"},
    {"id >= 1 and id <= 7", "bc"},
    {"inner.deep = -5", "a"},
    {"inner.deep = 12B", "b"},
    {"inner.deep < 1kB and inner.deep >= 0", "bc"},
    {"inner.text = 'in'", "abc"},
    {"inner = null", "defg"},
    {"inner = 'in'", "", "several parts"},
    {"eventThread.javaName = 'main'", "ad"},
    {"sampledThread.javaName = 'main'", "d"},
    {"eventThread = 'GC Thread#0'", "e"},
    {"eventThread = null", "cfg"},
    {"eventThread ~ /^(main|http)/", "abd"},
    {"eventThread.javaThreadId = 12", "b"},
    {"eventThread.group.name = 'inner group'", "ad"},
    {"eventThread.group.parent.name = 'system'", "ad"},
    {"eventThread.group.parent.parent = null", "abcdefg"},
    {"state = 'STATE_PARKED'", "e"},
    {"state.name ~ /RUN/", "d"},
    {"objectClass = 'java.lang.String'", "d"},
    {"objectClass.name = 'java/lang/String'", "d"},
    {"objectClass ~ /^\\[I$/", "e"},
    {"list = 7", "", "several parts"},
    {"list != null", "de"},
    {"a.b = 3", "f"},
    {"event = 'my.Work'", "abc"},
    {"event ~ /^jdk\\./ and state", "de"},
    {"startTime >= '2023-11-14T22:13:25Z'", "fg"},
    {"startTime < '2023-11-14T23:13:21+01:00'", "a"},
    {"startTime = 'noon'", "", "point in time"},
    {"startTime > 5", "", "point in time"},
    {"ctx.user = 'alice'", "f"},
    {"ctx.user", "fg"},
    {"ctx.user = null", "abcde"},
    {"ctx.user ~ /b/ or letter = 'a'", "ag"},
    {"tracer-context_user = 'bob'", "g"},
    {"letter = path", ""},
    {"inner.text != path", "abc"},
    {"letter = 'f' or pth = 'x'", "f", "no event type has a field 'pth', did you mean 'path'?"},
    {"abd = 'x'", "", "did you mean 'a.b'?"}, /* as near as 'id' */
    {"eventThread.javaname = 'main'", "", "did you mean 'eventThread.javaName'?"},
    {"Duration > 1s", "", "did you mean 'duration'?"},
    {"x23456789012345678901234567890123456789012345678901234567890123 = 1", "",
     "no event type has a field 'x23456789012345678901234567890123456789012345678901234567890123';"},
    {"zzzzzzzz = null", "abcdefg", "no event type has a field 'zzzzzzzz'; a text has quotes"},
    {"frame ~ /x/", ""},
    {"frame !~ /x/", "abcdefg"},
    {"1 = 1.0 and 'a' < 'b' and null = null", "abcdefg"},
};
// clang-format on

static void evaluation(void **state)
{
    const struct row *t = *state;
    struct context *context = context_new();
    struct jfr_error err = {0};
    struct where *w = where_new(t->text, context, &err);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct context_run *cr;
    struct where_run *r;
    struct made m = {0};
    char letters[10], *p = letters, note[300] = "";
    struct jfr_event ev;
    bool is_error;

    if (w == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(where_names_context(t->text), strstr(t->text, "ctx.") != NULL);
    cr = context_run_new(context);
    r = where_run_new(w);
    make_file(&m);
    assert_int_equal(
        jfr_chunk_load(chunk, &(struct jfr_raw){.bytes = m.file.p, .n = m.file.n}, &err), 0);
    assert_int_equal(context_run_load(cr, chunk), 0);
    assert_int_equal(where_run_load(r, chunk, cr), 0);
    while (jfr_chunk_next(chunk, &ev) > 0) {
        const struct jfr_plan *plan =
            jfr_plan_new(chunk, ev.type, (const char *const[]){"letter"}, 1);
        enum where_class decision = where_class(r, ev.type);
        int holds = where_event(r, &ev, NULL);
        union jfr_value v;

        assert_int_equal(jfr_plan_run(plan, ev.body, &v, NULL), 0);
        assert_in_range(holds, 0, 1);
        if (decision != WHERE_MAYBE)
            assert_int_equal(holds, decision == WHERE_YES);
        assert_int_equal(where_event(r, &ev, NULL), holds);
        if (holds > 0)
            *p++ = (char)v.i;
    }
    *p = '\0';
    assert_string_equal(letters, t->want);
    assert_int_equal(where_note(w, 0, &is_error, note, sizeof(note)), t->note != NULL);
    if (t->note != NULL && strstr(note, t->note) == NULL)
        fail_msg("%s", note);
    if (t->note != NULL)
        assert_int_equal(is_error, strstr(t->note, "no event type") != NULL ||
                                       strstr(t->note, "did you mean") != NULL);
    where_run_free(r);
    where_free(w);
    context_run_free(cr);
    context_free(context);
    jfr_chunk_free(chunk);
    made_free(&m);
}

// clang-format off
static const struct row wrong[] = {
    {"", "the end, character 1: expected a field or a value"},
    {"a >", "the end, character 4: expected a field or a value"},
    {"a = b c", "character 7: expected 'and', 'or' or the end, not 'c'"},
    {"a and and b", "character 7: expected a field or a value, not 'and'"},
    {"(a = 1", "the end, character 7: expected 'and', 'or' or ')'"},
    {"a = 1)", "character 6: expected 'and', 'or' or the end, not ')'"},
    {"a = 10foo", "character 5: expected a number, a time (10ms) or a size (64kB), not '10foo'"},
    {"a = 'x", "character 5: the text has no end"},
    {"a ~ /x", "character 5: the pattern has no closing /"},
    {"a ~ b", "character 5: expected a /pattern/ or a text, not 'b'"},
    {"a = /x/", "character 5: a /pattern/ has to follow ~"},
    {"a ~ /(/", "'('"},
    {"a # b", "character 3: unknown sign"},
    {"7", "the end, character 2: expected a comparison"},
    {"a..b = 1", "character 1: a field's name is missing beside a dot"},
    {"frame < 'x'", "character 7: expected =, !=, ~ or !~ after 'frame', not '<'"},
    {"'x' = frame", "'frame' stands on the left"},
};
// clang-format on

static void error_names_place(void **state)
{
    const struct row *t = *state;
    struct jfr_error err = {0};

    assert_null(where_new(t->text, NULL, &err));
    assert_int_equal(err.code, JFR_E_FORMAT);
    if (strstr(err.text, t->want) == NULL)
        fail_msg("%s", err.text);
}

static void limits(void **state)
{
    static char text[WHERE_TEXT_MAX + 100];
    struct jfr_error err = {0};

    (void)state;
    memset(text, '(', sizeof(text) - 1);
    assert_null(where_new(text, NULL, &err));
    assert_non_null(strstr(err.text, "longer than"));
    text[500] = '\0';
    err = (struct jfr_error){0};
    assert_null(where_new(text, NULL, &err));
    assert_non_null(strstr(err.text, "too many parentheses"));
    for (int i = 0; i < 70; i++)
        sprintf(text + (size_t)i * 8, "f%02d or  ", i);
    strcpy(text + 70 * 8, "x");
    err = (struct jfr_error){0};
    assert_null(where_new(text, NULL, &err));
    assert_non_null(strstr(err.text, "too many fields"));
    for (int i = 0; i < 300; i++)
        memcpy(text + (size_t)i * 5, "x or ", 5);
    strcpy(text + 1500, "x");
    err = (struct jfr_error){0};
    assert_null(where_new(text, NULL, &err));
    assert_non_null(strstr(err.text, "too many conditions"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(limits)};
    int failed = 0;

    failed += run_rows("where", rows, evaluation);
    failed += run_rows("where: malformed", wrong, error_names_place);
    return failed + cmocka_run_group_tests_name("where: limits", tests, NULL, NULL);
}
