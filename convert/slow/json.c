/*
 * json.c - writes slow scopes as one JSON object.
 *
 * It has all that text.c shows, with amounts in ns, and the parts of each scope by name.
 */
#include "convert/slow/write.h"

#include "convert/text/jsonw.h"

static void put_member_name(struct out *out, const char *before, const char *name)
{
    buf_bytes(&out->b, before, strlen(before));
    buf_byte(&out->b, '"');
    buf_bytes(&out->b, name, strlen(name));
    buf_bytes(&out->b, "\": ", 3);
}

static void put_int_member(struct out *out, const char *before, const char *name, int64_t value)
{
    put_member_name(out, before, name);
    jsonw_i64(&out->b, value);
}

static void put_text_member(struct out *out, const char *before, const char *name, const char *text)
{
    put_member_name(out, before, name);
    jsonw_str(&out->b, text, strlen(text));
}

/* Null for scopes without a value. */
static void put_key_member(const struct slow *s, struct out *out, const char *before, uint32_t key)
{
    put_member_name(out, before, "key");
    if (key == 0)
        buf_printf(&out->b, "null");
    else
        jsonw_str(&out->b, slow_key_text(s, key), strlen(slow_key_text(s, key)));
}

static void put_group_object(const struct slow *s, struct out *out, const struct slow_group *g)
{
    put_key_member(s, out, "{", g->key);
    put_int_member(out, ", ", "count", (int64_t)g->n);
    put_int_member(out, ", ", "total", g->total_ns);
    put_int_member(out, ", ", "p50", g->p50_ns);
    put_int_member(out, ", ", "p90", g->p90_ns);
    put_int_member(out, ", ", "p99", g->p99_ns);
    put_int_member(out, ", ", "max", g->max_ns);
    put_int_member(out, ", ", "slow", (int64_t)g->n_slow);
    buf_byte(&out->b, '}');
}

static void put_parts(struct out *out, const char *name, const int64_t parts[SLOW_PARTS])
{
    put_member_name(out, ", ", name);
    for (int i = 0; i < SLOW_PARTS; i++)
        put_int_member(out, i == 0 ? "{" : ", ", slow_part_word((enum slow_part)i), parts[i]);
    buf_byte(&out->b, '}');
}

static void put_values_of_scope(const struct slow *s, struct out *out, size_t scope)
{
    const char *value;

    put_member_name(out, ", ", "values");
    buf_byte(&out->b, '{');
    for (size_t k = 0; (value = slow_scope_value(s, scope, k)) != NULL; k++) {
        size_t n = strcspn(value, "=");

        if (k > 0)
            buf_bytes(&out->b, ", ", 2);
        jsonw_str(&out->b, value, n);
        buf_bytes(&out->b, ": ", 2);
        jsonw_str(&out->b, value + n + 1, strlen(value + n + 1));
    }
    buf_byte(&out->b, '}');
}

static void put_scope_object(const struct slow *s, struct out *out, size_t scope)
{
    const struct slow_scope *c = slow_scope(s, scope);

    put_text_member(out, "{", "type", slow_scope_type(s, scope));
    put_key_member(s, out, ", ", c->group);
    put_int_member(out, ", ", "start", c->start_ns);
    put_int_member(out, ", ", "duration", c->end_ns - c->start_ns);
    put_parts(out, "parts", c->parts);
    put_parts(out, "estimated", c->estimated);
    put_parts(out, "error", c->error);
    put_int_member(out, ", ", "samples", (int64_t)c->n_samples);
    put_int_member(out, ", ", "cpu", c->cpu_ns);
    put_int_member(out, ", ", "allocated", c->alloc_bytes);
    put_int_member(out, ", ", "io_bytes", c->io_bytes);
    put_int_member(out, ", \"elsewhere\": {", "tasks", c->elsewhere.n);
    put_int_member(out, ", ", "wall", c->elsewhere.wall_ns);
    put_int_member(out, ", ", "waits", c->elsewhere.waits_ns);
    put_int_member(out, ", ", "cpu", c->elsewhere.cpu_ns);
    put_int_member(out, ", ", "allocated", c->elsewhere.alloc_bytes);
    buf_byte(&out->b, '}');
    put_values_of_scope(s, out, scope);
    buf_byte(&out->b, '}');
}

static void put_reason_object(struct out *out, const struct slow_reason *r)
{
    struct buf words = {0};

    slow_put_reason(&words, r);
    put_member_name(out, "{", "reason");
    jsonw_str(&out->b, buf_ok(&words) ? (const char *)words.p : "", words.n);
    put_text_member(out, ", ", "part", r->part == SLOW_PARTS ? "value" : slow_part_word(r->part));
    put_text_member(out, ", ", "what", r->what);
    put_text_member(out, ", ", "where", r->where);
    put_text_member(out, ", ", "holder", r->holder);
    put_member_name(out, ", ", "share");
    jsonw_double(&out->b, r->share);
    put_int_member(out, ", ", "ns", (int64_t)r->ns);
    put_int_member(out, ", ", "error", (int64_t)r->error_ns);
    put_member_name(out, ", ", "confidence");
    jsonw_double(&out->b, slow_confidence(r));
    put_member_name(out, ", ", "estimated");
    buf_printf(&out->b, r->is_estimated ? "true" : "false");
    put_int_member(out, ", ", "n", (int64_t)r->n);
    buf_byte(&out->b, '}');
    buf_free(&words);
}

static void begin_list(struct out *out, const char *name)
{
    put_member_name(out, ",\n", name);
    buf_byte(&out->b, '[');
}

static void begin_item(struct out *out, size_t i)
{
    buf_printf(&out->b, i == 0 ? "\n  " : ",\n  ");
}

int slow_write_json(const struct slow *s, struct out *out)
{
    const struct slow_facts f = slow_facts(s);
    char note[300];

    put_int_member(out, "{", "scopes", (int64_t)f.n_scopes);
    put_int_member(out, ",\n", "slow", (int64_t)f.n_slow);
    put_int_member(out, ",\n", "slow_examined", (int64_t)f.n_slow_examined);
    put_int_member(out, ",\n", "median_examined", (int64_t)f.n_median_examined);
    put_int_member(out, ",\n", "slow_mean", f.slow_mean_ns);
    put_int_member(out, ",\n", "median_mean", f.median_mean_ns);
    put_member_name(out, ",\n", "key");
    if (f.key == NULL)
        buf_printf(&out->b, "null");
    else
        jsonw_str(&out->b, f.key, strlen(f.key));
    begin_list(out, "groups");
    for (size_t i = 0; i < slow_n_groups(s) && out_check(out) == 0; i++) {
        begin_item(out, i);
        put_group_object(s, out, slow_group(s, i));
    }
    buf_byte(&out->b, ']');
    begin_list(out, "slowest");
    for (size_t i = 0; i < slow_n_slowest(s) && out_check(out) == 0; i++) {
        begin_item(out, i);
        put_scope_object(s, out, slow_slowest(s, i));
    }
    buf_byte(&out->b, ']');
    begin_list(out, "reasons");
    for (size_t i = 0; i < slow_n_reasons(s); i++) {
        begin_item(out, i);
        put_reason_object(out, slow_reason(s, i));
    }
    buf_byte(&out->b, ']');
    begin_list(out, "notes");
    for (size_t i = 0; slow_note(s, i, note, sizeof(note)); i++) {
        begin_item(out, i);
        jsonw_str(&out->b, note, strlen(note));
    }
    buf_printf(&out->b, "]}\n");
    return out_check(out);
}
