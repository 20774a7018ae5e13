/*
 * use.c - decides once for each chunk and event class how its events are read for a profile.
 *
 * In: the options of the profile, and the fields of the class. Out: a struct use: which fields are
 * the stack, the thread, the weights, and the plan that decodes them. chunk.c runs it for each
 * event.
 */
#include "convert/profile/worker.h"

static struct stack_layout *layout_of(struct profile_worker *w, const struct jfr_field *field)
{
    struct arena *arena = jfr_chunk_arena(w->chunk);
    struct stack_layout *l;

    for (l = w->layouts; l != NULL; l = l->next)
        if (l->cls == field->type)
            return l;
    l = arena_alloc(arena, sizeof(*l));
    if (l == NULL || jfr_stacks_init(&l->stacks, w->chunk, field) != 0)
        return NULL;
    l->cls = field->type;
    l->n_traces = jfr_pool_n(l->stacks.traces) + 1;
    l->traces = arena_array(arena, l->n_traces, sizeof(*l->traces));
    l->more = arena_array(arena, l->n_traces * w->opt->n_more, sizeof(*l->more));
    l->memo = arena_array(arena, jfr_pool_n(l->stacks.methods) + 1, sizeof(*l->memo));
    l->recent = arena_array(arena, RECENT_METHODS, sizeof(*l->recent));
    memset(l->types, 255, sizeof(l->types));
    if (l->traces == NULL || l->memo == NULL || l->recent == NULL ||
        (l->more == NULL && w->opt->n_more > 0))
        return NULL;
    l->base = w->layouts == NULL ? 0 : w->layouts->base + w->layouts->n_traces;
    l->next = w->layouts;
    w->layouts = l;
    return l;
}

static const char *weight_path(const struct profile_worker *w, const struct kind_use *how,
                               enum profile_weight weight)
{
    switch (weight) {
    case WEIGHT_BYTES:
        return how->bytes_field;
    case WEIGHT_DURATION:
        return "duration";
    case WEIGHT_CPU_TIME:
        return "samplingPeriod";
    case WEIGHT_FIELD:
        return w->opt->weight_field;
    default:
        return how->needs_duration ? "duration" : NULL;
    }
}

/* The kind for which events of the class are worth most; of several the first. */
static struct kind_use best_kind(const struct profile_worker *w, const struct jfr_class *cls,
                                 uint32_t *kind)
{
    struct kind_use best = {0};

    for (uint32_t k = 0; k < N_KINDS; k++) {
        struct kind_use how = kind_use_of((enum kind)k, cls, w->samples);

        if (how.rank <= KIND_RANK_STANDIN || how.rank <= best.rank ||
            (k >= KIND_LATENCY && best.rank > 0))
            continue;
        best = how;
        *kind = k;
    }
    return best;
}

/* The kind that events of the class count for: the wanted one, or the first that knows it. */
static struct kind_use choose_kind(const struct profile_worker *w, const struct jfr_class *cls,
                                   uint32_t *kind)
{
    if (w->opt->facets != NULL) { /* which kind is looked at is chosen later */
        *kind = KIND_ALL;
        return w->opt->kind < 0 || kind_use_of((enum kind)w->opt->kind, cls, w->samples).rank > 0
                   ? kind_use_of(KIND_ALL, cls, w->samples)
                   : (struct kind_use){0};
    }
    if (w->opt->kind >= 0) {
        *kind = (uint32_t)w->opt->kind;
        return kind_use_of((enum kind)w->opt->kind, cls, w->samples);
    }
    if (w->opt->all_kinds)
        return best_kind(w, cls, kind);
    for (*kind = 0; *kind < N_KINDS; ++*kind) {
        struct kind_use how = kind_use_of((enum kind)(*kind), cls, w->samples);

        if (how.rank > KIND_RANK_STANDIN)
            return how;
    }
    return (struct kind_use){0};
}

static void choose_paths(const struct profile_worker *w, const struct use *u, const char **paths)
{
    static const char *const leaf_fields[] = {"objectClass", "monitorClass", "thrownClass",
                                              "parkedClass"};

    if (w->select != NULL)
        memcpy(paths, select_paths(w->select, u->cls), SELECT_SLOTS * sizeof(*paths));
    if (u->decision == SELECT_ALWAYS)
        paths[SELECT_START] = paths[SELECT_DURATION] = NULL;
    if (paths[SELECT_THREAD] == NULL && w->opt->threads)
        paths[SELECT_THREAD] =
            jfr_class_field(u->cls, "eventThread") != NULL ? "eventThread" : "sampledThread";
    if (paths[SELECT_STATE] == NULL && (w->opt->states || u->how.skips_sleeping))
        paths[SELECT_STATE] = "state";
    paths[SLOT_STACK] = "stackTrace";
    paths[SLOT_WEIGHT] = weight_path(w, &u->how, w->opt->weight);
    for (size_t i = 0; i < w->opt->n_more; i++)
        paths[SLOT_MORE + i] = weight_path(w, &u->how, w->opt->more[i]);
    paths[SLOT_COUNT] = u->how.count_field;
    for (size_t i = 0; i < 4 && w->opt->leaf_class && paths[SLOT_CLASS] == NULL; i++)
        if (jfr_class_field(u->cls, leaf_fields[i]) != NULL)
            paths[SLOT_CLASS] = leaf_fields[i];
    if (w->facets != NULL)
        facets_chunk_paths(w->facets, u->cls, paths + SLOT_FACETS);
}

bool profile_is_real(const struct jfr_field *f)
{
    return f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE;
}

/* What sums of a field count: spans are turned into ns. "" when it has no unit that we know. */
const char *profile_field_unit(const struct jfr_field *f)
{
    if (!profile_is_real(f) && f->unit >= JFR_UNIT_TICKS && f->unit <= JFR_UNIT_S)
        return "ns";
    return f->unit == JFR_UNIT_BYTES ? "bytes" : "";
}

const struct jfr_field *profile_key_field(const struct jfr_plan *plan, size_t i)
{
    const struct jfr_field *f = jfr_plan_field(plan, i);

    return jfr_field_is_key(f) ? f : NULL;
}

const struct jfr_field *profile_number_field(const struct jfr_plan *plan, size_t i)
{
    const struct jfr_field *f = jfr_plan_field(plan, i);

    return f != NULL && !f->is_array && !f->is_pooled && f->type->kind != JFR_STRUCT &&
                   f->type->kind != JFR_STRING
               ? f
               : NULL;
}

/* Finds the fields of all weights. A class that has none of them is not read: how.rank is 0. */
static void open_weights(const struct profile_worker *w, struct use *u)
{
    bool has_any;

    u->weight = profile_number_field(u->plan, SLOT_WEIGHT);
    u->has_main = has_any =
        u->weight != NULL || (w->opt->weight == WEIGHT_SAMPLES && !u->how.needs_duration);
    for (size_t i = 0; i < w->opt->n_more; i++) {
        u->more[i] = profile_number_field(u->plan, SLOT_MORE + i);
        has_any |= u->more[i] != NULL;
    }
    if (!has_any)
        u->how.rank = 0;
}

static bool is_start_time(const char *field)
{
    return field != NULL && strcmp(field, "startTime") == 0;
}

/* Do the times of events matter to their sums, or to the shapes of their samples? */
static bool needs_times(const struct profile_worker *w, const struct jfr_class *cls)
{
    const struct facets *f = w->opt->facets;

    return is_start_time(w->opt->weight_field) ||
           (f != NULL && (f->places.n > 0 || is_start_time(f->field))) ||
           (w->contexts != NULL && context_depends_on_time(w->contexts, cls));
}

/* Do events of the class that differ only in their start time add the same sums, and are their
 * samples of the same shape? */
static bool is_repeatable(const struct profile_worker *w, const struct use *u)
{
    const struct jfr_field *first = u->cls->n_fields == 0 ? NULL : &u->cls->fields[0];

    return first != NULL && is_start_time(first->name) && first->type->kind == JFR_LONG &&
           !first->is_array && u->decision == SELECT_ALWAYS && !needs_times(w, u->cls);
}

static void note_weight_unit(struct profile_worker *w, enum profile_weight weight,
                             const struct jfr_field *f)
{
    if (weight == WEIGHT_FIELD && f != NULL)
        w->sums.unit = profile_unit_of_both(w->sums.unit, profile_field_unit(f));
}

int profile_use_prepare(struct profile_worker *w, struct use *u, const struct jfr_class *cls)
{
    const struct jfr_field *trace = jfr_class_field(cls, "stackTrace");
    const char *paths[N_SLOTS] = {NULL};
    const struct jfr_field *count;

    *u = (struct use){.is_ready = true, .cls = cls};
    if (trace == NULL || !trace->is_pooled)
        return 0;
    u->decision = w->select == NULL ? SELECT_ALWAYS : select_class(w->select, cls);
    if (u->decision == SELECT_NEVER)
        return 0;
    u->how = choose_kind(w, cls, &u->kind);
    if (u->how.rank == 0)
        return 0;
    choose_paths(w, u, paths);
    u->plan = jfr_plan_new(w->chunk, cls, paths,
                           w->facets == NULL ? SLOT_MORE + w->opt->n_more : N_SLOTS);
    if (u->plan == NULL) {
        u->how.rank = 0;
        return arena_ok(jfr_chunk_arena(w->chunk)) ? 0 : JFR_E_NOMEM;
    }
    u->has_context = w->contexts != NULL && (w->opt->labels || w->opt->n_keys > 0) &&
                     context_class(w->contexts, cls);
    u->is_repeatable = is_repeatable(w, u);
    u->thread = w->opt->threads ? profile_key_field(u->plan, SELECT_THREAD) : NULL;
    u->state = profile_key_field(u->plan, SELECT_STATE);
    u->leaf = profile_key_field(u->plan, SLOT_CLASS);
    open_weights(w, u);
    count = profile_number_field(u->plan, SLOT_COUNT);
    if (count == NULL || profile_is_real(count))
        u->how.count_field = NULL;
    if (u->how.rank == 0)
        return 0;
    u->layout = layout_of(w, trace); /* only where it is needed: frames get their names there */
    if (u->layout == NULL) {
        u->how.rank = 0;
        return arena_ok(jfr_chunk_arena(w->chunk)) ? 0 : JFR_E_NOMEM;
    }
    note_weight_unit(w, w->opt->weight, u->weight);
    for (size_t i = 0; i < w->opt->n_more; i++)
        note_weight_unit(w, w->opt->more[i], u->more[i]);
    return 0;
}
