/*
 * markers.c - collects the events of each chunk as JSON, and sorts them by thread and time.
 *
 * It is a layout of convert/json for the Firefox profiler, whose markers are events with a schema
 * for each type. Workers collect a chunk with numbers of their own; merge() maps these to numbers
 * that hold in all chunks. formats/firefox.c writes the sorted markers beside the samples of each
 * thread.
 */
#include "convert/json/markers.h"

#include "convert/text/frame_name.h"
#include "convert/json/internal.h"
#include "convert/text/jsonw.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

enum {
    AT_START,
    AT_DURATION,
    AT_THREAD,
    N_AT,
};

struct marker_class {
    const struct jfr_plan *plan; /* NULL: events of the class do not last */
    uint32_t type; /* in the worker */
    struct json_member *members; /* of an event; those that are not shown have no shape */
};

struct record {
    int64_t start_ns, end_ns;
    uint64_t at; /* of its data, in `data` */
    uint32_t n; /* bytes of them */
    uint32_t thread, type; /* numbers */
};

/* What a worker has of a chunk, and what all chunks have given. */
struct markers {
    struct buf records; /* of struct record */
    struct buf data;
    struct intern threads, types; /* names */
    struct intern schemas; /* of the types; each with its number, so that none is missed */
    struct buf value; /* a schema, or the name of a thread */
    struct buf map; /* of uint32_t: numbers of threads, then of types */
};

static void free_markers(void *own)
{
    struct markers *m = own;

    buf_free(&m->records);
    buf_free(&m->data);
    intern_free(&m->threads);
    intern_free(&m->types);
    intern_free(&m->schemas);
    buf_free(&m->value);
    buf_free(&m->map);
    free(m);
}

static void *shared_new(void)
{
    return calloc(1, sizeof(struct markers));
}

static void *worker_new(struct json_worker *w)
{
    (void)w;
    return shared_new();
}

static void load(struct json_worker *w)
{
    struct markers *m = w->own;

    buf_reset(&m->records);
    buf_reset(&m->data);
    intern_reset(&m->threads);
    intern_reset(&m->types);
    intern_reset(&m->schemas);
}

/* --- types ------------------------------------------------------------------------------------ */

static bool is_shown(const struct jfr_field *f)
{
    static const char *const elsewhere[] = {"startTime", "duration", "eventThread", "stackTrace",
                                            "type"};

    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (strcmp(f->name, elsewhere[i]) == 0)
            return false;
    return true;
}

/* What the profiler calls a field's unit. */
static const char *format_of(const struct jfr_field *f)
{
    if (f->is_array || f->is_pooled || f->type->kind == JFR_STRUCT)
        return "string";
    switch (f->unit) {
    case JFR_UNIT_TICKS:
    case JFR_UNIT_NS:
    case JFR_UNIT_US:
    case JFR_UNIT_MS:
    case JFR_UNIT_S:
        return "nanoseconds";
    case JFR_UNIT_BYTES:
        return "bytes";
    case JFR_UNIT_PERCENT:
        return "percentage";
    case JFR_UNIT_NONE:
    case JFR_UNIT_BITS:
    case JFR_UNIT_HERTZ:
        break;
    default:
        return "string";
    }
    switch (f->type->kind) {
    case JFR_FLOAT:
    case JFR_DOUBLE:
        return "decimal";
    case JFR_BYTE:
    case JFR_SHORT:
    case JFR_INT:
    case JFR_LONG:
        return "integer";
    default:
        return "string";
    }
}

static void put_schema(const struct jfr_class *cls, uint32_t number, struct buf *b)
{
    bool first = true;

    buf_bytes(b, &number, sizeof(number));
    buf_str(b, "{\"name\":");
    jsonw_str(b, cls->name, strlen(cls->name));
    buf_str(b, ",\"tooltipLabel\":");
    jsonw_str(b, cls->label != NULL ? cls->label : cls->name,
              strlen(cls->label != NULL ? cls->label : cls->name));
    buf_str(b, ",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"data\":[");
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];

        if (!is_shown(f))
            continue;
        buf_str(b, first ? "{\"key\":" : ",{\"key\":");
        first = false;
        jsonw_str(b, f->name, strlen(f->name));
        buf_str(b, ",\"label\":");
        jsonw_str(b, f->label != NULL ? f->label : f->name,
                  strlen(f->label != NULL ? f->label : f->name));
        buf_printf(b, ",\"format\":\"%s\",\"searchable\":true}", format_of(f));
    }
    buf_str(b, "]}");
}

/* The members of a class as a marker shows them. */
static struct json_member *open_members(struct json_worker *w, const struct json_shape *shape)
{
    struct json_shapes *shapes = &w->values.shapes;
    struct json_member *members =
        arena_array(jfr_chunk_arena(shapes->chunk), shape->n_needed + 1, sizeof(*members));

    for (size_t i = 0; members != NULL && i < shape->n_needed; i++) {
        members[i] = shape->members[i];
        if (!is_shown(members[i].field))
            members[i].shape = NULL;
        else if (members[i].shape != NULL &&
                 !json_member_set_form(shapes, &members[i], JSON_FORM_NAME))
            return NULL;
    }
    return members;
}

static struct marker_class *open_class(struct json_worker *w, const struct json_shape *shape)
{
    static const char *const paths[N_AT] = {"startTime", "duration", "eventThread"};
    struct jfr_chunk *chunk = w->values.shapes.chunk;
    const struct jfr_class *cls = shape->cls;
    struct marker_class *k = arena_alloc(jfr_chunk_arena(chunk), sizeof(*k));
    struct markers *m = w->own;
    size_t before = intern_n(&m->types);

    if (k == NULL)
        return NULL;
    *k = (struct marker_class){0};
    if (jfr_class_field(cls, "duration") == NULL)
        return k;
    k->plan = jfr_plan_new(chunk, cls, paths, N_AT);
    k->members = open_members(w, shape);
    if (k->members == NULL)
        return NULL;
    k->type = intern_add(&m->types, cls->name, strlen(cls->name));
    if (k->type != before) /* two classes of one name: the first one's schema serves both */
        return k->type == INTERN_FAILED ? NULL : k;
    buf_reset(&m->value);
    put_schema(cls, k->type, &m->value);
    if (intern_add(&m->schemas, m->value.p, m->value.n) == INTERN_FAILED || !buf_ok(&m->value))
        return NULL;
    return k;
}

/* --- events ----------------------------------------------------------------------------------- */

static uint32_t marker_thread_of(struct json_worker *w, const struct marker_class *k, uint64_t key)
{
    const struct jfr_field *f = jfr_plan_field(k->plan, AT_THREAD);
    struct markers *m = w->own;
    struct jfr_thread t;

    buf_reset(&m->value);
    if (jfr_field_is_key(f) && jfr_thread_get(w->values.shapes.chunk, f->type, key, &t)) {
        thread_name_append(&m->value, &t);
        frame_name_clean(&m->value, 0); /* as profiles have it */
    }
    return intern_add(&m->threads, m->value.p, m->value.n);
}

static void put_marker_data(struct json_worker *w, const struct marker_class *k,
                            const struct json_shape *shape, struct cursor *c)
{
    struct markers *m = w->own;
    struct buf *b = &m->data;

    buf_str(b, "{\"type\":");
    jsonw_str(b, shape->cls->name, strlen(shape->cls->name));
    for (size_t i = 0; i < shape->n_needed; i++) {
        const struct json_member *member = &k->members[i];

        if (member->shape != NULL) {
            buf_byte(b, ',');
            jsonw_str(b, member->field->name, strlen(member->field->name));
            buf_byte(b, ':');
        }
        json_values_begin(&w->values, b);
        json_value_member(&w->values, member, c, b);
    }
    buf_byte(b, '}');
}

static void take_marker(struct json_worker *w, struct json_class *class, struct cursor *c)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(w->values.shapes.chunk);
    struct marker_class *k = class->own;
    struct markers *m = w->own;
    struct record r = {.at = m->data.n};
    union jfr_value v[N_AT];
    int64_t lasts;

    if (k == NULL)
        k = class->own = open_class(w, class->shape);
    w->values.failed |= k == NULL;
    if (k == NULL || k->plan == NULL || jfr_plan_run(k->plan, *c, v, NULL) != 0)
        return;
    lasts = jfr_span_ns(h, v[AT_DURATION].i);
    if (lasts <= 0)
        return;
    r.start_ns = jfr_epoch_ns(h, v[AT_START].i);
    if (__builtin_add_overflow(r.start_ns, lasts, &r.end_ns))
        r.end_ns = INT64_MAX;
    r.type = k->type;
    r.thread = marker_thread_of(w, k, v[AT_THREAD].key);
    put_marker_data(w, k, class->shape, c);
    r.n = (uint32_t)(m->data.n - r.at);
    buf_bytes(&m->records, &r, sizeof(r));
    w->values.failed |= !buf_ok(&m->data) || !buf_ok(&m->records) || r.thread == INTERN_FAILED;
}

/* --- all chunks ------------------------------------------------------------------------------- */

/* The ids in `to` of all of `from`, after what map has. */
static bool map_names(struct buf *map, struct intern *to, const struct intern *from)
{
    size_t n = intern_n(from) * sizeof(uint32_t);

    if (n == 0)
        return true;
    if (!buf_reserve(map, n) || !intern_add_all(to, from, (uint32_t *)(void *)(map->p + map->n)))
        return false;
    map->n += n;
    return true;
}

/* Schemas of the types that are new; numbers are exchanged for those of all chunks. */
static bool take_schemas(struct markers *to, const struct markers *from, const uint32_t *types)
{
    for (uint32_t i = 0; i < intern_n(&from->schemas); i++) {
        size_t n;
        const char *text = intern_get(&from->schemas, i, &n);
        uint32_t local;

        memcpy(&local, text, sizeof(local));
        if (types[local] < intern_n(&to->schemas))
            continue; /* the first chunk's stays */
        buf_reset(&to->value);
        buf_bytes(&to->value, &types[local], sizeof(types[local]));
        buf_bytes(&to->value, text + sizeof(local), n - sizeof(local));
        if (!buf_ok(&to->value) ||
            intern_add(&to->schemas, to->value.p, to->value.n) == INTERN_FAILED)
            return false;
    }
    return true;
}

static int merge(void *shared, struct json_worker *w)
{
    struct markers *to = shared, *from = w->own;
    const struct record *records = (const struct record *)(const void *)from->records.p;
    size_t n_threads = intern_n(&from->threads);
    const uint32_t *map;

    buf_reset(&to->map);
    if (!map_names(&to->map, &to->threads, &from->threads) ||
        !map_names(&to->map, &to->types, &from->types))
        return JFR_E_NOMEM;
    map = (const uint32_t *)(const void *)to->map.p;
    if (intern_n(&from->types) > 0 && !take_schemas(to, from, map + n_threads))
        return JFR_E_NOMEM;
    for (size_t i = 0; i < from->records.n / sizeof(*records); i++) {
        struct record r = records[i];

        r.at += to->data.n;
        r.thread = map[r.thread];
        r.type = map[n_threads + r.type];
        buf_bytes(&to->records, &r, sizeof(r));
    }
    buf_bytes(&to->data, from->data.p, from->data.n);
    return buf_ok(&to->data) && buf_ok(&to->records) ? 0 : JFR_E_NOMEM;
}

static int compare(const void *a, const void *b, void *markers)
{
    const struct record *x = a, *y = b;
    const struct markers *m = markers;
    int order = x->thread == y->thread ? 0
                                       : strcmp(intern_get(&m->threads, x->thread, NULL),
                                                intern_get(&m->threads, y->thread, NULL));

    if (order != 0)
        return order;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

void markers_finish(const struct markers *m)
{
    if (markers_n(m) > 1)
        qsort_r(m->records.p, markers_n(m), sizeof(struct record), compare, (void *)(uintptr_t)m);
}

size_t markers_n(const struct markers *m)
{
    return m->records.n / sizeof(struct record);
}

struct marker markers_get(const struct markers *m, size_t i)
{
    const struct record *r = (const struct record *)(const void *)m->records.p + i;

    return (struct marker){.thread = intern_get(&m->threads, r->thread, NULL),
                           .type = r->type,
                           .start_ns = r->start_ns,
                           .end_ns = r->end_ns,
                           .data = {(const char *)m->data.p + r->at, r->n}};
}

size_t markers_n_types(const struct markers *m)
{
    return intern_n(&m->types);
}

const char *markers_type(const struct markers *m, uint32_t type, struct json_text *schema)
{
    size_t n;
    const char *text = intern_get(&m->schemas, type, &n);

    *schema = (struct json_text){text + sizeof(uint32_t), n - sizeof(uint32_t)};
    return intern_get(&m->types, type, NULL);
}

const struct markers *json_markers(const struct json *j)
{
    return json_own(j);
}

const struct json_layout json_layout_markers = {
    .name = "markers",
    .rules = JSON_RULES_OWN,
    .stack_depth = 0,
    .has_plain_spans = true,
    .separator = "",
    .begin = "",
    .before = "",
    .after = "",
    .end = "",
    .event = take_marker,
    .worker_new = worker_new,
    .worker_free = free_markers,
    .load = load,
    .merge = merge,
    .shared_new = shared_new,
    .shared_free = free_markers,
};
