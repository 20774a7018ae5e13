/*
 * scan.c - the rows of a table that meet the conditions of a plan, in its order, and their values.
 *
 * A scan goes over all rows as they lie, over a list of rows that were chosen and sorted, or over a
 * part of an index. Columns are read from the arrays of the table.
 */
#include "convert/sql/moment.h"
#include "convert/sql/order.h"
#include "convert/sql/vtab_internal.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 256
#define STARTS_BEFORE_INDEX 3 /* of a scan; then it is the inner side of a join */

/* Values of a column in the order of a scan. Rows in another order than that of the file lie far
 * apart; reading many at once waits for the memory once. */
struct block {
    uint64_t number; /* which, of BLOCK_ROWS places of the scan */
    bool has[BLOCK_ROWS];
    int64_t values[BLOCK_ROWS]; /* numbers, or numbers of texts */
};

struct scan {
    sqlite3_vtab_cursor base;
    uint64_t at, n; /* rows, or places in `rows` */
    const uint32_t *rows; /* NULL: all, in their order */
    uint32_t *own_rows; /* NULL: `rows` are those of an index */
    unsigned n_starts; /* with conditions */
    struct block **blocks; /* by column; NULL: none was read in this order */
    size_t n_blocks;
};

/* --- which rows --- */

struct test { /* of a column's values */
    const struct sql_column *column;
    size_t number; /* of the column */
    char how;
    int64_t least, most; /* numbers of texts, or numbers */
    bool is_never;
};

static void limit_text(struct test *test, sqlite3_value *value)
{
    const void *text = sqlite3_value_text(value);
    uint32_t id =
        text == NULL || test->column->leaf == NULL
            ? INTERN_FAILED
            : parquet_find_text(test->column->leaf, text, (size_t)sqlite3_value_bytes(value));

    test->is_never = id == INTERN_FAILED;
    test->least = test->most = id;
}

static bool limit_moment(struct test *test, char how, sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    int64_t us;

    if (text == NULL || !moment_of_shown(text, &us))
        return false;
    if (how != '<')
        test->least = us;
    if (how != '>')
        test->most = us;
    return true;
}

/* False: every row may meet the condition. */
static bool make_test(struct test *test, char how, sqlite3_value *value)
{
    int type = sqlite3_value_type(value);

    test->least = INT64_MIN;
    test->most = INT64_MAX;
    if (type == SQLITE_NULL) { /* a comparison with null is never true */
        test->is_never = true;
        return true;
    }
    if (test->column->type == PARQUET_TIME)
        return type == SQLITE_TEXT && limit_moment(test, how, value);
    if (test->column->type == PARQUET_STRING) {
        if (type != SQLITE_TEXT)
            return false;
        limit_text(test, value);
        return true;
    }
    if (type != SQLITE_INTEGER)
        return false;
    if (how != '<')
        test->least = sqlite3_value_int64(value);
    if (how != '>')
        test->most = sqlite3_value_int64(value);
    return true;
}

static bool is_met(const struct test *test, uint64_t row)
{
    int64_t x;

    if (test->is_never || !column_has(test->column, row))
        return false;
    x = column_number(test->column, row);
    return x >= test->least && x <= test->most;
}

#define TESTS_MOST 16

struct plan {
    struct test tests[TESTS_MOST];
    size_t n_tests;
    struct order orders[VTAB_ORDERS_MOST];
    size_t n_orders;
};

static bool read_plan(const struct sql_table *t, const char *text, int argc, sqlite3_value **argv,
                      struct plan *plan)
{
    int arg = 0;

    while (*text != '\0') {
        char how = *text, *end;
        size_t column = strtoul(text + 1, &end, 10);

        text = end + 1;
        if (how == '+' || how == '-') {
            if (plan->n_orders == VTAB_ORDERS_MOST)
                return false;
            plan->orders[plan->n_orders++] = (struct order){column, how == '-'};
        } else if (arg < argc) {
            struct test test = {&t->columns[column], column, how};

            if (make_test(&test, how, argv[arg++]) && plan->n_tests < TESTS_MOST)
                plan->tests[plan->n_tests++] = test;
        }
    }
    return true;
}

static void free_scan_blocks(struct scan *scan)
{
    for (size_t i = 0; i < scan->n_blocks; i++)
        free(scan->blocks[i]);
    free(scan->blocks);
    scan->blocks = NULL;
    scan->n_blocks = 0;
}

static bool choose_rows(struct scan *scan, const struct sql_table *t, const struct plan *plan)
{
    uint64_t n = 0;

    scan->own_rows = malloc((t->n_rows + 1) * sizeof(*scan->own_rows));
    scan->rows = scan->own_rows;
    if (scan->own_rows == NULL)
        return false;
    for (uint64_t row = 0; row < t->n_rows; row++) {
        bool all = true;

        for (size_t i = 0; i < plan->n_tests && all; i++)
            all = is_met(&plan->tests[i], row);
        scan->own_rows[n] = (uint32_t)row;
        n += all;
    }
    scan->n = n;
    return true;
}

/* Rows of an index: of those that meet a condition of equality, and all conditions on one other
 * column. SQLite tests what is left. */
static bool find_rows(struct scan *scan, struct vtab *v, const struct plan *plan)
{
    const struct test *key = NULL, *range = NULL;
    int64_t least = INT64_MIN, most = INT64_MAX;
    const struct span_index *index;
    bool is_never = false;
    size_t n;

    for (size_t i = 0; i < plan->n_tests; i++) {
        const struct test *test = &plan->tests[i];

        is_never |= test->is_never;
        if (test->how == '=' && key == NULL)
            key = test;
        else if (test->how != '=' && range == NULL)
            range = test;
    }
    for (size_t i = 0; i < plan->n_tests && range != NULL; i++)
        if (plan->tests[i].number == range->number && &plan->tests[i] != key) {
            least = plan->tests[i].least > least ? plan->tests[i].least : least;
            most = plan->tests[i].most < most ? plan->tests[i].most : most;
        }
    index = span_index_get(&v->indexes, v->table, key == NULL ? TABLE_NO_COLUMN : key->number,
                           range == NULL ? TABLE_NO_COLUMN : range->number);
    if (index == NULL)
        return false;
    scan->rows = span_index_find(index, key == NULL ? 0 : key->least, least, most, &n);
    scan->n = is_never ? 0 : n;
    return true;
}

int scan_start(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
               sqlite3_value **argv)
{
    struct scan *scan = (struct scan *)cursor;
    struct sql_table *t = ((struct vtab *)cursor->pVtab)->table;
    struct plan plan = {.n_tests = 0};

    (void)number;
    free_scan_blocks(scan);
    free(scan->own_rows);
    scan->own_rows = NULL;
    scan->rows = NULL;
    scan->at = 0;
    scan->n = t->n_rows;
    if (!t->is_loaded || !read_plan(t, text, argc, argv, &plan))
        return SQLITE_INTERNAL;
    if (t->n_rows >= UINT32_MAX)
        return SQLITE_NOMEM;
    if (plan.n_tests == 0 && plan.n_orders == 0)
        return SQLITE_OK;
    if (plan.n_orders == 0 && ++scan->n_starts > STARTS_BEFORE_INDEX)
        return find_rows(scan, (struct vtab *)cursor->pVtab, &plan) ? SQLITE_OK : SQLITE_NOMEM;
    if (!choose_rows(scan, t, &plan))
        return SQLITE_NOMEM;
    return plan.n_orders == 0 || sort_rows(t, plan.orders, plan.n_orders, scan->own_rows, scan->n)
               ? SQLITE_OK
               : SQLITE_NOMEM;
}

/* --- rows --- */

int scan_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct scan *scan = calloc(1, sizeof(*scan));

    (void)vtab;
    if (scan == NULL)
        return SQLITE_NOMEM;
    *cursor = &scan->base;
    return SQLITE_OK;
}

int scan_close(sqlite3_vtab_cursor *cursor)
{
    free_scan_blocks((struct scan *)cursor);
    free(((struct scan *)cursor)->own_rows);
    free(cursor);
    return SQLITE_OK;
}

int scan_next(sqlite3_vtab_cursor *cursor)
{
    ((struct scan *)cursor)->at++;
    return SQLITE_OK;
}

int scan_is_at_end(sqlite3_vtab_cursor *cursor)
{
    struct scan *scan = (struct scan *)cursor;

    return scan->at >= scan->n;
}

static uint64_t row_of_scan(const struct scan *scan)
{
    return scan->rows == NULL ? scan->at : scan->rows[scan->at];
}

int scan_row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = (sqlite3_int64)row_of_scan((struct scan *)cursor);
    return SQLITE_OK;
}

static void give_number(sqlite3_context *to, const struct sql_column *c, int64_t x)
{
    char text[MOMENT_CHARS];

    switch (c->type) {
    case PARQUET_FLOAT:
    case PARQUET_DOUBLE:
        sqlite3_result_double(to, column_real(c, x));
        break;
    case PARQUET_UINT64:
        if (x < 0)
            sqlite3_result_double(to, (double)(uint64_t)x);
        else
            sqlite3_result_int64(to, x);
        break;
    case PARQUET_TIME:
        if (moment_show(x, text))
            sqlite3_result_text(to, text, sizeof(text), SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_result_int64(to, x);
    }
}

static void fill_block(struct block *b, const struct scan *scan, const struct sql_column *c)
{
    const uint32_t *rows = scan->rows + b->number * BLOCK_ROWS;
    uint64_t left = scan->n - b->number * BLOCK_ROWS, n = left < BLOCK_ROWS ? left : BLOCK_ROWS;

    for (uint64_t i = 0; i < n; i++)
        b->has[i] = column_has(c, rows[i]);
    for (uint64_t i = 0; i < n && c->ids != NULL; i++)
        b->values[i] = c->ids[rows[i]];
    for (uint64_t i = 0; i < n && c->numbers != NULL; i++)
        b->values[i] = c->numbers[rows[i]];
}

/* The block that has the place of the scan. NULL: memory is exhausted. */
static const struct block *current_block(struct scan *scan, const struct sql_table *t, size_t i)
{
    uint64_t number = scan->at / BLOCK_ROWS;
    struct block *b;

    if (scan->blocks == NULL) {
        scan->blocks = calloc(t->n_columns, sizeof(struct block *));
        scan->n_blocks = scan->blocks == NULL ? 0 : t->n_columns;
    }
    if (scan->blocks == NULL)
        return NULL;
    b = scan->blocks[i];
    if (b == NULL && (b = malloc(sizeof(*b))) != NULL)
        b->number = UINT64_MAX;
    scan->blocks[i] = b;
    if (b != NULL && b->number != number) {
        b->number = number;
        fill_block(b, scan, &t->columns[i]);
    }
    return b;
}

/* Is there a value, and which? False also if out of memory, after an error. */
static bool read_value(struct scan *scan, sqlite3_context *to, const struct sql_table *t, size_t i,
                       int64_t *value)
{
    const struct sql_column *c = &t->columns[i];
    const struct block *b;
    uint64_t row;

    if (scan->own_rows == NULL) {
        row = row_of_scan(scan);
        if (!column_has(c, row))
            return false;
        *value = column_number(c, row);
        return true;
    }
    b = current_block(scan, t, i);
    if (b == NULL) {
        sqlite3_result_error_nomem(to);
        return false;
    }
    *value = b->values[scan->at % BLOCK_ROWS];
    return b->has[scan->at % BLOCK_ROWS];
}

int scan_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int i)
{
    const struct vtab *v = (struct vtab *)cursor->pVtab;
    const struct sql_column *c = &v->table->columns[i];
    struct scan *scan = (struct scan *)cursor;
    const char *text;
    int64_t value;
    size_t n;

    if (c->is_recording) {
        text = v->tables->inputs[tables_input(v->table, row_of_scan(scan))];
        sqlite3_result_text(to, text, -1, SQLITE_STATIC);
        return SQLITE_OK;
    }
    if (!read_value(scan, to, v->table, (size_t)i, &value))
        return SQLITE_OK;
    if (c->ids == NULL) {
        give_number(to, c, value);
        return SQLITE_OK;
    }
    text = parquet_text(c->leaf, (uint32_t)value, &n);
    if (c->type == PARQUET_ID)
        sqlite3_result_blob64(to, text, n, SQLITE_STATIC);
    else
        sqlite3_result_text64(to, text, n, SQLITE_STATIC, SQLITE_UTF8);
    return SQLITE_OK;
}
