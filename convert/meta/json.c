/*
 * json.c - writes the event types of a recording as JSON: fields, annotations, settings, counts.
 *
 * In: what meta.c united from the metadata of all chunks; meta_end() calls meta_json().
 */
#include "convert/text/javatext.h"
#include "convert/text/jsonw.h"
#include "convert/meta/meta.h"

#include <string.h>

static void put_text(struct buf *b, const char *text)
{
    if (text == NULL)
        buf_str(b, "null");
    else
        jsonw_str(b, text, strlen(text));
}

static void put_pair(struct buf *b, const char *key, const char *value)
{
    buf_printf(b, ", \"%s\": ", key);
    put_text(b, value);
}

static void put_flag(struct buf *b, const char *key, bool is_set)
{
    if (is_set)
        buf_printf(b, ", \"%s\": true", key);
}

static void put_values_json(struct buf *b, const struct meta_member *m)
{
    if (!m->is_array) {
        put_text(b, m->values[0]);
        return;
    }
    buf_byte(b, '[');
    for (size_t i = 0; i < m->n; i++) {
        buf_str(b, i > 0 ? ", " : "");
        put_text(b, m->values[i]);
    }
    buf_byte(b, ']');
}

static void put_annotations_json(struct buf *b, const struct meta_annotation *a, size_t n)
{
    buf_str(b, ", \"annotations\": [");
    for (size_t i = 0; i < n; i++) {
        buf_str(b, i > 0 ? ", {\"type\": " : "{\"type\": ");
        put_text(b, a[i].type);
        buf_str(b, ", \"values\": {");
        for (size_t k = 0; k < a[i].n; k++) {
            buf_str(b, k > 0 ? ", " : "");
            put_text(b, a[i].members[k].name);
            buf_str(b, ": ");
            put_values_json(b, &a[i].members[k]);
        }
        buf_str(b, "}}");
    }
    buf_byte(b, ']');
}

static void put_field_json(struct buf *b, const struct meta_field *f)
{
    buf_str(b, "{\"name\": ");
    put_text(b, f->name);
    put_pair(b, "type", f->type);
    put_pair(b, "shownType", f->shown);
    buf_printf(b, ", \"typeId\": %lld", (long long)f->type_id);
    put_flag(b, "array", f->is_array);
    put_flag(b, "pooled", f->is_pooled);
    put_flag(b, "unsigned", f->is_unsigned);
    put_flag(b, "contextual", f->is_contextual);
    put_flag(b, "experimental", f->is_experimental);
    put_pair(b, "unit", meta_unit_name(f->unit));
    put_pair(b, "label", f->label);
    put_pair(b, "description", f->description);
    put_annotations_json(b, f->annotations, f->n_annotations);
    buf_byte(b, '}');
}

static void put_settings(struct buf *b, const struct meta_type *t)
{
    buf_str(b, ", \"settings\": [");
    for (size_t i = 0; i < t->n_settings; i++) {
        buf_str(b, i > 0 ? ", {\"name\": " : "{\"name\": ");
        put_text(b, t->settings[i].name);
        put_pair(b, "type", t->settings[i].type);
        put_pair(b, "default", t->settings[i].default_value);
        buf_byte(b, '}');
    }
    buf_str(b, "], \"active\": {");
    for (size_t i = 0; i < t->n_active; i++) {
        buf_str(b, i > 0 ? ", " : "");
        put_text(b, t->active[i].name);
        buf_str(b, ": ");
        put_text(b, t->active[i].value);
    }
    buf_byte(b, '}');
}

static void put_time_json(struct buf *b, const char *key, int64_t ns, bool is_known)
{
    buf_printf(b, ", \"%s\": %s", key, is_known ? "\"" : "null");
    if (!is_known)
        return;
    javatext_time_ns(b, ns, 0);
    buf_byte(b, '"');
}

static void put_counts(struct buf *b, const struct meta *m, const struct summary_type *s)
{
    double span = (double)m->summary->span_ns;

    buf_printf(b, ", \"count\": %llu, \"bytes\": %llu, \"perSecond\": ", (unsigned long long)s->n,
               (unsigned long long)s->bytes);
    jsonw_double(b, span > 0 ? (double)s->n * 1e9 / span : 0);
    put_time_json(b, "first", s->first_ns, s->n > 0 && s->first_ns <= s->last_ns);
    put_time_json(b, "last", s->last_ns, s->n > 0 && s->first_ns <= s->last_ns);
}

static void put_type_json(struct buf *b, const struct meta *m, const struct meta_type *t)
{
    buf_str(b, "    {\"name\": ");
    put_text(b, t->name);
    buf_printf(b, ", \"kind\": \"%s\", \"id\": %lld, \"layout\": %u", meta_kind_name(t->kind),
               (long long)t->id, t->layout);
    put_pair(b, "super", t->super);
    put_pair(b, "label", t->label);
    put_pair(b, "description", t->description);
    put_flag(b, "simple", t->is_simple);
    put_flag(b, "experimental", t->is_experimental);
    if (t->category != NULL) {
        buf_str(b, ", \"category\": ");
        put_values_json(b, t->category);
    }
    if (t->kind == META_EVENT && m->summary != NULL)
        put_counts(b, m, &t->stats);
    put_annotations_json(b, t->annotations, t->n_annotations);
    if (t->kind == META_EVENT)
        put_settings(b, t);
    buf_str(b, ", \"fields\": [");
    for (size_t i = 0; i < t->n_fields; i++) {
        buf_str(b, i > 0 ? ",\n      " : "\n      ");
        put_field_json(b, &t->fields[i]);
    }
    buf_str(b, "]}");
}

int meta_json(const struct meta *m, struct out *out)
{
    bool is_first = true;

    buf_str(&out->b, "{\n  \"file\": ");
    put_text(&out->b, m->path);
    buf_str(&out->b, ",\n  \"types\": [\n");
    for (size_t i = 0; i < m->n_types && out_check(out) == 0; i++) {
        if (!meta_is_shown(m, &m->types[i]))
            continue;
        buf_str(&out->b, is_first ? "" : ",\n");
        put_type_json(&out->b, m, &m->types[i]);
        is_first = false;
    }
    buf_str(&out->b, "\n  ]\n}\n");
    return out->rc;
}
