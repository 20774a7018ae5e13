/*
 * carried.c - contexts that hold for events of other chunks than the one that has them: such
 * as are recorded a chunk later than they began, and those beside chunks of another recorder.
 *
 * Chunks of a file come by the time at which they begin (where two recordings were put one after
 * the other they do not, and all spans are kept). So whether later chunks need the spans of a
 * chunk is known when the next chunk is read, and only spans that are needed are kept: few in a
 * file of one recorder. A chunk finds its own among them by a search that skips what has ended
 * (context_carried_find()), so many chunks cost no more than their spans do. The same search tells
 * whether a chunk has spans at all; where it has none its events are not passed once more for them.
 */
#include "convert/context/internal.h"
#include "convert/context/thread_id.h"

#include <stdlib.h>

/* A value in the tuple of a carried span. */
struct named {
    uint32_t context, name, text;
};

static const struct carried_span *items_of(const struct buf *b)
{
    return (const struct carried_span *)(const void *)b->p;
}

static size_t n_of(const struct buf *b)
{
    return b->n / sizeof(struct carried_span);
}

static const struct context_place *place_at(const struct carried_spans *s, uint32_t place)
{
    return (const struct context_place *)(const void *)s->places.p + place;
}

/* Is the file there for the others? */
static bool is_source(const struct carried_spans *s, uint32_t file)
{
    return s->n_files > 0 && file >= s->n_files;
}

void context_carried_free(struct carried_spans *s)
{
    buf_free(&s->all);
    buf_free(&s->last_ends);
    buf_free(&s->pending);
    buf_free(&s->places);
    buf_free(&s->sorted);
    intern_free(&s->texts);
    intern_free(&s->threads);
    intern_free(&s->tuples);
}

/* --- looking ahead ---------------------------------------------------------------------------- */

static struct context_place place_of(const struct jfr_chunk_header *h, uint32_t file)
{
    int64_t end;

    if (__builtin_add_overflow(h->start_nanos, h->duration_nanos, &end) || end <= h->start_nanos)
        end = INT64_MAX; /* it was never closed */
    return (struct context_place){.start_nanos = h->start_nanos,
                                  .start_ticks = h->start_ticks,
                                  .end_nanos = end,
                                  .offset = h->offset,
                                  .size = h->size,
                                  .file = file};
}

static bool thread_identity(struct context_run *r, uint64_t key, struct thread_id *id)
{
    const struct jfr_class *cls =
        jfr_metadata_by_name(jfr_chunk_metadata(r->chunk), "java.lang.Thread");

    return cls != NULL && thread_id_get(r->chunk, cls, key, id);
}

static uint32_t add_text(struct carried_spans *s, const char *text, size_t n)
{
    return intern_add(&s->texts, text, n);
}

static uint32_t add_tuple(struct carried_spans *s, const struct context_run *r, uint32_t tuple)
{
    uint32_t values[CONTEXT_ATTRIBUTES];
    struct named named[CONTEXT_ATTRIBUTES];
    size_t n = 0;

    context_values(r, tuple, values);
    for (size_t i = 0; i < r->n_places; i++) {
        const struct context_attr *a = &r->attrs[r->places[i]];
        const char *text;
        size_t length;

        if (values[i] == 0)
            continue;
        text = intern_get(&r->values, values[i] - 1, &length);
        named[n] = (struct named){add_text(s, a->context, strlen(a->context)),
                                  add_text(s, a->name, strlen(a->name)), add_text(s, text, length)};
        if (named[n].context == INTERN_FAILED || named[n].name == INTERN_FAILED ||
            named[n].text == INTERN_FAILED)
            return INTERN_FAILED;
        n++;
    }
    return intern_add(&s->tuples, named, n * sizeof(named[0]));
}

/* A span without a thread can be joined onto its own chunk only. */
static int carry(struct carried_spans *s, struct context_run *r, const struct context_span *span,
                 uint32_t place, struct buf *out)
{
    const char *name = jfr_chunk_metadata(r->chunk)->classes[span->cls].name;
    struct carried_span new = {.place = place,
                               .is_continuation = span->is_continuation,
                               .start_ns = span->start_ns,
                               .end_ns = span->end_ns};
    struct thread_id id;

    if (!thread_identity(r, span->thread, &id))
        return 0;
    if (n_of(&s->all) + n_of(out) >= CONTEXT_SPILLS) {
        s->n_lost++;
        return 0;
    }
    new.thread = intern_add(&s->threads, &id, sizeof(id));
    new.tuple = add_tuple(s, r, span->tuple);
    new.cls = add_text(s, name, strlen(name));
    if (new.thread == INTERN_FAILED || new.tuple == INTERN_FAILED || new.cls == INTERN_FAILED)
        return JFR_E_NOMEM;
    buf_bytes(out, &new, sizeof(new));
    return buf_ok(out) ? 0 : JFR_E_NOMEM;
}

/* Those of the chunk before that last into a chunk that begins now. */
static void keep_pending(struct carried_spans *s, const struct context_place *next)
{
    const struct carried_span *p = items_of(&s->pending);

    for (size_t i = 0; i < n_of(&s->pending); i++)
        if (s->file == next->file && p[i].end_ns > next->start_nanos)
            buf_bytes(&s->all, &p[i], sizeof(p[i]));
    buf_reset(&s->pending);
    if (s->file != next->file || s->places.n == 0)
        s->file_end = s->last_start = INT64_MIN;
    s->is_mixed |= next->start_nanos < s->last_start;
    s->last_start = next->start_nanos;
    s->file = next->file;
}

int context_carried_chunk(struct context *c, struct context_run *r, uint32_t file)
{
    struct carried_spans *s = &c->carried;
    const struct context_span *spans = context_spans(r);
    struct context_place here = place_of(jfr_chunk_header(r->chunk), file);
    uint32_t place = (uint32_t)(s->places.n / sizeof(here));
    int code = 0;

    here.is_without_spans = !r->has_span_events && here.end_nanos != INT64_MAX;
    keep_pending(s, &here);
    buf_bytes(&s->places, &here, sizeof(here));
    if (!buf_ok(&s->places) || !buf_ok(&s->all))
        return JFR_E_NOMEM;
    for (size_t i = 0; i < context_n_spans(r) && code == 0; i++) {
        bool is_needed = s->keeps_all || is_source(s, file) ||
                         spans[i].start_ns < here.start_nanos || spans[i].start_ns < s->file_end;

        code = carry(s, r, &spans[i], place, is_needed ? &s->all : &s->pending);
    }
    if (here.end_nanos > s->file_end)
        s->file_end = here.end_nanos;
    return code;
}

bool context_carried_again(struct context *c)
{
    size_t n_files = c->carried.n_files;

    if (!c->carried.is_mixed || c->carried.keeps_all)
        return false;
    context_carried_free(&c->carried);
    c->carried = (struct carried_spans){.keeps_all = true, .n_files = n_files};
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct carried_span *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_place(const void *a, const void *b)
{
    const struct context_place *x = a, *y = b;

    if (x->start_nanos != y->start_nanos)
        return x->start_nanos < y->start_nanos ? -1 : 1;
    if (x->start_ticks != y->start_ticks)
        return x->start_ticks < y->start_ticks ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->size < y->size ? -1 : x->size > y->size;
}

static const struct context_place *look_up(const struct carried_spans *s,
                                           const struct context_place *place)
{
    return bsearch(place, s->sorted.p, s->sorted.n / sizeof(*place), sizeof(*place), by_place);
}

/* Chunks of several files may have equal places: each is without spans only if all of them are. */
static void join_equal_places(struct context_place *p, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        bool is_without_spans = true;

        for (end = i; end < n && by_place(&p[i], &p[end]) == 0; end++)
            is_without_spans &= p[end].is_without_spans;
        for (; i < end; i++)
            p[i].is_without_spans = is_without_spans;
    }
}

/* The chunks that will be asked about, by place: those of files with events. A source may
 * be one of these files, and its chunks are not to be taken for theirs. */
static int sort_places(struct carried_spans *s)
{
    struct context_place *p = (struct context_place *)(void *)s->places.p;
    size_t n = s->places.n / sizeof(*p);

    for (size_t i = 0; i < n; i++)
        if (!is_source(s, p[i].file))
            buf_bytes(&s->sorted, &p[i], sizeof(p[i]));
    if (!buf_ok(&s->sorted))
        return JFR_E_NOMEM;
    if (s->sorted.n > 0)
        qsort(s->sorted.p, s->sorted.n / sizeof(*p), sizeof(*p), by_place);
    join_equal_places((struct context_place *)(void *)s->sorted.p, s->sorted.n / sizeof(*p));
    for (size_t i = 0; i < n; i++) {
        const struct context_place *twin = is_source(s, p[i].file) ? look_up(s, &p[i]) : NULL;

        p[i].twin = twin == NULL ? 0 : twin->file + 1;
    }
    return 0;
}

/* What is in the middle of a range, as in a search, knows when the last of the range ends. */
static int64_t note_ends(int64_t *last, const struct carried_span *s, size_t low, size_t high)
{
    size_t mid = low + (high - low) / 2;
    int64_t end, left, right;

    if (low == high)
        return INT64_MIN;
    end = s[mid].end_ns;
    left = note_ends(last, s, low, mid);
    right = note_ends(last, s, mid + 1, high);
    end = left > end ? left : end;
    return last[mid] = right > end ? right : end;
}

int context_carried_ready(struct context *c)
{
    struct carried_spans *s = &c->carried;
    size_t n = n_of(&s->all);

    buf_free(&s->pending);
    if (sort_places(s) != 0)
        return JFR_E_NOMEM;
    if (n == 0)
        return 0;
    qsort(s->all.p, n, sizeof(struct carried_span), by_start);
    for (size_t i = 0; i < n; i++)
        buf_bytes(&s->last_ends, &(int64_t){0}, sizeof(int64_t));
    if (!buf_ok(&s->last_ends))
        return JFR_E_NOMEM;
    note_ends((int64_t *)(void *)s->last_ends.p, items_of(&s->all), 0, n);
    return 0;
}

/* --- a chunk ---------------------------------------------------------------------------------- */

/* Chunks of one recorder follow each other; those that run side by side are of two. */
static bool is_beside(const struct context_place *a, const struct context_place *b)
{
    int64_t from = a->start_nanos > b->start_nanos ? a->start_nanos : b->start_nanos;
    int64_t to = a->end_nanos < b->end_nanos ? a->end_nanos : b->end_nanos;
    int64_t x = a->end_nanos - a->start_nanos, y = b->end_nanos - b->start_nanos;

    return to > from && to - from > (x < y ? x : y) / 2;
}

/* A recorder that has events of the same type itself is one of another process. */
static bool is_for(const struct context_run *r, const struct carried_span *s,
                   const struct context_place *here)
{
    const struct carried_spans *all = &r->shared->carried;
    const struct context_place *there = place_at(all, s->place);

    if (is_source(all, there->file))
        return there->twin != here->file + 1; /* what that file has of its own it has already */
    if (there->file != here->file || there->offset == here->offset)
        return false;
    return !is_beside(here, there) ||
           jfr_metadata_by_name(jfr_chunk_metadata(r->chunk),
                                intern_get(&all->texts, s->cls, NULL)) == NULL;
}

static void find(struct context_run *r, const struct context_place *here, size_t low, size_t high)
{
    const struct carried_spans *all = &r->shared->carried;
    const int64_t *last = (const int64_t *)(const void *)all->last_ends.p;
    const struct carried_span *s = items_of(&all->all);

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (last[mid] <= here->start_nanos)
            return;
        find(r, here, low, mid);
        if (s[mid].start_ns > here->end_nanos)
            return;
        if (s[mid].end_ns > here->start_nanos && is_for(r, &s[mid], here))
            buf_bytes(&r->carried_in, &s[mid], sizeof(s[mid]));
        low = mid + 1;
    }
}

/* The chunk among those that were looked at; NULL: it is none of them. */
static const struct context_place *here_of(const struct carried_spans *s,
                                           const struct jfr_chunk_header *h)
{
    struct context_place here = place_of(h, 0);

    return look_up(s, &here);
}

static int by_tuple(const void *a, const void *b)
{
    const struct carried_span *x = a, *y = b;

    return x->tuple < y->tuple ? -1 : x->tuple > y->tuple;
}

int context_carried_find(struct context_run *r)
{
    const struct carried_spans *s = &r->shared->carried;
    const struct context_place *here;

    if (s->sorted.n == 0)
        return 0;
    here = here_of(s, jfr_chunk_header(r->chunk));
    if (here == NULL)
        return 0;
    r->is_without_spans = here->is_without_spans;
    if (s->last_ends.n > 0)
        find(r, here, 0, n_of(&s->all));
    if (!buf_ok(&r->carried_in))
        return JFR_E_NOMEM;
    if (r->carried_in.n > 0)
        qsort(r->carried_in.p, n_of(&r->carried_in), sizeof(struct carried_span), by_tuple);
    return 0;
}

static size_t tuple_of(const struct carried_spans *s, uint32_t tuple,
                       struct named out[CONTEXT_ATTRIBUTES])
{
    size_t n;
    const char *bytes = intern_get(&s->tuples, tuple, &n);

    memcpy(out, bytes, n);
    return n / sizeof(out[0]);
}

/* They are sorted by their tuples, so each tuple is looked at once. */
static bool is_first(const struct carried_span *s, size_t i)
{
    return i == 0 || s[i].tuple != s[i - 1].tuple;
}

int context_carried_attributes(struct context_run *r)
{
    const struct carried_spans *all = &r->shared->carried;
    const struct carried_span *s = items_of(&r->carried_in);

    for (size_t i = 0; i < n_of(&r->carried_in); i++) {
        struct named named[CONTEXT_ATTRIBUTES];
        size_t n;

        if (!is_first(s, i))
            continue;
        n = tuple_of(all, s[i].tuple, named);
        for (size_t k = 0; k < n; k++)
            if (!context_add_attribute(r, intern_get(&all->texts, named[k].context, NULL),
                                       intern_get(&all->texts, named[k].name, NULL)))
                return JFR_E_NOMEM;
    }
    return 0;
}

/* Keys of the chunk's threads, by who they are. */
static int read_threads(struct context_run *r)
{
    const struct jfr_class *cls =
        jfr_metadata_by_name(jfr_chunk_metadata(r->chunk), "java.lang.Thread");
    const struct jfr_pool *pool = cls == NULL ? NULL : jfr_chunk_pool(r->chunk, cls);

    intern_reset(&r->thread_ids);
    buf_reset(&r->thread_keys);
    for (size_t i = 0; pool != NULL && i < jfr_pool_n(pool); i++) {
        uint64_t key = jfr_pool_key(pool, i);
        struct thread_id id;
        uint32_t number;

        if (!thread_id_get(r->chunk, cls, key, &id))
            continue;
        number = intern_add(&r->thread_ids, &id, sizeof(id));
        if (number == INTERN_FAILED)
            return JFR_E_NOMEM;
        if (number == r->thread_keys.n / sizeof(key)) /* the first of two counts */
            buf_bytes(&r->thread_keys, &key, sizeof(key));
    }
    return buf_ok(&r->thread_keys) ? 0 : JFR_E_NOMEM;
}

/* The key of a thread; 0: the chunk knows nothing of it. 0 or JFR_E_NOMEM. */
static int key_of(struct context_run *r, uint32_t thread, uint64_t *key)
{
    struct thread_id id;
    uint32_t number;

    memcpy(&id, intern_get(&r->shared->carried.threads, thread, NULL), sizeof(id));
    number = intern_add(&r->thread_ids, &id, sizeof(id));
    if (number == INTERN_FAILED)
        return JFR_E_NOMEM;
    if (number >= r->thread_keys.n / sizeof(*key)) {
        *key = 0; /* and so it stays */
        buf_bytes(&r->thread_keys, key, sizeof(*key));
        return buf_ok(&r->thread_keys) ? 0 : JFR_E_NOMEM;
    }
    memcpy(key, r->thread_keys.p + number * sizeof(*key), sizeof(*key));
    return 0;
}

static uint32_t tuple_here(struct context_run *r, uint32_t tuple)
{
    const struct carried_spans *all = &r->shared->carried;
    uint32_t values[CONTEXT_ATTRIBUTES] = {0};
    struct named named[CONTEXT_ATTRIBUTES];
    size_t n = tuple_of(all, tuple, named);

    for (size_t i = 0; i < n; i++) {
        const struct context_attr *a =
            context_find(r, intern_get(&all->texts, named[i].context, NULL),
                         intern_get(&all->texts, named[i].name, NULL));
        const char *text;
        size_t length;
        uint32_t id;

        if (a == NULL || !a->is_active)
            continue;
        text = intern_get(&all->texts, named[i].text, &length);
        id = intern_add(&r->values, text, length);
        if (id == INTERN_FAILED)
            return CONTEXT_NONE;
        values[a->place] = id + 1;
    }
    return context_tuple(r, values);
}

int context_carried_join(struct context_run *r)
{
    const struct carried_span *s = items_of(&r->carried_in);
    uint32_t tuple = 0;
    int code = r->carried_in.n > 0 ? read_threads(r) : 0;

    for (size_t i = 0; i < n_of(&r->carried_in) && code == 0; i++) {
        uint64_t key;

        if (is_first(s, i))
            tuple = tuple_here(r, s[i].tuple);
        code = key_of(r, s[i].thread, &key);
        if (code == 0 && key != 0)
            code =
                context_add_span(r, &(struct context_span){.thread = key,
                                                           .start_ns = s[i].start_ns,
                                                           .end_ns = s[i].end_ns,
                                                           .is_continuation = s[i].is_continuation,
                                                           .tuple = tuple});
    }
    return code;
}
