/*
 * table_out.c - writes a table as CSV, JSON, HTML or Markdown.
 *
 * Numbers in CSV and JSON are in base units (ns, bytes); HTML and Markdown show them as the text
 * table does. table_text.c writes the table for terminals.
 */
#include "convert/text/html.h"
#include "convert/text/jsonw.h"
#include "convert/report/table_internal.h"
#include "jfrfmt/base/amount.h"

#define NONE_TEXT "-"

static const char style[] =
    "body{font:14px/1.4 system-ui,sans-serif;margin:1.5em;color:#222;background:#fff}"
    "table{border-collapse:collapse}caption{text-align:left;font-weight:bold;padding:.5em 0}"
    "th,td{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:left;"
    "overflow-wrap:anywhere}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
    "th,td{border-color:#444}}";

/* Of `style`, as the page's policy has it. */
#define STYLE_HASH "lH9buelKySSzyKmckumLaLEBGTJfc9HOem1vgj6qv0A="

/* --- cells ------------------------------------------------------------------------------------ */

void table_format(struct buf *b, enum table_type type, int64_t i, double d)
{
    switch (type) {
    case TABLE_BYTES:
        amount_put_bytes(b, i);
        break;
    case TABLE_NS:
        amount_put_ns(b, i);
        break;
    case TABLE_SHARE:
        buf_printf(b, "%.2f%%", 100 * d);
        break;
    case TABLE_ERROR:
        buf_printf(b, "%.2f", 100 * d);
        break;
    case TABLE_CHANGE:
        buf_printf(b, "%+.1f%%", 100 * d);
        break;
    case TABLE_POINTS:
        buf_printf(b, "%+.2f", 100 * d);
        break;
    case TABLE_REAL:
        buf_printf(b, "%.4g", d);
        break;
    case TABLE_P:
        buf_printf(b, d < 0.0001 ? "<0.0001" : "%.4f", d);
        break;
    default:
        buf_printf(b, "%lld", (long long)i);
    }
}

static bool is_integer(enum table_type type)
{
    return type == TABLE_COUNT || type == TABLE_BYTES || type == TABLE_NS;
}

void table_put_cell(struct buf *b, const struct table *t, size_t row, size_t column)
{
    const struct table_cell *c = table_cell(t, row, column);
    enum table_type type = table_columns(t)[column].type;
    size_t n, from = b->n;

    if (!c->has_value) {
        buf_str(b, NONE_TEXT);
    } else if (c->is_text || c->shown != 0) {
        const char *s = intern_get(&t->texts, c->shown != 0 ? c->shown - 1 : (uint32_t)c->i, &n);

        buf_bytes(b, s, n);
        for (size_t i = from; i < b->n; i++)
            if (b->p[i] < ' ' || b->p[i] == 0x7f)
                b->p[i] = ' ';
    } else {
        table_format(b, type, c->i, c->d);
    }
}

/* What a program reads. */
static void put_raw_number(struct buf *b, enum table_type type, const struct table_cell *c)
{
    if (is_integer(type) || (type == TABLE_ANY && !c->is_real))
        jsonw_i64(b, c->i);
    else
        jsonw_double(b, c->d);
}

bool table_is_left(const struct table *t, size_t column)
{
    enum table_type type = table_columns(t)[column].type;

    for (size_t row = 0; row < table_n_rows(t) && type == TABLE_ANY; row++)
        if (table_cell(t, row, column)->has_value)
            return table_cell(t, row, column)->is_text;
    return type == TABLE_TEXT || type == TABLE_ANY;
}

bool table_is_shown(const struct table *t, size_t column)
{
    if (!table_columns(t)[column].is_optional)
        return true;
    for (size_t row = 0; row < table_n_rows(t); row++)
        if (table_cell(t, row, column)->d != 0)
            return true;
    return false;
}

void table_put_notes(const struct table *t, const char *before, const char *after, bool html,
                     struct buf *o)
{
    for (size_t at = 0; at < t->notes.n;) {
        const char *s = (const char *)t->notes.p + at;
        size_t n = strlen(s);

        buf_str(o, before);
        if (html)
            html_text(o, s, n);
        else
            buf_bytes(o, s, n);
        buf_str(o, after);
        at += n + 1;
    }
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* RFC 4180. A spreadsheet takes what begins so for a formula: a quote keeps it a text. */
static void put_csv(struct buf *b, const char *s, size_t n)
{
    bool quote = memchr(s, '"', n) != NULL || memchr(s, ',', n) != NULL ||
                 memchr(s, '\n', n) != NULL || memchr(s, '\r', n) != NULL;

    if (n > 0 && strchr("=+-@\t", *s) != NULL && *s != '\0') {
        buf_str(b, "\"'");
        quote = true;
    } else if (quote) {
        buf_byte(b, '"');
    }
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"')
            buf_byte(b, '"');
        buf_byte(b, (uint8_t)s[i]);
    }
    if (quote)
        buf_byte(b, '"');
}

static int write_csv(const struct table *t, struct out *out)
{
    const struct table_column *columns = table_columns(t);
    struct buf *b = &out->b;
    int rc = 0;

    for (size_t i = 0; i < t->n_columns; i++) {
        buf_str(b, i == 0 ? "" : ",");
        put_csv(b, columns[i].name, strlen(columns[i].name));
    }
    buf_str(b, "\n");
    for (size_t row = 0; row < table_n_rows(t) && rc == 0; row++) {
        for (size_t i = 0; i < t->n_columns; i++) {
            const struct table_cell *c = table_cell(t, row, i);
            size_t n;

            buf_str(b, i == 0 ? "" : ",");
            if (c->has_value && c->is_text) {
                const char *s = intern_get(&t->texts, (uint32_t)c->i, &n);

                put_csv(b, s, n);
            } else if (c->has_value) {
                put_raw_number(b, columns[i].type, c);
            }
        }
        buf_str(b, "\n");
        rc = out_check(out);
    }
    return rc;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const char *table_unit_of(enum table_type type)
{
    static const char *const units[] = {"text",  "count", "bytes",  "ns",          "share", "share",
                                        "share", "share", "number", "probability", "any"};

    return units[type];
}

static void json_row(const struct table *t, size_t row, struct buf *b)
{
    const struct table_column *columns = table_columns(t);

    for (size_t i = 0; i < t->n_columns; i++) {
        const struct table_cell *c = table_cell(t, row, i);
        size_t n;

        buf_str(b, i == 0 ? "{" : ",");
        jsonw_str(b, columns[i].name, strlen(columns[i].name));
        buf_byte(b, ':');
        if (!c->has_value) {
            buf_str(b, "null");
        } else if (c->is_text) {
            const char *s = intern_get(&t->texts, (uint32_t)c->i, &n);

            jsonw_str(b, s, n);
        } else {
            put_raw_number(b, columns[i].type, c);
        }
    }
    buf_byte(b, '}');
}

static int write_json(const struct table *t, struct out *out)
{
    struct buf *b = &out->b;
    int rc = 0;

    buf_str(b, "{\"title\":");
    jsonw_str(b, t->title, strlen(t->title));
    buf_str(b, ",\"columns\":[");
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_str(b, i == 0 ? "{\"name\":" : ",{\"name\":");
        jsonw_str(b, table_columns(t)[i].name, strlen(table_columns(t)[i].name));
        buf_printf(b, ",\"unit\":\"%s\"}", table_unit_of(table_columns(t)[i].type));
    }
    buf_str(b, "],\"rows\":[");
    for (size_t row = 0; row < table_n_rows(t) && rc == 0; row++) {
        buf_str(b, row == 0 ? "\n" : ",\n");
        json_row(t, row, b);
        rc = out_check(out);
    }
    buf_str(b, "\n]");
    for (size_t at = 0; at < t->notes.n; at += strlen((const char *)t->notes.p + at) + 1) {
        buf_str(b, at == 0 ? ",\"notes\":[" : ",");
        jsonw_str(b, (const char *)t->notes.p + at, strlen((const char *)t->notes.p + at));
    }
    buf_str(b, t->notes.n > 0 ? "]}\n" : "}\n");
    return rc;
}

/* --- HTML, Markdown --------------------------------------------------------------------------- */

static void html_cell(struct buf *o, const char *tag, bool is_text, const char *s, size_t n)
{
    buf_printf(o, "<%s%s>", tag, is_text ? "" : " class=n");
    html_text(o, s, n);
}

static int write_html(const struct table *t, struct out *out)
{
    struct buf *b = &out->b, cell = {0};
    int rc = 0;

    buf_str(b, "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>\n"
               "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
               "style-src 'sha256-" STYLE_HASH "'; base-uri 'none'; form-action 'none'\">\n"
               "<meta name=referrer content=no-referrer>\n<title>");
    html_text(b, t->title, strlen(t->title));
    buf_printf(b, "</title>\n<style>%s</style>\n<table>\n<caption>", style);
    html_text(b, t->title, strlen(t->title));
    buf_str(b, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < t->n_columns; i++)
        if (table_is_shown(t, i))
            html_cell(b, "th scope=col", table_is_left(t, i), table_columns(t)[i].title,
                      strlen(table_columns(t)[i].title));
    buf_str(b, "\n<tbody>\n");
    for (size_t row = 0; row < table_n_rows(t) && rc == 0; row++) {
        buf_str(b, "<tr>");
        for (size_t i = 0; i < t->n_columns; i++) {
            if (!table_is_shown(t, i))
                continue;
            buf_reset(&cell);
            table_put_cell(&cell, t, row, i);
            html_cell(b, "td", table_is_left(t, i), (const char *)cell.p, cell.n);
        }
        buf_byte(b, '\n');
        rc = out_check(out);
    }
    buf_str(b, "</table>\n");
    table_put_notes(t, "<p>", "\n", true, b);
    if (rc == 0 && !buf_ok(&cell))
        rc = JFR_E_NOMEM;
    buf_free(&cell);
    return rc;
}

static void md_cell(struct buf *o, const uint8_t *s, size_t n)
{
    buf_byte(o, ' ');
    for (size_t i = 0; i < n; i++) {
        if (s[i] != '\0' && strchr("|<>`[]*_&\\", s[i]) != NULL)
            buf_byte(o, '\\');
        buf_byte(o, s[i]);
    }
    buf_str(o, " |");
}

static int write_markdown(const struct table *t, struct out *out)
{
    struct buf *b = &out->b, cell = {0};
    int rc = 0;

    buf_byte(b, '|');
    for (size_t i = 0; i < t->n_columns; i++)
        if (table_is_shown(t, i))
            md_cell(b, (const uint8_t *)table_columns(t)[i].title,
                    strlen(table_columns(t)[i].title));
    buf_str(b, "\n|");
    for (size_t i = 0; i < t->n_columns; i++)
        if (table_is_shown(t, i))
            buf_str(b, table_is_left(t, i) ? " --- |" : " ---: |");
    for (size_t row = 0; row < table_n_rows(t) && rc == 0; row++) {
        buf_str(b, "\n|");
        for (size_t i = 0; i < t->n_columns; i++) {
            if (!table_is_shown(t, i))
                continue;
            buf_reset(&cell);
            table_put_cell(&cell, t, row, i);
            md_cell(b, cell.p, cell.n);
        }
        rc = out_check(out);
    }
    buf_byte(b, '\n');
    table_put_notes(t, "\n", "\n", false, b);
    if (rc == 0 && !buf_ok(&cell))
        rc = JFR_E_NOMEM;
    buf_free(&cell);
    return rc;
}

/* --- TSV -------------------------------------------------------------------------------------- */

static int write_tsv(const struct table *t, struct out *out)
{
    int rc = 0;

    for (size_t i = 0; i < t->n_columns; i++)
        buf_printf(&out->b, "%s%s", i == 0 ? "" : "\t", table_columns(t)[i].name);
    buf_byte(&out->b, '\n');
    for (size_t row = 0; row < table_n_rows(t) && rc == 0; row++) {
        for (size_t i = 0; i < t->n_columns; i++) {
            if (i > 0)
                buf_byte(&out->b, '\t');
            table_put_cell(&out->b, t, row, i);
        }
        buf_byte(&out->b, '\n');
        rc = out_check(out);
    }
    return rc;
}

int table_write(const struct table *t, enum table_as as, struct out *out)
{
    static int (*const writers[])(const struct table *, struct out *) = {
        table_write_text, write_csv, write_json, write_html, write_markdown, write_tsv};

    if (t->failed || !buf_ok(&t->cells) || !buf_ok(&t->columns) || !buf_ok(&t->notes))
        return JFR_E_NOMEM;
    return writers[as](t, out);
}
