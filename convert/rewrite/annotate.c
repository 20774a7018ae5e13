/*
 * annotate.c - finds which contexts a recording has, and gives their values to the events without
 * them.
 */
#include "convert/rewrite/annotate.h"

#include "convert/context/internal.h"
#include "convert/driver/run.h"

#include <stdlib.h>

struct annotate {
    struct context *context;
    struct context_run *run;
    char *fields[ANNOTATE_KEYS]; /* names in the output, by key */
    size_t n;
    struct jfr_chunk *chunk;
    const char ***of_class; /* names by class index, of those that it gets */
    uint32_t *masks; /* bits by key, by class index */
    uint64_t n_events;
    struct labels *labels; /* NULL: a field for each key */
};

struct annotate *annotate_new(void)
{
    struct annotate *a = calloc(1, sizeof(*a));

    if (a == NULL)
        return NULL;
    a->context = context_new();
    if (a->context != NULL)
        return a;
    free(a);
    return NULL;
}

void annotate_free(struct annotate *a)
{
    if (a == NULL)
        return;
    context_run_free(a->run);
    context_free(a->context);
    for (size_t i = 0; i < a->n; i++)
        free(a->fields[i]);
    free(a);
}

/* A key as a field: no reader splits a name at '_' or '-', but all do at '.'. */
static char *field_name(const char *key)
{
    char *name = strdup(key);

    for (char *p = name; p != NULL && *p != '\0'; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
              *p == '-' || *p == '_' || (*p & 0x80) != 0))
            *p = '_';
    return name;
}

bool annotate_key(struct annotate *a, const char *key)
{
    uint32_t number;

    if (a->n == ANNOTATE_KEYS)
        return false;
    number = context_want(a->context, key);
    if (number == CONTEXT_NONE)
        return false;
    if (number < a->n)
        return true; /* it was requested before */
    a->fields[a->n] = field_name(key);
    return a->fields[a->n] != NULL && ++a->n > 0;
}

void annotate_as_labels(struct annotate *a, struct labels *labels)
{
    a->labels = labels;
    if (a->n == 0)
        context_want_all(a->context);
}

uint64_t annotate_n(const struct annotate *a)
{
    return a->n_events;
}

uint64_t annotate_n_lost(const struct annotate *a)
{
    return context_n_lost(a->context);
}

const struct context *annotate_context(const struct annotate *a)
{
    return a == NULL ? NULL : a->context;
}

/* --- looking ahead ---------------------------------------------------------------------------- */

struct search {
    struct annotate *a;
    struct context *all;
    struct context_run *run;
};

/* The attributes of contextual events, by their full names. */
static int note_keys(void *shared, const struct run_chunk *rc, struct out *out)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    struct search *s = shared;
    struct context_run *r = s->run;
    int code = context_run_load(r, rc->chunk);

    (void)out;
    for (size_t i = 0; i < md->n_classes && code == 0 && r->has_spans; i++) {
        const struct context_class *k = &r->classes[i];

        for (size_t f = 0; f < k->n_fields && k->is_span; f++)
            if (context_is_marked(k->cls, k->fields[f].field) && context_n_spans(r) > 0 &&
                s->a->n < ANNOTATE_KEYS &&
                !annotate_key(s->a, r->attrs[r->places[k->fields[f].place]].full))
                code = JFR_E_NOMEM;
    }
    return code;
}

static int find_annotate_keys(struct annotate *a, const char *const *paths, size_t n_paths,
                              struct jfr_error *err, const char **err_path)
{
    struct search s = {.a = a, .all = context_new()};
    struct run_options opt = {.paths = paths, .n_paths = n_paths};
    struct run_job job = {.shared = &s, .chunk = note_keys};
    struct run_result result;
    int rc = JFR_E_NOMEM;

    if (s.all != NULL) {
        context_want_all(s.all);
        s.run = context_run_new(s.all);
    }
    if (s.run != NULL)
        rc = run_all(&opt, &job, NULL, &result, err, err_path);
    else
        jfr_fail(err, rc, 0, "out of memory");
    context_run_free(s.run);
    context_free(s.all);
    return rc;
}

int annotate_look_ahead(struct annotate *a, const char *const *paths, size_t n_paths,
                        const struct select_list *from, struct jfr_error *err,
                        const char **err_path)
{
    bool needs_keys = a->n == 0 && a->labels == NULL;
    int rc = 0;

    if (needs_keys && !select_can_look_ahead(paths, n_paths))
        return jfr_fail(err, JFR_E_UNSUPPORTED, 0, "what cannot be read twice needs --keys");
    if (needs_keys)
        rc = find_annotate_keys(a, paths, n_paths, err, err_path);
    if (rc == 0 && needs_keys && select_can_look_ahead(from->items, from->n))
        rc = find_annotate_keys(a, from->items, from->n, err, err_path);
    return rc != 0 ? rc : select_look_ahead(a->context, paths, n_paths, from, err, err_path);
}

/* --- a chunk ---------------------------------------------------------------------------------- */

/* Does the class have a field for the key itself? */
static bool has_own(const struct context_run *r, const struct context_class *k, size_t key)
{
    const uint32_t *places = r->key_places + key * (r->n_places + 1);

    for (size_t f = 0; f < k->n_fields; f++)
        for (const uint32_t *p = places; *p != CONTEXT_NONE; p++)
            if (k->fields[f].pooled != NULL || k->fields[f].place == *p)
                return true;
    return false;
}

static const struct jfr_field *annotated_thread_of(const struct jfr_class *cls)
{
    const struct jfr_field *f = jfr_class_field(cls, "eventThread");

    f = f != NULL ? f : jfr_class_field(cls, "sampledThread");
    return jfr_field_is_key(f) ? f : NULL;
}

/* Which keys events of the class get. It follows from the class alone, so that one with the same
 * fields gets the same ones in every chunk. */
static void choose_keys(struct annotate *a, const struct jfr_class *cls)
{
    const struct context_class *k = &a->run->classes[cls->index];
    const char **names = arena_array(jfr_chunk_arena(a->chunk), ANNOTATE_KEYS, sizeof(*names));
    size_t n = 0;

    a->of_class[cls->index] = names;
    if (!cls->is_event || annotated_thread_of(cls) == NULL || k->is_span || names == NULL)
        return;
    if (a->labels != NULL) {
        if (jfr_class_field(cls, "stackTrace") == NULL || jfr_class_field(cls, "contextId") != NULL)
            return;
        names[0] = "contextId";
        a->masks[cls->index] = 1;
        return;
    }
    for (size_t i = 0; i < a->n; i++) {
        if (has_own(a->run, k, i) || jfr_class_field(cls, a->fields[i]) != NULL)
            continue;
        a->masks[cls->index] |= (uint32_t)1 << i;
        names[n++] = a->fields[i];
    }
}

int annotate_load(struct annotate *a, struct jfr_chunk *chunk)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);
    struct arena *arena = jfr_chunk_arena(chunk);
    int rc;

    if (a->run == NULL)
        a->run = context_run_new(a->context);
    if (a->run == NULL)
        return JFR_E_NOMEM;
    a->chunk = chunk;
    if (a->labels != NULL)
        labels_load(a->labels);
    rc = context_run_load(a->run, chunk);
    a->of_class = arena_array(arena, md->n_classes, sizeof(*a->of_class));
    a->masks = arena_array(arena, md->n_classes, sizeof(*a->masks));
    if (rc != 0 || a->of_class == NULL || a->masks == NULL)
        return JFR_E_NOMEM;
    for (size_t i = 0; i < md->n_classes; i++)
        choose_keys(a, &md->classes[i]);
    return arena_ok(arena) ? 0 : JFR_E_NOMEM;
}

static size_t fields(void *ctx, const struct jfr_class *cls, const char *const **names)
{
    const struct annotate *a = ctx;

    *names = a->of_class[cls->index];
    return (size_t)__builtin_popcount(a->masks[cls->index]);
}

static void append_id(struct annotate *a, uint32_t tuple, struct buf *b)
{
    uint64_t id = labels_id(a->labels, a->run, tuple);

    b->failed |= id == LABELS_FAILED;
    buf_varint(b, id);
    a->n_events += id > 0;
}

static void append(void *ctx, const struct jfr_event *ev, struct buf *b)
{
    struct annotate *a = ctx;
    uint32_t mask = a->masks[ev->type->index], tuple;
    bool any = false;

    if (mask == 0)
        return;
    tuple = context_event(a->run, ev);
    b->failed |= tuple == CONTEXT_NONE;
    if (a->labels != NULL) {
        append_id(a, tuple, b);
        return;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        const char *text = NULL;
        size_t n = 0;

        if ((mask >> i & 1) == 0)
            continue;
        if (tuple != CONTEXT_NONE)
            text = context_text(a->run, tuple, i, &n);
        if (text == NULL || n == 0) {
            buf_byte(b, text == NULL ? JFR_STR_NULL : JFR_STR_EMPTY);
            continue;
        }
        buf_byte(b, JFR_STR_UTF8);
        buf_varint(b, n);
        buf_bytes(b, text, n);
        any = true;
    }
    a->n_events += any;
}

struct rewrite_extra annotate_extra(struct annotate *a)
{
    return (struct rewrite_extra){.ctx = a,
                                  .type = a->labels != NULL ? "long" : "java.lang.String",
                                  .fields = fields,
                                  .append = append};
}
