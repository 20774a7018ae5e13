/*
 * text.c - writes slow scopes as text: groups, the slowest scopes, the reasons, and notes.
 *
 * Tables are cut to the width and number of rows that the options give.
 */
#include "convert/slow/write.h"

#include "jfrfmt/base/amount.h"

#include <inttypes.h>
#include <stdio.h>

static void put_text_line(struct out *out, const char *text)
{
    buf_bytes(&out->b, text, strlen(text));
    buf_byte(&out->b, '\n');
}

static int write_fitted(struct table *t, const struct slow_text_options *o, struct out *out)
{
    int rc;

    if (t == NULL)
        return JFR_E_NOMEM;
    table_set_fit(t, o->fit);
    rc = table_write(t, TABLE_AS_TEXT, out);
    table_free(t);
    return rc;
}

static void put_cstr(struct table *t, const char *text)
{
    table_put_text(t, text, strlen(text));
}

static const char *key_title(const struct slow *s)
{
    const char *key = slow_facts(s).key;

    return key == NULL ? "scopes" : key;
}

static void put_group_key(const struct slow *s, struct table *t, uint32_t key)
{
    put_cstr(t, key == 0 ? "(all)" : slow_key_text(s, key));
}

static int write_groups(const struct slow *s, const struct slow_text_options *o, struct out *out)
{
    struct table *t = table_new("");
    size_t n = slow_n_groups(s);
    char text[100];

    if (t == NULL)
        return JFR_E_NOMEM;
    table_column(t, "key", key_title(s), TABLE_TEXT);
    table_column(t, "count", "count", TABLE_COUNT);
    table_column(t, "p50", "p50", TABLE_NS);
    table_column(t, "p90", "p90", TABLE_NS);
    table_column(t, "p99", "p99", TABLE_NS);
    table_column(t, "max", "max", TABLE_NS);
    table_column(t, "slow", "slow", TABLE_COUNT);
    for (size_t i = 0; i < n && i < o->n_groups; i++) {
        const struct slow_group *g = slow_group(s, i);

        put_group_key(s, t, g->key);
        table_put_int(t, (int64_t)g->n);
        table_put_int(t, g->p50_ns);
        table_put_int(t, g->p90_ns);
        table_put_int(t, g->p99_ns);
        table_put_int(t, g->max_ns);
        table_put_int(t, (int64_t)g->n_slow);
    }
    if (n > o->n_groups) {
        snprintf(text, sizeof(text), "and %zu more, with less time", n - o->n_groups);
        table_note(t, text);
    }
    return write_fitted(t, o, out);
}

/* Values of a scope but that of the key: "user=alice trace=17, thread http-4". */
static void put_scope_values(const struct slow *s, struct table *t, size_t scope)
{
    const char *key = slow_facts(s).key, *value;
    struct buf b = {0};

    for (size_t k = 0; (value = slow_scope_value(s, scope, k)) != NULL; k++) {
        size_t n = strcspn(value, "=");

        if (key != NULL && n == strlen(key) && strncmp(value, key, n) == 0)
            continue;
        if (b.n > 0)
            buf_byte(&b, ' ');
        buf_bytes(&b, value, strlen(value));
    }
    if (buf_ok(&b))
        table_put_text(t, (const char *)b.p, b.n);
    else
        table_put_none(t);
    buf_free(&b);
}

static int write_slowest(const struct slow *s, const struct slow_text_options *o, struct out *out)
{
    struct table *t = table_new("");
    enum {
        DURATION,
        KEY,
        PARTS
    };

    if (t == NULL)
        return JFR_E_NOMEM;
    table_column(t, "duration", "duration", TABLE_NS);
    table_column(t, "key", key_title(s), TABLE_TEXT);
    for (int i = 0; i < SLOW_PARTS; i++) {
        const char *name = slow_part_name((enum slow_part)i);

        table_column(t, name, name, TABLE_NS);
        table_column_is_optional(t, (size_t)PARTS + (size_t)i);
    }
    table_column(t, "running_or_unknown", "running or unknown", TABLE_NS);
    table_column_is_optional(t, PARTS + SLOW_PARTS);
    table_column(t, "cpu", "CPU", TABLE_NS);
    table_column_is_optional(t, PARTS + SLOW_PARTS + 1);
    table_column(t, "allocated", "allocated", TABLE_BYTES);
    table_column_is_optional(t, PARTS + SLOW_PARTS + 2);
    table_column(t, "io", "I/O bytes", TABLE_BYTES);
    table_column_is_optional(t, PARTS + SLOW_PARTS + 3);
    table_column(t, "elsewhere", "tasks' CPU", TABLE_NS);
    table_column_is_optional(t, PARTS + SLOW_PARTS + 4);
    table_column(t, "values", "of", TABLE_TEXT);
    for (size_t i = 0; i < slow_n_slowest(s); i++) {
        const struct slow_scope *c = slow_scope(s, slow_slowest(s, i));
        bool is_known = c->n_samples > 0;

        table_put_int(t, c->end_ns - c->start_ns);
        put_group_key(s, t, c->group);
        for (int k = 0; k < SLOW_UNKNOWN; k++)
            table_put_int(t, c->parts[k]);
        table_put_int(t, is_known ? c->parts[SLOW_UNKNOWN] : 0);
        table_put_int(t, is_known ? 0 : c->parts[SLOW_UNKNOWN]);
        table_put_int(t, c->cpu_ns);
        table_put_int(t, c->alloc_bytes);
        table_put_int(t, c->io_bytes);
        table_put_int(t, c->elsewhere.cpu_ns);
        put_scope_values(s, t, slow_slowest(s, i));
    }
    return write_fitted(t, o, out);
}

static int write_reasons(const struct slow *s, const struct slow_text_options *o, struct out *out)
{
    struct table *t = table_new("");

    if (t == NULL)
        return JFR_E_NOMEM;
    table_column(t, "share", "explains", TABLE_SHARE);
    table_column(t, "ns", "time", TABLE_NS);
    table_column(t, "error", "+-", TABLE_NS);
    table_column(t, "confidence", "sure", TABLE_SHARE);
    table_column(t, "reason", "reason", TABLE_TEXT);
    for (size_t i = 0; i < slow_n_reasons(s); i++) {
        const struct slow_reason *r = slow_reason(s, i);
        struct buf b = {0};

        slow_put_reason(&b, r);
        table_put_real(t, r->share);
        table_put_int(t, (int64_t)r->ns);
        table_put_int(t, (int64_t)r->error_ns);
        table_put_real(t, slow_confidence(r));
        table_put_text(t, buf_ok(&b) ? (const char *)b.p : "", buf_ok(&b) ? b.n : 0);
        buf_free(&b);
    }
    return write_fitted(t, o, out);
}

static void put_comparison(const struct slow *s, struct out *out)
{
    const struct slow_facts f = slow_facts(s);

    buf_byte(&out->b, '\n');
    if (f.n_median_examined == 0) {
        put_text_line(out, "There are too few scopes to compare the slow ones with others.");
        return;
    }
    buf_printf(&out->b, "What %" PRIu64 " slow %s that those around the median do not (mean ",
               f.n_slow_examined, f.n_slow_examined == 1 ? "one does" : "ones do");
    amount_put_ns(&out->b, f.slow_mean_ns);
    buf_printf(&out->b, ", against ");
    amount_put_ns(&out->b, f.median_mean_ns);
    put_text_line(out, "):");
    buf_byte(&out->b, '\n');
}

int slow_write_text(const struct slow *s, const struct slow_text_options *options, struct out *out)
{
    const struct slow_facts f = slow_facts(s);
    char note[300];
    int rc = f.n_scopes == 0 ? 0 : write_groups(s, options, out);

    if (rc == 0 && slow_n_slowest(s) > 0) {
        buf_printf(&out->b, "\nThe slowest, and where their time went:\n\n");
        rc = write_slowest(s, options, out);
    }
    if (rc == 0 && f.n_scopes > 0) {
        put_comparison(s, out);
        if (slow_n_reasons(s) > 0)
            rc = write_reasons(s, options, out);
        else if (f.n_median_examined > 0)
            put_text_line(out, "Nothing that is more than chance.");
    }
    for (size_t i = 0; rc == 0 && f.n_scopes > 0 && slow_note(s, i, note, sizeof(note)); i++) {
        if (i == 0)
            buf_byte(&out->b, '\n');
        buf_printf(&out->b, "Note: %s.\n", note);
    }
    return rc == 0 ? out_check(out) : rc;
}
