/*
 * sql.h - questions to recordings in SQL.
 *
 *     struct sql *s = sql_new(&options, &err);
 *     run_all() with sql_schema_job(s);  sql_open(s, &err)  which tables there are
 *     sql_prepare(s, "select ...", &err)
 *     if (sql_needs_rows(s)) { run_all() with sql_rows_job(s); sql_ready(s, &err) }
 *     while ((rc = sql_step(s, &err)) > 0)
 *         ... sql_column(s, i) ...
 *     sql_finish(s);  sql_free(s);
 *
 * A recording is read once for its types and once for each query that needs columns which are not
 * in memory yet. What is asked is read into arrays (tables.h), and SQLite reads these (vtab.h); see
 * there what goes down. Queries only read: everything else is refused, no file is opened, and
 * nothing is written but memory.
 *
 * Threads: one. Errors: negative codes and *err; a query that SQLite refuses is JFR_E_FORMAT with
 * SQLite's message.
 */
#ifndef CONVERT_SQL_SQL_H
#define CONVERT_SQL_SQL_H

#include "convert/driver/run.h"
#include "convert/select/select.h"

struct sql;

struct sql_options { /* borrowed until sql_free() */
    struct select *select; /* has all_keys */
    const char *const *paths; /* of the inputs, for the column `recording` */
    size_t max_bytes; /* of memory for values, and the same again for SQLite; 0: no limit */
    double timeout_s; /* of a query's steps; 0: none */
};

enum sql_kind {
    SQL_NULL,
    SQL_INTEGER,
    SQL_REAL,
    SQL_TEXT,
    SQL_BLOB,
};

struct sql_value {
    enum sql_kind kind;
    int64_t i;
    double d;
    const char *p; /* n bytes, until the next step */
    size_t n;
};

/* NULL and *err: memory is exhausted, or there is no SQLite. */
struct sql *sql_new(const struct sql_options *options, struct jfr_error *err);
void sql_free(struct sql *s); /* NULL is allowed */

/* Both have s as `shared`, and one thread. The second reads what is wanted when it is made. */
struct run_job sql_schema_job(struct sql *s);
struct run_job sql_rows_job(struct sql *s);

/* Makes the tables, after the first job; nothing if they are made. 0 or negative. */
int sql_open(struct sql *s, struct jfr_error *err);

/* The tables, in the order of the recording, and their columns without the hidden ones. */
size_t sql_n_tables(const struct sql *s);
const char *sql_table(const struct sql *s, size_t i);
/* Rows of those that were read; of others events, whether they are selected or not. */
uint64_t sql_table_rows(const struct sql *s, size_t i);
/* A table that has fewer columns than fields, since there are too many; NULL: there is none. */
const char *sql_limited_table(const struct sql *s);
const char *sql_table_column(const struct sql *s, size_t i, size_t k, bool *is_hidden,
                             const char **type); /* NULL: there are no more */

/* Reads queries, with semicolons between them; the first is asked first. 0 or negative. */
int sql_prepare(struct sql *s, const char *query, struct jfr_error *err);

/* In place of a query: wants the rows of all tables, without columns. */
void sql_count_rows(struct sql *s);

/* Are columns wanted that are not in memory? */
bool sql_needs_rows(struct sql *s);

/* After the second job, if it came to its end: what it read can be asked. */
int sql_ready(struct sql *s, struct jfr_error *err);

/* The next row of the query that is asked: 1; 0 at the end; or negative. */
int sql_step(struct sql *s, struct jfr_error *err);

size_t sql_n_columns(const struct sql *s);
const char *sql_column_name(const struct sql *s, size_t i);
struct sql_value sql_column(const struct sql *s, size_t i);

/* Ends the query that is asked, with an error; until the next sql_prepare(). The first is
 * async-signal-safe. */
void sql_interrupt(struct sql *s);
bool sql_is_interrupted(const struct sql *s);

/* Does the text end with a whole query and a semicolon? */
bool sql_is_whole(const char *text);

/* Continues with the next query. False: there is none. */
bool sql_next_query(struct sql *s);

void sql_finish(struct sql *s); /* of the queries */

#endif
