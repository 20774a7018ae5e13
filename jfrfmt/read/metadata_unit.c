#include "jfrfmt/read/metadata_internal.h"

#include <string.h>

struct unit_name {
    const char *name;
    enum jfr_unit unit;
};

static enum jfr_unit unit_named(const struct unit_name *names, size_t n, const char *value)
{
    for (size_t i = 0; i < n && value != NULL; i++)
        if (strcmp(names[i].name, value) == 0)
            return names[i].unit;
    return JFR_UNIT_NONE;
}

enum jfr_unit metadata_unit(const struct jfr_annotation *a, size_t n)
{
    static const struct unit_name stamps[] = {
        {"TICKS", JFR_UNIT_TIMESTAMP_TICKS},
        {"MILLISECONDS_SINCE_EPOCH", JFR_UNIT_TIMESTAMP_MS},
        {"NANOSECONDS_SINCE_EPOCH", JFR_UNIT_TIMESTAMP_NS},
        {"SECONDS_SINCE_EPOCH", JFR_UNIT_TIMESTAMP_S},
    };
    static const struct unit_name spans[] = {
        {"TICKS", JFR_UNIT_TICKS},     {"NANOSECONDS", JFR_UNIT_NS}, {"MICROSECONDS", JFR_UNIT_US},
        {"MILLISECONDS", JFR_UNIT_MS}, {"SECONDS", JFR_UNIT_S},
    };
    static const struct unit_name amounts[] = {{"BYTES", JFR_UNIT_BYTES}, {"BITS", JFR_UNIT_BITS}};

    for (size_t i = 0; i < n; i++) {
        const char *name = a[i].type->name, *value = jfr_annotation_get(&a[i], "value");

        if (strcmp(name, "jdk.jfr.Timestamp") == 0)
            return unit_named(stamps, sizeof(stamps) / sizeof(stamps[0]), value);
        if (strcmp(name, "jdk.jfr.Timespan") == 0)
            return unit_named(spans, sizeof(spans) / sizeof(spans[0]), value);
        if (strcmp(name, "jdk.jfr.DataAmount") == 0)
            return unit_named(amounts, sizeof(amounts) / sizeof(amounts[0]), value);
        if (strcmp(name, "jdk.jfr.Percentage") == 0)
            return JFR_UNIT_PERCENT;
        if (strcmp(name, "jdk.jfr.MemoryAddress") == 0)
            return JFR_UNIT_ADDRESS;
        if (strcmp(name, "jdk.jfr.Frequency") == 0)
            return JFR_UNIT_HERTZ;
    }
    return JFR_UNIT_NONE;
}
