/* The views of containers, on events as JDK 25 declares them, with values that no machine at hand
 * gives: --write FILE makes the recording for others to look at. */
#include "convert/test/view_testing.h"

#define START 1000000000 /* ticks = ns */

#define BYTES(name, label)                          \
    {                                               \
        name, "long", label, .unit = JFR_UNIT_BYTES \
    }
#define SPAN(name, label, of)           \
    {                                   \
        name, "long", label, .unit = of \
    }
#define COUNT(name, label)  \
    {                       \
        name, "long", label \
    }

static const struct jfr_field_def configuration[] = {
    {"containerType", "java.lang.String", "Container Type"},
    SPAN("cpuSlicePeriod", "CPU Slice Period", JFR_UNIT_US),
    SPAN("cpuQuota", "CPU Quota", JFR_UNIT_US),
    COUNT("cpuShares", "CPU Shares"),
    COUNT("effectiveCpuCount", "Effective CPU Count"),
    BYTES("memorySoftLimit", "Memory Soft Limit"),
    BYTES("memoryLimit", "Memory Limit"),
    BYTES("swapMemoryLimit", "Memory and Swap Limit"),
    BYTES("hostTotalMemory", "Host Total Memory"),
    BYTES("hostTotalSwapMemory", "Host Total Swap Memory"),
};
static const struct jfr_field_def cpu[] = {
    SPAN("cpuTime", "CPU Time", JFR_UNIT_NS),
    SPAN("cpuUserTime", "CPU User Time", JFR_UNIT_NS),
    SPAN("cpuSystemTime", "CPU System Time", JFR_UNIT_NS),
};
static const struct jfr_field_def throttling[] = {
    COUNT("cpuElapsedSlices", "CPU Elapsed Slices"),
    COUNT("cpuThrottledSlices", "CPU Throttled Slices"),
    SPAN("cpuThrottledTime", "CPU Throttled Time", JFR_UNIT_NS),
};
static const struct jfr_field_def memory[] = {
    COUNT("memoryFailCount", "Memory Fail Count"),
    BYTES("memoryUsage", "Memory Usage"),
    BYTES("swapMemoryUsage", "Memory and Swap Usage"),
};
static const struct jfr_field_def io[] = {
    COUNT("serviceRequests", "Service Requests"),
    BYTES("dataTransferred", "Data Transferred"),
};

#define EVENT(name, label, list)                                                     \
    {                                                                                \
        name, JFR_TYPE_EVENT, label, .category = "Operating System", .fields = list, \
                                     .n_fields = sizeof(list) / sizeof(*list)        \
    }

static const struct jfr_type_def types[] = {
    EVENT("jdk.ContainerConfiguration", "Container Configuration", configuration),
    EVENT("jdk.ContainerCPUUsage", "CPU Usage", cpu),
    EVENT("jdk.ContainerCPUThrottling", "CPU Throttling", throttling),
    EVENT("jdk.ContainerMemoryUsage", "Memory Usage", memory),
    EVENT("jdk.ContainerIOUsage", "IO Usage", io),
};

static void put(struct jfr_writer *w, int64_t type, int second, const int64_t *values, size_t n)
{
    jfr_event_begin(w, type, START + second * INT64_C(1000000000));
    for (size_t i = 0; i < n; i++)
        jfr_put_long(w, values[i]);
    assert_int_equal(jfr_event_end(w), 0);
}

/* Three events of each type but the configuration; the last ones count. */
static void write_recording(const char *path, const void *none)
{
    static const int64_t limits[] = {100000,     250000,     512,         2,          805306368,
                                     1073741824, 2147483648, 33554432000, 17179869184};
    struct jfr_writer_options options = {
        .replace = true, .start_ticks = START, .start_nanos = 1700000000000000000};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, &options, &err);
    int64_t first;

    (void)none;
    assert_non_null(w);
    first = jfr_writer_declare(w, types, sizeof(types) / sizeof(types[0]));
    assert_true(first > 0);
    jfr_event_begin(w, first, START);
    jfr_put_string(w, "cgroupv2");
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        jfr_put_long(w, limits[i]);
    assert_int_equal(jfr_event_end(w), 0);
    for (int64_t i = 1; i <= 3; i++) {
        put(w, first + 1, (int)i, (const int64_t[]){i * 1500000000, i * 1200000000, i * 300000000},
            3);
        put(w, first + 2, (int)i, (const int64_t[]){i * 100, i * 7, i * 431000000}, 3);
        put(w, first + 3, (int)i, (const int64_t[]){i * 2, i * 104857600, i * 1048576}, 3);
        put(w, first + 4, (int)i, (const int64_t[]){i * 1234, i * 9876543210}, 2);
    }
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

struct row {
    const char *name, *want;
};

/* Half a tenth goes up, as in JDK 25. */
static const struct row rows[] = {
    {"container-configuration",
     "Type\tCPU Slice\tCPU Quota\tCPU Shares\tProcessors\tMemory Soft Limit\tMemory Limit\tSwap Limit\t"
     "Memory of the Host\ncgroupv2\t100 ms\t250 ms\t512\t2\t768.0 MB\t1.0 GB\t2.0 GB\t31.3 GB\n"},
    {"container-cpu-usage", "Total\tUser\tSystem\n4.50 s\t3.60 s\t900 ms\n"},
    {"container-cpu-throttling", "Slices\tThrottled Slices\tThrottled Time\n300\t21\t1.29 s\n"},
    {"container-memory-usage", "Failures\tMemory\tSwap\n6\t300.0 MB\t3.0 MB\n"},
    {"container-io-usage", "Requests\tBytes\n3702\t27.6 GB\n"},
};

static void last_event_counts(void **state)
{
    const struct row *t = *state;

    view_shows(t->name, write_recording, NULL, t->want);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        write_recording(argv[2], NULL);
        return 0;
    }
    return run_rows("view: containers", rows, last_event_counts);
}
