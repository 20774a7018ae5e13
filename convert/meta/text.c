/*
 * text.c - event types with their fields, annotations and settings as text, like `jfr metadata`.
 *
 * jfrmeta calls it with what meta.c has gathered.
 */
#include "convert/meta/meta.h"
#include "convert/report/summary_names.h"

#include <string.h>

struct writing {
    const struct meta *m;
    struct buf *b;
};

/* The JDK's tool prints names as they are; so does --compat, but terminals obey some of them. */
static void put(const struct writing *w, const char *text)
{
    if (w->m->options.compat)
        buf_str(w->b, text);
    else
        names_plain(w->b, text);
}

static void put_value(const struct writing *w, const struct meta_member *member, size_t i)
{
    const char *quote = member->is_text ? "\"" : "";

    buf_str(w->b, quote);
    put(w, member->values[i]);
    buf_str(w->b, quote);
}

/* An array of one is written as one value. */
static void put_member_text(const struct writing *w, const struct meta_member *member)
{
    bool braces = member->is_array && member->n != 1;

    if (braces)
        buf_byte(w->b, '{');
    for (size_t i = 0; i < member->n; i++) {
        if (i > 0)
            buf_str(w->b, ", ");
        put_value(w, member, i);
    }
    if (braces)
        buf_byte(w->b, '}');
}

static void put_annotation(const struct writing *w, const struct meta_annotation *a)
{
    bool alone = a->n == 1 && strcmp(a->members[0].name, "value") == 0;

    buf_byte(w->b, '@');
    put(w, meta_simple_name(a->type));
    if (a->n > 0)
        buf_byte(w->b, '(');
    for (size_t i = 0; i < a->n; i++) {
        if (i > 0)
            buf_str(w->b, ", ");
        if (!alone) {
            put(w, a->members[i].name);
            buf_byte(w->b, '=');
        }
        put_member_text(w, &a->members[i]);
    }
    buf_str(w->b, a->n > 0 ? ")\n" : "\n");
}

static void put_field_text(const struct writing *w, const struct meta_field *f)
{
    for (size_t i = 0; i < f->n_annotations; i++) {
        buf_str(w->b, "  ");
        put_annotation(w, &f->annotations[i]);
    }
    buf_str(w->b, "  ");
    put(w, meta_simple_name(f->shown));
    buf_str(w->b, f->is_array ? "[] " : " ");
    put(w, f->name);
    buf_byte(w->b, ';');
    if (w->m->options.ids)
        buf_printf(w->b, " // type id %lld%s", (long long)f->type_id,
                   f->is_pooled ? ", constant pool" : "");
    buf_byte(w->b, '\n');
}

static void put_counts_text(const struct writing *w, const struct meta_type *t)
{
    uint64_t span_ns = w->m->summary->span_ns;

    buf_printf(w->b, "// %llu events, %llu bytes", (unsigned long long)t->stats.n,
               (unsigned long long)t->stats.bytes);
    if (span_ns > 0)
        buf_printf(w->b, ", %.4g/s", (double)t->stats.n * 1e9 / (double)span_ns);
    buf_byte(w->b, '\n');
}

static const char *default_text_of(const struct meta_type *t, const char *setting)
{
    for (size_t i = 0; i < t->n_settings; i++)
        if (strcmp(t->settings[i].name, setting) == 0)
            return t->settings[i].default_value;
    return NULL;
}

static bool is_active(const struct meta_type *t, const char *setting)
{
    for (size_t i = 0; i < t->n_active; i++)
        if (strcmp(t->active[i].name, setting) == 0)
            return true;
    return false;
}

/* What was set in the recording, then the defaults of what was not. */
static void put_settings(const struct writing *w, const struct meta_type *t)
{
    for (size_t i = 0; i < t->n_active; i++) {
        const char *usual = default_text_of(t, t->active[i].name);

        buf_str(w->b, "// setting ");
        put(w, t->active[i].name);
        buf_str(w->b, " = ");
        put(w, t->active[i].value);
        if (usual != NULL && strcmp(usual, t->active[i].value) != 0) {
            buf_str(w->b, " (default ");
            put(w, usual);
            buf_byte(w->b, ')');
        }
        buf_byte(w->b, '\n');
    }
    for (size_t i = 0; i < t->n_settings; i++) {
        const struct meta_setting *s = &t->settings[i];

        if (is_active(t, s->name))
            continue;
        buf_str(w->b, "// setting ");
        put(w, s->name);
        buf_str(w->b, s->default_value == NULL ? "" : ", default ");
        put(w, s->default_value == NULL ? "" : s->default_value);
        buf_byte(w->b, '\n');
    }
}

static void put_remarks(const struct writing *w, const struct meta_type *t)
{
    const struct meta_options *o = &w->m->options;

    if (t->layout > 1 && !o->compat)
        buf_printf(w->b, "// layout %u of this type: its fields differ between chunks\n",
                   t->layout);
    if (o->ids)
        buf_printf(w->b, "// type id %lld\n", (long long)t->id);
    if (o->used)
        put_counts_text(w, t);
    if (o->settings)
        put_settings(w, t);
}

static void put_type_text(const struct writing *w, const struct meta_type *t)
{
    put_remarks(w, t);
    if (strchr(t->name, '.') != NULL) {
        buf_str(w->b, "@Name(\"");
        put(w, t->name);
        buf_str(w->b, "\")\n");
    }
    for (size_t i = 0; i < t->n_annotations; i++)
        if (strcmp(t->annotations[i].type, "jdk.jfr.Name") != 0)
            put_annotation(w, &t->annotations[i]);
    buf_str(w->b, "class ");
    put(w, meta_simple_name(t->name));
    if (t->super != NULL) {
        buf_str(w->b, " extends ");
        put(w, t->super);
    }
    buf_str(w->b, " {\n");
    for (size_t i = 0; i < t->n_fields; i++) {
        if (i > 0)
            buf_byte(w->b, '\n');
        put_field_text(w, &t->fields[i]);
    }
    buf_str(w->b, "}\n\n");
}

int meta_text(const struct meta *m, struct out *out)
{
    struct writing w = {m, &out->b};

    for (size_t i = 0; i < m->n_types && out_check(out) == 0; i++)
        if (meta_is_shown(m, &m->types[i]))
            put_type_text(&w, &m->types[i]);
    return out->rc;
}
