/*
 * metadata.h - what a chunk says about its event types: classes, fields, annotations, settings.
 *
 * Everything lives in the chunk's arena and is read-only: valid until the chunk is loaded again.
 * Texts are NUL-terminated UTF-8 (lone surrogates as three bytes); an absent text is NULL.
 */
#ifndef JFRFMT_READ_METADATA_H
#define JFRFMT_READ_METADATA_H

#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/cursor.h"
#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a value of a class lies in the bytes (jfr-format §3, §6). */
enum jfr_kind {
    JFR_STRUCT, /* its fields in order; no field at all: nothing */
    JFR_BOOLEAN, /* one byte, 0 = false */
    JFR_BYTE, /* one raw byte */
    JFR_CHAR, /* varint, 16 bits */
    JFR_SHORT, /* varint, cut to 16 bits */
    JFR_INT, /* varint, cut to 32 bits */
    JFR_LONG, /* varint, 64 bits */
    JFR_FLOAT, /* 4 bytes, big-endian */
    JFR_DOUBLE, /* 8 bytes, big-endian */
    JFR_STRING, /* encoding byte and body, see jfrfmt/base/string.h */
};

/* What a number means, from the field's annotations. */
enum jfr_unit {
    JFR_UNIT_NONE,
    JFR_UNIT_TIMESTAMP_TICKS,
    JFR_UNIT_TIMESTAMP_MS,
    JFR_UNIT_TIMESTAMP_NS, /* NANOSECONDS_SINCE_EPOCH: JMC supports it, the JDK does not */
    JFR_UNIT_TIMESTAMP_S,
    JFR_UNIT_TICKS, /* a span */
    JFR_UNIT_NS,
    JFR_UNIT_US,
    JFR_UNIT_MS,
    JFR_UNIT_S,
    JFR_UNIT_BYTES,
    JFR_UNIT_BITS,
    JFR_UNIT_PERCENT, /* 0..1 */
    JFR_UNIT_ADDRESS,
    JFR_UNIT_HERTZ,
};

static inline bool jfr_unit_is_time(enum jfr_unit unit)
{
    return unit >= JFR_UNIT_TIMESTAMP_TICKS && unit <= JFR_UNIT_TIMESTAMP_S;
}

static inline bool jfr_unit_is_span(enum jfr_unit unit)
{
    return unit >= JFR_UNIT_TICKS && unit <= JFR_UNIT_S;
}

struct jfr_class;

struct jfr_attr { /* one member of an annotation, as written */
    const char *key; /* "value", "value-0", ... */
    const char *value;
};

struct jfr_annotation {
    const struct jfr_class *type;
    const struct jfr_attr *attrs;
    size_t n_attrs;
};

struct jfr_field {
    const char *name;
    const struct jfr_class *type;
    const char *label, *description; /* NULL when not annotated */
    const struct jfr_annotation *annotations;
    size_t n_annotations;
    size_t index; /* place in its class */
    enum jfr_unit unit;
    bool is_pooled; /* the bytes hold a key into the constant pool of `type` */
    bool is_array; /* a varint count, then the elements */
    bool is_unsigned;
    bool is_contextual; /* jdk.jfr.Contextual */
};

/* Is the value of the field one key of a constant pool? Not for arrays; NULL is no field. */
static inline bool jfr_field_is_key(const struct jfr_field *f)
{
    return f != NULL && f->is_pooled && !f->is_array;
}

struct jfr_setting { /* declared on an event class */
    const char *name;
    const struct jfr_class *type;
    const char *default_value; /* display text, may be NULL */
    const struct jfr_annotation *annotations;
    size_t n_annotations;
};

struct jfr_class {
    int64_t id; /* INT64_MIN: it has none and cannot be referred to */
    const char *name; /* full, e.g. "jdk.ExecutionSample", "java.lang.Thread" */
    const char *simple; /* after the last dot of `name` */
    const char *super; /* NULL for plain types */
    const char *label, *description;
    const struct jfr_field *fields;
    const struct jfr_annotation *annotations;
    const struct jfr_setting *settings;
    const struct jfr_field *const *sorted; /* private: by name, of a wide class */
    size_t n_fields, n_annotations, n_settings;
    uint32_t index; /* 0..jfr_metadata.n_classes-1, in the order of the file */
    enum jfr_kind kind;
    bool is_event; /* super is jdk.jfr.Event, literally */
    bool is_simple; /* simpleType: shown as its one field */
    bool is_unknown; /* stands for a class that is not declared: values cannot be decoded */
};

struct jfr_metadata {
    const struct jfr_class *classes; /* in the order of the file */
    size_t n_classes;
    int64_t id; /* metadataId; identifies nothing across files (jfr-format §5.1) */
    bool has_region;
    const char *locale, *gmt_offset, *dst; /* the region's attributes as written, may be NULL */
    int64_t gmt_offset_ms, dst_ms; /* parsed; 0 when absent or not a number */
    uint64_t n_undeclared; /* references to classes that nothing declares: damage */
    const uint32_t *direct; /* private: small ids to index + 1 */
    const struct jfr_class **others; /* private: by id */
    size_t n_direct, n_others;
};

/* Parses the metadata event (type 0) that `event` spans, its size field included. `base` is the
 * file offset of event.p, for messages. Of an event that declares more bytes than there are the
 * classes that are whole are read. All memory comes from `arena`, bounded by a small multiple
 * of the event's bytes. Of classes with one id the first counts. Returns 0; JFR_E_FORMAT,
 * JFR_E_SHORT, JFR_E_LIMIT (half a million elements, a million strings) or JFR_E_NOMEM.
 */
int jfr_metadata_parse(struct jfr_metadata *md, struct cursor event, uint64_t base,
                       struct arena *arena, struct jfr_error *err);

/* The class with this id, or NULL. */
const struct jfr_class *jfr_metadata_by_id(const struct jfr_metadata *md, int64_t id);

/* The first class with this full name, or NULL. Linear. */
const struct jfr_class *jfr_metadata_by_name(const struct jfr_metadata *md, const char *name);

/* The field with this name, or NULL; of two with one name the last, as JMC has it. Takes n log n
 * comparisons for all fields of a class. */
const struct jfr_field *jfr_class_field(const struct jfr_class *cls, const char *name);

/* The annotation whose class has this full name, or NULL. */
const struct jfr_annotation *jfr_annotation_find(const struct jfr_annotation *a, size_t n,
                                                 const char *type_name);

/* The text of member `key` ("value"), or NULL. */
const char *jfr_annotation_get(const struct jfr_annotation *a, const char *key);

/* Follows simpleType to the class whose value is shown: jdk.types.Symbol -> java.lang.String.
 * Bounded; a class that is not simple is returned as it is. */
const struct jfr_class *jfr_class_shown(const struct jfr_class *cls);

#endif
