/*
 * writer_demo.h - a small recording with one event of every kind that JMC's pages look for, written
 * by the tests of the writer and shown to other readers.
 */
#ifndef JFRFMT_TEST_WRITER_DEMO_H
#define JFRFMT_TEST_WRITER_DEMO_H

#include "jfrfmt/write/writer.h"

#include <stdbool.h>
#include <string.h>

/* clang-format off */
#define DEMO_N(array) array, sizeof(array) / sizeof((array)[0])
#define DEMO_STRING "java.lang.String"
#define DEMO_TEXT(name, label) {name, DEMO_STRING, label}
#define DEMO_BYTES(name, label) {name, "long", label, .unit = JFR_UNIT_BYTES}
#define DEMO_UBYTES(name, label) {name, "long", label, .unit = JFR_UNIT_BYTES, .flags = JFR_UNSIGNED}
#define DEMO_ADDRESS(name, label) {name, "long", label, .unit = JFR_UNIT_ADDRESS, .flags = JFR_UNSIGNED}
#define DEMO_MS(name, label) {name, "long", label, .unit = JFR_UNIT_MS}
#define DEMO_EPOCH(name, label) {name, "long", label, .unit = JFR_UNIT_TIMESTAMP_MS}
#define DEMO_COUNT(name, label) {name, "int", label, .flags = JFR_UNSIGNED}
#define DEMO_PERCENT(name, label) {name, "float", label, .unit = JFR_UNIT_PERCENT}
#define DEMO_CLASS(name, label) {name, "java.lang.Class", label, .flags = JFR_POOLED}
#define DEMO_THREAD(name, label) {name, "java.lang.Thread", label, .flags = JFR_POOLED}
#define DEMO_ENUM(name, type, label) {name, "jdk.types." type, label, .flags = JFR_POOLED}

static const struct jfr_field_def demo_text[] = {{"text", DEMO_STRING}};
static const struct jfr_field_def demo_space[] = {
    DEMO_ADDRESS("start", "Start"), DEMO_ADDRESS("committedEnd", "Committed End"),
    DEMO_UBYTES("committedSize", "Committed Size"), DEMO_ADDRESS("reservedEnd", "Reserved End"),
    DEMO_UBYTES("reservedSize", "Reserved Size"),
};
static const struct jfr_field_def demo_sample[] = {
    DEMO_THREAD("sampledThread", "Thread"),
    {"stackTrace", "jdk.types.StackTrace", "Stack Trace", .flags = JFR_POOLED},
    DEMO_ENUM("state", "ThreadState", "Thread State"),
};
static const struct jfr_field_def demo_file_read[] = {
    DEMO_TEXT("path", "Path"), DEMO_BYTES("bytesRead", "Bytes Read"),
    {"endOfFile", "boolean", "End of File"},
};
static const struct jfr_field_def demo_socket_read[] = {
    DEMO_TEXT("host", "Remote Host"), DEMO_TEXT("address", "Remote Address"),
    {"port", "int", "Remote Port"}, DEMO_MS("timeout", "Timeout Value"),
    DEMO_BYTES("bytesRead", "Bytes Read"), {"endOfStream", "boolean", "End of Stream"},
};
static const struct jfr_field_def demo_thread_start[] = {
    DEMO_THREAD("thread", "New Java Thread"), DEMO_THREAD("parentThread", "Parent Java Thread"),
};
static const struct jfr_field_def demo_allocation[] = {
    DEMO_CLASS("objectClass", "Object Class"), DEMO_BYTES("weight", "Sample Weight"),
};
static const struct jfr_field_def demo_enter[] = {
    DEMO_CLASS("monitorClass", "Monitor Class"), DEMO_THREAD("previousOwner", "Previous Owner"),
    DEMO_ADDRESS("address", "Monitor Address"),
};
static const struct jfr_field_def demo_load[] = {
    DEMO_PERCENT("jvmUser", "JVM User"), DEMO_PERCENT("jvmSystem", "JVM System"),
    DEMO_PERCENT("machineTotal", "Machine Total"),
};
static const struct jfr_field_def demo_jvm[] = {
    DEMO_TEXT("jvmName", "JVM Name"), DEMO_TEXT("jvmVersion", "JVM Version"),
    DEMO_TEXT("jvmArguments", "JVM Command Line Arguments"),
    DEMO_TEXT("jvmFlags", "JVM Settings File Arguments"),
    DEMO_TEXT("javaArguments", "Java Application Arguments"),
    DEMO_EPOCH("jvmStartTime", "JVM Start Time"), {"pid", "long", "Process Identifier"},
};
static const struct jfr_field_def demo_os[] = {DEMO_TEXT("osVersion", "OS Version")};
static const struct jfr_field_def demo_cpu[] = {
    DEMO_TEXT("cpu", "Type"), DEMO_TEXT("description", "Description"),
    DEMO_COUNT("sockets", "Sockets"), DEMO_COUNT("cores", "Cores"),
    DEMO_COUNT("hwThreads", "Hardware Threads"),
};
static const struct jfr_field_def demo_property[] = {
    DEMO_TEXT("key", "Key"), DEMO_TEXT("value", "Value"),
};
static const struct jfr_field_def demo_heap[] = {
    DEMO_COUNT("gcId", "GC Identifier"), DEMO_ENUM("when", "GCWhen", "When"),
    {"heapSpace", "jdk.types.VirtualSpace", "Heap Space"}, DEMO_UBYTES("heapUsed", "Heap Used"),
};
static const struct jfr_field_def demo_gc[] = {
    DEMO_COUNT("gcId", "GC Identifier"), DEMO_ENUM("name", "GCName", "Name"),
    DEMO_ENUM("cause", "GCCause", "Cause"),
    {"sumOfPauses", "long", "Sum of Pauses", .unit = JFR_UNIT_TICKS},
    {"longestPause", "long", "Longest Pause", .unit = JFR_UNIT_TICKS},
};
static const struct jfr_field_def demo_setting[] = {
    {"id", "long", "Event Id"}, DEMO_TEXT("name", "Setting Name"),
    DEMO_TEXT("value", "Setting Value"),
};
static const struct jfr_field_def demo_throw[] = {
    DEMO_TEXT("message", "Message"), DEMO_CLASS("thrownClass", "Class"),
};
static const struct jfr_field_def demo_own[] = {
    {"user", DEMO_STRING, "User", .flags = JFR_CONTEXTUAL},
    {"action", DEMO_STRING, "Action", .flags = JFR_CONTEXTUAL | JFR_POOLED},
    {"small", "short", "Small"}, {"letter", "char", "Letter"}, {"octet", "byte", "Octet"},
    {"ratio", "double", "Ratio"}, {"rate", "long", "Rate", .unit = JFR_UNIT_HERTZ},
};
static const struct jfr_setting_def demo_settings[] = {
    {"enabled", "jdk.settings.Enabled", "true"}, {"period", "jdk.settings.Period", "20 ms"},
};

#define DEMO_J .category = "Java Application"
#define DEMO_V .category = "Java Virtual Machine"
#define DEMO_TES .flags = JFR_HAS_THREAD | JFR_HAS_STACK
#define DEMO_TDES .flags = JFR_HAS_DURATION | JFR_HAS_THREAD | JFR_HAS_STACK
#define DEMO_EVENT(name, label, array, ...) \
    {name, JFR_TYPE_EVENT, label, .fields = DEMO_N(array), __VA_ARGS__}
#define DEMO_SIMPLE(name) {"jdk.types." name, JFR_TYPE_SIMPLE, .fields = DEMO_N(demo_text)}

enum demo_type {
    DEMO_GC_WHEN, DEMO_GC_NAME, DEMO_GC_CAUSE, DEMO_SPACE, DEMO_SAMPLE, DEMO_FILE_READ,
    DEMO_SOCKET_READ, DEMO_THREAD_START, DEMO_ALLOCATION, DEMO_ENTER, DEMO_LOAD, DEMO_JVM, DEMO_OS,
    DEMO_CPU, DEMO_PROPERTY, DEMO_HEAP, DEMO_GC, DEMO_SETTING, DEMO_THROW, DEMO_OWN, DEMO_N_TYPES,
};

static const struct jfr_type_def demo_types[DEMO_N_TYPES] = {
    DEMO_SIMPLE("GCWhen"), DEMO_SIMPLE("GCName"), DEMO_SIMPLE("GCCause"),
    {"jdk.types.VirtualSpace", JFR_TYPE_VALUE, .fields = DEMO_N(demo_space)},
    DEMO_EVENT("jdk.ExecutionSample", "Method Profiling Sample", demo_sample,
               .category = "Java Virtual Machine|Profiling", .settings = DEMO_N(demo_settings)),
    DEMO_EVENT("jdk.FileRead", "File Read", demo_file_read, DEMO_J, DEMO_TDES),
    DEMO_EVENT("jdk.SocketRead", "Socket Read", demo_socket_read, DEMO_J, DEMO_TDES),
    DEMO_EVENT("jdk.ThreadStart", "Java Thread Start", demo_thread_start, DEMO_J, DEMO_TES),
    DEMO_EVENT("jdk.ObjectAllocationSample", "Object Allocation Sample", demo_allocation, DEMO_J,
               DEMO_TES),
    DEMO_EVENT("jdk.JavaMonitorEnter", "Java Monitor Blocked", demo_enter, DEMO_J, DEMO_TDES),
    DEMO_EVENT("jdk.CPULoad", "CPU Load", demo_load, .category = "Operating System|Processor"),
    DEMO_EVENT("jdk.JVMInformation", "JVM Information", demo_jvm, DEMO_V),
    DEMO_EVENT("jdk.OSInformation", "OS Information", demo_os, .category = "Operating System"),
    DEMO_EVENT("jdk.CPUInformation", "CPU Information", demo_cpu,
               .category = "Operating System|Processor"),
    DEMO_EVENT("jdk.InitialSystemProperty", "Initial System Property", demo_property, DEMO_V),
    DEMO_EVENT("jdk.GCHeapSummary", "Heap Summary", demo_heap,
               .category = "Java Virtual Machine|GC|Heap"),
    DEMO_EVENT("jdk.GarbageCollection", "Garbage Collection", demo_gc,
               .category = "Java Virtual Machine|GC|Collector", .flags = JFR_HAS_DURATION),
    DEMO_EVENT("jdk.ActiveSetting", "Recording Setting", demo_setting,
               .category = "Flight Recorder"),
    DEMO_EVENT("jdk.JavaExceptionThrow", "Java Exception", demo_throw, DEMO_J, DEMO_TDES),
    DEMO_EVENT("demo.Own", "Own Event", demo_own, DEMO_J, .flags = JFR_HAS_THREAD),
};
/* clang-format on */

#define DEMO_STACKS 4
#define DEMO_START_NANOS INT64_C(1700000000000000000)
#define DEMO_START_TICKS INT64_C(5000000000)
#define DEMO_CHUNK_TICKS INT64_C(10000000000)

struct demo {
    struct jfr_writer *w;
    int64_t first; /* id of demo_types[0] */
    int64_t now;
    uint64_t cls, array, stacks[DEMO_STACKS], when[2], name, cause, action;
};

static inline int64_t demo_id(const struct demo *d, enum demo_type type)
{
    return jfr_writer_type(d->w, demo_types[type].name);
}

static inline void demo_threads(struct demo *d)
{
    uint64_t system = jfr_writer_thread_group(d->w, 0, "system");
    uint64_t group = jfr_writer_thread_group(d->w, system, "main");

    jfr_writer_thread(d->w, 1, &(struct jfr_thread_def){"main", "main", 4101, 1, group, false});
    /* modified UTF-8: a character beyond U+FFFF, and a NUL */
    jfr_writer_thread(d->w, 2,
                      &(struct jfr_thread_def){"w\xc3\xb6rker-1",
                                               "w\xc3\xb6rker-\xed\xa0\xbd\xed"
                                               "\xb8\x80\xc0\x80",
                                               4102, 12, group, false});
    jfr_writer_thread(d->w, 3, &(struct jfr_thread_def){"GC Thread#0", NULL, 4103, 0, 0, false});
}

static inline void demo_constants(struct demo *d)
{
    struct jfr_writer *w = d->w;
    uint64_t lib = jfr_writer_class(w, &(struct jfr_class_def){.name = "libc.so.6"});
    uint64_t read = jfr_writer_method(w, lib, "read", "", 0x100, false);
    uint64_t run;

    d->cls = jfr_writer_class(w, &(struct jfr_class_def){.name = "com/acme/Main", .modifiers = 1});
    d->array = jfr_writer_class(w, &(struct jfr_class_def){.name = "[B", .modifiers = 1041});
    run = jfr_writer_method(w, d->cls, "run", "(ILjava/lang/String;)V", 1, false);
    for (int i = 0; i < DEMO_STACKS; i++) {
        struct jfr_frame frames[] = {
            {.method_key = read, .type_key = JFR_FRAME_NATIVE, .line = -1, .bci = -1},
            {.method_key = run, .type_key = JFR_FRAME_JIT, .line = 42 + i, .bci = 7},
        };
        d->stacks[i] = jfr_writer_stack(w, frames, 2, i == 3);
    }
    d->when[0] = jfr_writer_simple(w, demo_id(d, DEMO_GC_WHEN), "Before GC", 9);
    d->when[1] = jfr_writer_simple(w, demo_id(d, DEMO_GC_WHEN), "After GC", 8);
    d->name = jfr_writer_simple(w, demo_id(d, DEMO_GC_NAME), "G1New", 5);
    d->cause = jfr_writer_simple(w, demo_id(d, DEMO_GC_CAUSE), "System.gc()", 11);
    d->action = jfr_writer_string(w, "checkout", 8);
}

static inline void demo_begin(struct demo *d, enum demo_type type)
{
    d->now += 1000000;
    jfr_event_begin(d->w, demo_id(d, type), d->now);
}

/* duration, thread and stack */
static inline void demo_usual(struct demo *d, enum demo_type type)
{
    demo_begin(d, type);
    if (demo_types[type].flags & JFR_HAS_DURATION)
        jfr_put_long(d->w, 250000);
    if (demo_types[type].flags & JFR_HAS_THREAD)
        jfr_put_key(d->w, 1);
    if (demo_types[type].flags & JFR_HAS_STACK)
        jfr_put_key(d->w, d->stacks[0]);
}

static inline void demo_repeated(struct demo *d)
{
    for (int i = DEMO_SAMPLE; i < DEMO_N_TYPES; i++) {
        demo_begin(d, DEMO_SETTING);
        jfr_put_long(d->w, demo_id(d, (enum demo_type)i));
        jfr_put_string(d->w, "enabled");
        jfr_put_string(d->w, "true");
        jfr_event_end_repeated(d->w);
    }
    demo_begin(d, DEMO_JVM);
    jfr_put_string(d->w, "OpenJDK 64-Bit Server VM");
    jfr_put_string(d->w, "OpenJDK 64-Bit Server VM (17.0.15+6) for linux-amd64 JRE (17.0.15+6)");
    jfr_put_string(d->w, "-Xmx1g");
    jfr_put_string(d->w, NULL);
    jfr_put_string(d->w, "com.acme.Main a b");
    jfr_put_long(d->w, 1699999990000);
    jfr_put_long(d->w, 4100);
    jfr_event_end_repeated(d->w);
    demo_begin(d, DEMO_OS);
    jfr_put_string(d->w, "Linux 6.1");
    jfr_event_end_repeated(d->w);
    demo_begin(d, DEMO_CPU);
    jfr_put_string(d->w, "Intel x86-64");
    jfr_put_string(d->w, "Brand");
    jfr_put_int(d->w, 1);
    jfr_put_int(d->w, 8);
    jfr_put_int(d->w, 16);
    jfr_event_end_repeated(d->w);
}

static inline void demo_samples(struct demo *d, int n)
{
    for (int i = 0; i < n; i++) {
        demo_begin(d, DEMO_SAMPLE);
        jfr_put_key(d->w, (uint64_t)(1 + i % 2));
        jfr_put_key(d->w, d->stacks[i % DEMO_STACKS]);
        jfr_put_key(d->w, JFR_STATE_RUNNABLE);
        jfr_event_end(d->w);
    }
}

static inline void demo_io(struct demo *d)
{
    demo_usual(d, DEMO_FILE_READ);
    jfr_put_string(d->w, "/tmp/x");
    jfr_put_long(d->w, 4096);
    jfr_put_boolean(d->w, false);
    jfr_event_end(d->w);
    demo_usual(d, DEMO_SOCKET_READ);
    jfr_put_string(d->w, "localhost");
    jfr_put_string(d->w, "127.0.0.1");
    jfr_put_int(d->w, 8080);
    jfr_put_long(d->w, 0);
    jfr_put_long(d->w, 100);
    jfr_put_boolean(d->w, false);
    jfr_event_end(d->w);
}

static inline void demo_java(struct demo *d)
{
    demo_begin(d, DEMO_THREAD_START);
    jfr_put_key(d->w, 2);
    jfr_put_key(d->w, d->stacks[0]);
    jfr_put_key(d->w, 2);
    jfr_put_key(d->w, 1);
    jfr_event_end(d->w);
    demo_usual(d, DEMO_ALLOCATION);
    jfr_put_key(d->w, d->array);
    jfr_put_long(d->w, 524288);
    jfr_event_end(d->w);
    demo_usual(d, DEMO_ENTER);
    jfr_put_key(d->w, d->cls);
    jfr_put_key(d->w, 2);
    jfr_put_long(d->w, 0x7f0012345678);
    jfr_event_end(d->w);
    demo_usual(d, DEMO_THROW);
    jfr_put_string(d->w, "boom");
    jfr_put_key(d->w, d->cls);
    jfr_event_end(d->w);
    demo_usual(d, DEMO_OWN);
    jfr_put_string(d->w, "J\xc3\xbcrgen");
    jfr_put_key(d->w, d->action);
    jfr_put_int(d->w, -2);
    jfr_put_int(d->w, 'x');
    jfr_put_byte(d->w, -3);
    jfr_put_double(d->w, 0.25);
    jfr_put_long(d->w, 1000);
    jfr_event_end(d->w);
}

static inline void demo_vm(struct demo *d)
{
    demo_begin(d, DEMO_LOAD);
    jfr_put_float(d->w, .25f);
    jfr_put_float(d->w, .05f);
    jfr_put_float(d->w, .5f);
    jfr_event_end(d->w);
    demo_begin(d, DEMO_PROPERTY);
    jfr_put_string(d->w, "java.home");
    jfr_put_string(d->w, "");
    jfr_event_end(d->w);
    for (int i = 0; i < 2; i++) {
        demo_begin(d, DEMO_HEAP);
        jfr_put_int(d->w, 1);
        jfr_put_key(d->w, d->when[i]);
        jfr_put_long(d->w, 0x80000000);
        jfr_put_long(d->w, 0x90000000);
        jfr_put_long(d->w, 256 << 20);
        jfr_put_long(d->w, 0xc0000000);
        jfr_put_long(d->w, 1 << 30);
        jfr_put_long(d->w, 120 << 20);
        jfr_event_end(d->w);
    }
    demo_usual(d, DEMO_GC);
    jfr_put_int(d->w, 1);
    jfr_put_key(d->w, d->name);
    jfr_put_key(d->w, d->cause);
    jfr_put_long(d->w, 200000);
    jfr_put_long(d->w, 200000);
    jfr_event_end(d->w);
}

#define DEMO_CHUNK_SAMPLES 20 /* in each chunk */
#define DEMO_FIXED 19 /* settings, JVM, OS, CPU: in each chunk */

/* Begins: types, constants, repeated events. False when a declaration fails. */
static inline bool demo_start(struct demo *d, struct jfr_writer *w)
{
    *d = (struct demo){.w = w, .now = DEMO_START_TICKS};
    d->first = jfr_writer_declare(w, demo_types, DEMO_N_TYPES);
    if (d->first < 0)
        return false;
    demo_threads(d);
    demo_constants(d);
    demo_repeated(d);
    return true;
}

/* One of everything. */
static inline void demo_all(struct demo *d)
{
    demo_samples(d, DEMO_CHUNK_SAMPLES);
    demo_io(d);
    demo_java(d);
    demo_vm(d);
}

#endif
