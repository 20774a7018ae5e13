/* text_internal.h - what the parts of the text share: text.c walks values, thing.c writes what is
 * one line (a thread, a class, a method), chain.c old objects, number.c numbers that have a
 * meaning. */
#ifndef CONVERT_PRINT_TEXT_INTERNAL_H
#define CONVERT_PRINT_TEXT_INTERNAL_H

#include "convert/print/text.h"

enum text_thing { /* how values of a class look */
    TEXT_STRUCT,
    TEXT_THREAD,
    TEXT_CLASS,
    TEXT_LOADER,
    TEXT_METHOD,
    TEXT_FRAME,
    TEXT_OLD_OBJECT,
};

enum text_meaning { /* of a number */
    TEXT_PLAIN,
    TEXT_TIME,
    TEXT_SPAN,
    TEXT_PERCENT,
    TEXT_BYTES,
    TEXT_BITS,
    TEXT_BYTE_RATE,
    TEXT_BIT_RATE,
    TEXT_ADDRESS,
    TEXT_HERTZ,
};

struct text_member {
    const struct jfr_field *field;
    enum text_meaning meaning;
    bool is_shown; /* its annotation has a content type: as people read it, not as programs do */
    bool is_unsigned;
};

struct text_kept { /* text that was made before */
    const char *text; /* NULL: it was not */
    uint32_t n;
};

struct text_class {
    const struct jfr_class *cls;
    enum text_thing thing;
    struct text_member *members; /* one for each field */
    const struct jfr_pool *pool; /* NULL until it is needed */
    struct text_kept *kept; /* lines of constants, by place in the pool */
    struct text_stacks *stacks; /* of the field "stackTrace" of an event class */
    bool has_stacks; /* it was tried */
};

struct text_stacks { /* stack traces of one layout */
    struct jfr_stacks st;
    struct text_kept *traces, *methods; /* by place in their pools; methods may be NULL */
};

/* NULL if out of memory, which the arena says. */
struct text_class *text_class_of(struct text_printer *t, const struct jfr_class *cls);

static inline void text_note_bad(struct text_printer *t, const uint8_t *where, const char *what)
{
    if (t->bad != NULL)
        return;
    t->bad = where;
    t->what = what;
}

static inline void text_indent(struct buf *b, unsigned n)
{
    static const char blanks[] = "                                ";

    for (; n > sizeof(blanks) - 1; n -= (unsigned)sizeof(blanks) - 1)
        buf_bytes(b, blanks, sizeof(blanks) - 1);
    buf_bytes(b, blanks, n);
}

static inline void text_end_line(struct buf *b, const char *behind)
{
    if (*behind != '\0')
        buf_str(b, behind);
    buf_byte(b, '\n');
}

/* --- text.c --- */

/* Appends a text as the style's tool decodes it. */
void text_put_str(const struct text_printer *t, struct buf *b, struct jfr_str s);

/* Is the text of the event short enough for more, and is the value not too deep? Else notes it. */
bool text_may_continue(struct text_printer *t, const struct cursor *c, const struct buf *b);

/* Appends the name of an event's type, in its colour. */
void text_put_name(struct text_printer *t, const char *name, struct buf *b);

/* --- oneline.c --- */

/* Replaces the text of an event, which begins at a place in b and has a line for each field, by one
 * line: its start time, its name, its fields. Stores in t->put.head how long the first two are. If
 * name is NULL, the line has the fields alone. */
void text_make_one_line(struct text_printer *t, const char *name, struct buf *b, size_t from);

/* --- chain.c --- */

/* Appends the lines for an old object. */
void text_put_old_object(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                         unsigned indent, struct buf *b);

/* --- number.c --- */

/* What a field's numbers mean. */
struct text_member text_meaning_of(const struct jfr_field *f);

/* Appends a whole number, a real one. */
void text_put_whole(struct text_printer *t, const struct text_member *m, enum jfr_kind kind,
                    int64_t x, struct buf *b);
void text_put_real(struct text_printer *t, const struct text_member *m, double x, bool is_float,
                   struct buf *b);

/* --- thing.c --- */

/* Appends the one line for a constant. False: there is no such constant. */
bool text_put_thing(struct text_printer *t, struct text_class *k, uint64_t key, struct buf *b);

/* "java.util.List.of(Object[])"; "java.lang.String[]" for "[Ljava.lang.String;", where the first
 * pair of brackets holds `size`. */
void text_put_method(struct text_printer *t, const struct jfr_stacks *st, uint64_t key,
                     struct buf *b);
void text_put_descriptor(struct buf *b, const char *name, size_t n, const char *size);

/* The text of a field that holds one; false: it is null. */
bool text_put_string(struct text_printer *t, const struct jfr_field *f, union jfr_value v,
                     const uint8_t *end, struct buf *b);

/* The stack traces that a field of an event class refers to; NULL: it holds none. */
struct text_stacks *text_stacks_of(struct text_printer *t, struct text_class *k,
                                   const struct jfr_field *f);

/* Appends "Shop.load(String)" for a method of stack traces. */
void text_put_method_of_stack(struct text_printer *t, struct text_stacks *s, uint64_t key,
                              struct buf *b);

/* Keeps the end of b, from a place on, in the arena, unless too much of the chunk is kept. */
void text_keep(struct text_printer *t, struct arena *arena, struct text_kept *kept,
               const struct buf *b, size_t from);

#endif
