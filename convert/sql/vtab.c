/*
 * vtab.c - what SQLite asks of a virtual table: columns, plans, rows.
 *
 * A plan is a text: "=3 >7 +5 -2" compares column 3 and column 7 with arguments, and has rows in
 * the order of column 5, then of column 2 backwards.
 */
#include "convert/sql/vtab.h"

#include "convert/sql/moment.h"
#include "convert/sql/order.h"
#include "convert/sql/span_index.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>
#include <string.h>

#define MODULE "recording"
#define BLOCK_ROWS 256
#define STARTS_BEFORE_INDEX 3 /* of a scan; then it is the inner side of a join */

struct vtab {
    sqlite3_vtab base;
    struct tables *tables;
    struct sql_table *table;
    struct span_indexes indexes;
};

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

/* --- columns --- */

const char *vtab_type(enum parquet_type type)
{
    switch (type) {
    case PARQUET_FLOAT:
    case PARQUET_DOUBLE:
        return "REAL";
    case PARQUET_TIME:
    case PARQUET_STRING:
        return "TEXT";
    case PARQUET_ID:
        return "BLOB";
    default:
        return "INTEGER";
    }
}

static int declare_columns(sqlite3 *db, const struct sql_table *t)
{
    struct buf b = {0};
    int rc = SQLITE_NOMEM;

    buf_str(&b, "create table x(");
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_str(&b, i > 0 ? "," : "");
        tables_put_name(&b, t->columns[i].name);
        buf_printf(&b, " %s%s", vtab_type(t->columns[i].type),
                   t->columns[i].is_hidden ? " hidden" : "");
    }
    buf_str(&b, ")");
    buf_byte(&b, '\0');
    if (buf_ok(&b))
        rc = sqlite3_declare_vtab(db, (const char *)b.p);
    buf_free(&b);
    return rc;
}

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **vtab, char **message)
{
    struct tables *tables = aux;
    struct sql_table *table = argc < 3 ? NULL : tables_find(tables, argv[2]);
    struct vtab *v;
    int rc;

    if (table == NULL) {
        *message = sqlite3_mprintf("no event type %s", argc < 3 ? "" : argv[2]);
        return SQLITE_ERROR;
    }
    rc = declare_columns(db, table);
    if (rc != SQLITE_OK)
        return rc;
    v = calloc(1, sizeof(*v));
    if (v == NULL)
        return SQLITE_NOMEM;
    v->tables = tables;
    v->table = table;
    *vtab = &v->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
    span_index_free(&((struct vtab *)vtab)->indexes);
    free(vtab);
    return SQLITE_OK;
}

/* --- plans --- */

static void want_column(struct sql_table *t, size_t column)
{
    if (!t->columns[column].is_wanted)
        t->is_loaded = false;
    t->columns[column].is_wanted = true;
}

/* Bit 63 stands for that column and all behind it. */
static void want_used(struct sql_table *t, uint64_t used)
{
    if (!t->is_wanted)
        t->is_loaded = false;
    t->is_wanted = true;
    for (size_t i = 0; i < t->n_columns; i++)
        if ((used >> (i < 63 ? i : 63) & 1) != 0)
            want_column(t, i);
}

/* How a condition is written in a plan; 0: it does not go down. */
static char comparison(const struct sql_table *t, const struct sqlite3_index_constraint *c,
                       const char *collation)
{
    const struct sql_column *column = c->iColumn < 0 ? NULL : &t->columns[c->iColumn];
    bool is_equal = c->op == SQLITE_INDEX_CONSTRAINT_EQ;

    if (!c->usable || column == NULL || !order_is_possible(t, (size_t)c->iColumn) ||
        column->type == PARQUET_FLOAT || column->type == PARQUET_DOUBLE ||
        column->type == PARQUET_ID)
        return 0;
    if (is_equal)
        return column->type == PARQUET_STRING && sqlite3_stricmp(collation, "BINARY") != 0 ? 0
                                                                                           : '=';
    if (column->type == PARQUET_STRING)
        return 0;
    return c->op == SQLITE_INDEX_CONSTRAINT_GT || c->op == SQLITE_INDEX_CONSTRAINT_GE   ? '>'
           : c->op == SQLITE_INDEX_CONSTRAINT_LT || c->op == SQLITE_INDEX_CONSTRAINT_LE ? '<'
                                                                                        : 0;
}

static bool can_order(const struct sql_table *t, const sqlite3_index_info *info)
{
    for (int i = 0; i < info->nOrderBy; i++)
        if (info->aOrderBy[i].iColumn < 0 ||
            !order_is_possible(t, (size_t)info->aOrderBy[i].iColumn))
            return false;
    return info->nOrderBy > 0;
}

static void put_order(struct sql_table *t, sqlite3_index_info *info, struct buf *plan)
{
    for (int i = 0; i < info->nOrderBy; i++) {
        want_column(t, (size_t)info->aOrderBy[i].iColumn);
        buf_printf(plan, "%c%d ", info->aOrderBy[i].desc ? '-' : '+', info->aOrderBy[i].iColumn);
    }
    info->orderByConsumed = 1;
}

static int best_plan(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    struct vtab *v = (struct vtab *)vtab;
    struct sql_table *t = v->table;
    double all = (double)t->n_events + 1, rows = all;
    struct buf plan = {0};
    int n = 0, n_ranges = 0;

    want_used(t, info->colUsed);
    for (int i = 0; i < info->nConstraint; i++) {
        char how = comparison(t, &info->aConstraint[i], sqlite3_vtab_collation(info, i));

        if (how == 0)
            continue;
        want_column(t, (size_t)info->aConstraint[i].iColumn);
        buf_printf(&plan, "%c%d ", how, info->aConstraint[i].iColumn);
        info->aConstraintUsage[i].argvIndex = ++n;
        rows /= how == '=' ? 20 : ++n_ranges == 2 ? 300 : 3; /* from and to: a short span */
    }
    if (can_order(t, info))
        put_order(t, info, &plan);
    buf_byte(&plan, '\0');
    info->idxStr = buf_ok(&plan) ? sqlite3_mprintf("%s", (const char *)plan.p) : NULL;
    info->needToFreeIdxStr = 1;
    buf_free(&plan);
    info->estimatedRows = (sqlite3_int64)rows + 1;
    info->estimatedCost = rows + 30; /* a join makes an index */
    return info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

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

    if (text == NULL || !moment_is_shown(text) || !moment_read(text, &us))
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
    const struct sql_column *c = test->column;
    int64_t x;

    if (test->is_never || !column_has(c, row))
        return false;
    x = c->ids != NULL ? (int64_t)c->ids[row] : c->numbers[row];
    return x >= test->least && x <= test->most;
}

#define TESTS_MOST 16
#define ORDERS_MOST 16

struct plan {
    struct test tests[TESTS_MOST];
    size_t n_tests;
    struct order orders[ORDERS_MOST];
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
            if (plan->n_orders == ORDERS_MOST)
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

static void free_blocks(struct scan *scan)
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

static int start_scan(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
                      sqlite3_value **argv)
{
    struct scan *scan = (struct scan *)cursor;
    struct sql_table *t = ((struct vtab *)cursor->pVtab)->table;
    struct plan plan = {.n_tests = 0};

    (void)number;
    free_blocks(scan);
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

static int open_scan(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct scan *scan = calloc(1, sizeof(*scan));

    (void)vtab;
    if (scan == NULL)
        return SQLITE_NOMEM;
    *cursor = &scan->base;
    return SQLITE_OK;
}

static int close_scan(sqlite3_vtab_cursor *cursor)
{
    free_blocks((struct scan *)cursor);
    free(((struct scan *)cursor)->own_rows);
    free(cursor);
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
    ((struct scan *)cursor)->at++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
    struct scan *scan = (struct scan *)cursor;

    return scan->at >= scan->n;
}

static uint64_t scan_row(const struct scan *scan)
{
    return scan->rows == NULL ? scan->at : scan->rows[scan->at];
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = (sqlite3_int64)scan_row((struct scan *)cursor);
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

/* The block that has the place of the scan. NULL: memory is short. */
static const struct block *block_of(struct scan *scan, const struct sql_table *t, size_t i)
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

/* Is there a value, and which? False also when memory is short, after an error. */
static bool read_value(struct scan *scan, sqlite3_context *to, const struct sql_table *t, size_t i,
                       int64_t *value)
{
    const struct sql_column *c = &t->columns[i];
    const struct block *b;
    uint64_t row;

    if (scan->own_rows == NULL) {
        row = scan_row(scan);
        if (!column_has(c, row))
            return false;
        *value = c->ids != NULL ? (int64_t)c->ids[row] : c->numbers[row];
        return true;
    }
    b = block_of(scan, t, i);
    if (b == NULL) {
        sqlite3_result_error_nomem(to);
        return false;
    }
    *value = b->values[scan->at % BLOCK_ROWS];
    return b->has[scan->at % BLOCK_ROWS];
}

static int give_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int i)
{
    const struct vtab *v = (struct vtab *)cursor->pVtab;
    const struct sql_column *c = &v->table->columns[i];
    struct scan *scan = (struct scan *)cursor;
    const char *text;
    int64_t value;
    size_t n;

    if (c->is_recording) {
        text = v->tables->inputs[tables_input(v->table, scan_row(scan))];
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

static const sqlite3_module module = {
    .iVersion = 1,
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = best_plan,
    .xDisconnect = disconnect_table,
    .xDestroy = disconnect_table,
    .xOpen = open_scan,
    .xClose = close_scan,
    .xFilter = start_scan,
    .xNext = next_row,
    .xEof = is_at_end,
    .xColumn = give_column,
    .xRowid = row_id,
};

int vtab_register(sqlite3 *db, struct tables *tables)
{
    return sqlite3_create_module_v2(db, MODULE, &module, tables, NULL);
}

int vtab_create(sqlite3 *db, const struct sql_table *table)
{
    char *text = sqlite3_mprintf("create virtual table \"%w\" using " MODULE, table->name);
    int rc = text == NULL ? SQLITE_NOMEM : sqlite3_exec(db, text, NULL, NULL, NULL);

    sqlite3_free(text);
    return rc;
}
