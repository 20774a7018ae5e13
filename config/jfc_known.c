/*
 * jfc_known.c - the names of events and settings, and which of them a misspelled name is near to.
 *
 * For warnings only: an unknown event is accepted, since applications define their own. The lists
 * are what the JDK's tool prints, and jfrkit's own types.
 */
#include "config/jfc_known.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#define CLOSE 2 /* typing errors in a name that is still recognised */
#define COMPARED_MAX 48 /* bytes; longer names are never near one another */

#define JDK "jdk."
#define PROFILER "profiler."
#define CONTEXT "jfrkit." /* a declared context is an event of this kind: jfrkit.TracerContext */

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
/* What `jfr metadata` of JDK 17 and 25 lists, and default.jfc of 11; all begin with jdk. */
static const char *const jdk_events[] = {
    "ActiveRecording", "ActiveSetting", "AllocationRequiringGC", "BiasedLockClassRevocation",
    "BiasedLockRevocation", "BiasedLockSelfRevocation", "BooleanFlag", "BooleanFlagChanged",
    "CPUInformation", "CPULoad", "CPUTimeSample", "CPUTimeSamplesLost", "CPUTimeStampCounter",
    "ClassDefine", "ClassLoad", "ClassLoaderStatistics", "ClassLoadingStatistics",
    "ClassRedefinition", "ClassUnload", "CodeCacheConfiguration", "CodeCacheFull",
    "CodeCacheStatistics", "CodeSweeperConfiguration", "CodeSweeperStatistics", "Compilation",
    "CompilationFailure", "CompilerConfiguration", "CompilerInlining", "CompilerPhase",
    "CompilerQueueUtilization", "CompilerStatistics", "ConcurrentModeFailure",
    "ContainerCPUThrottling", "ContainerCPUUsage", "ContainerConfiguration", "ContainerIOUsage",
    "ContainerMemoryUsage", "ContinuationFreeze", "ContinuationFreezeFast",
    "ContinuationFreezeSlow", "ContinuationThaw", "ContinuationThawFast", "ContinuationThawSlow",
    "DataLoss", "Deoptimization", "DeprecatedInvocation", "Deserialization",
    "DirectBufferStatistics", "DoubleFlag", "DoubleFlagChanged", "DumpReason", "EvacuationFailed",
    "EvacuationInformation", "ExceptionStatistics", "ExecuteVMOperation", "ExecutionSample",
    "FileForce", "FileRead", "FileWrite", "FinalizerStatistics", "Flush", "G1AdaptiveIHOP",
    "G1BasicIHOP", "G1EvacuationOldStatistics", "G1EvacuationYoungStatistics",
    "G1GarbageCollection", "G1HeapRegionInformation", "G1HeapRegionTypeChange", "G1HeapSummary",
    "G1MMU", "GCCPUTime", "GCConfiguration", "GCHeapConfiguration", "GCHeapMemoryPoolUsage",
    "GCHeapMemoryUsage", "GCHeapSummary", "GCLocker", "GCPhaseConcurrent",
    "GCPhaseConcurrentLevel1", "GCPhaseConcurrentLevel2", "GCPhaseParallel", "GCPhasePause",
    "GCPhasePauseLevel1", "GCPhasePauseLevel2", "GCPhasePauseLevel3", "GCPhasePauseLevel4",
    "GCReferenceStatistics", "GCSurvivorConfiguration", "GCTLABConfiguration", "GarbageCollection",
    "HeapDump", "InitialEnvironmentVariable", "InitialSecurityProperty", "InitialSystemProperty",
    "IntFlag", "IntFlagChanged", "JITRestart", "JVMInformation", "JavaAgent", "JavaErrorThrow",
    "JavaExceptionThrow", "JavaMonitorDeflate", "JavaMonitorEnter", "JavaMonitorInflate",
    "JavaMonitorNotify", "JavaMonitorStatistics", "JavaMonitorWait", "JavaThreadStatistics",
    "LoaderConstraintsTableStatistics", "LongFlag", "LongFlagChanged", "MetaspaceAllocationFailure",
    "MetaspaceChunkFreeListSummary", "MetaspaceGCThreshold", "MetaspaceOOM", "MetaspaceSummary",
    "MethodTiming", "MethodTrace", "ModuleExport", "ModuleRequire", "NativeAgent", "NativeLibrary",
    "NativeLibraryLoad", "NativeLibraryUnload", "NativeMemoryUsage", "NativeMemoryUsageTotal",
    "NativeMethodSample", "NetworkUtilization", "OSInformation", "ObjectAllocationInNewTLAB",
    "ObjectAllocationOutsideTLAB", "ObjectAllocationSample", "ObjectCount", "ObjectCountAfterGC",
    "OldGarbageCollection", "OldObjectSample", "PSHeapSummary", "ParallelOldGarbageCollection",
    "PhysicalMemory", "PlaceholderTableStatistics", "ProcessStart", "PromoteObjectInNewPLAB",
    "PromoteObjectOutsidePLAB", "PromotionFailed", "ProtectionDomainCacheTableStatistics",
    "RedefineClasses", "ReservedStackActivation", "ResidentSetSize", "RetransformClasses",
    "SafepointBegin", "SafepointCleanup", "SafepointCleanupTask", "SafepointEnd",
    "SafepointLatency", "SafepointStateSynchronization", "SafepointWaitBlocked",
    "SecurityPropertyModification", "SecurityProviderService", "SerializationMisdeclaration",
    "ShenandoahEvacuationInformation", "ShenandoahHeapRegionInformation",
    "ShenandoahHeapRegionStateChange", "Shutdown", "SocketRead", "SocketWrite", "StringFlag",
    "StringFlagChanged", "StringTableStatistics", "SwapSpace", "SweepCodeCache",
    "SymbolTableStatistics", "SyncOnValueBasedClass", "SystemGC", "SystemProcess", "TLSHandshake",
    "TenuringDistribution", "ThreadAllocationStatistics", "ThreadCPULoad",
    "ThreadContextSwitchRate", "ThreadDump", "ThreadEnd", "ThreadPark", "ThreadSleep",
    "ThreadStart", "UnsignedIntFlag", "UnsignedIntFlagChanged", "UnsignedLongFlag",
    "UnsignedLongFlagChanged", "VirtualThreadEnd", "VirtualThreadPinned", "VirtualThreadStart",
    "VirtualThreadSubmitFailed", "VirtualizationInformation", "X509Certificate", "X509Validation",
    "YoungGarbageCollection", "YoungGenerationConfiguration", "ZAllocationStall",
    "ZOldGarbageCollection", "ZPageAllocation", "ZRelocationSet", "ZRelocationSetGroup",
    "ZStatisticsCounter", "ZStatisticsSampler", "ZThreadPhase", "ZUncommit", "ZUnmap",
    "ZYoungGarbageCollection",
};
/* clang-format on */

static const char *const profiler_events[] = {
    "Free",          "LiveObject", "Log",       "Malloc",          "NativeLock",
    "ProcessSample", "Span",       "UserEvent", "WallClockSample", "Window"};

/* The last three are for declared contexts only. */
static const char *const settings[] = {
    "enabled", "stackTrace",  "threshold", "period", "throttle",   "cutoff",     "level",
    "filter",  "withContext", "walker",    "emit",   "attributes", "contextName"};
#define N_CONTEXT 3

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* The distance of all beginnings of b from i letters of a, from the two rows above. */
static void fill_row(uint8_t rows[3][COMPARED_MAX + 1], const char *a, size_t i, const char *b)
{
    uint8_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

    row[0] = (uint8_t)i;
    for (size_t j = 1; b[j - 1] != '\0'; j++) {
        char x = lower(a[i - 1]), y = lower(b[j - 1]);

        row[j] = (uint8_t)(above[j - 1] + (x != y));
        row[j] = least(row[j], (uint8_t)(least(above[j], row[j - 1]) + 1));
        if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
            row[j] = least(row[j], (uint8_t)(above2[j - 2] + 1));
    }
}

unsigned jfc_distance(const char *a, const char *b, unsigned most)
{
    uint8_t rows[3][COMPARED_MAX + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n > COMPARED_MAX || m > COMPARED_MAX || n > m + most || m > n + most)
        return most + 1;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (uint8_t)j;
    for (size_t i = 1; i <= n; i++)
        fill_row(rows, a, i, b);
    return rows[n % 3][m];
}

/* The nearest of n names, or NULL. *distance: how far; only what is nearer than that counts. A
 * short name must be nearer: one letter in four may be wrong. */
static const char *nearest(const char *name, const char *const *names, size_t n, unsigned *distance)
{
    const char *found = NULL;

    for (size_t i = 0; i<n && * distance> 0; i++) {
        unsigned d = jfc_distance(name, names[i], CLOSE);

        if (d < *distance && d * 4 <= strlen(names[i])) {
            *distance = d;
            found = names[i];
        }
    }
    return found;
}

static bool is_listed(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The name after a prefix that is right but for case, else the whole name: it may lack one. */
static const char *base_of(const char *event, const char *prefix)
{
    if (strncasecmp(event, prefix, strlen(prefix)) == 0)
        return event + strlen(prefix);
    return strchr(event, '.') == NULL ? event : NULL;
}

struct jfc_guess jfc_guess_event(const char *event)
{
    static const struct {
        const char *prefix;
        const char *const *names;
        size_t n;
    } makers[] = {{JDK, jdk_events, LENGTH(jdk_events)},
                  {PROFILER, profiler_events, LENGTH(profiler_events)}};
    struct jfc_guess g = {.is_odd = begins(event, JDK)};
    unsigned distance = CLOSE + 1;

    for (size_t i = 0; i < LENGTH(makers); i++) {
        const char *base = base_of(event, makers[i].prefix), *near;

        if (base == NULL)
            continue;
        if (begins(event, makers[i].prefix) && is_listed(base, makers[i].names, makers[i].n))
            return (struct jfc_guess){0};
        near = nearest(base, makers[i].names, makers[i].n, &distance);
        if (near != NULL)
            g = (struct jfc_guess){true, makers[i].prefix, near};
    }
    return g;
}

struct jfc_guess jfc_guess_setting(const char *event, const char *setting)
{
    size_t n = LENGTH(settings) - (begins(event, CONTEXT) ? 0 : N_CONTEXT);
    struct jfc_guess g = {.is_odd = begins(event, JDK) || begins(event, PROFILER), .prefix = ""};
    unsigned distance = CLOSE + 1;

    if (is_listed(setting, settings, n))
        return (struct jfc_guess){0};
    g.meant = nearest(setting, settings, n, &distance);
    g.is_odd |= g.meant != NULL;
    return g;
}
