/*
 * view.c - finds the row of each event of a view (groups.c) and adds the event's values to what the
 * row has (tally.c).
 *
 * Input: a view, which is a description (defs.c has those of jfrview, words.c makes one of a user's
 * words), and the events of a chunk. Output: rows and tallies in struct view_run, which rows.c
 * makes a table of. Each worker thread has a run of its own; merge.c adds it to the run of all
 * chunks. Values of fields are read by value.c, other keys by keys.c.
 */
#include "convert/view/view.h"

#include "convert/select/kind.h"
#include "convert/view/internal.h"

#include <stdlib.h>

struct view_use { /* of a class of the chunk */
    bool counts, is_tested;
    const struct jfr_plan *plan;
    struct view_getter keys[VIEW_KEYS], start, duration;
    struct view_getter roles[VIEW_ROLES];
    bool has_column[VIEW_COLUMNS], has_role[VIEW_ROLES];
    struct view_getter columns[]; /* as many as the view has */
};

/* Is it about first and last ones? */
static bool is_of_time(enum view_sum sum)
{
    return sum == VIEW_FIRST || sum == VIEW_LAST || sum == VIEW_BATCH || sum == VIEW_DIFF ||
           sum == VIEW_SHARE_LAST;
}

/* The first column that has the same values as column i. */
static size_t find_store(const struct view *v, size_t i)
{
    const struct view_column *c = &v->columns[i];
    size_t k = 0;

    while (!view_is_percentile(v->columns[k].sum) || v->columns[k].role != c->role ||
           strcmp(v->columns[k].path, c->path) != 0)
        k++;
    return k;
}

struct view_run *view_run_new(const struct view *v, struct select *select)
{
    struct view_run *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->v = v;
    r->spec = select;
    r->values.texts = &r->groups.texts;
    while (r->groups.n_keys < VIEW_KEYS && view_key_path(v, r->groups.n_keys) != NULL)
        r->groups.n_keys++;
    r->groups.is_each = v->key != NULL && *v->key == '\0';
    while (r->n_columns < VIEW_COLUMNS && v->columns[r->n_columns].title != NULL)
        r->needs_time |= is_of_time(v->columns[r->n_columns++].sum);
    for (size_t i = 0; i < r->n_columns; i++) {
        view_tallies_init(&r->tallies[i], v->columns[i].sum);
        r->values_of[i].limit = SORTED_VALUES_HELD;
        if (view_is_percentile(v->columns[i].sum))
            r->store[i] = find_store(v, i);
    }
    if (select == NULL || (r->select = select_run_new(select)) != NULL) {
        r->values.select = r->select;
        return r;
    }
    free(r);
    return NULL;
}

void view_run_free(struct view_run *r)
{
    if (r == NULL)
        return;
    select_run_free(r->select);
    intern_free(&r->fields);
    view_values_free(&r->values);
    view_groups_free(&r->groups);
    for (size_t i = 0; i < VIEW_COLUMNS; i++) {
        view_tallies_free(&r->tallies[i]);
        buf_free(&r->samples[i]);
        sorted_values_free(&r->values_of[i]);
    }
    intern_free(&r->unique);
    buf_free(&r->shown);
    free(r);
}

/* Forgets the chunk before. */
static void reset_view(struct view_run *r)
{
    intern_reset(&r->fields);
    view_groups_reset(&r->groups);
    intern_reset(&r->unique);
    r->n_tallies = 0;
    for (size_t i = 0; i < r->n_columns; i++) {
        view_tallies_reset(&r->tallies[i]);
        buf_reset(&r->samples[i]);
        sorted_values_reset(&r->values_of[i]);
    }
    r->has_batch = false;
}

/* --- classes ---------------------------------------------------------------------------------- */

static bool is_of(const struct jfr_class *cls, const char *events)
{
    const char *prefix, *name = kind_event_name(cls, &prefix);

    if (strcmp(events, "*") == 0)
        return true;
    name += strncmp(name, "jdk.", 4) == 0 ? 4 : 0;
    return strchr(name, '.') == NULL && view_in_list(events, name);
}

static bool in_role(const struct view *v, unsigned role, const struct jfr_class *cls)
{
    const char *events = role == 0 ? NULL : v->roles[role].events;

    return events == NULL || is_of(cls, events);
}

static bool remember(struct view_run *r, struct view_use *u)
{
    bool ok = true;

    for (size_t i = 0; i < r->groups.n_keys; i++)
        ok &= view_getter_remember(&r->values, &u->keys[i]);
    for (size_t i = 0; i < VIEW_ROLES; i++)
        ok &= view_getter_remember(&r->values, &u->roles[i]);
    for (size_t i = 0; i < r->n_columns; i++)
        ok &= view_getter_remember(&r->values, &u->columns[i]);
    return ok;
}

static bool has_any_role(const struct view *v, const struct jfr_class *cls)
{
    for (unsigned k = 1; k < VIEW_ROLES; k++)
        if (v->roles[k].events != NULL && is_of(cls, v->roles[k].events))
            return true;
    return is_of(cls, v->events);
}

const char *view_key_path(const struct view *v, size_t i)
{
    return i == 0 ? v->key : i < VIEW_KEYS ? v->more_keys[i - 1] : NULL;
}

/* Does it have parts, none of which is its value? */
static bool has_no_value(const struct jfr_field *f)
{
    return f != NULL && (f->is_array || (!f->is_pooled && f->type->kind == JFR_STRUCT));
}

/* What of the view's words the class has, and which fields it has. False if out of memory. */
static bool note_known(struct view_run *r, const struct view_use *u, const struct jfr_class *cls)
{
    bool ok = true;

    for (size_t i = 0; i < r->n_columns; i++) {
        enum view_sum sum = r->v->columns[i].sum;

        r->is_known[i] |= sum < VIEW_COUNT ? view_key_is_known(&r->values, &u->keys[sum - VIEW_KEY])
                                           : u->columns[i].field != NULL;
        r->is_text[i] |= has_no_value(u->columns[i].field); /* it is no number, either */
    }
    for (size_t i = 0; i < cls->n_fields && r->v->is_of_words; i++)
        ok &= intern_add(&r->fields, cls->fields[i].name, strlen(cls->fields[i].name)) !=
              INTERN_FAILED;
    return ok;
}

/* How the view uses events of a class. NULL: memory is exhausted. */
static const struct view_use *open_class(struct view_run *r, const struct jfr_class *cls)
{
    static const struct view_use unused;
    struct arena *arena = jfr_chunk_arena(r->values.chunk);
    const struct view *v = r->v;
    const char *paths[JFR_PLAN_WANTS_MAX] = {NULL};
    enum select_decision d;
    struct view_use *u;
    size_t n = 0;

    if (!cls->is_event || !has_any_role(v, cls))
        return &unused;
    d = r->select == NULL ? SELECT_ALWAYS : select_class(r->select, cls);
    if (d == SELECT_NEVER)
        return &unused;
    u = arena_alloc(arena, sizeof(*u) + r->n_columns * sizeof(u->columns[0]));
    if (u == NULL)
        return NULL;
    u->is_tested = d == SELECT_TEST;
    if (r->needs_time) {
        u->start = view_getter(cls, "startTime", paths, &n);
        u->duration = view_getter(cls, "duration", paths, &n);
    }
    for (size_t i = 0; i < r->groups.n_keys; i++)
        if (*view_key_path(v, i) != '\0')
            u->keys[i] = view_key_getter(&r->values, cls, view_key_path(v, i), paths, &n);
    for (unsigned k = 1; k < VIEW_ROLES; k++) {
        u->has_role[k] = in_role(v, k, cls);
        if (u->has_role[k] && v->roles[k].field != NULL)
            u->roles[k] = view_getter(cls, v->roles[k].field, paths, &n);
    }
    for (size_t i = 0; i < r->n_columns; i++) {
        u->has_column[i] = in_role(v, v->columns[i].role, cls) &&
                           (v->columns[i].role != 0 || is_of(cls, v->events));
        if (u->has_column[i] && v->columns[i].path != NULL)
            u->columns[i] = view_getter(cls, v->columns[i].path, paths, &n);
    }
    if (!remember(r, u) || !note_known(r, u, cls))
        return NULL;
    u->plan = jfr_plan_new(r->values.chunk, cls, paths, n);
    u->counts = u->plan != NULL;
    return arena_ok(arena) ? u : NULL;
}

/* --- events ----------------------------------------------------------------------------------- */

bool view_fill_tallies(struct view_run *r)
{
    size_t n = view_groups_n(&r->groups);
    bool ok = true;

    for (size_t i = 0; i < r->n_columns && n > r->n_tallies && ok; i++)
        ok = view_tallies_fill(&r->tallies[i], n);
    r->n_tallies = ok ? n : r->n_tallies;
    return ok;
}

/* The row of an event; VIEW_GROUP_FAILED: memory is exhausted. */
static uint32_t view_row_of(struct view_run *r, const struct view_use *u,
                            const struct jfr_event *ev, const union jfr_value *values)
{
    static const struct view_value none = {.kind = VIEW_NONE};
    struct view_value key[VIEW_KEYS];
    uint32_t row;

    for (size_t i = 0; i < r->groups.n_keys; i++)
        key[i] = r->groups.is_each ? none : view_key_get(&r->values, &u->keys[i], ev, values);
    row = view_groups_find(&r->groups, key);
    return row != VIEW_GROUP_FAILED && view_fill_tallies(r) ? row : VIEW_GROUP_FAILED;
}

bool view_is_new(struct view_run *r, const struct view_unique *unique)
{
    size_t before = intern_n(&r->unique);

    r->failed |= intern_add(&r->unique, unique, sizeof(*unique)) == INTERN_FAILED;
    return intern_n(&r->unique) > before;
}

static bool is_new_in_row(struct view_run *r, uint32_t row, size_t column,
                          const struct view_value *v)
{
    return view_is_new(r, &(struct view_unique){row, column, view_same_of(v)});
}

static void add_value(struct view_run *r, uint32_t row, size_t column, int64_t end_ns,
                      const struct view_value *v)
{
    enum view_sum sum = r->v->columns[column].sum;

    if ((sum == VIEW_UNIQUE || sum == VIEW_SET) && !is_new_in_row(r, row, column, v))
        return;
    if (view_is_percentile(sum)) {
        if (v->kind != VIEW_NUMBER)
            return;
        if (r->store[column] == column &&
            sorted_values_add(&r->values_of[column], row, v, &r->err) != 0)
            r->failed = true;
    }
    view_tally_add(&r->tallies[column], row, v, end_ns);
    if (sum == VIEW_BATCH && (r->batch_ns < end_ns || !r->has_batch)) {
        r->has_batch = true;
        r->batch_ns = end_ns;
    }
    if (sum == VIEW_SET) {
        const struct view_sample sample = {.row = row, .v = *v};

        buf_bytes(&r->samples[column], &sample, sizeof(sample));
    }
}

static bool is_in_role(struct view_run *r, const struct view_use *u, unsigned role,
                       const struct jfr_event *ev, const union jfr_value *values)
{
    struct view_value v;
    const char *want = r->v->roles[role].value, *text;
    size_t n;

    if (role == 0 || want == NULL)
        return true;
    v = view_get(&r->values, &u->roles[role], ev, values);
    if (v.kind != VIEW_TEXT)
        return false;
    text = intern_get(&r->groups.texts, v.text, &n);
    return n == strlen(want) && memcmp(text, want, n) == 0;
}

static int64_t end_of_event(struct view_run *r, const struct view_use *u,
                            const struct jfr_event *ev, const union jfr_value *values)
{
    struct view_value start = view_get(&r->values, &u->start, ev, values),
                      duration = view_get(&r->values, &u->duration, ev, values);
    int64_t end_ns;

    if (__builtin_add_overflow(start.i, duration.kind == VIEW_NONE ? 0 : duration.i, &end_ns))
        end_ns = start.i;
    return end_ns;
}

static void add_to_view(struct view_run *r, const struct view_use *u, const struct jfr_event *ev)
{
    union jfr_value values[JFR_PLAN_WANTS_MAX];
    const uint8_t *where;
    struct view_value v;
    int64_t end_ns;
    uint32_t row;

    if (jfr_plan_run(u->plan, ev->body, values, &where) != 0) {
        jfr_chunk_damaged(r->values.chunk, ev, where, "event ends inside a field");
        return;
    }
    end_ns = r->needs_time ? end_of_event(r, u, ev, values) : 0;
    row = view_row_of(r, u, ev, values);
    r->failed |= row == VIEW_GROUP_FAILED;
    for (size_t i = 0; i < r->n_columns && row != VIEW_GROUP_FAILED; i++) {
        const struct view_column *c = &r->v->columns[i];

        if (c->sum < VIEW_COUNT || !u->has_column[i] || !is_in_role(r, u, c->role, ev, values))
            continue;
        v = (struct view_value){.kind = VIEW_NUMBER, .i = 1, .d = 1};
        if (c->path != NULL)
            v = view_get(&r->values, &u->columns[i], ev, values);
        r->is_text[i] |= v.kind == VIEW_TEXT;
        r->has_number[i] |= v.kind == VIEW_NUMBER;
        if (v.kind == VIEW_NONE ||
            (r->v->is_of_words && v.kind == VIEW_TEXT && view_is_of_numbers(c->sum)))
            continue;
        add_value(r, row, i, end_ns, &v);
    }
}

static int read_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    size_t n_classes = jfr_chunk_metadata(rc->chunk)->n_classes;
    struct arena *arena = jfr_chunk_arena(rc->chunk);
    bool *wanted = arena_array(arena, n_classes, sizeof(*wanted));
    struct view_run *r = shared;
    struct jfr_event ev;
    int code = 0;

    (void)out;
    reset_view(r);
    view_values_load(&r->values, rc);
    r->uses = arena_array(arena, n_classes, sizeof(*r->uses));
    if (r->uses == NULL || wanted == NULL)
        return JFR_E_NOMEM;
    memset(wanted, true, n_classes * sizeof(*wanted)); /* less those that turn out not to count */
    if (r->select != NULL)
        code = select_run_load(r->select, rc->chunk);
    while (code == 0 && jfr_chunk_next_of(rc->chunk, wanted, &ev) > 0) {
        const struct view_use **u = &r->uses[ev.type->index];

        if (*u == NULL)
            *u = open_class(r, ev.type);
        if (*u == NULL)
            code = JFR_E_NOMEM;
        else if (!(*u)->counts)
            wanted[ev.type->index] = false;
        else if (!(*u)->is_tested || select_event(r->select, &ev) > 0)
            add_to_view(r, *u, &ev);
        if (r->failed || r->values.failed)
            code = JFR_E_NOMEM;
    }
    return code;
}

static void *worker_new(void *shared)
{
    const struct view_run *all = shared;
    struct view_run *r = view_run_new(all->v, all->spec);

    if (r == NULL)
        return NULL;
    for (size_t i = 0; i < r->n_columns; i++)
        r->values_of[i].limit = 0; /* the chunk is in memory, too */
    return r;
}

static void worker_free(void *worker)
{
    view_run_free(worker);
}

struct run_job view_job(struct view_run *r)
{
    return (struct run_job){.shared = r,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = read_chunk,
                            .merge = view_merge,
                            .err = &r->err};
}
