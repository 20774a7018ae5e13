/*
 * frame_name.h - how a method is called in a graph.
 *
 * Text that a file brings is kept as it is but for what would break lines: control characters
 * become a space and ';' becomes ':'.
 */
#ifndef CONVERT_TEXT_FRAME_NAME_H
#define CONVERT_TEXT_FRAME_NAME_H

#include "jfrfmt/jfr.h"

enum frame_type { /* how the frame ran; the peers' names in comments */
    FRAME_UNKNOWN,
    FRAME_INTERPRETED, /* "Interpreted" */
    FRAME_JIT, /* "JIT compiled" */
    FRAME_INLINED, /* "Inlined" */
    FRAME_NATIVE, /* "Native" */
    FRAME_CPP, /* "C++" */
    FRAME_KERNEL, /* "Kernel" */
    FRAME_C1, /* "C1 compiled" */
    FRAME_ROOT, /* not a frame: a thread, a state, a kind put at the root */
};

enum name_style {
    NAME_DOT, /* java.util.List.add */
    NAME_SIMPLE, /* List.add */
    NAME_SLASH, /* java/util/List.add */
    NAME_FULL, /* java.util.List.add(int, Object) */
    NAME_JVM, /* java/util/List.add(ILjava/lang/Object;)V */
    N_NAME_STYLES,
};

struct name_options {
    enum name_style style;
    bool normalize; /* numbers and addresses of generated classes are left out */
    bool lines; /* :42 after the name, where known */
    bool bci; /* @17 after it */
    bool tiers; /* _[0] interpreted, _[1] C1, _[i] inlined, _[j] JIT, _[k] kernel */
    unsigned package; /* > 0: only the first so many parts of the package; UINT_MAX: all of it */
};

/* -1 when there is no such style. */
int name_style_named(const char *name);

/* Appends the name of a frame. m may be all null: "[unknown]". */
void frame_name_append(struct buf *b, const struct name_options *opt, const struct jfr_method *m,
                       const struct jfr_frame *frame, enum frame_type type);

/* Appends the name of a class in the style wanted. */
void class_name_append(struct buf *b, const struct name_options *opt, struct jfr_str name);

/* What the text of a FrameType means. */
enum frame_type frame_type_of(struct jfr_str text);

/* Appends a thread's name: javaName, else osName, else [tid=N]. */
void thread_name_append(struct buf *b, const struct jfr_thread *t);

/* Replaces what must not stand in a collapsed line from `from` on. */
void frame_name_clean(struct buf *b, size_t from);

#endif
