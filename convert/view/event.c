/* event.c - keeps the values of each event of a type, and makes rows and columns of them. */
#include "convert/view/event.h"

#include "convert/select/kind.h"
#include "convert/view/internal.h"

#include <stdlib.h>

#define DEPTH 3 /* structs in structs */

struct event_column {
    char *path, *title;
};

struct event_field { /* of a class of the chunk: where the value of a column comes from */
    struct view_getter getter;
    size_t column;
};

struct event_class {
    bool is_ready, counts, is_tested;
    const struct jfr_plan *plan;
    struct event_field fields[JFR_PLAN_WANTS_MAX];
    size_t n_fields;
    const char *paths[JFR_PLAN_WANTS_MAX];
    size_t n_paths;
};

struct event_row {
    size_t first; /* of its cells */
    size_t n; /* columns that there were */
};

struct view_events {
    const char *type;
    struct select *spec;
    struct select_run *select;
    size_t limit;
    char *title;
    struct intern texts;
    struct view_values values;
    struct event_class **classes; /* by index; NULL: not seen in this chunk */
    struct buf columns; /* of struct event_column */
    struct buf rows; /* of struct event_row */
    struct buf cells; /* of struct view_value */
    struct buf shown;
    bool found, failed;
};

struct view_events *view_events_new(const char *type, struct select *select, size_t limit)
{
    struct view_events *e = calloc(1, sizeof(*e));

    if (e == NULL)
        return NULL;
    e->type = type;
    e->spec = select;
    e->limit = limit;
    e->values.texts = &e->texts;
    if (select == NULL || (e->select = select_run_new(select)) != NULL)
        return e;
    free(e);
    return NULL;
}

static size_t n_columns(const struct view_events *e)
{
    return e->columns.n / sizeof(struct event_column);
}

static struct event_column *columns(const struct view_events *e)
{
    return (struct event_column *)(void *)e->columns.p;
}

void view_events_free(struct view_events *e)
{
    if (e == NULL)
        return;
    for (size_t i = 0; i < n_columns(e); i++) {
        free(columns(e)[i].path);
        free(columns(e)[i].title);
    }
    select_run_free(e->select);
    free(e->title);
    intern_free(&e->texts);
    view_values_free(&e->values);
    buf_free(&e->columns);
    buf_free(&e->rows);
    buf_free(&e->cells);
    buf_free(&e->shown);
    free(e);
}

/* --- classes ---------------------------------------------------------------------------------- */

static bool is_wanted_type(const struct view_events *e, const struct jfr_class *cls)
{
    const char *prefix, *name = kind_event_name(cls, &prefix);

    return cls->is_event && (strcmp(e->type, cls->name) == 0 || strcmp(e->type, cls->simple) == 0 ||
                             (strncmp(e->type, prefix, strlen(prefix)) == 0 &&
                              strcmp(e->type + strlen(prefix), name) == 0));
}

/* The column of a path, a new one when there is none; SIZE_MAX: memory is exhausted. */
static size_t column_of(struct view_events *e, const char *path, const char *title)
{
    struct event_column c;
    size_t n = n_columns(e);

    for (size_t i = 0; i < n; i++)
        if (strcmp(columns(e)[i].path, path) == 0)
            return i;
    c = (struct event_column){strdup(path), strdup(title)};
    if (c.path != NULL && c.title != NULL) {
        buf_bytes(&e->columns, &c, sizeof(c));
        if (buf_ok(&e->columns))
            return n;
    }
    free(c.path);
    free(c.title);
    e->failed = true;
    return SIZE_MAX;
}

/* Is it shown as one text? */
static bool is_one(const struct jfr_field *f)
{
    static const char *const types[] = {"java.lang.Thread", "java.lang.Class", "jdk.types.Method",
                                        "jdk.types.ClassLoader", "jdk.types.StackTrace"};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(f->type->name, types[i]) == 0)
            return true;
    return jfr_class_shown(f->type)->kind != JFR_STRUCT;
}

static const char *label_of(const struct jfr_field *f)
{
    return f->label != NULL && *f->label != '\0' ? f->label : f->name;
}

static char *join(struct view_events *e, const char *a, const char *between, const char *b)
{
    struct arena *arena = jfr_chunk_arena(e->values.chunk);
    size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = arena_array(arena, n, 1);

    if (text == NULL)
        e->failed = true;
    else
        stpcpy(stpcpy(stpcpy(text, a), between), b);
    return text;
}

/* Adds the fields of a class, those of an event or of a struct in it. */
static void add_fields(struct view_events *e, struct event_class *c, const struct jfr_class *event,
                       const struct jfr_class *cls, const char *path, const char *title, int depth)
{
    for (size_t i = 0; i < cls->n_fields && !e->failed && c->n_paths < JFR_PLAN_WANTS_MAX; i++) {
        const struct jfr_field *f = &cls->fields[i];
        const char *p = depth == 0 ? f->name : join(e, path, ".", f->name);
        const char *t = depth == 0 ? label_of(f) : join(e, title, ": ", label_of(f));
        struct event_field *field = &c->fields[c->n_fields];

        if (e->failed || f->is_array)
            continue;
        if (!is_one(f)) {
            if (depth + 1 < DEPTH)
                add_fields(e, c, event, f->type, p, t, depth + 1);
            continue;
        }
        field->getter = view_getter(event, p, c->paths, &c->n_paths);
        if (field->getter.field == NULL)
            continue;
        e->failed |= !view_getter_remember(&e->values, &field->getter);
        field->column = column_of(e, p, t);
        c->n_fields++;
    }
}

static struct event_class *open_class(struct view_events *e, const struct jfr_class *cls)
{
    struct event_class *c = arena_array(jfr_chunk_arena(e->values.chunk), 1, sizeof(*c));
    enum select_decision d = e->select == NULL ? SELECT_ALWAYS : select_class(e->select, cls);

    if (c == NULL) {
        e->failed = true;
        return NULL;
    }
    if (!is_wanted_type(e, cls))
        return c;
    e->found = true;
    if (e->title == NULL) {
        e->title = strdup(cls->label != NULL && *cls->label != '\0' ? cls->label : cls->name);
        e->failed |= e->title == NULL;
    }
    c->is_tested = d == SELECT_TEST;
    add_fields(e, c, cls, cls, "", "", 0);
    c->plan = jfr_plan_new(e->values.chunk, cls, c->paths, c->n_paths);
    c->counts = c->plan != NULL && d != SELECT_NEVER;
    e->failed |= c->plan == NULL && !arena_ok(jfr_chunk_arena(e->values.chunk));
    return c;
}

/* --- events ----------------------------------------------------------------------------------- */

static void add_view_event(struct view_events *e, const struct event_class *c,
                           const struct jfr_event *ev)
{
    union jfr_value values[JFR_PLAN_WANTS_MAX];
    struct event_row row = {e->cells.n / sizeof(struct view_value), n_columns(e)};
    struct view_value *cells;
    const uint8_t *where;

    if (jfr_plan_run(c->plan, ev->body, values, &where) != 0) {
        jfr_chunk_damaged(e->values.chunk, ev, where, "event ends inside a field");
        return;
    }
    buf_bytes(&e->rows, &row, sizeof(row));
    if (!buf_ok(&e->rows) || !buf_fill(&e->cells, (row.first + row.n) * sizeof(*cells))) {
        e->failed = true;
        return;
    }
    cells = (struct view_value *)(void *)e->cells.p + row.first;
    for (size_t i = 0; i < c->n_fields; i++)
        cells[c->fields[i].column] = view_get(&e->values, &c->fields[i].getter, ev, values);
}

/* The types are looked for in the metadata, so that one without events is found too. */
static int open_classes(struct view_events *e)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(e->values.chunk);

    e->classes = arena_array(jfr_chunk_arena(e->values.chunk), md->n_classes, sizeof(*e->classes));
    if (e->classes == NULL)
        return JFR_E_NOMEM;
    for (size_t i = 0; i < md->n_classes && !e->failed; i++)
        if (is_wanted_type(e, &md->classes[i]))
            e->classes[i] = open_class(e, &md->classes[i]);
    return e->failed ? JFR_E_NOMEM : 0;
}

static int read_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct view_events *e = shared;
    struct jfr_event ev;
    int code = 0;

    (void)out;
    view_values_load(&e->values, rc);
    if (e->select != NULL)
        code = select_run_load(e->select, rc->chunk);
    if (code == 0)
        code = open_classes(e);
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0) {
        const struct event_class *c = ev.type == NULL ? NULL : e->classes[ev.type->index];

        if (c == NULL || !c->counts || e->rows.n / sizeof(struct event_row) >= e->limit)
            continue;
        if (!c->is_tested || select_event(e->select, &ev) > 0)
            add_view_event(e, c, &ev);
        if (e->failed || e->values.failed)
            code = JFR_E_NOMEM;
    }
    return code;
}

struct run_job view_events_job(struct view_events *e)
{
    return (struct run_job){.shared = e, .chunk = read_chunk};
}

/* --- the table -------------------------------------------------------------------------------- */

bool view_events_found(const struct view_events *e)
{
    return e->found;
}

struct table *view_events_table(struct view_events *e)
{
    const struct event_row *rows = (const struct event_row *)(const void *)e->rows.p;
    const struct view_value *cells = (const struct view_value *)(const void *)e->cells.p;
    struct table *t = table_new(e->title == NULL ? e->type : e->title);

    for (size_t i = 0; i < n_columns(e) && t != NULL; i++)
        table_column(t, columns(e)[i].path, columns(e)[i].title, TABLE_ANY);
    for (size_t k = 0; k < e->rows.n / sizeof(*rows) && t != NULL; k++)
        for (size_t i = 0; i < n_columns(e); i++)
            e->failed |= !view_put(t, i < rows[k].n ? &cells[rows[k].first + i] : NULL, &e->texts,
                                   &e->shown);
    for (size_t i = 0; i < n_columns(e) && t != NULL; i++)
        if (strcmp(columns(e)[i].path, "startTime") == 0)
            table_sort(t, i, false);
    if (!e->failed)
        return t;
    table_free(t);
    return NULL;
}
