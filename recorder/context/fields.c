/*
 * fields.c - the engine of contexts: fields of events, interval events, limits.
 *
 * Called on the drain thread. context_look() comes before each record, so that an event has the
 * fields of a context that was defined a moment before it; put_context_values() ends the event with
 * them. The values are those that context_read() put into the record on the thread itself.
 */
#include "recorder/context/fields.h"
#include "recorder/context/attributes.h"
#include "recorder/context/virtual.h"

#include "recorder/capture/capture.h"
#include "recorder/context/context.h"
#include "recorder/context/java.h"
#include "recorder/context/names.h"
#include "recorder/context/shim.h"
#include "recorder/context/values.h"
#include "recorder/capture/emit.h"
#include "recorder/base/log.h"
#include "recorder/events/objects.h"
#include "recorder/settings/options.h"
#include "recorder/events/active_setting.h"
#include "recorder/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS 4

static struct {
    bool has[EV_N]; /* events with context fields */
    int64_t adopted[CONTEXT_ADOPTED]; /* event types of other engines with context fields */
    size_t n_adopted;
    bool is_open; /* the engine */
    bool is_uneven; /* events before the last definition lack its fields, and that was logged */
    _Atomic size_t n_types; /* that have their fields */
    size_t n_slots, n_described; /* slots; types whose settings were written */
    _Atomic int64_t intervals[CONTEXT_TYPES]; /* types of interval events; 0: none */
    _Atomic bool always[CONTEXT_TYPES];
    uint64_t met[LIMITS]; /* how often each limit was reached when it was last logged */
    int64_t reported; /* ticks: until when open scopes were reported */
    int64_t late; /* ticks: the first end in this chunk of an event whose intervals are looked up */
} now;

/* --- limits --- */

static const char *const limits[LIMITS] = {
    "a context is not recorded: there are at most 8, with 24 attributes in all (ids of traces count as six), and one name has one list of them",
    "scopes inside of 32 others are not recorded",
    "threads have no context that cannot have one, as beyond 65536 at a time",
    "contexts have more values at a time than 65536, or 16 MB: others are '<overflow>'",
};

static void count_limits(uint64_t n[LIMITS])
{
    struct context_counts c;
    struct values_stats v;

    context_counts(&c);
    values_stats(&v);
    n[0] = c.n_types_refused;
    n[1] = c.n_too_deep;
    n[2] = c.n_not_ours;
    n[3] = v.n_overflows;
}

/* Logs each limit that was exceeded, once in a recording. */
static void log_limits(void)
{
    uint64_t n[LIMITS];

    count_limits(n);
    for (size_t i = 0; i < LIMITS; i++)
        if (n[i] > now.met[i]) {
            log_line(LOG_WARNING, "%s", limits[i]);
            now.met[i] = UINT64_MAX;
        }
}

/* --- definitions --- */

/* "name:attribute;attribute" up to the end or a comma. */
static void define_one(char *text)
{
    const char *attributes[CONTEXT_SLOTS + 1];
    char *colon = strchr(text, ':'), *save = NULL;
    size_t n = 0;

    if (colon != NULL) {
        *colon = '\0';
        for (char *a = strtok_r(colon + 1, "; ", &save); a != NULL && n <= CONTEXT_SLOTS;
             a = strtok_r(NULL, "; ", &save))
            attributes[n++] = a;
    }
    if (context_define(text, attributes, n) == 0)
        log_line(LOG_WARNING,
                 "context '%s' is not defined: it needs a name and attributes, at most "
                 "16 of all contexts, and one name has one list of them",
                 text);
}

static void define_options(const char *list)
{
    char *text = list == NULL ? NULL : strdup(list), *save = NULL;

    if (text == NULL)
        return;
    for (char *one = strtok_r(text, ",", &save); one != NULL; one = strtok_r(NULL, ",", &save))
        define_one(one);
    free(text);
}

/* An event with the settings contextName and attributes defines a context. */
static void define_settings(const struct settings *s)
{
    size_t n;
    const struct settings_row *rows = settings_rows(s, &n);

    for (size_t i = 0; i < n; i++) {
        const char *attributes;
        char text[1024];

        if (strcmp(rows[i].setting, "contextName") != 0)
            continue;
        attributes = settings_get(s, rows[i].event, "attributes");
        snprintf(text, sizeof(text), "%s:%s", settings_get(s, rows[i].event, "contextName"),
                 attributes == NULL ? "" : attributes);
        define_one(text);
    }
}

void context_plan(const struct rec_options *o, const struct settings *s)
{
    memset(&now, 0, sizeof(now));
    attributes_begin();
    if (context_init() != 0)
        return;
    for (int e = 0; e < EV_N; e++)
        now.has[e] = settings_of(s, (enum event)e)->with_context &&
                     settings_of(s, (enum event)e)->is_enabled;
    define_options(o->context);
    define_settings(s);
    count_limits(now.met);
}

/* --- fields --- */

/* Adds the fields of one context to event types. */
static int extend(struct recording *r, const int64_t *events, size_t n_events,
                  const struct context_type *t)
{
    char names[CONTEXT_SLOTS][CONTEXT_JAVA_MAX];
    struct jfr_field_def fields[CONTEXT_SLOTS];

    size_t n = 0;

    memset(fields, 0, sizeof(fields));
    for (size_t i = 0; i < t->n; i++) {
        if (t->attributes[i][0] == '\0')
            continue;
        context_field_name(t, i, names[n]);
        fields[n].name = names[n];
        fields[n].type = ATTRIBUTE_TYPE;
        fields[n].flags = JFR_POOLED;
        fields[n].label = t->attributes[i];
        fields[n].description = "What the program set for the thread";
        n++;
    }
    if (attributes_declare(r) != 0)
        return -1;
    return jfr_writer_extend(r->writer, events, n_events, fields, n);
}

static void add_context_fields(struct recording *r, const struct context_type *t)
{
    int64_t events[EV_N + CONTEXT_ADOPTED];
    size_t n = 0;

    for (int e = 0; e < EV_N; e++)
        if (now.has[e])
            events[n++] = r->types[e];
    for (size_t i = 0; i < now.n_adopted; i++)
        events[n++] = now.adopted[i];
    if (extend(r, events, n, t) != 0)
        log_line(LOG_WARNING, "context '%s': events do not get its fields: %s", t->name,
                 jfr_writer_error(r->writer)->text);
    else
        now.n_slots = t->first + t->n;
}

/* Events that were written before a definition get its fields, too. */
static void rewrite_fields(struct recording *r)
{
    struct jfr_error err = {0};

    if (now.is_uneven || r->rewrite == NULL || r->rewrite(r, &err) == 0)
        return;
    now.is_uneven = true;
    log_line(LOG_WARNING,
             "contexts were defined late, and earlier events do not get their fields (%s): JDK "
             "Mission Control will show these under a second name",
             err.text);
}

bool context_adopt(struct recording *r, int64_t type)
{
    if (now.n_adopted == CONTEXT_ADOPTED)
        return false;
    for (size_t i = 0; i < now.n_types; i++) {
        const struct context_type *t = context_type_at(i);

        if (t->first + t->n <= now.n_slots && extend(r, &type, 1, t) != 0)
            return false;
    }
    now.adopted[now.n_adopted++] = type;
    return true;
}

static void add_interval(struct recording *r, size_t index)
{
    const struct context_type *t = context_type_at(index);
    struct jfr_field_def fields[CONTEXT_SLOTS + 1];
    struct jfr_setting_def settings[] = {{"enabled", "jdk.settings.Enabled", "true"},
                                         {"emit", "jfrkit.settings.Emit"}};
    struct jfr_type_def def = {.kind = JFR_TYPE_EVENT,
                               .category = "Java Application|Context",
                               .flags = JFR_HAS_DURATION | JFR_HAS_THREAD,
                               .fields = fields,
                               .settings = settings,
                               .n_settings = 2};
    char name[CONTEXT_JAVA_MAX];
    const char *emit;

    context_event_name(index, name);
    emit = settings_get(r->settings, name, "emit");
    if (emit == NULL) /* whether the JDK's recorder has events in a scope is not known */
        emit = r->options->jfrsync != NULL ? "always" : "used";
    if (strcmp(emit, "never") == 0)
        return;
    if (settings_get(r->settings, name, "enabled") != NULL &&
        strcmp(settings_get(r->settings, name, "enabled"), "false") == 0)
        return;
    memset(fields, 0, sizeof(fields));
    for (size_t i = 0; i < t->n; i++) {
        struct jfr_field_def *f = &fields[def.n_fields];

        if (t->attributes[i][0] == '\0')
            continue;
        f->name = f->label = t->attributes[i];
        f->type = ATTRIBUTE_TYPE;
        f->flags = JFR_POOLED | JFR_CONTEXTUAL;
        def.n_fields++;
    }
    fields[def.n_fields++] = (struct jfr_field_def){
        .name = "isContinuation",
        .type = "boolean",
        .label = "Continuation",
        .description =
            "A part of a scope, not the first: values changed, or a chunk or a copy ended"};
    def.name = name;
    def.label = t->name;
    settings[1].default_value = emit;
    now.intervals[index] = jfr_writer_declare(r->writer, &def, 1);
    now.always[index] = strcmp(emit, "always") == 0;
    if (now.intervals[index] < 0)
        log_line(LOG_WARNING, "context '%s' has no interval events: %s", t->name,
                 jfr_writer_error(r->writer)->text);
}

/* Scopes need no time when no type has interval events, and no end when nothing was recorded in
 * them and no type has events for such. */
static void set_wants(const struct recording *r)
{
    int wants = now.n_types == 0 ? CONTEXT_WANTS_TIME : 0;

    for (size_t t = 0; t < now.n_types; t++)
        wants |= (now.intervals[t] > 0 ? CONTEXT_WANTS_TIME : 0) |
                 (now.always[t] ? CONTEXT_WANTS_UNUSED : 0);
    atomic_store(&context_report_unused, (wants & CONTEXT_WANTS_UNUSED) != 0);
    context_java_wants(r->env, wants);
}

static void add_types(struct recording *r)
{
    while (now.n_types < context_n_types()) {
        add_context_fields(r, context_type_at(now.n_types));
        add_interval(r, now.n_types);
        now.n_types++; /* from now on is_wanted() reads the settings of the type */
    }
}

/* Types that were defined since the last look. All ends of scopes of a new type are recorded until
 * it was looked at (context_define, Native.define). The loop is for a type that is defined
 * meanwhile: set_wants() may have come too late for it. */
static void look_for_types(struct recording *r)
{
    bool is_new = now.n_types < context_n_types();

    do {
        add_types(r);
        set_wants(r);
    } while (now.n_types < context_n_types());
    attributes_look(r);
    if (is_new)
        rewrite_fields(r);
}

void context_look(struct recording *r)
{
    if (now.is_open && now.n_types < context_n_types())
        look_for_types(r);
}

static void write_settings(struct recording *r)
{
    for (; now.n_described < now.n_types; now.n_described++) {
        int64_t type = now.intervals[now.n_described];

        if (type <= 0)
            continue;
        active_setting(r, type, "enabled", "true");
        active_setting(r, type, "emit", now.always[now.n_described] ? "always" : "used");
    }
}

/* --- values --- */

static void put_context_values(struct recording *r, const struct record *rec)
{
    const uint32_t *words = record_context(rec);

    for (size_t i = 0; words != NULL && i < now.n_slots;)
        i += attributes_put(r->writer, words + i, i);
}

int context_own_end(struct recording *r, bool has_fields, const struct record *rec)
{
    if (record_context(rec) != NULL && rec->ticks + rec->duration < now.late)
        now.late = rec->ticks + rec->duration;
    if (has_fields)
        put_context_values(r, rec);
    return jfr_event_end(r->writer);
}

int context_event_end(struct recording *r, enum event e, const struct record *rec)
{
    /* The JDK's tool finds the scopes around an event by its eventThread, in the chunk of the
     * event. Samples have a sampledThread instead, so parts of scopes need not begin earlier for
     * them. */
    if ((jdk_type(e)->flags & JFR_HAS_THREAD) != 0)
        return context_own_end(r, now.has[e], rec);
    if (now.has[e])
        put_context_values(r, rec);
    return jfr_event_end(r->writer);
}

/* --- the engine --- */

/* The settings of a new type are not known yet: its scopes are recorded. */
static bool is_wanted(const struct context_scope *scope)
{
    if (scope->type >= now.n_types)
        return true;
    return now.intervals[scope->type] > 0 && (scope->is_used || now.always[scope->type]);
}

static bool ended(const struct context_scope *scope, int64_t end)
{
    int64_t start = scope->start > 0 ? scope->start : 1;

    if (!is_wanted(scope))
        return false;
    emit(&(struct emit){.engine = &engine_context,
                        .ticks = start,
                        .duration = end - start,
                        .thread_key = scope->thread_key,
                        .is_end = true,
                        .data = scope,
                        .n_data = sizeof(*scope)});
    return true;
}

static int open_context(struct recording *r)
{
    bool is_asked = false;

    now.is_open = true;
    now.late = INT64_MAX;
    for (int e = 0; e < EV_N; e++)
        is_asked |= now.has[e];
    context_shim_define(r->env, is_asked);
    look_for_types(r);
    return 0;
}

static int start(struct recording *r)
{
    atomic_store(&capture_context, context_read);
    atomic_store(&capture_virtual, context_virtual_thread);
    atomic_store(&context_since, r->start_ticks);
    atomic_store(&context_ended, ended);
    look_for_types(r);
    write_settings(r);
    return 0;
}

struct until {
    struct recording *recording;
    int64_t ticks;
};

/* Writes a scope until `end`, from where it was not reported yet. */
static void write_scope(struct recording *r, const struct context_scope *scope, int64_t end,
                        uint64_t thread)
{
    const struct context_type *t = context_type_at(scope->type);
    int64_t start = scope->start > r->start_ticks ? scope->start : r->start_ticks;
    int64_t reported = context_reported_until(scope);
    bool is_part = start < reported;

    if (is_part && start < now.late) /* events that were written too late for the part before */
        start = now.late < reported ? now.late : reported;
    if (now.intervals[scope->type] <= 0 || start > end || (is_part && start == end))
        return;
    jfr_event_begin(r->writer, now.intervals[scope->type], start);
    jfr_put_long(r->writer, end - start);
    jfr_put_key(r->writer, thread);
    for (size_t i = 0; i < t->n;)
        i += attributes_put(r->writer, scope->values + i, t->first + i);
    jfr_put_boolean(r->writer, is_part || context_is_continued(scope));
    jfr_event_end(r->writer);
}

static void write_interval(struct recording *r, const struct record *rec)
{
    struct context_scope scope;

    memcpy(&scope, record_data(rec), sizeof(scope));
    if (now.n_types < context_n_types())
        look_for_types(r);
    if (scope.type < now.n_types && is_wanted(&scope))
        write_scope(r, &scope, rec->ticks + rec->duration, context_thread(r, rec));
    context_note_written(&scope);
}

/* A scope that ends after the end of a chunk has a part in that chunk, too. */
static void ahead(struct recording *r, struct record *rec)
{
    struct context_scope scope;
    int64_t end =
        rec->ticks + rec->duration < now.reported ? rec->ticks + rec->duration : now.reported;

    memcpy(&scope, record_data(rec), sizeof(scope));
    if (scope.type >= now.n_types || !is_wanted(&scope) || scope.start > now.reported)
        return;
    write_scope(r, &scope, end, context_thread(r, rec));
    scope.reported = now.reported;
    memcpy(record_data(rec), &scope, sizeof(scope));
}

/* Returns false if the scope is not wanted so far. If it becomes wanted later, its first part
 * begins where the scope began. */
static bool write_open(const struct context_scope *scope, int32_t tid, void *arg)
{
    struct until *until = arg;
    struct record rec = {.thread_key = scope->thread_key, .context = scope->record + 1};

    if (scope->type >= now.n_types || !is_wanted(scope))
        return false;
    write_scope(until->recording, scope, until->ticks,
                rec.thread_key != 0 ? context_thread(until->recording, &rec)
                                    : drain_tid(until->recording, tid));
    return true;
}

/* Each chunk, and each copy, has its part of the scopes that are open. */
static void ongoing(struct recording *r)
{
    struct until until = {r, emit_now()};

    if (now.n_types < context_n_types())
        look_for_types(r);
    context_each_open(until.ticks, write_open, &until);
    write_settings(r);
    now.reported = until.ticks;
    now.late = INT64_MAX;
}

static void tick(struct recording *r, int64_t now_ticks)
{
    uint32_t generation = values_generation();

    look_for_types(r);
    write_settings(r);
    log_limits();
    values_expire(now_ticks / 1000000000, context_each_value);
    if (values_generation() != generation)
        context_java_generation(r->env);
}

/* All events have been recorded: writes the scopes that were used. */
static void stop(struct recording *r)
{
    capture_end();
    ongoing(r);
    atomic_store(&context_ended, NULL);
    context_java_wants(r->env, 0);
    log_limits();
}

/* Not before: an event of a thread that was on its way when the recording stopped has its context.
 */
static void close_context(struct recording *r)
{
    (void)r;
    atomic_store(&capture_context, NULL);
    atomic_store(&capture_virtual, NULL);
}

struct engine engine_context = {
    .name = "context",
    .open = open_context,
    .start = start,
    .write = write_interval,
    .tick = tick,
    .ongoing = ongoing,
    .ahead = ahead,
    .stop = stop,
    .close = close_context,
};
