/*
 * columns.h - events as Parquet files: a table for each event type, and tables of stacks and
 * frames.
 *
 *     struct json_options o = columns_json_options();
 *     struct json *j = json_new(&o, select, &err);
 *     columns_open(j, &options);
 *     run_all() with json_job(j), on one thread
 *     rc = columns_close(j, &err)  or  columns_abort(j)
 *     json_free(j);
 *
 * It is a layout of convert/json, which chooses and orders the events. Each recording gives files
 * of its own, whose names depend on the recording alone: FOLDER/TYPE/PARTITION/NAME-ID.parquet,
 * where NAME is that of the recording and ID tells recordings of one name apart. So the same
 * recording gives the same files again. Each appears whole or not at all; those of a recording
 * appear when its last chunk was read. Or one file holds the events of a single type, with their
 * stacks.
 *
 * Columns are those of fill.h and stacks.h. `context` is a structure with the attributes of the
 * event's context, where the select has all_keys.
 *
 * Memory: COLUMNS_HELD bytes for rows of all tables; row groups are written when there are more,
 * the largest first, or when they have COLUMNS_ROWS rows. Threads: one.
 */
#ifndef CONVERT_COLUMNS_COLUMNS_H
#define CONVERT_COLUMNS_COLUMNS_H

#include "convert/columns/options.h"
#include "convert/json/json.h"

#define COLUMNS_HELD ((size_t)64 << 20)
#define COLUMNS_ROWS ((uint64_t)1 << 20)
#define COLUMNS_VERSION "1" /* of the schema, in the metadata of each file */

struct json_options columns_json_options(void);

/* The options are borrowed until the end. */
void columns_open(struct json *j, const struct columns_options *options);

/* Writes what is left. 0, or negative and *err. */
int columns_close(struct json *j, struct jfr_error *err);

/* Removes files that are not complete. Those of recordings that were read to their end stay. */
void columns_abort(struct json *j);

/* For the job's `err`: filled in where the tables made the run fail. */
const struct jfr_error *columns_error(const struct json *j);

/* Files written. */
uint64_t columns_n_files(const struct json *j);

#endif
