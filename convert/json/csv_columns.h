/*
 * csv_columns.h - events as lines of CSV (RFC 4180): one column per path of fields, the same for
 * all types.
 *
 *     struct csv_columns columns = {0};
 *     csv_columns_add(&columns, "event,startTime,path,bytesRead");  or csv_columns_find(...)
 *     struct json_options opt = json_options_default("csv");
 *     opt.csv = &columns;                                    then as json.h
 *     csv_put_header(&columns, &out->b);                     before json_begin()
 *
 * The column "event" is the name of the event's type. Spans are whole ns. A thread is its name, a
 * class its name, a stack its frames, root first, joined by ';' - a path leads to their parts, too
 * (eventThread.javaThreadId). Other structures and arrays are JSON. What an event does not have is
 * an empty cell.
 */
#ifndef CONVERT_JSON_CSV_COLUMNS_H
#define CONVERT_JSON_CSV_COLUMNS_H

#include "convert/text/out.h"
#include "convert/select/select.h"
#include "jfrfmt/base/intern.h"

struct csv_columns {
    struct intern paths; /* in order */
    struct buf dotted; /* of uint32_t: numbers of the paths with a dot */
    bool is_guarded; /* see textw_cell() */
};

/* Adds the paths of a comma list that are not there yet. False if out of memory. */
bool csv_columns_add(struct csv_columns *c, const char *list);

/* Adds "event" and all fields of all types that have events which `select` may want. Reads the
 * inputs, which must be plain files; what is damaged is left out. 0; negative and *err. */
int csv_columns_find(struct csv_columns *c, struct select *select, const char *const *paths,
                     size_t n_paths, struct jfr_error *err, const char **err_path);

void csv_columns_free(struct csv_columns *c);

/* The line of names. */
void csv_put_header(const struct csv_columns *c, struct buf *b);

#endif
