/* Parts of a scope that stays open over the ends of chunks: each begins where the one before it
 * ended, and earlier when its chunk has an event from before for which a reader looks it up. */
#include "recorder/context_fields.h"

#include "jfrfmt/reader.h"
#include "recorder/context.h"
#include "recorder/context_values.h"
#include "recorder/emit.h"
#include "recorder/engine_testing.h"
#include "recorder/jvm_testing.h"

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

static void begin(void)
{
    static const struct rec_options options = {.context = "app:user"};
    struct jdk_type_plan plans[EV_N] = {0};
    uint32_t alice;

    assert_int_equal(engine_init(NULL), 0);
    engine_begin("+jfrkit.App#emit=always", NULL);
    jvm_use(&engine_r);
    engine_r.options = &options;
    context_plan(&options, engine_settings, plans);
    assert_int_equal(engine_context.open(&engine_r), 0);
    assert_int_equal(engine_context.start(&engine_r), 0);
    alice = values_intern("alice", 5);
    token = context_open(1, &alice, 1);
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
};

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
            i++;
        }
    assert_int_equal(rc, 0);
    assert_int_equal(i, n);
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

int main(void)
{
    return run_rows("where the part of a scope begins that stays open", rows, part_begins);
}
