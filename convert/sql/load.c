/*
 * load.c - the values of the wanted columns, from the chunks into arrays.
 *
 * Each table has a Parquet file that is never written: convert/columns puts the values there, and
 * they are read where they lie. Numbers with a dictionary, and columns with nulls, are copied so
 * that the place of a value is its row.
 */
#include "convert/sql/tables_internal.h"

#include <stdlib.h>

#define LOOK_EACH 4096 /* rows between looks at the memory */

struct class_load { /* of an event class in the loaded chunk */
    bool is_known;
    enum select_decision decision;
    struct sql_table *table; /* NULL: it is not wanted */
    struct filler *filler;
    const struct jfr_plan *start; /* its startTime; NULL: all of its events are wanted */
    enum jfr_unit unit; /* of that */
};

/* --- what is wanted --- */

static bool is_below(const char *name, const char *path, size_t n)
{
    return strncmp(name, path, n) == 0 && (name[n] == '\0' || name[n] == '.' || name[n] == '_');
}

static bool wants(void *ctx, const char *path, bool is_inside)
{
    const struct sql_table *t = ctx;
    size_t n = strlen(path);

    for (size_t i = 0; i < t->n_columns; i++) {
        const struct sql_column *c = &t->columns[i];

        if (c->is_wanted && (is_inside ? is_below(c->name, path, n) : strcmp(c->name, path) == 0))
            return true;
    }
    return false;
}

static bool is_any_wanted(const struct sql_table *t)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].is_wanted && !t->columns[i].is_recording && t->columns[i].n_shows == 0)
            return true;
    return false;
}

static void want_what_is_shown(struct sql_table *t)
{
    for (size_t i = 0; i < t->n_columns; i++)
        for (size_t k = 0; k < t->columns[i].n_shows && t->columns[i].is_wanted; k++)
            t->columns[t->columns[i].shows[k]].is_wanted = true;
}

void tables_begin(struct tables *t)
{
    t->n_bytes = 0;
    t->is_full = false;
    for (size_t i = 0; i < t->n; i++) {
        struct sql_table *table = t->items[i];

        if (table->is_wanted && !table->is_loaded) {
            tables_forget(table);
            table->loaded = table->wanted;
            want_what_is_shown(table);
            table->data = parquet_new(NULL, NULL);
            table->choice = (struct fill_choice){wants, table, true};
            table->chunk = UINT64_MAX;
            t->failed |= table->data == NULL;
        } else if (!table->is_loaded) {
            tables_forget(table); /* what a run left that did not come to its end */
        } else {
            t->n_bytes += parquet_bytes(table->data);
        }
    }
}

/* --- rows --- */

static void enter_rows(struct tables *t, struct sql_table *table, const struct run_chunk *rc)
{
    struct table_start start = {table->n_rows, rc->file};

    table->chunk = t->n_chunks;
    table->wants_values = is_any_wanted(table);
    table->wants_context = wants(table, CONTEXTS_NAME, true);
    fill_load(&table->fill, &t->values, table->data);
    table->fill.stacks = &t->stack_rule;
    table->fill.choice = &table->choice;
    contexts_load(&table->contexts);
    if (buf_reserve(&table->starts, sizeof(start)))
        buf_bytes(&table->starts, &start, sizeof(start));
    t->failed |= !buf_ok(&table->starts);
}

static bool choose_filler(struct tables *t, struct class_load *load, const struct jfr_class *cls)
{
    struct sql_table *table = load->table;
    struct json_shape *shape;

    if (load->filler != NULL && fill_is_current(&table->fill, load->filler))
        return true;
    shape = json_shape_get(&t->values.shapes, cls, 0, NULL, JSON_FORM_JSON);
    if (shape != NULL && json_value_compile(&t->values, shape))
        load->filler = fill_class(&table->fill, shape, parquet_root(table->data),
                                  &table->contexts.node, table->contexts.node != NULL);
    return load->filler != NULL;
}

static void load_row(struct tables *t, struct class_load *load, const struct jfr_event *ev,
                     struct jfr_chunk *chunk)
{
    struct sql_table *table = load->table;
    struct context_run *context = select_run_context(t->run);
    struct cursor body = ev->body;

    if (table->wants_values) {
        if (!choose_filler(t, load, ev->type)) {
            t->failed = true;
            return;
        }
        t->values.bad = NULL;
        fill_object(&table->fill, load->filler, &body);
        if (table->wants_context && context != NULL)
            contexts_put(&table->contexts, &table->fill, context, ev);
        if (t->values.bad != NULL)
            jfr_chunk_damaged(chunk, ev, t->values.bad, t->values.what);
    }
    parquet_end_row(table->data);
    table->n_rows++;
}

static void look_at_size(struct tables *t)
{
    size_t n = t->n_bytes;

    for (size_t i = 0; i < t->n; i++)
        if (t->items[i]->is_wanted && !t->items[i]->is_loaded)
            n += parquet_bytes(t->items[i]->data);
    t->is_full = t->max_bytes > 0 && n > t->max_bytes;
}

/* --- the time of rows --- */

#define SLACK_US 1000000 /* an event may have its time a little after the end of its chunk */

/* May a chunk have events that start in the span? They may have started before it. */
static bool has_span(const struct jfr_chunk_header *h, struct table_span span)
{
    return h->duration_nanos <= 0 || span.first_us <= INT64_MIN + SLACK_US ||
           jfr_chunk_end_ns(h) / 1000 >= span.first_us - SLACK_US;
}

/* Is anything wanted of a chunk? */
static bool is_chunk_wanted(const struct tables *t, const struct jfr_chunk_header *h)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i]->is_wanted && !t->items[i]->is_loaded && has_span(h, t->items[i]->loaded))
            return true;
    return false;
}

/* Prepares the look at the start of a class's events. */
static void read_starts(struct class_load *load, const struct jfr_class *cls,
                        struct jfr_chunk *chunk)
{
    static const char *const paths[] = {"startTime"};
    const struct jfr_plan *plan;
    const struct jfr_field *f;

    if (table_span_is_all(load->table->loaded))
        return;
    plan = jfr_plan_shared(chunk, cls, paths, 1);
    f = plan == NULL ? NULL : jfr_plan_field(plan, 0);
    if (f == NULL || (f->unit != JFR_UNIT_TIMESTAMP_TICKS && f->unit != JFR_UNIT_TIMESTAMP_NS))
        return;
    load->start = plan;
    load->unit = f->unit;
}

/* Is the start of an event in the span that is loaded? True also if it cannot be read. */
static bool is_in_span(const struct tables *t, const struct class_load *load,
                       const struct jfr_event *ev)
{
    struct table_span span;
    union jfr_value v;
    int64_t us;

    if (load->start == NULL || jfr_plan_run(load->start, ev->body, &v, NULL) != 0)
        return true;
    us = (load->unit == JFR_UNIT_TIMESTAMP_TICKS ? jfr_epoch_ns(&t->values.clock.header, v.i)
                                                 : v.i) /
         1000;
    span = load->table->loaded;
    return us >= span.first_us && us <= span.last_us;
}

static void look_at_class(struct tables *t, struct class_load *load, const struct jfr_class *cls,
                          const struct run_chunk *rc)
{
    struct sql_table *table = tables_of_event(t, cls->name);

    load->is_known = true;
    load->decision = select_class(t->run, cls);
    if (table == NULL || !table->is_wanted || table->is_loaded || load->decision == SELECT_NEVER)
        return;
    load->table = table;
    read_starts(load, cls, rc->chunk);
    if (table->chunk != t->n_chunks)
        enter_rows(t, table, rc);
}

static bool is_selected(struct tables *t, const struct class_load *load, const struct jfr_event *ev)
{
    int is = load->decision == SELECT_ALWAYS ? 1 : select_event(t->run, ev);

    t->failed |= is == JFR_E_NOMEM;
    return is > 0;
}

int tables_load(struct tables *t, const struct run_chunk *rc)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    struct json_clock clock = json_clock_of(&t->clocks, rc);
    struct class_load *classes;
    struct jfr_event ev;

    if (!is_chunk_wanted(t, jfr_chunk_header(rc->chunk)))
        return 0;
    classes = arena_array(jfr_chunk_arena(rc->chunk), md->n_classes, sizeof(*classes));
    if (classes == NULL || !json_values_load(&t->values, rc->chunk, &clock) ||
        select_run_load(t->run, rc->chunk) < 0)
        return JFR_E_NOMEM;
    stacks_load(t->stacks, &t->values);
    t->n_chunks++;
    while (jfr_chunk_next(rc->chunk, &ev) > 0 && !t->failed && !t->is_full) {
        struct class_load *load = ev.type == NULL ? NULL : &classes[ev.type->index];

        if (load == NULL)
            continue;
        if (!load->is_known)
            look_at_class(t, load, ev.type, rc);
        if (load->table == NULL || !is_in_span(t, load, &ev) || !is_selected(t, load, &ev))
            continue;
        load_row(t, load, &ev, rc->chunk);
        if (load->table->n_rows % LOOK_EACH == 0)
            look_at_size(t);
    }
    look_at_size(t);
    t->failed |= t->values.failed;
    return t->failed ? JFR_E_NOMEM : t->is_full ? JFR_E_LIMIT : 0;
}

/* --- making it readable --- */

/* Values with a gap where there is none. */
static bool spread(struct sql_column *c, struct parquet_held held, size_t size, const void *from)
{
    uint8_t *to = calloc(held.n == 0 ? 1 : held.n, size);
    const uint8_t *p = from;

    if (to == NULL)
        return false;
    c->own_values = to;
    for (size_t i = 0; i < held.n; i++)
        if (held.def[i] == c->leaf->def) {
            memcpy(to + i * size, p, size);
            p += size;
        }
    return true;
}

static bool read_dictionary(struct sql_column *c, struct parquet_held held)
{
    int64_t *to = calloc(held.n == 0 ? 1 : held.n, sizeof(*to));
    size_t k = 0;

    if (to == NULL)
        return false;
    c->own_values = to;
    c->numbers = to;
    for (size_t i = 0; i < held.n; i++)
        if (held.def[i] == c->leaf->def)
            memcpy(&to[i], parquet_text(c->leaf, held.ids[k++], NULL), sizeof(*to));
    return true;
}

static bool seal_column(struct sql_column *c)
{
    struct parquet_held held = parquet_held(c->leaf);
    bool is_text = c->type == PARQUET_STRING || c->type == PARQUET_ID, is_whole;

    c->def = held.def;
    if (held.ids != NULL && !is_text)
        return read_dictionary(c, held);
    is_whole = held.n == held.n_values;
    if (!is_whole && !spread(c, held, is_text ? sizeof(*held.ids) : sizeof(*held.numbers),
                             is_text ? (const void *)held.ids : held.numbers))
        return false;
    if (is_text)
        c->ids = is_whole ? held.ids : c->own_values;
    else
        c->numbers = is_whole ? held.numbers : c->own_values;
    return true;
}

/* Is `called` the same as `name`, or `name` with "_" and the type appended? */
static bool is_called(const char *called, const char *name, const char *type)
{
    size_t n = strlen(name);

    return strncmp(called, name, n) == 0 &&
           (called[n] == '\0' || (called[n] == '_' && strcmp(called + n + 1, type) == 0));
}

/* Where a field has two types, in recordings of different JVMs, the type that comes second has its
 * name after that of the field. Which one that is may differ from the order in which the types
 * were noted. */
static bool take_leaf(void *ctx, const char *path, struct parquet_node *leaf)
{
    struct sql_table *t = ctx;
    const char *type = fill_type_name(leaf->type);

    for (size_t i = 0; i < t->n_columns; i++) {
        struct sql_column *c = &t->columns[i];

        if (!c->is_wanted || c->n_shows > 0 || c->leaf != NULL || c->type != leaf->type ||
            (!is_called(c->name, path, type) && !is_called(path, c->name, type)))
            continue;
        c->leaf = leaf;
        return seal_column(c);
    }
    return true;
}

/* --- columns that have the values of others --- */

/* The numbers of one leaf's texts among those of another. NULL: memory is exhausted. */
static uint32_t *renumber(struct parquet_node *among, const struct parquet_node *of)
{
    size_t n = parquet_n_texts(of);
    uint32_t *map = malloc((n + 1) * sizeof(*map));

    for (uint32_t i = 0; i < n && map != NULL; i++) {
        size_t length;
        const void *text = parquet_text(of, i, &length);

        map[i] = parquet_id_of_text(among, text, length);
        if (map[i] == UINT32_MAX) {
            free(map);
            return NULL;
        }
    }
    return map;
}

/* Texts of `first`, and where it has none those of `second`. */
static bool merge_texts(struct sql_table *t, struct sql_column *c, const struct sql_column *first,
                        const struct sql_column *second)
{
    struct parquet_node *leaf = first->leaf;
    uint32_t *map = renumber(leaf, second->leaf), *ids = calloc(t->n_rows + 1, sizeof(*ids));
    uint8_t *def = calloc(t->n_rows + 1, 1);

    c->own_values = ids;
    c->own_def = def;
    for (uint64_t row = 0; row < t->n_rows && map != NULL && ids != NULL && def != NULL; row++)
        if (column_has(first, row)) {
            ids[row] = first->ids[row];
            def[row] = leaf->def;
        } else if (column_has(second, row)) {
            ids[row] = map[second->ids[row]];
            def[row] = leaf->def;
        }
    c->leaf = leaf;
    c->ids = ids;
    c->def = def;
    free(map);
    return map != NULL && ids != NULL && def != NULL;
}

static bool seal_shown(struct sql_table *t, struct sql_column *c)
{
    const struct sql_column *first = NULL, *second = NULL;

    for (size_t i = 0; i < c->n_shows; i++) {
        const struct sql_column *shown = &t->columns[c->shows[i]];

        if (shown->leaf != NULL && first == NULL)
            first = shown;
        else if (shown->leaf != NULL)
            second = shown;
    }
    if (first == NULL)
        return true;
    if (second != NULL)
        return merge_texts(t, c, first, second);
    c->leaf = first->leaf;
    c->def = first->def;
    c->ids = first->ids;
    c->numbers = first->numbers;
    return true;
}

static bool seal_table(struct sql_table *t, struct buf *path)
{
    bool ok = !parquet_failed(t->data) && schema_walk(parquet_root(t->data), path, take_leaf, t);

    for (size_t i = 0; i < t->n_columns && ok; i++)
        if (t->columns[i].is_wanted && t->columns[i].n_shows > 0)
            ok = seal_shown(t, &t->columns[i]);
    t->is_loaded = true;
    return ok;
}

bool tables_seal(struct tables *t)
{
    struct buf path = {0};

    for (size_t i = 0; i < t->n && !t->failed; i++) {
        struct sql_table *table = t->items[i];

        if (!table->is_wanted || table->is_loaded)
            continue;
        t->failed |= !seal_table(table, &path);
    }
    buf_free(&path);
    return !t->failed;
}
