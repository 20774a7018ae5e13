/* What a block of counters says of the heap and its collectors. */
#include "recorder/engine/gc_counters.h"

#include "jfrfmt/test/testing.h"
#include "recorder/base/perfdata.h"
#include "recorder/test/perfdata_testing.h"

static void text(const char *name, const char *v)
{
    char room[40] = "";

    strcpy(room, v);
    perfdata_put(name, 'B', sizeof(room), room, sizeof(room));
}

static int begin(void **state)
{
    (void)state;
    perfdata_begin();
    return 0;
}

static void open_block(void)
{
    assert_true(perfdata_use(perfdata_block, sizeof(perfdata_block)));
}

static void the_heap_is_the_sum_of_its_spaces(void **state)
{
    struct gc_heap heap;

    (void)state;
    perfdata_put_number("sun.gc.generation.0.capacity", 4096 + 8);
    perfdata_put_number("sun.gc.generation.0.maxCapacity", 5 * 4096 + 24);
    perfdata_put_number("sun.gc.generation.0.space.0.used", 10);
    perfdata_put_number("sun.gc.generation.0.space.2.used", 5);
    perfdata_put_number("sun.gc.generation.1.capacity", 2 * 4096 + 8);
    perfdata_put_number("sun.gc.generation.1.maxCapacity", 4 * 4096);
    perfdata_put_number("sun.gc.generation.1.space.0.used", 50);
    open_block();
    assert_true(gc_counters_open());
    assert_true(gc_counters_heap(&heap));
    assert_int_equal(heap.used, 65);
    assert_int_equal(heap.committed, 3 * 4096);
    assert_int_equal(heap.reserved, 5 * 4096);
}

static void the_collector_that_ran_last_is_named(void **state)
{
    char name[GC_COUNTERS_TEXT];

    (void)state;
    perfdata_put_number("sun.gc.generation.0.capacity", 100);
    text("sun.gc.collector.0.name", "G1 young collection pauses");
    perfdata_put_number("sun.gc.collector.0.lastEntryTime", 70);
    text("sun.gc.collector.1.name", "G1 full collection pauses");
    perfdata_put_number("sun.gc.collector.1.lastEntryTime", 90);
    text("sun.gc.collector.2.name", "Something new");
    perfdata_put_number("sun.gc.collector.2.lastEntryTime", 0);
    perfdata_put_number("sun.gc.policy.tenuringThreshold", 15);
    open_block();
    gc_counters_open();
    gc_counters_name(name);
    assert_string_equal(name, "G1Full");
    assert_int_equal(gc_counters_generation(name), GC_OLD);
    assert_int_equal(gc_counters_generation("G1New"), GC_YOUNG);
    assert_int_equal(gc_counters_generation("Something new"), GC_WHOLE);
    assert_int_equal(gc_counters_tenuring(), 15);
    *(int64_t *)(uintptr_t)perfdata_number("sun.gc.collector.2.lastEntryTime") = 100;
    gc_counters_name(name);
    assert_string_equal(name, "Something new");
}

static void the_cause_is_that_of_now_or_the_last(void **state)
{
    char cause[GC_COUNTERS_TEXT];
    size_t n;
    char *now;

    (void)state;
    text("sun.gc.cause", "No GC");
    text("sun.gc.lastCause", "Allocation Failure");
    open_block();
    gc_counters_open();
    gc_counters_cause(cause);
    assert_string_equal(cause, "Allocation Failure");
    now = (char *)(uintptr_t)perfdata_live_text("sun.gc.cause", &n);
    strcpy(now, "System.gc()");
    gc_counters_cause(cause);
    assert_string_equal(cause, "System.gc()");
}

static void without_counters_nothing_is_known(void **state)
{
    struct gc_heap heap;
    char cause[GC_COUNTERS_TEXT];

    (void)state;
    open_block();
    assert_false(gc_counters_open());
    assert_false(gc_counters_heap(&heap));
    gc_counters_cause(cause);
    assert_string_equal(cause, "");
    gc_counters_name(cause);
    assert_string_equal(cause, "");
    assert_int_equal(gc_counters_tenuring(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_heap_is_the_sum_of_its_spaces, begin),
        cmocka_unit_test_setup(the_collector_that_ran_last_is_named, begin),
        cmocka_unit_test_setup(the_cause_is_that_of_now_or_the_last, begin),
        cmocka_unit_test_setup(without_counters_nothing_is_known, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
