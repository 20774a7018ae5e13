/*
 * names.c - what types and fields of JDK 7 and 8 are called since JDK 11, as JMC has it.
 *
 * The tables map a producer's URI, path and field to today's names, so that
 * "vm/prof/execution_sample" is jdk.ExecutionSample for all programs. Types of other producers keep
 * their path, written with dots.
 */
#include "jfrfmt/v0/names.h"
#include "jfrfmt/base/ascii.h"

#define HOTSPOT "http://www.oracle.com/hotspot/"

struct event_name {
    const char *path; /* after HOTSPOT */
    const char *name;
};

struct field_name {
    const char *event; /* NULL: of every known event */
    const char *from, *to;
};

static const struct event_name event_names[] = {
    {"jdk/java/error_throw", "jdk.JavaErrorThrow"},
    {"jdk/java/exception_throw", "jdk.JavaExceptionThrow"},
    {"jdk/java/file_read", "jdk.FileRead"},
    {"jdk/java/file_write", "jdk.FileWrite"},
    {"jdk/java/socket_read", "jdk.SocketRead"},
    {"jdk/java/socket_write", "jdk.SocketWrite"},
    {"jdk/java/statistics/throwables", "jdk.ExceptionStatistics"},
    {"jfr-info/recordings/recording", "jdk.ActiveRecording"},
    {"jfr-info/recordings/recording_setting", "jdk.ActiveSetting"},
    {"jvm/java/monitor_enter", "jdk.JavaMonitorEnter"},
    {"jvm/java/monitor_wait", "jdk.JavaMonitorWait"},
    {"jvm/java/object_alloc_in_new_TLAB", "jdk.ObjectAllocationInNewTLAB"},
    {"jvm/java/object_alloc_outside_TLAB", "jdk.ObjectAllocationOutsideTLAB"},
    {"jvm/java/old_object", "jdk.OldObjectSample"},
    {"jvm/java/statistics/class_loading", "jdk.ClassLoadingStatistics"},
    {"jvm/java/statistics/thread_allocation", "jdk.ThreadAllocationStatistics"},
    {"jvm/java/statistics/threads", "jdk.JavaThreadStatistics"},
    {"jvm/java/thread_end", "jdk.ThreadEnd"},
    {"jvm/java/thread_park", "jdk.ThreadPark"},
    {"jvm/java/thread_sleep", "jdk.ThreadSleep"},
    {"jvm/java/thread_start", "jdk.ThreadStart"},
    {"jvm/os/information", "jdk.OSInformation"},
    {"jvm/os/initial_environment_variable", "jdk.InitialEnvironmentVariable"},
    {"jvm/os/memory/physical_memory", "jdk.PhysicalMemory"},
    {"jvm/os/processor/context_switch_rate", "jdk.ThreadContextSwitchRate"},
    {"jvm/os/processor/cpu_information", "jdk.CPUInformation"},
    {"jvm/os/processor/cpu_load", "jdk.CPULoad"},
    {"jvm/os/processor/cpu_tsc", "jdk.CPUTimeStampCounter"},
    {"jvm/os/system_process", "jdk.SystemProcess"},
    {"jvm/vm/class/load", "jdk.ClassLoad"},
    {"jvm/vm/class/unload", "jdk.ClassUnload"},
    {"jvm/vm/code_cache/config", "jdk.CodeCacheConfiguration"},
    {"jvm/vm/code_cache/full", "jdk.CodeCacheFull"},
    {"jvm/vm/code_cache/stats", "jdk.CodeCacheStatistics"},
    {"jvm/vm/code_sweeper/config", "jdk.CodeSweeperConfiguration"},
    {"jvm/vm/code_sweeper/stats", "jdk.CodeSweeperStatistics"},
    {"jvm/vm/code_sweeper/sweep", "jdk.SweepCodeCache"},
    {"jvm/vm/compiler/compilation", "jdk.Compilation"},
    {"jvm/vm/compiler/config", "jdk.CompilerConfiguration"},
    {"jvm/vm/compiler/failure", "jdk.CompilationFailure"},
    {"jvm/vm/compiler/phase", "jdk.CompilerPhase"},
    {"jvm/vm/compiler/stats", "jdk.CompilerStatistics"},
    {"jvm/vm/flag/boolean", "jdk.BooleanFlag"},
    {"jvm/vm/flag/boolean_changed", "jdk.BooleanFlagChanged"},
    {"jvm/vm/flag/double", "jdk.DoubleFlag"},
    {"jvm/vm/flag/double_changed", "jdk.DoubleFlagChanged"},
    {"jvm/vm/flag/int", "jdk.IntFlag"},
    {"jvm/vm/flag/int_changed", "jdk.IntFlagChanged"},
    {"jvm/vm/flag/long", "jdk.LongFlag"},
    {"jvm/vm/flag/long_changed", "jdk.LongFlagChanged"},
    {"jvm/vm/flag/string", "jdk.StringFlag"},
    {"jvm/vm/flag/string_changed", "jdk.StringFlagChanged"},
    {"jvm/vm/flag/uint", "jdk.UnsignedIntFlag"},
    {"jvm/vm/flag/uint_changed", "jdk.UnsignedIntFlagChanged"},
    {"jvm/vm/flag/ulong", "jdk.UnsignedLongFlag"},
    {"jvm/vm/flag/ulong_changed", "jdk.UnsignedLongFlagChanged"},
    {"jvm/vm/gc/collector/g1_garbage_collection", "jdk.G1GarbageCollection"},
    {"jvm/vm/gc/collector/garbage_collection", "jdk.GarbageCollection"},
    {"jvm/vm/gc/collector/old_garbage_collection", "jdk.OldGarbageCollection"},
    {"jvm/vm/gc/collector/parold_garbage_collection", "jdk.ParallelOldGarbageCollection"},
    {"jvm/vm/gc/collector/young_garbage_collection", "jdk.YoungGarbageCollection"},
    {"jvm/vm/gc/configuration/gc", "jdk.GCConfiguration"},
    {"jvm/vm/gc/configuration/heap", "jdk.GCHeapConfiguration"},
    {"jvm/vm/gc/configuration/survivor", "jdk.GCSurvivorConfiguration"},
    {"jvm/vm/gc/configuration/tlab", "jdk.GCTLABConfiguration"},
    {"jvm/vm/gc/configuration/young_generation", "jdk.YoungGenerationConfiguration"},
    {"jvm/vm/gc/detailed/allocation_requiring_gc", "jdk.AllocationRequiringGC"},
    {"jvm/vm/gc/detailed/concurrent_mode_failure", "jdk.ConcurrentModeFailure"},
    {"jvm/vm/gc/detailed/evacuation_failed", "jdk.EvacuationFailed"},
    {"jvm/vm/gc/detailed/evacuation_info", "jdk.EvacuationInformation"},
    {"jvm/vm/gc/detailed/object_count", "jdk.ObjectCount"},
    {"jvm/vm/gc/detailed/object_count_after_gc", "jdk.ObjectCountAfterGC"},
    {"jvm/vm/gc/detailed/promotion_failed", "jdk.PromotionFailed"},
    {"jvm/vm/gc/heap/metaspace_summary", "jdk.MetaspaceSummary"},
    {"jvm/vm/gc/heap/ps_summary", "jdk.PSHeapSummary"},
    {"jvm/vm/gc/heap/summary", "jdk.GCHeapSummary"},
    {"jvm/vm/gc/metaspace/allocation_failure", "jdk.MetaspaceAllocationFailure"},
    {"jvm/vm/gc/metaspace/chunk_free_list_summary", "jdk.MetaspaceChunkFreeListSummary"},
    {"jvm/vm/gc/metaspace/gc_threshold", "jdk.MetaspaceGCThreshold"},
    {"jvm/vm/gc/metaspace/out_of_memory", "jdk.MetaspaceOOM"},
    {"jvm/vm/gc/phases/pause", "jdk.GCPhasePause"},
    {"jvm/vm/gc/phases/pause_level_1", "jdk.GCPhasePauseLevel1"},
    {"jvm/vm/gc/phases/pause_level_2", "jdk.GCPhasePauseLevel2"},
    {"jvm/vm/gc/phases/pause_level_3", "jdk.GCPhasePauseLevel3"},
    {"jvm/vm/gc/reference/statistics", "jdk.GCReferenceStatistics"},
    {"jvm/vm/info", "jdk.JVMInformation"},
    {"jvm/vm/initial_system_property", "jdk.InitialSystemProperty"},
    {"jvm/vm/prof/execution_sample", "jdk.ExecutionSample"},
    {"jvm/vm/prof/execution_sampling_info", "jdk.ExecutionSampling"},
    {"jvm/vm/runtime/execute_vm_operation", "jdk.ExecuteVMOperation"},
    {"jvm/vm/runtime/thread_dump", "jdk.ThreadDump"},
};

static const struct field_name field_names[] = {
    {"jdk.ThreadPark", "klass", "parkedClass"},
    {"jdk.JavaMonitorEnter", "klass", "monitorClass"},
    {"jdk.JavaMonitorWait", "klass", "monitorClass"},
    {"jdk.ActiveRecording", "startTime", "recordingStart"},
    {"jdk.ActiveRecording", "duration", "recordingDuration"},
    {"jdk.CompilationFailure", "failure", "failureMessage"},
    {NULL, "allocRegionsUsedAfter", "allocationRegionsUsedAfter"},
    {NULL, "allocRegionsUsedBefore", "allocationRegionsUsedBefore"},
    {NULL, "class", "objectClass"},
    {NULL, "compileID", "compileId"},
    {NULL, "new_value", "newValue"},
    {NULL, "old_value", "oldValue"},
    {NULL, "sweepIndex", "sweepId"},
};

/* What the path segments stand for that do not speak for themselves. */
static const struct segment {
    const char *segment, *text;
} segments[] = {
    {"gc", "GC"},
    {"java", "Java Application"},
    {"jvm", "Java Virtual Machine"},
    {"os", "Operating System"},
    {"prof", "Profiling"},
    {"vm", "Java Virtual Machine"},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct v0_text v0_text_of(const char *s)
{
    return (struct v0_text){s, strlen(s)};
}

struct v0_text v0_known_event(struct v0_text uri, struct v0_text path)
{
    size_t n = strlen(HOTSPOT);

    if (uri.n < n || memcmp(uri.p, HOTSPOT, n) != 0)
        return (struct v0_text){0};
    uri.p += n;
    uri.n -= n;
    for (size_t i = 0; i < COUNT(event_names); i++) {
        struct v0_text known = v0_text_of(event_names[i].path);
        if (known.n == uri.n + path.n && memcmp(known.p, uri.p, uri.n) == 0 &&
            memcmp(known.p + uri.n, path.p, path.n) == 0)
            return v0_text_of(event_names[i].name);
    }
    return (struct v0_text){0};
}

struct v0_text v0_known_field(struct v0_text event, struct v0_text field)
{
    for (size_t i = 0; i < COUNT(field_names); i++) {
        const struct field_name *f = &field_names[i];
        if (v0_text_is(field, f->from) && (f->event == NULL || v0_text_is(event, f->event)))
            return v0_text_of(f->to);
    }
    return field;
}

/* Dotted: what is neither letter, digit nor separator becomes '_', empty parts are dropped, and a
 * part never begins with a digit. Writes at most 2 * s.n + 1 bytes at `at`. */
static char *append_dotted(char *start, char *at, struct v0_text s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool begins = at == start || at[-1] == '.';
        if (s.p[i] != '/' && s.p[i] != '.') {
            if (begins && ascii_is_digit(s.p[i]))
                *at++ = '_';
            *at++ = ascii_begins_name(s.p[i]) || ascii_is_digit(s.p[i]) ? s.p[i] : '_';
        } else if (!begins) {
            *at++ = '.';
        }
    }
    return at;
}

struct v0_text v0_dotted_name(struct arena *arena, struct v0_text uri, struct v0_text path)
{
    const char *host = uri.n < 3 ? NULL : memmem(uri.p, uri.n, "://", 3);
    char *name, *at;

    if (host != NULL) {
        uri.n -= (size_t)(host + 3 - uri.p);
        uri.p = host + 3;
    }
    name = arena_alloc(arena, 2 * (uri.n + path.n) + 4);
    if (name == NULL)
        return (struct v0_text){0};
    at = append_dotted(name, name, uri);
    if (at > name && at[-1] != '.')
        *at++ = '.';
    at = append_dotted(name, at, path);
    if (at > name && at[-1] == '.')
        at--;
    if (at == name)
        *at++ = '_';
    return (struct v0_text){name, (size_t)(at - name)};
}

struct v0_text v0_category(struct arena *arena, struct v0_text segment)
{
    char *s;

    for (size_t i = 0; i < COUNT(segments); i++)
        if (v0_text_is(segment, segments[i].segment))
            return v0_text_of(segments[i].text);
    s = arena_strndup(arena, segment.n == 0 ? "" : segment.p, segment.n);
    for (size_t i = 0; s != NULL && i < segment.n; i++) {
        if (s[i] == '_')
            s[i] = ' ';
        else if ((i == 0 || s[i - 1] == ' ') && s[i] >= 'a' && s[i] <= 'z')
            s[i] = (char)(s[i] - 'a' + 'A');
    }
    return (struct v0_text){s, s == NULL ? 0 : segment.n};
}
