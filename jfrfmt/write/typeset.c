/*
 * typeset.c - declares types from tables, and adds fields to types that are in use.
 *
 * The writer calls it. typeset_check.c says what readers do not accept, typeset_layout.c compiles a
 * class, typeset_jdk.c has the types of every recording, typeset_out.c writes the metadata event. A
 * declaration that fails changes nothing.
 */
#include "jfrfmt/write/typeset.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

#define EVENT_SUPER "jdk.jfr.Event"

static const char *const supers[] = {
    [JFR_TYPE_EVENT] = EVENT_SUPER,
    [JFR_TYPE_ANNOTATION] = "java.lang.annotation.Annotation",
    [JFR_TYPE_SETTING] = "jdk.jfr.SettingControl",
};

static const struct {
    const char *type, *value;
} units[] = {
    [JFR_UNIT_TIMESTAMP_TICKS] = {"jdk.jfr.Timestamp", "TICKS"},
    [JFR_UNIT_TIMESTAMP_MS] = {"jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH"},
    [JFR_UNIT_TICKS] = {"jdk.jfr.Timespan", "TICKS"},
    [JFR_UNIT_NS] = {"jdk.jfr.Timespan", "NANOSECONDS"},
    [JFR_UNIT_US] = {"jdk.jfr.Timespan", "MICROSECONDS"},
    [JFR_UNIT_MS] = {"jdk.jfr.Timespan", "MILLISECONDS"},
    [JFR_UNIT_S] = {"jdk.jfr.Timespan", "SECONDS"},
    [JFR_UNIT_BYTES] = {"jdk.jfr.DataAmount", "BYTES"},
    [JFR_UNIT_BITS] = {"jdk.jfr.DataAmount", "BITS"},
    [JFR_UNIT_PERCENT] = {"jdk.jfr.Percentage", NULL},
    [JFR_UNIT_ADDRESS] = {"jdk.jfr.MemoryAddress", NULL},
    [JFR_UNIT_HERTZ] = {"jdk.jfr.Frequency", NULL},
};

static const struct jfr_field_def usual[] = {
    {"startTime", "long", "Start Time", .unit = JFR_UNIT_TIMESTAMP_TICKS},
    {"duration", "long", "Duration", .unit = JFR_UNIT_TICKS, .flags = JFR_HAS_DURATION},
    {"eventThread", "java.lang.Thread", "Event Thread", .flags = JFR_HAS_THREAD | JFR_POOLED},
    {"stackTrace", "jdk.types.StackTrace", "Stack Trace", .flags = JFR_HAS_STACK | JFR_POOLED},
};

#define N_USUAL (sizeof(usual) / sizeof(usual[0]))
#define MADE_MAX 6 /* annotations that the members of a definition make, at most */

const struct jfr_class *typeset_find(const struct typeset *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->classes[i]->name, name) == 0)
            return t->classes[i];
    return NULL;
}

static const char *copy(struct typeset *t, const char *s)
{
    return s == NULL ? NULL : arena_strndup(&t->arena, s, strlen(s));
}

/* A declared class, or NULL and *err. */
static const struct jfr_class *resolve(const struct typeset *t, const char *name, const char *user,
                                       struct jfr_error *err)
{
    const struct jfr_class *cls = name == NULL ? NULL : typeset_find(t, name);

    if (cls == NULL)
        jfr_fail(err, JFR_E_FORMAT, 0, "'%s' uses the type '%s', which is not declared", user,
                 name == NULL ? "" : name);
    return cls;
}

struct notes { /* annotations being collected */
    struct typeset *types;
    const char *user;
    struct jfr_annotation *list;
    size_t n;
    struct jfr_error *err;
};

static void note_attrs(struct notes *a, const char *type, const struct jfr_attr *attrs, size_t n)
{
    struct jfr_attr *copies = arena_array(&a->types->arena, n, sizeof(*copies));
    const struct jfr_class *cls = resolve(a->types, type, a->user, a->err);

    if (copies == NULL || cls == NULL || a->list == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        copies[i] = (struct jfr_attr){copy(a->types, attrs[i].key), copy(a->types, attrs[i].value)};
    a->list[a->n++] = (struct jfr_annotation){cls, copies, n};
}

/* An annotation without members, or with `value`. */
static void note(struct notes *a, const char *type, const char *value)
{
    note_attrs(a, type, &(struct jfr_attr){"value", value}, value != NULL);
}

static void note_extra(struct notes *a, const struct jfr_annotation_def *defs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        note_attrs(a, defs[i].type, defs[i].attrs, defs[i].n_attrs);
}

static struct notes notes_begin(struct typeset *t, const char *user, size_t n_extra,
                                struct jfr_error *err)
{
    return (struct notes){
        t, user, arena_array(&t->arena, MADE_MAX + n_extra, sizeof(struct jfr_annotation)), 0, err};
}

static void note_category(struct notes *a, const char *path)
{
    static const char *const keys[] = {"value-0", "value-1", "value-2", "value-3", "value-4"};
    struct jfr_attr attrs[sizeof(keys) / sizeof(keys[0])];
    size_t n = 0;

    for (const char *p = path; n < sizeof(keys) / sizeof(keys[0]); p++) {
        size_t len = strcspn(p, "|");

        attrs[n] = (struct jfr_attr){keys[n], arena_strndup(&a->types->arena, p, len)};
        n++;
        p += len;
        if (*p == '\0')
            break;
    }
    note_attrs(a, "jdk.jfr.Category", attrs, n);
}

static void note_unit(struct notes *a, enum jfr_unit unit)
{
    if (unit == JFR_UNIT_NONE)
        return;
    if ((size_t)unit >= sizeof(units) / sizeof(units[0]) || units[unit].type == NULL)
        jfr_fail(a->err, JFR_E_FORMAT, 0, "'%s': a unit that readers do not know", a->user);
    else
        note(a, units[unit].type, units[unit].value);
}

static void build_field(struct typeset *t, struct jfr_field *f, const struct jfr_field_def *def,
                        struct jfr_error *err)
{
    struct notes a = notes_begin(t, def->name, def->n_annotations, err);

    if (def->label != NULL)
        note(&a, "jdk.jfr.Label", def->label);
    if (def->description != NULL)
        note(&a, "jdk.jfr.Description", def->description);
    if (def->flags & JFR_UNSIGNED)
        note(&a, "jdk.jfr.Unsigned", NULL);
    note_unit(&a, def->unit);
    if (def->flags & JFR_CONTEXTUAL)
        note(&a, "jdk.jfr.Contextual", NULL);
    if (def->flags & JFR_EXPERIMENTAL)
        note(&a, "jdk.jfr.Experimental", NULL);
    note_extra(&a, def->annotations, def->n_annotations);

    f->name = copy(t, def->name);
    f->type = resolve(t, def->type, def->name, err);
    f->label = copy(t, def->label);
    f->description = copy(t, def->description);
    f->annotations = a.list;
    f->n_annotations = a.n;
    f->unit = def->unit;
    f->is_pooled = def->flags & JFR_POOLED;
    f->is_array = def->flags & JFR_ARRAY;
    f->is_unsigned = def->flags & JFR_UNSIGNED;
    f->is_contextual = def->flags & JFR_CONTEXTUAL;
}

static bool has_usual(const struct jfr_type_def *def, size_t i)
{
    if (def->kind != JFR_TYPE_EVENT || def->flags & JFR_LISTED)
        return false;
    return i == 0 || def->flags & usual[i].flags;
}

static void build_fields(struct typeset *t, struct jfr_class *cls, const struct jfr_type_def *def,
                         struct jfr_error *err)
{
    struct jfr_field *fields = arena_array(&t->arena, def->n_fields + N_USUAL, sizeof(*fields));
    size_t n = 0;

    if (fields == NULL)
        return;
    for (size_t i = 0; i < N_USUAL; i++)
        if (has_usual(def, i))
            build_field(t, &fields[n++], &usual[i], err);
    for (size_t i = 0; i < def->n_fields; i++)
        build_field(t, &fields[n++], &def->fields[i], err);
    for (size_t i = 0; i < n; i++)
        fields[i].index = i;
    cls->fields = fields;
    cls->n_fields = n;
}

static void build_settings(struct typeset *t, struct jfr_class *cls, const struct jfr_type_def *def,
                           struct jfr_error *err)
{
    struct jfr_setting *settings = arena_array(&t->arena, def->n_settings, sizeof(*settings));

    if (settings == NULL)
        return;
    for (size_t i = 0; i < def->n_settings; i++)
        settings[i] = (struct jfr_setting){
            .name = copy(t, def->settings[i].name),
            .type = resolve(t, def->settings[i].type, def->name, err),
            .default_value = copy(t, def->settings[i].default_value),
        };
    cls->settings = settings;
    cls->n_settings = def->n_settings;
}

static void build_annotations(struct typeset *t, struct jfr_class *cls,
                              const struct jfr_type_def *def, struct jfr_error *err)
{
    struct notes a = notes_begin(t, def->name, def->n_annotations, err);

    if (def->label != NULL)
        note(&a, "jdk.jfr.Label", def->label);
    if (def->description != NULL)
        note(&a, "jdk.jfr.Description", def->description);
    if (def->category != NULL)
        note_category(&a, def->category);
    if (def->flags & JFR_EXPERIMENTAL)
        note(&a, "jdk.jfr.Experimental", NULL);
    if (def->kind == JFR_TYPE_SETTING)
        note(&a, "jdk.jfr.Name", def->name);
    note_extra(&a, def->annotations, def->n_annotations);
    cls->annotations = a.list;
    cls->n_annotations = a.n;
}

static enum jfr_kind kind_of_type(const char *name)
{
    static const char *const names[] = {
        [JFR_BOOLEAN] = "boolean", [JFR_BYTE] = "byte",     [JFR_CHAR] = "char",
        [JFR_SHORT] = "short",     [JFR_INT] = "int",       [JFR_LONG] = "long",
        [JFR_FLOAT] = "float",     [JFR_DOUBLE] = "double", [JFR_STRING] = "java.lang.String",
    };

    for (size_t i = JFR_BOOLEAN; i <= JFR_STRING; i++)
        if (strcmp(names[i], name) == 0)
            return (enum jfr_kind)i;
    return JFR_STRUCT;
}

/* The parts that refer to no other class. */
static struct jfr_class *build_name(struct typeset *t, const struct jfr_type_def *def, size_t index)
{
    struct jfr_class *cls = arena_alloc(&t->arena, sizeof(*cls));
    const char *dot;

    if (cls == NULL)
        return NULL;
    cls->id = typeset_id(t, index);
    cls->index = (uint32_t)index;
    cls->name = copy(t, def->name == NULL ? "" : def->name);
    cls->super = supers[def->kind];
    cls->label = copy(t, def->label);
    cls->description = copy(t, def->description);
    cls->is_event = def->kind == JFR_TYPE_EVENT;
    cls->is_simple = def->kind == JFR_TYPE_SIMPLE;
    if (cls->name == NULL)
        return NULL;
    dot = strrchr(cls->name, '.');
    cls->simple = dot == NULL ? cls->name : dot + 1;
    cls->kind = kind_of_type(cls->name);
    return cls;
}

static bool make_room(struct typeset *t, size_t more)
{
    size_t classes_room = t->room;

    return array_reserve(&t->classes, &classes_room, t->n + more, sizeof(*t->classes)) &&
           array_reserve(&t->layouts, &t->room, t->n + more, sizeof(*t->layouts));
}

static bool same_fields(const struct jfr_class *a, const struct jfr_class *b)
{
    if (a->n_fields != b->n_fields || a->super != b->super || a->is_simple != b->is_simple)
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const struct jfr_field *f = &a->fields[i], *g = &b->fields[i];

        if (strcmp(f->name, g->name) != 0 || f->type != g->type || f->unit != g->unit ||
            f->is_pooled != g->is_pooled || f->is_array != g->is_array)
            return false;
    }
    return true;
}

static int build(struct typeset *t, struct jfr_class *cls, const struct jfr_type_def *def,
                 struct jfr_error *err)
{
    const struct jfr_class *first;

    build_fields(t, cls, def, err);
    build_settings(t, cls, def, err);
    build_annotations(t, cls, def, err);
    if (!arena_ok(&t->arena))
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for types");
    if (err->code != 0)
        return err->code;
    first = typeset_find(t, cls->name);
    if (first != cls && !same_fields(first, cls))
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is declared already with other fields",
                        cls->name);
    return 0;
}

static void use_class_annotations(struct typeset *t, const struct jfr_annotation *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        typeset_use(t, list[i].type->index);
}

/* All that a class which is in use refers to. */
static void use_references(struct typeset *t, const struct jfr_class *cls)
{
    for (size_t i = 0; i < cls->n_fields; i++) {
        typeset_use(t, cls->fields[i].type->index);
        use_class_annotations(t, cls->fields[i].annotations, cls->fields[i].n_annotations);
    }
    for (size_t i = 0; i < cls->n_settings; i++)
        typeset_use(t, cls->settings[i].type->index);
    use_class_annotations(t, cls->annotations, cls->n_annotations);
}

void typeset_use(struct typeset *t, size_t index)
{
    if (!t->layouts[index].is_absent)
        return;
    t->layouts[index].is_absent = false;
    use_references(t, t->classes[index]);
}

/* Takes new[0..n) in; names that are declared already are built and compared, but not kept. */
static int add(struct typeset *t, struct jfr_class **new, const struct jfr_type_def *defs, size_t n,
               struct jfr_error *err)
{
    size_t before = t->n;

    for (size_t i = 0; i < n; i++) {
        new[i] = build_name(t, &defs[i], t->n);
        if (new[i] == NULL)
            return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for types");
        if (typeset_find(t, new[i]->name) == NULL)
            t->classes[t->n++] = new[i];
    }
    for (size_t i = 0; i < n; i++)
        if (build(t, new[i], &defs[i], err) != 0)
            return err->code;
    for (size_t i = 0; i < n; i++) {
        size_t index = new[i]->index;

        if (index < before || index >= t->n || t->classes[index] != new[i])
            continue; /* declared already */
        if (typeset_check(new[i], err) != 0 || typeset_compile(t, index, err) != 0)
            return err->code;
        t->layouts[index].is_absent = true;
    }
    for (size_t i = 0; i < n; i++)
        if (!(defs[i].flags & JFR_ON_USE))
            typeset_use(t, typeset_find(t, defs[i].name)->index);
    return 0;
}

int typeset_extend(struct typeset *t, size_t index, const struct jfr_field_def *defs, size_t n,
                   struct jfr_error *err)
{
    struct jfr_class *cls = t->classes[index];
    const struct jfr_field *before = cls->fields;
    struct layout layout = t->layouts[index];
    struct jfr_field *fields = arena_array(&t->arena, cls->n_fields + n, sizeof(*fields));

    if (!cls->is_event)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is no event", cls->name);
    for (size_t i = 0; i < n; i++)
        if (defs[i].flags & JFR_ARRAY ||
            !(defs[i].flags & JFR_POOLED) != (strcmp(defs[i].type, "java.lang.String") == 0))
            return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': later fields are texts or constants",
                            cls->name);
    if (fields == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for types");
    memcpy(fields, before, cls->n_fields * sizeof(*fields));
    for (size_t i = 0; i < n; i++) {
        build_field(t, &fields[cls->n_fields + i], &defs[i], err);
        fields[cls->n_fields + i].index = cls->n_fields + i;
    }
    cls->fields = fields;
    cls->n_fields += n;
    if (err->code == 0 && arena_ok(&t->arena) && typeset_check(cls, err) == 0 &&
        typeset_compile(t, index, err) == 0) {
        layout.leaves = t->layouts[index].leaves;
        layout.n = t->layouts[index].n;
        layout.n_late += n;
        layout.n_pending += layout.n_events > 0 ? n : 0;
        t->layouts[index] = layout;
        if (!layout.is_absent)
            use_references(t, cls);
        return 0;
    }
    cls->fields = before;
    cls->n_fields -= n;
    t->layouts[index] = layout;
    return err->code != 0 ? err->code : jfr_fail(err, JFR_E_NOMEM, 0, "no memory for types");
}

int typeset_add(struct typeset *t, const struct jfr_type_def *defs, size_t n, struct jfr_error *err)
{
    size_t before = t->n;
    struct jfr_class **new = calloc(n + 1, sizeof(struct jfr_class *));

    if (new == NULL || !make_room(t, n))
        jfr_fail(err, JFR_E_NOMEM, 0, "no memory for types");
    else
        add(t, new, defs, n, err);
    free(new);
    if (err->code != 0)
        t->n = before;
    return err->code;
}

void typeset_free(struct typeset *t)
{
    free(t->classes);
    free(t->layouts);
    arena_free(&t->arena);
    *t = (struct typeset){0};
}
