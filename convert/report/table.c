#include "convert/report/table.h"

#include "convert/report/table_internal.h"

#include <stdio.h>
#include <stdlib.h>

struct table *table_new(const char *title)
{
    struct table *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->title = strdup(title);
    if (t->title != NULL)
        return t;
    free(t);
    return NULL;
}

void table_free(struct table *t)
{
    if (t == NULL)
        return;
    free(t->title);
    buf_free(&t->columns);
    buf_free(&t->cells);
    intern_free(&t->texts);
    buf_free(&t->notes);
    free(t);
}

int table_as_named(const char *name)
{
    static const char *const names[] = {"text", "csv", "json", "html", "md", "tsv"};

    for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

void table_column(struct table *t, const char *name, const char *title, enum table_type type)
{
    struct table_column c = {.name = name, .title = title, .type = type};

    buf_bytes(&t->columns, &c, sizeof(c));
    t->n_columns += buf_ok(&t->columns);
}

void table_column_is_optional(struct table *t, size_t column)
{
    if (column < t->n_columns)
        ((struct table_column *)(void *)t->columns.p)[column].is_optional = true;
}

const char *table_title(const struct table *t)
{
    return t->title;
}

size_t table_n_columns(const struct table *t)
{
    return t->n_columns;
}

const char *table_column_name(const struct table *t, size_t column)
{
    return table_columns(t)[column].name;
}

enum table_type table_column_type(const struct table *t, size_t column)
{
    return table_columns(t)[column].type;
}

size_t table_n_rows(const struct table *t)
{
    return t->n_columns == 0 ? 0 : t->cells.n / sizeof(struct table_cell) / t->n_columns;
}

static void put(struct table *t, struct table_cell c)
{
    buf_bytes(&t->cells, &c, sizeof(c));
}

void table_put_text(struct table *t, const char *s, size_t n)
{
    uint32_t id = intern_add(&t->texts, s, n);

    t->failed |= id == INTERN_FAILED;
    put(t, (struct table_cell){.has_value = true, .is_text = true, .i = id});
}

void table_put_int(struct table *t, int64_t v)
{
    put(t, (struct table_cell){.has_value = true, .i = v, .d = (double)v});
}

void table_put_real(struct table *t, double v)
{
    put(t, (struct table_cell){.has_value = true, .is_real = true, .d = v});
}

void table_put_shown(struct table *t, bool is_real, int64_t i, double d, const char *s, size_t n)
{
    uint32_t id = intern_add(&t->texts, s, n);

    t->failed |= id == INTERN_FAILED;
    put(t, (struct table_cell){
               .has_value = true, .is_real = is_real, .i = i, .d = d, .shown = id + 1});
}

void table_put_none(struct table *t)
{
    put(t, (struct table_cell){.has_value = false});
}

const char *table_text(const struct table *t, size_t row, size_t column, size_t *n)
{
    const struct table_cell *c = table_cell(t, row, column);

    return c->has_value && c->is_text ? intern_get(&t->texts, (uint32_t)c->i, n) : NULL;
}

double table_number(const struct table *t, size_t row, size_t column)
{
    const struct table_cell *c = table_cell(t, row, column);

    return c->has_value && !c->is_text ? c->d : 0;
}

struct order {
    const struct table *t;
    size_t column;
    bool descending;
};

static int compare_texts(const struct table *t, const struct table_cell *a,
                         const struct table_cell *b)
{
    size_t na, nb;
    const char *x = intern_get(&t->texts, (uint32_t)a->i, &na);
    const char *y = intern_get(&t->texts, (uint32_t)b->i, &nb);
    int order = memcmp(x, y, na < nb ? na : nb);

    return order != 0 ? order : (na > nb) - (na < nb);
}

static int compare(const void *a, const void *b, void *ctx)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const struct order *o = ctx;
    const struct table_cell *p = table_cell(o->t, x, o->column);
    const struct table_cell *q = table_cell(o->t, y, o->column);
    int order;

    if (!p->has_value || !q->has_value)
        order = q->has_value - p->has_value;
    else if (p->is_text != q->is_text)
        order = p->is_text - q->is_text;
    else if (p->is_text)
        order = compare_texts(o->t, p, q);
    else if (p->i != q->i && p->d == q->d) /* integers beyond 2^53 */
        order = (p->i > q->i) - (p->i < q->i);
    else
        order = (p->d > q->d) - (p->d < q->d);
    if (o->descending && p->has_value && q->has_value)
        order = -order;
    return order != 0 ? order : (x > y) - (x < y);
}

void table_sort(struct table *t, size_t column, bool descending)
{
    size_t n = table_n_rows(t), width = t->n_columns * sizeof(struct table_cell);
    size_t *order = malloc((n + 1) * sizeof(*order));
    uint8_t *cells = malloc(n * width + 1);
    struct order how = {t, column, descending};

    if (order == NULL || cells == NULL || column >= t->n_columns) {
        t->failed = true;
        free(order);
        free(cells);
        return;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof(*order), compare, &how);
    for (size_t i = 0; i < n; i++)
        memcpy(cells + i * width, t->cells.p + order[i] * width, width);
    if (n > 0)
        memcpy(t->cells.p, cells, n * width);
    free(order);
    free(cells);
}

void table_limit(struct table *t, size_t n)
{
    if (n < table_n_rows(t))
        t->cells.n = n * t->n_columns * sizeof(struct table_cell);
}

void table_put_others(struct table *t, size_t n_columns)
{
    for (size_t i = 0; i < n_columns; i++)
        table_put_text(t, MIN_GROUP_OTHERS, strlen(MIN_GROUP_OTHERS));
}

void table_note_others(struct table *t, size_t n_groups)
{
    char text[60];

    if (n_groups == 0)
        return;
    snprintf(text, sizeof(text), "%s: %zu group%s", MIN_GROUP_OTHERS, n_groups,
             n_groups == 1 ? "" : "s");
    table_note(t, text);
}

void table_note(struct table *t, const char *text)
{
    buf_bytes(&t->notes, text, strlen(text) + 1);
}

void table_set_fit(struct table *t, struct table_fit fit)
{
    t->fit = fit;
}
