/*
 * csv.c - the layout of CSV: what the fields of an event say, as cells.
 *
 * csv_columns.h says which columns there are. For each class of events its cells are found once;
 * put_csv_event() then notes where the fields of an event begin and writes one cell after the
 * other. The cells of constants are kept for the chunk.
 */
#include "convert/json/csv_columns.h"
#include "convert/json/frames.h"
#include "convert/json/internal.h"
#include "convert/json/entries.h"
#include "convert/text/textw.h"

#include <stdlib.h>

#define CELLS_MAX ((size_t)64 << 20) /* bytes of a chunk's cells of constants, but for stacks */
#define STEPS_MAX 32

struct csv_cell { /* a column that a class has */
    uint32_t column;
    uint32_t n_steps; /* 0: the cell is the name of the type */
    uint32_t *steps; /* indices of fields: one of the event, one inside of it ... */
    struct json_member value; /* the last of them */
};

struct csv_class {
    const struct csv_cell *cells; /* by column; those that it has, since types have few in common */
    size_t n_cells;
    uint32_t n_fields; /* of an event, as far as cells need them */
    struct cursor *places; /* by field, of the event at hand */
};

struct csv_worker {
    struct json_worker *w;
    struct buf cells; /* of struct csv_cell, of the class that is opened */
    struct buf scratch;
    struct json_entries entries; /* as cells */
    struct json_frames frames;
};

static bool is_guarded(const struct csv_worker *cw, const struct jfr_class *cls, enum jfr_unit unit)
{
    enum jfr_kind kind = jfr_class_shown(cls)->kind;
    bool is_number =
        kind >= JFR_BYTE && kind <= JFR_DOUBLE && kind != JFR_CHAR && !jfr_unit_is_time(unit);

    return cw->w->options->csv->is_guarded && !is_number;
}

/* What `scratch` holds, as a cell. */
static void put_scratch(struct csv_worker *cw, bool guarded, struct buf *b)
{
    textw_cell(b, (const char *)cw->scratch.p, cw->scratch.n, guarded);
    b->failed |= !buf_ok(&cw->scratch);
}

/* Root first, joined by ';'. False when the entry is no stack with methods. */
static bool make_stack_cell(struct csv_worker *cw, struct json_shape *shape, size_t i,
                            struct buf *b)
{
    struct json_values *values = &cw->w->values;

    if (!shape->is_stack || !json_frames_read(&cw->frames, values->shapes.chunk, shape, i,
                                              values->shapes.style->stack_depth))
        return false;
    buf_reset(&cw->scratch);
    for (size_t k = json_frames_n(&cw->frames); k-- > 0;) {
        struct json_text name = json_frames_at(&cw->frames, k);

        buf_bytes(&cw->scratch, name.p, name.n);
        if (k > 0)
            buf_byte(&cw->scratch, ';');
    }
    put_scratch(cw, cw->w->options->csv->is_guarded, b);
    if (!cw->frames.is_whole) { /* for what it says of the event */
        buf_reset(&cw->scratch);
        json_value_entry(values, shape, i, &cw->scratch);
    }
    return true;
}

static void make_entry_cell(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct csv_worker *cw = ctx;

    if (make_stack_cell(cw, shape, i, b))
        return;
    buf_reset(&cw->scratch);
    json_value_entry(&cw->w->values, shape, i, &cw->scratch);
    put_scratch(cw, is_guarded(cw, shape->cls, JFR_UNIT_NONE), b);
}

static void *worker_new(struct json_worker *w)
{
    struct csv_worker *cw = calloc(1, sizeof(*cw));

    if (cw != NULL)
        cw->w = w;
    return cw;
}

static void load(struct json_worker *w)
{
    struct csv_worker *cw = w->own;

    json_entries_reset(&cw->entries);
    json_frames_reset(&cw->frames);
}

static void worker_free(void *own)
{
    struct csv_worker *cw = own;

    buf_free(&cw->cells);
    buf_free(&cw->scratch);
    json_entries_free(&cw->entries);
    json_frames_free(&cw->frames);
    free(cw);
}

/* --- the cells of a class ----------------------------------------------------------------------
 */

/* Of the members whose name is the beginning of the path, the one with the longest name. *rest is
 * set to the part of the path after the name. NULL if there is no such member. */
static const struct json_member *find_member(const struct json_shape *shape, const char *path,
                                             struct buf *scratch, const char **rest)
{
    for (size_t n = strlen(path); n > 0; n--) {
        const struct jfr_field *f;

        if (path[n] != '\0' && path[n] != '.')
            continue;
        buf_reset(scratch);
        buf_bytes(scratch, path, n);
        buf_byte(scratch, '\0');
        f = buf_ok(scratch) ? jfr_class_field(shape->cls, (const char *)scratch->p) : NULL;
        if (f == NULL || shape->members[f->index].shape == NULL)
            continue;
        *rest = path[n] == '\0' ? "" : path + n + 1;
        return &shape->members[f->index];
    }
    return NULL;
}

/* The steps of a path from an event to a value. False when there is no such value, or memory is
 * short. */
static bool find_steps(struct csv_worker *cw, const struct json_shape *shape, const char *path,
                       struct csv_cell *cell, uint32_t *steps)
{
    while (cell->n_steps < STEPS_MAX) {
        bool is_simple = shape->cls->is_simple && shape->n_members > 0;
        const struct json_member *m =
            is_simple ? shape->members : find_member(shape, path, &cw->scratch, &path);

        if (m == NULL || m->shape == NULL)
            return false;
        steps[cell->n_steps++] = (uint32_t)m->field->index;
        cell->value = *m;
        if (*path == '\0')
            return true;
        shape = m->shape;
        if (m->field->is_array || !json_value_compile(&cw->w->values, m->shape))
            return false;
    }
    return false;
}

/* A cell for the path, if the class has such a value. */
static void add_cell(struct csv_worker *cw, const struct json_shape *shape, uint32_t column,
                     const char *path)
{
    struct json_shapes *shapes = &cw->w->values.shapes;
    struct csv_cell cell = {.column = column};
    uint32_t steps[STEPS_MAX];

    if (column == INTERN_FAILED)
        return;
    if (strcmp(path, "event") != 0) {
        if (!find_steps(cw, shape, path, &cell, steps))
            return;
        cell.steps = arena_array(jfr_chunk_arena(shapes->chunk), cell.n_steps, sizeof(*steps));
        if (cell.steps == NULL || !json_member_set_form(shapes, &cell.value, JSON_FORM_PLAIN)) {
            cw->w->values.failed = true;
            return;
        }
        memcpy(cell.steps, steps, cell.n_steps * sizeof(*steps));
    }
    buf_bytes(&cw->cells, &cell, sizeof(cell));
}

static int by_column(const void *a, const void *b)
{
    const struct csv_cell *x = a, *y = b;

    return x->column < y->column ? -1 : x->column > y->column;
}

/* The cells that a class has. Its fields look for their columns, since there can be far more of
 * these than one class has. */
static void find_cells(struct csv_worker *cw, const struct json_shape *shape)
{
    const struct csv_columns *columns = cw->w->options->csv;

    buf_reset(&cw->cells);
    add_cell(cw, shape, intern_find(&columns->paths, "event", strlen("event")), "event");
    for (uint32_t i = 0; i < shape->n_needed; i++) {
        const char *name = shape->members[i].field->name;

        if (shape->members[i].shape != NULL && strchr(name, '.') == NULL &&
            strcmp(name, "event") != 0)
            add_cell(cw, shape, intern_find(&columns->paths, name, strlen(name)), name);
    }
    for (size_t i = 0; i < columns->dotted.n / sizeof(uint32_t); i++) {
        uint32_t column;

        memcpy(&column, columns->dotted.p + i * sizeof(column), sizeof(column));
        add_cell(cw, shape, column, intern_get(&columns->paths, column, NULL));
    }
    if (buf_ok(&cw->cells) && cw->cells.n > 0)
        qsort(cw->cells.p, cw->cells.n / sizeof(struct csv_cell), sizeof(struct csv_cell),
              by_column);
}

static struct csv_class *open_class(struct csv_worker *cw, const struct json_shape *shape)
{
    struct arena *arena = jfr_chunk_arena(cw->w->values.shapes.chunk);
    struct csv_class *k = arena_alloc(arena, sizeof(*k));
    struct csv_cell *cells;

    find_cells(cw, shape);
    if (k == NULL || !buf_ok(&cw->cells) || !buf_ok(&cw->scratch))
        return NULL;
    k->n_cells = cw->cells.n / sizeof(*cells);
    k->cells = cells = arena_array(arena, k->n_cells + 1, sizeof(*cells));
    k->places = arena_array(arena, shape->n_members + 1, sizeof(*k->places));
    k->n_fields = 0;
    if (cells == NULL || k->places == NULL)
        return NULL;
    if (cw->cells.n > 0)
        memcpy(cells, cw->cells.p, cw->cells.n);
    for (size_t i = 0; i < k->n_cells; i++)
        if (cells[i].n_steps > 0 && cells[i].steps[0] >= k->n_fields)
            k->n_fields = cells[i].steps[0] + 1;
    return k;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Steps over a field; the event is reported when it does not fit. */
static void skip_csv_field(struct csv_worker *cw, const struct jfr_field *field, struct cursor *c)
{
    const struct json_member m = {.field = field};

    json_value_member(&cw->w->values, &m, c, &cw->scratch);
}

/* Moves the cursor from the event's field to the cell's value. False when a constant on the way is
 * missing. */
static bool go_to_value(struct csv_worker *cw, const struct json_shape *shape,
                        const struct csv_cell *cell, struct cursor *c)
{
    for (uint32_t k = 0; k + 1 < cell->n_steps; k++) {
        const struct json_member *m = &shape->members[cell->steps[k]];

        if (m->field->is_pooled) {
            uint64_t key = cur_varint(c);
            int64_t i = json_value_find_entry(&cw->w->values, m->shape, key);

            if (!cur_ok(c) || i < 0)
                return false;
            *c = jfr_pool_value(m->shape->pool, (size_t)i);
        }
        shape = m->shape;
        for (uint32_t i = 0; i < cell->steps[k + 1]; i++)
            skip_csv_field(cw, shape->members[i].field, c);
    }
    return true;
}

/* The cell of a constant. One that cannot be read is made for each event anew, so that every event
 * that needs it is reported. */
static void put_entry_cell(struct csv_worker *cw, struct json_shape *shape, size_t i, struct buf *b)
{
    struct json_values *values = &cw->w->values;
    const uint8_t *bad = values->bad;
    const char *what = values->what;
    struct json_text text;
    uint64_t number;

    if (!shape->is_stack && cw->entries.text.n > CELLS_MAX) {
        make_entry_cell(cw, shape, i, b);
        return;
    }
    values->bad = NULL;
    number = json_entries_number(&cw->entries, values->shapes.chunk, shape, i, make_entry_cell, cw);
    values->failed |= number == 0;
    text = json_entries_text(&cw->entries, number);
    buf_bytes(b, text.p, text.n);
    if (values->bad != NULL)
        json_entries_drop_last(&cw->entries, shape, i);
    if (bad != NULL) {
        values->bad = bad;
        values->what = what;
    }
}

static void put_cell(struct csv_worker *cw, const struct json_shape *shape,
                     const struct csv_cell *cell, struct cursor c, struct buf *b)
{
    const struct jfr_field *f = cell->value.field;
    struct json_values *values = &cw->w->values;

    if (!go_to_value(cw, shape, cell, &c))
        return;
    if (jfr_field_is_key(f)) {
        struct cursor key = c;
        int64_t i;

        skip_csv_field(cw, f, &c);
        i = cur_ok(&c) ? json_value_find_entry(values, cell->value.shape, cur_varint(&key)) : -1;
        if (i >= 0)
            put_entry_cell(cw, cell->value.shape, (size_t)i, b);
        return;
    }
    buf_reset(&cw->scratch);
    json_value_member(values, &cell->value, &c, &cw->scratch);
    put_scratch(cw, is_guarded(cw, f->type, f->unit), b);
}

static void put_csv_event(struct json_worker *w, struct json_class *class, struct cursor *c)
{
    size_t n_columns = intern_n(&w->options->csv->paths);
    const struct json_shape *shape = class->shape;
    struct csv_worker *cw = w->own;
    struct csv_class *k = class->own;
    const struct csv_cell *cell;
    struct buf *b = &w->out->b;

    if (k == NULL)
        k = class->own = open_class(cw, shape);
    if (k == NULL) {
        w->values.failed = true;
        return;
    }
    buf_reset(&cw->scratch);
    json_values_begin(&w->values, &cw->scratch);
    for (uint32_t i = 0; i < k->n_fields; i++) {
        k->places[i] = *c;
        skip_csv_field(cw, shape->members[i].field, c);
    }
    cell = k->cells;
    for (uint32_t i = 0; i < n_columns; i++) {
        if (i > 0)
            buf_byte(b, ',');
        if (cell == k->cells + k->n_cells || cell->column != i)
            continue;
        if (cell->n_steps == 0)
            buf_str(b, shape->cls->name);
        else
            put_cell(cw, shape, cell, k->places[cell->steps[0]], b);
        cell++;
    }
    buf_str(b, "\r\n");
}

const struct json_layout json_csv = {
    .name = "csv",
    .rules = JSON_RULES_OWN,
    .stack_depth = SIZE_MAX,
    .has_plain_spans = true,
    .separator = "",
    .begin = "",
    .before = "",
    .after = "",
    .end = "",
    .event = put_csv_event,
    .worker_new = worker_new,
    .load = load,
    .worker_free = worker_free,
};
