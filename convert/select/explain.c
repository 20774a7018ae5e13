/*
 * explain.c - why a selection matches no event.
 *
 * The commands call it through tools/cli/nothing.c when their output would be empty. It reads the
 * inputs again with a select for each filter alone, counts what there is, and names the first
 * filter that matches nothing.
 */
#include "convert/select/explain.h"

#include "convert/driver/run.h"
#include "convert/select/internal.h"
#include "convert/select/libraries.h"
#include "convert/select/sample_settings.h"
#include "convert/text/frame_name.h"
#include "convert/text/javatext.h"
#include "jfrfmt/base/intern.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_SHOWN 6 /* names in a list */
#define NAME_SHOWN 100 /* bytes of a name */
#define PARTS_MOST 24 /* filters that are tried alone; of more conditions the first ones */
#define RANKS 4

/* Names, and how often each was there. */
struct tally {
    struct intern names;
    struct buf counts; /* uint64_t by id */
};

enum filter { /* in the order in which they are blamed */
    EVENT,
    CATEGORY,
    CONTEXT,
    THREAD,
    NOT_THREAD,
    NOT_CONTEXT,
    STATE,
    MIN_DURATION,
    RANGE,
    WHERE,
};

static const char *const options[] = {
    [EVENT] = "--event",   [CATEGORY] = "--category",         [CONTEXT] = "--context",
    [THREAD] = "--thread", [NOT_THREAD] = "--not-thread",     [NOT_CONTEXT] = "--not-context",
    [STATE] = "--state",   [MIN_DURATION] = "--min-duration", [RANGE] = "--from",
    [WHERE] = "--where",
};

/* One filter of the selection, alone. */
struct part {
    enum filter filter;
    const char *value; /* the first, unchanged */
    struct select *select;
    struct select_run *run;
    uint64_t n; /* events that match */
    bool is_known; /* some class has what it names */
};

struct facts {
    const struct explain_question *question;
    struct part parts[PARTS_MOST];
    size_t n_parts;
    struct select *all; /* requests every context; NULL: contexts are not counted */
    struct select_run *run;
    struct tally types, threads, keys, values;
    const char *key; /* of `values` */
    size_t key_n;
    enum kind_samples samples; /* of the chunk */
    uint64_t n_events, kinds[N_KINDS][RANKS];
    bool has_kind; /* some class is of the kind that was requested */
    int64_t first_ns, last_ns, longest_ns;
    uint32_t libraries; /* libraries.h */
};

static void count_match(struct tally *t, const void *name, size_t n, uint64_t times)
{
    uint32_t id = intern_add(&t->names, name, n);
    uint64_t old = 0;

    if (id == INTERN_FAILED)
        return;
    if (id * sizeof(old) == t->counts.n)
        buf_bytes(&t->counts, &old, sizeof(old));
    if (!buf_ok(&t->counts))
        return;
    memcpy(&old, t->counts.p + id * sizeof(old), sizeof(old));
    old += times;
    memcpy(t->counts.p + id * sizeof(old), &old, sizeof(old));
}

static void names_tally_free(struct tally *t)
{
    intern_free(&t->names);
    buf_free(&t->counts);
}

static uint64_t times_of_name(const struct tally *t, size_t id)
{
    uint64_t n;

    memcpy(&n, t->counts.p + id * sizeof(n), sizeof(n));
    return n;
}

/* "a 12, b 3 and 5 more", the most frequent first; without numbers where they are all 0. */
static void put_tally(struct buf *b, const struct tally *t)
{
    size_t n = buf_ok(&t->counts) ? t->counts.n / sizeof(uint64_t) : 0, shown = 0;
    uint64_t last = UINT64_MAX;

    while (shown < n && shown < MOST_SHOWN) {
        uint64_t next = 0;

        for (size_t i = 0; i < n; i++)
            if (times_of_name(t, i) < last && times_of_name(t, i) > next)
                next = times_of_name(t, i);
        for (size_t i = 0; i < n && shown < MOST_SHOWN; i++)
            if (times_of_name(t, i) == next) {
                buf_printf(b, "%s%.*s", shown > 0 ? ", " : "", NAME_SHOWN,
                           intern_get(&t->names, (uint32_t)i, NULL));
                if (next > 0)
                    buf_printf(b, " %" PRIu64, next);
                shown++;
            }
        last = next;
    }
    if (shown < n)
        buf_printf(b, " and %zu more", n - shown);
}

/* --- parts ------------------------------------------------------------------------------------ */

/* NULL: there are too many, or no memory. */
static struct part *add_part(struct facts *f, enum filter filter, const char *value,
                             const struct select_spec *spec)
{
    struct jfr_error err = {0};
    struct part *p = &f->parts[f->n_parts];

    if (f->n_parts == PARTS_MOST)
        return NULL;
    *p = (struct part){.filter = filter, .value = value, .select = select_new(spec, &err)};
    p->run = p->select == NULL ? NULL : select_run_new(p->select);
    if (p->run == NULL) {
        select_free(p->select);
        return NULL;
    }
    f->n_parts++;
    return p;
}

/* A part for all items: they are alternatives of each other. */
static void add_list(struct facts *f, enum filter filter, const struct select_list *list,
                     const struct select_spec *spec)
{
    if (list->n > 0)
        add_part(f, filter, list->items[0], spec);
}

/* The times are resolved already. */
static void add_range(struct facts *f, const struct select *s)
{
    struct part *p = add_part(f, RANGE, NULL, &(struct select_spec){0});

    if (p == NULL)
        return;
    p->select->has_from = s->has_from;
    p->select->has_to = s->has_to;
    p->select->from_ns = s->from_ns;
    p->select->to_ns = s->to_ns;
}

static void add_parts(struct facts *f, const struct select *s)
{
    const struct select_spec *spec = &s->spec;

    add_list(f, EVENT, &spec->events, &(struct select_spec){.events = spec->events});
    add_list(f, CATEGORY, &spec->categories, &(struct select_spec){.categories = spec->categories});
    for (size_t i = 0; i < spec->contexts.n; i++)
        add_part(f, CONTEXT, spec->contexts.items[i],
                 &(struct select_spec){.contexts = {&spec->contexts.items[i], 1}});
    add_list(f, THREAD, &spec->threads, &(struct select_spec){.threads = spec->threads});
    add_list(f, NOT_THREAD, &spec->not_threads,
             &(struct select_spec){.not_threads = spec->not_threads});
    add_list(f, NOT_CONTEXT, &spec->not_contexts,
             &(struct select_spec){.not_contexts = spec->not_contexts});
    add_list(f, STATE, &spec->states, &(struct select_spec){.states = spec->states});
    if (spec->min_duration != NULL)
        add_part(f, MIN_DURATION, spec->min_duration,
                 &(struct select_spec){.min_duration = spec->min_duration});
    if (s->has_from || s->has_to)
        add_range(f, s);
    if (spec->where != NULL)
        add_part(f, WHERE, spec->where, &(struct select_spec){.where = spec->where});
}

/* --- reading ---------------------------------------------------------------------------------- */

/* What the classes of a chunk tell: which filters name something that is there, and the keys. */
static void look_at_classes(struct facts *f, struct jfr_chunk *chunk)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);
    struct context_run *all = f->run == NULL ? NULL : select_run_context(f->run);
    int kind = f->question->kind == NULL ? -1 : kind_named(f->question->kind);

    for (size_t i = 0; i < md->n_classes; i++) {
        const struct jfr_class *cls = &md->classes[i];

        if (!cls->is_event)
            continue;
        f->has_kind |= kind >= 0 && kind_use_of((enum kind)kind, cls, f->samples).rank > 0;
        for (size_t k = 0; k < f->n_parts; k++)
            if (f->parts[k].filter != CONTEXT)
                f->parts[k].is_known |= select_class(f->parts[k].run, cls) != SELECT_NEVER;
    }
    for (size_t k = 0; k < f->n_parts; k++)
        if (f->parts[k].filter == CONTEXT)
            f->parts[k].is_known |= context_n_attributes(select_run_context(f->parts[k].run)) > 0;
    for (size_t i = 0; all != NULL && i < context_n_attributes(all); i++)
        count_match(&f->keys, context_attribute(all, i), strlen(context_attribute(all, i)), 0);
}

static void count_kinds(struct facts *f, const struct jfr_class *cls)
{
    if (jfr_class_field(cls, "stackTrace") == NULL)
        return;
    for (int kind = 0; kind < KIND_LATENCY; kind++) {
        int rank = kind_use_of((enum kind)kind, cls, f->samples).rank;

        if (rank > KIND_RANK_STANDIN && rank < RANKS)
            f->kinds[kind][rank]++;
    }
}

/* The value of the key that was requested. */
static void count_explained_value(struct facts *f, const struct jfr_event *ev)
{
    struct context_run *c = select_run_context(f->run);
    uint32_t tuple = context_event(c, ev);

    for (size_t i = 0; tuple != CONTEXT_NONE && i < context_n_attributes(c); i++) {
        const char *name = context_attribute(c, i), *text;
        size_t n, length = strlen(name);

        if (length < f->key_n || strncmp(name + length - f->key_n, f->key, f->key_n) != 0)
            continue;
        text = context_attribute_text(c, tuple, i, &n);
        if (text != NULL)
            count_match(&f->values, text, n, 1);
    }
}

static void count_event(struct facts *f, struct jfr_chunk *chunk, const struct jfr_event *ev)
{
    static const char *const paths[] = {"startTime", "duration"};
    const struct jfr_plan *plan = jfr_plan_shared(chunk, ev->type, paths, 2);
    const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
    union jfr_value v[2];
    int64_t start, span = 0;

    count_match(&f->types, ev->type->name, strlen(ev->type->name), 1);
    f->n_events++;
    if (f->question->kind != NULL)
        count_kinds(f, ev->type);
    if (f->key != NULL && f->run != NULL)
        count_explained_value(f, ev);
    for (size_t i = 0; i < f->n_parts; i++)
        f->parts[i].n += select_event(f->parts[i].run, ev) > 0;
    if (plan == NULL || jfr_plan_run(plan, ev->body, v, NULL) < 0)
        return;
    start = jfr_epoch_ns(h, v[0].i);
    if (jfr_plan_field(plan, 1) != NULL)
        span = jfr_span_ns(h, v[1].i);
    if (f->n_events == 1 || start < f->first_ns)
        f->first_ns = start;
    if (f->n_events == 1 || start + span > f->last_ns)
        f->last_ns = start + span;
    if (span > f->longest_ns)
        f->longest_ns = span;
}

/* Threads that the chunk names, whether they have events or not. */
static void count_threads(struct facts *f, struct jfr_chunk *chunk)
{
    const struct jfr_class *cls =
        jfr_metadata_by_name(jfr_chunk_metadata(chunk), "java.lang.Thread");
    const struct jfr_pool *pool = cls == NULL ? NULL : jfr_chunk_pool(chunk, cls);
    struct jfr_thread thread;
    struct buf b = {0};

    for (size_t i = 0; pool != NULL && i < jfr_pool_n(pool); i++) {
        buf_reset(&b);
        if (jfr_thread_get(chunk, cls, jfr_pool_key(pool, i), &thread))
            thread_name_append(&b, &thread);
        if (buf_ok(&b) && b.n > 0)
            count_match(&f->threads, b.p, b.n, 0);
    }
    buf_free(&b);
}

static int read_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct facts *f = shared;
    struct jfr_event ev;
    int rc_event;

    (void)out;
    for (size_t i = 0; i < f->n_parts; i++)
        if (select_run_load(f->parts[i].run, rc->chunk) < 0)
            return JFR_E_NOMEM;
    if (f->run != NULL && select_run_load(f->run, rc->chunk) < 0)
        return JFR_E_NOMEM;
    f->samples = sample_settings_read(rc->chunk, UINT64_MAX).samples;
    look_at_classes(f, rc->chunk);
    count_threads(f, rc->chunk);
    f->libraries |= libraries_seen(rc->chunk);
    while ((rc_event = jfr_chunk_next(rc->chunk, &ev)) > 0)
        if (ev.type != NULL)
            count_event(f, rc->chunk, &ev);
    return rc_event == JFR_E_NOMEM ? rc_event : 0;
}

/* Every chunk of the inputs; damage in them was reported when they were read before. */
static int read_inputs(struct facts *f, const char *const *paths, size_t n_paths)
{
    const struct run_options opt = {.paths = paths, .n_paths = n_paths, .jobs = 1};
    const struct run_job job = {.shared = f, .chunk = read_chunk};
    struct jfr_error err = {0};
    struct run_result result;
    const char *err_path;

    return run_all(&opt, &job, NULL, &result, &err, &err_path);
}

static void want_contexts(struct facts *f)
{
    struct jfr_error err = {0};

    f->all = select_new(&(struct select_spec){.all_keys = true}, &err);
    f->run = f->all == NULL ? NULL : select_run_new(f->all);
}

static void facts_free(struct facts *f)
{
    for (size_t i = 0; i < f->n_parts; i++) {
        select_run_free(f->parts[i].run);
        select_free(f->parts[i].select);
    }
    select_run_free(f->run);
    select_free(f->all);
    names_tally_free(&f->types);
    names_tally_free(&f->threads);
    names_tally_free(&f->keys);
    names_tally_free(&f->values);
}

/* --- the answer ------------------------------------------------------------------------------- */

static const char *these(const struct facts *f)
{
    return f->question->n_paths == 1 ? "this recording has" : "these recordings have";
}

static void put_explained_types(struct buf *b, const struct facts *f)
{
    buf_printf(b, "; %s ", these(f));
    if (f->n_events == 0)
        buf_str(b, "no events");
    put_tally(b, &f->types);
}

static uint64_t of_kind(const struct facts *f, int kind)
{
    for (int rank = RANKS - 1; rank > 0; rank--)
        if (f->kinds[kind][rank] > 0)
            return f->kinds[kind][rank];
    return 0;
}

static void put_kinds(struct buf *b, const struct facts *f)
{
    bool has_one = false;

    for (int kind = 0; kind < KIND_LATENCY; kind++)
        if (of_kind(f, kind) > 0) {
            if (!has_one)
                buf_printf(b, "; %s", these(f));
            buf_printf(b, "%s %s %" PRIu64, has_one ? "," : "", kind_name((enum kind)kind),
                       of_kind(f, kind));
            has_one = true;
        }
    if (!has_one)
        put_explained_types(b, f);
}

/* How the next recording can have contexts. */
static void put_advice(struct buf *b, const struct facts *f)
{
    if (f->libraries == 0) {
        buf_str(b, ": jfrkit help context says how a recording gets them");
        return;
    }
    buf_str(b, ", but the program uses ");
    libraries_put(b, f->libraries);
    buf_str(
        b,
        ": jfrkit record -- java ..., or jfrkit attach -d 30s PID, records the users and traces that it sets "
        "there (jfrkit help context)");
}

static void put_keys(struct buf *b, const struct facts *f)
{
    if (f->keys.counts.n == 0) {
        buf_printf(b, "; %s no contexts", these(f));
        put_advice(b, f);
        return;
    }
    buf_str(b, "; keys here: ");
    put_tally(b, &f->keys);
}

static void put_explained_span(struct buf *b, int64_t ns)
{
    if (ns >= 1000000000)
        buf_printf(b, "%.1f s", (double)ns / 1e9);
    else
        buf_printf(b, "%.3f ms", (double)ns / 1e6);
}

static enum explain_answer answer_context(struct facts *f, const struct part *p, struct buf *b)
{
    if (!p->is_known) {
        buf_printf(b, "no event has '%.*s'", (int)f->key_n, f->key);
        put_keys(b, f);
        return EXPLAIN_UNKNOWN;
    }
    buf_printf(b, "no event has %s", p->value);
    if (f->values.counts.n > 0) {
        buf_str(b, "; values here: ");
        put_tally(b, &f->values);
    }
    return EXPLAIN_NO_MATCH;
}

/* The first filter that matches nothing by itself. */
static enum explain_answer answer_part(struct facts *f, const struct part *p, struct buf *b)
{
    switch (p->filter) {
    case CONTEXT:
        return answer_context(f, p, b);
    case EVENT:
        buf_printf(b, p->is_known ? "no events of type '%s'" : "no event type is called '%s'",
                   p->value);
        put_explained_types(b, f);
        return p->is_known ? EXPLAIN_NO_MATCH : EXPLAIN_UNKNOWN;
    case CATEGORY:
        buf_printf(b, "no events of category '%s'", p->value);
        put_explained_types(b, f);
        break;
    case THREAD:
        buf_printf(b, "no event is of thread '%s'; threads here: ", p->value);
        put_tally(b, &f->threads);
        break;
    case MIN_DURATION:
        buf_printf(b, "no event lasts %s; the longest lasts ", p->value);
        put_explained_span(b, f->longest_ns);
        break;
    case RANGE:
        buf_str(b, "no event is in the range of --from and --to; the events here are from ");
        javatext_time_ns(b, f->first_ns, f->question->select->zone_s);
        buf_str(b, " to ");
        javatext_time_ns(b, f->last_ns, f->question->select->zone_s);
        buf_str(b, ", ");
        put_explained_span(b, f->last_ns - f->first_ns);
        break;
    default:
        buf_printf(b, "no event fits %s '%s'", options[p->filter], p->value);
    }
    return EXPLAIN_NO_MATCH;
}

/* Each filter matches something, and no event fits all. */
static void answer_together(struct facts *f, struct buf *b)
{
    static const char first[] = "; events that fit one alone:";

    if (f->n_parts == 0 && f->question->kind == NULL) {
        buf_str(b, "no events of types with stacks");
        put_explained_types(b, f);
        return;
    }
    buf_str(b, f->question->is_profile ? "no event of a type with stacks fits all options"
                                       : "no event fits all options");
    for (size_t i = 0; i < f->n_parts; i++)
        buf_printf(b, "%s %s %" PRIu64, i > 0 ? "," : first, options[f->parts[i].filter],
                   f->parts[i].n);
    if (f->question->kind != NULL)
        buf_printf(b, "%s --kind %" PRIu64, f->n_parts > 0 ? "," : first,
                   of_kind(f, kind_named(f->question->kind)));
}

static enum explain_answer answer_question(struct facts *f, struct buf *b)
{
    const char *kind = f->question->kind;

    if (f->n_events == 0 && f->n_parts == 0 && kind == NULL) {
        buf_printf(b, "%s no events", these(f));
        return EXPLAIN_NO_MATCH;
    }
    if (f->n_parts == 0 && f->question->types != NULL) {
        buf_printf(b, "no events of %s", f->question->types);
        put_explained_types(b, f);
        return EXPLAIN_NO_MATCH;
    }
    if (f->n_parts == 0 && !f->question->is_profile)
        return EXPLAIN_NO_FILTER;
    for (size_t i = 0; i < f->n_parts; i++)
        if (f->parts[i].n == 0)
            return answer_part(f, &f->parts[i], b);
    if (kind != NULL && kind_named(kind) < KIND_LATENCY && of_kind(f, kind_named(kind)) == 0) {
        buf_printf(b, "no events of kind %s", kind);
        put_kinds(b, f);
        return f->has_kind ? EXPLAIN_NO_MATCH : EXPLAIN_UNKNOWN;
    }
    answer_together(f, b);
    return EXPLAIN_NO_MATCH;
}

/* The key of KEY=VALUE, KEY!=VALUE and KEY. */
static size_t key_length(const char *condition)
{
    return strcspn(condition, "!=");
}

enum explain_answer select_explain(const struct explain_question *question, struct buf *text)
{
    struct facts f = {.question = question};
    enum explain_answer code = EXPLAIN_NOTHING;

    if (question->select != NULL) {
        const struct select_spec *spec = &question->select->spec;

        add_parts(&f, question->select);
        if (spec->contexts.n > 0) {
            f.key = spec->contexts.items[0];
            f.key_n = key_length(f.key);
            want_contexts(&f);
        }
    }
    if (read_inputs(&f, question->paths, question->n_paths) == 0)
        code = answer_question(&f, text);
    facts_free(&f);
    return buf_ok(text) ? code : EXPLAIN_NOTHING;
}

void select_explain_keys(const char *const *paths, size_t n_paths, struct buf *text)
{
    struct explain_question question = {.paths = paths, .n_paths = n_paths};
    struct facts f = {.question = &question};

    want_contexts(&f);
    if (select_can_look_ahead(paths, n_paths) && f.run != NULL &&
        read_inputs(&f, paths, n_paths) == 0)
        put_keys(text, &f);
    facts_free(&f);
}
