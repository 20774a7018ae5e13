/*
 * library.c - loads SQLite and takes its table of functions.
 *
 * SQLite hands the table to extensions: one that is registered for all databases is called when the
 * first is opened. That is the only way to the table, and it is part of SQLite's interface.
 */
#include "convert/sql/library.h"

#include <dlfcn.h>

const sqlite3_api_routines *sqlite3_api;

static int take_table(sqlite3 *db, const char **message, const sqlite3_api_routines *table)
{
    (void)db, (void)message;
    sqlite3_api = table;
    return 0;
}

/* Functions by name, with the types that sqlite3.h gives them. */
struct entry {
    int (*auto_extension)(void (*)(void));
    int (*open_v2)(const char *, sqlite3 **, int, const char *);
    int (*version)(void);
};

static bool find_function(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

static bool find_functions(void *library, struct entry *entry)
{
    return find_function(library, "sqlite3_auto_extension", &entry->auto_extension) &&
           find_function(library, "sqlite3_open_v2", &entry->open_v2) &&
           find_function(library, "sqlite3_libversion_number", &entry->version);
}

sqlite3 *library_open(struct jfr_error *err)
{
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    struct entry entry;
    sqlite3 *db = NULL;

    if (library == NULL) {
        jfr_fail(err, JFR_E_UNSUPPORTED, 0,
                 "needs SQLite: libsqlite3.so.0, of Debian's libsqlite3-0");
        return NULL;
    }
    if (!find_functions(library, &entry) || entry.version() < LIBRARY_LEAST) {
        jfr_fail(err, JFR_E_UNSUPPORTED, 0, "needs SQLite 3.38 or later");
        return NULL;
    }
    entry.auto_extension((void (*)(void))take_table);
    if (entry.open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
            SQLITE_OK ||
        sqlite3_api == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "SQLite opens no database");
        return NULL;
    }
    return db;
}
