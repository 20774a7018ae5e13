#include "convert/view.h"

#include "convert/kind.h"
#include "convert/view_internal.h"

#include <math.h>
#include <stdlib.h>

/* What a column of a row has gathered. */
struct sum {
    uint64_t n;
    __int128 total;
    double total_real;
    struct view_value first, last, least, most;
    int64_t first_ns, last_ns; /* ends of the events of these two */
};

struct sample { /* of a column that needs all values */
    uint32_t row;
    struct view_value v;
};

struct use { /* of a class of the chunk */
    bool is_ready, counts, is_tested;
    const struct jfr_plan *plan;
    struct view_getter key, start, duration;
    struct view_getter columns[VIEW_COLUMNS], roles[VIEW_ROLES];
    bool has_column[VIEW_COLUMNS], has_role[VIEW_ROLES];
};

struct view_run {
    const struct view *v;
    struct select *spec;
    struct select_run *select;
    size_t n_columns;
    struct intern texts;
    struct view_values values;
    struct use *uses;
    struct intern keys; /* of rows */
    struct buf key_values; /* of struct view_value, by row */
    struct buf sums; /* of struct sum, n_columns for each row */
    struct buf samples[VIEW_COLUMNS]; /* of struct sample */
    struct intern unique;
    struct buf shown;
    uint64_t n_rows; /* where each event is one */
    bool failed;
};

struct view_run *view_run_new(const struct view *v, struct select *select)
{
    struct view_run *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->v = v;
    r->spec = select;
    r->values.texts = &r->texts;
    while (r->n_columns < VIEW_COLUMNS && v->columns[r->n_columns].title != NULL)
        r->n_columns++;
    if (select == NULL || (r->select = select_run_new(select)) != NULL)
        return r;
    free(r);
    return NULL;
}

void view_run_free(struct view_run *r)
{
    if (r == NULL)
        return;
    select_run_free(r->select);
    intern_free(&r->texts);
    view_values_free(&r->values);
    intern_free(&r->keys);
    buf_free(&r->key_values);
    buf_free(&r->sums);
    for (size_t i = 0; i < VIEW_COLUMNS; i++)
        buf_free(&r->samples[i]);
    intern_free(&r->unique);
    buf_free(&r->shown);
    free(r);
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

static int open_class(struct view_run *r, struct use *u, const struct jfr_class *cls)
{
    const struct view *v = r->v;
    enum select_decision d = r->select == NULL ? SELECT_ALWAYS : select_class(r->select, cls);
    const char *paths[JFR_PLAN_WANTS_MAX] = {NULL};
    bool any_role = false;
    size_t n = 0;

    *u = (struct use){.is_ready = true, .is_tested = d == SELECT_TEST};
    for (unsigned k = 1; k < VIEW_ROLES; k++)
        any_role |= v->roles[k].events != NULL && is_of(cls, v->roles[k].events);
    if (!cls->is_event || d == SELECT_NEVER || (!is_of(cls, v->events) && !any_role))
        return 0;
    u->counts = true;
    u->start = view_getter(cls, "startTime", paths, &n);
    u->duration = view_getter(cls, "duration", paths, &n);
    if (v->key != NULL && *v->key != '\0')
        u->key = view_getter(cls, v->key, paths, &n);
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
    u->plan = jfr_plan_new(r->values.chunk, cls, paths, n);
    u->counts = u->plan != NULL;
    return u->counts || arena_ok(jfr_chunk_arena(r->values.chunk)) ? 0 : JFR_E_NOMEM;
}

/* --- events ----------------------------------------------------------------------------------- */

/* The row of an event; UINT32_MAX: it has none, or memory is short (failed). */
static uint32_t row_of(struct view_run *r, const struct use *u, const struct jfr_event *ev,
                       const union jfr_value *values)
{
    struct view_value key = {.kind = VIEW_NONE};
    struct {
        uint64_t kind, v;
    } bytes = {0, 0};
    uint32_t id;

    if (r->v->key != NULL && *r->v->key == '\0') {
        bytes.v = r->n_rows++;
    } else if (r->v->key != NULL) {
        key = view_get(&r->values, &u->key, ev, values);
        bytes.kind = (uint64_t)key.kind;
        if (key.kind != VIEW_NONE)
            bytes.v = key.kind == VIEW_TEXT ? key.text : (uint64_t)key.i;
    }
    id = intern_add(&r->keys, &bytes, sizeof(bytes));
    if (id == INTERN_FAILED || id < r->key_values.n / sizeof(key)) {
        r->failed |= id == INTERN_FAILED;
        return id;
    }
    buf_bytes(&r->key_values, &key, sizeof(key));
    if (!buf_reserve(&r->sums, r->n_columns * sizeof(struct sum)) || !buf_ok(&r->key_values)) {
        r->failed = true;
        return UINT32_MAX;
    }
    memset(r->sums.p + r->sums.n, 0, r->n_columns * sizeof(struct sum));
    r->sums.n += r->n_columns * sizeof(struct sum);
    return id;
}

static bool is_less(const struct view_value *a, const struct view_value *b)
{
    return a->is_real || b->is_real || a->is_unsigned ? a->d < b->d : a->i < b->i;
}

static bool needs_all(enum view_sum sum)
{
    return sum >= VIEW_MEDIAN && sum <= VIEW_P999;
}

static void add_unique(struct view_run *r, uint32_t row, size_t column, struct sum *s,
                       const struct view_value *v)
{
    struct {
        uint64_t row, column, kind, v;
    } bytes = {row, column, (uint64_t)v->kind, v->kind == VIEW_TEXT ? v->text : (uint64_t)v->i};
    size_t before = intern_n(&r->unique);

    r->failed |= intern_add(&r->unique, &bytes, sizeof(bytes)) == INTERN_FAILED;
    s->n += intern_n(&r->unique) > before;
}

static void add_value(struct view_run *r, uint32_t row, size_t column, int64_t end_ns,
                      const struct view_value *v)
{
    struct sum *s = (struct sum *)(void *)r->sums.p + row * r->n_columns + column;
    struct sample sample = {.row = row, .v = *v};

    if (r->v->columns[column].sum == VIEW_UNIQUE) {
        add_unique(r, row, column, s, v);
        return;
    }
    if (s->n == 0 || end_ns < s->first_ns) {
        s->first = *v;
        s->first_ns = end_ns;
    }
    if (s->n == 0 || end_ns >= s->last_ns) {
        s->last = *v;
        s->last_ns = end_ns;
    }
    if (s->n == 0 || is_less(v, &s->least))
        s->least = *v;
    if (s->n == 0 || is_less(&s->most, v))
        s->most = *v;
    s->n++;
    s->total += v->is_unsigned ? (__int128)(uint64_t)v->i : (__int128)v->i;
    s->total_real += v->d;
    if (needs_all(r->v->columns[column].sum))
        buf_bytes(&r->samples[column], &sample, sizeof(sample));
}

static bool is_in_role(struct view_run *r, const struct use *u, unsigned role,
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
    text = intern_get(&r->texts, v.text, &n);
    return n == strlen(want) && memcmp(text, want, n) == 0;
}

static void add_event(struct view_run *r, const struct use *u, const struct jfr_event *ev)
{
    union jfr_value values[JFR_PLAN_WANTS_MAX];
    const uint8_t *where;
    struct view_value start, duration, v;
    int64_t end_ns;
    uint32_t row;

    if (jfr_plan_run(u->plan, ev->body, values, &where) != 0) {
        jfr_chunk_damaged(r->values.chunk, ev, where, "event ends inside a field");
        return;
    }
    start = view_get(&r->values, &u->start, ev, values);
    duration = view_get(&r->values, &u->duration, ev, values);
    if (__builtin_add_overflow(start.i, duration.kind == VIEW_NONE ? 0 : duration.i, &end_ns))
        end_ns = start.i;
    row = row_of(r, u, ev, values);
    for (size_t i = 0; i < r->n_columns && row != UINT32_MAX; i++) {
        const struct view_column *c = &r->v->columns[i];

        if (!u->has_column[i] || !is_in_role(r, u, c->role, ev, values))
            continue;
        v = (struct view_value){.kind = VIEW_NUMBER, .i = 1, .d = 1};
        if (c->path != NULL)
            v = view_get(&r->values, &u->columns[i], ev, values);
        if (v.kind != VIEW_NONE)
            add_value(r, row, i, end_ns, &v);
    }
}

static int read_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct view_run *r = shared;
    struct jfr_event ev;
    int code = 0;

    (void)out;
    view_values_load(&r->values, rc->chunk);
    r->uses = arena_array(jfr_chunk_arena(rc->chunk), jfr_chunk_metadata(rc->chunk)->n_classes,
                          sizeof(*r->uses));
    if (r->uses == NULL)
        return JFR_E_NOMEM;
    if (r->select != NULL)
        code = select_run_load(r->select, rc->chunk);
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0) {
        struct use *u;

        if (ev.type == NULL)
            continue;
        u = &r->uses[ev.type->index];
        if (!u->is_ready)
            code = open_class(r, u, ev.type);
        if (code == 0 && u->counts && (!u->is_tested || select_event(r->select, &ev) > 0))
            add_event(r, u, &ev);
        if (r->failed)
            code = JFR_E_NOMEM;
    }
    return code;
}

struct run_job view_job(struct view_run *r)
{
    return (struct run_job){.shared = r, .chunk = read_chunk};
}

/* --- results ---------------------------------------------------------------------------------- */

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return is_less(&x->v, &y->v) ? -1 : is_less(&y->v, &x->v);
}

static double as_number(const struct view_value *v)
{
    return v->is_real || v->is_unsigned ? v->d : (double)v->i;
}

/* Where a share of the values lies below, between two of them as their distance says. */
static struct view_value percentile(const struct view_run *r, size_t column, uint32_t row,
                                    double share)
{
    const struct sample *all = (const struct sample *)(const void *)r->samples[column].p;
    size_t n = r->samples[column].n / sizeof(*all), from = 0, count = 0, at;
    struct view_value v = {.kind = VIEW_NONE};
    double place, low;

    while (from < n && all[from].row < row)
        from++;
    while (from + count < n && all[from + count].row == row)
        count++;
    if (count == 0)
        return v;
    place = share * (double)(count + 1); /* counted from 1 */
    v = all[from].v;
    if (place < 1)
        return v;
    if (place >= (double)count)
        return all[from + count - 1].v;
    at = (size_t)place - 1;
    low = as_number(&all[from + at].v);
    v = all[from + at].v;
    v.d = low + (place - floor(place)) * (as_number(&all[from + at + 1].v) - low);
    v.i = (int64_t)v.d;
    return v;
}

static struct view_value count_value(uint64_t n)
{
    return (struct view_value){.kind = VIEW_NUMBER, .i = (int64_t)n, .d = (double)n};
}

/* A total in the format of the values. */
static struct view_value total_of(const struct sum *s, bool average)
{
    struct view_value v = s->last;

    v.is_unsigned = false;
    if (v.is_real) {
        v.d = average ? s->total_real / (double)s->n : s->total_real;
        return v;
    }
    v.d = (double)s->total;
    v.i = s->total > INT64_MAX ? INT64_MAX : s->total < INT64_MIN ? INT64_MIN : (int64_t)s->total;
    if (!average)
        return v;
    v.d /= (double)s->n;
    v.i = llround(v.d);
    v.is_real = v.format == VIEW_INTEGER;
    return v;
}

static struct view_value difference(const struct view_value *last, const struct view_value *first)
{
    struct view_value v = *last;

    if (v.kind != VIEW_NUMBER)
        return (struct view_value){.kind = VIEW_NONE};
    v.i = last->i - first->i;
    v.d = last->is_real ? last->d - first->d : (double)v.i;
    if (v.format == VIEW_TIME)
        v.format = VIEW_SPAN;
    return v;
}

static struct view_value value_of(const struct view_run *r, uint32_t row, size_t column)
{
    const struct sum *s = (const struct sum *)(const void *)r->sums.p + row * r->n_columns + column;
    static const double shares[] = {.5, .9, .95, .99, .999};
    enum view_sum sum = r->v->columns[column].sum;

    if (sum == VIEW_KEY)
        return ((const struct view_value *)(const void *)r->key_values.p)[row];
    if (sum == VIEW_COUNT || sum == VIEW_UNIQUE || sum == VIEW_SHARE_COUNT)
        return count_value(s->n);
    if (s->n == 0)
        return (struct view_value){.kind = VIEW_NONE};
    switch (sum) {
    case VIEW_SUM:
    case VIEW_SHARE_SUM:
        return total_of(s, false);
    case VIEW_AVERAGE:
        return total_of(s, true);
    case VIEW_MIN:
        return s->least;
    case VIEW_MAX:
        return s->most;
    case VIEW_FIRST:
        return s->first;
    case VIEW_LAST:
    case VIEW_SHARE_LAST:
        return s->last;
    case VIEW_DIFF:
        if (s->n < 2)
            return (struct view_value){.kind = VIEW_NONE};
        return difference(&s->last, &s->first);
    case VIEW_SPREAD:
        return difference(&s->most, &s->least);
    default:
        return percentile(r, column, row, shares[sum - VIEW_MEDIAN]);
    }
}

static bool is_share(enum view_sum sum)
{
    return sum >= VIEW_SHARE_COUNT;
}

/* Every cell, row by row; shares of the sum of their column. NULL when memory is short. */
static struct view_value *all_values(struct view_run *r, size_t n)
{
    struct view_value *cells = calloc(n * r->n_columns + 1, sizeof(*cells));

    for (size_t i = 0; i < r->n_columns; i++)
        if (r->samples[i].n > 0)
            qsort(r->samples[i].p, r->samples[i].n / sizeof(struct sample), sizeof(struct sample),
                  compare_samples);
    for (size_t i = 0; i < r->n_columns && cells != NULL; i++) {
        double total = 0;

        for (uint32_t row = 0; row < n; row++) {
            cells[row * r->n_columns + i] = value_of(r, row, i);
            total += as_number(&cells[row * r->n_columns + i]);
        }
        for (uint32_t row = 0; row < n && is_share(r->v->columns[i].sum); row++) {
            struct view_value *v = &cells[row * r->n_columns + i];

            v->d = total == 0 ? 0 : as_number(v) / total;
            v->is_real = true;
            v->format = VIEW_PERCENT;
        }
    }
    return cells;
}

struct order {
    const struct view_run *r;
    const struct view_value *cells;
};

static int compare_texts(const struct intern *texts, uint32_t a, uint32_t b)
{
    size_t na, nb;
    const char *x = intern_get(texts, a, &na), *y = intern_get(texts, b, &nb);
    int order = memcmp(x, y, na < nb ? na : nb);

    return order != 0 ? order : (na > nb) - (na < nb);
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct order *o = ctx;
    int by = o->r->v->order, order;
    size_t column = (size_t)(by < 0 ? -by : by) - 1;
    const struct view_value *p = &o->cells[x * o->r->n_columns + column];
    const struct view_value *q = &o->cells[y * o->r->n_columns + column];

    if (p->kind != q->kind)
        order = (p->kind == VIEW_NONE) - (q->kind == VIEW_NONE);
    else if (p->kind == VIEW_TEXT)
        order = compare_texts(&o->r->texts, p->text, q->text);
    else
        order = is_less(p, q) ? -1 : is_less(q, p);
    if (by < 0 && p->kind != VIEW_NONE && q->kind != VIEW_NONE)
        order = -order;
    return order != 0 ? order : (x > y) - (x < y);
}

static void put(struct table *t, struct view_run *r, const struct view_value *v)
{
    struct buf *b = &r->shown;

    buf_reset(b);
    view_show(b, v, &r->texts);
    r->failed |= !buf_ok(b);
    if (v->kind == VIEW_NONE)
        table_put_none(t);
    else if (v->kind == VIEW_TEXT)
        table_put_text(t, (const char *)b->p, b->n);
    else
        table_put_shown(t, v->is_real, v->i, v->d, (const char *)b->p, b->n);
}

static void put_rows(struct table *t, struct view_run *r, const struct view_value *cells,
                     const uint32_t *rows, size_t n, bool turned)
{
    if (turned) {
        table_column(t, "what", "What", TABLE_TEXT);
        table_column(t, "value", "Value", TABLE_TEXT);
        for (size_t i = 0; i < r->n_columns && n > 0; i++) {
            const char *title = r->v->columns[i].title;

            table_put_text(t, title, strlen(title));
            put(t, r, &cells[i]);
        }
        return;
    }
    for (size_t i = 0; i < r->n_columns; i++)
        table_column(t, r->v->columns[i].title, r->v->columns[i].title, TABLE_ANY);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < r->n_columns; i++)
            put(t, r, &cells[rows[k] * r->n_columns + i]);
}

struct table *view_table(struct view_run *r, bool for_people)
{
    size_t n = intern_n(&r->keys);
    struct view_value *cells = all_values(r, n);
    uint32_t *rows = malloc((n + 1) * sizeof(*rows));
    struct order order = {r, cells};
    struct table *t = cells == NULL || rows == NULL ? NULL : table_new(r->v->title);

    for (uint32_t i = 0; i < n && t != NULL; i++)
        rows[i] = i;
    if (t != NULL && r->v->order != 0)
        qsort_r(rows, n, sizeof(*rows), compare_rows, &order);
    if (r->v->limit > 0 && n > r->v->limit)
        n = r->v->limit;
    if (t != NULL)
        put_rows(t, r, cells, rows, n, for_people && r->v->key == NULL);
    free(cells);
    free(rows);
    if (r->failed) {
        table_free(t);
        return NULL;
    }
    return t;
}
