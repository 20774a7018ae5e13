/*
 * eventcmp.c - compares two recordings event by event and value by value.
 *
 *     eventcmp [--no-settings] WANT.jfr GOT.jfr
 *
 * Constants are resolved twelve references deep, times are compared in nanoseconds as the JDK
 * computes them, ids of event types by the name of the type, keys, ids and ticks not at all. Events
 * are compared as a multiset; those without an equal are shown, ordered by type and time.
 * --no-settings leaves out jdk.ActiveSetting of types that are not declared. Exit code 1 if
 * anything differs, 2 for what is no recording.
 */
#define XXH_INLINE_ALL
#include "jfrfmt/jfr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#define ROUNDS 12
#define SHOWN 8

struct event {
    uint64_t hash;
    int64_t start; /* ns since 1970 */
    char *text; /* its values, for messages */
};

struct events {
    const char *name;
    struct event *list;
    size_t n, room;
    uint64_t n_damages;
};

struct chunk { /* hashes of its constants, by class and index */
    struct jfr_chunk *chunk;
    uint64_t **now, **then;
};

static bool no_settings;

static void *need(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "eventcmp: out of memory\n");
        exit(2);
    }
    return p;
}

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
    return XXH3_64bits_withSeed(p, n, h);
}

static uint64_t mix_number(uint64_t h, int64_t v)
{
    return mix(h, &v, sizeof(v));
}

static uint64_t mix_text(uint64_t h, struct chunk *c, struct jfr_str s, struct buf *text)
{
    struct buf b = {0};

    s = jfr_chunk_resolve(c->chunk, s);
    jfr_str_append_utf8(&b, s);
    h = mix(mix_number(h, jfr_str_is_null(s)), b.p == NULL ? "" : (const char *)b.p, b.n);
    if (text != NULL) {
        buf_printf(text, jfr_str_is_null(s) ? "null" : "\"");
        buf_bytes(text, b.p, b.n < 200 ? b.n : 200);
        buf_printf(text, jfr_str_is_null(s) ? "" : "\"");
    }
    buf_free(&b);
    return h;
}

static int64_t cut(const struct jfr_field *f, uint64_t v)
{
    if (f->type->kind == JFR_INT)
        return (int32_t)v;
    if (f->type->kind == JFR_SHORT)
        return (int16_t)v;
    return f->type->kind == JFR_CHAR ? (uint16_t)v : (int64_t)v;
}

static int64_t in_ns(const struct chunk *c, const struct jfr_field *f, int64_t v)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(c->chunk);

    if (v == INT64_MIN || v == INT64_MAX)
        return v;
    if (f->unit == JFR_UNIT_TIMESTAMP_TICKS)
        return jfr_epoch_ns(h, v);
    return f->unit == JFR_UNIT_TICKS ? jfr_span_ns(h, v) : v;
}

static uint64_t mix_value(uint64_t h, struct chunk *c, const struct jfr_class *cls,
                          struct cursor *cur, struct buf *text);

static uint64_t mix_key(uint64_t h, struct chunk *c, const struct jfr_field *f, uint64_t key,
                        struct buf *text)
{
    int64_t i = jfr_pool_find(jfr_chunk_pool(c->chunk, f->type), key);
    uint64_t value = i < 0 ? 0 : c->then[f->type->index][i];

    if (text != NULL && f->type->kind == JFR_STRUCT && f->type->is_simple && i >= 0) {
        struct cursor cur = jfr_pool_value(jfr_chunk_pool(c->chunk, f->type), (size_t)i);

        mix_value(0, c, f->type, &cur, text);
    } else if (text != NULL) {
        buf_printf(text, "%s#%016" PRIx64, f->type->simple, value);
    }
    return mix_number(h, (int64_t)value);
}

static uint64_t mix_one(uint64_t h, struct chunk *c, const struct jfr_class *cls,
                        const struct jfr_field *f, struct cursor *cur, struct buf *text)
{
    int64_t v;

    if (f->is_pooled)
        return mix_key(h, c, f, cur_varint(cur), text);
    switch (f->type->kind) {
    case JFR_STRUCT:
        return mix_value(h, c, f->type, cur, text);
    case JFR_STRING:
        return mix_text(h, c, jfr_str_read(cur), text);
    case JFR_BOOLEAN:
    case JFR_BYTE:
        v = (int64_t)cur_be(cur, 1);
        break;
    case JFR_FLOAT:
        v = (int64_t)cur_be(cur, 4);
        break;
    case JFR_DOUBLE:
        v = (int64_t)cur_be(cur, 8);
        break;
    default:
        v = in_ns(c, f, cut(f, cur_varint(cur)));
    }
    if (strcmp(cls->simple, "ActiveSetting") == 0 && strcmp(f->name, "id") == 0) {
        const struct jfr_class *type = jfr_metadata_by_id(jfr_chunk_metadata(c->chunk), v);

        if (text != NULL)
            buf_printf(text, "%s", type == NULL ? "?" : type->name);
        return type == NULL ? mix_number(h, v) : mix(h, type->name, strlen(type->name));
    }
    if (text != NULL)
        buf_printf(text, "%" PRId64, v);
    return mix_number(h, v);
}

static uint64_t mix_value(uint64_t h, struct chunk *c, const struct jfr_class *cls,
                          struct cursor *cur, struct buf *text)
{
    const struct jfr_field self = {.name = "", .type = cls};

    if (cls->kind != JFR_STRUCT)
        return mix_one(h, c, cls, &self, cur, text);
    for (size_t i = 0; i < cls->n_fields && cur_ok(cur); i++) {
        const struct jfr_field *f = &cls->fields[i];
        uint64_t n = f->is_array ? cur_varint(cur) : 1;

        h = mix_number(mix(h, f->name, strlen(f->name)), (int64_t)n);
        if (text != NULL)
            buf_printf(text, " %s=", f->name);
        for (; n > 0 && cur_ok(cur); n--)
            h = mix_one(h, c, cls, f, cur, text);
    }
    return h;
}

/* Hashes every constant from those of the round before. */
static void hash_constants(struct chunk *c)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(c->chunk);
    uint64_t **other;

    c->now = need(calloc(md->n_classes, sizeof(*c->now)));
    c->then = need(calloc(md->n_classes, sizeof(*c->then)));
    for (size_t k = 0; k < md->n_classes; k++) {
        size_t n = jfr_pool_n(jfr_chunk_pool(c->chunk, &md->classes[k]));

        c->now[k] = need(calloc(n + 1, sizeof(**c->now)));
        c->then[k] = need(calloc(n + 1, sizeof(**c->then)));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < md->n_classes; k++) {
            const struct jfr_pool *pool = jfr_chunk_pool(c->chunk, &md->classes[k]);

            for (size_t i = 0; i < jfr_pool_n(pool); i++) {
                struct cursor cur = jfr_pool_value(pool, i);

                c->now[k][i] = mix_value(1, c, &md->classes[k], &cur, NULL);
            }
        }
        other = c->now;
        c->now = c->then;
        c->then = other;
    }
}

static void free_constants(struct chunk *c)
{
    for (size_t k = 0; k < jfr_chunk_metadata(c->chunk)->n_classes; k++) {
        free(c->now[k]);
        free(c->then[k]);
    }
    free(c->now);
    free(c->then);
}

static bool is_left_out(struct chunk *c, const struct jfr_event *ev)
{
    static const char *const want[] = {"id"};
    const struct jfr_metadata *md = jfr_chunk_metadata(c->chunk);
    const struct jfr_plan *plan;
    const struct jfr_class *type;
    union jfr_value v;

    if (!no_settings || strcmp(ev->type->simple, "ActiveSetting") != 0)
        return false;
    plan = jfr_plan_shared(c->chunk, ev->type, want, 1);
    if (plan == NULL || jfr_plan_run(plan, ev->body, &v, NULL) != 0)
        return false;
    type = jfr_metadata_by_id(md, v.i);
    return type == NULL || !type->is_event;
}

static void add_event(struct events *to, struct chunk *c, const struct jfr_event *ev)
{
    static const char *const want[] = {"startTime"};
    const struct jfr_plan *plan = jfr_plan_shared(c->chunk, ev->type, want, 1);
    struct cursor cur = ev->body;
    struct buf text = {0};
    union jfr_value start = {0};
    struct event *e;

    if (is_left_out(c, ev))
        return;
    if (to->n == to->room)
        to->list = need(realloc(to->list, (to->room = to->room * 2 + 1024) * sizeof(*to->list)));
    if (plan != NULL)
        jfr_plan_run(plan, ev->body, &start, NULL);
    buf_printf(&text, "%s", ev->type->name);
    e = &to->list[to->n];
    e->hash = mix_value(mix(7, ev->type->name, strlen(ev->type->name)), c, ev->type, &cur, &text);
    e->start = jfr_epoch_ns(jfr_chunk_header(c->chunk), start.i);
    buf_byte(&text, 0);
    e->text = (char *)text.p;
    if (cur_ok(&cur))
        to->n++;
    else
        free(text.p);
}

static void read_chunk(struct events *to, struct jfr_chunk *chunk)
{
    struct chunk c = {.chunk = chunk};
    struct jfr_event ev;

    hash_constants(&c);
    while (jfr_chunk_next(chunk, &ev) > 0)
        if (ev.type != NULL)
            add_event(to, &c, &ev);
    to->n_damages += jfr_chunk_n_errors(chunk);
    free_constants(&c);
}

static void read_all(struct events *to)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open(to->name, &err);
    struct jfr_chunk *chunk = need(jfr_chunk_new());
    struct jfr_raw raw;
    int rc;

    jfr_chunk_set_pool_rule(chunk, JFR_POOL_OLDEST);
    while (src != NULL && (rc = jfr_source_next(src, &raw, &err)) != 0) {
        if (rc > 0 && jfr_chunk_load(chunk, &raw, &err) == 0)
            read_chunk(to, chunk);
        else
            to->n_damages++;
        if (rc > 0)
            jfr_source_release(src, &raw);
        if (rc < 0 && jfr_source_done(src))
            break;
    }
    if (to->n == 0 && err.code != 0) {
        fprintf(stderr, "eventcmp: %s: %s\n", to->name, err.text);
        exit(2);
    }
    jfr_chunk_free(chunk);
    jfr_source_close(src);
}

static int by_hash(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static int by_text(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    return x->start != y->start ? (x->start < y->start ? -1 : 1) : strcmp(x->text, y->text);
}

static void show(char sign, struct event *list, size_t n)
{
    qsort(list, n, sizeof(*list), by_text);
    for (size_t i = 0; i < n && i < SHOWN; i++)
        printf("%c %s\n", sign, list[i].text);
}

/* Moves the events without an equal to the front of each list. */
static size_t compare(struct events *want, struct events *got, size_t *n_missing, size_t *n_extra)
{
    size_t i = 0, k = 0, n = 0;

    *n_missing = *n_extra = 0;
    qsort(want->list, want->n, sizeof(*want->list), by_hash);
    qsort(got->list, got->n, sizeof(*got->list), by_hash);
    while (i < want->n || k < got->n) {
        if (k == got->n || (i < want->n && want->list[i].hash < got->list[k].hash))
            want->list[(*n_missing)++] = want->list[i++];
        else if (i == want->n || want->list[i].hash > got->list[k].hash)
            got->list[(*n_extra)++] = got->list[k++];
        else
            i++, k++, n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct events want = {0}, got = {0};
    size_t n_missing, n_extra, n;

    if (argc == 4 && strcmp(argv[1], "--no-settings") == 0)
        no_settings = true;
    else if (argc != 3) {
        fprintf(stderr, "usage: eventcmp [--no-settings] WANT.jfr GOT.jfr\n");
        return 2;
    }
    want.name = argv[argc - 2];
    got.name = argv[argc - 1];
    read_all(&want);
    read_all(&got);
    n = compare(&want, &got, &n_missing, &n_extra);
    show('-', want.list, n_missing);
    show('+', got.list, n_extra);
    printf("%zu events agree, %zu are missing, %zu are extra; %" PRIu64
           " damages of the first, %" PRIu64 " of the second\n",
           n, n_missing, n_extra, want.n_damages, got.n_damages);
    return n_missing + n_extra > 0;
}
