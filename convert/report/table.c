/*
 * table.c - the rows and columns of a table: put, sorted, limited, picked. table_out.c writes them.
 *
 * Cells lie row after row in one buffer; texts are interned, so that equal ones have the same
 * number.
 */
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

static double table_number(const struct table *t, size_t row, size_t column)
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

/* Texts are interned: equal ones have the same number. */
static bool is_same_group(const struct table *t, size_t a, size_t b, size_t n_columns)
{
    for (size_t k = 0; k < n_columns; k++) {
        const struct table_cell *x = table_cell(t, a, k), *y = table_cell(t, b, k);

        if (x->has_value != y->has_value || x->is_text != y->is_text || x->i != y->i)
            return false;
    }
    return true;
}

struct table_group {
    size_t row, n; /* the first row and how many */
    double sum;
};

/* Largest sum first; the order of the rows decides between equal ones. */
static int compare_table_groups(const void *a, const void *b)
{
    const struct table_group *x = a, *y = b;

    return x->sum != y->sum ? (x->sum < y->sum ? 1 : -1) : (x->row > y->row) - (x->row < y->row);
}

void table_limit_groups(struct table *t, size_t n_columns, size_t by, size_t limit)
{
    size_t n = table_n_rows(t), width = t->n_columns * sizeof(struct table_cell), n_groups = 0;
    struct table_group *groups = calloc(n + 1, sizeof(*groups));
    uint8_t *cells = malloc(n * width + 1);
    size_t kept = 0;

    table_sort(t, by, true);
    for (size_t k = n_columns; k-- > 0;)
        table_sort(t, k, false);
    if (groups == NULL || cells == NULL || t->failed) {
        t->failed = true;
        free(groups);
        free(cells);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !is_same_group(t, i, i - 1, n_columns))
            groups[n_groups++].row = i;
        groups[n_groups - 1].n++;
        groups[n_groups - 1].sum += table_number(t, i, by);
    }
    qsort(groups, n_groups, sizeof(*groups), compare_table_groups);
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n && i < limit; i++)
            if (table_number(t, groups[g].row + i, by) != 0)
                memcpy(cells + kept++ * width, (uint8_t *)t->cells.p + (groups[g].row + i) * width,
                       width);
    if (kept > 0)
        memcpy(t->cells.p, cells, kept * width);
    t->cells.n = kept * width;
    free(groups);
    free(cells);
}

void table_pick_columns(struct table *t, const size_t *columns, const char *const *titles, size_t n)
{
    struct table_column *old = (struct table_column *)(void *)t->columns.p, *new;
    struct table_cell *cells;
    size_t rows = table_n_rows(t);

    new = calloc(n + 1, sizeof(*new));
    cells = calloc(rows * n + 1, sizeof(*cells));
    if (new == NULL || cells == NULL) {
        t->failed = true;
    } else {
        for (size_t k = 0; k < n; k++) {
            new[k] = old[columns[k]];
            if (titles[k] != NULL)
                new[k].title = titles[k];
        }
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < n; k++)
                cells[i * n + k] = *table_cell(t, i, columns[k]);
        t->columns.n = t->cells.n = 0;
        buf_bytes(&t->columns, new, n * sizeof(*new));
        buf_bytes(&t->cells, cells, rows * n * sizeof(*cells));
        t->n_columns = n;
    }
    free(new);
    free(cells);
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
