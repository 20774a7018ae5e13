/*
 * summary_merge.c - adds what was counted in a chunk to the summary of all.
 *
 * Called in the order of the chunks, one at a time.
 */
#include "convert/report/summary_internal.h"

#include "convert/report/summary_facts.h"
#include "convert/report/summary_names.h"
#include "jfrfmt/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merging { /* one chunk into one summary */
    struct summary *s;
    const struct tally *t;
    const struct run_chunk *rc;
    struct buf recording; /* name of the chunk's first active recording */
    bool failed; /* memory is exhausted */
};

static char *keep_text(struct summary *s, const char *text)
{
    return text == NULL ? NULL : arena_strndup(&s->arena, text, strlen(text));
}

static void name_type(struct summary *s, struct summary_type *type, const char *name,
                      const char *label)
{
    char undeclared[64];

    if (type->is_declared || (name == NULL && type->name != NULL))
        return;
    snprintf(undeclared, sizeof(undeclared), "%lld (missing event metadata)", (long long)type->id);
    type->name = keep_text(s, name == NULL ? undeclared : name);
    type->label = keep_text(s, label);
    type->is_declared = name != NULL;
}

static struct summary_type *summary_type_of(struct merging *m, int64_t id, const char *name,
                                            const char *label)
{
    struct summary *s = m->s;
    bool by_id = name == NULL || s->options.compat != 0;
    char key[32];
    size_t n = by_id ? (size_t)snprintf(key, sizeof(key), "\n%lld", (long long)id) : strlen(name);
    size_t i = intern_add(&s->type_keys, by_id ? key : name, n);

    if (i == INTERN_FAILED ||
        !array_reserve(&s->types, &s->types_room, s->n_types + 1, sizeof(*s->types))) {
        m->failed = true;
        return NULL;
    }
    if (i == s->n_types)
        s->types[s->n_types++] =
            (struct summary_type){.id = id, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
    name_type(s, &s->types[i], name, label);
    if (s->types[i].name == NULL)
        m->failed = true;
    return m->failed ? NULL : &s->types[i];
}

static void widen(int64_t *first, int64_t *last, int64_t a, int64_t b)
{
    if (a < *first)
        *first = a;
    if (b > *last)
        *last = b;
}

static void add_summary_row(struct merging *m, const struct tally_row *row, const char *name,
                            const char *label)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(m->rc->chunk);
    struct summary_type *type = summary_type_of(m, row->id, name, label);
    struct summary_chunk *chunk = &m->s->chunks[m->s->n_chunks];

    if (type == NULL)
        return;
    type->n += row->n;
    type->bytes += row->bytes;
    if (row->min_ticks > row->max_ticks)
        return;
    widen(&type->first_ns, &type->last_ns, jfr_epoch_ns(h, row->min_ticks),
          jfr_epoch_ns(h, row->max_ticks));
    widen(&chunk->first_ns, &chunk->last_ns, jfr_epoch_ns(h, row->min_ticks),
          jfr_epoch_ns(h, row->max_ticks));
}

static void add_summary_class(struct merging *m, size_t i)
{
    const struct jfr_class *cls = &jfr_chunk_metadata(m->rc->chunk)->classes[i];
    const struct tally_row *row = &m->t->rows[i];
    bool is_own = cls->is_event && cls->id != 0 && cls->id != 1;
    size_t width = is_own ? names_plain_width(cls->name) : 0;

    if (width > m->s->name_width)
        m->s->name_width = width;
    if (is_own)
        add_summary_row(m, row, cls->name, cls->label);
    else if (row->n > 0)
        add_summary_row(m, row, NULL, NULL);
}

/* Last class first: among ties a JDK 17 lists them in that order. */
static void add_summary_rows(struct merging *m)
{
    const struct tally *t = m->t;
    bool is_old = jfr_chunk_header(m->rc->chunk)->major == 1 && m->s->options.compat != 0;

    for (size_t i = t->n_rows; i-- > 0;)
        add_summary_class(m, i);
    add_summary_row(m, &t->metadata, is_old ? "com.oracle.jdk.Metadata" : "jdk.Metadata",
                    "Metadata");
    add_summary_row(m, &t->checkpoint, is_old ? "com.oracle.jdk.Checkpoint" : "jdk.Checkpoint",
                    "Checkpoint");
    for (size_t i = 0; i < t->n_undeclared; i++)
        add_summary_row(m, &t->undeclared[i], NULL, NULL);
}

static void add_to_list(struct merging *m, struct summary_list *list, const char *text)
{
    size_t n = intern_n(&list->names), i = intern_add(&list->names, text, strlen(text));

    if (i == INTERN_FAILED ||
        !array_reserve(&list->chunks, &list->room, i + 1, sizeof(*list->chunks))) {
        m->failed = true;
        return;
    }
    if (i == n)
        list->chunks[i] = 0;
    list->chunks[i]++;
}

static void on_setting(void *ctx, const struct jfr_class *event, const char *name,
                       const char *value)
{
    struct merging *m = ctx;
    struct summary *s = m->s;
    struct buf key = {0};
    size_t i;

    if (event == NULL || event->name == NULL)
        return;
    buf_printf(&key, "%s\n%s", event->name, name);
    i = buf_ok(&key) ? intern_add(&s->setting_keys, key.p, key.n) : INTERN_FAILED;
    buf_free(&key);
    if (i == INTERN_FAILED ||
        !array_reserve(&s->settings, &s->settings_room, i + 1, sizeof(*s->settings))) {
        m->failed = true;
        return;
    }
    if (i == s->n_settings) {
        s->settings[s->n_settings++] = (struct summary_setting){.event = keep_text(s, event->name),
                                                                .name = keep_text(s, name)};
    }
    if (s->settings[i].value == NULL || strcmp(s->settings[i].value, value) != 0)
        s->settings[i].value = keep_text(s, value);
}

static void on_recording(void *ctx, const char *name)
{
    struct merging *m = ctx;

    if (m->recording.n == 0) {
        buf_str(&m->recording, name);
        buf_byte(&m->recording, 0);
    }
    add_to_list(m, &m->s->recordings, name);
}

static void on_jvm(void *ctx, const char *text)
{
    struct merging *m = ctx;

    add_to_list(m, &m->s->jvms, text);
}

static int add_facts(struct merging *m)
{
    struct facts_sink sink = {m, on_setting, on_recording, on_jvm};
    struct buf producer = {0};
    int rc = facts_read(m->t, &sink);

    facts_producer(&producer, m->rc->chunk,
                   m->recording.n > 0 ? (const char *)m->recording.p : NULL);
    buf_byte(&producer, 0);
    if (buf_ok(&producer))
        add_to_list(m, &m->s->producers, (const char *)producer.p);
    else
        m->failed = true;
    buf_free(&producer);
    buf_free(&m->recording);
    return rc < 0 || m->failed ? JFR_E_NOMEM : 0;
}

static uint64_t span_of(const struct summary_chunk *c)
{
    if (c->header.duration_nanos > 0)
        return (uint64_t)c->header.duration_nanos;
    return c->last_ns > c->first_ns ? (uint64_t)c->last_ns - (uint64_t)c->first_ns : 0;
}

int summary_merge(struct summary *s, const struct tally *t, const struct run_chunk *rc)
{
    struct merging m = {.s = s, .t = t, .rc = rc};
    struct summary_chunk *c;
    int result;

    if (!array_reserve(&s->chunks, &s->chunks_room, s->n_chunks + 1, sizeof(*s->chunks)))
        return JFR_E_NOMEM;
    c = &s->chunks[s->n_chunks];
    *c = (struct summary_chunk){.path = rc->path,
                                .header = *jfr_chunk_header(rc->chunk),
                                .bytes = rc->bytes,
                                .events = tally_events(t),
                                .first_ns = INT64_MAX,
                                .last_ns = INT64_MIN,
                                .is_damaged = jfr_chunk_n_errors(rc->chunk) > 0};
    add_summary_rows(&m);
    result = add_facts(&m);
    c->span_ns = span_of(c);
    s->span_ns += c->span_ns;
    s->declared_ns += (uint64_t)c->header.duration_nanos;
    s->bytes += c->bytes;
    s->events += c->events;
    widen(&s->first_ns, &s->last_ns, c->first_ns, c->last_ns);
    s->n_files += s->n_chunks == 0 || c[-1].path != c->path;
    s->n_chunks++;
    return result;
}
