/* clock.h - which chunk's clock and zone time stamps are shown by. */
#ifndef CONVERT_JSON_CLOCK_H
#define CONVERT_JSON_CLOCK_H

#include "convert/driver/run.h"
#include "convert/json/value.h"

enum json_anchor { /* whose clock time stamps are computed from */
    JSON_ANCHOR_FIRST, /* the first chunk's of each input, as the JDK 25 tool has it */
    JSON_ANCHOR_METADATA, /* the same until the metadata id changes, as JDK 17 has it */
    JSON_ANCHOR_CHUNK, /* each chunk's own, which is right */
};

struct json_clocks {
    enum json_anchor anchor;
    enum json_rules rules;
    struct buf seen; /* of struct json_clock, by number of the chunk: what was read beforehand */
    bool is_known; /* seen is complete; else chunks come in order, and the last one follows */
    bool has_last;
    struct json_clock last;
    uint32_t last_file;
    int64_t last_id;
};

/* Reads all chunks' clocks, so that chunks may come in any order. 0, or negative and *err. */
int json_clocks_look_ahead(struct json_clocks *cs, const char *const *paths, size_t n_paths,
                           struct jfr_error *err);

/* The same, if it is needed. Returns whether chunks may come in any order: not if the inputs cannot
 * be read twice. What is wrong with them is not reported, since reading encounters it again. */
bool json_clocks_ready(struct json_clocks *cs, const char *const *paths, size_t n_paths);

/* The clock for a chunk. */
struct json_clock json_clock_of(struct json_clocks *cs, const struct run_chunk *rc);

void json_clocks_free(struct json_clocks *cs);

#endif
