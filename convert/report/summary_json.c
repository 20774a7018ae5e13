/*
 * summary_json.c - writes a summary as one JSON object, for `jfrkit info --json`.
 *
 * In: a finished summary. Amounts are in base units; the text form is summary_text.c's.
 */
#include "convert/text/javatext.h"
#include "convert/text/jsonw.h"
#include "convert/report/summary.h"

#include <string.h>

static void put_text(struct buf *b, const char *text)
{
    if (text == NULL)
        buf_str(b, "null");
    else
        jsonw_str(b, text, strlen(text));
}

static void put_key(struct buf *b, const char *key)
{
    buf_printf(b, "\"%s\": ", key);
}

static void put_number_json(struct buf *b, const char *key, uint64_t v)
{
    put_key(b, key);
    jsonw_u64(b, v);
}

/* null when there is none */
static void put_summary_time(struct buf *b, const char *key, int64_t ns, bool is_known)
{
    put_key(b, key);
    if (!is_known) {
        buf_str(b, "null");
        return;
    }
    buf_byte(b, '"');
    javatext_time_ns(b, ns, 0);
    buf_byte(b, '"');
}

static void put_next(struct buf *b, size_t i)
{
    buf_str(b, i == 0 ? "\n    {" : ",\n    {");
}

static double per_second(const struct summary *s, uint64_t n)
{
    return s->span_ns == 0 ? 0 : (double)n * 1e9 / (double)s->span_ns;
}

static void put_summary_head_json(const struct summary *s, struct buf *b)
{
    const struct jfr_chunk_header *h = &s->chunks[0].header;
    bool has_events = s->first_ns <= s->last_ns;

    buf_str(b, "  \"file\": ");
    put_text(b, s->path);
    buf_printf(b, ",\n  \"files\": %u,\n  \"version\": \"%u.%u\",\n  ", s->n_files, h->major,
               h->minor);
    put_summary_time(b, "start", h->start_nanos, true);
    buf_str(b, ",\n  ");
    put_number_json(b, "durationNanos", s->span_ns);
    buf_str(b, ",\n  ");
    put_number_json(b, "bytes", s->bytes);
    buf_str(b, ",\n  ");
    put_number_json(b, "events", s->events);
    buf_str(b, ",\n  \"eventsPerSecond\": ");
    jsonw_double(b, per_second(s, s->events));
    buf_str(b, ",\n  ");
    put_summary_time(b, "firstEvent", s->first_ns, has_events);
    buf_str(b, ",\n  ");
    put_summary_time(b, "lastEvent", s->last_ns, has_events);
}

static void put_list_json(struct buf *b, const char *key, const struct summary_list *list)
{
    buf_printf(b, ",\n  \"%s\": [", key);
    for (uint32_t i = 0; i < intern_n(&list->names); i++) {
        put_next(b, i);
        put_key(b, "name");
        put_text(b, intern_get(&list->names, i, NULL));
        buf_str(b, ", ");
        put_number_json(b, "chunks", list->chunks[i]);
        buf_byte(b, '}');
    }
    buf_byte(b, ']');
}

static void put_damage(const struct summary *s, struct buf *b)
{
    buf_str(b, ",\n  ");
    put_number_json(b, "damages", s->n_damages);
    buf_str(b, ",\n  \"damage\": [");
    for (size_t i = 0; i < s->n_damages && i < SUMMARY_DAMAGES_MAX; i++) {
        const struct summary_damage *d = &s->damages[i];

        put_next(b, i);
        put_key(b, "file");
        put_text(b, d->path);
        buf_str(b, ", ");
        put_number_json(b, "chunk", (uint64_t)d->err.chunk + 1);
        buf_str(b, ", ");
        put_number_json(b, "offset", d->err.offset);
        buf_str(b, ", ");
        put_key(b, "text");
        put_text(b, d->err.text);
        buf_byte(b, '}');
    }
    buf_byte(b, ']');
}

static void put_types_json(const struct summary *s, struct buf *b)
{
    buf_str(b, ",\n  \"types\": [");
    for (size_t i = 0; i < s->n_types; i++) {
        const struct summary_type *t = &s->types[i];

        put_next(b, i);
        put_key(b, "name");
        put_text(b, t->is_declared ? t->name : NULL);
        buf_str(b, ", ");
        put_key(b, "label");
        put_text(b, t->label);
        buf_printf(b, ", \"id\": %lld, ", (long long)t->id);
        put_number_json(b, "count", t->n);
        buf_str(b, ", ");
        put_number_json(b, "bytes", t->bytes);
        buf_str(b, ", \"share\": ");
        jsonw_double(b, s->bytes == 0 ? 0 : (double)t->bytes / (double)s->bytes);
        buf_str(b, ", \"perSecond\": ");
        jsonw_double(b, per_second(s, t->n));
        buf_str(b, ", ");
        put_summary_time(b, "first", t->first_ns, t->first_ns <= t->last_ns);
        buf_str(b, ", ");
        put_summary_time(b, "last", t->last_ns, t->first_ns <= t->last_ns);
        buf_byte(b, '}');
    }
    buf_byte(b, ']');
}

static void put_settings(const struct summary *s, struct buf *b)
{
    const char *event = NULL;

    buf_str(b, ",\n  \"settings\": {");
    for (size_t i = 0; i < s->n_settings; i++) {
        const struct summary_setting *t = &s->settings[i];

        if (event == NULL || strcmp(event, t->event) != 0) {
            buf_str(b, event == NULL ? "\n    " : "},\n    ");
            put_text(b, t->event);
            buf_str(b, ": {");
            event = t->event;
        } else {
            buf_str(b, ", ");
        }
        put_text(b, t->name);
        buf_str(b, ": ");
        put_text(b, t->value);
    }
    buf_str(b, event == NULL ? "}" : "}}");
}

static void put_chunks(const struct summary *s, struct buf *b)
{
    buf_str(b, ",\n  \"chunks\": [");
    for (size_t i = 0; i < s->n_chunks; i++) {
        const struct summary_chunk *c = &s->chunks[i];

        put_next(b, i);
        put_key(b, "file");
        put_text(b, c->path);
        buf_str(b, ", ");
        put_number_json(b, "chunk", (uint64_t)c->header.index + 1);
        buf_str(b, ", ");
        put_number_json(b, "offset", c->header.offset);
        buf_str(b, ", ");
        put_number_json(b, "bytes", c->bytes);
        buf_str(b, ", ");
        put_number_json(b, "declaredBytes", c->header.size);
        buf_printf(b, ", \"version\": \"%u.%u\", ", c->header.major, c->header.minor);
        put_number_json(b, "state", c->header.state);
        buf_printf(b, ", \"damaged\": %s, ", c->is_damaged ? "true" : "false");
        put_summary_time(b, "start", c->header.start_nanos, true);
        buf_str(b, ", ");
        put_number_json(b, "durationNanos", c->span_ns);
        buf_str(b, ", ");
        put_number_json(b, "events", c->events);
        buf_str(b, ", ");
        put_summary_time(b, "firstEvent", c->first_ns, c->first_ns <= c->last_ns);
        buf_str(b, ", ");
        put_summary_time(b, "lastEvent", c->last_ns, c->first_ns <= c->last_ns);
        buf_byte(b, '}');
    }
    buf_byte(b, ']');
}

void summary_json(const struct summary *s, struct buf *b)
{
    if (s->n_chunks == 0)
        return;
    buf_str(b, "{\n");
    put_summary_head_json(s, b);
    put_list_json(b, "producers", &s->producers);
    put_list_json(b, "jvms", &s->jvms);
    put_list_json(b, "recordings", &s->recordings);
    put_damage(s, b);
    put_types_json(s, b);
    put_settings(s, b);
    put_chunks(s, b);
    buf_str(b, "\n}\n");
}
