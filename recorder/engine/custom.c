/*
 * custom.c - the engine of events that programs define: declares their types in the file, reads
 * their settings, and writes their events.
 *
 * Threads of the program define types (custom/types.c) and make records (custom/event.c) at any
 * time. The drain thread calls this engine: each pass declares the new types, so a type is declared
 * before its first event is written.
 */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/custom/from_c.h"
#include "recorder/custom/event.h"
#include "recorder/custom/types.h"
#include "recorder/base/log.h"
#include "recorder/capture/lost.h"
#include "recorder/events/active_setting.h"
#include "recorder/events/objects.h"
#include "recorder/engine/periodic.h"
#include "recorder/settings/settings.h"
#include "recorder/capture/threads.h"

#include "config/jfc_value.h"

#define JFRKIT_EVENT_INSIDE
#include "recorder/api/jfrkit_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_ROOM 1024

/* Of this recording, by place of the type. */
static struct {
    int64_t id; /* in the file; negative: refused by the writer */
    struct custom_limits limits;
    bool has_context;
} types[CUSTOM_TYPES];
static size_t n_types; /* declared */

/* --- declarations --- */

static const char *const type_names[] = {
    [JK_BOOLEAN] = "boolean",
    [JK_BYTE] = "byte",
    [JK_SHORT] = "short",
    [JK_CHAR] = "char",
    [JK_INT] = "int",
    [JK_LONG] = "long",
    [JK_FLOAT] = "float",
    [JK_DOUBLE] = "double",
    [JK_STRING] = "java.lang.String",
    [JK_THREAD] = "java.lang.Thread",
    [JK_CLASS] = "java.lang.Class",
};

static const enum jfr_unit units[] = {
    [JK_NO_UNIT] = JFR_UNIT_NONE,
    [JK_TIMESTAMP_TICKS] = JFR_UNIT_TIMESTAMP_TICKS,
    [JK_TIMESTAMP_MILLIS] = JFR_UNIT_TIMESTAMP_MS,
    [JK_TICKS] = JFR_UNIT_TICKS,
    [JK_NANOSECONDS] = JFR_UNIT_NS,
    [JK_MICROSECONDS] = JFR_UNIT_US,
    [JK_MILLISECONDS] = JFR_UNIT_MS,
    [JK_SECONDS] = JFR_UNIT_S,
    [JK_BYTES] = JFR_UNIT_BYTES,
    [JK_BITS] = JFR_UNIT_BITS,
    [JK_PERCENTAGE] = JFR_UNIT_PERCENT,
    [JK_HERTZ] = JFR_UNIT_HERTZ,
    [JK_ADDRESS] = JFR_UNIT_ADDRESS,
};

static unsigned flags_of(unsigned flags)
{
    return ((flags & JK_UNSIGNED) != 0 ? JFR_UNSIGNED : 0) |
           ((flags & JK_CONTEXTUAL) != 0 ? JFR_CONTEXTUAL : 0) |
           ((flags & JK_EXPERIMENTAL) != 0 ? JFR_EXPERIMENTAL : 0);
}

static void take_custom_fields(struct jfr_field_def *out, const struct custom_type *t)
{
    for (uint32_t i = 0; i < t->n_fields; i++) {
        const struct custom_field *f = &t->fields[i];
        bool is_pooled = f->kind == JK_THREAD || f->kind == JK_CLASS;

        out[i] = (struct jfr_field_def){
            .name = f->name,
            .type = type_names[f->kind],
            .label = f->label,
            .description = f->description,
            .unit = units[f->unit],
            .flags = flags_of(f->flags) | (is_pooled ? JFR_POOLED : 0),
        };
    }
}

/* --- settings --- */

#define N_SETTINGS 6

/* The settings of a type: names and values, the defaults of the type where the recording has none.
 */
struct in_force {
    const char *name, *value;
};

static void settings_in_force(const struct recording *r, const struct custom_type *t,
                              struct in_force s[N_SETTINGS], char threshold[40])
{
    snprintf(threshold, 40, "%lld ns", (long long)t->threshold_ns);
    s[0] = (struct in_force){"enabled", (t->flags & JK_OFF) != 0 ? "false" : "true"};
    s[1] = (struct in_force){"threshold", threshold};
    s[2] = (struct in_force){"stackTrace", (t->flags & JK_NO_STACK) != 0 ? "false" : "true"};
    s[3] = (struct in_force){"throttle", "off"};
    s[4] = (struct in_force){"withContext", "false"};
    s[5] = (struct in_force){"emit", "always"}; /* of types with contextual fields */
    for (int i = 0; i < N_SETTINGS; i++) {
        const char *value = settings_get(r->settings, t->name, s[i].name);

        s[i].value = value == NULL ? s[i].value : value;
    }
}

static bool is_true(const struct in_force *s)
{
    return strcmp(s->value, "true") == 0;
}

static bool is_contextual(const struct custom_type *t)
{
    for (uint32_t i = 0; i < t->n_fields; i++)
        if ((t->fields[i].flags & JK_CONTEXTUAL) != 0)
            return true;
    return false;
}

static struct custom_limits limits_of(const struct custom_type *t,
                                      const struct in_force s[N_SETTINGS])
{
    struct custom_limits limits = {.with_stack = is_true(&s[2]),
                                   .only_used =
                                       is_contextual(t) && strcmp(s[5].value, "used") == 0};

    if (jfc_duration(s[1].value, &limits.threshold_ns) != NULL)
        limits.threshold_ns = 0;
    if (jfc_rate(s[3].value, &limits.events, &limits.per_ns) != NULL) {
        limits.events = INT64_MAX;
        limits.per_ns = 1;
    }
    if (!is_true(&s[0]) || (is_contextual(t) && strcmp(s[5].value, "never") == 0))
        limits.threshold_ns = CUSTOM_OFF;
    return limits;
}

static void write_type_settings(struct recording *r, int64_t id, const struct custom_type *t,
                                const struct in_force s[N_SETTINGS])
{
    for (int i = 0; i < N_SETTINGS - !is_contextual(t); i++)
        active_setting(r, id, s[i].name, s[i].value);
}

/* Logs settings without effect, such as a period: the program decides when it commits an event. */
static void log_ignored(const struct recording *r, const struct custom_type *t,
                        const struct in_force s[N_SETTINGS])
{
    size_t n;
    const struct settings_row *rows = settings_rows(r->settings, &n);

    for (size_t i = 0; i < n; i++) {
        bool is_known = strcmp(rows[i].event, t->name) != 0;

        for (int k = 0; k < N_SETTINGS && !is_known; k++)
            is_known = strcmp(rows[i].setting, s[k].name) == 0;
        if (!is_known)
            log_line(LOG_WARNING,
                     "setting '%s' of '%s' is ignored: events of a program's own have none such",
                     rows[i].setting, t->name);
    }
}

static int64_t declare(struct recording *r, const struct custom_type *t,
                       const struct in_force s[N_SETTINGS])
{
    static const struct control {
        const char *type;
        int of; /* place of its setting */
    } controls[] = {
        {"jdk.settings.Enabled", 0},  {"jdk.settings.Threshold", 1}, {"jdk.settings.StackTrace", 2},
        {"jdk.settings.Throttle", 3}, {"jfrkit.settings.Emit", 5}, /* if it is contextual */
    };
    struct jfr_field_def fields[CUSTOM_FIELDS];
    struct jfr_setting_def settings[sizeof(controls) / sizeof(controls[0])];
    struct jfr_type_def def = {
        .name = t->name,
        .kind = JFR_TYPE_EVENT,
        .label = t->label,
        .description = t->description,
        .category = t->category == NULL ? "Application" : t->category,
        .flags = JFR_HAS_DURATION | JFR_HAS_THREAD | JFR_HAS_STACK |
                 (flags_of(t->flags) & JFR_EXPERIMENTAL),
        .fields = fields,
        .n_fields = t->n_fields,
        .settings = settings,
        .n_settings = sizeof(controls) / sizeof(controls[0]) - !is_contextual(t),
    };

    take_custom_fields(fields, t);
    for (size_t i = 0; i < def.n_settings; i++) {
        const struct in_force *f = &s[controls[i].of];

        settings[i] = (struct jfr_setting_def){f->name, controls[i].type, f->value};
    }
    return jfr_writer_declare(r->writer, &def, 1);
}

static void look_at_type(struct recording *r, size_t i)
{
    struct custom_type *t = custom_type((int)i + 1);
    struct in_force s[N_SETTINGS];
    char threshold[40];

    settings_in_force(r, t, s, threshold);
    log_ignored(r, t, s);
    types[i].id = declare(r, t, s);
    types[i].limits = limits_of(t, s);
    if (types[i].id <= 0) {
        log_line(LOG_WARNING, "event type '%s' is not in this recording: %s", t->name,
                 jfr_writer_error(r->writer)->text);
        types[i].limits.with_stack = false; /* its events are made only to be counted as lost */
    } else {
        types[i].has_context = is_true(&s[4]) && context_adopt(r, types[i].id);
        write_type_settings(r, types[i].id, t, s);
    }
    custom_set((int)i + 1, &types[i].limits);
}

/* Declares the types that were defined since the last call. */
static void look_for_new_types(struct recording *r)
{
    while (n_types < custom_n_types())
        look_at_type(r, n_types++);
}

/* --- values --- */

/* The values of a record that are not read yet. Java programs make them, so each read is checked
 * against the end. */
struct values {
    const uint8_t *p;
    size_t n;
    bool is_cut;
};

static void take(struct values *v, void *out, size_t n)
{
    if (n > v->n) {
        v->is_cut = true;
        memset(out, 0, n);
        return;
    }
    memcpy(out, v->p, n);
    v->p += n;
    v->n -= n;
}

/* Reads a text and its length; NULL for null. */
static const char *take_custom_text(struct values *v, size_t *n)
{
    const char *text;
    int32_t size;

    take(v, &size, sizeof(size));
    *n = size < 0 ? 0 : (size_t)size;
    if (size < 0 || v->is_cut || *n > v->n) {
        v->is_cut |= size >= 0;
        return NULL;
    }
    text = (const char *)v->p;
    v->p += *n;
    v->n -= *n;
    return text;
}

static uint64_t class_key(struct recording *r, const char *name, size_t n)
{
    char text[CLASS_ROOM];

    if (name == NULL || n >= sizeof(text))
        return 0;
    for (size_t i = 0; i < n; i++)
        text[i] = name[i] == '.' ? '/' : name[i];
    text[n] = '\0';
    return drain_class(r, text);
}

/* A Java thread that is virtual, or has ended, is described by its id and name alone. */
static uint64_t java_thread(struct recording *r, int64_t id, const char *name, size_t n)
{
    struct thread *t = id == 0 ? NULL : threads_find_java(id);
    uint64_t key = t == NULL ? 0 : drain_tid(r, t->tid);
    char *text;

    if (id == 0)
        return 0;
    if (key != 0)
        return key;
    text = name == NULL ? NULL : strndup(name, n);
    jfr_writer_thread(
        r->writer, (uint64_t)id,
        &(struct jfr_thread_def){
            .java_name = text == NULL ? "" : text, .java_id = id, .os_id = id, .is_virtual = true});
    free(text);
    return (uint64_t)id;
}

static uint64_t take_thread(struct recording *r, struct values *v, bool is_java)
{
    const char *name;
    int64_t id;
    size_t n;

    take(v, &id, sizeof(id));
    name = take_custom_text(v, &n);
    if (is_java || id == 0)
        return java_thread(r, id, name, n);
    return drain_thread(r, &(struct record){.thread = (uint32_t)(id & UINT32_MAX) - 1,
                                            .generation = (uint32_t)((uint64_t)id >> 32)});
}

/* Writes the constants that the event names. They have to be written before the event begins. */
static void take_keys(struct recording *r, const struct custom_type *t, struct values v,
                      bool is_java, uint64_t keys[CUSTOM_FIELDS])
{
    int64_t number;
    size_t n;

    for (uint32_t i = 0; i < t->n_fields; i++) {
        if (t->fields[i].kind == JK_THREAD)
            keys[i] = take_thread(r, &v, is_java);
        else if (t->fields[i].kind == JK_CLASS || t->fields[i].kind == JK_STRING) {
            const char *text = take_custom_text(&v, &n);

            keys[i] = t->fields[i].kind == JK_CLASS ? class_key(r, text, n) : 0;
        } else
            take(&v, &number, sizeof(number));
    }
}

static void put_real(struct jfr_writer *w, struct values *v, int kind)
{
    double real;

    take(v, &real, sizeof(real));
    if (kind == JK_FLOAT)
        jfr_put_float(w, (float)real);
    else
        jfr_put_double(w, real);
}

static void put_custom_number(struct jfr_writer *w, struct values *v, int kind)
{
    int64_t number;

    take(v, &number, sizeof(number));
    if (kind == JK_BOOLEAN)
        jfr_put_boolean(w, number != 0);
    else if (kind == JK_BYTE)
        jfr_put_byte(w, (int8_t)number);
    else if (kind == JK_SHORT)
        jfr_put_int(w, (int16_t)number);
    else if (kind == JK_CHAR)
        jfr_put_int(w, (uint16_t)number);
    else if (kind == JK_INT)
        jfr_put_int(w, (int32_t)number);
    else
        jfr_put_long(w, number);
}

static void put_value(struct jfr_writer *w, struct values *v, int kind, uint64_t key)
{
    const char *text;
    int64_t skipped;
    size_t n;

    switch (kind) {
    case JK_FLOAT:
    case JK_DOUBLE:
        put_real(w, v, kind);
        return;
    case JK_STRING:
        text = take_custom_text(v, &n);
        if (text == NULL)
            jfr_put_string(w, NULL);
        else
            jfr_put_text(w, text, n);
        return;
    case JK_THREAD:
        take(v, &skipped, sizeof(skipped));
        take_custom_text(v, &n);
        jfr_put_key(w, key);
        return;
    case JK_CLASS:
        take_custom_text(v, &n);
        jfr_put_key(w, key);
        return;
    default:
        put_custom_number(w, v, kind);
    }
}

/* --- the engine --- */

static int open_custom(struct recording *r)
{
    n_types = 0;
    memset(types, 0, sizeof(types));
    custom_c_init(r->vm, r->jvmti);
    look_for_new_types(r);
    return 0;
}

/* In start, not in open: the engine of contexts has to be started before. */
static int start(struct recording *r)
{
    custom_begin();
    for (size_t i = 0; i < n_types; i++)
        custom_set((int)i + 1, &types[i].limits);
    look_for_new_types(r);
    return 0;
}

/* Applies the settings of the type to an event that was committed before they were known. */
static bool is_wanted(struct custom_type *t, const struct record *rec)
{
    return rec->duration >= types[rec->kind].limits.threshold_ns &&
           throttle_take(&t->throttle, rec->ticks + rec->duration);
}

static void write(struct recording *r, const struct record *rec)
{
    struct custom_type *t = custom_type(rec->kind + 1);
    struct custom_head head;
    struct values v = {record_data(rec), rec->n_data, false};
    uint64_t keys[CUSTOM_FIELDS], thread, stack;

    look_for_new_types(r);
    take(&v, &head, sizeof(head));
    if (head.is_unchecked && (!is_wanted(t, rec) || (t->only_used && !head.is_used)))
        return;
    if (types[rec->kind].id <= 0) {
        lost_record(LOST_TYPES, 1, record_size(rec));
        return;
    }
    take_keys(r, t, v, head.is_java, keys);
    thread = context_thread(r, rec);
    stack = t->with_stack ? drain_stack(r, rec) : 0;
    jfr_event_begin(r->writer, types[rec->kind].id, rec->ticks);
    jfr_put_long(r->writer, rec->duration);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    for (uint32_t i = 0; i < t->n_fields && !v.is_cut; i++)
        put_value(r->writer, &v, t->fields[i].kind, keys[i]);
    context_own_end(r, types[rec->kind].has_context, rec);
}

static void tick(struct recording *r, int64_t now_ticks)
{
    (void)now_ticks;
    look_for_new_types(r);
}

static void stop(struct recording *r)
{
    (void)r;
    custom_end();
}

struct engine engine_custom = {
    .name = "custom",
    .open = open_custom,
    .start = start,
    .write = write,
    .tick = tick,
    .stop = stop,
};
