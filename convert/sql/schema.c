/*
 * schema.c - which tables a recording has, with which columns, and how many events.
 *
 * Columns are those that convert/columns makes of the metadata, with every attribute of contexts in
 * each table. Chunks whose metadata is the same as that of an earlier one are only counted.
 */
#include "convert/sql/tables_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct sql_table *tables_of_event(const struct tables *t, const char *event)
{
    uint32_t i = intern_find(&t->names, event, strlen(event));

    return i == INTERN_FAILED ? NULL : t->items[i];
}

/* The event's name with '_' for what SQL does not take; a number follows where that is taken. */
static char *name_in_sql(const struct tables *t, const char *event)
{
    size_t n = strlen(event);
    bool is_taken = n == 0 || strncasecmp(event, "sqlite", 6) == 0; /* SQLite's own */
    char *name = malloc(n + 20);

    if (name == NULL)
        return NULL;
    name[0] = '_';
    for (size_t i = 0; i < n; i++)
        name[i + is_taken] = isalnum((unsigned char)event[i]) ? event[i] : '_';
    n += is_taken;
    name[n] = '\0';
    for (unsigned i = 2; tables_find(t, name) != NULL; i++)
        snprintf(name + n, 16, "_%u", i);
    return name;
}

static struct sql_table *note_new_table(struct tables *t, const char *event)
{
    struct sql_table *new = calloc(1, sizeof(*new));

    if (new == NULL || !array_add(&t->items, t->n, sizeof(struct sql_table *))) {
        free(new);
        return NULL;
    }
    new->kind = -1;
    new->event = strdup(event);
    new->name = name_in_sql(t, event);
    if (new->event == NULL || new->name == NULL ||
        intern_add(&t->names, event, strlen(event)) != t->n) {
        free(new->event);
        free(new->name);
        free(new);
        return NULL;
    }
    t->items[t->n++] = new;
    return new;
}

static struct sql_column *note_new_column(struct sql_table *t, const char *name,
                                          enum parquet_type type)
{
    struct sql_column column = {.name = strdup(name), .type = type};

    if (column.name == NULL || !array_add(&t->columns, t->n_columns, sizeof(column))) {
        free(column.name);
        return NULL;
    }
    t->columns[t->n_columns] = column;
    return &t->columns[t->n_columns++];
}

bool schema_walk(struct parquet_node *node, struct buf *path,
                 bool (*take)(void *ctx, const char *path, struct parquet_node *leaf), void *ctx)
{
    size_t n = path->n;
    bool goes_on = true;

    for (size_t i = 0; i < node->n_children && goes_on; i++) {
        struct parquet_node *child = node->children[i];

        path->n = n;
        buf_printf(path, "%s%s", n > 0 ? "." : "", child->name);
        if (child->kind == PARQUET_GROUP)
            goes_on = schema_walk(child, path, take, ctx);
        else if (child->kind == PARQUET_LEAF && child->rep == 0) {
            buf_byte(path, '\0');
            goes_on = buf_ok(path) && take(ctx, (const char *)path->p, child);
        }
    }
    path->n = n;
    return goes_on;
}

/* A field of another type than that of this name, in a recording of another JVM, has its type in
 * the name of its column. */
static const char *column_name_of(const struct sql_table *t, const char *path,
                                  enum parquet_type type, char *room, size_t n)
{
    size_t at = tables_column(t, path);

    if (at == TABLE_NO_COLUMN || t->columns[at].type == type)
        return path;
    snprintf(room, n, "%s_%s", path, fill_type_name(type));
    return room;
}

static bool note_column(void *ctx, const char *path, struct parquet_node *leaf)
{
    struct sql_table *table = ctx;
    char room[400];
    const char *name = column_name_of(table, path, leaf->type, room, sizeof(room));
    struct sql_column *c;
    size_t n = strlen(name);

    if (tables_column(table, name) != TABLE_NO_COLUMN)
        return true;
    if (table->n_columns >= TABLE_COLUMNS) {
        table->is_limited = true;
        return true;
    }
    c = note_new_column(table, name, leaf->type);
    if (c != NULL && n > 5 && strcmp(name + n - 5, "_path") == 0 && leaf->parent->parent == NULL &&
        leaf->type == PARQUET_STRING)
        c->is_hidden = true; /* long, and rarely wanted */
    return c != NULL;
}

static bool wants_all(void *ctx, const char *path, bool is_inside)
{
    (void)ctx, (void)path, (void)is_inside;
    return true;
}

/* The columns of a class, by a file that gets no rows. */
static bool note_fields(struct tables *t, struct sql_table *table, const struct jfr_class *cls)
{
    static const struct fill_choice all = {.wants = wants_all, .has_json_lists = true};
    struct json_shape *shape = json_shape_get(&t->values.shapes, cls, 0, NULL, JSON_FORM_JSON);
    struct parquet *file = parquet_new(NULL, NULL);
    struct fill fill = {0};
    struct buf path = {0};
    bool ok = false;

    if (file != NULL && shape != NULL) {
        fill_load(&fill, &t->values, file);
        fill.stacks = &t->stack_rule;
        fill.choice = &all;
        ok = json_value_compile(&t->values, shape) &&
             fill_class(&fill, shape, parquet_root(file), NULL, 0) != NULL &&
             schema_walk(parquet_root(file), &path, note_column, table);
    }
    buf_free(&path);
    fill_free(&fill);
    parquet_free(file);
    return ok;
}

/* Contexts of one chunk may hold in another. */
static bool note_contexts(struct tables *t)
{
    const struct context_run *run = select_run_context(t->run);
    size_t n = run == NULL ? 0 : context_n_attributes(run);

    for (size_t i = 0; i < n; i++) {
        const char *name = context_attribute(run, i);

        if (intern_add(&t->attributes, name, strlen(name)) == INTERN_FAILED)
            return false;
    }
    return true;
}

/* The first kind that the type is no makeshift for. False: memory is exhausted. */
static bool note_kind(struct sql_table *t, const struct jfr_class *cls)
{
    for (int kind = 0; kind < KIND_LATENCY && t->kind < 0; kind++) {
        struct kind_use use = kind_use_of((enum kind)kind, cls, KIND_SAMPLES_CPU);
        const char *field = use.bytes_field != NULL ? use.bytes_field : use.count_field;

        if (use.rank <= KIND_RANK_STANDIN)
            continue;
        t->kind = kind;
        t->weight_field = field == NULL ? NULL : strdup(field);
        return field == NULL || t->weight_field != NULL;
    }
    return true;
}

static bool note_class(struct tables *t, const struct jfr_class *cls)
{
    struct sql_table *table = tables_of_event(t, cls->name);

    if (table == NULL)
        table = note_new_table(t, cls->name);
    return table != NULL && note_fields(t, table, cls) && note_kind(table, cls);
}

/* After what differs in each metadata event: start, duration, id. */
static uint64_t hash_metadata(const struct jfr_event *ev)
{
    struct cursor c = ev->body;

    for (int i = 0; i < 3; i++)
        cur_varint(&c);
    return cur_ok(&c) ? XXH3_64bits(c.p, cur_left(&c)) : 0;
}

/* Counts events by class; *hash becomes that of all metadata. */
static bool count_events(struct jfr_chunk *chunk, uint64_t *counts, uint64_t *hash)
{
    struct jfr_event ev;

    *hash = 0;
    jfr_chunk_rewind(chunk);
    while (jfr_chunk_next_any(chunk, &ev) > 0)
        if (ev.type_id == 0)
            *hash = *hash * 31 + hash_metadata(&ev);
        else if (ev.type != NULL)
            counts[ev.type->index]++;
    return arena_ok(jfr_chunk_arena(chunk));
}

int tables_note(struct tables *t, const struct run_chunk *rc)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    uint64_t *counts = arena_array(jfr_chunk_arena(rc->chunk), md->n_classes, sizeof(*counts)),
             hash;
    struct json_clock clock = json_clock_of(&t->clocks, rc);
    size_t n_seen = intern_n(&t->seen);
    bool is_new;

    if (counts == NULL || !count_events(rc->chunk, counts, &hash))
        return JFR_E_NOMEM;
    is_new = intern_add(&t->seen, &hash, sizeof(hash)) == n_seen;
    if (select_run_load(t->run, rc->chunk) < 0 || !note_contexts(t))
        return JFR_E_NOMEM;
    if (is_new) {
        if (!json_values_load(&t->values, rc->chunk, &clock))
            return JFR_E_NOMEM;
        stacks_load(t->stacks, &t->values);
    }
    for (size_t i = 0; i < md->n_classes; i++) {
        struct sql_table *table;

        if (!md->classes[i].is_event)
            continue;
        if (is_new && !note_class(t, &md->classes[i]))
            return JFR_E_NOMEM;
        table = tables_of_event(t, md->classes[i].name);
        if (table != NULL)
            table->n_events += counts[i];
    }
    return 0;
}

/* --- columns beside fields --- */

static bool add_shown(struct sql_table *t, const char *name, const char *first, const char *second)
{
    size_t shows[2] = {tables_column(t, first),
                       second == NULL ? TABLE_NO_COLUMN : tables_column(t, second)};
    struct sql_column *c;

    if (shows[0] == TABLE_NO_COLUMN || tables_column(t, name) != TABLE_NO_COLUMN)
        return true;
    c = note_new_column(t, name, t->columns[shows[0]].type);
    if (c == NULL)
        return false;
    c->is_hidden = true;
    c->shows[c->n_shows++] = shows[0];
    if (shows[1] != TABLE_NO_COLUMN)
        c->shows[c->n_shows++] = shows[1];
    return true;
}

static bool add_recording(struct sql_table *t)
{
    struct sql_column *c;

    if (tables_column(t, "recording") != TABLE_NO_COLUMN)
        return true;
    c = note_new_column(t, "recording", PARQUET_STRING);
    if (c != NULL)
        c->is_hidden = c->is_recording = true;
    return c != NULL;
}

static bool add_context_columns(const struct tables *t, struct sql_table *table)
{
    char name[300];

    for (uint32_t i = 0; i < intern_n(&t->attributes); i++) {
        snprintf(name, sizeof(name), CONTEXTS_NAME ".%s", intern_get(&t->attributes, i, NULL));
        if (tables_column(table, name) == TABLE_NO_COLUMN &&
            note_new_column(table, name, PARQUET_STRING) == NULL)
            return false;
    }
    return true;
}

bool tables_add_hidden(struct tables *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct sql_table *table = t->items[i];

        if (!add_context_columns(t, table) || !add_recording(table) ||
            !add_shown(table, "thread", "eventThread.javaName", "eventThread.osName") ||
            !add_shown(table, "thread", "sampledThread.javaName", "sampledThread.osName") ||
            !add_shown(table, "top_frame", "stackTrace_top", NULL) ||
            !add_shown(table, "stack_id", "stackTrace", NULL) ||
            !add_shown(table, "stack", "stackTrace_path", NULL))
            return false;
    }
    return true;
}
