/*
 * kind.c - which event types are samples of which kind: a table for all producers.
 *
 * Everything that adds up samples asks it: profiles, tables, the flame page.
 */
#include "convert/select/kind.h"

struct row {
    enum kind kind;
    int rank;
    const char *event;
    const char *count_field, *bytes_field;
    bool skips_sleeping;
};

static const char *const names[N_KINDS] = {"cpu",    "wall", "alloc",     "live",    "lock",
                                           "native", "io",   "exception", "latency", "all"};
static const char *const titles[N_KINDS] = {"CPU",     "Wall clock", "Allocation", "Live objects",
                                            "Locks",   "Native",     "I/O",        "Exceptions",
                                            "Latency", "All events"};

/* clang-format off */
static const struct row rows[] = {
    /* of sleeping threads, too, where async-profiler's wall clock engine wrote them */
    {KIND_CPU, 3, "jdk.CPUTimeSample", NULL, NULL, false},
    {KIND_CPU, 3, "datadog.ExecutionSample", "weight", NULL, false},
    {KIND_CPU, 2, "jdk.ExecutionSample", NULL, NULL, true},
    {KIND_CPU, KIND_RANK_STANDIN, "profiler.WallClockSample", "samples", NULL, true},
    {KIND_WALL, 3, "profiler.WallClockSample", "samples", NULL, false},
    {KIND_WALL, 3, "datadog.MethodSample", "weight", NULL, false},
    {KIND_WALL, 2, "jdk.ExecutionSample", NULL, NULL, false}, /* see rank_of() */
    {KIND_ALLOC, 3, "jdk.ObjectAllocationInNewTLAB", NULL, "tlabSize", false},
    {KIND_ALLOC, 3, "jdk.ObjectAllocationOutsideTLAB", NULL, "allocationSize", false},
    {KIND_ALLOC, 2, "jdk.ObjectAllocationSample", NULL, "weight", false},
    {KIND_ALLOC, 2, "datadog.ObjectSample", NULL, "size", false},
    {KIND_LIVE, 2, "profiler.LiveObject", NULL, "allocationSize", false},
    {KIND_LIVE, 2, "jdk.OldObjectSample", NULL, "objectSize", false},
    {KIND_LIVE, 2, "datadog.HeapLiveObject", NULL, "size", false},
    {KIND_LOCK, 2, "jdk.JavaMonitorEnter", NULL, NULL, false},
    {KIND_LOCK, 2, "jdk.ThreadPark", NULL, NULL, false},
    {KIND_NATIVE, 3, "jdk.NativeMethodSample", NULL, NULL, false},
    {KIND_NATIVE, 2, "profiler.Malloc", NULL, "size", false},
    {KIND_IO, 2, "jdk.FileRead", NULL, "bytesRead", false},
    {KIND_IO, 2, "jdk.FileWrite", NULL, "bytesWritten", false},
    {KIND_IO, 2, "jdk.FileForce", NULL, NULL, false},
    {KIND_IO, 2, "jdk.SocketRead", NULL, "bytesRead", false},
    {KIND_IO, 2, "jdk.SocketWrite", NULL, "bytesWritten", false},
    /* an error is written as an exception too, where these are recorded */
    {KIND_EXCEPTION, 3, "jdk.JavaExceptionThrow", NULL, NULL, false},
    {KIND_EXCEPTION, 2, "jdk.JavaErrorThrow", NULL, NULL, false},
    {KIND_EXCEPTION, 3, "datadog.ExceptionSample", NULL, NULL, false},
};
/* clang-format on */

int kind_named(const char *name)
{
    for (int i = 0; i < N_KINDS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *kind_name(enum kind kind)
{
    return names[kind];
}

const char *kind_title(enum kind kind)
{
    return titles[kind];
}

enum kind kind_chosen(int asked, const int ranks[N_KINDS])
{
    if (asked >= 0)
        return (enum kind)asked;
    for (int least = KIND_RANK_STANDIN; least >= 0; least--)
        for (int k = 0; k < N_KINDS; k++)
            if (ranks[k] > least)
                return (enum kind)k;
    return KIND_CPU;
}

bool kind_leaves_out_wall(int asked, const int ranks[N_KINDS], bool is_mixed)
{
    return asked < 0 && kind_chosen(asked, ranks) == KIND_CPU &&
           (is_mixed || ranks[KIND_WALL] > KIND_RANK_STANDIN);
}

const char *kind_event_name(const struct jfr_class *cls, const char **prefix)
{
    static const char old[] = "com.oracle.jdk.";
    bool is_old = strncmp(cls->name, old, sizeof(old) - 1) == 0;

    *prefix = is_old ? "jdk." : "";
    return is_old ? cls->name + sizeof(old) - 1 : cls->name;
}

bool kind_is_event(const struct jfr_class *cls, const char *name)
{
    const char *prefix, *rest = kind_event_name(cls, &prefix);
    size_t n = strlen(prefix);

    return strncmp(name, prefix, n) == 0 && strcmp(name + n, rest) == 0;
}

static const char *field_if_there(const struct jfr_class *cls, const char *name)
{
    return name != NULL && jfr_class_field(cls, name) != NULL ? name : NULL;
}

/* The rank of a row, which for samples depends on what they are of. */
static int rank_of(const struct row *r, enum kind_samples samples)
{
    if (strcmp(r->event, "jdk.ExecutionSample") != 0)
        return r->rank;
    if (r->kind == KIND_WALL)
        return samples == KIND_SAMPLES_CPU ? 0 : r->rank;
    return samples == KIND_SAMPLES_WALL ? KIND_RANK_STANDIN : r->rank;
}

struct kind_use kind_use_of(enum kind kind, const struct jfr_class *cls, enum kind_samples samples)
{
    struct kind_use use = {0};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *r = &rows[i];
        bool same = r->kind == kind;

        if ((!same && kind < KIND_LATENCY) || !kind_is_event(cls, r->event))
            continue;
        use.count_field = field_if_there(cls, r->count_field);
        use.bytes_field = field_if_there(cls, r->bytes_field);
        use.rank = same ? rank_of(r, samples) : 0;
        use.skips_sleeping = same && r->skips_sleeping;
        break;
    }
    if (kind == KIND_ALL)
        use.rank = 2;
    if (kind == KIND_LATENCY)
        use.rank = (use.needs_duration = jfr_class_field(cls, "duration") != NULL) ? 2 : 0;
    return use;
}

/* async-profiler writes STATE_SLEEPING for every thread that does not run; HotSpot samples only
 * running ones and names the JVMTI states. */
bool kind_state_sleeps(const char *state)
{
    static const char *const sleeping[] = {
        "STATE_SLEEPING",
        "STATE_PARKED",
        "STATE_PARKED_TIMED",
        "STATE_IN_OBJECT_WAIT",
        "STATE_IN_OBJECT_WAIT_TIMED",
        "STATE_BLOCKED_ON_MONITOR_ENTER",
    };

    for (size_t i = 0; i < sizeof(sleeping) / sizeof(sleeping[0]); i++)
        if (strcmp(state, sleeping[i]) == 0)
            return true;
    return false;
}
