/*
 * json.h - events as JSON, in four layouts.
 *
 *     struct json_options o = json_options_default("ndjson");
 *     struct json *j = json_new(&o, select, &err);
 *     struct run_job job = json_job(j);
 *     json_look_ahead(j, paths, n_paths, jobs, &err);
 *     json_begin(j, &out); run_all(..., &job, &out, ...); json_end(j, &out, &err);
 *     json_free(j);
 *
 * The layouts; VALUES stands for an object with the event's fields in the order of the metadata:
 *
 *   jdk         what `jfr print --json` prints: {"recording": {"events": [{"type": NAME,
 *               "values": VALUES}, ...]}}, byte for byte
 *   ndjson      a line for every event: {"type":NAME,"values":VALUES}
 *   columns     an object with a member for every event type: its number of events, and an array
 *               of values for every field: {NAME:{"n":2,"values":{FIELD:[A,B],...}},...}
 *   xml         what `jfr print --xml` prints
 *   stacktable  {"events":[{"type":NAME,"values":VALUES},...],"stacks":{ID:STACK,...}}: where a
 *               stack trace would stand, VALUES has its ID, a string of 16 hexadecimal digits that
 *               depends on nothing but the trace's text
 *
 * Events stand in the order of their ends, chunk by chunk; those whose type is not declared are
 * left out. Memory: jdk and ndjson need what a chunk's pools and the list of its events need;
 * stacktable keeps every different stack's text until the end, columns the whole output.
 *
 * Threads: json_job() gives every worker its own state.
 */
#ifndef CONVERT_JSON_JSON_H
#define CONVERT_JSON_JSON_H

#include "convert/json/shape.h"
#include "convert/driver/run.h"
#include "convert/json/clock.h"
#include "convert/select/select.h"

struct json_layout;
struct json;
struct csv_columns;

struct json_options {
    const struct json_layout *layout;
    struct json_style style;
    enum json_anchor anchor;
    struct select_list fields; /* paths to keep, comma lists; none: all */
    uint64_t head; /* events to print at most */
    uint64_t sample; /* prints one event of so many, the first one first; 1: all */
    bool with_context; /* a member "context" for each event; the select has all_keys. jdk, ndjson */
    bool has_samples; /* layout trace: events that neither last nor count, but have a stack */
    const struct csv_columns *csv; /* of the layout csv; borrowed */
};

/* The defaults of a layout, by name; .layout is NULL when there is none. Values follow the JDK 25
 * tool in jdk, our own rules in the others. */
struct json_options json_options_default(const char *layout);
struct json_options json_options_of(const struct json_layout *layout);

/* Sets values and clock as a tool has them: "25", "17", "own". False: no such tool. */
bool json_options_compat(struct json_options *opt, const char *compat);

/* "first", "metadata", "chunk". */
bool json_options_anchor(struct json_options *opt, const char *anchor);

/* NULL and *err if out of memory. `select` must outlive the result. */
struct json *json_new(const struct json_options *opt, struct select *select, struct jfr_error *err);
void json_free(struct json *j); /* NULL is allowed */

/* Which of several constants with one key the values follow. */
enum jfr_pool_rule json_pool_rule(const struct json *j);

/* Reads the clocks of the chunks beforehand where several threads need them, and answers how many
 * threads may be used: `jobs` (0: as many as run_all() likes), or 1. */
unsigned json_look_ahead(struct json *j, const char *const *paths, size_t n_paths, unsigned jobs);

struct run_job json_job(struct json *j); /* its shared is j */

/* What stands before the first chunk and after the last one. 0 or negative. */
int json_begin(struct json *j, struct out *out);
int json_end(struct json *j, struct out *out);

/* The columns of its options. */
const struct csv_columns *json_columns_of(const struct json *j);

/* Number of events printed. */
uint64_t json_n_events(const struct json *j);

/* Number of events whose type no chunk of theirs declares: they cannot be printed. */
uint64_t json_n_undeclared(const struct json *j);

/* A path of .fields that no event type of any chunk had, or NULL. */
const char *json_unknown_field(const struct json *j);

/* Looks for the fields that were named, in as many chunks as it takes, before anything is written.
 * The first that no event type of the inputs has; NULL: there is none, or the inputs cannot be read
 * twice. */
const char *json_find_fields(struct json *j, const char *const *paths, size_t n_paths);

#endif
