/*
 * html.c - the event types of recordings as a page to read, with a list to filter them.
 *
 * jfrmeta -f html calls it. What is said of a type is in article.c.
 */
#include "convert/meta/html.h"

#include "convert/text/html.h"
#include "convert/page_meta.h"
#include "jfrfmt/base/amount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void meta_put_text(struct buf *b, const char *text)
{
    if (text != NULL)
        html_text(b, text, strlen(text));
}

static void meta_put_attr(struct buf *b, const char *text)
{
    html_attr(b, text, strlen(text));
}

void meta_put_id(struct buf *b, const struct meta_type *t)
{
    meta_put_attr(b, t->name);
    if (t->layout > 1)
        buf_printf(b, "~%u", t->layout);
}

void meta_put_count(struct buf *b, uint64_t n)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            buf_str(b, "\xe2\x80\xaf");
        buf_byte(b, (uint8_t)digits[i]);
    }
}

/* Returns part i of an event's category, or NULL after the last part. */
static const char *meta_part(const struct meta_type *t, size_t i)
{
    if (t->category == NULL || t->category->n == 0)
        return i == 0 ? "Uncategorized" : NULL;
    return i < t->category->n && i < META_DEPTH_MAX ? t->category->values[i] : NULL;
}

static const char *shown_label(const struct meta_type *t)
{
    return t->label != NULL && *t->label != 0 ? t->label : meta_simple_name(t->name);
}

/* By category, then label: the tree in pre-order. */
static int by_category(const void *a, const void *b)
{
    const struct meta_type *x = *(const struct meta_type *const *)a;
    const struct meta_type *y = *(const struct meta_type *const *)b;
    int order = 0;

    for (size_t i = 0; order == 0; i++) {
        const char *p = meta_part(x, i), *q = meta_part(y, i);

        if (p == NULL && q == NULL)
            break;
        order = p == NULL ? -1 : q == NULL ? 1 : strcmp(p, q);
    }
    if (order == 0)
        order = strcmp(shown_label(x), shown_label(y));
    return order != 0 ? order : meta_order(x, y);
}

/* How many parts of their categories are equal, from the top. */
static size_t common(const struct meta_type *x, const struct meta_type *y)
{
    size_t i = 0;

    while (meta_part(x, i) != NULL && meta_part(y, i) != NULL &&
           strcmp(meta_part(x, i), meta_part(y, i)) == 0)
        i++;
    return i;
}

static size_t depth_of(const struct meta_type *t)
{
    size_t i = 0;

    while (meta_part(t, i) != NULL)
        i++;
    return i;
}

/* Opens the tree node of part `depth` of the type's category, with the number of types below. */
static void open_node(struct buf *b, const struct meta_type *const *list, size_t n, size_t depth)
{
    size_t used = 0, all = 0;

    for (; all < n && common(list[0], list[all]) > depth; all++)
        used += list[all]->stats.n > 0;
    buf_printf(b, "<details open%s><summary>", used == 0 ? " class=\"unused\"" : "");
    meta_put_text(b, meta_part(list[0], depth));
    buf_printf(b, "<span>%zu</span></summary>\n", used > 0 ? used : all);
}

static void put_html_entry(struct buf *b, const struct meta_type *t)
{
    buf_printf(b, "<li%s data-of=\"", t->stats.n == 0 ? " class=\"unused\"" : "");
    meta_put_id(b, t);
    buf_str(b, "\"><a href=\"#");
    meta_put_id(b, t);
    buf_str(b, "\">");
    meta_put_text(b, shown_label(t));
    buf_str(b, "</a>");
    if (t->stats.n > 0) {
        buf_str(b, "<span>");
        meta_put_count(b, t->stats.n);
        buf_str(b, "</span>");
    }
    buf_str(b, "</li>\n");
}

static void put_menu_tree(struct buf *b, const struct meta_type *const *list, size_t n)
{
    size_t depth = 0;

    for (size_t i = 0; i < n; i++) {
        size_t same = i == 0 ? 0 : common(list[i - 1], list[i]);
        bool is_new = i == 0 || same < depth_of(list[i]) || same < depth;

        if (is_new && i > 0)
            buf_str(b, "</ul>\n");
        for (; depth > same; depth--)
            buf_str(b, "</details>\n");
        for (; depth < depth_of(list[i]); depth++)
            open_node(b, list + i, n - i, depth);
        if (is_new)
            buf_str(b, "<ul>\n");
        put_html_entry(b, list[i]);
    }
    if (n > 0)
        buf_str(b, "</ul>\n");
    for (; depth > 0; depth--)
        buf_str(b, "</details>\n");
}

static void put_fact(struct buf *b, const char *key, const char *value)
{
    buf_printf(b, "<div><dt>%s</dt><dd>", key);
    meta_put_text(b, value);
    buf_str(b, "</dd></div>\n");
}

static void put_list(struct buf *b, const char *key, const struct summary_list *list)
{
    for (uint32_t i = 0; i < intern_n(&list->names) && i < 4; i++)
        put_fact(b, key, intern_get(&list->names, i, NULL));
}

static void put_html_facts(struct buf *b, const struct summary *s)
{
    struct buf t = {0};

    buf_str(b, "<dl>\n");
    if (s->n_chunks > 0) {
        summary_put_time(&t, s->chunks[0].header.start_nanos, false);
        buf_str(&t, " UTC");
        buf_byte(&t, 0);
        put_fact(b, "Start", buf_ok(&t) ? (const char *)t.p : NULL);
    }
    buf_printf(b, "<div><dt>Duration</dt><dd>%.3g s</dd></div>\n", (double)s->span_ns / 1e9);
    buf_str(b, "<div><dt>Events</dt><dd>");
    meta_put_count(b, s->events);
    buf_str(b, "</dd></div>\n<div><dt>Size</dt><dd>");
    amount_put_bytes(b, (int64_t)s->bytes);
    buf_printf(b, "</dd></div>\n<div><dt>Chunks</dt><dd>%zu</dd></div>\n", s->n_chunks);
    put_list(b, "Producer", &s->producers);
    put_list(b, "JVM", &s->jvms);
    put_list(b, "Recording", &s->recordings);
    buf_str(b, "</dl>\n");
    if (s->n_damages > 0) {
        buf_printf(b, "<p class=\"damage\">Damage, %llu found: chunk %u: ",
                   (unsigned long long)s->n_damages, s->damages[0].err.chunk + 1);
        meta_put_text(b, s->damages[0].err.text);
        buf_str(b, "</p>\n");
    }
    buf_free(&t);
}

static const char *file_name(const char *path)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');

    return slash != NULL ? slash + 1 : path == NULL || strcmp(path, "-") == 0 ? "" : path;
}

static void put_html_head(struct buf *b, const struct meta *m)
{
    buf_str(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    buf_bytes(b, meta_policy, sizeof(meta_policy));
    buf_str(b, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<title>Events of ");
    meta_put_text(b, file_name(m->path));
    buf_str(b, "</title>\n<style>");
    buf_bytes(b, meta_style, sizeof(meta_style));
    buf_str(b, "</style>\n</head>\n<body>\n<input type=\"checkbox\" id=\"unused\" "
               "class=\"switch\">\n<header>\n<h1>Event reference<small>");
    meta_put_text(b, file_name(m->path));
    buf_str(b, "</small></h1>\n");
    put_html_facts(b, m->summary);
    buf_str(b, "</header>\n");
}

static void put_nav(struct buf *b, const struct meta_type *const *list, size_t n)
{
    size_t unused = 0;

    for (size_t i = 0; i < n; i++)
        unused += list[i]->stats.n == 0;
    buf_str(b, "<nav>\n<input type=\"search\" id=\"filter\" hidden autocomplete=\"off\" "
               "placeholder=\"Filter events and fields  ( / )\" aria-label=\"Filter\">\n"
               "<output id=\"found\"></output>\n");
    if (unused > 0)
        buf_printf(b, "<label for=\"unused\">Show event types that do not occur (%zu)</label>\n",
                   unused);
    put_menu_tree(b, list, n);
    buf_str(b, "</nav>\n");
}

static void put_heading(struct buf *b, const struct meta_type *t)
{
    buf_str(b, "<h2>");
    for (size_t i = 0; meta_part(t, i) != NULL; i++) {
        buf_str(b, i > 0 ? "<i>\xe2\x80\xba</i>" : "");
        meta_put_text(b, meta_part(t, i));
    }
    buf_str(b, "</h2>\n");
}

static bool same_category(const struct meta_type *x, const struct meta_type *y)
{
    size_t n = common(x, y);

    return n == depth_of(x) && n == depth_of(y);
}

/* One section per category; it is unused when all its types are. */
static int put_events(struct out *out, const struct meta *m, const struct meta_type *const *list,
                      size_t n)
{
    size_t end;

    for (size_t i = 0; i < n; i = end) {
        bool used = false;

        for (end = i; end < n && same_category(list[i], list[end]); end++)
            used |= list[end]->stats.n > 0;
        buf_str(&out->b, used ? "<section>\n" : "<section class=\"unused\">\n");
        put_heading(&out->b, list[i]);
        for (size_t k = i; k < end && out_check(out) == 0; k++)
            meta_put_article(&out->b, m, list[k]);
        buf_str(&out->b, "</section>\n");
    }
    return out->rc;
}

static void put_types_html(struct out *out, const struct meta *m)
{
    buf_str(&out->b, "<section>\n<h2>Types of fields</h2>\n");
    for (size_t i = 0; i < m->n_types && out_check(out) == 0; i++)
        if (meta_has_article(&m->types[i]) && m->types[i].kind != META_EVENT)
            meta_put_article(&out->b, m, &m->types[i]);
    buf_str(&out->b, "</section>\n");
}

int meta_html(const struct meta *m, struct out *out)
{
    const struct meta_type **list = calloc(m->n_types + 1, sizeof(const struct meta_type *));
    size_t n = 0;

    if (list == NULL)
        return JFR_E_NOMEM;
    for (size_t i = 0; i < m->n_types; i++)
        if (m->types[i].kind == META_EVENT && meta_is_shown(m, &m->types[i]))
            list[n++] = &m->types[i];
    qsort(list, n, sizeof(const struct meta_type *), by_category);
    put_html_head(&out->b, m);
    put_nav(&out->b, list, n);
    buf_str(&out->b, "<main>\n");
    put_events(out, m, list, n);
    if (!meta_is_filtered(m))
        put_types_html(out, m);
    buf_str(&out->b, "</main>\n<script>");
    buf_bytes(&out->b, meta_script, sizeof(meta_script));
    buf_str(&out->b, "</script>\n</body>\n</html>\n");
    free(list);
    return out->rc;
}
