/*
 * sql.c - a database of recordings: opens it, restricts it to reading, prepares and steps queries.
 *
 * tables.c has the values, vtab.c and scan.c give them to SQLite. The authorizer allow() refuses
 * whatever writes or opens files; look_at_clock() ends a query at its deadline or when the user
 * interrupts.
 */
#include "convert/sql/sql.h"

#include "convert/sql/functions.h"
#include "convert/sql/rewrite.h"
#include "convert/sql/samples.h"
#include "convert/sql/vtab.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/now.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define OPS_BETWEEN_LOOKS 10000 /* of SQLite's machine, at the time */

struct sql {
    sqlite3 *db;
    sqlite3_stmt **queries;
    size_t n_queries, at; /* at: the one that is asked; n_queries: none is left */
    struct tables tables;
    struct sql_options options;
    bool is_open; /* tables are made */
    struct jfr_error load_err; /* why load_chunk() ended the run */
    int64_t deadline_ns; /* of the query; 0: none */
    bool is_late;
    volatile sig_atomic_t is_interrupted;
};

static int report_refused(struct jfr_error *err)
{
    return jfr_fail(err, JFR_E_UNSUPPORTED, 0, "only queries: select, with, values, explain");
}

static int report_sql_error(struct sql *s, struct jfr_error *err)
{
    int code = sqlite3_errcode(s->db);

    if (s->is_interrupted)
        return jfr_fail(err, JFR_E_LIMIT, 0, "interrupted");
    if (s->is_late)
        return jfr_fail(err, JFR_E_LIMIT, 0, "the query took longer than %g s",
                        s->options.timeout_s);
    if (code == SQLITE_NOMEM)
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    if (code == SQLITE_AUTH)
        return report_refused(err);
    return jfr_fail(err, JFR_E_FORMAT, 0, "%s", sqlite3_errmsg(s->db));
}

/* --- what is allowed --- */

static int allow(void *ctx, int action, const char *first, const char *second, const char *third,
                 const char *fourth)
{
    (void)ctx, (void)first, (void)third, (void)fourth;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcasecmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

static int look_at_clock(void *ctx)
{
    struct sql *s = ctx;

    s->is_late = s->deadline_ns > 0 && now_ns(CLOCK_MONOTONIC) > s->deadline_ns;
    return s->is_late || s->is_interrupted;
}

static bool restrict_database(struct sql *s)
{
    sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
    if (s->options.max_bytes > 0)
        sqlite3_hard_heap_limit64((sqlite3_int64)s->options.max_bytes);
    sqlite3_progress_handler(s->db, OPS_BETWEEN_LOOKS, look_at_clock, s);
    return sqlite3_exec(s->db, "pragma temp_store = memory", NULL, NULL, NULL) == SQLITE_OK;
}

/* --- opening --- */

struct sql *sql_new(const struct sql_options *options, struct jfr_error *err)
{
    struct sql *s = calloc(1, sizeof(*s));

    if (s == NULL || !tables_init(&s->tables, options->select, options->paths)) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        free(s);
        return NULL;
    }
    s->options = *options;
    s->tables.max_bytes = options->max_bytes;
    s->db = library_open(err);
    if (s->db == NULL) {
        sql_free(s);
        return NULL;
    }
    if (!restrict_database(s) || functions_register(s->db) != SQLITE_OK ||
        vtab_register(s->db, &s->tables) != SQLITE_OK) {
        report_sql_error(s, err);
        sql_free(s);
        return NULL;
    }
    return s;
}

void sql_free(struct sql *s)
{
    if (s == NULL)
        return;
    sql_finish(s);
    if (s->db != NULL)
        sqlite3_close_v2(s->db);
    tables_free(&s->tables);
    free(s);
}

static int note_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct sql *s = worker;

    (void)out;
    return tables_note(&s->tables, rc);
}

static int load_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct sql *s = worker;
    int code = tables_load(&s->tables, rc);

    (void)out;
    if (code == JFR_E_LIMIT)
        jfr_fail(
            &s->load_err, code, 0,
            "the query needs more memory than %zu MB (--max-memory): name fewer columns, a time (where startTime > ...), or "
            "filter events with -e, --from, --where",
            s->options.max_bytes >> 20);
    return code;
}

struct run_job sql_schema_job(struct sql *s)
{
    return (struct run_job){.shared = s, .chunk = note_chunk};
}

struct run_job sql_rows_job(struct sql *s)
{
    s->load_err = (struct jfr_error){0};
    tables_begin(&s->tables);
    return (struct run_job){.shared = s, .chunk = load_chunk, .err = &s->load_err};
}

static bool create_samples(struct sql *s)
{
    struct buf b = {0};
    bool ok;

    samples_put_view(&s->tables, &b);
    buf_byte(&b, '\0');
    ok = buf_ok(&b) && sqlite3_exec(s->db, (const char *)b.p, NULL, NULL, NULL) == SQLITE_OK;
    buf_free(&b);
    return ok;
}

int sql_open(struct sql *s, struct jfr_error *err)
{
    if (s->is_open)
        return 0;
    s->is_open = true;
    if (!tables_add_hidden(&s->tables))
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    if (sqlite3_exec(s->db, "begin", NULL, NULL, NULL) != SQLITE_OK)
        return report_sql_error(s, err);
    for (size_t i = 0; i < s->tables.n; i++)
        if (vtab_create(s->db, s->tables.items[i]) != SQLITE_OK)
            return report_sql_error(s, err);
    if (!create_samples(s))
        return report_sql_error(s, err);
    if (sqlite3_exec(s->db, "commit", NULL, NULL, NULL) != SQLITE_OK)
        return report_sql_error(s, err);
    sqlite3_set_authorizer(s->db, allow, s);
    return 0;
}

/* --- tables --- */

size_t sql_n_tables(const struct sql *s)
{
    return s->tables.n;
}

const char *sql_table(const struct sql *s, size_t i)
{
    return s->tables.items[i]->name;
}

uint64_t sql_table_rows(const struct sql *s, size_t i)
{
    const struct sql_table *t = s->tables.items[i];

    return t->is_loaded && table_span_is_all(t->loaded) ? t->n_rows : t->n_events;
}

const char *sql_limited_table(const struct sql *s)
{
    for (size_t i = 0; i < s->tables.n; i++)
        if (s->tables.items[i]->is_limited)
            return s->tables.items[i]->name;
    return NULL;
}

const char *sql_table_column(const struct sql *s, size_t i, size_t k, bool *is_hidden,
                             const char **type)
{
    const struct sql_table *t = s->tables.items[i];

    if (k >= t->n_columns)
        return NULL;
    *is_hidden = t->columns[k].is_hidden;
    *type = vtab_type(t->columns[k].type);
    return t->columns[k].name;
}

/* --- queries --- */

static bool is_column(void *ctx, const char *name)
{
    const struct tables *t = ctx;

    for (size_t i = 0; i < t->n; i++)
        if (tables_column(t->items[i], name) != TABLE_NO_COLUMN)
            return true;
    return false;
}

static const char *skip_to_query(const char *p)
{
    return p + strspn(p, " \t\r\n;");
}

static int prepare_all(struct sql *s, const char *text, struct jfr_error *err)
{
    while (*(text = skip_to_query(text)) != '\0') {
        if (!array_add(&s->queries, s->n_queries, sizeof(sqlite3_stmt *)))
            return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        if (sqlite3_prepare_v2(s->db, text, -1, &s->queries[s->n_queries], &text) != SQLITE_OK)
            return report_sql_error(s, err);
        if (s->queries[s->n_queries] == NULL) /* a comment */
            continue;
        if (sqlite3_stmt_readonly(s->queries[s->n_queries++]) == 0)
            return report_refused(err);
    }
    return s->n_queries > 0 ? 0 : jfr_fail(err, JFR_E_FORMAT, 0, "the query is empty");
}

int sql_prepare(struct sql *s, const char *query, struct jfr_error *err)
{
    struct buf text = {0};
    int rc;

    sql_finish(s);
    s->is_late = false;
    s->is_interrupted = 0;
    s->deadline_ns = 0;
    tables_want_nothing(&s->tables);
    rewrite_query(query, strlen(query), is_column, &s->tables, &text);
    buf_byte(&text, '\0');
    rc = buf_ok(&text) ? prepare_all(s, (const char *)text.p, err)
                       : jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    buf_free(&text);
    return rc;
}

void sql_count_rows(struct sql *s)
{
    for (size_t i = 0; i < s->tables.n; i++) {
        s->tables.items[i]->is_wanted = true;
        tables_want_span(s->tables.items[i], TABLE_SPAN_ALL);
    }
}

bool sql_needs_rows(struct sql *s)
{
    for (size_t i = 0; i < s->tables.n; i++)
        if (s->tables.items[i]->is_wanted && !s->tables.items[i]->is_loaded)
            return true;
    return false;
}

int sql_ready(struct sql *s, struct jfr_error *err)
{
    return tables_seal(&s->tables) ? 0 : jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
}

int sql_step(struct sql *s, struct jfr_error *err)
{
    int rc;

    if (s->deadline_ns == 0 && s->options.timeout_s > 0)
        s->deadline_ns = now_ns(CLOCK_MONOTONIC) + (int64_t)(s->options.timeout_s * 1e9);
    rc = sqlite3_step(s->queries[s->at]);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : report_sql_error(s, err);
}

size_t sql_n_columns(const struct sql *s)
{
    return (size_t)sqlite3_column_count(s->queries[s->at]);
}

const char *sql_column_name(const struct sql *s, size_t i)
{
    return sqlite3_column_name(s->queries[s->at], (int)i);
}

struct sql_value sql_column(const struct sql *s, size_t i)
{
    sqlite3_stmt *query = s->queries[s->at];
    int column = (int)i;

    switch (sqlite3_column_type(query, column)) {
    case SQLITE_INTEGER:
        return (struct sql_value){SQL_INTEGER, .i = sqlite3_column_int64(query, column)};
    case SQLITE_FLOAT:
        return (struct sql_value){SQL_REAL, .d = sqlite3_column_double(query, column)};
    case SQLITE_TEXT:
        return (struct sql_value){SQL_TEXT, .p = (const char *)sqlite3_column_text(query, column),
                                  .n = (size_t)sqlite3_column_bytes(query, column)};
    case SQLITE_BLOB:
        return (struct sql_value){SQL_BLOB, .p = sqlite3_column_blob(query, column),
                                  .n = (size_t)sqlite3_column_bytes(query, column)};
    default:
        return (struct sql_value){SQL_NULL};
    }
}

void sql_interrupt(struct sql *s)
{
    s->is_interrupted = 1;
}

bool sql_is_interrupted(const struct sql *s)
{
    return s->is_interrupted != 0;
}

bool sql_is_whole(const char *text)
{
    return sqlite3_complete(text) != 0;
}

bool sql_next_query(struct sql *s)
{
    s->at++;
    s->deadline_ns = 0;
    return s->at < s->n_queries;
}

void sql_finish(struct sql *s)
{
    for (size_t i = 0; i < s->n_queries; i++)
        sqlite3_finalize(s->queries[i]);
    free(s->queries);
    s->queries = NULL;
    s->n_queries = s->at = 0;
}
