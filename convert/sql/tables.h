/*
 * tables.h - a recording as tables: one for each event type, with the columns of columns.md.
 *
 *     tables_note(&t, chunk) for each, tables_add_hidden(&t)    which tables and columns there are
 *     t.items[i]->is_wanted = t.items[i]->columns[k].is_wanted = true;      what a query reads
 *     tables_begin(&t), tables_load(&t, chunk) for each, tables_seal(&t)    the values
 *     column_has(c, row) ? c->numbers[row], or parquet_text(c->leaf, c->ids[row], &n) : null
 *
 * Data flows one way: metadata -> columns -> wanted columns -> arrays of values, one for each
 * column, in the order of the events in the file. The columns and their values are those that
 * convert/columns puts into Parquet files; arrays are texts of JSON. Texts are numbers of a
 * dictionary. The wanted columns of a table are read together, so that they have the same rows even
 * if the recording grows between two queries. If all queries name the time of what they want of a
 * table, only events of that time are kept, and chunks that ended before it are not read.
 *
 * Threads: one. Memory: 1 byte, and 4 for a text or 8 for a number, for each row and wanted column.
 * Errors: lack of memory is `failed`.
 */
#ifndef CONVERT_SQL_TABLES_H
#define CONVERT_SQL_TABLES_H

#include "convert/columns/contexts.h"
#include "convert/columns/stacks.h"
#include "convert/driver/run.h"
#include "convert/json/clock.h"
#include "convert/select/kind.h"
#include "convert/select/select.h"
#include "jfrfmt/base/intern.h"

#define TABLE_NO_COLUMN SIZE_MAX
#define TABLE_COLUMNS 1900 /* SQLite takes 2000 */

struct sql_column {
    char *name; /* "eventThread.javaName" */
    enum parquet_type type;
    bool is_hidden; /* not in `select *` */
    bool is_wanted;
    /* Columns whose values it has, the first one's that is not null; none: a field's. */
    size_t shows[2];
    size_t n_shows;
    bool is_recording; /* the name of the input */
    /* its values, after tables_seal() */
    struct parquet_node *leaf; /* NULL: all are null */
    const uint8_t *def; /* leaf->def where there is one */
    const uint32_t *ids; /* of texts, */
    const int64_t *numbers; /* or numbers; bits of a FLOAT or DOUBLE */
    void *own_values, *own_def;
    uint32_t *ranks; /* by id: its place among all in the order of bytes; tables_ranks() */
};

/* Moments in us since 1970, both included; none if first_us is greater. */
struct table_span {
    int64_t first_us, last_us;
};

struct sql_table {
    char *event; /* "jdk.FileRead" */
    char *name; /* "jdk_FileRead" */
    struct sql_column *columns;
    size_t n_columns;
    uint64_t n_events; /* of the type, as tables_note() counted */
    int kind; /* enum kind that its events are samples of; -1: none */
    char *weight_field; /* bytes, or a number of samples; NULL: none */
    struct parquet *data; /* NULL: not loaded */
    uint64_t n_rows;
    struct buf starts; /* of struct table_start: which rows are of which input */
    uint64_t generation; /* other values have another */
    bool is_limited; /* it has more fields than TABLE_COLUMNS */
    bool is_wanted; /* a query reads it */
    bool is_loaded; /* all that is wanted */
    struct table_span wanted, loaded; /* rows that queries may need have their startTime there */
    /* of the loaded chunk */
    uint64_t chunk;
    bool wants_values, wants_context;
    struct fill fill;
    struct fill_choice choice;
    struct contexts contexts;
};

struct table_start {
    uint64_t row;
    uint32_t input;
};

struct tables {
    struct sql_table **items;
    size_t n;
    const char *const *inputs; /* their names */
    size_t max_bytes; /* 0: no limit; beyond it is_full */
    bool is_full, failed;
    /* private */
    struct intern names; /* of event types, in the order of items */
    struct intern seen; /* hashes of metadata that is known */
    struct intern attributes; /* of contexts, of any chunk */
    struct json_style style;
    struct json_values values;
    struct json_clocks clocks;
    struct stacks *stacks;
    struct fill_stacks stack_rule;
    struct select_run *run;
    uint64_t n_chunks;
    size_t n_bytes;
};

/* `inputs` are borrowed. False: memory is exhausted. */
bool tables_init(struct tables *t, struct select *select, const char *const *inputs);
void tables_free(struct tables *t);

/* Notes the types of a chunk with their fields and counts their events. 0 or JFR_E_NOMEM. */
int tables_note(struct tables *t, const struct run_chunk *rc);

/* Adds the columns that are there beside fields, after the last tables_note(): the attributes of
 * contexts, and hidden ones: recording, thread, top_frame, stack_id and stack. */
bool tables_add_hidden(struct tables *t);

/* Nothing is wanted of any table. */
void tables_want_nothing(struct tables *t);

/* Rows of the span are wanted, beside those that are. */
void tables_want_span(struct sql_table *t, struct table_span span);

#define TABLE_SPAN_ALL ((struct table_span){INT64_MIN, INT64_MAX})

static inline bool table_span_is_all(struct table_span span)
{
    return span.first_us == INT64_MIN && span.last_us == INT64_MAX;
}

/* Forgets the values of tables in which more is wanted now than was loaded, and what a run left
 * that did not come to its end. */
void tables_begin(struct tables *t);

/* Loads the wanted columns of these tables from a chunk. 0, JFR_E_NOMEM, or JFR_E_LIMIT. */
int tables_load(struct tables *t, const struct run_chunk *rc);

/* Makes what was loaded readable. False: memory is exhausted. */
bool tables_seal(struct tables *t);

struct sql_table *tables_find(const struct tables *t,
                              const char *name); /* as SQL has it, or NULL */
size_t tables_column(const struct sql_table *t, const char *name); /* or TABLE_NO_COLUMN */

/* Appends a name in the quotes of SQL. */
void tables_put_name(struct buf *b, const char *name);

/* Does the column have a value in this row, or is it null? */
static inline bool column_has(const struct sql_column *c, uint64_t row)
{
    return c->leaf != NULL && c->def[row] == c->leaf->def;
}

/* A value that is there: the number of its text, or the number. */
static inline int64_t column_number(const struct sql_column *c, uint64_t row)
{
    return c->ids != NULL ? (int64_t)c->ids[row] : c->numbers[row];
}

/* The input that a row is of. */
uint32_t tables_input(const struct sql_table *t, uint64_t row);

/* The place of each text of a column in the order of their bytes. NULL: memory is exhausted, or it
 * has no texts. */
const uint32_t *tables_ranks(struct sql_column *column);

#endif
