/* table_internal.h - what a table is made of, for table.c, table_text.c and table_out.c. */
#ifndef CONVERT_REPORT_TABLE_INTERNAL_H
#define CONVERT_REPORT_TABLE_INTERNAL_H

#include "convert/report/table.h"
#include "jfrfmt/base/intern.h"

struct table_column {
    const char *name, *title;
    enum table_type type;
    bool is_optional;
};

struct table_cell {
    int64_t i; /* or the number of a text */
    double d;
    uint32_t shown; /* + 1: number of the text that people see; 0: made of the number */
    bool has_value, is_text, is_real;
};

struct table {
    char *title;
    struct buf columns; /* of struct table_column */
    size_t n_columns;
    struct buf cells; /* of struct table_cell, row by row */
    struct intern texts;
    struct buf notes; /* texts with a NUL after each */
    struct table_fit fit;
    bool failed;
};

static inline const struct table_column *table_columns(const struct table *t)
{
    return (const struct table_column *)(const void *)t->columns.p;
}

static inline const struct table_cell *table_cell(const struct table *t, size_t row, size_t column)
{
    return (const struct table_cell *)(const void *)t->cells.p + row * t->n_columns + column;
}

/* What a person sees of a cell. Control characters would move the cursor: they are spaces. */
void table_put_cell(struct buf *b, const struct table *t, size_t row, size_t column);

/* Are the cells of a column to the left? */
bool table_is_left(const struct table *t, size_t column);

/* Do people see the column? */
bool table_is_shown(const struct table *t, size_t column);

/* The notes, each between two texts. */
void table_put_notes(const struct table *t, const char *before, const char *after, bool html,
                     struct buf *o);

int table_write_text(const struct table *t, struct out *out);

#endif
