/*
 * text.h - an event as text, as `jfr print` of JDK 25 writes it:
 *
 *     jdk.FileRead {
 *       startTime = 09:34:16.067 (2026-11-20)
 *       duration = 7.47 ms
 *       path = "/srv/a"
 *       eventThread = "main" (javaThreadId = 3)
 *       stackTrace = [
 *         Shop.load(String) line: 82
 *         ...
 *       ]
 *     }
 *
 * Whatever the bytes are, the text is complete: what cannot be read is "N/A", and where the first
 * such value was stands in `bad`. Where the JDK's tool fails (arrays of numbers, methods without a
 * class) the value is written as it would be elsewhere.
 *
 * Threads: as the chunk. Memory: the chunk's arena.
 */
#ifndef CONVERT_PRINT_TEXT_H
#define CONVERT_PRINT_TEXT_H

#include "convert/json/clock.h"

struct text_style {
    uint64_t stack_depth; /* frames of a stack trace */
    bool is_exact; /* all digits: 0.007470000 s, 1536 bytes */
    bool is_terminal; /* control characters are shown, not sent */
    bool has_colours;
    bool is_one_line; /* oneline.c */
    bool is_17; /* as the tool of JDK 17: no dates, "Forever", unsigned numbers and contexts */
    bool is_own; /* texts are right where the JDK's tool decodes them wrongly */
};

/* The text that ends each event. */
static inline const char *text_end(const struct text_style *style)
{
    return style->is_one_line ? "\n" : "}\n\n";
}

struct text_event { /* what is not in the buffer, or where */
    size_t head; /* bytes of the first line */
    const char *tail; /* the text of the stack trace, which follows; NULL: there is none */
    uint32_t n_tail;
};

struct text_class;

struct text_printer {
    const struct text_style *style;
    struct jfr_chunk *chunk;
    struct json_clock clock;
    struct text_class **classes; /* by jfr_class.index, in the chunk's arena */
    struct buf line; /* texts that are changed before they are written */
    struct arena *traces; /* where the texts of stack traces are kept; borrowed */
    size_t kept; /* bytes of texts that are kept of the chunk */
    struct text_event put; /* of the event that is written */
    const struct jfr_event *ev;
    size_t start; /* of the event's text */
    unsigned n_nested; /* structures around the value */
    const uint8_t *bad; /* where the first value was that could not be read; NULL: none */
    const char *what; /* was wrong with it */
};

/* Starts with a chunk that was just loaded. Texts of stack traces are kept in `traces`. Returns
 * false if out of memory. */
bool text_load(struct text_printer *t, struct jfr_chunk *chunk, const struct json_clock *clock,
               struct arena *traces);

/* Appends the event but for its end: the result's tail, which is in `traces`, and
 * text_end(). */
struct text_event text_put_event(struct text_printer *t, const struct jfr_event *ev, struct buf *b);

/* Are events of the class contexts of others: has it a field that is marked jdk.jfr.Contextual? */
bool text_is_context(const struct jfr_class *cls);

/* Appends a line for each contextual field: "  Context: Request.user = "alice"". */
void text_put_context(struct text_printer *t, const struct jfr_event *ev, struct buf *b);

void text_free(struct text_printer *t);

#endif
