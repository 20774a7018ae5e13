/*
 * vtab.h - the tables of a recording as virtual tables of SQLite.
 *
 *     vtab_register(db, &tables)
 *     vtab_create(db, table)                                for each table
 *
 * While a statement is prepared its columns are marked as wanted, and tables that then have too
 * little are marked as not loaded. They are to be loaded before the first step.
 *
 * What goes down into a table: conditions that compare a column with a value, and the order of
 * rows. SQLite tests conditions again, so it is enough that no row is left out that meets them. It
 * trusts the order: GROUP BY then sums up groups as they come, without sorting. A table emits them
 * in the true order of their values, since SQLite drops an ORDER BY that agrees with it.
 *
 * Types: times are texts (moment.h); ids of stacks are blobs; truths 0 and 1; an unsigned number
 * beyond 2^63 is REAL. Threads: as the database.
 */
#ifndef CONVERT_SQL_VTAB_H
#define CONVERT_SQL_VTAB_H

#include "convert/sql/library.h"
#include "convert/sql/tables.h"

/* The type of a column in SQL. */
const char *vtab_type(enum parquet_type type);

/* SQLite's result codes. The tables are borrowed until the database is closed. */
int vtab_register(sqlite3 *db, struct tables *tables);
int vtab_create(sqlite3 *db, const struct sql_table *table);

#endif
