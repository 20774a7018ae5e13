/*
 * typeset_check.c - what readers cannot take, refused when it is declared (jfr-format §5, §9, §16).
 *
 * Called for each type before it is added. A type that one reader would misread makes a file that
 * is legal by the format but useless in that reader; so each rule names the reader (JMC, the JDK's
 * tool of which release) and what it does. An error says which field to change.
 */
#include "jfrfmt/write/typeset.h"
#include "jfrfmt/base/ascii.h"

#include <stdio.h>
#include <string.h>

/* Dotted Java identifiers. Anything else makes the JDK's tool refuse the whole file. */
static bool is_java_name(const char *s)
{
    do {
        if (!ascii_begins_name(*s++))
            return false;
        while (ascii_begins_name(*s) || ascii_is_digit(*s))
            s++;
    } while (*s++ == '.');
    return s[-1] == '\0';
}

static bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* A member "value-12" of the array "value", or "value" itself. */
static bool is_member(const struct jfr_field *f, const char *key)
{
    size_t n = strlen(f->name);

    if (strncmp(key, f->name, n) != 0)
        return false;
    return f->is_array ? key[n] == '-' && strspn(key + n + 1, "0123456789") == strlen(key + n + 1)
                       : key[n] == '\0';
}

static bool has_member(const struct jfr_annotation *a, const struct jfr_field *f)
{
    for (size_t i = 0; i < a->n_attrs; i++)
        if (is_member(f, a->attrs[i].key))
            return true;
    return f->is_array;
}

static bool declares(const struct jfr_class *type, const char *key)
{
    for (size_t i = 0; i < type->n_fields; i++)
        if (is_member(&type->fields[i], key))
            return true;
    return false;
}

static int check_annotations(const struct jfr_annotation *list, size_t n, const char *user,
                             struct jfr_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct jfr_annotation *a = &list[i];

        if (a->type->super == NULL ||
            strcmp(a->type->super, "java.lang.annotation.Annotation") != 0)
            return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': '%s' is no annotation", user,
                            a->type->name);
        for (size_t k = 0; k < a->type->n_fields; k++)
            if (!has_member(a, &a->type->fields[k]))
                return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': annotation '%s' lacks '%s'", user,
                                a->type->name, a->type->fields[k].name);
        for (size_t k = 0; k < a->n_attrs; k++)
            if (a->attrs[k].value == NULL || !declares(a->type, a->attrs[k].key))
                return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': annotation '%s' has no member '%s'",
                                user, a->type->name, a->attrs[k].key);
    }
    return 0;
}

/* The JDK 17 tool skips floats in pools wrongly. */
static bool has_float(const struct jfr_class *cls, int depth)
{
    if (cls->kind == JFR_FLOAT || cls->kind == JFR_DOUBLE)
        return true;
    for (size_t i = 0; i < cls->n_fields && depth > 0; i++)
        if (!cls->fields[i].is_pooled && has_float(cls->fields[i].type, depth - 1))
            return true;
    return false;
}

static bool has_array_field(const struct jfr_class *cls, int depth)
{
    for (size_t i = 0; i < cls->n_fields && depth > 0; i++)
        if (cls->fields[i].is_array ||
            (!cls->fields[i].is_pooled && has_array_field(cls->fields[i].type, depth - 1)))
            return true;
    return false;
}

#define DEPTH 8

/* JMC takes a struct of its own kind in a pool for a new type in every chunk. */
static bool may_be_pooled_in_event(const struct jfr_class *cls)
{
    return cls->is_simple || cls->kind == JFR_STRING || starts_with(cls->name, "jdk.types.") ||
           starts_with(cls->name, "java.lang.");
}

static int check_field(const struct jfr_class *cls, const struct jfr_field *f,
                       struct jfr_error *err)
{
    const struct jfr_class *type = f->type;

    if (f->name[0] == '\0')
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' has a field without a name", cls->name);
    for (size_t i = 0; i < f->index; i++)
        if (strcmp(cls->fields[i].name, f->name) == 0)
            return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' has two fields '%s'", cls->name, f->name);
    if (type->super != NULL)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s.%s': '%s' is no type of a value", cls->name,
                        f->name, type->name);
    if (f->is_pooled && type->kind != JFR_STRUCT && type->kind != JFR_STRING)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s.%s': numbers cannot be in a pool", cls->name,
                        f->name);
    if (f->is_pooled && has_float(type, DEPTH))
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s.%s': the pool would hold floats", cls->name,
                        f->name);
    if (cls->is_event && f->is_pooled && !may_be_pooled_in_event(type))
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s.%s': a struct in a pool", cls->name, f->name);
    if (cls->is_event && (f->is_array || (!f->is_pooled && has_array_field(type, DEPTH))))
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s.%s': arrays cannot be in events", cls->name,
                        f->name);
    return check_annotations(f->annotations, f->n_annotations, f->name, err);
}

static bool is_ticks_field(const struct jfr_field *f, const char *name, enum jfr_unit unit)
{
    return strcmp(f->name, name) == 0 && f->type->kind == JFR_LONG && !f->is_pooled &&
           f->unit == unit;
}

static int check_event(const struct jfr_class *cls, struct jfr_error *err)
{
    if (!is_java_name(cls->name))
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is no Java class name", cls->name);
    if (cls->n_fields == 0 ||
        !is_ticks_field(&cls->fields[0], "startTime", JFR_UNIT_TIMESTAMP_TICKS))
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': the first field must be startTime", cls->name);
    for (size_t i = 1; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];

        if (strcmp(f->name, "duration") == 0 &&
            (i != 1 || !is_ticks_field(f, "duration", JFR_UNIT_TICKS)))
            return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': duration must be second, in ticks",
                            cls->name);
        if (strcmp(f->name, "pid") == 0 && strcmp(cls->name, "jdk.JVMInformation") == 0 &&
            i + 1 != cls->n_fields)
            return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': pid must be last", cls->name);
    }
    return 0;
}

int typeset_check(const struct jfr_class *cls, struct jfr_error *err)
{
    if (cls->name[0] == '\0')
        return jfr_fail(err, JFR_E_FORMAT, 0, "a type without a name");
    if (cls->kind == JFR_STRUCT && cls->super == NULL && cls->n_fields == 0)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' has no fields", cls->name);
    if (cls->is_simple && cls->n_fields != 1)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' must have one field to be simple", cls->name);
    for (size_t i = 0; i < cls->n_fields; i++)
        if (check_field(cls, &cls->fields[i], err) != 0)
            return err->code;
    for (size_t i = 0; i < cls->n_settings; i++)
        if (cls->settings[i].type->super == NULL ||
            strcmp(cls->settings[i].type->super, "jdk.jfr.SettingControl") != 0)
            return jfr_fail(err, JFR_E_FORMAT, 0, "'%s': '%s' is no setting", cls->name,
                            cls->settings[i].type->name);
    if (check_annotations(cls->annotations, cls->n_annotations, cls->name, err) != 0)
        return err->code;
    return cls->is_event ? check_event(cls, err) : 0;
}
