/* csv.c - a layout that is no JSON: the members of an event, cut into cells (csv_columns.h). */
#include "convert/json/csv_columns.h"
#include "convert/json/frames.h"
#include "convert/json/internal.h"
#include "convert/json/entries.h"
#include "convert/text/textw.h"

#include <stdlib.h>

#define NO_MEMBER UINT32_MAX
#define CELLS_MAX ((size_t)64 << 20) /* bytes of a chunk's cells of constants, but for stacks */

struct cell { /* a column that a class has */
    uint32_t column;
    uint32_t member; /* NO_MEMBER: the name of the type */
    const char *rest; /* of the path, behind the member; "" */
};

struct csv_class {
    const struct cell *cells; /* by column; those that it has, since types have few in common */
    size_t n_cells;
    struct json_text *texts; /* by member, of the event at hand */
    bool *is_needed; /* by member */
    bool *is_entry; /* by member: a constant whose cell is the only thing that is wanted of it */
    bool *is_number; /* by member, of the event at hand: its text is the number of such a cell */
};

struct csv_worker {
    struct json_worker *w;
    struct buf text, scratch; /* members of an event; a cell */
    bool is_entry, is_number; /* the member at hand is */
    struct json_entries entries; /* as cells */
    struct json_frames frames;
};

static void make_cell(struct csv_worker *cw, struct json_shape *shape, size_t i, struct buf *b)
{
    struct buf json = {0};

    json_value_entry(&cw->w->values, shape, i, &json);
    csv_put_value(cw->w->options->csv, (struct json_text){(const char *)json.p, json.n},
                  &cw->scratch, b);
    b->failed |= !buf_ok(&json);
    buf_free(&json);
}

/* Root first, joined by ';'. False when it is no stack, or cannot be read. */
static bool make_stack_cell(struct csv_worker *cw, const struct json_shape *shape, size_t i,
                            struct buf *b)
{
    const struct json_shapes *shapes = &cw->w->values.shapes;

    if (!shape->is_stack ||
        !json_frames_read(&cw->frames, shapes->chunk, shape, i, shapes->style->stack_depth))
        return false;
    buf_reset(&cw->scratch);
    for (size_t k = json_frames_n(&cw->frames); k-- > 0;) {
        struct json_text name = json_frames_at(&cw->frames, k);

        buf_bytes(&cw->scratch, name.p, name.n);
        if (k > 0)
            buf_byte(&cw->scratch, ';');
    }
    textw_cell(b, (const char *)cw->scratch.p, cw->scratch.n, cw->w->options->csv->is_guarded);
    b->failed |= !buf_ok(&cw->scratch);
    return true;
}

static void make_entry_cell(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    if (!make_stack_cell(ctx, shape, i, b))
        make_cell(ctx, shape, i, b);
}

/* In place of a constant its number, where only its cell is wanted. One that cannot be read is made
 * for each event anew, so that every event that needs it is reported. */
static bool put_entry_number(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct csv_worker *cw = ctx;
    struct json_values *values = &cw->w->values;
    const uint8_t *bad = values->bad;
    const char *what = values->what;
    uint64_t number;

    if (!cw->is_entry || (!shape->is_stack && cw->entries.text.n > CELLS_MAX))
        return false;
    cw->is_entry = false; /* not for what is inside of it */
    values->bad = NULL;
    number = json_entries_number(&cw->entries, values->shapes.chunk, shape, i, make_entry_cell, cw);
    values->failed |= number == 0;
    cw->is_number = values->bad == NULL;
    if (cw->is_number)
        buf_bytes(b, &number, sizeof(number));
    else
        json_entries_drop_last(&cw->entries, shape, i);
    if (bad != NULL) {
        values->bad = bad;
        values->what = what;
    }
    return cw->is_number;
}

static void *worker_new(struct json_worker *w)
{
    struct csv_worker *cw = calloc(1, sizeof(*cw));

    if (cw != NULL)
        cw->w = w;
    w->values.put_entry = put_entry_number;
    w->values.ctx = cw;
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

    buf_free(&cw->text);
    buf_free(&cw->scratch);
    json_entries_free(&cw->entries);
    json_frames_free(&cw->frames);
    free(cw);
}

/* The member that a path begins with: the longest such name. */
static bool find_member(const struct json_shape *shape, const char *path, struct buf *scratch,
                        struct cell *cell)
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
        cell->member = (uint32_t)f->index;
        cell->rest = path[n] == '\0' ? "" : path + n + 1;
        return true;
    }
    return false;
}

static bool is_constant(const struct json_member *m)
{
    return m->shape != NULL && m->field->is_pooled && !m->field->is_array;
}

static int by_column(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;

    return x->column < y->column ? -1 : x->column > y->column;
}

static void add_cell(const struct csv_columns *columns, const char *name, uint32_t member,
                     struct buf *cells)
{
    struct cell cell = {intern_find(&columns->paths, name, strlen(name)), member, ""};

    if (cell.column != INTERN_FAILED)
        buf_bytes(cells, &cell, sizeof(cell));
}

/* The cells that a class has. Its members look for their columns, since there can be far more of
 * these than one class has. */
static void find_cells(const struct csv_columns *columns, const struct json_shape *shape,
                       struct buf *scratch, struct buf *cells)
{
    add_cell(columns, "event", NO_MEMBER, cells);
    for (uint32_t i = 0; i < shape->n_needed; i++) {
        const char *name = shape->members[i].field->name;

        if (shape->members[i].shape != NULL && strchr(name, '.') == NULL &&
            strcmp(name, "event") != 0)
            add_cell(columns, name, i, cells);
    }
    for (size_t i = 0; i < columns->dotted.n / sizeof(uint32_t); i++) {
        struct cell cell;

        memcpy(&cell.column, columns->dotted.p + i * sizeof(uint32_t), sizeof(uint32_t));
        if (find_member(shape, intern_get(&columns->paths, cell.column, NULL), scratch, &cell))
            buf_bytes(cells, &cell, sizeof(cell));
    }
    if (buf_ok(cells) && cells->n > 0)
        qsort(cells->p, cells->n / sizeof(struct cell), sizeof(struct cell), by_column);
}

static struct csv_class *open_class(struct json_worker *w, const struct json_shape *shape)
{
    struct csv_worker *cw = w->own;
    struct arena *arena = jfr_chunk_arena(w->values.shapes.chunk);
    struct csv_class *k = arena_alloc(arena, sizeof(*k));
    struct cell *cells;

    buf_reset(&cw->text);
    find_cells(w->options->csv, shape, &cw->scratch, &cw->text);
    if (k == NULL || !buf_ok(&cw->text) || !buf_ok(&cw->scratch))
        return NULL;
    k->n_cells = cw->text.n / sizeof(*cells);
    k->cells = cells = arena_array(arena, k->n_cells + 1, sizeof(*cells));
    k->texts = arena_array(arena, shape->n_members + 1, sizeof(*k->texts));
    k->is_needed = arena_array(arena, shape->n_members + 1, 1);
    k->is_entry = arena_array(arena, shape->n_members + 1, 1);
    k->is_number = arena_array(arena, shape->n_members + 1, 1);
    if (cells == NULL || k->texts == NULL || k->is_needed == NULL || k->is_entry == NULL ||
        k->is_number == NULL)
        return NULL;
    if (cw->text.n > 0)
        memcpy(cells, cw->text.p, cw->text.n);
    for (uint32_t i = 0; i < shape->n_needed; i++)
        k->is_entry[i] = is_constant(&shape->members[i]);
    for (size_t i = 0; i < k->n_cells; i++) {
        if (cells[i].member == NO_MEMBER)
            continue;
        k->is_needed[cells[i].member] = true;
        k->is_entry[cells[i].member] &= *cells[i].rest == '\0';
    }
    return k;
}

/* Texts of the members that are needed; where each stands is known when all are there. */
static bool read_members(struct json_worker *w, struct csv_class *k, const struct json_shape *shape,
                         struct cursor *c)
{
    struct csv_worker *cw = w->own;
    size_t start = 0;

    buf_reset(&cw->text);
    json_values_begin(&w->values, &cw->text);
    for (size_t i = 0; i < shape->n_needed; i++) {
        struct json_member m = shape->members[i];

        if (!k->is_needed[i])
            m.shape = NULL; /* stepped over */
        cw->is_entry = k->is_entry[i];
        cw->is_number = false;
        json_value_member(&w->values, &m, c, &cw->text);
        k->is_number[i] = cw->is_number;
        k->texts[i] = (struct json_text){NULL, cw->text.n - start};
        start = cw->text.n;
    }
    start = 0;
    for (size_t i = 0; i < shape->n_needed; i++) {
        k->texts[i].p = cw->text.p == NULL ? "" : (const char *)cw->text.p + start;
        start += k->texts[i].n;
    }
    return buf_ok(&cw->text);
}

static void put_cell(struct json_worker *w, const struct csv_class *k, const struct cell *cell,
                     struct buf *b)
{
    struct csv_worker *cw = w->own;
    struct json_text value = k->texts[cell->member];
    uint64_t number;

    if (k->is_number[cell->member]) {
        memcpy(&number, value.p, sizeof(number));
        value = json_entries_text(&cw->entries, number);
        buf_bytes(b, value.p, value.n);
    } else if (*cell->rest == '\0' || jsonpick_path(value, cell->rest, &value)) {
        csv_put_value(w->options->csv, value, &cw->scratch, b);
    }
}

static void put_csv_event(struct json_worker *w, struct json_class *class, struct cursor *c)
{
    size_t n_columns = intern_n(&w->options->csv->paths);
    const struct json_shape *shape = class->shape;
    struct csv_class *k = class->own;
    const struct cell *cell;
    struct buf *b = &w->out->b;

    if (k == NULL)
        k = class->own = open_class(w, shape);
    if (k == NULL || !read_members(w, k, shape, c)) {
        w->values.failed = true;
        return;
    }
    cell = k->cells;
    for (uint32_t i = 0; i < n_columns; i++) {
        if (i > 0)
            buf_byte(b, ',');
        if (cell == k->cells + k->n_cells || cell->column != i)
            continue;
        if (cell->member == NO_MEMBER)
            buf_str(b, shape->cls->name);
        else
            put_cell(w, k, cell, b);
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
