/* vtab_internal.h - what vtab.c, which plans, and scan.c, which reads, share. */
#ifndef CONVERT_SQL_VTAB_INTERNAL_H
#define CONVERT_SQL_VTAB_INTERNAL_H

#include "convert/sql/span_index.h"
#include "convert/sql/vtab.h"

struct vtab {
    sqlite3_vtab base;
    struct tables *tables;
    struct sql_table *table;
    struct span_indexes indexes;
};

#define VTAB_ORDERS_MOST 16 /* columns of a plan that order rows */

/* Parts of SQLite's interface for virtual tables; a cursor is a scan of rows. The text is a plan of
 * vtab.c. */
int scan_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor);
int scan_close(sqlite3_vtab_cursor *cursor);
int scan_start(sqlite3_vtab_cursor *cursor, int number, const char *plan, int argc,
               sqlite3_value **argv);
int scan_next(sqlite3_vtab_cursor *cursor);
int scan_is_at_end(sqlite3_vtab_cursor *cursor);
int scan_row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id);
int scan_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int i);

#endif
