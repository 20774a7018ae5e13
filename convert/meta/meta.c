/*
 * meta.c - the types that recordings declare, those of equal layout once.
 *
 * jfrmeta runs it as a job over all chunks and hands the result to text.c, json.c, html.c or
 * diff.c.
 */
#include "convert/meta/meta.h"

#include "convert/meta/internal.h"
#include "convert/meta/example.h"
#include "convert/report/summary_tally.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

/* Are events to be read, or is the metadata enough? */
static bool wants_events(const struct meta_options *o)
{
    return o->used || o->settings || o->format == META_HTML;
}

struct meta *meta_new(const struct meta_options *options)
{
    struct meta *m = calloc(1, sizeof(*m));
    struct meta_options alone = *options;

    if (m == NULL)
        return NULL;
    m->options = *options;
    if (wants_events(options)) {
        m->summary = summary_new(&(struct summary_options){0});
        m->counting = summary_job(m->summary);
    }
    alone.diff = NULL;
    if (options->diff != NULL)
        m->other = meta_new(&alone);
    if ((options->diff == NULL || m->other != NULL) &&
        (!wants_events(options) || m->summary != NULL))
        return m;
    meta_free(m);
    return NULL;
}

void meta_free(struct meta *m)
{
    if (m == NULL)
        return;
    meta_free(m->other);
    summary_free(m->summary);
    intern_free(&m->keys);
    free(m->types);
    arena_free(&m->arena);
    free(m);
}

/* The place of a class among the merged types: by layout, or by id. */
static size_t place_of_class(struct meta *m, const struct jfr_class *cls)
{
    struct buf key = {0};
    size_t i;

    if (m->options.compat)
        buf_printf(&key, "%lld", (long long)cls->id);
    else
        meta_layout(&key, cls);
    i = buf_ok(&key) ? intern_add(&m->keys, key.p, key.n) : INTERN_FAILED;
    buf_free(&key);
    return i;
}

static struct meta_type *add_class(struct meta *m, const struct jfr_class *cls)
{
    size_t i = place_of_class(m, cls);

    if (i == INTERN_FAILED)
        return NULL;
    if (i == m->n_types) {
        if (!array_add(&m->types, m->n_types, sizeof(*m->types)) ||
            !meta_copy(&m->arena, cls, &m->types[m->n_types]))
            return NULL;
        m->n_types++;
    } else if (!m->options.compat && m->types[i].content != meta_content(cls)) {
        struct meta_type old = m->types[i];

        if (!meta_copy(&m->arena, cls, &m->types[i]))
            return NULL;
        m->types[i].id = old.id;
        m->types[i].example = old.example;
    }
    return &m->types[i];
}

static int add_example(struct meta *m, struct meta_type *t, struct jfr_chunk *chunk,
                       const struct tally_row *row)
{
    if (t->kind != META_EVENT || row->n == 0 || t->example != NULL ||
        m->options.format != META_HTML)
        return 0;
    t->example = meta_example(&m->arena, chunk, jfr_chunk_event_at(chunk, row->first_offset));
    return t->example == NULL ? JFR_E_NOMEM : 0;
}

static int merge_chunk(void *shared, void *worker, const struct run_chunk *rc)
{
    struct meta *m = shared;
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    struct tally *t = worker;
    int result = 0;

    if (m->other != NULL && rc->path == m->options.diff)
        m = m->other;
    if (m->path == NULL)
        m->path = rc->path;
    if (m->summary != NULL)
        result = m->counting.merge(m->summary, t, rc);
    for (size_t i = 0; i < md->n_classes && result == 0; i++) {
        struct meta_type *type = add_class(m, &md->classes[i]);

        result = type == NULL ? JFR_E_NOMEM : 0;
        if (type != NULL && m->summary != NULL)
            result = add_example(m, type, rc->chunk, &t->rows[i]);
    }
    return result;
}

/* Without counts there is nothing to do on the side: merge_chunk() reads the metadata. */
static int no_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    (void)worker;
    (void)rc;
    (void)out;
    return 0;
}

struct run_job meta_job(struct meta *m)
{
    struct run_job job = m->summary != NULL ? m->counting : (struct run_job){.chunk = no_chunk};

    job.shared = m;
    job.merge = merge_chunk;
    return job;
}

void meta_damaged(void *meta, const char *path, const struct jfr_error *err)
{
    struct meta *m = meta;

    if (m->other != NULL && path == m->options.diff)
        m = m->other;
    if (m->summary != NULL)
        summary_damaged(m->summary, path, err);
}

const char *meta_simple_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot == NULL ? name : dot + 1;
}

/* Compares up to the last dot, then after it. */
static int name_order(const char *x, const char *y)
{
    size_t n_x = (size_t)(meta_simple_name(x) - x), n_y = (size_t)(meta_simple_name(y) - y);
    size_t n = n_x < n_y ? n_x : n_y;
    int order = n == 0 ? 0 : memcmp(x, y, n - 1);

    if (order != 0)
        return order;
    return n_x != n_y ? (n_x < n_y ? -1 : 1) : strcmp(x + n, y + n);
}

int meta_order(const struct meta_type *x, const struct meta_type *y)
{
    int order = x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : name_order(x->name, y->name);

    return order != 0 ? order : (x->layout > y->layout) - (x->layout < y->layout);
}

static int by_meta_order(const void *a, const void *b)
{
    return meta_order(a, b);
}

static void finish_types(struct meta *m)
{
    for (size_t i = 0; i < m->n_types; i++) /* for the moment, the order of arrival */
        m->types[i].layout = (uint32_t)i;
    if (m->n_types > 0)
        qsort(m->types, m->n_types, sizeof(m->types[0]), by_meta_order);
    for (size_t i = 0; i < m->n_types; i++) {
        struct meta_type *t = &m->types[i];

        t->layout = i > 0 && t[-1].kind == t->kind && strcmp(t[-1].name, t->name) == 0
                        ? t[-1].layout + 1
                        : 1;
    }
}

static void finish(struct meta *m)
{
    finish_types(m);
    if (m->summary == NULL)
        return;
    for (size_t i = 0; i < m->n_types; i++) {
        const struct summary_type *stats = summary_find(m->summary, m->types[i].name);

        if (stats != NULL && m->types[i].kind == META_EVENT)
            m->types[i].stats = *stats;
    }
    summary_sort(m->summary);
    for (size_t i = 0; i < m->n_types; i++)
        if (m->types[i].kind == META_EVENT)
            m->types[i].active =
                summary_settings_of(m->summary, m->types[i].name, &m->types[i].n_active);
}

int meta_end(void *meta, struct out *out)
{
    static int (*const formats[])(const struct meta *, struct out *) = {meta_text, meta_json,
                                                                        meta_html};
    struct meta *m = meta;
    int rc;

    finish(m);
    if (m->other != NULL)
        finish(m->other);
    rc = m->other != NULL ? meta_diff(m, out) : formats[m->options.format](m, out);
    return rc != 0 ? rc : out_check(out);
}

const char *meta_unit_name(enum jfr_unit unit)
{
    static const char *const names[] = {
        [JFR_UNIT_TIMESTAMP_TICKS] = "timestamp-ticks",
        [JFR_UNIT_TIMESTAMP_MS] = "timestamp-ms",
        [JFR_UNIT_TIMESTAMP_NS] = "timestamp-ns",
        [JFR_UNIT_TIMESTAMP_S] = "timestamp-s",
        [JFR_UNIT_TICKS] = "ticks",
        [JFR_UNIT_NS] = "ns",
        [JFR_UNIT_US] = "us",
        [JFR_UNIT_MS] = "ms",
        [JFR_UNIT_S] = "s",
        [JFR_UNIT_BYTES] = "bytes",
        [JFR_UNIT_BITS] = "bits",
        [JFR_UNIT_PERCENT] = "percent",
        [JFR_UNIT_ADDRESS] = "address",
        [JFR_UNIT_HERTZ] = "hertz",
    };

    return (size_t)unit < sizeof(names) / sizeof(names[0]) ? names[unit] : NULL;
}

const char *meta_kind_name(enum meta_kind kind)
{
    static const char *const names[] = {"type", "other", "annotation", "setting", "event"};

    return names[kind];
}
