/*
 * read.c - reads the scopes of the inputs, part by part: a job that looks at the events of their
 * types alone.
 *
 * Threads and values have numbers of the chunk while it is read, and get those of the whole list
 * when it is merged.
 */
#include "convert/scope/scopes_internal.h"

#include "convert/context/context.h"
#include "convert/driver/run.h"
#include "jfrfmt/base/array.h"

#include <fnmatch.h>
#include <stdlib.h>

enum { /* places in the plan of a class */
    PART_START,
    PART_DURATION,
    PART_CONTINUES,
    PART_THREAD,
    PART_FIELDS,
};

struct scope_class {
    bool is_known; /* the rest was found */
    const struct jfr_plan *plan; /* NULL: events of the class are no scopes */
    const struct jfr_class *threads; /* the class of its thread field */
    uint32_t type; /* number in `types` of the reader */
};

struct scope_reader {
    struct scopes *s;
    struct context *context;
};

struct scope_worker {
    struct scope_reader *reader;
    struct context_run *contexts;
    struct jfr_chunk *chunk;
    struct scope_class *classes; /* by class index, in the chunk's arena */
    struct buf parts; /* struct scope, with numbers of the chunk */
    uint64_t n_events;
    struct intern threads, types, keys;
};

bool scopes_is_type(const struct scopes *s, const char *name)
{
    return intern_find(&s->types, name, strlen(name)) != INTERN_FAILED;
}

/* Does an item of a comma list match the name of a type? */
static bool list_has_type(const char *list, const struct jfr_class *cls)
{
    char glob[256];

    for (size_t n; *list != '\0'; list += n) {
        list += strspn(list, ", ");
        n = strcspn(list, ", ");
        if (n == 0 || n >= sizeof(glob))
            continue;
        memcpy(glob, list, n);
        glob[n] = '\0';
        if (fnmatch(glob, cls->name, 0) == 0 || fnmatch(glob, cls->simple, 0) == 0)
            return true;
    }
    return false;
}

static bool is_named_type(const struct scopes_options *o, const struct jfr_class *cls)
{
    for (size_t i = 0; i < o->n_types; i++)
        if (list_has_type(o->types[i], cls))
            return true;
    return false;
}

static const struct jfr_field *scope_thread_field(const struct jfr_class *cls)
{
    const struct jfr_field *f = jfr_class_field(cls, "eventThread");

    return jfr_field_is_key(f) ? f : NULL;
}

/* Whether events of the class are scopes, and how they are read. */
static struct scope_class *scope_class_of(struct scope_worker *w, const struct jfr_class *cls)
{
    static const char *const paths[] = {"startTime", "duration", "isContinuation", "eventThread"};
    const struct scopes_options *o = &w->reader->s->options;
    struct scope_class *k = &w->classes[cls->index];
    const struct jfr_field *thread;

    if (k->is_known)
        return k;
    k->is_known = true;
    thread = scope_thread_field(cls);
    if (!cls->is_event || thread == NULL || jfr_class_field(cls, "duration") == NULL ||
        (o->n_types == 0 ? !context_is_span(w->contexts, cls) : !is_named_type(o, cls)))
        return k;
    k->threads = thread->type;
    k->type = intern_add(&w->types, cls->name, strlen(cls->name));
    k->plan = jfr_plan_new(w->chunk, cls, paths, PART_FIELDS);
    return k;
}

/* The link of the scope, and the value of the first key that it has. Returns false if out of
 * memory.
 */
static bool read_own_values(struct scope_worker *w, const struct jfr_event *ev, struct scope *part)
{
    struct context_own own;

    if (!context_own_first(w->contexts, ev, &own))
        return false;
    part->link = (uint32_t)own.hash;
    part->trace = (uint32_t)own.trace;
    part->key_rank = own.text == NULL ? 0 : (uint8_t)own.key;
    part->key = own.text == NULL ? 0 : intern_add(&w->keys, own.text, own.n) + 1;
    return own.text == NULL || part->key != 0;
}

static int add_scope_part(struct scope_worker *w, const struct scope_class *k,
                          const struct jfr_event *ev)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(w->chunk);
    struct scope part = {.type = (uint16_t)k->type};
    union jfr_value v[PART_FIELDS];
    struct thread_id id;
    int64_t end;

    /* Damage is reported when the events are read. */
    if (jfr_plan_run(k->plan, ev->body, v, NULL) != 0 || v[PART_DURATION].i <= 0 ||
        __builtin_add_overflow(v[PART_START].i, v[PART_DURATION].i, &end) ||
        !thread_id_get(w->chunk, k->threads, v[PART_THREAD].key, &id))
        return 0;
    part.start_ns = jfr_epoch_ns(h, v[PART_START].i);
    part.end_ns = jfr_epoch_ns(h, end);
    if (part.start_ns < 0 || part.end_ns <= part.start_ns) /* no difference of times overflows */
        return 0;
    part.flags = v[PART_CONTINUES].i != 0 ? SCOPE_CONTINUES : 0;
    part.thread = intern_add(&w->threads, &id, sizeof(id));
    if (part.thread == INTERN_FAILED || !read_own_values(w, ev, &part))
        return JFR_E_NOMEM;
    buf_bytes(&w->parts, &part, sizeof(part));
    return buf_ok(&w->parts) ? 0 : JFR_E_NOMEM;
}

static int read_scope_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct scope_worker *w = worker;
    size_t n = jfr_chunk_metadata(rc->chunk)->n_classes;
    struct jfr_event ev;
    int code;

    (void)out;
    w->chunk = rc->chunk;
    w->n_events = 0;
    buf_reset(&w->parts);
    intern_reset(&w->threads);
    intern_reset(&w->types);
    intern_reset(&w->keys);
    w->classes = arena_array(jfr_chunk_arena(rc->chunk), n, sizeof(*w->classes));
    if (w->classes == NULL)
        return JFR_E_NOMEM;
    code = context_run_load_own(w->contexts, rc->chunk);
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0) {
        const struct scope_class *k = ev.type == NULL ? NULL : scope_class_of(w, ev.type);

        w->n_events++;
        if (k != NULL && k->plan != NULL)
            code = add_scope_part(w, k, &ev);
    }
    return code;
}

/* Copies a chunk's texts to the list. Returns their numbers there, or NULL if out of memory. */
static uint32_t *move_texts(struct intern *to, const struct intern *from)
{
    uint32_t *map = malloc((intern_n(from) + 1) * sizeof(*map));

    if (map != NULL && intern_add_all(to, from, map))
        return map;
    free(map);
    return NULL;
}

static int merge_scopes(void *shared, void *worker, const struct run_chunk *rc)
{
    struct scope_worker *w = worker;
    struct scopes *s = ((struct scope_reader *)shared)->s;
    size_t n = w->parts.n / sizeof(struct scope);
    const struct scope *from = (const void *)w->parts.p;
    uint32_t *threads = move_texts(&s->threads, &w->threads);
    uint32_t *types = move_texts(&s->types, &w->types);
    uint32_t *keys = move_texts(&s->keys, &w->keys);
    bool good = threads != NULL && types != NULL && keys != NULL && s->n + n < SCOPES_NONE &&
                array_reserve(&s->parts, &s->room, s->n + n, sizeof(*s->parts));

    (void)rc;
    s->n_events += w->n_events;
    for (size_t i = 0; i < n && good; i++) {
        struct scope *p = &s->parts[s->n];

        *p = from[i];
        p->thread = threads[p->thread];
        p->type = (uint16_t)types[p->type];
        p->key = p->key == 0 ? 0 : keys[p->key - 1] + 1;
        p->head = (uint32_t)s->n++;
        if (p->key != 0 && p->key_rank < s->key_rank)
            s->key_rank = p->key_rank;
    }
    free(threads);
    free(types);
    free(keys);
    return good ? 0 : JFR_E_NOMEM;
}

static void free_scope_worker(void *worker)
{
    struct scope_worker *w = worker;

    context_run_free(w->contexts);
    buf_free(&w->parts);
    intern_free(&w->threads);
    intern_free(&w->types);
    intern_free(&w->keys);
    free(w);
}

static void *new_scope_worker(void *shared)
{
    struct scope_reader *reader = shared;
    struct scope_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->reader = reader;
    w->contexts = context_run_new(reader->context);
    if (w->contexts != NULL)
        return w;
    free(w);
    return NULL;
}

int scopes_read(struct scopes *s, const char *const *paths, size_t n_paths, struct jfr_error *err,
                const char **err_path)
{
    struct scope_reader reader = {.s = s, .context = context_new()};
    struct run_options opt = {.paths = paths, .n_paths = n_paths};
    struct run_job job = {.shared = &reader,
                          .worker_new = new_scope_worker,
                          .worker_free = free_scope_worker,
                          .chunk = read_scope_chunk,
                          .merge = merge_scopes};
    struct run_result result;
    int rc = JFR_E_NOMEM;

    *err_path = NULL;
    if (reader.context != NULL) {
        context_want_all(reader.context);
        for (size_t i = 0; i < s->options.n_keys; i++)
            context_want(reader.context, s->options.keys[i]);
        rc = run_all(&opt, &job, NULL, &result, err, err_path);
    }
    context_free(reader.context);
    if (rc == 0)
        rc = scopes_join(s);
    return rc == JFR_E_NOMEM ? jfr_fail(err, JFR_E_NOMEM, 0, "out of memory") : rc;
}
