/*
 * where_use.c - prepares a condition of --where for the event types of a chunk.
 *
 * For each type it finds the fields that the condition names, and the classes on the way to them.
 * where.c then evaluates the condition on events.
 */
#include "convert/select/where_internal.h"

#include "convert/text/frame_name.h"
#include "jfrfmt/base/utf8.h"

#include <stdlib.h>

#define SIMPLE_MOST 8 /* simple types around one another */
#define NAME_MOST 60 /* of names that are compared for typing errors */

/* How much of the path leads to the first constant, or to its end; 0 when the class does not have
 * it. Names may have dots of their own: the longest counts. */
static size_t reach(const struct jfr_class *cls, const char *path, const struct jfr_field **field)
{
    const struct jfr_field *best = NULL;
    size_t best_n = 0, n;

    for (size_t i = 0; i < cls->n_fields; i++) {
        const char *name = cls->fields[i].name;

        n = strlen(name);
        if (n >= best_n && n > 0 && strncmp(path, name, n) == 0 &&
            (path[n] == '\0' || path[n] == '.')) {
            best = &cls->fields[i];
            best_n = n;
        }
    }
    if (best == NULL || (path[best_n] != '\0' && best->is_array))
        return 0;
    *field = best;
    if (path[best_n] == '\0' || best->is_pooled)
        return best_n;
    if (best->type->kind != JFR_STRUCT)
        return 0;
    n = reach(best->type, path + best_n + 1, field);
    return n == 0 ? 0 : best_n + 1 + n;
}

/* Samples name their thread otherwise: what follows "eventThread" in the path, where it means the
 * sampledThread of the class; else NULL. */
static const char *path_after_thread(const struct jfr_class *cls, const char *path)
{
    size_t n = strlen("eventThread");

    if (strncmp(path, "eventThread", n) != 0 || (path[n] != '\0' && path[n] != '.') ||
        jfr_class_field(cls, "eventThread") != NULL ||
        jfr_class_field(cls, "sampledThread") == NULL)
        return NULL;
    return path + n;
}

static const char *own_name(struct arena *arena, const struct jfr_class *cls, const char *path)
{
    const char *rest = path_after_thread(cls, path);
    size_t n = strlen("sampledThread");
    char *own = rest == NULL ? NULL : arena_alloc(arena, n + strlen(rest) + 1);

    if (own == NULL)
        return path;
    stpcpy(stpcpy(own, "sampledThread"), rest);
    return own;
}

/* As where_use_find(), to exactly this field. */
static bool find(struct jfr_chunk *chunk, const struct jfr_class *cls, const char *path,
                 struct where_use *use, const char **first)
{
    struct arena *arena = jfr_chunk_arena(chunk);

    *use = (struct where_use){0};
    for (const struct jfr_class *at = cls;;) {
        size_t n = reach(at, path, &use->field);
        const char *prefix = n == 0 ? NULL : arena_strndup(arena, path, n);

        if (prefix == NULL)
            return false;
        if (use->n_steps == 0)
            *first = prefix;
        else
            use->steps[use->n_steps - 1].plan = jfr_plan_new(chunk, at, &prefix, 1);
        if (use->n_steps > 0 && use->steps[use->n_steps - 1].plan == NULL)
            return false;
        if (use->n_steps == 0 && jfr_field_is_key(use->field))
            use->pool = jfr_chunk_pool(chunk, use->field->type);
        if (path[n] == '\0')
            return true;
        if (use->n_steps == WHERE_STEPS)
            return false;
        use->steps[use->n_steps++].pool = jfr_chunk_pool(chunk, use->field->type);
        at = use->field->type;
        path += n + 1;
    }
}

/* The one field by which a value of several is shown, or NULL. */
static const char *shown_field(const struct jfr_field *f, struct where_use *use)
{
    if (f->is_array)
        return NULL;
    if (f->type->is_simple && f->type->n_fields == 1)
        return f->type->fields[0].name;
    if (strcmp(f->type->name, "java.lang.Class") == 0 && jfr_class_field(f->type, "name") != NULL) {
        use->shown = WHERE_SHOW_CLASS;
        return "name";
    }
    return NULL;
}

bool where_use_find(struct jfr_chunk *chunk, const struct jfr_class *cls, const char *path,
                    struct where_use *use, const char **first)
{
    struct arena *arena = jfr_chunk_arena(chunk);
    enum where_shown shown = WHERE_SHOW_PLAIN;

    path = own_name(arena, cls, path);
    if (!find(chunk, cls, path, use, first))
        return false;
    for (int i = 0; i < SIMPLE_MOST; i++) {
        const char *more = shown_field(use->field, use);
        struct where_use further;
        const char *further_first;
        size_t n = strlen(path), m = more == NULL ? 0 : strlen(more);
        char *longer = m == 0 ? NULL : arena_alloc(arena, n + m + 2);

        if (use->shown != WHERE_SHOW_PLAIN)
            shown = use->shown;
        if (longer == NULL)
            break;
        stpcpy(stpcpy(stpcpy(longer, path), "."), more);
        if (!find(chunk, cls, longer, &further, &further_first))
            break;
        *use = further;
        *first = further_first;
        path = longer;
    }
    use->shown = shown;
    if (use->field->is_pooled && strcmp(use->field->type->name, "java.lang.Thread") == 0)
        use->shown = WHERE_SHOW_THREAD;
    use->is_there = true;
    return true;
}

bool where_use_exists(const struct jfr_class *cls, const char *path)
{
    const char *rest = path_after_thread(cls, path);
    const struct jfr_field *field;

    if (rest != NULL && *rest == '\0')
        return true;
    if (rest != NULL) {
        cls = jfr_class_field(cls, "sampledThread")->type;
        path = rest + 1;
    }
    for (size_t n; (n = reach(cls, path, &field)) > 0; path += n + 1, cls = field->type)
        if (path[n] == '\0')
            return true;
    return false;
}

/* --- values ----------------------------------------------------------------------------------- */

static int64_t scaled_number(int64_t v, int64_t by)
{
    int64_t product;

    return __builtin_mul_overflow(v, by, &product) ? (v < 0 ? INT64_MIN : INT64_MAX) : product;
}

static void set_int(const struct jfr_chunk_header *h, const struct jfr_field *f, int64_t i,
                    struct where_value *value)
{
    *value = (struct where_value){.kind = WHERE_SPAN, .i = i};
    switch (f->unit) {
    case JFR_UNIT_TICKS:
        value->i = jfr_span_ns(h, i);
        return;
    case JFR_UNIT_NS:
        return;
    case JFR_UNIT_US:
        value->i = scaled_number(i, 1000);
        return;
    case JFR_UNIT_MS:
        value->i = scaled_number(i, 1000000);
        return;
    case JFR_UNIT_S:
        value->i = scaled_number(i, 1000000000);
        return;
    case JFR_UNIT_TIMESTAMP_TICKS:
        value->i = jfr_epoch_ns(h, i);
        break;
    case JFR_UNIT_TIMESTAMP_MS:
        value->i = scaled_number(i, 1000000);
        break;
    case JFR_UNIT_TIMESTAMP_S:
        value->i = scaled_number(i, 1000000000);
        break;
    case JFR_UNIT_TIMESTAMP_NS:
        break;
    default:
        value->kind = WHERE_INT;
        value->is_big = f->is_unsigned && f->type->kind == JFR_LONG && i < 0;
        return;
    }
    value->kind = WHERE_TIME;
}

static void set_value_text(struct buf *b, struct where_value *value)
{
    value->kind = buf_ok(b) ? WHERE_TEXT : WHERE_NULL;
    value->text = b->n == 0 ? "" : (const char *)b->p;
    value->n = b->n;
}

static void set_string(struct jfr_chunk *chunk, struct cursor c, enum where_shown shown,
                       struct buf *b, struct where_value *value)
{
    struct jfr_str s = jfr_chunk_resolve(chunk, jfr_str_read(&c));

    if (jfr_str_is_null(s))
        return;
    jfr_str_append_utf8(b, s);
    for (size_t i = 0; i < b->n && shown == WHERE_SHOW_CLASS; i++)
        if (b->p[i] == '/')
            b->p[i] = '.';
    set_value_text(b, value);
}

static void set_constant(struct jfr_chunk *chunk, const struct where_use *use, uint64_t key,
                         struct buf *b, struct where_value *value)
{
    const struct jfr_class *cls = use->field->type;
    const struct jfr_pool *pool = jfr_chunk_pool(chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    struct jfr_thread thread;

    if (i < 0)
        return;
    if (cls->kind == JFR_STRING) {
        set_string(chunk, jfr_pool_value(pool, (size_t)i), use->shown, b, value);
    } else if (use->shown == WHERE_SHOW_THREAD) {
        if (!jfr_thread_get(chunk, cls, key, &thread))
            return;
        thread_name_append(b, &thread);
        set_value_text(b, value);
    } else {
        value->kind = WHERE_OTHER;
    }
}

static void set_plain(struct jfr_chunk *chunk, const struct where_use *use, union jfr_value v,
                      const uint8_t *end, struct buf *b, struct where_value *value)
{
    const struct jfr_field *f = use->field;

    switch (f->type->kind) {
    case JFR_STRUCT:
        value->kind = WHERE_OTHER;
        break;
    case JFR_STRING:
        set_string(chunk, cur_over(v.at, (size_t)(end - v.at)), use->shown, b, value);
        break;
    case JFR_BOOLEAN:
        *value = (struct where_value){.kind = WHERE_BOOL, .i = v.i != 0};
        break;
    case JFR_CHAR:
        if (buf_reserve(b, 4))
            b->n += utf8_put(b->p + b->n, (uint32_t)v.i);
        set_value_text(b, value);
        break;
    case JFR_FLOAT:
    case JFR_DOUBLE:
        *value = (struct where_value){
            .kind = WHERE_REAL, .f = v.f, .is_single = f->type->kind == JFR_FLOAT};
        break;
    default:
        set_int(jfr_chunk_header(chunk), f, v.i, value);
        break;
    }
}

void where_use_value(struct jfr_chunk *chunk, const struct where_use *use, union jfr_value v,
                     const uint8_t *end, struct buf *b, struct where_value *value)
{
    *value = (struct where_value){.kind = WHERE_NULL};
    buf_reset(b);
    for (unsigned k = 0; k < use->n_steps; k++) {
        const struct where_step *step = &use->steps[k];
        int64_t i = jfr_pool_find(step->pool, v.key);
        struct cursor c;

        if (i < 0)
            return;
        c = jfr_pool_value(step->pool, (size_t)i);
        if (jfr_plan_run(step->plan, c, &v, NULL) < 0)
            return;
        end = c.end;
    }
    if (use->field->is_array)
        value->kind = WHERE_OTHER;
    else if (use->field->is_pooled)
        set_constant(chunk, use, v.key, b, value);
    else
        set_plain(chunk, use, v, end, b, value);
}

/* --- names that were perhaps meant ------------------------------------------------------------ */

/* Letters to insert, to remove or to change; the case of a letter does not count. UINT32_MAX if a
 * name is too long to compare. */
static unsigned distance_of(const char *a, const char *b)
{
    unsigned row[NAME_MOST + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n > NAME_MOST || m > NAME_MOST)
        return UINT32_MAX;
    for (size_t k = 0; k <= m; k++)
        row[k] = (unsigned)k;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t k = 1; k <= m; k++) {
            unsigned change = diagonal + ((a[i - 1] | 32) != (b[k - 1] | 32));
            unsigned least = row[k] < row[k - 1] ? row[k] + 1 : row[k - 1] + 1;

            diagonal = row[k];
            row[k] = change < least ? change : least;
        }
    }
    return row[m];
}

static void offer(const char *path, const char *outer, const char *name, char **best,
                  unsigned *distance)
{
    char whole[2 * NAME_MOST + 2];
    unsigned d;
    char *copy;

    if (strlen(outer) > NAME_MOST || strlen(name) > NAME_MOST)
        return;
    stpcpy(stpcpy(whole, outer), name);
    d = distance_of(path, whole);
    /* *best is NULL until a name could be compared. */
    if (d == UINT32_MAX || d > *distance || (d == *distance && strcmp(whole, *best) >= 0) ||
        (copy = strdup(whole)) == NULL)
        return;
    free(*best);
    *best = copy;
    *distance = d;
}

void where_use_nearest(const struct jfr_class *cls, const char *path, char **best,
                       unsigned *distance)
{
    const char *dot = strrchr(path, '.');
    char outer[NAME_MOST + 1];
    size_t n = dot == NULL ? 0 : (size_t)(dot - path) + 1;
    const struct jfr_field *field;

    for (size_t i = 0; i < cls->n_fields; i++)
        offer(path, "", cls->fields[i].name, best, distance);
    if (n < 2 || n > NAME_MOST)
        return;
    /* The outer part may be right. */
    memcpy(outer, path, n - 1);
    outer[n - 1] = '\0';
    for (const char *rest = outer; (n = reach(cls, rest, &field)) > 0; rest += n + 1) {
        cls = field->type;
        if (rest[n] != '\0')
            continue;
        outer[strlen(outer) + 1] = '\0';
        outer[strlen(outer)] = '.';
        for (size_t i = 0; i < cls->n_fields; i++)
            offer(path, outer, cls->fields[i].name, best, distance);
        return;
    }
}
