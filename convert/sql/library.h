/*
 * library.h - SQLite, loaded when it is first needed.
 *
 * Programs that do not ask in SQL neither load nor need it: nothing links libsqlite3. A file of
 * this folder that calls SQLite includes this header, which turns each call into one through
 * SQLite's table of functions, as an extension of SQLite does it.
 */
#ifndef CONVERT_SQL_LIBRARY_H
#define CONVERT_SQL_LIBRARY_H

#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3ext.h>

extern const sqlite3_api_routines *sqlite3_api;

#define LIBRARY_LEAST 3038000 /* sqlite3_vtab_distinct() */

/* Opens an empty database in memory. NULL and *err when there is no SQLite, or it is too old. */
sqlite3 *library_open(struct jfr_error *err);

#endif
