/* typeset_jdk.c - the types that every recording of HotSpot has, as tables.
 *
 * The value types are in the metadata whether they are used or not: HotSpot always writes them, and
 * readers rely on it (grafana's jfr-parser refuses a recording without "short", JMC one without any
 * type). Annotations and settings are written when they are used. */
#include "jfrfmt/write/typeset.h"

#include <string.h>

/* clang-format off */
#define N(array) array, sizeof(array) / sizeof((array)[0])
#define STRING "java.lang.String"

static const struct jfr_field_def thread_fields[] = {
    {"osName", STRING, "OS Thread Name"},
    {"osThreadId", "long", "OS Thread Id"},
    {"javaName", STRING, "Java Thread Name"},
    {"javaThreadId", "long", "Java Thread Id"},
    {"group", "jdk.types.ThreadGroup", "Java Thread Group", .flags = JFR_POOLED},
    {"virtual", "boolean", "Virtual Thread"},
};
static const struct jfr_field_def group_fields[] = {
    {"parent", "jdk.types.ThreadGroup", "Parent", .flags = JFR_POOLED},
    {"name", STRING, "Name"},
};
static const struct jfr_field_def class_fields[] = {
    {"classLoader", "jdk.types.ClassLoader", "Class Loader", .flags = JFR_POOLED},
    {"name", "jdk.types.Symbol", "Name", .flags = JFR_POOLED},
    {"package", "jdk.types.Package", "Package", .flags = JFR_POOLED},
    {"modifiers", "int", "Access Modifiers"},
    {"hidden", "boolean", "Hidden"},
};
static const struct jfr_field_def loader_fields[] = {
    {"type", "java.lang.Class", "Type", .flags = JFR_POOLED},
    {"name", "jdk.types.Symbol", "Name", .flags = JFR_POOLED},
};
static const struct jfr_field_def module_fields[] = {
    {"name", "jdk.types.Symbol", "Name", .flags = JFR_POOLED},
    {"version", "jdk.types.Symbol", "Version", .flags = JFR_POOLED},
    {"location", "jdk.types.Symbol", "Location", .flags = JFR_POOLED},
    {"classLoader", "jdk.types.ClassLoader", "Class Loader", .flags = JFR_POOLED},
};
static const struct jfr_field_def package_fields[] = {
    {"name", "jdk.types.Symbol", "Name", .flags = JFR_POOLED},
    {"module", "jdk.types.Module", "Module", .flags = JFR_POOLED},
    {"exported", "boolean", "Exported"},
};
static const struct jfr_field_def method_fields[] = {
    {"type", "java.lang.Class", "Type", .flags = JFR_POOLED},
    {"name", "jdk.types.Symbol", "Name", .flags = JFR_POOLED},
    {"descriptor", "jdk.types.Symbol", "Descriptor", .flags = JFR_POOLED},
    {"modifiers", "int", "Access Modifiers"},
    {"hidden", "boolean", "Hidden"},
};
static const struct jfr_field_def trace_fields[] = {
    {"truncated", "boolean", "Truncated"},
    {"frames", "jdk.types.StackFrame", "Stack Frames", .flags = JFR_ARRAY},
};
/* JMC reads these four by their places. */
static const struct jfr_field_def frame_fields[] = {
    {"method", "jdk.types.Method", "Java Method", .flags = JFR_POOLED},
    {"lineNumber", "int", "Line Number"},
    {"bytecodeIndex", "int", "Bytecode Index"},
    {"type", "jdk.types.FrameType", "Frame Type", .flags = JFR_POOLED},
};
static const struct jfr_field_def symbol_fields[] = {{"string", STRING, "String"}};
static const struct jfr_field_def frame_type_fields[] = {{"description", STRING, "Description"}};
static const struct jfr_field_def state_fields[] = {{"name", STRING, "Name"}};

/* n_fields of the types that vary is for the full form; see typeset_init(). */
static const struct jfr_type_def values[] = {
    {"boolean"}, {"char"}, {"float"}, {"double"}, {"byte"}, {"short"}, {"int"}, {"long"}, {STRING},
    {"java.lang.Thread", JFR_TYPE_VALUE, "Thread", .fields = N(thread_fields)},
    {"java.lang.Class", JFR_TYPE_VALUE, "Java Class", .fields = N(class_fields)},
    {"jdk.types.ThreadGroup", JFR_TYPE_VALUE, "Thread Group", .fields = N(group_fields)},
    {"jdk.types.ClassLoader", JFR_TYPE_VALUE, "Java Class Loader", .fields = N(loader_fields)},
    {"jdk.types.Package", JFR_TYPE_VALUE, "Package", .fields = N(package_fields)},
    {"jdk.types.Method", JFR_TYPE_VALUE, "Java Method", .fields = N(method_fields)},
    {"jdk.types.StackTrace", JFR_TYPE_VALUE, "Stack Trace", .fields = N(trace_fields)},
    {"jdk.types.StackFrame", JFR_TYPE_VALUE, "Stack Frame", .fields = N(frame_fields)},
    {"jdk.types.Symbol", JFR_TYPE_SIMPLE, "Symbol", .fields = N(symbol_fields)},
    {"jdk.types.FrameType", JFR_TYPE_SIMPLE, "Frame Type", .fields = N(frame_type_fields)},
    {"jdk.types.ThreadState", JFR_TYPE_SIMPLE, "Java Thread State", .fields = N(state_fields)},
    {"jdk.types.Module", JFR_TYPE_VALUE, "Module", .fields = N(module_fields)},
};

static const struct jfr_field_def text_member[] = {{"value", STRING}};
static const struct jfr_field_def texts_member[] = {{"value", STRING, .flags = JFR_ARRAY}};
/* Without ContentType on the annotation, the JDK's tool prints the raw number. */
static const struct jfr_annotation_def content_type[] = {{"jdk.jfr.ContentType"}};

#define NOTE(name, label, ...) \
    {"jdk.jfr." name, JFR_TYPE_ANNOTATION, label, __VA_ARGS__}
#define CONTENT .annotations = N(content_type)

static const struct jfr_type_def notes[] = {
    NOTE("Label", NULL, .fields = N(text_member)),
    NOTE("Description", NULL, .fields = N(text_member)),
    NOTE("Name", NULL, .fields = N(text_member)),
    NOTE("Category", NULL, .fields = N(texts_member)),
    NOTE("ContentType", "Content Type"),
    NOTE("Timestamp", "Timestamp", .fields = N(text_member), CONTENT),
    NOTE("Timespan", "Timespan", .fields = N(text_member), CONTENT),
    NOTE("DataAmount", "Data Amount", .fields = N(text_member), CONTENT),
    NOTE("Percentage", "Percentage", CONTENT),
    NOTE("MemoryAddress", "Memory Address", CONTENT),
    NOTE("Frequency", "Frequency", CONTENT),
    NOTE("Unsigned", "Unsigned Value", CONTENT),
    NOTE("BooleanFlag", "Flag", CONTENT),
    NOTE("Relational", "Relation"),
    NOTE("Experimental", "Experimental"),
    NOTE("Contextual", "Context"),
};

static const struct jfr_annotation_def flag[] = {{"jdk.jfr.BooleanFlag"}};

#define SETTING(name, label, text, ...) \
    {"jdk.settings." name, JFR_TYPE_SETTING, label, text, __VA_ARGS__}

static const struct jfr_type_def settings[] = {
    SETTING("Enabled", "Enabled", "Record event", .annotations = N(flag)),
    SETTING("Period", "Period", "Record event at interval"),
    SETTING("Threshold", "Threshold", "Record event with duration above or equal to threshold"),
    SETTING("StackTrace", "Stack Trace", "Record stack traces", .annotations = N(flag)),
    SETTING("Throttle", "Throttle", "Record at most so many events per time"),
    SETTING("Level", "Level", "Record events of this level and above"),
};
/* clang-format on */

#define N_VALUES (sizeof(values) / sizeof(values[0]))
#define N_NOTES (sizeof(notes) / sizeof(notes[0]))
#define N_SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* Fields of a type without those that the options leave out. */
static size_t n_fields(const struct jfr_type_def *def, unsigned options)
{
    if (def->fields == thread_fields && !(options & TYPESET_VIRTUAL))
        return def->n_fields - 1;
    if (def->fields == package_fields && !(options & TYPESET_MODULES))
        return 1;
    return def->n_fields;
}

int typeset_init(struct typeset *t, unsigned options, struct jfr_error *err)
{
    struct jfr_type_def defs[N_VALUES + N_NOTES + N_SETTINGS];
    size_t n = 0;

    *t = (struct typeset){.first_id = t->first_id == 0 ? TYPESET_FIRST_ID : t->first_id};
    for (size_t i = 0; i < N_VALUES; i++) {
        if (values[i].fields == module_fields && !(options & TYPESET_MODULES))
            continue;
        defs[n] = values[i];
        defs[n++].n_fields = n_fields(&values[i], options);
    }
    for (size_t i = 0; i < N_NOTES; i++) {
        defs[n] = notes[i];
        defs[n++].flags |= JFR_ON_USE;
    }
    for (size_t i = 0; i < N_SETTINGS; i++) {
        defs[n] = settings[i];
        defs[n++].flags |= JFR_ON_USE;
    }
    return typeset_add(t, defs, n, err);
}

bool typeset_is_standard(const char *name)
{
    for (size_t i = 0; i < N_VALUES; i++)
        if (strcmp(values[i].name, name) == 0)
            return true;
    return false;
}
