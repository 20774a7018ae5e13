/*
 * part.h - some events of a chunk as text, rendered and not yet printed.
 *
 * A part belongs to the thread that fills it until it is handed over, and then to the printer. It
 * is freed when the last of its items has been printed. Stack traces are the greater part of most
 * texts, and many events have the same: an item only refers to the text of its trace, which all
 * parts of the chunk share.
 */
#ifndef CONVERT_PRINT_PART_H
#define CONVERT_PRINT_PART_H

#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/buf.h"

#include <stdatomic.h>
#include <stdint.h>

struct print_part;

struct print_item { /* an event, or the start or end of one that is a context of others */
    struct print_part *part;
    int64_t ns; /* when it ends, or a context starts, since 1970; is_17: in ticks of the chunk */
    uint64_t thread; /* key */
    uint64_t number; /* of the event among those of the part */
    size_t at; /* where its text begins, in the part's texts */
    const char *tail; /* the text of the stack trace, which follows it; NULL: there is none */
    uint32_t n_tail;
    uint32_t head; /* bytes of the first line of its text */
    uint32_t n; /* bytes of its text; of a context at its end 0 */
    bool is_end; /* of two with one time the start comes first */
    bool is_context;
    bool has_thread;
};

struct print_traces { /* texts of a chunk's stack traces */
    struct arena arena;
    _Atomic uint32_t n_users; /* parts, and the thread that renders the chunk */
};

struct print_part {
    struct buf texts;
    struct print_traces *traces;
    struct print_item *items; /* in the order of the events */
    size_t n, room;
    size_t n_left; /* items that are not printed yet, set by the printer */
    uint64_t n_events; /* that have a number */
    uint64_t n_undeclared; /* events without a declared type, which are left out */
};

/* With one user, the caller; NULL if out of memory. */
struct print_traces *print_traces_new(void);
void print_traces_release(struct print_traces *traces); /* NULL is allowed */

/* An empty part; NULL if out of memory. */
struct print_part *print_part_new(struct print_traces *traces);
void print_part_free(struct print_part *part); /* NULL is allowed */

/* An item of the part is no longer needed: frees the part with the last one. */
void print_part_release(struct print_part *part);

#endif
