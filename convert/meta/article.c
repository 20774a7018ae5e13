/*
 * article.c - writes the HTML about one type: its fields, settings, annotations and an example.
 *
 * html.c calls it for each type that has anything to show. All names and values come from
 * recordings of others and are escaped. Names of types that have an article are links to it.
 */
#include "convert/meta/html.h"
#include "jfrfmt/base/amount.h"
#include "jfrfmt/base/sorted.h"

#include <string.h>

bool meta_has_article(const struct meta_type *t)
{
    return t->kind == META_EVENT || (t->kind == META_TYPE && t->n_fields > 0);
}

static void put_badge(struct buf *b, bool is_set, const char *text)
{
    if (is_set)
        buf_printf(b, " <b class=\"badge\">%s</b>", text);
}

static void put_title(struct buf *b, const struct meta_type *t)
{
    bool has_label = t->label != NULL && *t->label != 0;

    buf_str(b, "<h3><a href=\"#");
    meta_put_id(b, t);
    buf_str(b, "\">");
    meta_put_text(b, has_label ? t->label : meta_simple_name(t->name));
    buf_str(b, "</a><code>");
    meta_put_text(b, t->name);
    buf_str(b, "</code>");
    put_badge(b, t->is_experimental, "experimental");
    if (t->layout > 1)
        buf_printf(b, " <b class=\"badge\">layout %u</b>", t->layout);
    buf_str(b, "</h3>\n");
    if (t->description != NULL && *t->description != 0) {
        buf_str(b, "<p>");
        meta_put_text(b, t->description);
        buf_str(b, "</p>\n");
    }
    if (t->layout > 1)
        buf_str(b, "<p class=\"note\">The fields of this type differ between chunks. Counts and "
                   "settings are those of all its layouts.</p>\n");
}

static void put_time_row(struct buf *b, const char *key, int64_t ns)
{
    buf_printf(b, "<div><dt>%s</dt><dd>", key);
    summary_put_time(b, ns, true);
    buf_str(b, "</dd></div>\n");
}

static void put_stats(struct buf *b, const struct meta *m, const struct meta_type *t)
{
    const struct summary *s = m->summary;
    double share = s->bytes == 0 ? 0 : (double)t->stats.bytes / (double)s->bytes;

    if (t->stats.n == 0)
        return;
    buf_str(b, "<dl>\n<div><dt>Events</dt><dd>");
    meta_put_count(b, t->stats.n);
    buf_str(b, "</dd></div>\n<div><dt>Size</dt><dd>");
    amount_put_bytes(b, (int64_t)t->stats.bytes);
    buf_printf(b,
               "</dd></div>\n<div><dt>Share of the recording</dt><dd>%.2f %%<meter "
               "value=\"%.4f\"></meter></dd></div>\n",
               100 * share, share);
    if (s->span_ns > 0)
        buf_printf(b, "<div><dt>Rate</dt><dd>%.3g/s</dd></div>\n",
                   (double)t->stats.n * 1e9 / (double)s->span_ns);
    if (t->stats.first_ns <= t->stats.last_ns) {
        put_time_row(b, "First", t->stats.first_ns);
        put_time_row(b, "Last", t->stats.last_ns);
    }
    buf_str(b, "</dl>\n");
}

static const char *default_of(const struct meta_type *t, const char *name)
{
    for (size_t i = 0; i < t->n_settings; i++)
        if (strcmp(t->settings[i].name, name) == 0)
            return t->settings[i].default_value;
    return NULL;
}

static const char *active_of(const struct meta_type *t, const char *name)
{
    for (size_t i = 0; i < t->n_active; i++)
        if (strcmp(t->active[i].name, name) == 0)
            return t->active[i].value;
    return NULL;
}

static void put_setting(struct buf *b, const char *name, const char *active, const char *usual)
{
    bool differs = active != NULL && usual != NULL && strcmp(active, usual) != 0;

    buf_str(b, "<tr><td><code>");
    meta_put_text(b, name);
    buf_str(b, differs ? "</code></td><td class=\"differs\">" : "</code></td><td>");
    meta_put_text(b, active);
    buf_str(b, "</td><td>");
    meta_put_text(b, usual);
    buf_str(b, "</td></tr>\n");
}

static void put_settings(struct buf *b, const struct meta_type *t)
{
    if (t->n_active + t->n_settings == 0)
        return;
    buf_str(b, "<table class=\"settings\">\n<tr><th>Setting</th><th>In this recording</th>"
               "<th>Default</th></tr>\n");
    for (size_t i = 0; i < t->n_active; i++)
        put_setting(b, t->active[i].name, t->active[i].value, default_of(t, t->active[i].name));
    for (size_t i = 0; i < t->n_settings; i++)
        if (active_of(t, t->settings[i].name) == NULL)
            put_setting(b, t->settings[i].name, NULL, t->settings[i].default_value);
    buf_str(b, "</table>\n");
}

static const struct meta_type *type_of(const struct meta *m, const char *name)
{
    struct meta_type want = {.kind = META_TYPE, .name = name, .layout = 1};
    size_t at = SORTED_FIRST(m->n_types, i, meta_order(&m->types[i], &want) >= 0);

    return at < m->n_types && meta_order(&m->types[at], &want) == 0 ? &m->types[at] : NULL;
}

/* The type's name, linked when there is an article about it. */
static void put_type_row(struct buf *b, const struct meta *m, const struct meta_field *f)
{
    const struct meta_type *t = type_of(m, f->shown);
    bool is_linked = t != NULL && meta_has_article(t) && !meta_is_filtered(m);

    if (is_linked) {
        buf_str(b, "<a href=\"#");
        meta_put_id(b, t);
        buf_str(b, "\">");
    }
    buf_str(b, "<code>");
    meta_put_text(b, meta_simple_name(f->shown));
    buf_str(b, f->is_array ? "[]</code>" : "</code>");
    buf_str(b, is_linked ? "</a>" : "");
}

static const char *unit_text(enum jfr_unit unit)
{
    static const char *const texts[] = {
        [JFR_UNIT_TIMESTAMP_TICKS] = "time (ticks)",
        [JFR_UNIT_TIMESTAMP_MS] = "time (ms)",
        [JFR_UNIT_TIMESTAMP_NS] = "time (ns)",
        [JFR_UNIT_TIMESTAMP_S] = "time (s)",
        [JFR_UNIT_TICKS] = "duration (ticks)",
        [JFR_UNIT_NS] = "duration (ns)",
        [JFR_UNIT_US] = "duration (us)",
        [JFR_UNIT_MS] = "duration (ms)",
        [JFR_UNIT_S] = "duration (s)",
        [JFR_UNIT_BYTES] = "bytes",
        [JFR_UNIT_BITS] = "bits",
        [JFR_UNIT_PERCENT] = "percent",
        [JFR_UNIT_ADDRESS] = "address",
        [JFR_UNIT_HERTZ] = "Hz",
    };

    return (size_t)unit < sizeof(texts) / sizeof(texts[0]) ? texts[unit] : NULL;
}

/* Is the annotation shown elsewhere in the row, or of no use to a reader? */
static bool is_annotation_left_out(const char *annotation)
{
    static const char *const shown[] = {"Label",      "Description", "Timestamp",     "Timespan",
                                        "DataAmount", "Percentage",  "MemoryAddress", "Frequency"};

    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        if (strncmp(annotation, "jdk.jfr.", 8) == 0 && strcmp(annotation + 8, shown[i]) == 0)
            return true;
    return false;
}

static void put_annotations(struct buf *b, const struct meta_field *f)
{
    const char *unit = unit_text(f->unit);
    bool any = unit != NULL;

    if (any)
        buf_printf(b, "<small class=\"unit\">%s", unit);
    for (size_t i = 0; i < f->n_annotations; i++) {
        if (is_annotation_left_out(f->annotations[i].type))
            continue;
        buf_str(b, any ? ", @" : "<small class=\"unit\">@");
        meta_put_text(b, meta_simple_name(f->annotations[i].type));
        any = true;
    }
    buf_str(b, any ? "</small>" : "");
}

static void put_lines(struct buf *b, const char *text)
{
    for (const char *p = text;;) {
        size_t n = strcspn(p, "\n");
        char line[1100];

        n = n < sizeof(line) ? n : sizeof(line) - 1;
        memcpy(line, p, n);
        line[n] = 0;
        meta_put_text(b, line);
        p += n;
        if (*p == 0)
            return;
        buf_str(b, "<br>");
        p++;
    }
}

static void put_field(struct buf *b, const struct meta *m, const struct meta_type *t, size_t i)
{
    const struct meta_field *f = &t->fields[i];
    bool has_label = f->label != NULL && *f->label != 0;

    buf_str(b, "<tr><td><code>");
    meta_put_text(b, f->name);
    buf_str(b, "</code></td><td>");
    put_type_row(b, m, f);
    put_annotations(b, f);
    buf_str(b, "</td><td>");
    meta_put_text(b, f->label);
    if (f->description != NULL && *f->description != 0) {
        buf_str(b, has_label ? "<small class=\"more\">" : "");
        meta_put_text(b, f->description);
        buf_str(b, has_label ? "</small>" : "");
    }
    if (t->example != NULL) {
        buf_str(b, "</td><td class=\"example\">");
        put_lines(b, t->example[i]);
    }
    buf_str(b, "</td></tr>\n");
}

static void put_fields(struct buf *b, const struct meta *m, const struct meta_type *t)
{
    if (t->n_fields == 0)
        return;
    buf_printf(b,
               "<table class=\"fields%s\">\n<tr><th>Field</th><th>Type</th><th>Description</th>"
               "%s</tr>\n",
               t->example != NULL ? " with-example" : "",
               t->example != NULL ? "<th>First event</th>" : "");
    for (size_t i = 0; i < t->n_fields; i++)
        put_field(b, m, t, i);
    buf_str(b, "</table>\n");
}

void meta_put_article(struct buf *b, const struct meta *m, const struct meta_type *t)
{
    buf_str(b, "<article id=\"");
    meta_put_id(b, t);
    buf_str(b, t->kind == META_EVENT && t->stats.n == 0 ? "\" class=\"unused\">\n" : "\">\n");
    put_title(b, t);
    if (t->kind == META_EVENT) {
        put_stats(b, m, t);
        put_settings(b, t);
    }
    put_fields(b, m, t);
    buf_str(b, "</article>\n");
}
