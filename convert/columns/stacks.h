/*
 * stacks.h - stack traces by id: a table of stacks, and one of their frames.
 *
 *     struct stacks *s = stacks_new(stack_file, frame_file);
 *     stacks_load(s, values);                               once for each chunk
 *     const struct fill_stacks rule = stacks_rule(s, STACKS_ID);
 *
 * A stack's id depends on nothing but its content, so it is the same in all recordings and on all
 * hosts: the 128-bit XXH3 of whether it was cut, then the ids of its frames from the top; a frame's
 * id is that of the frame's JSON as jfr2json writes it. Both in the canonical form, the highest
 * byte first.
 *
 * An event's column stackTrace has the id, stackTrace_top the name of the top method. STACKS_LISTS
 * adds the lists stackTrace_methods and stackTrace_lines, so that no tables are needed; STACKS_PATH
 * the text stackTrace_path: the methods from the root on, joined by semicolons.
 *
 * Memory: 24 bytes for each stack and frame that was met. Threads: one at a time.
 */
#ifndef CONVERT_COLUMNS_STACKS_H
#define CONVERT_COLUMNS_STACKS_H

#include "convert/columns/fill.h"

struct stacks;

/* Both files NULL: no tables are written. NULL if out of memory. */
struct stacks *stacks_new(struct parquet *stack_file, struct parquet *frame_file);
void stacks_free(struct stacks *s); /* NULL is allowed */

/* Starts with a chunk that was just loaded. */
void stacks_load(struct stacks *s, struct json_values *values);

enum stacks_show {
    STACKS_ID,
    STACKS_LISTS,
    STACKS_PATH,
};

struct fill_stacks stacks_rule(struct stacks *s, enum stacks_show show);

#endif
