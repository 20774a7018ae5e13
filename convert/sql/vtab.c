/*
 * vtab.c - the methods of a virtual table that SQLite calls before it reads rows: columns and
 * plans. scan.c has those for rows.
 *
 * A plan is a text: "=3 >7 +5 -2" compares column 3 and column 7 with arguments, and has rows in
 * the order of column 5, then of column 2 backwards.
 */
#include "convert/sql/vtab_internal.h"

#include "convert/sql/moment.h"
#include "convert/sql/order.h"

#include <stdlib.h>
#include <string.h>

#define MODULE "recording"

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

/* `used` has a bit for each column that a query reads. SQLite has 64 of them: bit 63 is for column
 * 63 and all later ones. */
static void want_used(struct sql_table *t, uint64_t used)
{
    if (!t->is_wanted)
        t->is_loaded = false;
    t->is_wanted = true;
    for (size_t i = 0; i < t->n_columns; i++)
        if ((used >> (i < 63 ? i : 63) & 1) != 0)
            want_column(t, i);
}

/* Returns the sign of a condition in a plan, or 0 if SQLite has to check it itself. */
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
    return info->nOrderBy > 0 && info->nOrderBy <= VTAB_ORDERS_MOST;
}

static void put_order(struct sql_table *t, sqlite3_index_info *info, struct buf *plan)
{
    for (int i = 0; i < info->nOrderBy; i++) {
        want_column(t, (size_t)info->aOrderBy[i].iColumn);
        buf_printf(plan, "%c%d ", info->aOrderBy[i].desc ? '-' : '+', info->aOrderBy[i].iColumn);
    }
    info->orderByConsumed = 1;
}

/* Restricts a span by a condition on the start of events, if its value is a constant of the query.
 * A value from another table is not known yet. */
static void limit_span(struct table_span *span, const struct sql_column *column, char how,
                       sqlite3_index_info *info, int i)
{
    bool is_ns = strcmp(column->name, "startTime_ns") == 0;
    sqlite3_value *value;
    const char *text;
    int64_t us;

    if ((!is_ns && strcmp(column->name, "startTime") != 0) ||
        sqlite3_vtab_rhs_value(info, i, &value) != SQLITE_OK)
        return;
    if (is_ns && column->type == PARQUET_INT64 && sqlite3_value_type(value) == SQLITE_INTEGER) {
        us = sqlite3_value_int64(value) / 1000;
    } else if (!is_ns && column->type == PARQUET_TIME && sqlite3_value_type(value) == SQLITE_TEXT) {
        text = (const char *)sqlite3_value_text(value);
        if (text == NULL || !moment_of_shown(text, &us))
            return;
    } else {
        return;
    }
    /* A microsecond more on each side, since nanoseconds were rounded. */
    if (how != '<' && us > INT64_MIN && us - 1 > span->first_us)
        span->first_us = us - 1;
    if (how != '>' && us < INT64_MAX && us + 1 < span->last_us)
        span->last_us = us + 1;
}

static int best_plan(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    struct vtab *v = (struct vtab *)vtab;
    struct sql_table *t = v->table;
    double all = (double)t->n_events + 1, rows = all;
    struct buf plan = {0};
    struct table_span span = TABLE_SPAN_ALL;
    int n = 0, n_ranges = 0;

    want_used(t, info->colUsed);
    for (int i = 0; i < info->nConstraint; i++) {
        char how = comparison(t, &info->aConstraint[i], sqlite3_vtab_collation(info, i));

        if (how == 0)
            continue;
        want_column(t, (size_t)info->aConstraint[i].iColumn);
        limit_span(&span, &t->columns[info->aConstraint[i].iColumn], how, info, i);
        buf_printf(&plan, "%c%d ", how, info->aConstraint[i].iColumn);
        info->aConstraintUsage[i].argvIndex = ++n;
        rows /= how == '=' ? 20 : ++n_ranges == 2 ? 300 : 3; /* from and to: a short span */
    }
    /* SQLite calls this several times with different conditions, and may use any of these plans. */
    tables_want_span(t, span);
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

static const sqlite3_module module = {
    .iVersion = 1,
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = best_plan,
    .xDisconnect = disconnect_table,
    .xDestroy = disconnect_table,
    .xOpen = scan_open,
    .xClose = scan_close,
    .xFilter = scan_start,
    .xNext = scan_next,
    .xEof = scan_is_at_end,
    .xColumn = scan_column,
    .xRowid = scan_row_id,
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
