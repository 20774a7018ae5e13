/*
 * fill.c - values of classes and fields, from the bytes of a recording into columns.
 *
 * columns.c calls it for each event, with the filler of its class (filler.c), which says what each
 * field's bytes are and which column gets them. A field of a constant has the same values each time
 * that the constant comes, so the first time its cells (column, levels, value) are kept, and later
 * times put the same cells again: fill_keep(), fill_kept(), fill_again(). Cells hold numbers of a
 * column's dictionary. The dictionary ends with its row group, and the cells with it:
 * fill_expire().
 *
 * A value that cannot be read is null and reported in json_values.bad; the row is still complete.
 */
#include "convert/columns/fill_internal.h"

#include "convert/text/date.h"

void fill_load(struct fill *fill, struct json_values *values, struct parquet *file)
{
    fill->values = values;
    fill->file = file;
    fill->is_limited = false;
    fill->n_keeping = 0;
    fill->generation = parquet_generation(file);
    buf_reset(&fill->cells);
}

void fill_free(struct fill *fill)
{
    buf_free(&fill->cells);
    buf_free(&fill->text);
}

/* --- cells --- */

static void keep_cell(struct fill *fill, struct parquet_node *leaf, uint8_t def, uint8_t rep,
                      int64_t value)
{
    buf_bytes(&fill->cells, &(struct fill_cell){leaf, value, def, rep}, sizeof(struct fill_cell));
}

void fill_put(struct fill *fill, struct parquet_node *leaf, uint8_t def, uint8_t rep, int64_t value)
{
    parquet_put(leaf, def, rep, value);
    if (fill->n_keeping > 0)
        keep_cell(fill, leaf, def, rep, value);
}

void fill_put_list(struct fill *fill, struct parquet_node *list, const uint32_t *numbers, size_t n)
{
    struct parquet_node *leaf = list->children[0];

    if (n == 0) {
        fill_put(fill, leaf, list->def, 0, 0);
        return;
    }
    parquet_put_list(leaf, numbers, n);
    for (size_t i = 0; i < n && fill->n_keeping > 0; i++)
        keep_cell(fill, leaf, leaf->def - (numbers[i] == PARQUET_NULL), i == 0 ? 0 : list->rep,
                  numbers[i]);
}

static void fill_nulls(struct fill *fill, struct parquet_node *node, uint8_t def, uint8_t rep)
{
    if (node->kind == PARQUET_LEAF)
        fill_put(fill, node, def, rep, 0);
    for (size_t i = 0; i < node->n_children; i++)
        fill_nulls(fill, node->children[i], def, rep);
}

void fill_null(struct fill *fill, struct parquet_node *node, uint8_t rep)
{
    fill_nulls(fill, node, node->def - 1, rep);
}

bool fill_again(struct fill *fill, const struct fill_range *range)
{
    const struct fill_cell *cells = (const void *)fill->cells.p;

    if (range->n == 0)
        return false;
    for (uint32_t i = range->at; i < range->at + range->n; i++) {
        struct fill_cell cell = cells[i];

        fill_put(fill, cell.leaf, cell.def, cell.rep, cell.value);
        cells = (const void *)fill->cells.p; /* it may have grown */
    }
    return true;
}

size_t fill_keep(struct fill *fill)
{
    if (fill->cells.n > FILL_CELLS)
        return SIZE_MAX;
    fill->n_keeping++;
    return fill->cells.n;
}

void fill_kept(struct fill *fill, size_t begin, struct fill_range *range)
{
    size_t size = sizeof(struct fill_cell);

    if (begin == SIZE_MAX)
        return;
    fill->n_keeping--;
    if (buf_ok(&fill->cells))
        *range = (struct fill_range){(uint32_t)(begin / size),
                                     (uint32_t)((fill->cells.n - begin) / size)};
    else
        fill->values->failed = true;
}

bool fill_expire(struct fill *fill)
{
    if (fill->generation == parquet_generation(fill->file))
        return false;
    fill->generation = parquet_generation(fill->file);
    buf_reset(&fill->cells);
    return true;
}

/* --- values --- */

static void fill_value(struct fill *fill, struct filler *f, struct json_shape *shape,
                       struct cursor *c, uint8_t rep);

static void fill_number(struct fill *fill, struct parquet_node *leaf, uint8_t rep, int64_t x)
{
    fill_put(fill, leaf, leaf->def, rep,
             leaf->has_dictionary ? (int64_t)parquet_id_of_number(leaf, x) : x);
}

static void fill_text(struct fill *fill, struct parquet_node *leaf, uint8_t rep)
{
    if (!buf_ok(&fill->text))
        fill->values->failed = true;
    fill_put(fill, leaf, leaf->def, rep, parquet_id_of_text(leaf, fill->text.p, fill->text.n));
}

static void fill_nothing(struct fill *fill, const struct filler *f, uint8_t rep)
{
    if (f->node != NULL)
        fill_null(fill, f->node, rep);
    if (f->ns != NULL)
        fill_null(fill, f->ns, rep);
    if (f->how == FILL_STACK)
        for (size_t i = 0; i < FILL_STACK_NODES; i++)
            if (f->stack[i] != NULL)
                fill_null(fill, f->stack[i], rep);
}

static int64_t saturated_product(int64_t x, int64_t factor)
{
    int64_t product;

    if (__builtin_mul_overflow(x, factor, &product))
        return x < 0 ? INT64_MIN : INT64_MAX;
    return product;
}

static void fill_time(struct fill *fill, const struct filler *f, uint8_t rep, int64_t x)
{
    enum jfr_unit unit = f->field->unit;
    int64_t ns, us;

    if (unit == JFR_UNIT_TIMESTAMP_TICKS || unit == JFR_UNIT_TIMESTAMP_NS) {
        ns = unit == JFR_UNIT_TIMESTAMP_TICKS ? jfr_epoch_ns(&fill->values->clock.header, x) : x;
        us = divide_down(ns, 1000);
    } else {
        us = saturated_product(x, unit == JFR_UNIT_TIMESTAMP_MS ? 1000 : 1000000);
        ns = saturated_product(us, 1000);
    }
    fill_number(fill, f->node, rep, us);
    if (f->ns != NULL)
        fill_number(fill, f->ns, rep, ns);
}

static void fill_span(struct fill *fill, const struct filler *f, uint8_t rep, int64_t x)
{
    if (x != INT64_MAX) /* for ever */
        x = json_span_ns(&fill->values->clock, x, f->field->unit);
    fill_number(fill, f->node, rep, x);
}

static void fill_whole(struct fill *fill, const struct filler *f, struct cursor *c, uint8_t rep)
{
    uint64_t x = f->kind == JFR_BYTE ? cur_be(c, 1) : cur_varint(c);
    unsigned unused = f->kind == JFR_BYTE    ? 56
                      : f->kind == JFR_SHORT ? 48
                      : f->kind == JFR_INT   ? 32
                                             : 0;
    int64_t value =
        f->field->is_unsigned ? (int64_t)(x << unused >> unused) : (int64_t)(x << unused) >> unused;

    if (!cur_ok(c) || (f->how != FILL_WHOLE && value == INT64_MIN))
        fill_nothing(fill, f, rep);
    else if (f->how == FILL_TIME)
        fill_time(fill, f, rep, value);
    else if (f->how == FILL_SPAN)
        fill_span(fill, f, rep, value);
    else
        fill_number(fill, f->node, rep, value);
}

static void fill_bits(struct fill *fill, const struct filler *f, unsigned bytes, struct cursor *c,
                      uint8_t rep)
{
    uint64_t bits = cur_be(c, bytes);

    if (!cur_ok(c))
        fill_nothing(fill, f, rep);
    else
        fill_put(fill, f->node, f->node->def, rep,
                 f->how == FILL_TRUTH ? bits != 0 : (int64_t)bits);
}

static void fill_string(struct fill *fill, const struct filler *f, struct jfr_str s, uint8_t rep)
{
    if (s.encoding == JFR_STR_CONSTANT)
        s = jfr_chunk_resolve(fill->values->shapes.chunk, s);
    if (jfr_str_is_null(s)) {
        fill_nothing(fill, f, rep);
        return;
    }
    buf_reset(&fill->text);
    jfr_str_append_utf8(&fill->text, s);
    fill_text(fill, f->node, rep);
}

static void fill_character(struct fill *fill, const struct filler *f, struct cursor *c, uint8_t rep)
{
    uint16_t unit = (uint16_t)cur_varint(c);
    uint8_t body[9];
    struct buf one = buf_fixed(body, sizeof(body));

    buf_varint(&one, unit);
    if (cur_ok(c))
        fill_string(fill, f, (struct jfr_str){body, 1, one.n, JFR_STR_UTF16}, rep);
    else
        fill_nothing(fill, f, rep);
}

static void fill_members(struct fill *fill, struct filler *f, struct cursor *c, uint8_t rep);

/* A value of a class that is not simple. */
static void fill_shown(struct fill *fill, struct filler *f, struct cursor *c, uint8_t rep)
{
    struct jfr_str s;

    switch (f->how) {
    case FILL_GROUP:
        fill_members(fill, f, c, rep);
        break;
    case FILL_REAL:
        fill_bits(fill, f, f->kind == JFR_FLOAT ? 4 : 8, c, rep);
        break;
    case FILL_TRUTH:
        fill_bits(fill, f, 1, c, rep);
        break;
    case FILL_CHARACTER:
        fill_character(fill, f, c, rep);
        break;
    case FILL_TEXT:
        s = jfr_str_read(c);
        fill_string(fill, f, s, rep);
        break;
    default:
        fill_whole(fill, f, c, rep);
    }
}

static void open_kept(struct filler *f, struct fill *fill, size_t n)
{
    if (f->kept == NULL)
        f->kept = arena_array(jfr_chunk_arena(fill->values->shapes.chunk), n, sizeof(*f->kept));
    else if (f->generation != fill->generation)
        memset(f->kept, 0, n * sizeof(*f->kept));
    f->generation = fill->generation;
}

static void fill_entry(struct fill *fill, struct filler *f, struct json_shape *shape, size_t i,
                       uint8_t rep)
{
    struct cursor value = jfr_pool_value(shape->pool, i);

    if (f->how == FILL_STACK) {
        fill->stacks->put(fill->stacks->ctx, fill, f->stack, shape, i);
        return;
    }
    fill_value(fill, f, shape, &value, rep);
    if (!cur_ok(&value) && fill->values->bad == NULL) {
        fill->values->bad = value.fail;
        fill->values->what = "a constant ends inside a value";
    }
}

/* The constant of a key. Those inside of lists stand at other places each time, so they are not
 * kept. */
static void fill_constant(struct fill *fill, struct filler *f, struct json_shape *shape,
                          uint64_t key, uint8_t rep)
{
    int64_t i = json_value_find_entry(fill->values, shape, key);
    bool is_kept = f->member->shape == shape && (f->node == NULL || f->node->rep == 0);
    struct fill_range *range;
    size_t begin;

    if (i < 0) {
        fill_nothing(fill, f, rep);
        return;
    }
    if (is_kept)
        open_kept(f, fill, jfr_pool_n(shape->pool));
    if (!is_kept || f->kept == NULL) {
        fill_entry(fill, f, shape, (size_t)i, rep);
        return;
    }
    range = &f->kept[i];
    if (fill_again(fill, range))
        return;
    begin = fill_keep(fill);
    fill_entry(fill, f, shape, (size_t)i, rep);
    fill_kept(fill, begin, range);
}

/* A value of any class: of a simple one its field. */
static void fill_value(struct fill *fill, struct filler *f, struct json_shape *shape,
                       struct cursor *c, uint8_t rep)
{
    const struct json_member *inside;
    uint64_t key;

    if (!shape->cls->is_simple) {
        fill_shown(fill, f, c, rep);
        return;
    }
    if (!json_value_compile(fill->values, shape)) {
        fill_nothing(fill, f, rep);
        return;
    }
    inside = &shape->members[0];
    if (!inside->field->is_pooled) {
        fill_value(fill, f, inside->shape, c, rep);
        return;
    }
    key = cur_varint(c);
    if (cur_ok(c))
        fill_constant(fill, f, inside->shape, key, rep);
    else
        fill_nothing(fill, f, rep);
}

static void fill_element(struct fill *fill, struct filler *f, struct cursor *c, uint8_t rep)
{
    uint64_t key;

    if (!f->member->field->is_pooled) {
        fill_value(fill, f, f->member->shape, c, rep);
        return;
    }
    key = cur_varint(c);
    if (cur_ok(c))
        fill_constant(fill, f, f->member->shape, key, rep);
    else
        fill_nothing(fill, f, rep);
}

static void fill_json(struct fill *fill, const struct filler *f, struct cursor *c, uint8_t rep)
{
    buf_reset(&fill->text);
    json_values_begin(fill->values, &fill->text);
    json_value_member(fill->values, f->member, c, &fill->text);
    if (fill->text.n == 4 && memcmp(fill->text.p, "null", 4) == 0)
        fill_nothing(fill, f, rep);
    else
        fill_text(fill, f->node, rep);
}

static void fill_elements(struct fill *fill, struct filler *f, struct cursor *c, uint8_t rep)
{
    uint64_t n = cur_varint(c), i;

    if (n > cur_left(c))
        cur_fail(c);
    if (!cur_ok(c))
        fill_nothing(fill, f, rep);
    else if (n == 0)
        fill_nulls(fill, f->node, f->node->def, rep);
    for (i = 0; i < n && cur_ok(c); i++)
        fill_element(fill, f->inner, c, i == 0 ? rep : f->node->rep);
}

static void skip_one(struct fill *fill, const struct filler *f, struct cursor *c)
{
    const struct jfr_field *field = f->member->field;
    const struct json_member skipped = {.field = field};
    bool is_number =
        field->is_pooled || (field->type->kind >= JFR_CHAR && field->type->kind <= JFR_LONG);

    if (is_number && !field->is_array)
        cur_varint(c);
    else
        json_value_member(fill->values, &skipped, c, &fill->text);
}

static void fill_field(struct fill *fill, struct filler *f, struct cursor *c, uint8_t rep)
{
    if (f->how == FILL_SKIP)
        skip_one(fill, f, c);
    else if (!cur_ok(c))
        fill_nothing(fill, f, rep);
    else if (f->how == FILL_JSON)
        fill_json(fill, f, c, rep);
    else if (f->how == FILL_LIST)
        fill_elements(fill, f, c, rep);
    else
        fill_element(fill, f, c, rep);
}

static void fill_members(struct fill *fill, struct filler *f, struct cursor *c, uint8_t rep)
{
    for (size_t i = 0; i < f->n_inner; i++)
        fill_field(fill, &f->inner[i], c, rep);
    for (size_t i = 0; i < f->n_absent; i++)
        fill_null(fill, f->absent[i], rep);
}

void fill_object(struct fill *fill, struct filler *filler, struct cursor *c)
{
    fill_members(fill, filler, c, 0);
    if (!cur_ok(c) && fill->values->bad == NULL) {
        fill->values->bad = c->fail;
        fill->values->what = "the event ends inside a value";
    }
}
