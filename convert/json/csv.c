/* csv.c - a layout that is no JSON: the members of an event, cut into cells (csv_columns.h). */
#include "convert/json/csv_columns.h"
#include "convert/json/internal.h"
#include "convert/json/stacks.h"

#include <stdlib.h>

struct cell { /* a column as a class has it */
    uint32_t member; /* UINT32_MAX: it has none */
    const char *rest; /* of the path, behind the member; "" */
};

struct csv_class {
    struct cell *cells;
    struct json_text
        *texts; /* by member: where it begins in scratch, as an offset in n; p unused */
    bool *is_needed; /* by member */
    bool *is_stack; /* by member: nobody wants more of it than the cell of a stack */
};

struct csv_worker {
    struct json_worker *w;
    struct buf text, scratch; /* members of an event; a cell */
    bool is_stack; /* the member at hand is */
    struct json_stacks stacks; /* as cells */
};

static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct csv_worker *cw = ctx;
    struct buf json = {0};

    json_value_stack(&cw->w->values, shape, i, &json);
    csv_put_value(cw->w->options->csv, (struct json_text){(const char *)json.p, json.n},
                  &cw->scratch, b);
    b->failed |= !buf_ok(&json);
    buf_free(&json);
}

/* In place of a stack its number, where only its cell is wanted. */
static void put_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct csv_worker *cw = ctx;
    uint64_t number;

    if (!cw->is_stack) {
        json_value_stack(&cw->w->values, shape, i, b);
        return;
    }
    number = json_stacks_number(&cw->stacks, cw->w->values.shapes.chunk, shape, i, make_stack, cw);
    cw->w->values.failed |= number == 0;
    buf_bytes(b, &number, sizeof(number));
}

static void *worker_new(struct json_worker *w)
{
    struct csv_worker *cw = calloc(1, sizeof(*cw));

    if (cw != NULL)
        cw->w = w;
    w->values.put_stack = put_stack;
    w->values.ctx = cw;
    return cw;
}

static void load(struct json_worker *w)
{
    struct csv_worker *cw = w->own;

    json_stacks_reset(&cw->stacks);
}

static void worker_free(void *own)
{
    struct csv_worker *cw = own;

    buf_free(&cw->text);
    buf_free(&cw->scratch);
    json_stacks_free(&cw->stacks);
    free(cw);
}

static void find_member(const struct json_shape *shape, const char *path, struct cell *cell)
{
    cell->member = UINT32_MAX;
    for (uint32_t i = 0; i < shape->n_needed; i++) {
        const char *name = shape->members[i].field->name;
        size_t n = strlen(name);

        if (shape->members[i].shape == NULL || strncmp(path, name, n) != 0 ||
            (path[n] != '\0' && path[n] != '.'))
            continue;
        cell->member = i;
        cell->rest = path[n] == '\0' ? "" : path + n + 1;
        if (path[n] == '\0')
            return;
    }
}

static bool is_plain_stack(const struct json_member *m)
{
    return m->shape != NULL && m->shape->is_stack && m->field->is_pooled && !m->field->is_array;
}

static struct csv_class *open_class(struct json_worker *w, const struct json_shape *shape)
{
    const struct csv_columns *columns = w->options->csv;
    struct arena *arena = jfr_chunk_arena(w->values.shapes.chunk);
    struct csv_class *k = arena_alloc(arena, sizeof(*k));
    size_t n = intern_n(&columns->paths);

    if (k == NULL)
        return NULL;
    k->cells = arena_array(arena, n + 1, sizeof(*k->cells));
    k->texts = arena_array(arena, shape->n_members + 1, sizeof(*k->texts));
    k->is_needed = arena_array(arena, shape->n_members + 1, 1);
    k->is_stack = arena_array(arena, shape->n_members + 1, 1);
    if (k->cells == NULL || k->texts == NULL || k->is_needed == NULL || k->is_stack == NULL)
        return NULL;
    for (uint32_t i = 0; i < shape->n_needed; i++)
        k->is_stack[i] = is_plain_stack(&shape->members[i]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t member;

        find_member(shape, intern_get(&columns->paths, i, NULL), &k->cells[i]);
        member = k->cells[i].member;
        if (member == UINT32_MAX)
            continue;
        k->is_needed[member] = true;
        k->is_stack[member] &= *k->cells[i].rest == '\0';
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
        cw->is_stack = k->is_stack[i];
        json_value_member(&w->values, &m, c, &cw->text);
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
    struct json_text value;
    uint64_t number;

    if (cell->member == UINT32_MAX)
        return;
    value = k->texts[cell->member];
    if (k->is_stack[cell->member] && value.n == sizeof(number)) {
        memcpy(&number, value.p, sizeof(number));
        value = json_stacks_text(&cw->stacks, number);
        buf_bytes(b, value.p, value.n);
    } else if (*cell->rest == '\0' || jsonpick_path(value, cell->rest, &value)) {
        csv_put_value(w->options->csv, value, &cw->scratch, b);
    }
}

static void put_event(struct json_worker *w, struct json_class *class, struct cursor *c)
{
    const struct csv_columns *columns = w->options->csv;
    const struct json_shape *shape = class->shape;
    struct csv_class *k = class->own;
    struct buf *b = &w->out->b;

    if (k == NULL)
        k = class->own = open_class(w, shape);
    if (k == NULL || !read_members(w, k, shape, c)) {
        w->values.failed = true;
        return;
    }
    for (uint32_t i = 0; i < intern_n(&columns->paths); i++) {
        size_t n;
        const char *path = intern_get(&columns->paths, i, &n);

        if (i > 0)
            buf_byte(b, ',');
        if (n == 5 && memcmp(path, "event", n) == 0)
            buf_str(b, shape->cls->name);
        else
            put_cell(w, k, &k->cells[i], b);
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
    .event = put_event,
    .worker_new = worker_new,
    .load = load,
    .worker_free = worker_free,
};
