/*
 * where.h - a condition on events, as users write it: --where 'duration > 10ms and path ~ /log/'.
 *
 *     struct where *w = where_new("ctx.user = 'alice' or bytesRead >= 64kB", context, &err);
 *     struct where_run *r = where_run_new(w);                one per thread
 *     where_run_load(r, chunk, context_run);                 once per chunk
 *     if (where_class(r, ev.type) != WHERE_NO && where_event(r, &ev) > 0)
 *         ...
 *
 * The language:
 *
 *     a or b, a || b; a and b, a && b; not a, !a; ( )         "and" binds closer than "or"
 *     x = y (==), x != y, x < y, x <= y, x > y, x >= y
 *     x ~ /re/ (=~, also with a string), x !~ /re/            pattern.h; anywhere in the text
 *     x                                                       has a value that is not false
 *
 *     path                     a field; dots lead inside: eventThread.group.name
 *     ctx.KEY                  a value of the event's context (context.h)
 *     event                    the full name of the event's type
 *     frame                    any frame of its stack: java.util.ArrayList.add; not with < and >
 *     12, -0.5, 1e9, 0x1f      a number
 *     10ms, 1h30m, -5s, 64kB, 50%   a time, bytes, 0.5 (timespec.h)
 *     'text', "text"           with \\ \' \" \n \t; a time where a point in time is compared:
 *                              startTime >= "2026-11-20T09:34:16Z"
 *     null true false
 *
 * A value is what the recording says, with its unit: spans of any unit compare with times, points
 * in time with texts that say when. A value that is shown as text is text: a state, a symbol, a
 * thread (its name) and a class (with dots). eventThread is the sampledThread of events that have
 * no thread of their own.
 *
 * A field that the event's type does not have is null. Null equals null only; an order or a pattern
 * does not hold for it. Values of kinds that do not compare (a number without a unit and a time, a
 * text and a number, an array and anything) are not equal, no order holds, and where_note() tells
 * so once for each place in the text.
 *
 * Threads: a where is shared by all runs; a run belongs to one thread. Notes: after the runs.
 */
#ifndef CONVERT_SELECT_WHERE_H
#define CONVERT_SELECT_WHERE_H

#include "convert/context/context.h"
#include "jfrfmt/jfr.h"

#define WHERE_TEXT_MAX 10000 /* bytes of an expression */
#define WHERE_NODES_MAX 200 /* operators in it */
#define WHERE_OPERANDS_MAX 64 /* different fields in it */
#define WHERE_DEPTH_MAX 50 /* of parentheses */

struct where;
struct where_run;

enum where_class {
    WHERE_NO, /* it holds for no event of the class, */
    WHERE_YES, /* for every one, */
    WHERE_MAYBE, /* or it depends */
};

/* Reads an expression; contexts that it names are requested in `context`. NULL and *err when it is
 * malformed (its text names the place, counted from 1, and what was expected there), too large or
 * memory is exhausted. The text is copied. */
struct where *where_new(const char *text, struct context *context, struct jfr_error *err);

void where_free(struct where *w); /* NULL is allowed */

/* Does a text name contexts? For those that make a context only where one is needed; a text that
 * where_new() refuses may have either answer. */
bool where_names_context(const char *text);

/* What is to be reported after all runs: note i of the text; false if there is no such note. An
 * error is a field that no event type of any chunk had. */
bool where_note(const struct where *w, size_t i, bool *is_error, char *text, size_t room);

struct where_run *where_run_new(struct where *w); /* NULL if out of memory */
void where_run_free(struct where_run *r); /* NULL is allowed */

/* Starts with a chunk that was just loaded. `context` is what where_new()'s context has for it; it
 * may be NULL where no context is named. 0 or JFR_E_NOMEM. */
int where_run_load(struct where_run *r, struct jfr_chunk *chunk, struct context_run *context);

/* What holds for all events of a class of the loaded chunk. */
enum where_class where_class(struct where_run *r, const struct jfr_class *cls);

/* From now on events last this long, whatever their field `duration` says; 0: what it says. */
void where_run_set_duration(struct where_run *r, int64_t duration_ns);

/* Does it hold for the event? 1 or 0; negative when its bytes end too early (then *where is the
 * place; it may be NULL) or memory is exhausted (JFR_E_NOMEM). For any class. */
int where_event(struct where_run *r, const struct jfr_event *ev, const uint8_t **where);

#endif
