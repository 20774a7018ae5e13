/* library.c - SQLite for the static program, in which it is linked. See convert/sql/library.c. */
#include "convert/sql/library.h"

/* What the headers of extensions turn into calls through the table. */
#undef sqlite3_auto_extension
#undef sqlite3_open_v2

const sqlite3_api_routines *sqlite3_api;

static int take_table(sqlite3 *db, const char **message, const sqlite3_api_routines *table)
{
    (void)db, (void)message;
    sqlite3_api = table;
    return 0;
}

sqlite3 *library_open(struct jfr_error *err)
{
    sqlite3 *db = NULL;

    sqlite3_auto_extension((void (*)(void))take_table);
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
            SQLITE_OK ||
        sqlite3_api == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "SQLite opens no database");
        return NULL;
    }
    return db;
}
