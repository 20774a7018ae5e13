#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows end early */
#include "jfrfmt/test/testing.h"

#include "convert/select/select.h"
#include "convert/test/testing_chunk.h"

#include <stdlib.h>

enum {
    THREAD = 22,
    STATE = 25,
    SAMPLE = 100,
    WAIT,
    BARE
};

/* Events are told apart by a letter; times are seconds since the chunk's start. */
static const struct made_class classes[] = {
    {"java.lang.Thread", THREAD,
     .fields = {{"osName", MADE_STRING},
                {"osThreadId", MADE_LONG},
                {"javaName", MADE_STRING},
                {"javaThreadId", MADE_LONG}}},
    {"jdk.types.ThreadState", STATE, MADE_SIMPLE, .fields = {{"name", MADE_STRING}}},
    {"jdk.Sample", SAMPLE, .super = "jdk.jfr.Event", .category = "Profiling",
     .fields = {{"startTime", MADE_LONG},
                {"letter", MADE_CHAR},
                {"sampledThread", THREAD, MADE_POOLED},
                {"state", STATE, MADE_POOLED}}},
    {"my.Wait", WAIT, .super = "jdk.jfr.Event", .category = "Own Things",
     .fields = {{"startTime", MADE_LONG},
                {"letter", MADE_CHAR},
                {"duration", MADE_LONG},
                {"eventThread", THREAD, MADE_POOLED}}},
    {"my.Bare", BARE, .super = "jdk.jfr.Event",
     .fields = {{"startTime", MADE_LONG}, {"letter", MADE_CHAR}}},
};

#define SECOND INT64_C(1000000000)

static void put_event(struct made *m, int type, int64_t second, char letter, int64_t third,
                      int64_t fourth)
{
    struct buf *b = made_event(m);

    buf_varint(b, (uint64_t)(second * SECOND + 1000));
    buf_varint(b, (uint64_t)letter);
    buf_varint(b, (uint64_t)third);
    buf_varint(b, (uint64_t)fourth);
    made_done(m, (uint64_t)type);
}

static void put_thread(struct buf *b, uint64_t key, const char *os, uint64_t os_id,
                       const char *java, uint64_t java_id)
{
    buf_varint(b, key);
    made_string(b, os);
    buf_varint(b, os_id);
    if (java == NULL)
        buf_byte(b, 0);
    else
        made_string(b, java);
    buf_varint(b, java_id);
}

/* a..d are samples, e and f waits, g has nothing but a time. */
static void make_file(struct made *m)
{
    struct buf *b;

    made_begin(m, classes, sizeof(classes) / sizeof(classes[0]));
    put_event(m, SAMPLE, 0, 'a', 1, 1);
    put_event(m, SAMPLE, 2, 'b', 2, 2);
    put_event(m, SAMPLE, 4, 'c', 3, 3);
    put_event(m, SAMPLE, 6, 'd', 9, 9);
    put_event(m, WAIT, 1, 'e', 3 * SECOND, 1);
    put_event(m, WAIT, 8, 'f', SECOND / 50, 2);
    put_event(m, BARE, 5, 'g', 0, 0);
    b = made_pool(m, THREAD, 3);
    put_thread(b, 1, "main", 100, "main", 1);
    put_thread(b, 2, "pool", 101, "http-1", 30);
    put_thread(b, 3, "GC Thread#0", 30, NULL, 0);
    b = made_pool(m, STATE, 3);
    buf_byte(b, 1);
    made_string(b, "STATE_RUNNABLE");
    buf_byte(b, 2);
    made_string(b, "STATE_PARKED_TIMED");
    buf_byte(b, 3);
    made_string(b, "STATE_BLOCKED_ON_MONITOR_ENTER");
    made_end(m);
}

struct row {
    const char *name;
    const char *events, *categories, *thread, *not_thread, *state, *from, *to, *zone, *min_duration;
    const char *want;
};

// clang-format off
static const struct row rows[] = {
    {"nothing is asked for", .want = "abcdefg"},
    {"simple name", "Sample", .want = "abcd"},
    {"qualified name", "my.Wait", .want = "ef"},
    {"names are matched as a whole", "Samp", .want = ""},
    {"case counts", "sample", .want = ""},
    {"glob on the simple name", "S*", .want = "abcd"},
    {"glob on the qualified name", "my.*", .want = "efg"},
    {"list with blanks and empty items", " Sample ,, my.Bare,", .want = "abcdg"},
    {"regular expression with a comma", "/^my\\.[BW]a{1,2}/,x", .want = "efg"},
    {"category", .categories = "Own Things", .want = "ef"},
    {"event of a category", "my.*", "Own*", .want = "ef"},
    {"thread by name", .thread = "main", .want = "ae"},
    {"thread by Java name", .thread = "http-?", .want = "bf"},
    {"thread by the name the system knows", .thread = "GC*", .want = "c"},
    {"thread by regular expression", .thread = "/^(main|http)/", .want = "abef"},
    {"thread by id", .thread = "tid:101", .want = "bf"},
    {"a number is any thread's id", .thread = "30", .want = "bcf"},
    {"not this thread", .not_thread = "main", .want = "bcdfg"},
    {"one thread but not the other", .thread = "*", .not_thread = "GC*", .want = "abef"},
    {"state", .state = "STATE_RUNNABLE", .want = "a"},
    {"state in short, in any case", .state = "Runnable", .want = "a"},
    {"parked for a time is parked", .state = "parked", .want = "b"},
    {"states", .state = "runnable,blocked", .want = "ac"},
    {"at least so long", .min_duration = "20ms", .want = "ef"},
    {"longer", .min_duration = "21ms", .want = "e"},
    {"from an instant on, what has not ended", .from = "2023-11-14T22:13:24Z", .want = "cdefg"},
    {"before an instant", .to = "2023-11-14T22:13:22Z", .want = "ae"},
    {"from the start", .from = "5s", .want = "dfg"},
    {"from the end", .from = "-3s", .want = "f"},
    {"shares", .from = "20%", .to = "50%", .want = "bce"},
    {"clock", .from = "22:13:26", .want = "df"},
    {"clock of a zone", .from = "23:43:26", .zone = "+01:30", .want = "df"},
    {"instant of a zone", .to = "2023-11-14 20:13:22", .zone = "-02:00", .want = "ae"},
    {"its own zone counts", .to = "2023-11-14T22:13:22Z", .zone = "-02:00", .want = "ae"},
    {"options limit one another", "Sample", .thread = "main", .state = "blocked", .want = ""},
};
// clang-format on

static struct select_list list(const char *const *item)
{
    return (struct select_list){item, *item != NULL};
}

static struct select *new_select(const struct row *t, struct jfr_error *err)
{
    struct select_spec spec = {.events = list(&t->events),
                               .categories = list(&t->categories),
                               .threads = list(&t->thread),
                               .not_threads = list(&t->not_thread),
                               .states = list(&t->state),
                               .from = t->from,
                               .to = t->to,
                               .zone = t->zone,
                               .min_duration = t->min_duration};

    return select_new(&spec, err);
}

/* The letter of an event, by a plan that has select's fields first. */
static char letter_of(struct select_run *r, struct jfr_chunk *chunk, const struct jfr_event *ev,
                      bool *counts)
{
    union jfr_value v[SELECT_SLOTS + 1];
    const char *paths[SELECT_SLOTS + 1];
    const struct jfr_plan *plan;

    memcpy(paths, select_paths(r, ev->type), SELECT_SLOTS * sizeof(*paths));
    paths[SELECT_SLOTS] = "letter";
    plan = jfr_plan_new(chunk, ev->type, paths, SELECT_SLOTS + 1);
    assert_non_null(plan);
    assert_int_equal(jfr_plan_run(plan, ev->body, v, NULL), 0);
    *counts = select_class(r, ev->type) != SELECT_NEVER && select_values(r, ev, v);
    return (char)v[SELECT_SLOTS].i;
}

static void read_letters(struct select *s, const char *path, char *letters)
{
    struct jfr_error err = {0};
    struct jfr_reader *reader = jfr_reader_open(path, &err);
    struct select_run *r = select_run_new(s);
    struct jfr_event ev;
    bool is_loaded = false, counts;

    assert_non_null(reader);
    while (jfr_reader_next(reader, &ev) > 0) {
        struct jfr_chunk *chunk = jfr_reader_chunk(reader);
        char letter;

        if (!is_loaded)
            assert_int_equal(select_run_load(r, chunk), 0);
        is_loaded = true;
        letter = letter_of(r, chunk, &ev, &counts);
        assert_int_equal(select_event(r, &ev), counts);
        if (counts)
            *letters++ = letter;
    }
    *letters = '\0';
    select_run_free(r);
    jfr_reader_close(reader);
}

static void write_file(char *path)
{
    struct made m = {0};
    int fd = mkstemp(path);

    make_file(&m);
    assert_int_equal(write(fd, m.file.p, m.file.n), m.file.n);
    close(fd);
    made_free(&m);
}

static void selection(void **state)
{
    const struct row *t = *state;
    char path[] = "/tmp/select_test.XXXXXX", letters[10];
    const char *paths[] = {path}, *err_path = NULL;
    struct jfr_error err = {0};
    struct select *s = new_select(t, &err);

    assert_non_null(s);
    write_file(path);
    assert_int_equal(select_resolve(s, paths, 1, &err, &err_path), 0);
    assert_false(select_is_serial(s));
    read_letters(s, path, letters);
    unlink(path);
    assert_string_equal(letters, t->want);
    select_free(s);
}

/* Inputs that cannot be looked at in advance. */

static void start_of_a_stream_is_awaited(void **state)
{
    const struct row t = {.from = "5s"};
    char path[] = "/tmp/select_test.XXXXXX", letters[10];
    struct jfr_error err = {0};
    struct select *s = new_select(&t, &err);
    const char *err_path = NULL;

    (void)state;
    write_file(path);
    assert_int_equal(select_resolve(s, NULL, 0, &err, &err_path), 0);
    assert_true(select_is_serial(s));
    read_letters(s, path, letters);
    unlink(path);
    assert_string_equal(letters, "dfg");
    select_free(s);
}

static void end_of_a_stream_is_refused(void **state)
{
    static const char *const words[] = {"-5s", "50%"}, *const paths[] = {"-", "/dev/null"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct row t = {.to = words[i]};
        struct jfr_error err = {0};
        struct select *s = new_select(&t, &err);
        const char *err_path = NULL;
        assert_int_equal(select_resolve(s, &paths[i], 1, &err, &err_path), JFR_E_UNSUPPORTED);
        assert_non_null(strstr(err.text, "plain files"));
        select_free(s);
    }
}

/* It is no stream, whatever is asked of it. */
static void missing_file_is_told_by_its_name(void **state)
{
    static const char *const paths[] = {"/tmp/select_test.none"}, *const keys[] = {"user"};
    static const struct select_spec specs[] = {
        {.to = "-5s"},
        {.keys = {keys, 1}},
        {.keys = {keys, 1}, .contexts_from = {paths, 1}},
    };

    (void)state;
    assert_true(select_can_look_ahead(paths, 1));
    for (int i = 0; i < 3; i++) {
        struct jfr_error err = {0};
        struct select *s = select_new(&specs[i], &err);
        const char *err_path = NULL;

        assert_non_null(s);
        assert_int_equal(select_resolve(s, paths, 1, &err, &err_path), JFR_E_IO);
        assert_string_equal(err_path, paths[0]);
        select_free(s);
    }
}

/* Contexts of other files need inputs that can be read twice; those of the inputs do without. */
static void contexts_of_a_stream(void **state)
{
    static const char *const stream[] = {"-"}, *const file[] = {"/tmp/select_test.none"};
    static const char *const keys[] = {"user"};
    static const struct {
        const char *const *from, *const *path;
        int want;
    } uses[] = {
        {NULL, stream, 0}, {file, stream, JFR_E_UNSUPPORTED}, {stream, file, JFR_E_UNSUPPORTED}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct select_spec spec = {.keys = {keys, 1},
                                         .contexts_from = {uses[i].from, uses[i].from != NULL}};
        struct jfr_error err = {0};
        struct select *s = select_new(&spec, &err);
        const char *err_path = NULL;

        assert_non_null(s);
        assert_int_equal(select_resolve(s, uses[i].path, 1, &err, &err_path), uses[i].want);
        select_free(s);
    }
}

/* Nobody else would tell. */
static void contexts_of_no_recording_are_refused(void **state)
{
    static const char *const keys[] = {"user"};
    char input[] = "/tmp/select_test.XXXXXX", path[] = "/tmp/select_test.XXXXXX";
    const char *const inputs[] = {input}, *const paths[] = {path};
    const struct select_spec spec = {.keys = {keys, 1}, .contexts_from = {paths, 1}};
    struct jfr_error err = {0};
    struct select *s = select_new(&spec, &err);
    const char *err_path = NULL;
    int fd = mkstemp(path);

    (void)state;
    assert_non_null(s);
    write_file(input);
    assert_int_equal(write(fd, "no recording", 12), 12);
    close(fd);
    assert_true(select_resolve(s, inputs, 1, &err, &err_path) < 0);
    assert_string_equal(err_path, path);
    select_free(s);
    unlink(input);
    unlink(path);
}

static const struct row wrong[] = {
    {"thread id without a number", .thread = "tid:x", .want = "tid:x"},
    {"broken regular expression", "/(/", .want = "("},
    {"duration without a unit", .min_duration = "20", .want = "20"},
    {"time that is none", .from = "noon", .want = "noon"},
};

static void wrong_word_is_named(void **state)
{
    const struct row *t = *state;
    struct jfr_error err = {0};

    assert_null(new_select(t, &err));
    assert_int_equal(err.code, JFR_E_FORMAT);
    assert_non_null(strstr(err.text, t->want));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_of_a_stream_is_awaited),
        cmocka_unit_test(end_of_a_stream_is_refused),
        cmocka_unit_test(missing_file_is_told_by_its_name),
        cmocka_unit_test(contexts_of_a_stream),
        cmocka_unit_test(contexts_of_no_recording_are_refused),
    };
    int failed = run_rows("select", rows, selection);

    failed += run_rows("select: wrong words", wrong, wrong_word_is_named);
    return failed + cmocka_run_group_tests_name("select: streams", tests, NULL, NULL);
}
