/* The start of a thread and the word of the thread that started it are one event. There is no VM:
 * the records are what the callbacks hand over. */
#include "recorder/engine/engines.h"

#include "jfrfmt/jfr.h"
#include "recorder/capture/emit.h"
#include "recorder/test/engine_testing.h"
#include "recorder/test/jvm_testing.h"

#define SECOND INT64_C(1000000000)

enum kind { /* as in the engine */
    PARENT,
    START
};

static void begin(void)
{
    engine_begin("jdk.ThreadEnd#enabled=true", NULL);
    jvm_use(&engine_r);
    assert_int_equal(engine_threads.start(&engine_r), 0);
}

static void tell(enum kind kind, int64_t id, int64_t ticks)
{
    assert_true(emit(&(struct emit){.engine = &engine_threads,
                                    .kind = (uint8_t)kind,
                                    .ticks = ticks,
                                    .data = &id,
                                    .n_data = sizeof(id)}));
}

/* As the drain thread does, at a moment. */
static void drain(int64_t now)
{
    engine_r.drained_ticks = now;
    engine_drain(&engine_threads);
    engine_threads.tick(&engine_r, now);
}

/* Starts in the file whose parent is said. */
static unsigned n_parents(void)
{
    static const char *const want[] = {"parentThread"};
    struct jfr_error err = {0};
    struct jfr_reader *reader = jfr_reader_open(engine_file, &err);
    struct jfr_event ev;
    union jfr_value parent;
    unsigned n = 0;

    assert_non_null(reader);
    while (jfr_reader_next(reader, &ev) == 1)
        if (ev.type != NULL && strcmp(ev.type->name, "jdk.ThreadStart") == 0) {
            const struct jfr_plan *plan =
                jfr_plan_shared(jfr_reader_chunk(reader), ev.type, want, 1);

            assert_int_equal(jfr_plan_run(plan, ev.body, &parent, NULL), 0);
            n += parent.key != 0;
        }
    jfr_reader_close(reader);
    return n;
}

struct row {
    const char *name;
    int64_t late; /* the thread begins so much later than it was started, ns */
    unsigned others; /* starts that failed meanwhile */
    bool forgets; /* the file forgot its constants in between */
    unsigned parents; /* 1: the parent is said */
};

static const struct row rows[] = {
    {"at once", SECOND / 1000, 0, false, 1},
    {"on a busy machine", 2 * SECOND, 0, false, 1},
    {"beside starts that fail", 2 * SECOND, 100, false, 1},
    {"beside too many of them", 2 * SECOND, 2000, false, 0},
    {"much later", 20 * SECOND, 0, false, 0},
    {"after constants were forgotten", 2 * SECOND, 0, true, 0},
};

static void a_start_has_a_parent(void **state)
{
    const struct row *t = *state;
    int64_t now = jfr_writer_now();

    begin();
    tell(PARENT, 1, now);
    for (unsigned i = 0; i < t->others; i++)
        tell(PARENT, 2 + i, now);
    drain(now + t->late / 2);
    engine_r.constants_epoch += t->forgets;
    drain(now + t->late - 1);
    tell(START, 1, now + t->late);
    drain(now + t->late + SECOND);
    assert_int_equal(engine_finish(&engine_threads), 1);
    assert_int_equal(n_parents(), t->parents);
}

int main(void)
{
    int failed = engine_init(NULL);

    failed += run_rows("a start has a parent", rows, a_start_has_a_parent);
    return failed + engine_clean_up(NULL);
}
