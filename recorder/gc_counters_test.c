/* What a block of counters says of the heap and its collectors. */
#include "recorder/gc_counters.h"

#include "jfrfmt/testing.h"
#include "recorder/perfdata.h"

static _Alignas(8) uint8_t block[8192];
static size_t block_n;
static int32_t n_entries;

static void put32(size_t at, int32_t v)
{
    memcpy(block + at, &v, 4);
}

static void entry(const char *name, char type, int32_t vector_n, const void *data, size_t n)
{
    size_t name_n = strlen(name) + 1, data_at = (20 + name_n + 7) / 8 * 8;
    size_t length = (data_at + n + 7) / 8 * 8;

    put32(block_n, (int32_t)length);
    put32(block_n + 4, 20);
    put32(block_n + 8, vector_n);
    block[block_n + 12] = (uint8_t)type;
    put32(block_n + 16, (int32_t)data_at);
    memcpy(block + block_n + 20, name, name_n);
    memcpy(block + block_n + data_at, data, n);
    block_n += length;
    put32(28, ++n_entries);
}

static void number(const char *name, int64_t v)
{
    entry(name, 'J', 0, &v, 8);
}

static void text(const char *name, const char *v)
{
    char room[40] = "";

    strcpy(room, v);
    entry(name, 'B', sizeof(room), room, sizeof(room));
}

static int begin(void **state)
{
    static const uint8_t head[4] = {0xca, 0xfe, 0xc0, 0xc0};

    (void)state;
    memset(block, 0, sizeof(block));
    memcpy(block, head, sizeof(head));
    block[4] = *(const uint8_t *)&(const uint16_t){1};
    block[5] = 2;
    put32(24, 32);
    n_entries = 0;
    block_n = 32;
    return 0;
}

static void open_block(void)
{
    assert_true(perfdata_use(block, sizeof(block)));
}

static void the_heap_is_the_sum_of_its_spaces(void **state)
{
    struct gc_heap heap;

    (void)state;
    number("sun.gc.generation.0.capacity", 100);
    number("sun.gc.generation.0.maxCapacity", 500);
    number("sun.gc.generation.0.space.0.used", 10);
    number("sun.gc.generation.0.space.2.used", 5);
    number("sun.gc.generation.1.capacity", 200);
    number("sun.gc.generation.1.maxCapacity", 400);
    number("sun.gc.generation.1.space.0.used", 50);
    open_block();
    assert_true(gc_counters_open());
    assert_true(gc_counters_heap(&heap));
    assert_int_equal(heap.used, 65);
    assert_int_equal(heap.committed, 300);
    assert_int_equal(heap.reserved, 500);
}

static void the_collector_that_ran_last_is_named(void **state)
{
    char name[GC_COUNTERS_TEXT];

    (void)state;
    number("sun.gc.generation.0.capacity", 100);
    text("sun.gc.collector.0.name", "G1 young collection pauses");
    number("sun.gc.collector.0.lastEntryTime", 70);
    text("sun.gc.collector.1.name", "G1 full collection pauses");
    number("sun.gc.collector.1.lastEntryTime", 90);
    text("sun.gc.collector.2.name", "Something new");
    number("sun.gc.collector.2.lastEntryTime", 0);
    number("sun.gc.policy.tenuringThreshold", 15);
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
