/*
 * markers.h - events that last, gathered thread by thread: what Firefox's profiler shows as
 * markers.
 *
 *     struct json_options opt = json_options_default("markers");
 *     struct json *j = json_new(&opt, select, &err);
 *     run json_job(j) ...                                    it writes nothing
 *     const struct markers *m = json_markers(j);
 *     for (size_t i = 0; i < markers_n(m); i++) ... markers_get(m, i) ...
 *
 * Ownership: all of it is the json's. Threads: one at a time, after the run.
 */
#ifndef CONVERT_JSON_MARKERS_H
#define CONVERT_JSON_MARKERS_H

#include "convert/json/json.h"
#include "convert/json/shape.h"

struct markers;

struct marker {
    const char *thread; /* name; "" for none */
    uint32_t type; /* number of its type */
    int64_t start_ns, end_ns; /* since 1970 */
    struct json_text data; /* an object */
};

const struct markers *json_markers(const struct json *j);

/* Sorts by thread, then start. To be called once, before the others. */
void markers_finish(const struct markers *m);

size_t markers_n(const struct markers *m);
struct marker markers_get(const struct markers *m, size_t i);

/* Types: their names, and the marker schema, a JSON object. */
size_t markers_n_types(const struct markers *m);
const char *markers_type(const struct markers *m, uint32_t type, struct json_text *schema);

#endif
