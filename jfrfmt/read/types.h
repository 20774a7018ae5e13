/*
 * types.h - event types, value types and annotations declared as data, for the writer.
 *
 *     static const struct jfr_field_def fields[] = {
 *         {"path", "java.lang.String", "Path"},
 *         {"bytesRead", "long", "Bytes Read", .unit = JFR_UNIT_BYTES},
 *     };
 *     static const struct jfr_type_def file_read = {
 *         "jdk.FileRead", JFR_TYPE_EVENT, "File Read", .category = "Java Application",
 *         .flags = JFR_HAS_DURATION | JFR_HAS_THREAD | JFR_HAS_STACK, .fields = fields, .n_fields =
 * 2,
 *     };
 *     int64_t id = jfr_writer_declare(w, &file_read, 1);
 *
 * Zero means absent or default everywhere. Tables are only read while they are declared, so they
 * need not outlive the call. Every writer declares the primitives, java.lang.String, Thread and
 * Class, jdk.types.ThreadGroup, ClassLoader, Package, Symbol, Method, StackTrace, StackFrame,
 * FrameType and ThreadState, the annotations of jdk.jfr that mean something in a file, and the
 * settings jdk.settings.Enabled, Period, Threshold, StackTrace, Throttle and Level. The value types
 * are in every file, since readers rely on them; annotations and settings where they are used.
 */
#ifndef JFRFMT_READ_TYPES_H
#define JFRFMT_READ_TYPES_H

#include "jfrfmt/read/metadata.h"

#include <stddef.h>

enum jfr_type_kind {
    JFR_TYPE_VALUE, /* a struct, used inline or through a constant pool */
    JFR_TYPE_SIMPLE, /* a struct of one field that is shown as that field */
    JFR_TYPE_EVENT,
    JFR_TYPE_ANNOTATION,
    JFR_TYPE_SETTING,
};

enum jfr_def_flag {
    /* fields */
    JFR_POOLED = 1 << 0, /* holds a key into the constant pool of its type */
    JFR_ARRAY = 1 << 1, /* value types only: readers cannot print arrays in events */
    JFR_UNSIGNED = 1 << 2,
    JFR_CONTEXTUAL = 1 << 3,
    /* fields and events */
    JFR_EXPERIMENTAL = 1 << 4,
    /* events: the usual fields, put before `fields` in this order. startTime is always there. */
    JFR_HAS_DURATION = 1 << 5,
    JFR_HAS_THREAD = 1 << 6, /* eventThread */
    JFR_HAS_STACK = 1 << 7, /* stackTrace */
    JFR_LISTED = 1 << 8, /* `fields` lists all of them itself, startTime first */
    /* any type: readers see it from its first use on, that is by an event, a setting that names its
     * id, or a type that they see */
    JFR_ON_USE = 1 << 9,
};

struct jfr_annotation_def {
    const char *type; /* full name of a declared annotation */
    const struct jfr_attr
        *attrs; /* every member it declares; an array's as value-0, value-1, ... */
    size_t n_attrs;
};

struct jfr_field_def {
    const char *name;
    const char *type; /* full name of a declared type */
    const char *label, *description;
    enum jfr_unit unit;
    unsigned flags; /* of enum jfr_def_flag */
    const struct jfr_annotation_def *annotations; /* beside those that the members above make */
    size_t n_annotations;
};

struct jfr_setting_def {
    const char *name;
    const char *type; /* full name of a declared setting, "jdk.settings.Enabled" */
    const char *default_value; /* display text */
};

struct jfr_type_def {
    const char *name; /* of an event: dotted Java identifiers */
    enum jfr_type_kind kind;
    const char *label, *description;
    const char *category; /* path, parts separated by '|': "Java Virtual Machine|Profiling" */
    unsigned flags;
    const struct jfr_field_def *fields;
    size_t n_fields;
    const struct jfr_setting_def *settings;
    size_t n_settings;
    const struct jfr_annotation_def *annotations;
    size_t n_annotations;
};

#endif
