/*
 * table.h - rows and columns, and how they are written: text, CSV, JSON, HTML.
 *
 *     struct table *t = table_new("Samples by user");
 *     table_column(t, "user", "User", TABLE_TEXT);
 *     table_column(t, "allocated_bytes", "Allocated", TABLE_BYTES);
 *     table_put_text(t, name, n); table_put_int(t, bytes);       a row is done when it is full
 *     table_sort(t, 1, true);
 *     rc = table_write(t, TABLE_AS_CSV, out);
 *     table_free(t);
 *
 * People see 1.2 MB and 310 ms, programs plain numbers: bytes, nanoseconds, shares of 1. A cell
 * without a value is "-" in text, empty in CSV, null in JSON. Rows that compare as equal stay in
 * the order in which they were put. Memory that is short sticks: table_write() tells.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_REPORT_TABLE_H
#define CONVERT_REPORT_TABLE_H

#include "convert/select/min_group.h"
#include "convert/text/out.h"

struct table;

enum table_type {
    TABLE_TEXT,
    TABLE_COUNT, /* integer */
    TABLE_BYTES, /* integer */
    TABLE_NS, /* integer, ns */
    TABLE_SHARE, /* 1 = everything; people see percent */
    TABLE_ERROR, /* the same, of a share: its standard error */
    TABLE_CHANGE, /* the same with a sign */
    TABLE_POINTS, /* the same, a difference of shares */
    TABLE_REAL,
    TABLE_P, /* probability */
    TABLE_ANY, /* each cell as it was put, to the right where the first one is a number */
};

enum table_as {
    TABLE_AS_TEXT,
    TABLE_AS_CSV,
    TABLE_AS_JSON,
    TABLE_AS_HTML,
    TABLE_AS_MARKDOWN,
    TABLE_AS_TSV, /* what people see, between tabs */
};

/* -1 when there is no such form: text, csv, json, html, md, tsv. */
int table_as_named(const char *name);

struct table *table_new(const char *title); /* NULL if out of memory; the title is copied */
void table_free(struct table *t); /* NULL is allowed */

/* Adds a column; all of them come before the first row. Texts are borrowed. */
void table_column(struct table *t, const char *name, const char *title, enum table_type type);

/* Leaves a column out where people read, if no cell of it has a value but 0. */
void table_column_is_optional(struct table *t, size_t column);

const char *table_title(const struct table *t);
size_t table_n_columns(const struct table *t);
const char *table_column_name(const struct table *t, size_t column);
enum table_type table_column_type(const struct table *t, size_t column);
size_t table_n_rows(const struct table *t);

/* The next cell. */
void table_put_text(struct table *t, const char *s, size_t n);
void table_put_int(struct table *t, int64_t v);
void table_put_real(struct table *t, double v);
void table_put_none(struct table *t);

/* A number that people see as this text; for TABLE_ANY. is_real: d counts, else i. */
void table_put_shown(struct table *t, bool is_real, int64_t i, double d, const char *s, size_t n);

/* The text of a cell, NULL when it has none; its number, 0 when it has none. */
const char *table_text(const struct table *t, size_t row, size_t column, size_t *n);

/* Sorts by a column; cells without a value come last. */
void table_sort(struct table *t, size_t column, bool descending);

void table_limit(struct table *t, size_t n); /* drops the rows after the first n */

/* Keeps, of each group of rows with equal texts in the first n_columns, the `limit` rows with the
 * largest numbers in column `by`, and none in which that is 0. The group with the largest sum of
 * them comes first. n_columns 0: all rows are one group. */
void table_limit_groups(struct table *t, size_t n_columns, size_t by, size_t limit);

/* Keeps n of the columns, in this order; titles[i], which is borrowed, is the new title of the
 * i-th, NULL: the one it has. */
void table_pick_columns(struct table *t, const size_t *columns, const char *const *titles,
                        size_t n);

/* The names of the row that has the sums of all groups that are too small for one
 * (select/min_group.h). */
void table_put_others(struct table *t, size_t n_columns);
void table_note_others(struct table *t, size_t n_groups); /* says how many; nothing for none */

/* A line below the table, where people read. The text is copied. */
void table_note(struct table *t, const char *text);

/* How text is made to fit; all 0: each cell on one line, whole. */
struct table_fit {
    size_t width; /* characters of a line, 0: as many as there are; columns keep at least four */
    size_t height; /* lines of a cell, 0 as 1 */
    bool from_beginning; /* what has no room is cut there, not at the end */
};

/* For TABLE_AS_TEXT. Numbers are never cut. A cell of more than one line has a part of a stack on
 * each, where it is one. */
void table_set_fit(struct table *t, struct table_fit fit);

/* 0, JFR_E_NOMEM, or the output's error. */
int table_write(const struct table *t, enum table_as as, struct out *out);

/* "1.2 MB", "310 ms", "4.12%" as they stand in text. */
void table_format(struct buf *b, enum table_type type, int64_t i, double d);

#endif
