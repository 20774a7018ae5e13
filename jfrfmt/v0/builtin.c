/*
 * builtin.c - the classes that every output has, and what of a 0.9 chunk fits them.
 *
 * Readers look for jdk.types.StackTrace, java.lang.Thread and so on by name and fields. These
 * classes are declared here as tables. v0_bind() compares a structure of the chunk with such a
 * class and takes each field that has the expected kind; the others are empty.
 */
#include "jfrfmt/v0/builtin.h"

#include <inttypes.h>
#include <stdio.h>

#define ANNOTATION "java.lang.annotation.Annotation"

enum {
    POOLED = 1,
    ARRAY = 2
};

struct builtin_field {
    const char *name, *from; /* from: the field of the chunk's structure; NULL = not there */
    uint8_t cls; /* enum v0_builtin */
    uint8_t flags;
    uint8_t unit;
    int64_t fallback;
    const char *label;
};

struct builtin {
    const char *name, *super, *label, *path;
    bool is_simple, is_content_type;
    struct builtin_field fields[6];
};

/* clang-format off */
static const struct builtin builtins[V0_N_BUILTIN] = {
    [V0_C_BOOLEAN] = {"boolean"},
    [V0_C_BYTE] = {"byte"},
    [V0_C_SHORT] = {"short"},
    [V0_C_INT] = {"int"},
    [V0_C_LONG] = {"long"},
    [V0_C_FLOAT] = {"float"},
    [V0_C_DOUBLE] = {"double"},
    [V0_C_TEXT] = {"java.lang.String"},
    [V0_C_THREAD] = {"java.lang.Thread", .fields = {
        {"osName", "name", V0_C_TEXT},
        {"osThreadId", NULL, V0_C_LONG},
        {"javaName", NULL, V0_C_TEXT},
        {"javaThreadId", NULL, V0_C_LONG},
        {"group", NULL, V0_C_GROUP, POOLED}}},
    [V0_C_GROUP] = {"jdk.types.ThreadGroup", .fields = {
        {"parent", "parent", V0_C_GROUP, POOLED},
        {"name", "name", V0_C_TEXT}}},
    [V0_C_CLASS] = {"java.lang.Class", .fields = {
        {"classLoaderType", "loaderClass", V0_C_CLASS, POOLED},
        {"name", "name", V0_C_SYMBOL, POOLED},
        {"modifiers", "modifiers", V0_C_INT}}},
    [V0_C_METHOD] = {"jdk.types.Method", .fields = {
        {"type", "class", V0_C_CLASS, POOLED},
        {"name", "name", V0_C_SYMBOL, POOLED},
        {"descriptor", "signature", V0_C_SYMBOL, POOLED},
        {"modifiers", "modifiers", V0_C_INT},
        {"hidden", "hidden", V0_C_BOOLEAN}}},
    [V0_C_STACK] = {"jdk.types.StackTrace", .fields = {
        {"truncated", "truncated", V0_C_BOOLEAN},
        {"frames", "frames", V0_C_FRAME, ARRAY}}},
    [V0_C_FRAME] = {"jdk.types.StackFrame", .fields = {
        {"method", "method", V0_C_METHOD, POOLED},
        {"lineNumber", "line", V0_C_INT, .fallback = -1},
        {"bytecodeIndex", "bci", V0_C_INT, .fallback = -1},
        {"type", "type", V0_C_FRAME_TYPE, POOLED}}},
    [V0_C_FRAME_TYPE] = {"jdk.types.FrameType", .is_simple = true, .fields = {
        {"description", "desc", V0_C_TEXT}}},
    [V0_C_SYMBOL] = {"jdk.types.Symbol", .is_simple = true, .fields = {
        {"string", "utf8", V0_C_TEXT}}},
    [V0_C_LABEL] = {"jdk.jfr.Label", ANNOTATION, .fields = {{"value", NULL, V0_C_TEXT}}},
    [V0_C_DESCRIPTION] = {"jdk.jfr.Description", ANNOTATION, .fields = {
        {"value", NULL, V0_C_TEXT}}},
    [V0_C_CATEGORY] = {"jdk.jfr.Category", ANNOTATION, .fields = {
        {"value", NULL, V0_C_TEXT, ARRAY}}},
    [V0_C_TIMESTAMP] = {"jdk.jfr.Timestamp", ANNOTATION, .is_content_type = true, .fields = {
        {"value", NULL, V0_C_TEXT}}},
    [V0_C_TIMESPAN] = {"jdk.jfr.Timespan", ANNOTATION, .is_content_type = true, .fields = {
        {"value", NULL, V0_C_TEXT}}},
    [V0_C_DATA_AMOUNT] = {"jdk.jfr.DataAmount", ANNOTATION, .is_content_type = true, .fields = {
        {"value", NULL, V0_C_TEXT}}},
    [V0_C_ADDRESS] = {"jdk.jfr.MemoryAddress", ANNOTATION, .is_content_type = true},
    [V0_C_PERCENTAGE] = {"jdk.jfr.Percentage", ANNOTATION, .is_content_type = true},
    [V0_C_UNSIGNED] = {"jdk.jfr.Unsigned", ANNOTATION, .is_content_type = true},
    [V0_C_CONTENT_TYPE] = {"jdk.jfr.ContentType", ANNOTATION},
    [V0_C_SETTING] = {"jdk.ActiveSetting", V0_EVENT, "Recording Setting", "recordings/", .fields = {
        {"startTime", NULL, V0_C_LONG, .unit = V0_UNIT_EPOCH_TICKS, .label = "Start Time"},
        {"id", NULL, V0_C_LONG, .label = "Setting For"},
        {"name", NULL, V0_C_TEXT, .label = "Setting Name"},
        {"value", NULL, V0_C_TEXT, .label = "Setting Value"}}},
    [V0_C_DATA_LOSS] = {"jdk.DataLoss", V0_EVENT, "Data Loss", "recordings/", .fields = {
        {"startTime", NULL, V0_C_LONG, .unit = V0_UNIT_EPOCH_TICKS, .label = "Start Time"},
        {"eventThread", NULL, V0_C_THREAD, POOLED, .label = "Event Thread"},
        {"amount", NULL, V0_C_LONG, .unit = V0_UNIT_BYTES, .label = "Amount"}}},
    [V0_C_JAVA_THREAD] = {.fields = {
        {"thread", "thread", V0_C_THREAD, POOLED},
        {"group", "group", V0_C_GROUP, POOLED}}},
    [V0_C_SETTINGS] = {.fields = {
        {"id", "id", V0_C_LONG, .fallback = -1},
        {"enabled", "enabled", V0_C_BOOLEAN},
        {"stacktrace", "stacktrace", V0_C_BOOLEAN},
        {"threshold", "threshold", V0_C_LONG, .fallback = INT64_MIN},
        {"period", "period", V0_C_LONG, .fallback = INT64_MIN}}},
};

/* The fields every event may begin with. */
static const struct builtin_field headers[] = {
    {"startTime", NULL, V0_C_LONG, .unit = V0_UNIT_EPOCH_TICKS, .label = "Start Time"},
    {"duration", NULL, V0_C_LONG, .unit = V0_UNIT_TICKS, .label = "Duration"},
    {"eventThread", NULL, V0_C_THREAD, POOLED, .label = "Event Thread"},
    {"stackTrace", NULL, V0_C_STACK, POOLED, .label = "Stack Trace"},
};

/* Constant pools that mean the same as one of 2.1; all others are shown as they are. */
static const struct { const char *name; enum v0_builtin cls; } known_contents[] = {
    {"Thread", V0_C_THREAD},   {"JavaThread", V0_C_JAVA_THREAD}, {"ThreadGroup", V0_C_GROUP},
    {"Class", V0_C_CLASS},     {"Method", V0_C_METHOD},          {"StackTrace", V0_C_STACK},
    {"UTFConstant", V0_C_SYMBOL}, {"FrameType", V0_C_FRAME_TYPE},
};

static const uint8_t class_of_type[] = {
    [V0_BOOLEAN] = V0_C_BOOLEAN, [V0_S8] = V0_C_BYTE,    [V0_U8] = V0_C_BYTE,
    [V0_S16] = V0_C_SHORT,       [V0_U16] = V0_C_SHORT,  [V0_S32] = V0_C_INT,
    [V0_U32] = V0_C_INT,         [V0_S64] = V0_C_LONG,   [V0_U64] = V0_C_LONG,
    [V0_FLOAT] = V0_C_FLOAT,     [V0_DOUBLE] = V0_C_DOUBLE,
    [V0_UTF8] = V0_C_TEXT,       [V0_STRING] = V0_C_TEXT,
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct v0_text builtin_text(const char *s)
{
    return s == NULL ? (struct v0_text){0} : (struct v0_text){s, strlen(s)};
}

uint32_t v0_add_class(struct v0_chunk *ch, struct v0_class *cls)
{
    uint32_t index = (uint32_t)v0_n_classes(ch);
    char id[16];

    snprintf(id, sizeof(id), "%" PRIu32, V0_CLASS_ID(index));
    cls->id = builtin_text(arena_strndup(&ch->arena, id, strlen(id)));
    buf_bytes(&ch->classes, cls, sizeof(*cls));
    return index;
}

static struct v0_col builtin_col(const struct builtin_field *f)
{
    return (struct v0_col){
        .name = builtin_text(f->name),
        .label = builtin_text(f->label),
        .cls = f->cls,
        .unit = f->unit,
        .fallback = f->fallback,
        .scale = 1,
        .is_pooled = f->flags & POOLED,
        .is_array = f->flags & ARRAY,
    };
}

bool v0_add_builtins(struct v0_chunk *ch)
{
    for (size_t i = 0; i < V0_N_BUILTIN; i++) {
        const struct builtin *b = &builtins[i];
        struct v0_col *cols = arena_array(&ch->arena, COUNT(b->fields), sizeof(*cols));
        struct v0_class cls = {
            .name = builtin_text(b->name),
            .label = builtin_text(b->label),
            .path = builtin_text(b->path),
            .super = b->super,
            .cols = cols,
            .is_simple = b->is_simple,
            .is_content_type = b->is_content_type,
        };
        if (cols == NULL)
            return false;
        while (cls.n_cols < COUNT(b->fields) && b->fields[cls.n_cols].name != NULL) {
            cols[cls.n_cols] = builtin_col(&b->fields[cls.n_cols]);
            cls.n_cols++;
        }
        v0_add_class(ch, &cls);
    }
    return buf_ok(&ch->classes);
}

struct v0_col v0_header_col(enum v0_header i)
{
    return builtin_col(&headers[i]);
}

uint32_t v0_known_content(struct v0_text name)
{
    for (size_t i = 0; i < COUNT(known_contents); i++)
        if (v0_text_is(name, known_contents[i].name))
            return known_contents[i].cls;
    return V0_N_BUILTIN;
}

uint32_t v0_class_of_type(uint8_t type)
{
    return class_of_type[type];
}

uint32_t v0_pool_of(const struct v0_chunk *ch, const struct v0_field *f)
{
    uint32_t content = v0_is_integer(f->element) ? v0_content_of(ch, f->content) : 0;

    return content != 0 && ch->contents[content - 1].value->n_fields > 0 ? content : 0;
}

/* Lets a built-in column take its value from field number i, if that is of the right kind. */
static void bind_col(struct v0_chunk *ch, struct v0_col *col, const struct v0_field *f, size_t i)
{
    uint32_t pool = v0_pool_of(ch, f);
    bool fits;

    if (col->is_pooled)
        fits = f->type < V0_ARRAY && pool != 0 && ch->contents[pool - 1].layout.cls == col->cls;
    else if (col->is_array)
        fits = f->type == V0_STRUCTS;
    else if (col->cls == V0_C_INT || col->cls == V0_C_LONG)
        fits = v0_is_integer(f->type);
    else
        fits = f->type < V0_ARRAY && class_of_type[f->type] == col->cls;
    if (fits && col->is_array) {
        if (f->sub->frame == NULL)
            f->sub->frame = v0_bind(ch, col->cls, f->sub);
        col->sub = f->sub->frame;
        fits = col->sub != NULL;
    }
    if (fits) {
        col->source = (uint32_t)i + 1;
        col->content = col->is_pooled ? pool : 0;
    }
}

const struct v0_layout *v0_bind(struct v0_chunk *ch, uint32_t cls, const struct v0_struct *source)
{
    const struct builtin_field *fields = builtins[cls].fields;
    struct v0_layout *l = arena_alloc(&ch->arena, sizeof(*l));
    struct v0_col *cols = arena_array(&ch->arena, COUNT(builtins[cls].fields), sizeof(*cols));

    if (l == NULL || cols == NULL)
        return NULL;
    for (; l->n_cols < COUNT(builtins[cls].fields) && fields[l->n_cols].name != NULL; l->n_cols++) {
        const struct builtin_field *f = &fields[l->n_cols];
        struct v0_col *col = &cols[l->n_cols];
        *col = builtin_col(f);
        for (size_t i = 0; f->from != NULL && i < source->n_fields && col->source == 0; i++)
            if (v0_text_is(source->fields[i].name, f->from) ||
                (source->n_fields == 1 && f->cls == V0_C_TEXT)) /* whatever the text is called */
                bind_col(ch, col, &source->fields[i], i);
    }
    l->source = source;
    l->cols = cols;
    l->cls = cls;
    return l;
}
