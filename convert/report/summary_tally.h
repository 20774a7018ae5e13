/*
 * summary_tally.h - the events of one chunk, counted per class in one pass over undecoded bytes.
 *
 *     tally_begin(&t, chunk);
 *     tally_keep(&t, "jdk.ActiveSetting");          before the pass: wanted one by one
 *     tally_run(&t);
 *     for (size_t i = 0; i < t.n_rows; i++) ... md->classes[i], t.rows[i].n ...
 *
 * Of an event only size, type and start time are read. Constant pools are not touched.
 *
 * Threads: a tally belongs to one thread at a time and is used again for the next chunk.
 */
#ifndef CONVERT_REPORT_SUMMARY_TALLY_H
#define CONVERT_REPORT_SUMMARY_TALLY_H

#include "jfrfmt/read/chunk.h"

#define TALLY_UNDECLARED_MAX 64 /* type ids without a class that are counted apart in one chunk */
#define TALLY_KEPT_MAX 50000 /* events kept per chunk */

struct tally_row {
    uint64_t n, bytes; /* events and their bytes, size fields included */
    int64_t min_ticks, max_ticks; /* start times; min > max: none known */
    uint64_t first_offset; /* of the first event, 0 = none */
    const struct jfr_plan *start; /* startTime, when it is not simply the first field */
    bool start_is_first, is_kept;
    int64_t id; /* type id */
};

struct tally {
    struct jfr_chunk *chunk;
    struct tally_row *rows; /* one per class, by its index */
    size_t n_rows, room;
    struct tally_row metadata, checkpoint; /* types 0 and 1 */
    struct tally_row undeclared[TALLY_UNDECLARED_MAX + 1]; /* the last one: all further ids */
    size_t n_undeclared;
    uint64_t *kept; /* offsets of kept events, in the order of the file */
    size_t n_kept, kept_room;
};

/* Makes room for the classes of a loaded chunk, all counts zero. 0 or JFR_E_NOMEM. */
int tally_begin(struct tally *t, struct jfr_chunk *chunk);

/* The events of the classes with this name are to be kept. */
void tally_keep(struct tally *t, const char *name);

/* Counts all events of the chunk. 0 or JFR_E_NOMEM. */
int tally_run(struct tally *t);

/* Sum over classes: events that are neither metadata nor checkpoints, of undeclared types too. */
uint64_t tally_events(const struct tally *t);

void tally_free(struct tally *t);

#endif
