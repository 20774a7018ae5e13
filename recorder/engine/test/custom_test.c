/* Events of types that the recording cannot have are counted, not only warned of. There is no VM:
 * events come as from C, on a thread without Java. */
#include "recorder/custom/event.h"
#include "recorder/custom/types.h"
#include "recorder/engine/engines.h"
#include "recorder/test/engine_testing.h"
#include "recorder/test/jvm_testing.h"
#include "recorder/capture/lost.h"

#define JFRKIT_EVENT_INSIDE
#include "recorder/api/jfrkit_event.h"

static void begin(void)
{
    engine_begin(NULL);
    engine_r.env = &jvm_env;
}

/* Both events of a type are seen before and after its settings were looked up. */
static void commit_both(int type)
{
    for (int64_t duration = 1; duration <= 1000; duration += 999)
        custom_commit(&(struct custom_event){.type = type, .began = 1, .duration = duration});
    engine_drain(&engine_custom);
}

static const struct jfr_field_def other = {"other", "long"};
static const struct jfr_type_def taken = {
    .name = "acme.Taken", .kind = JFR_TYPE_EVENT, .fields = &other, .n_fields = 1};

static void events_that_the_writer_takes_no_type_for_are_lost(void **state)
{
    int refused = custom_define(&(struct jk_event_type){.name = "acme.Taken", .threshold_ns = 500});
    int fine = custom_define(&(struct jk_event_type){.name = "acme.Fine", .threshold_ns = 500});
    uint64_t before = lost_count(LOST_TYPES);

    (void)state;
    assert_true(refused > 0 && fine > 0);
    begin();
    assert_true(jfr_writer_declare(engine_r.writer, &taken, 1) > 0);
    assert_int_equal(engine_custom.open(&engine_r), 0);
    assert_int_equal(engine_custom.start(&engine_r), 0);
    commit_both(fine);
    assert_int_equal(lost_count(LOST_TYPES), before);
    commit_both(refused);
    assert_int_equal(lost_count(LOST_TYPES) - before, 1); /* the other one is too short */
    assert_int_equal(engine_finish(&engine_custom), 1);
}

/* A type that appears while the recording runs. */
static void events_of_a_type_that_is_new_are_lost_as_well(void **state)
{
    uint64_t before = lost_count(LOST_TYPES);
    int late;

    (void)state;
    begin();
    assert_true(jfr_writer_declare(engine_r.writer,
                                   &(struct jfr_type_def){.name = "acme.Late",
                                                          .kind = JFR_TYPE_EVENT,
                                                          .fields = &other,
                                                          .n_fields = 1},
                                   1) > 0);
    assert_int_equal(engine_custom.open(&engine_r), 0);
    assert_int_equal(engine_custom.start(&engine_r), 0);
    late = custom_define(&(struct jk_event_type){.name = "acme.Late", .threshold_ns = 500});
    commit_both(late);
    commit_both(late);
    assert_int_equal(lost_count(LOST_TYPES) - before, 2);
    assert_int_equal(engine_finish(&engine_custom), 0);
}

/* A program that ends before anybody has looked at its types. */
static void events_just_before_the_end_are_written(void **state)
{
    struct custom_event event = {.began = 1, .duration = 1000};

    (void)state;
    begin();
    assert_int_equal(engine_custom.open(&engine_r), 0);
    assert_int_equal(engine_custom.start(&engine_r), 0);
    event.type = custom_define(&(struct jk_event_type){.name = "acme.Short", .threshold_ns = 500});
    assert_true(event.type > 0);
    custom_commit(&event);
    event.duration = 1; /* too short */
    custom_commit(&event);
    engine_custom.stop(&engine_r);
    engine_drain(&engine_custom);
    assert_true(custom_thresholds[event.type] == CUSTOM_OFF);
    assert_int_equal(engine_finish(&engine_custom), 1);
}

/* Others are not on yet: its context would be missing. */
static void nothing_is_recorded_before_the_start(void **state)
{
    struct custom_event event = {.began = 1, .duration = 1000};

    (void)state;
    event.type = custom_define(&(struct jk_event_type){.name = "acme.Early"});
    begin();
    assert_int_equal(engine_custom.open(&engine_r), 0);
    assert_int_equal(custom_commit(&event), JK_NOT_WANTED);
    assert_int_equal(engine_custom.start(&engine_r), 0);
    assert_int_equal(custom_commit(&event), JK_RECORDED);
    assert_int_equal(engine_finish(&engine_custom), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_recorded_before_the_start),
        cmocka_unit_test(events_just_before_the_end_are_written),
        cmocka_unit_test(events_that_the_writer_takes_no_type_for_are_lost),
        cmocka_unit_test(events_of_a_type_that_is_new_are_lost_as_well),
    };

    return cmocka_run_group_tests(tests, engine_init, engine_clean_up);
}
