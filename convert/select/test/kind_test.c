/*
 * kind_test.c - tables of event types by producer: which kind their samples are of, their rank, and
 * which kind is the default.
 */
#include "convert/select/kind.h"

#include "jfrfmt/test/testing.h"

struct use_row {
    const char *name;
    const char *event; /* name of the class */
    enum kind kind;
    int rank;
    const char *fields; /* comma list: what the class has */
    const char *count, *bytes; /* wanted */
    bool skips_sleeping, needs_duration;
    enum kind_samples samples;
};

/* clang-format off */
static const struct use_row uses[] = {
    {"cpu_time_samples_win", "jdk.CPUTimeSample", KIND_CPU, 3, "", NULL, NULL, false, false},
    {"datadog_cpu_counts_its_weight", "datadog.ExecutionSample", KIND_CPU, 3, "weight", "weight", NULL, false, false},
    {"datadog_cpu_without_weight", "datadog.ExecutionSample", KIND_CPU, 3, "", NULL, NULL, false, false},
    {"execution_sample_is_cpu", "jdk.ExecutionSample", KIND_CPU, 2, "state", NULL, NULL, true, false},
    {"oracle_execution_sample", "com.oracle.jdk.ExecutionSample", KIND_CPU, 2, "state", NULL, NULL, true, false},
    {"wall_clock_stands_in_for_cpu", "profiler.WallClockSample", KIND_CPU, KIND_RANK_STANDIN, "samples", "samples", NULL, true, false},
    {"wall_clock", "profiler.WallClockSample", KIND_WALL, 3, "samples", "samples", NULL, false, false},
    {"old_wall_clock_has_no_count", "profiler.WallClockSample", KIND_WALL, 3, "", NULL, NULL, false, false},
    {"datadog_wall", "datadog.MethodSample", KIND_WALL, 3, "weight", "weight", NULL, false, false},
    {"datadog_wall_is_not_cpu", "datadog.MethodSample", KIND_CPU, 0, "weight", NULL, NULL, false, false},
    {"execution_sample_is_no_wall", "jdk.ExecutionSample", KIND_WALL, 0, "", NULL, NULL, false, false},
    {"execution_sample_of_all_threads", "jdk.ExecutionSample", KIND_WALL, 2, "", NULL, NULL, false, false, KIND_SAMPLES_WALL},
    {"wall_samples_stand_in_for_cpu", "jdk.ExecutionSample", KIND_CPU, KIND_RANK_STANDIN, "state", NULL, NULL, true, false, KIND_SAMPLES_WALL},
    {"both_in_one_type_wall", "jdk.ExecutionSample", KIND_WALL, 2, "", NULL, NULL, false, false, KIND_SAMPLES_BOTH},
    {"both_in_one_type_cpu", "jdk.ExecutionSample", KIND_CPU, 2, "state", NULL, NULL, true, false, KIND_SAMPLES_BOTH},
    {"datadog_samples_of_all_threads", "datadog.ExecutionSample", KIND_CPU, 3, "", NULL, NULL, false, false, KIND_SAMPLES_WALL},
    {"native_sample_is_no_wall", "jdk.NativeMethodSample", KIND_WALL, 0, "", NULL, NULL, false, false},
    {"native_sample", "jdk.NativeMethodSample", KIND_NATIVE, 3, "", NULL, NULL, false, false},
    {"native_sample_is_not_cpu", "jdk.NativeMethodSample", KIND_CPU, 0, "", NULL, NULL, false, false},
    {"malloc", "profiler.Malloc", KIND_NATIVE, 2, "size", NULL, "size", false, false},
    {"new_tlab", "jdk.ObjectAllocationInNewTLAB", KIND_ALLOC, 3, "tlabSize,allocationSize", NULL, "tlabSize", false, false},
    {"outside_tlab", "jdk.ObjectAllocationOutsideTLAB", KIND_ALLOC, 3, "allocationSize", NULL, "allocationSize", false, false},
    {"oracle_new_tlab", "com.oracle.jdk.ObjectAllocationInNewTLAB", KIND_ALLOC, 3, "tlabSize", NULL, "tlabSize", false, false},
    {"allocation_sample", "jdk.ObjectAllocationSample", KIND_ALLOC, 2, "weight", NULL, "weight", false, false},
    {"datadog_allocation", "datadog.ObjectSample", KIND_ALLOC, 2, "size,weight", NULL, "size", false, false},
    {"live_object", "profiler.LiveObject", KIND_LIVE, 2, "allocationSize", NULL, "allocationSize", false, false},
    {"old_object", "jdk.OldObjectSample", KIND_LIVE, 2, "objectSize", NULL, "objectSize", false, false},
    {"old_object_before_sizes", "jdk.OldObjectSample", KIND_LIVE, 2, "", NULL, NULL, false, false},
    {"datadog_live", "datadog.HeapLiveObject", KIND_LIVE, 2, "size", NULL, "size", false, false},
    {"monitor_enter", "jdk.JavaMonitorEnter", KIND_LOCK, 2, "duration", NULL, NULL, false, false},
    {"park", "jdk.ThreadPark", KIND_LOCK, 2, "duration", NULL, NULL, false, false},
    {"wait_is_no_lock", "jdk.JavaMonitorWait", KIND_LOCK, 0, "duration", NULL, NULL, false, false},
    {"file_read", "jdk.FileRead", KIND_IO, 2, "bytesRead", NULL, "bytesRead", false, false},
    {"file_write", "jdk.FileWrite", KIND_IO, 2, "bytesWritten", NULL, "bytesWritten", false, false},
    {"file_force", "jdk.FileForce", KIND_IO, 2, "metaData", NULL, NULL, false, false},
    {"socket_read", "jdk.SocketRead", KIND_IO, 2, "bytesRead", NULL, "bytesRead", false, false},
    {"socket_write", "jdk.SocketWrite", KIND_IO, 2, "bytesWritten", NULL, "bytesWritten", false, false},
    {"exceptions_hold_the_errors_too", "jdk.JavaExceptionThrow", KIND_EXCEPTION, 3, "", NULL, NULL, false, false},
    {"errors_alone", "jdk.JavaErrorThrow", KIND_EXCEPTION, 2, "", NULL, NULL, false, false},
    {"datadog_exception", "datadog.ExceptionSample", KIND_EXCEPTION, 3, "", NULL, NULL, false, false},
    {"latency_is_what_lasts", "my.Request", KIND_LATENCY, 2, "duration", NULL, NULL, false, true},
    {"latency_needs_a_duration", "my.Tick", KIND_LATENCY, 0, "", NULL, NULL, false, false},
    {"latency_keeps_the_bytes", "jdk.FileRead", KIND_LATENCY, 2, "duration,bytesRead", NULL, "bytesRead", false, true},
    {"all_takes_any", "my.Tick", KIND_ALL, 2, "", NULL, NULL, false, false},
    {"all_keeps_the_count", "profiler.WallClockSample", KIND_ALL, 2, "samples", "samples", NULL, false, false},
    {"all_keeps_sleepers", "jdk.ExecutionSample", KIND_ALL, 2, "state", NULL, NULL, false, false},
    {"own_event_is_no_cpu", "my.ExecutionSample", KIND_CPU, 0, "", NULL, NULL, false, false},
    {"longer_name_is_another", "jdk.ExecutionSampler", KIND_CPU, 0, "", NULL, NULL, false, false},
    {"prefix_is_another", "jdk.ExecutionSampl", KIND_CPU, 0, "", NULL, NULL, false, false},
    {"oracle_prefix_alone", "com.oracle.jdk.", KIND_CPU, 0, "", NULL, NULL, false, false},
    {"other_oracle_events", "com.oracle.jdk.profiler.Malloc", KIND_NATIVE, 0, "", NULL, NULL, false, false},
};

struct name_row {
    const char *name, *text;
    int kind;
};

static const struct name_row kinds[] = {
    {"cpu", "cpu", KIND_CPU}, {"wall", "wall", KIND_WALL}, {"alloc", "alloc", KIND_ALLOC},
    {"live", "live", KIND_LIVE}, {"lock", "lock", KIND_LOCK}, {"native", "native", KIND_NATIVE},
    {"io", "io", KIND_IO}, {"exception", "exception", KIND_EXCEPTION},
    {"latency", "latency", KIND_LATENCY}, {"all", "all", KIND_ALL},
    {"case_counts", "CPU", -1}, {"empty", "", -1}, {"half_a_name", "al", -1},
};

struct state_row {
    const char *name, *state;
    bool sleeps;
};

static const struct state_row states[] = {
    {"async_profiler_sleeping", "STATE_SLEEPING", true}, {"parked", "STATE_PARKED", true},
    {"parked_timed", "STATE_PARKED_TIMED", true}, {"waiting", "STATE_IN_OBJECT_WAIT", true},
    {"waiting_timed", "STATE_IN_OBJECT_WAIT_TIMED", true},
    {"blocked", "STATE_BLOCKED_ON_MONITOR_ENTER", true}, {"runnable", "STATE_RUNNABLE", false},
    {"async_profiler_default", "STATE_DEFAULT", false}, {"none", "", false},
    {"unknown", "STATE_SLEEPING_BADLY", false},
};
/* clang-format on */

/* A class with fields of these names, which is all that kinds look at. */
static size_t make_class(struct jfr_class *cls, const char *event, const char *list, char *text,
                         struct jfr_field *fields)
{
    size_t n = 0;

    strcpy(text, list);
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ","))
        fields[n++] = (struct jfr_field){.name = word};
    *cls = (struct jfr_class){.name = event, .fields = fields, .n_fields = n};
    return n;
}

static void same_text(const char *is, const char *want)
{
    if (want == NULL)
        assert_null(is);
    else {
        assert_non_null(is);
        assert_string_equal(is, want);
    }
}

static void test_use(void **state)
{
    const struct use_row *row = *state;
    struct jfr_field fields[4];
    struct jfr_class cls;
    char text[100];
    struct kind_use use;

    make_class(&cls, row->event, row->fields, text, fields);
    use = kind_use_of(row->kind, &cls, row->samples);
    assert_int_equal(use.rank, row->rank);
    same_text(use.count_field, row->count);
    same_text(use.bytes_field, row->bytes);
    assert_int_equal(use.skips_sleeping, row->skips_sleeping);
    assert_int_equal(use.needs_duration, row->needs_duration);
}

static void test_name(void **state)
{
    const struct name_row *row = *state;

    assert_int_equal(kind_named(row->text), row->kind);
    if (row->kind >= 0) {
        assert_string_equal(kind_name((enum kind)row->kind), row->text);
        assert_true(strlen(kind_title((enum kind)row->kind)) > 1);
    }
}

static void test_state(void **state)
{
    const struct state_row *row = *state;

    assert_int_equal(kind_state_sleeps(row->state), row->sleeps);
}

static void names_of_jdk_9_are_todays(void **state)
{
    struct jfr_class old = {.name = "com.oracle.jdk.GCHeapSummary"};
    struct jfr_class new = {.name = "jdk.GCHeapSummary"};
    const char *prefix;

    (void)state;
    assert_string_equal(kind_event_name(&old, &prefix), "GCHeapSummary");
    assert_string_equal(prefix, "jdk.");
    assert_string_equal(kind_event_name(&new, &prefix), "jdk.GCHeapSummary");
    assert_string_equal(prefix, "");
    assert_true(kind_is_event(&old, "jdk.GCHeapSummary"));
    assert_true(kind_is_event(&new, "jdk.GCHeapSummary"));
    assert_false(kind_is_event(&old, "com.oracle.jdk.GCHeapSummary"));
    assert_false(kind_is_event(&old, "GCHeapSummary"));
}

static void wall_samples_are_left_out_by_the_default_alone(void **state)
{
    const int both[N_KINDS] = {[KIND_CPU] = 2, [KIND_WALL] = 3}, wall[N_KINDS] = {[KIND_WALL] = 2};
    const int cpu[N_KINDS] = {[KIND_CPU] = 2, [KIND_ALLOC] = 3};

    (void)state;
    assert_true(kind_leaves_out_wall(-1, both, false));
    assert_false(kind_leaves_out_wall(KIND_CPU, both, false));
    assert_false(kind_leaves_out_wall(-1, wall, false));
    assert_false(kind_leaves_out_wall(-1, cpu, false));
    assert_true(kind_leaves_out_wall(-1, cpu, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_jdk_9_are_todays),
        cmocka_unit_test(wall_samples_are_left_out_by_the_default_alone),
    };

    return run_rows("uses", uses, test_use) + run_rows("kinds", kinds, test_name) +
           run_rows("states", states, test_state) +
           cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
