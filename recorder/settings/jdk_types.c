/* jdk_types.c - event types as tables; jdk_types_test.sh compares them with what the JDKs say. */
#include "recorder/settings/jdk_types.h"

#include <string.h>

/* clang-format off */
#define N(array) array, sizeof(array) / sizeof((array)[0])
#define STRING "java.lang.String"
#define NUMBER(name, label, of, ...) {name, "long", label, .unit = JFR_UNIT_##of, __VA_ARGS__}
#define NOTED(list) .annotations = N(list)

/* A field in one word: by what it holds. */
#define TEXT(name, label) {name, STRING, label}
#define BOOLEAN(name, label) {name, "boolean", label}
#define INT(name, label) {name, "int", label}
#define COUNT(name, label) {name, "int", label, .flags = JFR_UNSIGNED}
#define LONG(name, label) {name, "long", label}
#define BYTES(name, label) NUMBER(name, label, BYTES)
#define UBYTES(name, label) NUMBER(name, label, BYTES, .flags = JFR_UNSIGNED)
#define TICKS(name, label) NUMBER(name, label, TICKS, .flags = JFR_UNSIGNED)
#define NS(name, label) NUMBER(name, label, NS)
#define US(name, label) NUMBER(name, label, US)
#define MS(name, label) NUMBER(name, label, MS)
#define EPOCH(name, label) NUMBER(name, label, TIMESTAMP_MS)
#define HERTZ(name, label) NUMBER(name, label, HERTZ)
#define ADDRESS(name, label) NUMBER(name, label, ADDRESS, .flags = JFR_UNSIGNED)
#define MONITOR(name, label) NUMBER(name, label, ADDRESS, .flags = JFR_UNSIGNED, NOTED(monitor))
#define BIT_RATE(name, label) NUMBER(name, label, BITS, NOTED(frequency))
#define PERCENT(name, label) {name, "float", label, .unit = JFR_UNIT_PERCENT}
#define POOL(name, label, type) {name, type, label, .flags = JFR_POOLED}
#define THREAD(name, label) POOL(name, label, "java.lang.Thread")
#define CLASS(name, label) POOL(name, label, "java.lang.Class")
#define LOADER(name, label) POOL(name, label, "jdk.types.ClassLoader")
#define STACK POOL("stackTrace", "Stack Trace", "jdk.types.StackTrace")
#define STATE POOL("state", "Thread State", "jdk.types.ThreadState")
#define GC_ID {"gcId", "int", "GC Identifier", .flags = JFR_UNSIGNED, NOTED(gc_id)}
#define COMPILE_ID {"compileId", "int", "Compilation Identifier", NOTED(compile_id)}

/* --- values and annotations --- */

static const struct jfr_field_def gc_name[] = {TEXT("name", "Name")};
static const struct jfr_field_def gc_cause[] = {TEXT("cause", "Cause")};
static const struct jfr_field_def gc_when[] = {TEXT("when", "When")};
static const struct jfr_field_def interface_name[] = {
    TEXT("networkInterface", "Network Interface"),
};
static const struct jfr_field_def virtual_space[] = {
    ADDRESS("start", "Start Address"), ADDRESS("committedEnd", "Committed End Address"),
    UBYTES("committedSize", "Committed Size"), ADDRESS("reservedEnd", "Reserved End Address"),
    UBYTES("reservedSize", "Reserved Size"),
};

#define TYPE(name) "jdk.types." name
#define SIMPLE(name, label, list) {TYPE(name), JFR_TYPE_SIMPLE, label, .fields = N(list)}
#define RELATION(name) {TYPE(name), JFR_TYPE_ANNOTATION, NOTED(relational)}

static const struct jfr_annotation_def relational[] = {{"jdk.jfr.Relational"}};
static const struct jfr_annotation_def frequency[] = {{"jdk.jfr.Frequency"}};
static const struct jfr_annotation_def monitor[] = {{TYPE("JavaMonitorAddress")}};
static const struct jfr_annotation_def gc_id[] = {{TYPE("GcId")}};
static const struct jfr_annotation_def compile_id[] = {{TYPE("CompileId")}};

static const struct jfr_type_def values[] = {
    RELATION("JavaMonitorAddress"), RELATION("GcId"), RELATION("CompileId"),
    SIMPLE("GCName", "GC Name", gc_name), SIMPLE("GCCause", "GC Cause", gc_cause),
    SIMPLE("GCWhen", "GC When", gc_when),
    SIMPLE("NetworkInterfaceName", "Network Interface", interface_name),
    {TYPE("VirtualSpace"), JFR_TYPE_VALUE, .fields = N(virtual_space)},
    {"jfrkit.settings.Emit", JFR_TYPE_SETTING, "Emit",
     "Record always, or when an event was recorded in it"},
};

/* --- fields of events, after those that the flags make --- */

static const struct jfr_field_def execution_sample[] = {
    THREAD("sampledThread", "Thread"), STACK, STATE,
};
static const struct jfr_field_def cpu_time_sample[] = {
    THREAD("eventThread", "Thread"), BOOLEAN("failed", "Failed"),
    TICKS("samplingPeriod", "CPU Time Sampling Period"), BOOLEAN("biased", "Biased"),
};
static const struct jfr_field_def cpu_time_samples_lost[] = {
    INT("lostSamples", "Lost Samples"), THREAD("eventThread", "Thread"),
};
static const struct jfr_field_def object_allocation_sample[] = {
    CLASS("objectClass", "Object Class"), BYTES("weight", "Sample Weight"),
};
static const struct jfr_field_def java_monitor_enter[] = {
    CLASS("monitorClass", "Monitor Class"), THREAD("previousOwner", "Previous Monitor Owner"),
    MONITOR("address", "Monitor Address"),
};
static const struct jfr_field_def java_monitor_wait[] = {
    CLASS("monitorClass", "Monitor Class"), THREAD("notifier", "Notifier Thread"),
    MS("timeout", "Timeout"), BOOLEAN("timedOut", "Timed Out"),
    MONITOR("address", "Monitor Address"),
};
static const struct jfr_field_def thread_park[] = {
    CLASS("parkedClass", "Class Parked On"), NS("timeout", "Park Timeout"),
    EPOCH("until", "Park Until"), MONITOR("address", "Address of Object Parked"),
};
static const struct jfr_field_def thread_sleep[] = {NS("time", "Sleep Time")};
static const struct jfr_field_def java_error_throw[] = {
    TEXT("message", "Message"), CLASS("thrownClass", "Class"),
};
static const struct jfr_field_def exception_statistics[] = {
    LONG("throwables", "Exceptions Created"),
};
static const struct jfr_field_def thread_start[] = {
    THREAD("thread", "New Java Thread"), THREAD("parentThread", "Parent Java Thread"),
};
static const struct jfr_field_def thread_end[] = {THREAD("thread", "Java Thread")};
static const struct jfr_field_def virtual_thread[] = {LONG("javaThreadId", "Thread Id")};
static const struct jfr_field_def virtual_thread_pinned[] = {
    TEXT("blockingOperation", "Blocking Operation"), TEXT("pinnedReason", "Pinned Reason"),
    THREAD("carrierThread", "Carrier Thread"),
};
static const struct jfr_field_def java_thread_statistics[] = {
    LONG("activeCount", "Active Threads"), LONG("daemonCount", "Daemon Threads"),
    LONG("accumulatedCount", "Accumulated Threads"), LONG("peakCount", "Peak Threads"),
};
static const struct jfr_field_def garbage_collection[] = {
    GC_ID, POOL("name", "Name", TYPE("GCName")),
    POOL("cause", "Cause", TYPE("GCCause")), TICKS("sumOfPauses", "Sum of Pauses"),
    TICKS("longestPause", "Longest Pause"),
};
static const struct jfr_field_def young_garbage_collection[] = {
    GC_ID, COUNT("tenuringThreshold", "Tenuring Threshold"),
};
static const struct jfr_field_def old_garbage_collection[] = {GC_ID};
static const struct jfr_field_def gc_phase_pause[] = {GC_ID, TEXT("name", "Name")};
static const struct jfr_field_def gc_heap_summary[] = {
    GC_ID, POOL("when", "When", TYPE("GCWhen")),
    {"heapSpace", TYPE("VirtualSpace"), "Heap Space"}, UBYTES("heapUsed", "Heap Used"),
};
static const struct jfr_field_def gc_heap_memory_usage[] = {
    UBYTES("used", "Heap Used"), UBYTES("committed", "Heap Committed"),
    UBYTES("max", "Heap Max"),
};
static const struct jfr_field_def system_gc[] = {
    BOOLEAN("invokedConcurrent", "Invoked Concurrent"),
};
static const struct jfr_field_def class_load[] = {
    CLASS("loadedClass", "Loaded Class"),
    LOADER("definingClassLoader", "Defining Class Loader"),
    LOADER("initiatingClassLoader", "Initiating Class Loader"),
};
static const struct jfr_field_def class_unload[] = {
    CLASS("unloadedClass", "Unloaded Class"),
    LOADER("definingClassLoader", "Defining Class Loader"),
};
static const struct jfr_field_def class_define[] = {
    CLASS("definedClass", "Defined Class"),
    LOADER("definingClassLoader", "Defining Class Loader"),
};
static const struct jfr_field_def class_loading_statistics[] = {
    LONG("loadedClassCount", "Loaded Class Count"),
    LONG("unloadedClassCount", "Unloaded Class Count"),
};
/* The VM tells neither how long it took nor by which compiler or at which level. */
static const struct jfr_field_def compilation[] = {
    COMPILE_ID, POOL("method", "Method", TYPE("Method")), BOOLEAN("succeded", "Succeeded"),
    UBYTES("codeSize", "Compiled Code Size"),
};
static const struct jfr_field_def compiler_statistics[] = {
    INT("compileCount", "Compiled Methods"), INT("bailoutCount", "Bailouts"),
    INT("invalidatedCount", "Invalidated Compilations"),
    INT("osrCompileCount", "OSR Compilations"),
    INT("standardCompileCount", "Standard Compilations"),
    UBYTES("osrBytesCompiled", "OSR Bytes Compiled"),
    UBYTES("standardBytesCompiled", "Standard Bytes Compiled"),
    UBYTES("nmethodsSize", "Compilation Resulting Size"),
    UBYTES("nmethodCodeSize", "Compilation Resulting Code Size"),
    MS("peakTimeSpent", "Peak Time"), MS("totalTimeSpent", "Total Time"),
};
static const struct jfr_field_def jvm_information[] = {
    TEXT("jvmName", "JVM Name"), TEXT("jvmVersion", "JVM Version"),
    TEXT("jvmArguments", "JVM Command Line Arguments"),
    TEXT("jvmFlags", "JVM Settings File Arguments"),
    TEXT("javaArguments", "Java Application Arguments"),
    EPOCH("jvmStartTime", "JVM Start Time"), LONG("pid", "Process Identifier"),
};
static const struct jfr_field_def initial_system_property[] = {
    TEXT("key", "Key"), TEXT("value", "Value"),
};
static const struct jfr_field_def native_library[] = {
    TEXT("name", "Name"), ADDRESS("baseAddress", "Base Address"),
    ADDRESS("topAddress", "Top Address"),
};
static const struct jfr_field_def shutdown[] = {TEXT("reason", "Reason")};
static const struct jfr_field_def cpu_load[] = {
    PERCENT("jvmUser", "JVM User"), PERCENT("jvmSystem", "JVM System"),
    PERCENT("machineTotal", "Machine Total"),
};
static const struct jfr_field_def thread_cpu_load[] = {
    PERCENT("user", "User Mode CPU Load"), PERCENT("system", "System Mode CPU Load"),
};
static const struct jfr_field_def thread_context_switch_rate[] = {
    {"switchRate", "float", "Switch Rate", .unit = JFR_UNIT_HERTZ},
};
static const struct jfr_field_def physical_memory[] = {
    UBYTES("totalSize", "Total Size"), UBYTES("usedSize", "Used Size"),
};
static const struct jfr_field_def swap_space[] = {
    BYTES("totalSize", "Total Size"), BYTES("freeSize", "Free Size"),
};
static const struct jfr_field_def resident_set_size[] = {
    UBYTES("size", "Resident Set Size"), UBYTES("peak", "Resident Set Size Peak Value"),
};
static const struct jfr_field_def network_utilization[] = {
    POOL("networkInterface", "Network Interface", TYPE("NetworkInterfaceName")),
    BIT_RATE("readRate", "Read Rate"), BIT_RATE("writeRate", "Write Rate"),
};
static const struct jfr_field_def container_configuration[] = {
    TEXT("containerType", "Container Type"), US("cpuSlicePeriod", "CPU Slice Period"),
    US("cpuQuota", "CPU Quota"), LONG("cpuShares", "CPU Shares"),
    LONG("effectiveCpuCount", "Effective CPU Count"),
    BYTES("memorySoftLimit", "Memory Soft Limit"), BYTES("memoryLimit", "Memory Limit"),
    BYTES("swapMemoryLimit", "Memory and Swap Limit"),
    BYTES("hostTotalMemory", "Container Host Total Memory"),
    BYTES("hostTotalSwapMemory", "Container Host Total Swap Memory"),
};
static const struct jfr_field_def container_cpu_usage[] = {
    NS("cpuTime", "CPU Time"), NS("cpuUserTime", "CPU User Time"),
    NS("cpuSystemTime", "CPU System Time"),
};
static const struct jfr_field_def container_cpu_throttling[] = {
    LONG("cpuElapsedSlices", "CPU Elapsed Slices"),
    LONG("cpuThrottledSlices", "CPU Throttled Slices"),
    NS("cpuThrottledTime", "CPU Throttled Time"),
};
static const struct jfr_field_def container_memory_usage[] = {
    LONG("memoryFailCount", "Memory Fail Count"), BYTES("memoryUsage", "Memory Usage"),
    BYTES("swapMemoryUsage", "Memory and Swap Usage"),
};
static const struct jfr_field_def container_io_usage[] = {
    LONG("serviceRequests", "Block IO Request Count"),
    BYTES("dataTransferred", "Block IO Transfer"),
};
static const struct jfr_field_def os_information[] = {TEXT("osVersion", "OS Version")};
static const struct jfr_field_def cpu_information[] = {
    TEXT("cpu", "Type"), TEXT("description", "Description"), COUNT("sockets", "Sockets"),
    COUNT("cores", "Cores"), COUNT("hwThreads", "Hardware Threads"),
};
static const struct jfr_field_def cpu_time_stamp_counter[] = {
    BOOLEAN("fastTimeEnabled", "Fast Time"), BOOLEAN("fastTimeAutoEnabled", "Trusted Platform"),
    HERTZ("osFrequency", "OS Frequency"),
    HERTZ("fastTimeFrequency", "Fast Time Frequency"),
};
static const struct jfr_field_def virtualization_information[] = {TEXT("name", "Name")};
static const struct jfr_field_def system_process[] = {
    TEXT("pid", "Process Identifier"), TEXT("commandLine", "Command Line"),
};
static const struct jfr_field_def active_recording[] = {
    LONG("id", "Id"), TEXT("name", "Name"), TEXT("destination", "Destination"),
    BOOLEAN("disk", "To Disk"), MS("maxAge", "Max Age"), MS("flushInterval", "Flush Interval"),
    BYTES("maxSize", "Max Size"), EPOCH("recordingStart", "Start Time"),
    MS("recordingDuration", "Recording Duration"),
};
static const struct jfr_field_def active_setting[] = {
    LONG("id", "Event Id"), TEXT("name", "Setting Name"), TEXT("value", "Setting Value"),
};
static const struct jfr_field_def data_loss[] = {
    UBYTES("amount", "Amount"), UBYTES("total", "Total"),
};
static const struct jfr_field_def dump_reason[] = {
    TEXT("reason", "Reason"), INT("recordingId", "Recording Id"),
};
static const struct jfr_field_def file_read[] = {
    TEXT("path", "Path"), BYTES("bytesRead", "Bytes Read"),
    {"endOfFile", "boolean", "End of File"},
};
static const struct jfr_field_def file_write[] = {
    TEXT("path", "Path"), BYTES("bytesWritten", "Bytes Written"),
};
static const struct jfr_field_def file_force[] = {
    TEXT("path", "Path"), {"metaData", "boolean", "Update Metadata"},
};
static const struct jfr_field_def socket_read[] = {
    TEXT("host", "Remote Host"), TEXT("address", "Remote Address"), INT("port", "Remote Port"),
    MS("timeout", "Timeout Value"), BYTES("bytesRead", "Bytes Read"),
    {"endOfStream", "boolean", "End of Stream"},
};
static const struct jfr_field_def socket_write[] = {
    TEXT("host", "Remote Host"), TEXT("address", "Remote Address"), INT("port", "Remote Port"),
    BYTES("bytesWritten", "Bytes Written"),
};
static const struct jfr_field_def wall_clock_sample[] = {
    THREAD("sampledThread", "Thread"), STACK, STATE, COUNT("samples", "Samples"),
    {"timeSpan", "long", "Time Span", .unit = JFR_UNIT_TICKS},
};

/* --- events --- */

#define SETTING(name, type, value) {name, "jdk.settings." type, value}
#define ENABLED SETTING("enabled", "Enabled", "false")
#define STACK_TRACE SETTING("stackTrace", "StackTrace", "true")
#define THRESHOLD SETTING("threshold", "Threshold", "0 ns")

static const struct jfr_setting_def SWITCHED[] = {ENABLED};
static const struct jfr_setting_def PERIODIC[] = {
    SETTING("period", "Period", "everyChunk"), ENABLED,
};
static const struct jfr_setting_def LASTING[] = {THRESHOLD, ENABLED};
static const struct jfr_setting_def STACKED[] = {STACK_TRACE, ENABLED};
static const struct jfr_setting_def TIMED[] = {THRESHOLD, STACK_TRACE, ENABLED};
static const struct jfr_setting_def THROTTLED[] = {
    STACK_TRACE, SETTING("throttle", "Throttle", "off"), ENABLED,
};

#define APP "Java Application"
#define VM "Java Virtual Machine"
#define OS "Operating System"
#define FR "Flight Recorder"
#define DUR JFR_HAS_DURATION
#define THR JFR_HAS_THREAD
#define STK JFR_HAS_STACK

#define EVENT(e, name, label, path, has, fields, settings) \
    NAMED_EVENT(e, "jdk." name, label, path, has, fields, settings)
#define NAMED_EVENT(e, full, text, path, has, list, set) \
    [EV_##e] = {full, JFR_TYPE_EVENT, text, .category = path, .flags = has, .fields = N(list), \
                .settings = N(set)}

#define GC_PHASE_LEVEL(n) \
    EVENT(GC_PHASE_PAUSE_LEVEL_##n, "GCPhasePauseLevel" #n, "GC Phase Pause Level " #n, \
          VM "|GC|Phases", DUR | THR, gc_phase_pause, LASTING)

static const struct jfr_type_def events[EV_N] = {
    EVENT(EXECUTION_SAMPLE, "ExecutionSample", "Java Execution Sample", VM "|Profiling",
          0, execution_sample, PERIODIC),
    EVENT(NATIVE_METHOD_SAMPLE, "NativeMethodSample", "Native Sample", VM "|Profiling",
          0, execution_sample, PERIODIC),
    EVENT(CPU_TIME_SAMPLE, "CPUTimeSample", "CPU Time Sample", VM "|Profiling",
          STK, cpu_time_sample, THROTTLED),
    EVENT(CPU_TIME_SAMPLES_LOST, "CPUTimeSamplesLost", "CPU Time Samples Lost", VM "|Profiling",
          0, cpu_time_samples_lost, SWITCHED),
    NAMED_EVENT(WALL_CLOCK_SAMPLE, "profiler.WallClockSample", "Wall Clock Sample", VM "|Profiling",
                0, wall_clock_sample, PERIODIC),
    EVENT(OBJECT_ALLOCATION_SAMPLE, "ObjectAllocationSample", "Object Allocation Sample", APP,
          THR | STK, object_allocation_sample, THROTTLED),
    EVENT(JAVA_MONITOR_ENTER, "JavaMonitorEnter", "Java Monitor Blocked", APP,
          DUR | THR | STK, java_monitor_enter, TIMED),
    EVENT(JAVA_MONITOR_WAIT, "JavaMonitorWait", "Java Monitor Wait", APP,
          DUR | THR | STK, java_monitor_wait, TIMED),
    EVENT(THREAD_PARK, "ThreadPark", "Java Thread Park", APP, DUR | THR | STK, thread_park, TIMED),
    EVENT(THREAD_SLEEP, "ThreadSleep", "Java Thread Sleep", APP,
          DUR | THR | STK, thread_sleep, TIMED),
    EVENT(FILE_READ, "FileRead", "File Read", APP, DUR | THR | STK, file_read, TIMED),
    EVENT(FILE_WRITE, "FileWrite", "File Write", APP, DUR | THR | STK, file_write, TIMED),
    EVENT(FILE_FORCE, "FileForce", "File Force", APP, DUR | THR | STK, file_force, TIMED),
    EVENT(SOCKET_READ, "SocketRead", "Socket Read", APP, DUR | THR | STK, socket_read, TIMED),
    EVENT(SOCKET_WRITE, "SocketWrite", "Socket Write", APP, DUR | THR | STK, socket_write, TIMED),
    EVENT(JAVA_ERROR_THROW, "JavaErrorThrow", "Java Error", APP,
          THR | STK, java_error_throw, STACKED),
    EVENT(JAVA_EXCEPTION_THROW, "JavaExceptionThrow", "Java Exception", APP,
          THR | STK, java_error_throw, THROTTLED),
    EVENT(EXCEPTION_STATISTICS, "ExceptionStatistics", "Exception Statistics", APP "|Statistics",
          0, exception_statistics, PERIODIC),
    EVENT(THREAD_START, "ThreadStart", "Java Thread Start", APP, THR | STK, thread_start, STACKED),
    EVENT(THREAD_END, "ThreadEnd", "Java Thread End", APP, THR, thread_end, SWITCHED),
    EVENT(VIRTUAL_THREAD_START, "VirtualThreadStart", "Virtual Thread Start", APP,
          THR | STK, virtual_thread, STACKED),
    EVENT(VIRTUAL_THREAD_END, "VirtualThreadEnd", "Virtual Thread End", APP,
          THR, virtual_thread, SWITCHED),
    EVENT(VIRTUAL_THREAD_PINNED, "VirtualThreadPinned", "Virtual Thread Pinned", APP,
          DUR | THR | STK, virtual_thread_pinned, TIMED),
    EVENT(JAVA_THREAD_STATISTICS, "JavaThreadStatistics", "Java Thread Statistics",
          APP "|Statistics", 0, java_thread_statistics, PERIODIC),
    EVENT(GARBAGE_COLLECTION, "GarbageCollection", "Garbage Collection", VM "|GC|Collector",
          DUR | THR, garbage_collection, LASTING),
    EVENT(YOUNG_GARBAGE_COLLECTION, "YoungGarbageCollection", "Young Garbage Collection",
          VM "|GC|Collector", DUR, young_garbage_collection, LASTING),
    EVENT(OLD_GARBAGE_COLLECTION, "OldGarbageCollection", "Old Garbage Collection",
          VM "|GC|Collector", DUR, old_garbage_collection, LASTING),
    EVENT(GC_PHASE_PAUSE, "GCPhasePause", "GC Phase Pause", VM "|GC|Phases",
          DUR | THR, gc_phase_pause, LASTING),
    GC_PHASE_LEVEL(1), GC_PHASE_LEVEL(2), GC_PHASE_LEVEL(3), GC_PHASE_LEVEL(4),
    EVENT(GC_HEAP_SUMMARY, "GCHeapSummary", "Heap Summary", VM "|GC|Heap",
          0, gc_heap_summary, SWITCHED),
    EVENT(GC_HEAP_MEMORY_USAGE, "GCHeapMemoryUsage", "GC Heap Memory Usage", VM "|Heap",
          0, gc_heap_memory_usage, PERIODIC),
    EVENT(SYSTEM_GC, "SystemGC", "System GC", VM "|GC|Collector",
          DUR | THR | STK, system_gc, TIMED),
    EVENT(CLASS_LOAD, "ClassLoad", "Class Load", VM "|Class Loading",
          DUR | THR | STK, class_load, TIMED),
    EVENT(CLASS_DEFINE, "ClassDefine", "Class Define", VM "|Class Loading",
          THR | STK, class_define, STACKED),
    EVENT(CLASS_UNLOAD, "ClassUnload", "Class Unload", VM "|Class Loading",
          THR, class_unload, SWITCHED),
    EVENT(CLASS_LOADING_STATISTICS, "ClassLoadingStatistics", "Class Loading Statistics",
          APP "|Statistics", 0, class_loading_statistics, PERIODIC),
    EVENT(COMPILATION, "Compilation", "Compilation", VM "|Compiler",
          THR, compilation, LASTING),
    EVENT(COMPILER_STATISTICS, "CompilerStatistics", "Compiler Statistics", VM "|Compiler",
          0, compiler_statistics, PERIODIC),
    EVENT(JVM_INFORMATION, "JVMInformation", "JVM Information", VM, 0, jvm_information, PERIODIC),
    EVENT(INITIAL_SYSTEM_PROPERTY, "InitialSystemProperty", "Initial System Property", VM,
          0, initial_system_property, PERIODIC),
    EVENT(NATIVE_LIBRARY, "NativeLibrary", "Native Library", VM "|Runtime",
          0, native_library, PERIODIC),
    EVENT(SHUTDOWN, "Shutdown", "JVM Shutdown", VM "|Runtime", THR | STK, shutdown, STACKED),
    EVENT(CPU_LOAD, "CPULoad", "CPU Load", OS "|Processor", 0, cpu_load, PERIODIC),
    EVENT(THREAD_CPU_LOAD, "ThreadCPULoad", "Thread CPU Load", OS "|Processor",
          THR, thread_cpu_load, PERIODIC),
    EVENT(THREAD_CONTEXT_SWITCH_RATE, "ThreadContextSwitchRate", "Thread Context Switch Rate",
          OS "|Processor", 0, thread_context_switch_rate, PERIODIC),
    EVENT(PHYSICAL_MEMORY, "PhysicalMemory", "Physical Memory", OS "|Memory",
          0, physical_memory, PERIODIC),
    EVENT(SWAP_SPACE, "SwapSpace", "Swap Space", OS "|Memory", 0, swap_space, PERIODIC),
    EVENT(RESIDENT_SET_SIZE, "ResidentSetSize", "Resident Set Size", VM "|Memory",
          0, resident_set_size, PERIODIC),
    EVENT(NETWORK_UTILIZATION, "NetworkUtilization", "Network Utilization", OS "|Network",
          0, network_utilization, PERIODIC),
    EVENT(CONTAINER_CONFIGURATION, "ContainerConfiguration", "Container Configuration", OS,
          0, container_configuration, PERIODIC),
    EVENT(CONTAINER_CPU_USAGE, "ContainerCPUUsage", "CPU Usage", OS "|Processor",
          0, container_cpu_usage, PERIODIC),
    EVENT(CONTAINER_CPU_THROTTLING, "ContainerCPUThrottling", "CPU Throttling", OS "|Processor",
          0, container_cpu_throttling, PERIODIC),
    EVENT(CONTAINER_MEMORY_USAGE, "ContainerMemoryUsage", "Container Memory Usage", OS "|Memory",
          0, container_memory_usage, PERIODIC),
    EVENT(CONTAINER_IO_USAGE, "ContainerIOUsage", "Container IO Usage", OS "|File System",
          0, container_io_usage, PERIODIC),
    EVENT(OS_INFORMATION, "OSInformation", "OS Information", OS, 0, os_information, PERIODIC),
    EVENT(CPU_INFORMATION, "CPUInformation", "CPU Information", OS "|Processor",
          0, cpu_information, PERIODIC),
    EVENT(CPU_TIME_STAMP_COUNTER, "CPUTimeStampCounter", "CPU Time Stamp Counter", OS "|Processor",
          0, cpu_time_stamp_counter, PERIODIC),
    EVENT(VIRTUALIZATION_INFORMATION, "VirtualizationInformation", "Virtualization Information", OS,
          0, virtualization_information, PERIODIC),
    EVENT(INITIAL_ENVIRONMENT_VARIABLE, "InitialEnvironmentVariable",
          "Initial Environment Variable", OS, 0, initial_system_property, PERIODIC),
    EVENT(SYSTEM_PROCESS, "SystemProcess", "System Process", OS, 0, system_process, PERIODIC),
    EVENT(ACTIVE_RECORDING, "ActiveRecording", "Flight Recording", FR,
          0, active_recording, SWITCHED),
    EVENT(ACTIVE_SETTING, "ActiveSetting", "Recording Setting", FR, 0, active_setting, SWITCHED),
    EVENT(DATA_LOSS, "DataLoss", "Data Loss", FR, 0, data_loss, SWITCHED),
    EVENT(DUMP_REASON, "DumpReason", "Recording Reason", FR, 0, dump_reason, SWITCHED),
};
/* clang-format on */

#define N_VALUES (sizeof(values) / sizeof(values[0]))

const struct jfr_type_def *jdk_type(enum event e)
{
    return &events[e];
}

enum event jdk_type_find(const char *name)
{
    for (int e = 0; e < EV_N; e++)
        if (strcmp(events[e].name, name) == 0)
            return (enum event)e;
    return EV_N;
}

int jdk_types_declare(struct jfr_writer *w, int64_t *ids, const struct jdk_type_plan *plans)
{
    struct jfr_type_def defs[N_VALUES + EV_N];
    int64_t first;

    memcpy(defs, values, sizeof(values));
    memcpy(defs + N_VALUES, events, sizeof(events));
    for (size_t i = 0; i < N_VALUES; i++)
        defs[i].flags |= JFR_ON_USE;
    for (int e = 0; e < EV_N && plans != NULL; e++)
        defs[N_VALUES + e].flags |= plans[e].is_wanted ? 0 : JFR_ON_USE;
    first = jfr_writer_declare(w, defs, N_VALUES + EV_N);
    if (first < 0)
        return (int)first;
    for (int e = 0; e < EV_N; e++)
        ids[e] = jfr_writer_type(w, events[e].name);
    return 0;
}
