/* Parts of a scope that stays open over the ends of chunks: each begins where the one before it
 * ended, and earlier when its chunk has an event from before for which a reader looks it up. */
#include "recorder/context/fields.h"

#include "jfrfmt/read/reader.h"
#include "recorder/context/context.h"
#include "recorder/context/values.h"
#include "recorder/capture/emit.h"
#include "recorder/test/engine_testing.h"
#include "recorder/test/jvm_testing.h"

#include <stdlib.h>
#include <time.h>

#define OWN EV_N /* an event type of an engine's own */

struct row {
    const char *name;
    int event, n_keys; /* that its fields are */
    bool is_looked_up;
};

static const struct row rows[] = {
    {"an event", EV_THREAD_END, 2, true},
    {"an event of the program's own", OWN, 1, true},
    {"a sample of CPU time", EV_EXECUTION_SAMPLE, 3, false},
    {"a sample of wall-clock time", EV_WALL_CLOCK_SAMPLE, 3, false},
};

static const struct jfr_type_def own = {
    .name = "test.Own", .kind = JFR_TYPE_EVENT, .flags = JFR_HAS_THREAD};
static int64_t token;

static void begin_with(const char *setting)
{
    static const struct rec_options options = {.context = "app:user"};

    assert_int_equal(engine_init(NULL), 0);
    engine_begin("+jfrkit.App#emit=always", setting, NULL);
    jvm_use(&engine_r);
    engine_r.options = &options;
    context_plan(&options, engine_settings);
    assert_int_equal(engine_context.open(&engine_r), 0);
    assert_int_equal(engine_context.start(&engine_r), 0);
}

static void begin(void)
{
    begin_with(NULL);
}

static void open_for(const char *user)
{
    uint32_t id = values_intern(user, strlen(user));

    token = context_open(1, &id, 1);
    assert_true(token > 0);
}

/* A chunk ends. */
static void end_chunk(void)
{
    engine_context.ongoing(&engine_r);
    assert_int_equal(jfr_writer_flush(engine_r.writer, 0), 0);
}

/* An event in the scope that was over at `end` comes out of the ring. */
static void event_comes(const struct row *t, int64_t end)
{
    struct jfr_writer *w = engine_r.writer;
    struct {
        struct record record;
        uint32_t context[RECORD_CONTEXT];
    } whole = {{.flags = RECORD_HAS_CONTEXT, .ticks = end - 10, .duration = 10}};

    assert_true(context_read(whole.context));
    jfr_event_begin(w, t->event == OWN ? jfr_writer_declare(w, &own, 1) : engine_types[t->event],
                    end - 10);
    for (int i = 0; i < t->n_keys; i++)
        jfr_put_key(w, 0);
    if (t->event == EV_WALL_CLOCK_SAMPLE) {
        jfr_put_int(w, 1);
        jfr_put_long(w, 10);
    }
    if (t->event == OWN)
        context_own_end(&engine_r, false, &whole.record);
    else
        context_event_end(&engine_r, (enum event)t->event, &whole.record);
}

struct part {
    int64_t start, end;
    bool is_continuation;
};

static int by_start(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static void read_parts(struct part *parts, int n)
{
    struct jfr_error err = {0};
    struct jfr_reader *r = jfr_reader_open(engine_file, &err);
    struct jfr_event ev;
    int rc, i = 0;

    assert_non_null(r);
    while ((rc = jfr_reader_next(r, &ev)) > 0)
        if (ev.type != NULL && strcmp(ev.type->name, "jfrkit.App") == 0 && i < n) {
            parts[i].start = (int64_t)cur_varint(&ev.body);
            parts[i].end = parts[i].start + (int64_t)cur_varint(&ev.body);
            parts[i].is_continuation = ev.body.end[-1] != 0;
            i++;
        }
    assert_int_equal(rc, 0);
    assert_int_equal(i, n);
    qsort(parts, (size_t)n, sizeof(*parts), by_start);
    jfr_reader_close(r);
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void part_begins(void **state)
{
    const struct row *t = *state;
    struct part parts[3];
    int64_t end;

    begin();
    open_for("alice");
    wait_a_little();
    end = emit_now();
    wait_a_little();
    end_chunk();
    event_comes(t, end);
    end_chunk();
    wait_a_little();
    context_close(token); /* which comes out of the ring when the recording has ended */
    engine_finish(&engine_context);
    read_parts(parts, 3);
    assert_true(parts[0].start < end && end < parts[0].end);
    assert_int_equal(parts[1].start, t->is_looked_up ? end : parts[0].end);
    assert_int_equal(parts[2].start, parts[1].end);
    assert_true(parts[2].end > parts[2].start);
    assert_int_equal(engine_clean_up(NULL), 0);
}

static void look_ahead(struct record *rec, void *arg)
{
    (void)arg;
    if (rec->engine == engine_context.id)
        engine_context.ahead(&engine_r, rec);
}

/* It ends after the rings were drained and before the open scopes are written. */
static void a_scope_that_ends_before_the_chunk_has_its_part(void **state)
{
    struct part parts[2];
    int64_t outer;

    (void)state;
    begin();
    open_for("alice");
    outer = token;
    open_for("bob");
    engine_drain(&engine_context);
    context_close(outer);
    engine_context.ongoing(&engine_r);
    capture_look(look_ahead, NULL);
    assert_int_equal(jfr_writer_flush(engine_r.writer, 0), 0);
    read_parts(parts, 2); /* now, and not again when they come out of the ring */
    assert_true(parts[0].start < parts[1].start && parts[1].end <= parts[0].end);
    assert_int_equal(engine_finish(&engine_context), 2);
    assert_int_equal(engine_clean_up(NULL), 0);
}

static bool (*report_end)(const struct context_scope *scope, int64_t end);

/* The thread loses the processor after it reported the end of a scope or part, for a whole pass of
 * the drain thread that ends a chunk. */
static bool report_end_and_drain(const struct context_scope *scope, int64_t end)
{
    bool is_wanted = report_end(scope, end);

    engine_drain(&engine_context);
    end_chunk();
    return is_wanted;
}

static void a_scope_that_is_closing_is_written_once(void **state)
{
    struct part parts[2];
    uint32_t bob;

    (void)state;
    begin();
    report_end = context_ended;
    context_ended = report_end_and_drain;
    open_for("alice");
    wait_a_little();
    bob = values_intern("bob", 3);
    context_set_all(1, &bob, 1);
    wait_a_little();
    context_close(token);
    engine_finish(&engine_context);
    read_parts(parts, 2);
    assert_true(!parts[0].is_continuation && parts[1].is_continuation);
    assert_int_equal(parts[0].end, parts[1].start);
    assert_int_equal(engine_clean_up(NULL), 0);
}

/* Its first part in a recording is no continuation, although an earlier recording has parts of it.
 */
static void a_request_continues_in_the_next_recording(void **state)
{
    uint32_t values[2];
    struct part parts[2];

    (void)state;
    begin();
    open_for("alice");
    values[0] = values_intern("bob", 3);
    values[1] = values_intern("carol", 5);
    context_set_all(1, &values[0], 1);
    assert_int_equal(engine_finish(&engine_context), 2);
    read_parts(parts, 2);
    assert_true(!parts[0].is_continuation && parts[1].is_continuation);
    begin();
    context_set_all(1, &values[1], 1);
    context_close(token);
    assert_int_equal(engine_finish(&engine_context), 2);
    read_parts(parts, 2);
    assert_true(!parts[0].is_continuation && parts[1].is_continuation);
    assert_int_equal(engine_clean_up(NULL), 0);
}

/* A record may have values of a context that was defined a moment ago. */
static void a_type_is_defined_before_a_record(void **state)
{
    struct jfr_writer *w;
    struct {
        struct record record;
        uint32_t context[RECORD_CONTEXT];
    } whole = {{.flags = RECORD_HAS_CONTEXT, .ticks = emit_now()}};
    int64_t id;

    (void)state;
    begin_with("jdk.ActiveSetting#enabled=true");
    w = engine_r.writer;
    id = jfr_writer_declare(w, &own, 1);
    assert_true(context_adopt(&engine_r, id));
    open_for("alice");
    assert_true(context_read(whole.context));
    assert_true(context_define("late", (const char *const[]){"user"}, 1) > 0);
    context_look(&engine_r);
    jfr_event_begin(w, id, whole.record.ticks);
    jfr_put_key(w, 0);
    context_own_end(&engine_r, true, &whole.record);
    context_close(token);
    assert_int_equal(engine_finish(&engine_context), 1 + 1 + 2 * 2); /* it, the scope, settings */
    assert_int_equal(engine_clean_up(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest ends[] = {
        cmocka_unit_test(a_scope_that_ends_before_the_chunk_has_its_part),
        cmocka_unit_test(a_scope_that_is_closing_is_written_once),
        cmocka_unit_test(a_request_continues_in_the_next_recording),
        cmocka_unit_test(a_type_is_defined_before_a_record),
    };

    return run_rows("where the part of a scope begins that stays open", rows, part_begins) +
           cmocka_run_group_tests_name("scopes and the ends of recordings", ends, NULL, NULL);
}
