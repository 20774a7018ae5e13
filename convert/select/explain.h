/*
 * explain.h - why a selection matches no event, and what the recordings have in its place.
 *
 * For a command whose output would be empty: the inputs are read a second time, each filter is
 * tried alone, and what is there is counted.
 *
 *     struct explain_question q = {.select = select, .kind = "lock", .paths = paths, .n_paths = n};
 *     struct buf text = {0};
 *     answer = select_explain(&q, &text);     "no events of kind lock; this recording has cpu 2511"
 */
#ifndef CONVERT_SELECT_EXPLAIN_H
#define CONVERT_SELECT_EXPLAIN_H

#include "convert/select/select.h"
#include "jfrfmt/base/buf.h"

struct explain_question {
    const struct select *select; /* NULL: no filters */
    const char *kind; /* the kind of sample that was requested (kind.h); NULL: none */
    bool is_profile; /* only event types with stacks were looked at */
    const char *types; /* the only event types that were looked at, for a message; NULL: any */
    const char *const *paths; /* plain files, see select_can_look_ahead() */
    size_t n_paths;
};

enum explain_answer {
    EXPLAIN_NOTHING, /* the inputs cannot be read again; no text */
    EXPLAIN_NO_FILTER, /* there are events, and no filter left any out; no text */
    EXPLAIN_NO_MATCH, /* what was requested exists, but no event fits */
    EXPLAIN_UNKNOWN, /* no input has an event type, a kind or a context key of that name */
};

/* Puts one line without a newline into *text, for people. Memory: the names of types, of threads
 * and of the values of a context key. */
enum explain_answer select_explain(const struct explain_question *question, struct buf *text);

/* Adds the context keys that the inputs have: "; keys here: user, action". */
void select_explain_keys(const char *const *paths, size_t n_paths, struct buf *text);

#endif
