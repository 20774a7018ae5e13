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

struct text_class {
    const struct jfr_class *cls;
    enum text_thing thing;
    struct text_member *members; /* one for each field */
    const struct jfr_pool *pool; /* NULL until it is needed */
    struct text_kept { /* texts of constants that are one line, by place in the pool */
        const char *text; /* NULL: not made yet */
        uint32_t n;
    } * kept;
    const struct jfr_stacks *stacks; /* of a field that holds stack traces */
    bool has_stacks; /* it was tried */
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
    for (; n > 0; n--)
        buf_byte(b, ' ');
}

/* --- text.c --- */

/* Is the text of the event short enough for more, and is the value not too deep? Else notes it. */
bool text_may_go_on(struct text_printer *t, const struct cursor *c, const struct buf *b);

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

/* The layout of the stack traces that a field of an event class refers to; NULL: it holds none. */
const struct jfr_stacks *text_stacks_of(struct text_printer *t, struct text_class *k,
                                        const struct jfr_field *f);

#endif
