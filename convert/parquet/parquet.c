/*
 * parquet.c - a Parquet file from its first row to its end.
 *
 * In: values put into leaves, and ends of rows. Out: row groups, then indexes and the footer. Other
 * files of the folder write pages and the schema; this one keeps the order and the places in the
 * file.
 */
#include "convert/parquet/parquet_internal.h"

#include "jfrfmt/base/array.h"
#include "jfrfmt/base/error.h"

#include <stdlib.h>

static const char magic[] = {'P', 'A', 'R', '1'};

struct parquet *parquet_new(int (*write)(void *ctx, const void *bytes, size_t n), void *ctx)
{
    struct parquet *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->root.name = "schema";
    p->out = (struct column_out){.write = write, .ctx = ctx, .zstd = ZSTD_createCCtx()};
    if (p->out.zstd == NULL) {
        parquet_free(p);
        return NULL;
    }
    return p;
}

static void free_children(struct parquet_node *node)
{
    for (size_t i = 0; i < node->n_children; i++)
        free_children(node->children[i]);
    free(node->children);
}

void parquet_free(struct parquet *p)
{
    if (p == NULL)
        return;
    free_children(&p->root);
    for (size_t i = 0; i < p->n_columns; i++) {
        column_free(p->columns[i]);
        free(p->columns[i]);
    }
    free(p->columns);
    free(p->groups);
    buf_free(&p->notes);
    buf_free(&p->out.body);
    buf_free(&p->out.packed);
    buf_free(&p->out.head);
    ZSTD_freeCCtx(p->out.zstd);
    arena_free(&p->arena);
    free(p);
}

size_t parquet_n_leaves(const struct parquet *p)
{
    return p->n_columns;
}

/* --- values --- */

static uint32_t id_of_mended(struct parquet_column *c, const uint8_t *bytes, size_t n)
{
    buf_reset(&c->mended);
    buf_bytes(&c->mended, bytes, n);
    if (!buf_ok(&c->mended))
        return INTERN_FAILED;
    parquet_mend(c->mended.p, n);
    return intern_add(&c->dictionary, c->mended.p, n);
}

uint32_t parquet_id_of_text(struct parquet_node *leaf, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    if (leaf->type == PARQUET_STRING && n >= 3 && parquet_find_half(p, p + n) != NULL)
        return id_of_mended(leaf->column, p, n);
    return intern_add(&leaf->column->dictionary, bytes, n);
}

uint32_t parquet_id_of_number(struct parquet_node *leaf, int64_t number)
{
    return intern_add(&leaf->column->dictionary, &number, sizeof(number));
}

uint64_t parquet_generation(const struct parquet *p)
{
    return p->generation;
}

void parquet_put(struct parquet_node *leaf, uint8_t def, uint8_t rep, int64_t value)
{
    struct parquet_column *c = leaf->column;
    uint32_t id = (uint32_t)value;

    buf_byte(&c->def, def);
    if (leaf->rep > 0)
        buf_byte(&c->rep, rep);
    if (def < leaf->def)
        return;
    if (!leaf->has_dictionary)
        buf_bytes(&c->values, &value, sizeof(value));
    else if (id == INTERN_FAILED)
        c->values.failed = true;
    else
        buf_bytes(&c->values, &id, sizeof(id));
}

void parquet_put_list(struct parquet_node *leaf, const uint32_t *numbers, size_t n)
{
    struct parquet_column *c = leaf->column;
    uint8_t *def, *rep;
    uint32_t *values;
    size_t n_values = 0;

    if (!buf_reserve(&c->def, n) || !buf_reserve(&c->rep, n) ||
        !buf_reserve(&c->values, n * sizeof(*values)))
        return;
    def = c->def.p + c->def.n;
    rep = c->rep.p + c->rep.n;
    values = (uint32_t *)(void *)(c->values.p + c->values.n);
    memset(rep, leaf->parent->rep, n);
    rep[0] = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_null = numbers[i] == PARQUET_NULL;

        c->values.failed |= numbers[i] == INTERN_FAILED;
        def[i] = leaf->def - is_null;
        values[n_values] = numbers[i]; /* overwritten by the next one if it is null */
        n_values += !is_null;
    }
    c->def.n += n;
    c->rep.n += n;
    c->values.n += n_values * sizeof(*values);
}

void parquet_end_row(struct parquet *p)
{
    p->rows++;
}

uint64_t parquet_rows(const struct parquet *p)
{
    return p->rows;
}

uint64_t parquet_rows_total(const struct parquet *p)
{
    return p->rows_total + p->rows;
}

size_t parquet_bytes(const struct parquet *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_columns; i++)
        n += column_bytes(p->columns[i]);
    return n;
}

bool parquet_failed(const struct parquet *p)
{
    return p->failed || p->out.rc != 0;
}

void parquet_note(struct parquet *p, const char *key, const char *value)
{
    buf_bytes(&p->notes, key, strlen(key) + 1);
    buf_bytes(&p->notes, value, strlen(value) + 1);
    p->failed |= !buf_ok(&p->notes);
    p->n_notes++;
}

struct parquet_held parquet_held(const struct parquet_node *leaf)
{
    const struct parquet_column *c = leaf->column;
    size_t size = leaf->has_dictionary ? sizeof(uint32_t) : sizeof(int64_t);

    return (struct parquet_held){
        .def = c->def.p,
        .n = c->def.n,
        .ids = leaf->has_dictionary ? (const void *)c->values.p : NULL,
        .numbers = leaf->has_dictionary ? NULL : (const void *)c->values.p,
        .n_values = c->values.n / size,
    };
}

const void *parquet_text(const struct parquet_node *leaf, uint32_t id, size_t *n)
{
    return intern_get(&leaf->column->dictionary, id, n);
}

uint32_t parquet_find_text(const struct parquet_node *leaf, const void *bytes, size_t n)
{
    return intern_find(&leaf->column->dictionary, bytes, n);
}

size_t parquet_n_texts(const struct parquet_node *leaf)
{
    return intern_n(&leaf->column->dictionary);
}

/* --- writing --- */

static int file_result(struct parquet *p)
{
    if (p->out.rc == 0 && p->failed)
        p->out.rc = JFR_E_NOMEM;
    return p->out.rc;
}

static void put_magic(struct parquet *p)
{
    if (p->out.at == 0)
        column_put(&p->out, magic, sizeof(magic));
}

/* Readers of a row group expect its columns in the order of the schema, without gaps between them.
 */
static void write_leaf(void *ctx, const struct parquet_node *leaf)
{
    struct parquet *p = ctx;

    column_write(leaf->column, p->n_groups - 1, &p->out);
}

int parquet_flush(struct parquet *p)
{
    put_magic(p);
    if (p->rows == 0 || file_result(p) != 0)
        return file_result(p);
    if (!array_add(&p->groups, p->n_groups, sizeof(*p->groups))) {
        p->failed = true;
        return file_result(p);
    }
    p->groups[p->n_groups++] = p->rows;
    schema_leaves(&p->root, write_leaf, p);
    buf_free(&p->out.body);
    buf_free(&p->out.packed);
    p->rows_total += p->rows;
    p->rows = 0;
    p->generation++;
    return file_result(p);
}

/* Nulls of columns that came later than a row group. */
static void write_gaps(struct parquet *p)
{
    for (size_t i = 0; i < p->n_columns; i++)
        for (size_t k = 0; k < p->n_groups; k++)
            if (k >= p->columns[i]->n_chunks || p->columns[i]->chunks[k].n_pages == 0)
                column_write_nulls(p->columns[i], k, p->groups[k], &p->out);
}

static void write_indexes(struct parquet *p)
{
    for (size_t i = 0; i < p->n_columns; i++)
        for (size_t k = 0; k < p->columns[i]->n_chunks; k++)
            column_write_bounds(&p->columns[i]->chunks[k], &p->out);
    for (size_t i = 0; i < p->n_columns; i++)
        for (size_t k = 0; k < p->columns[i]->n_chunks; k++)
            column_write_places(&p->columns[i]->chunks[k], &p->out);
}

int parquet_close(struct parquet *p)
{
    struct buf *b = &p->out.body;
    uint8_t length[4];

    parquet_flush(p);
    write_gaps(p);
    write_indexes(p);
    buf_reset(b);
    footer_put(p, b);
    if (!buf_ok(b))
        p->failed = true;
    if (file_result(p) != 0)
        return file_result(p);
    for (unsigned i = 0; i < 4; i++)
        length[i] = (uint8_t)(b->n >> 8 * i);
    column_put(&p->out, b->p, b->n);
    column_put(&p->out, length, sizeof(length));
    return column_put(&p->out, magic, sizeof(magic));
}
