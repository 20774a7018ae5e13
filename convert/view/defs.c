/*
 * defs.c - the views as a table: which events, grouped by what, with which columns.
 *
 * A new view is a row here; view.c and rows.c need no change.
 */
#include "convert/view/internal.h"

/* clang-format off */
#define KEY(title) {title, VIEW_KEY}
#define COUNT {"Count", VIEW_COUNT}
#define LATENCY "duration"

const struct view views[] = {
    {"active-recordings", "Recordings that Were Running", "ActiveRecording", "id",
     {{"Start", VIEW_LAST, "recordingStart"}, {"Duration", VIEW_LAST, "recordingDuration"},
      {"Name", VIEW_LAST, "name"}, {"Destination", VIEW_LAST, "destination"},
      {"Max. Age", VIEW_LAST, "maxAge"}, {"Max. Size", VIEW_LAST, "maxSize"}}},
    {"active-settings", "Settings of Event Types", "ActiveSetting", VIEW_TYPE "id",
     {KEY("Event"), {"Enabled", VIEW_BATCH, "value", 1}, {"Threshold", VIEW_BATCH, "value", 2},
      {"Stack Trace", VIEW_BATCH, "value", 3}, {"Period", VIEW_BATCH, "value", 4},
      {"Cutoff", VIEW_BATCH, "value", 5}, {"Throttle", VIEW_BATCH, "value", 6}},
     {{0}, {NULL, "name", "enabled"}, {NULL, "name", "threshold"}, {NULL, "name", "stackTrace"},
      {NULL, "name", "period"}, {NULL, "name", "cutoff"}, {NULL, "name", "throttle"}}, 1},
    {"allocation-by-class", "Allocation by Class", "ObjectAllocationSample", "objectClass",
     {KEY("Class"), {"Share", VIEW_SHARE_SUM, "weight"}}, {{0}}, -2, 25},
    {"allocation-by-site", "Allocation by Method", "ObjectAllocationSample", VIEW_TOP,
     {KEY("Method"), {"Share", VIEW_SHARE_SUM, "weight"}}, {{0}}, -2, 25},
    {"allocation-by-thread", "Allocation by Thread", "ObjectAllocationSample", "eventThread",
     {KEY("Thread"), {"Share", VIEW_SHARE_SUM, "weight"}}, {{0}}, -2, 25},
    {"blocked-by-system-gc", "System.gc() that Stopped the Program", "SystemGC", "",
     {{"Start", VIEW_LAST, "startTime", 1}, {"Duration", VIEW_LAST, LATENCY, 1}, {"Stack", VIEW_LAST, VIEW_STACK, 1}},
     {{0}, {NULL, "invokedConcurrent", "false"}}, -2, 25},
    {"class-loaders", "Class Loaders", "ClassLoaderStatistics", "classLoader",
     {KEY("Class Loader"), {"Hidden Classes", VIEW_LAST, "hiddenClassCount"},
      {"Classes", VIEW_LAST, "classCount"}}, {{0}}, -3},
    {"class-modifications", "Changes of Classes", "RetransformClasses,RedefineClasses", "redefinitionId",
     {{"Duration", VIEW_LAST, LATENCY}, {"Method", VIEW_LAST, VIEW_APPLICATION}, {"Operation", VIEW_LAST, VIEW_LABEL},
      {"Classes", VIEW_LAST, "classCount"}}, {{0}}, -1},
    {"compiler-configuration", "Compiler Configuration", "CompilerConfiguration", NULL,
     {{"Threads", VIEW_LAST, "threadCount"}, {"Dynamic Threads", VIEW_LAST, "dynamicCompilerThreadCount"},
      {"Tiered", VIEW_LAST, "tieredCompilation"}}},
    {"compiler-phases", "Phases of Compilations", "CompilerPhase", "phase",
     {{"Level", VIEW_LAST, "phaseLevel"}, KEY("Phase"), {"Average", VIEW_AVERAGE, LATENCY}, {"P95", VIEW_P95, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}, COUNT, {"Total", VIEW_SUM, LATENCY}}, {{0}}, 1, .order_2 = -7},
    {"compiler-statistics", "Compiler", "CompilerStatistics", NULL,
     {{"Compilations", VIEW_LAST, "compileCount"}, {"Longest", VIEW_LAST, "peakTimeSpent"},
      {"Total", VIEW_LAST, "totalTimeSpent"}, {"Bailouts", VIEW_LAST, "bailoutCount"},
      {"OSR Compilations", VIEW_LAST, "osrCompileCount"}, {"Standard Compilations", VIEW_LAST, "standardCompileCount"},
      {"OSR Bytes", VIEW_LAST, "osrBytesCompiled"}, {"Standard Bytes", VIEW_LAST, "standardBytesCompiled"},
      {"Size of Methods", VIEW_LAST, "nmethodsSize"}, {"Size of Code", VIEW_LAST, "nmethodCodeSize"}}},
    {"container-configuration", "Configuration of the Container", "ContainerConfiguration", NULL,
     {{"Type", VIEW_LAST, "containerType"}, {"CPU Slice", VIEW_LAST, "cpuSlicePeriod"}, {"CPU Quota", VIEW_LAST, "cpuQuota"},
      {"CPU Shares", VIEW_LAST, "cpuShares"}, {"Processors", VIEW_LAST, "effectiveCpuCount"},
      {"Memory Soft Limit", VIEW_LAST, "memorySoftLimit"}, {"Memory Limit", VIEW_LAST, "memoryLimit"},
      {"Swap Limit", VIEW_LAST, "swapMemoryLimit"}, {"Memory of the Host", VIEW_LAST, "hostTotalMemory"}}},
    {"container-cpu-throttling", "Throttling by the Container", "ContainerCPUThrottling", NULL,
     {{"Slices", VIEW_LAST, "cpuElapsedSlices"}, {"Throttled Slices", VIEW_LAST, "cpuThrottledSlices"},
      {"Throttled Time", VIEW_LAST, "cpuThrottledTime"}}},
    {"container-cpu-usage", "Processor Time of the Container", "ContainerCPUUsage", NULL,
     {{"Total", VIEW_LAST, "cpuTime"}, {"User", VIEW_LAST, "cpuUserTime"}, {"System", VIEW_LAST, "cpuSystemTime"}}},
    {"container-io-usage", "I/O of the Container", "ContainerIOUsage", NULL,
     {{"Requests", VIEW_LAST, "serviceRequests"}, {"Bytes", VIEW_LAST, "dataTransferred"}}},
    {"container-memory-usage", "Memory of the Container", "ContainerMemoryUsage", NULL,
     {{"Failures", VIEW_LAST, "memoryFailCount"}, {"Memory", VIEW_LAST, "memoryUsage"}, {"Swap", VIEW_LAST, "swapMemoryUsage"}}},
    {"contention-by-address", "Contended Monitors", "JavaMonitorEnter", "monitorClass",
     {{"Address", VIEW_LAST, "address"}, {"Class", VIEW_FIRST, "monitorClass"},
      {"Threads", VIEW_UNIQUE, "eventThread"}, {"Longest", VIEW_MAX, LATENCY}}, {{0}}, -4},
    {"contention-by-class", "Contention by Class", "JavaMonitorEnter", "monitorClass",
     {KEY("Class"), COUNT, {"Average", VIEW_AVERAGE, LATENCY}, {"P90", VIEW_P90, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}}, {{0}}, -5},
    {"contention-by-site", "Contention by Stack", "JavaMonitorEnter", VIEW_STACK,
     {KEY("Stack"), COUNT, {"Average", VIEW_AVERAGE, LATENCY}, {"Longest", VIEW_MAX, LATENCY}}, {{0}}, -4},
    {"contention-by-thread", "Contention by Thread", "JavaMonitorEnter", "eventThread",
     {KEY("Thread"), COUNT, {"Average", VIEW_AVERAGE, LATENCY}, {"P90", VIEW_P90, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}}, {{0}}, -5},
    {"cpu-information", "Processors", "CPUInformation", NULL,
     {{"Processor", VIEW_LAST, "cpu"}, {"Sockets", VIEW_LAST, "sockets"}, {"Cores", VIEW_LAST, "cores"},
      {"Hardware Threads", VIEW_LAST, "hwThreads"}, {"Description", VIEW_LAST, "description"}}},
    {"cpu-load", "Load of the Processors", "CPULoad", NULL,
     {{"JVM User, Least", VIEW_MIN, "jvmUser"}, {"JVM User, Average", VIEW_AVERAGE, "jvmUser"},
      {"JVM User, Most", VIEW_MAX, "jvmUser"}, {"JVM System, Least", VIEW_MIN, "jvmSystem"},
      {"JVM System, Average", VIEW_AVERAGE, "jvmSystem"}, {"JVM System, Most", VIEW_MAX, "jvmSystem"},
      {"Machine, Least", VIEW_MIN, "machineTotal"}, {"Machine, Average", VIEW_AVERAGE, "machineTotal"},
      {"Machine, Most", VIEW_MAX, "machineTotal"}}},
    {"cpu-load-samples", "Load of the Processors over Time", "CPULoad", "",
     {{"Time", VIEW_LAST, "startTime"}, {"JVM User", VIEW_LAST, "jvmUser"},
      {"JVM System", VIEW_LAST, "jvmSystem"}, {"Machine", VIEW_LAST, "machineTotal"}}},
    {"cpu-time-hot-methods", "Methods that Take the Most Processor Time", "CPUTimeSample", VIEW_TOP,
     {KEY("Method"), {"Samples", VIEW_COUNT}, {"Share", VIEW_SHARE_COUNT}}, {{0}}, -2, 25},
    {"cpu-time-statistics", "Samples of Processor Time", "CPUTimeSample,CPUTimeSamplesLost", NULL,
     {{"Successful", VIEW_COUNT, NULL, 1}, {"Failed", VIEW_COUNT, NULL, 2}, {"Biased", VIEW_COUNT, NULL, 3},
      {"All", VIEW_COUNT, NULL, 4}, {"Lost", VIEW_SUM, "lostSamples", 5}},
     {{0}, {"CPUTimeSample", "failed", "false"}, {"CPUTimeSample", "failed", "true"}, {"CPUTimeSample", "biased", "true"},
      {"CPUTimeSample", NULL, NULL}, {"CPUTimeSamplesLost", NULL, NULL}}},
    {"cpu-tsc", "Time Stamp Counter", "CPUTimeStampCounter", NULL,
     {{"Enabled by Itself", VIEW_LAST, "fastTimeAutoEnabled"}, {"Enabled", VIEW_LAST, "fastTimeEnabled"},
      {"Frequency", VIEW_LAST, "fastTimeFrequency"}, {"Frequency of the System", VIEW_LAST, "osFrequency"}}},
    {"deoptimizations-by-reason", "Deoptimizations by Reason", "Deoptimization", "reason",
     {KEY("Reason"), COUNT}, {{0}}, -2},
    {"deoptimizations-by-site", "Deoptimizations by Method", "Deoptimization", "method",
     {KEY("Method"), {"Line", VIEW_LAST, "lineNumber"}, {"Bytecode", VIEW_LAST, "bci"}, COUNT}, {{0}}, -4},
    {"deprecated-methods-for-removal", "Calls of Methods that Will Be Removed", "DeprecatedInvocation", "method",
     {KEY("Method"), {"Called from", VIEW_SET, VIEW_TOP_CLASS, 1}},
     {{0}, {NULL, "forRemoval", "true"}}, 1},
    {"environment-variables", "Environment", "InitialEnvironmentVariable", "key",
     {KEY("Name"), {"Value", VIEW_LAST, "value"}}, {{0}}, 1},
    {"events-by-count", "Event Types by Number", "*", VIEW_LABEL, {KEY("Event"), COUNT}, {{0}}, -2},
    {"events-by-name", "Event Types by Name", "*", VIEW_LABEL, {KEY("Event"), COUNT}, {{0}}, 1},
    {"exception-by-message", "Exceptions by Message", "JavaErrorThrow,JavaExceptionThrow", "message",
     {KEY("Message"), COUNT}, {{0}}, -2},
    {"exception-by-site", "Exceptions by Method", "JavaErrorThrow,JavaExceptionThrow", VIEW_NOT_INIT,
     {KEY("Method"), COUNT}, {{0}}, -2},
    {"exception-by-type", "Exceptions by Class", "JavaErrorThrow,JavaExceptionThrow", "thrownClass",
     {KEY("Class"), COUNT}, {{0}}, -2},
    {"exception-count", "Exceptions", "ExceptionStatistics", NULL,
     {{"Thrown", VIEW_DIFF, "throwables"}}},
    {"file-reads-by-path", "Reads by File", "FileRead", "path",
     {KEY("File"), {"Reads", VIEW_COUNT}, {"Bytes", VIEW_SUM, "bytesRead"}}, {{0}}, -3},
    {"file-writes-by-path", "Writes by File", "FileWrite", "path",
     {KEY("File"), {"Writes", VIEW_COUNT}, {"Bytes", VIEW_SUM, "bytesWritten"}}, {{0}}, -3},
    {"finalizers", "Finalizers", "FinalizerStatistics", "finalizableClass",
     {KEY("Class"), {"Objects", VIEW_LAST, "objects"}, {"Run", VIEW_LAST, "totalFinalizersRun"}}, {{0}}, -3},
    {"gc", "Collections", "GarbageCollection,GCHeapSummary,YoungGarbageCollection,OldGarbageCollection", "gcId",
     {{"Start", VIEW_FIRST, "startTime", 1}, {"GC", VIEW_FIRST, "gcId"}, {"Type", VIEW_LAST, VIEW_LABEL, 4}, {"Before", VIEW_LAST, "heapUsed", 2},
      {"After", VIEW_LAST, "heapUsed", 3}, {"Longest Pause", VIEW_LAST, "longestPause", 1}},
     {{0}, {"GarbageCollection", NULL, NULL}, {"GCHeapSummary", "when", "Before GC"},
      {"GCHeapSummary", "when", "After GC"}, {"YoungGarbageCollection,OldGarbageCollection", NULL, NULL}}, 1},
    {"gc-allocation-trigger", "Allocations that Started a Collection", "AllocationRequiringGC", VIEW_APPLICATION,
     {KEY("Method"), COUNT, {"Bytes", VIEW_SUM, "size"}}},
    {"gc-concurrent-phases", "Concurrent Phases of the Collector", "GCPhaseConcurrent,GCPhaseConcurrentLevel1,GCPhaseConcurrentLevel2", "name",
     {KEY("Phase"), {"Average", VIEW_AVERAGE, LATENCY}, {"P95", VIEW_P95, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}, COUNT, {"Total", VIEW_SUM, LATENCY}}, {{0}}, -6},
    {"gc-configuration", "Configuration of the Collector", "GCConfiguration", NULL,
     {{"Young Collector", VIEW_LAST, "youngCollector"}, {"Old Collector", VIEW_LAST, "oldCollector"},
      {"Parallel Threads", VIEW_LAST, "parallelGCThreads"}, {"Concurrent Threads", VIEW_LAST, "concurrentGCThreads"},
      {"Dynamic Threads", VIEW_LAST, "usesDynamicGCThreads"}, {"Explicit is Concurrent", VIEW_LAST, "isExplicitGCConcurrent"},
      {"Explicit is Disabled", VIEW_LAST, "isExplicitGCDisabled"}, {"Pause Target", VIEW_LAST, "pauseTarget"},
      {"Time Ratio", VIEW_LAST, "gcTimeRatio"}}},
    {"gc-cpu-time", "Processor Time of the Collector", "GCCPUTime", NULL,
     {{"User", VIEW_SUM, "userTime"}, {"System", VIEW_SUM, "systemTime"}, {"Wall Clock", VIEW_SUM, "realTime"},
      {"From First to Last", VIEW_DIFF, "startTime"}, {"Collections", VIEW_COUNT}}},
    {"gc-parallel-phases", "Parallel Phases of the Collector", "GCPhaseParallel", "name",
     {KEY("Phase"), {"Average", VIEW_AVERAGE, LATENCY}, {"P95", VIEW_P95, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}, COUNT, {"Total", VIEW_SUM, LATENCY}}, {{0}}, -6},
    {"gc-pause-phases", "Phases of Pauses", "GCPhasePause,GCPhasePauseLevel1,GCPhasePauseLevel2,GCPhasePauseLevel3,GCPhasePauseLevel4", "name",
     {{"Level", VIEW_FIRST, VIEW_LABEL}, KEY("Phase"), {"Average", VIEW_AVERAGE, LATENCY}, {"P95", VIEW_P95, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}, COUNT, {"Total", VIEW_SUM, LATENCY}}, {{0}}, 1, .order_2 = -7},
    {"gc-pauses", "Pauses of the Collector", "GCPhasePause", NULL,
     {{"Total", VIEW_SUM, LATENCY}, {"Pauses", VIEW_COUNT}, {"Shortest", VIEW_MIN, LATENCY},
      {"Median", VIEW_MEDIAN, LATENCY}, {"Average", VIEW_AVERAGE, LATENCY}, {"P90", VIEW_P90, LATENCY},
      {"P95", VIEW_P95, LATENCY}, {"P99", VIEW_P99, LATENCY}, {"P99.9", VIEW_P999, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}}},
    {"gc-references", "References", "GCReferenceStatistics", "gcId",
     {{"Time", VIEW_FIRST, "startTime"}, {"GC", VIEW_FIRST, "gcId"}, {"Soft", VIEW_LAST, "count", 1},
      {"Weak", VIEW_LAST, "count", 2}, {"Phantom", VIEW_LAST, "count", 3}, {"Final", VIEW_LAST, "count", 4},
      {"Total", VIEW_SUM, "count"}},
     {{0}, {NULL, "type", "Soft reference"}, {NULL, "type", "Weak reference"},
      {NULL, "type", "Phantom reference"}, {NULL, "type", "Final reference"}}, 2},
    {"heap-configuration", "Configuration of the Heap", "GCHeapConfiguration", NULL,
     {{"Initial Size", VIEW_LAST, "initialSize"}, {"Smallest Size", VIEW_LAST, "minSize"},
      {"Largest Size", VIEW_LAST, "maxSize"}, {"Compressed Pointers", VIEW_LAST, "usesCompressedOops"},
      {"Their Mode", VIEW_LAST, "compressedOopsMode"}}},
    {"hot-methods", "Methods that Run the Most", "ExecutionSample", VIEW_TOP,
     {KEY("Method"), {"Samples", VIEW_COUNT}, {"Share", VIEW_SHARE_COUNT}}, {{0}}, -2, 25},
    {"jvm-flags", "Flags of the JVM",
     "IntFlag,UnsignedIntFlag,BooleanFlag,LongFlag,UnsignedLongFlag,DoubleFlag,StringFlag,IntFlagChanged,UnsignedIntFlagChanged,"
     "BooleanFlagChanged,LongFlagChanged,UnsignedLongFlagChanged,DoubleFlagChanged,StringFlagChanged", "name",
     {KEY("Name"), {"Value", VIEW_LAST, "value"}}, {{0}}, 1},
    {"jvm-information", "JVM", "JVMInformation", NULL,
     {{"Process", VIEW_LAST, "pid"}, {"Start", VIEW_LAST, "jvmStartTime"}, {"Name", VIEW_LAST, "jvmName"},
      {"Version", VIEW_LAST, "jvmVersion"}, {"Arguments of the JVM", VIEW_LAST, "jvmArguments"},
      {"Arguments of the Program", VIEW_LAST, "javaArguments"}}},
    {"latencies-by-type", "What Took Time", "JavaMonitorWait,JavaMonitorEnter,ThreadPark,ThreadSleep,SocketRead,SocketWrite,FileWrite,FileRead", VIEW_LABEL,
     {KEY("Event"), COUNT, {"Average", VIEW_AVERAGE, LATENCY}, {"P99", VIEW_P99, LATENCY},
      {"Longest", VIEW_MAX, LATENCY}, {"Total", VIEW_SUM, LATENCY}}, {{0}}, -6},
    {"longest-class-loading", "Classes that Took Longest to Load", "ClassLoad", "",
     {{"Time", VIEW_LAST, "startTime"}, {"Class", VIEW_LAST, "loadedClass"}, {"Duration", VIEW_LAST, LATENCY}}, {{0}}, -3, 25},
    {"longest-compilations", "Compilations that Took Longest", "Compilation", "",
     {{"Start", VIEW_LAST, "startTime"}, {"Duration", VIEW_LAST, LATENCY}, {"Method", VIEW_LAST, "method"},
      {"Level", VIEW_LAST, "compileLevel"}, {"Succeeded", VIEW_LAST, "succeded"}}, {{0}}, -2, 25},
    {"memory-leaks-by-class", "Old Objects by Class", "OldObjectSample", "object.type",
     {{"Allocated", VIEW_BATCH, "allocationTime"}, {"Class", VIEW_BATCH, "object.type"}, {"Age", VIEW_BATCH, "objectAge"},
      {"Heap in Use", VIEW_BATCH, "lastKnownHeapUsage"}}, {{0}}, 1},
    {"memory-leaks-by-site", "Old Objects by Method", "OldObjectSample", VIEW_APPLICATION,
     {{"Allocated", VIEW_BATCH, "allocationTime"}, {"Method", VIEW_BATCH, VIEW_APPLICATION}, {"Age", VIEW_BATCH, "objectAge"},
      {"Heap in Use", VIEW_BATCH, "lastKnownHeapUsage"}}, {{0}}, 1},
    {"method-calls", "Calls of Traced Methods", "MethodTrace", "method",
     {KEY("Method"), {"Caller", VIEW_KEY_2}, {"Calls", VIEW_COUNT}}, {{0}}, -3, .more_keys = {VIEW_TOP}},
    {"method-timing", "Time of Timed Methods", "MethodTiming", "method",
     {KEY("Method"), {"Calls", VIEW_BATCH, "invocations"}, {"Shortest", VIEW_BATCH, "minimum"},
      {"Average", VIEW_BATCH, "average"}, {"Longest", VIEW_BATCH, "maximum"}}, {{0}}, -4},
    {"modules", "Modules", "ModuleRequire", "source.name", {KEY("Module")}, {{0}}, 1},
    {"monitor-inflation", "Monitors that Were Inflated", "JavaMonitorInflate", VIEW_STACK,
     {KEY("Stack"), {"Class", VIEW_KEY_2}, COUNT, {"Total", VIEW_SUM, LATENCY}}, {{0}}, -4, .more_keys = {"monitorClass"}},
    {"native-library-failures", "Native Libraries that Did Not Load or Unload", "NativeLibraryLoad,NativeLibraryUnload", "",
     {{"Time", VIEW_LAST, "startTime", 1}, {"Operation", VIEW_LAST, VIEW_LABEL, 1}, {"Library", VIEW_LAST, "name", 1},
      {"Error", VIEW_LAST, "errorMessage", 1}}, {{0}, {NULL, "success", "false"}}, 1},
    {"native-memory-committed", "Native Memory, Committed", "NativeMemoryUsage", "type",
     {KEY("Area"), {"First", VIEW_FIRST, "committed"}, {"Average", VIEW_AVERAGE, "committed"},
      {"Last", VIEW_LAST, "committed"}, {"Most", VIEW_MAX, "committed"}}, {{0}}, -5},
    {"native-memory-reserved", "Native Memory, Reserved", "NativeMemoryUsage", "type",
     {KEY("Area"), {"First", VIEW_FIRST, "reserved"}, {"Average", VIEW_AVERAGE, "reserved"},
      {"Last", VIEW_LAST, "reserved"}, {"Most", VIEW_MAX, "reserved"}}, {{0}}, -5},
    {"native-methods", "Native Methods that Run or Wait", "NativeMethodSample", VIEW_TOP,
     {KEY("Method"), {"Samples", VIEW_COUNT}}, {{0}}, -2},
    {"network-utilization", "Network", "NetworkUtilization", "networkInterface",
     {KEY("Interface"), {"Read, Average", VIEW_AVERAGE, "readRate"}, {"Read, Most", VIEW_MAX, "readRate"},
      {"Written, Average", VIEW_AVERAGE, "writeRate"}, {"Written, Most", VIEW_MAX, "writeRate"}}, {{0}}, 1},
    {"object-statistics", "Objects by Class", "ObjectCount,ObjectCountAfterGC", "objectClass",
     {KEY("Class"), {"Objects", VIEW_BATCH, "count"}, {"Bytes", VIEW_BATCH, "totalSize"},
      {"Increase", VIEW_DIFF, "totalSize"}}, {{0}}, -3},
    {"pinned-threads", "Virtual Threads that Held Their Carrier", "VirtualThreadPinned", VIEW_APPLICATION,
     {KEY("Method"), {"Pinned", VIEW_COUNT}, {"Longest", VIEW_MAX, LATENCY}, {"Total", VIEW_SUM, LATENCY}}, {{0}}, -4},
    {"recording", "Recording", "*", NULL,
     {{"Events", VIEW_COUNT}, {"First", VIEW_FIRST, "startTime"}, {"Last", VIEW_LAST, "startTime"},
      {"From First to Last", VIEW_DIFF, "startTime"}, {"Reason of the End", VIEW_LAST, "reason", 1}},
     {{0}, {"Shutdown", NULL, NULL}}},
    {"safepoints", "Safepoints", "SafepointBegin,SafepointEnd,SafepointStateSynchronization", "safepointId",
     {{"Start", VIEW_FIRST, "startTime", 1}, {"Duration", VIEW_DIFF, "startTime", 2},
      {"Synchronization", VIEW_LAST, LATENCY, 3}, {"In JNI", VIEW_LAST, "jniCriticalThreadCount", 1},
      {"Threads", VIEW_LAST, "totalThreadCount", 1}},
     {{0}, {"SafepointBegin", NULL, NULL}, {"SafepointBegin,SafepointEnd", NULL, NULL},
      {"SafepointStateSynchronization", NULL, NULL}}, 1},
    {"socket-reads-by-host", "Reads by Host", "SocketRead", "host",
     {KEY("Host"), {"Reads", VIEW_COUNT}, {"Bytes", VIEW_SUM, "bytesRead"}}, {{0}}, -3},
    {"socket-writes-by-host", "Writes by Host", "SocketWrite", "host",
     {KEY("Host"), {"Writes", VIEW_COUNT}, {"Bytes", VIEW_SUM, "bytesWritten"}}, {{0}}, -3},
    {"system-information", "System", "CPUInformation,PhysicalMemory,OSInformation,VirtualizationInformation", NULL,
     {{"Memory", VIEW_LAST, "totalSize"}, {"System", VIEW_LAST, "osVersion"}, {"Virtualization", VIEW_LAST, "name"},
      {"Processor", VIEW_LAST, "cpu"}, {"Cores", VIEW_LAST, "cores"}, {"Hardware Threads", VIEW_LAST, "hwThreads"},
      {"Sockets", VIEW_LAST, "sockets"}, {"Description", VIEW_LAST, "description"}}},
    {"system-processes", "Processes", "SystemProcess", "pid",
     {{"First Seen", VIEW_FIRST, "startTime"}, {"Last Seen", VIEW_LAST, "startTime"}, {"Process", VIEW_FIRST, "pid"},
      {"Command", VIEW_FIRST, "commandLine"}}},
    {"system-properties", "System Properties", "InitialSystemProperty", "key",
     {KEY("Name"), {"Value", VIEW_LAST, "value"}}, {{0}}, 1},
    {"thread-allocation", "Allocation by Thread, Counted", "ThreadAllocationStatistics", "thread",
     {KEY("Thread"), {"Allocated", VIEW_LAST, "allocated"}, {"Share", VIEW_SHARE_LAST, "allocated"}}, {{0}}, -2},
    {"thread-count", "Threads", "JavaThreadStatistics", "",
     {{"Time", VIEW_LAST, "startTime"}, {"Active", VIEW_LAST, "activeCount"}, {"Daemons", VIEW_LAST, "daemonCount"},
      {"Accumulated", VIEW_LAST, "accumulatedCount"}, {"Peak", VIEW_LAST, "peakCount"}}},
    {"thread-cpu-load", "Load by Thread", "ThreadCPULoad", "eventThread",
     {KEY("Thread"), {"System", VIEW_LAST, "system"}, {"User", VIEW_LAST, "user"}}, {{0}}, -3},
    {"thread-start", "Threads that Started", "ThreadStart,ThreadEnd", "eventThread",
     {{"Start", VIEW_FIRST, "startTime", 1}, {"Stack", VIEW_FIRST, VIEW_STACK, 1}, KEY("Thread"),
      {"Duration", VIEW_DIFF, "startTime"}}, {{0}, {"ThreadStart", NULL, NULL}}, -4},
    {"tlabs", "Allocation Buffers of Threads", "ObjectAllocationInNewTLAB,ObjectAllocationOutsideTLAB", NULL,
     {{"Inside, Number", VIEW_COUNT, "tlabSize", 1}, {"Inside, Smallest", VIEW_MIN, "tlabSize", 1},
      {"Inside, Average", VIEW_AVERAGE, "tlabSize", 1}, {"Inside, Largest", VIEW_MAX, "tlabSize", 1},
      {"Inside, Total", VIEW_SUM, "tlabSize", 1}, {"Outside, Number", VIEW_COUNT, "allocationSize", 2},
      {"Outside, Smallest", VIEW_MIN, "allocationSize", 2}, {"Outside, Average", VIEW_AVERAGE, "allocationSize", 2},
      {"Outside, Largest", VIEW_MAX, "allocationSize", 2}, {"Outside, Total", VIEW_SUM, "allocationSize", 2}},
     {{0}, {"ObjectAllocationInNewTLAB", NULL, NULL}, {"ObjectAllocationOutsideTLAB", NULL, NULL}}},
    {"vm-operations", "Operations of the JVM", "ExecuteVMOperation", "operation",
     {KEY("Operation"), {"Average", VIEW_AVERAGE, LATENCY}, {"Longest", VIEW_MAX, LATENCY}, COUNT,
      {"Total", VIEW_SUM, LATENCY}}, {{0}}, -5},
};
/* clang-format on */

const size_t n_views = sizeof(views) / sizeof(views[0]);

const struct view *view_named(const char *name)
{
    for (size_t i = 0; i < n_views; i++)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    return NULL;
}

size_t view_n(void)
{
    return n_views;
}

const struct view *view_at(size_t i)
{
    return &views[i];
}

const char *view_name(const struct view *v)
{
    return v->name;
}

const char *view_title(const struct view *v)
{
    return v->title;
}

const char *view_types(const struct view *v)
{
    return strcmp(v->events, "*") == 0 ? NULL : v->events;
}

bool view_in_list(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = list; *p != '\0';) {
        size_t len = strcspn(p, ",");

        if (len == n && memcmp(p, name, n) == 0)
            return true;
        p += len + (p[len] == ',');
    }
    return false;
}
