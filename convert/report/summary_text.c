/*
 * summary_text.c - a summary as text, by our rules or as `jfr summary` of a JDK prints it.
 *
 * The input is a finished summary (summary.h). summary_compat() prints the JDK's columns byte for
 * byte; summary_text() adds what the JDK's tool does not say: sizes, rates, settings, chunks and
 * damage.
 */
#include "convert/report/summary.h"
#include "convert/report/summary_names.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000
#define NAME_MIN 11 /* columns of the JDK tool's first column */

void summary_put_time(struct buf *b, int64_t ns, bool with_ms)
{
    int64_t part = ns % NS_PER_S;
    time_t s = (time_t)(ns / NS_PER_S);
    struct tm tm;

    if (part < 0) {
        part += NS_PER_S;
        s--;
    }
    gmtime_r(&s, &tm);
    buf_printf(b, "%04d-%02d-%02d %02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
               tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (with_ms)
        buf_printf(b, ".%03d", (int)(part / 1000000));
}

static void put_seconds(struct buf *b, uint64_t ns)
{
    buf_printf(b, "%lld s", (long long)((int64_t)(ns + NS_PER_S / 2) / NS_PER_S));
}

static void put_blanks(struct buf *b, size_t n)
{
    while (n-- > 0)
        buf_byte(b, ' ');
}

/* The name, and blanks up to `width` columns; a longer name sticks out. */
static void put_event_name(struct buf *b, const char *name, size_t width)
{
    size_t n = names_plain_width(name);

    buf_byte(b, ' ');
    names_plain(b, name);
    put_blanks(b, n < width ? width - n : 0);
}

/* Width of the first column, over the types that are listed. */
static size_t name_width(const struct summary *s)
{
    size_t width = NAME_MIN;

    for (size_t i = 0; i < s->n_types; i++) {
        size_t n = names_plain_width(s->types[i].name);

        if (n > width && (s->options.all || s->types[i].n > 0))
            width = n;
    }
    return width;
}

static void put_compat_name(const struct summary *s, struct buf *b, const struct summary_type *t,
                            size_t width)
{
    char name[32];
    const char *point = t->id == 1 && s->options.compat == 17 ? strstr(t->name, "point") : NULL;

    if (point == NULL) {
        put_event_name(b, t->name, width);
        return;
    }
    snprintf(name, sizeof(name), "%.*sPoint", (int)(point - t->name), t->name);
    put_event_name(b, name, width);
}

static void put_summary_head(const struct summary *s, struct buf *b, uint64_t duration_ns)
{
    const struct jfr_chunk_header *h = &s->chunks[0].header;
    size_t n_damaged = 0;

    for (size_t i = 0; i < s->n_chunks; i++)
        n_damaged += s->chunks[i].is_damaged;
    buf_printf(b, "\n Version: %u.%u\n Chunks: %zu", h->major, h->minor, s->n_chunks);
    if (n_damaged > 0 && s->options.compat == 0)
        buf_printf(b, " (%zu incomplete)", n_damaged);
    buf_str(b, "\n Start: ");
    summary_put_time(b, h->start_nanos, false);
    buf_str(b, " (UTC)\n Duration: ");
    put_seconds(b, duration_ns);
    buf_byte(b, '\n');
}

static void put_rule(struct buf *b, size_t n)
{
    while (n-- > 0)
        buf_byte(b, '=');
    buf_byte(b, '\n');
}

void summary_compat(const struct summary *s, struct buf *b)
{
    size_t width = s->name_width > NAME_MIN ? s->name_width : NAME_MIN;

    if (s->n_chunks == 0)
        return;
    put_summary_head(s, b, s->declared_ns);
    buf_byte(b, '\n');
    put_event_name(b, "Event Type", width);
    buf_printf(b, "%10s%14s \n", "Count", "Size (bytes)");
    put_rule(b, width + 26);
    for (size_t i = 0; i < s->n_types; i++) {
        const struct summary_type *t = &s->types[i];

        put_compat_name(s, b, t, width);
        buf_printf(b, "%10llu%14llu\n", (unsigned long long)t->n, (unsigned long long)t->bytes);
    }
}

static double rate(const struct summary *s, uint64_t n)
{
    return s->span_ns == 0 ? 0 : (double)n * NS_PER_S / (double)s->span_ns;
}

static void put_rate(const struct summary *s, struct buf *b, uint64_t n)
{
    double per_s = rate(s, n);

    if (s->span_ns == 0)
        buf_printf(b, "%11s", "-");
    else
        buf_printf(b, per_s >= 100 ? "%11.0f" : per_s >= 0.1 ? "%11.2f" : "%11.4f", per_s);
}

static void put_list_text(struct buf *b, const char *key, const struct summary_list *list,
                          size_t n_chunks)
{
    for (uint32_t i = 0; i < intern_n(&list->names); i++) {
        buf_printf(b, " %s: ", key);
        names_plain(b, intern_get(&list->names, i, NULL));
        if (intern_n(&list->names) > 1 && list->chunks[i] < n_chunks)
            buf_printf(b, " (%llu of %zu chunks)", (unsigned long long)list->chunks[i], n_chunks);
        buf_byte(b, '\n');
    }
}

static void put_end(const struct summary *s, struct buf *b, bool is_last)
{
    int64_t ns = is_last ? s->last_ns : s->first_ns;
    const struct summary_type *t = s->types;

    while (t < s->types + s->n_types && (is_last ? t->last_ns : t->first_ns) != ns)
        t++;
    if (t == s->types + s->n_types || s->first_ns > s->last_ns)
        return;
    buf_printf(b, " %s event: ", is_last ? "Last" : "First");
    summary_put_time(b, ns, true);
    buf_byte(b, ' ');
    names_plain(b, t->name);
    buf_byte(b, '\n');
}

static void put_damage_text(const struct summary *s, struct buf *b)
{
    uint64_t n = s->n_damages < SUMMARY_DAMAGES_MAX ? s->n_damages : SUMMARY_DAMAGES_MAX;

    for (uint64_t i = 0; i < n; i++) {
        const struct summary_damage *d = &s->damages[i];

        buf_str(b, " Damage: ");
        if (s->n_files > 1) {
            names_plain(b, d->path);
            buf_str(b, ": ");
        }
        buf_printf(b, "chunk %u, offset %llu: ", d->err.chunk + 1,
                   (unsigned long long)d->err.offset);
        names_plain(b, d->err.text);
        buf_byte(b, '\n');
    }
    if (s->n_damages > n)
        buf_printf(b, " Damage: %llu more places\n", (unsigned long long)(s->n_damages - n));
}

static void put_about(const struct summary *s, struct buf *b)
{
    buf_printf(b, " Size: %llu bytes\n Events: %llu", (unsigned long long)s->bytes,
               (unsigned long long)s->events);
    if (s->span_ns > 0)
        buf_printf(b, ", %.*f/s", rate(s, s->events) < 10 ? 2 : 0, rate(s, s->events));
    buf_byte(b, '\n');
    put_end(s, b, false);
    put_end(s, b, true);
    put_list_text(b, "Producer", &s->producers, s->n_chunks);
    put_list_text(b, "JVM", &s->jvms, s->n_chunks);
    put_list_text(b, "Recording", &s->recordings, s->n_chunks);
    put_damage_text(s, b);
}

static void put_types_text(const struct summary *s, struct buf *b)
{
    size_t width = name_width(s);

    buf_byte(b, '\n');
    put_event_name(b, "Event Type", width);
    buf_printf(b, "%10s%14s%8s%11s\n", "Count", "Size (bytes)", "Share", "Per s");
    put_rule(b, width + 44);
    for (size_t i = 0; i < s->n_types; i++) {
        const struct summary_type *t = &s->types[i];

        if (t->n == 0 && !s->options.all)
            continue;
        put_event_name(b, t->name, width);
        buf_printf(b, "%10llu%14llu%7.2f%%", (unsigned long long)t->n, (unsigned long long)t->bytes,
                   s->bytes == 0 ? 0 : 100 * (double)t->bytes / (double)s->bytes);
        put_rate(s, b, t->n);
        buf_byte(b, '\n');
    }
}

/* One line per type that occurs: "enabled" goes without saying. */
static void put_settings(const struct summary *s, struct buf *b)
{
    size_t width = name_width(s);
    const char *event = "";
    bool any = false;

    for (size_t i = 0; i < s->n_settings; i++) {
        const struct summary_setting *t = &s->settings[i];
        bool is_new = strcmp(event, t->event) != 0;

        if ((!t->is_used && !s->options.all) ||
            (strcmp(t->name, "enabled") == 0 && strcmp(t->value, "true") == 0))
            continue;
        if (is_new) {
            buf_str(b, any ? "\n" : "\n Settings\n");
            put_event_name(b, t->event, width);
            event = t->event;
        }
        any = true;
        buf_str(b, is_new ? "  " : ", ");
        names_plain(b, t->name);
        buf_byte(b, '=');
        names_plain(b, t->value);
    }
    if (any)
        buf_byte(b, '\n');
}

static void put_chunks_text(const struct summary *s, struct buf *b)
{
    buf_printf(b, "\n %5s %12s %12s  %-23s %10s  %-7s %-8s %10s\n", "Chunk", "Offset", "Size",
               "Start (UTC)", "Duration", "Version", "State", "Events");
    for (size_t i = 0; i < s->n_chunks; i++) {
        const struct summary_chunk *c = &s->chunks[i];

        buf_printf(b, " %5u %12llu %12llu  ", c->header.index + 1,
                   (unsigned long long)c->header.offset, (unsigned long long)c->bytes);
        summary_put_time(b, c->header.start_nanos, true);
        buf_printf(b, " %8.3f s  %u.%-5u %-8s %10llu", (double)c->span_ns / NS_PER_S,
                   c->header.major, c->header.minor,
                   c->is_damaged         ? "damaged"
                   : c->header.state > 0 ? "open"
                                         : "finished",
                   (unsigned long long)c->events);
        if (s->n_files > 1) {
            buf_byte(b, ' ');
            names_plain(b, c->path);
        }
        buf_byte(b, '\n');
    }
}

void summary_text(const struct summary *s, struct buf *b)
{
    if (s->n_chunks == 0)
        return;
    if (s->options.each) {
        buf_str(b, "\n File: ");
        names_plain(b, s->path);
    }
    put_summary_head(s, b, s->span_ns);
    put_about(s, b);
    put_types_text(s, b);
    put_settings(s, b);
    if (s->options.chunks)
        put_chunks_text(s, b);
}
