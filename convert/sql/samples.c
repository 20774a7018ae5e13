/* samples.c - the view `samples`, a union of the tables whose events are samples of a kind. */
#include "convert/sql/samples.h"

#include <string.h>

static const char *const columns[] = {"startTime", "startTime_ns", "thread", "state", "top_frame"};

static void put_sample_column(const struct sql_table *t, struct buf *b, const char *name)
{
    buf_str(b, ", ");
    if (tables_column(t, name) == TABLE_NO_COLUMN)
        buf_str(b, "null");
    else
        tables_put_name(b, name);
    buf_str(b, " as ");
    tables_put_name(b, name);
}

static void put_weight(const struct sql_table *t, struct buf *b)
{
    bool is_time = t->kind == KIND_LOCK || t->kind == KIND_IO;

    buf_str(b, ", ");
    if (is_time && tables_column(t, "duration") != TABLE_NO_COLUMN)
        buf_str(b, "duration");
    else if (!is_time && t->weight_field != NULL)
        tables_put_name(b, t->weight_field);
    else
        buf_str(b, "1");
    buf_str(b, " as weight");
}

/* Every table has the attributes of all contexts. */
static void put_context_columns(const struct sql_table *t, struct buf *b)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (strncmp(t->columns[i].name, CONTEXTS_NAME ".", sizeof(CONTEXTS_NAME)) == 0)
            put_sample_column(t, b, t->columns[i].name);
}

void samples_put_view(const struct tables *t, struct buf *b)
{
    bool is_first = true;

    for (size_t i = 0; i < t->n; i++) {
        const struct sql_table *table = t->items[i];

        if (table->kind < 0 || table->n_events == 0)
            continue;
        buf_printf(b, "%sselect '%s' as kind, '%s' as event",
                   is_first ? "create temp view samples as " : " union all ",
                   kind_name((enum kind)table->kind), table->event);
        put_weight(table, b);
        for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
            put_sample_column(table, b, columns[k]);
        put_context_columns(table, b);
        buf_str(b, " from ");
        tables_put_name(b, table->name);
        is_first = false;
    }
}
