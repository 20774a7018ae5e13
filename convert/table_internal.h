/* table_internal.h - what a table is made of, for table.c and table_out.c. */
#ifndef CONVERT_TABLE_INTERNAL_H
#define CONVERT_TABLE_INTERNAL_H

#include "convert/table.h"
#include "jfrfmt/intern.h"

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
    struct buf notes; /* texts with a NUL behind each */
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

#endif
