/*
 * tables.c - the tables and columns of a recording, and the arrays that hold their values.
 *
 * schema.c fills in tables and columns, load.c the values.
 */
#include "convert/sql/tables_internal.h"

#include "convert/columns/columns.h"

#include <stdlib.h>

bool tables_init(struct tables *t, struct select *select, const char *const *inputs)
{
    *t = (struct tables){.inputs = inputs, .style = columns_json_options().style};
    t->values.shapes.style = &t->style;
    t->clocks = (struct json_clocks){.anchor = JSON_ANCHOR_CHUNK, .rules = JSON_RULES_OWN};
    t->run = select_run_new(select);
    t->stacks = stacks_new(NULL, NULL);
    if (t->run == NULL || t->stacks == NULL) {
        tables_free(t);
        return false;
    }
    t->stack_rule = stacks_rule(t->stacks, STACKS_PATH);
    return true;
}

void tables_forget(struct sql_table *t)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        struct sql_column *c = &t->columns[i];

        free(c->own_values);
        free(c->own_def);
        free(c->ranks);
        c->own_values = c->own_def = NULL;
        c->ranks = NULL;
        c->leaf = NULL;
        c->def = NULL;
        c->ids = NULL;
        c->numbers = NULL;
    }
    parquet_free(t->data);
    fill_free(&t->fill);
    contexts_free(&t->contexts);
    buf_reset(&t->starts);
    t->data = NULL;
    t->contexts = (struct contexts){0};
    t->n_rows = 0;
    t->generation++;
    t->is_loaded = false;
}

void tables_want_nothing(struct tables *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct sql_table *table = t->items[i];

        table->is_wanted = false;
        table->wanted = (struct table_span){INT64_MAX, INT64_MIN};
        for (size_t k = 0; k < table->n_columns && !table->is_loaded; k++)
            table->columns[k].is_wanted = false;
    }
}

void tables_want_span(struct sql_table *t, struct table_span span)
{
    if (span.first_us < t->wanted.first_us)
        t->wanted.first_us = span.first_us;
    if (span.last_us > t->wanted.last_us)
        t->wanted.last_us = span.last_us;
    if (t->wanted.first_us < t->loaded.first_us || t->wanted.last_us > t->loaded.last_us)
        t->is_loaded = false;
}

static void free_sql_table(struct sql_table *t)
{
    tables_forget(t);
    for (size_t i = 0; i < t->n_columns; i++)
        free(t->columns[i].name);
    free(t->columns);
    buf_free(&t->starts);
    free(t->weight_field);
    free(t->event);
    free(t->name);
    free(t);
}

void tables_free(struct tables *t)
{
    for (size_t i = 0; i < t->n; i++)
        free_sql_table(t->items[i]);
    free(t->items);
    intern_free(&t->names);
    intern_free(&t->seen);
    intern_free(&t->attributes);
    json_values_free(&t->values);
    json_clocks_free(&t->clocks);
    stacks_free(t->stacks);
    select_run_free(t->run);
    *t = (struct tables){0};
}

struct sql_table *tables_find(const struct tables *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcasecmp(t->items[i]->name, name) == 0)
            return t->items[i];
    return NULL;
}

size_t tables_column(const struct sql_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (strcasecmp(t->columns[i].name, name) == 0)
            return i;
    return TABLE_NO_COLUMN;
}

void tables_put_name(struct buf *b, const char *name)
{
    buf_byte(b, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"')
            buf_byte(b, '"');
        buf_byte(b, (uint8_t)*name);
    }
    buf_byte(b, '"');
}

uint32_t tables_input(const struct sql_table *t, uint64_t row)
{
    const struct table_start *starts = (const void *)t->starts.p;
    size_t n = t->starts.n / sizeof(*starts);
    size_t next = SORTED_FIRST(n, i, starts[i].row > row);

    return next == 0 ? 0 : starts[next - 1].input;
}

/* --- the order of texts --- */

struct ranked {
    const uint8_t *p;
    size_t n;
    uint32_t id;
};

static int by_bytes(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

    return c != 0 ? c : (x->n > y->n) - (x->n < y->n);
}

const uint32_t *tables_ranks(struct sql_column *column)
{
    size_t n = column->leaf == NULL || column->ids == NULL ? 0 : parquet_n_texts(column->leaf);
    struct ranked *all;

    if (column->ranks != NULL || n == 0)
        return column->ranks;
    all = malloc(n * sizeof(*all));
    column->ranks = malloc(n * sizeof(*column->ranks));
    if (all == NULL || column->ranks == NULL) {
        free(all);
        free(column->ranks);
        column->ranks = NULL;
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        all[i].p = parquet_text(column->leaf, i, &all[i].n);
        all[i].id = i;
    }
    qsort(all, n, sizeof(*all), by_bytes);
    for (uint32_t i = 0; i < n; i++)
        column->ranks[all[i].id] = i;
    free(all);
    return column->ranks;
}
