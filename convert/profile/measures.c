/*
 * measures.c - a profile with several weights as a table: a measure for each kind and weight.
 *
 * Formats with labels (pprof, OTLP, CSV) run it as a job in place of a profile. The profile reads
 * and sums; here its rows get labels in place of groups, and its weights become measures.
 */
#include "convert/profile/measures.h"

#include "convert/profile/internal.h"
#include "convert/profile/sums.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

/* What is known of a kind's sums, and how other tools call them. */
struct known {
    enum kind kind;
    enum profile_weight weight;
    const char *type, *unit;
};

/* clang-format off */
static const struct known known[] = {
    {KIND_CPU, WEIGHT_SAMPLES, "samples", "count"},
    {KIND_CPU, WEIGHT_CPU_TIME, "cpu", "nanoseconds"},
    {KIND_WALL, WEIGHT_SAMPLES, "wall", "count"},
    {KIND_ALLOC, WEIGHT_SAMPLES, "alloc_objects", "count"},
    {KIND_ALLOC, WEIGHT_BYTES, "alloc_space", "bytes"},
    {KIND_LIVE, WEIGHT_SAMPLES, "inuse_objects", "count"},
    {KIND_LIVE, WEIGHT_BYTES, "inuse_space", "bytes"},
    {KIND_LOCK, WEIGHT_SAMPLES, "contentions", "count"},
    {KIND_LOCK, WEIGHT_DURATION, "delay", "nanoseconds"},
    {KIND_NATIVE, WEIGHT_SAMPLES, "native", "count"},
    {KIND_NATIVE, WEIGHT_BYTES, "native_space", "bytes"},
    {KIND_IO, WEIGHT_SAMPLES, "io", "count"},
    {KIND_IO, WEIGHT_BYTES, "io_bytes", "bytes"},
    {KIND_IO, WEIGHT_DURATION, "io_time", "nanoseconds"},
    {KIND_EXCEPTION, WEIGHT_SAMPLES, "exceptions", "count"},
    {KIND_LATENCY, WEIGHT_SAMPLES, "latency_events", "count"},
    {KIND_LATENCY, WEIGHT_DURATION, "latency", "nanoseconds"},
    {KIND_ALL, WEIGHT_SAMPLES, "events", "count"},
    {KIND_ALL, WEIGHT_BYTES, "event_bytes", "bytes"},
    {KIND_ALL, WEIGHT_DURATION, "event_time", "nanoseconds"},
};
/* clang-format on */

#define N_WEIGHTS 4 /* that are counted side by side */
#define N_KNOWN (sizeof(known) / sizeof(known[0]))

struct measures {
    struct profile *profile; /* NULL once the table is made */
    enum profile_weight weights[N_WEIGHTS]; /* of the profile: the first one, then the others */
    size_t n_weights;
    bool has_lines;
    struct profile_facts facts;
    struct measure measures[MEASURES_MOST];
    int64_t place[N_WEIGHTS][N_KINDS]; /* measure by weight and kind, or -1 */
    size_t n_measures;
    char *field; /* name of a measure */
    const char *split; /* NULL: the thread */
    struct intern names, keys, labels; /* of texts; of uint32_t by key */
    struct sums rows; /* stack << 32 | labels; their sums are in `values` */
    struct stackset stacks;
    struct buf values; /* of uint64_t: n_measures for each row */
    struct buf label_rows; /* of uint32_t: interned labels are not aligned */
    struct buf numbers; /* of uint32_t: scratch */
};

/* What was found out of the rows of the profile so far. */
struct adding {
    const uint32_t *map; /* own number of a name by the profile's */
    uint32_t *label_sets; /* + 1, by group; 0: not made yet */
    uint32_t *rows; /* + 1, by row of the profile; 0: not made yet */
    uint32_t last_stack, last_class, last; /* the stack made last, and its own number */
};

static struct profile *new_profile(const struct measures *m, const struct profile_options *opt,
                                   bool is_single)
{
    struct profile_options own = *opt;

    own.weight = m->weights[0];
    own.n_more = m->n_weights - 1;
    memcpy(own.more, m->weights + 1, own.n_more * sizeof(*own.more));
    own.threads = own.states = own.thread_ids = own.labels = true;
    own.min_group = (struct min_group){0}; /* labels are no groups */
    own.n_keys = 0;
    own.facets = NULL;
    own.all_kinds = own.kind < 0 && !is_single;
    return profile_new(&own);
}

/* Can events of the kind have the weight? What they cannot have need not be looked for. */
static bool is_known(enum kind kind, enum profile_weight weight)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (known[i].kind == kind && known[i].weight == weight)
            return true;
    return false;
}

struct measures *measures_new(const struct profile_options *opt, bool is_single)
{
    static const enum profile_weight all[] = {WEIGHT_SAMPLES, WEIGHT_BYTES, WEIGHT_DURATION,
                                              WEIGHT_CPU_TIME};
    struct measures *m = calloc(1, sizeof(*m));

    if (m == NULL)
        return NULL;
    m->split = "thread";
    m->has_lines = opt->names.lines && !opt->names.bci && !opt->names.tiers;
    if (!is_single || opt->weight == WEIGHT_SAMPLES)
        m->weights[m->n_weights++] = WEIGHT_SAMPLES;
    if (opt->weight != WEIGHT_SAMPLES)
        m->weights[m->n_weights++] = opt->weight;
    for (size_t i = 1; i < N_WEIGHTS && !is_single && opt->weight == WEIGHT_SAMPLES; i++)
        if (opt->kind < 0 || is_known((enum kind)opt->kind, all[i]))
            m->weights[m->n_weights++] = all[i];
    if (opt->weight == WEIGHT_FIELD)
        m->field = strdup(opt->weight_field);
    m->profile = new_profile(m, opt, is_single);
    if (m->profile != NULL && (opt->weight != WEIGHT_FIELD || m->field != NULL))
        return m;
    measures_free(m);
    return NULL;
}

void measures_free(struct measures *m)
{
    if (m == NULL)
        return;
    profile_free(m->profile);
    free(m->field);
    intern_free(&m->names);
    intern_free(&m->keys);
    intern_free(&m->labels);
    sums_free(&m->rows);
    stackset_free(&m->stacks);
    buf_free(&m->values);
    buf_free(&m->label_rows);
    buf_free(&m->numbers);
    free(m);
}

struct run_job measures_job(struct measures *m)
{
    return profile_job(m->profile);
}

/* --- which measures there are ----------------------------------------------------------------- */

static const char *measure_unit_of(const struct measures *m, size_t weight)
{
    const char *unit = profile_unit_of(m->profile, m->weights[weight]);

    return strcmp(unit, "ns") == 0 ? "nanoseconds" : strcmp(unit, "bytes") == 0 ? unit : "count";
}

static void add_measure(struct measures *m, size_t weight, enum kind kind)
{
    struct measure *to = &m->measures[m->n_measures];

    if (m->n_measures == MEASURES_MOST)
        return;
    *to = (struct measure){.kind = kind, .type = m->field, .unit = measure_unit_of(m, weight)};
    for (size_t i = 0; i < N_KNOWN; i++)
        if (known[i].kind == kind && known[i].weight == m->weights[weight]) {
            to->type = known[i].type;
            to->unit = known[i].unit;
        }
    if (to->type == NULL)
        to->type = kind_name(kind);
    m->place[weight][kind] = (int64_t)m->n_measures++;
}

/* Kind by kind, in each the weights in their order. */
static void find_measures(struct measures *m, const bool has[N_WEIGHTS][N_KINDS])
{
    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t w = 0; w < m->n_weights; w++) {
            m->place[w][k] = -1;
            if (has[w][k])
                add_measure(m, w, (enum kind)k);
        }
    if (m->n_measures == 0)
        add_measure(m, 0, profile_facts(m->profile).kind);
}

/* --- which keys there are --------------------------------------------------------------------- */

/* The next label of a name that has several; false at the end. */
static bool next_label(const char **at, const char **value, const char **end)
{
    const char *id = strchr(*at, PROFILE_ID), *stop = strchr(*at, PROFILE_LABEL);

    if (id == NULL || stop == NULL || stop < id)
        return false;
    *value = id + 1;
    *end = stop;
    return true;
}

static bool gather_keys(const struct profile *p, uint32_t name, struct intern *keys)
{
    const char *at, *value, *end;

    if (name == UINT32_MAX)
        return true;
    for (at = profile_name(p, name, NULL); next_label(&at, &value, &end); at = end + 1)
        if (intern_add(keys, at, (size_t)(value - 1 - at)) == INTERN_FAILED)
            return false;
    return true;
}

/* The sum of a row for a weight. */
static uint64_t measured_weight(const struct profile_row *row, size_t weight)
{
    return weight == 0 ? row->weight : row->more[weight - 1];
}

/* The kinds that rows have of each weight, and the keys of their contexts. Groups tell the keys, of
 * which there are far fewer than rows. */
static bool look_at_rows(const struct measures *m, struct intern *keys,
                         bool has[N_WEIGHTS][N_KINDS])
{
    const struct profile *p = m->profile;
    size_t n = profile_n_groups(p);
    bool *is_met = calloc(n + 1, sizeof(*is_met)), ok = is_met != NULL;

    for (size_t i = 0; i < p->n_final && ok; i++) {
        struct profile_row row = profile_row(p, i);

        is_met[row.group] = true;
        for (size_t w = 0; w < m->n_weights; w++)
            has[w][row.kind] |= measured_weight(&row, w) != 0;
    }
    for (uint32_t i = 0; i < n && ok; i++)
        if (is_met[i])
            ok = gather_keys(p, profile_group(&p->groups, i).labels, keys);
    free(is_met);
    return ok;
}

static int by_text(const void *a, const void *b, void *keys)
{
    return strcmp(intern_get(keys, *(const uint32_t *)a, NULL),
                  intern_get(keys, *(const uint32_t *)b, NULL));
}

/* The fixed ones, then those of contexts by their texts. */
static bool find_keys(struct measures *m, bool has[N_WEIGHTS][N_KINDS])
{
    static const char *const fixed[LABEL_FIXED] = {"thread", "tid", "state"};
    struct intern keys = {0};
    uint32_t *order;
    bool ok = true;

    for (size_t i = 0; i < LABEL_FIXED && ok; i++)
        ok = intern_add(&m->keys, fixed[i], strlen(fixed[i])) != INTERN_FAILED;
    ok = ok && look_at_rows(m, &keys, has);
    order = malloc((intern_n(&keys) + 1) * sizeof(*order));
    ok = ok && order != NULL;
    for (uint32_t i = 0; i < intern_n(&keys) && ok; i++)
        order[i] = i;
    if (ok)
        qsort_r(order, intern_n(&keys), sizeof(*order), by_text, &keys);
    for (size_t i = 0; i < intern_n(&keys) && ok; i++) {
        size_t n;
        const char *key = intern_get(&keys, order[i], &n);

        ok = intern_add(&m->keys, key, n) != INTERN_FAILED;
    }
    free(order);
    intern_free(&keys);
    return ok;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The stack with the table's own numbers of names; the class at the end is a frame too. */
static uint32_t add_measured_stack(struct measures *m, const struct profile_row *row,
                                   const uint32_t *map)
{
    bool has_class = row->ends[PROFILE_CLASS] != UINT32_MAX;
    uint32_t *frames = profile_numbers(&m->numbers, row->n + 2);

    if (frames == NULL)
        return STACK_FAILED;
    for (uint32_t i = 0; i < row->n; i++)
        frames[i] = frame_of(map[frame_name_id(row->frames[i])], frame_type(row->frames[i]));
    if (has_class)
        frames[row->n] = frame_of(map[row->ends[PROFILE_CLASS]], FRAME_UNKNOWN);
    return stackset_add(&m->stacks, frames, row->n + has_class);
}

/* Splits "main" PROFILE_ID "42" into two labels. */
static bool add_thread(struct measures *m, const struct profile *p, uint32_t name, uint32_t *labels)
{
    size_t n;
    const char *text = profile_name(p, name, &n), *id = memchr(text, PROFILE_ID, n);
    size_t name_n = id == NULL ? n : (size_t)(id - text);

    labels[LABEL_THREAD] = intern_add(&m->names, text, name_n);
    if (id != NULL && strcmp(id + 1, "0") != 0)
        labels[LABEL_TID] = intern_add(&m->names, id + 1, n - name_n - 1);
    return labels[LABEL_THREAD] != INTERN_FAILED;
}

static void add_contexts(struct measures *m, const struct profile *p, uint32_t name,
                         uint32_t *labels)
{
    const char *at = profile_name(p, name, NULL), *value, *end;

    for (; next_label(&at, &value, &end); at = end + 1) {
        uint32_t key = intern_add(&m->keys, at, (size_t)(value - 1 - at));

        if (key < measures_n_keys(m) && key >= LABEL_FIXED)
            labels[key] = intern_add(&m->names, value, (size_t)(end - value));
    }
}

static uint32_t add_labels(struct measures *m, const struct profile *p,
                           const struct profile_row *row, const uint32_t *map)
{
    size_t n_keys = measures_n_keys(m), bytes = n_keys * sizeof(uint32_t);
    uint32_t *labels = profile_numbers(&m->numbers, n_keys + 1), id;

    if (labels == NULL)
        return INTERN_FAILED;
    memset(labels, 0xff, bytes); /* MEASURES_NO_VALUE */
    if (row->labels != UINT32_MAX)
        add_contexts(m, p, row->labels, labels);
    if (row->ends[PROFILE_THREAD] != UINT32_MAX &&
        !add_thread(m, p, row->ends[PROFILE_THREAD], labels))
        return INTERN_FAILED;
    if (row->ends[PROFILE_STATE] != UINT32_MAX)
        labels[LABEL_STATE] = map[row->ends[PROFILE_STATE]];
    id = intern_add(&m->labels, labels, bytes);
    if (id == m->label_rows.n / bytes)
        buf_bytes(&m->label_rows, labels, bytes);
    return buf_ok(&m->label_rows) ? id : INTERN_FAILED;
}

/* Most rows have the stack of the one before, and one of few groups. */
static uint32_t measured_stack_of(struct measures *m, const struct profile_row *row,
                                  struct adding *a)
{
    if (row->stack != a->last_stack || row->ends[PROFILE_CLASS] != a->last_class)
        a->last = add_measured_stack(m, row, a->map);
    a->last_stack = row->stack;
    a->last_class = row->ends[PROFILE_CLASS];
    return a->last;
}

static uint32_t label_set_of(struct measures *m, const struct profile_row *row, struct adding *a)
{
    uint32_t *made = &a->label_sets[row->group];

    if (*made == 0)
        *made = add_labels(m, m->profile, row, a->map) + 1;
    return *made - 1; /* INTERN_FAILED + 1 is 0 */
}

/* The number of the table's row for a row of the profile, which is made if there is none.
 * UINT32_MAX if out of memory. */
static uint32_t place_row(struct measures *m, const struct profile_row *row, struct adding *a)
{
    uint32_t stack = measured_stack_of(m, row, a), labels = label_set_of(m, row, a), id;
    static const uint64_t none[MEASURES_MOST];

    if (stack == STACK_FAILED || labels == INTERN_FAILED)
        return UINT32_MAX;
    id = sums_place(&m->rows, (uint64_t)stack << 32 | labels);
    if (id == m->values.n / (m->n_measures * sizeof(none[0])))
        buf_bytes(&m->values, none, m->n_measures * sizeof(none[0]));
    return buf_ok(&m->values) ? id : UINT32_MAX;
}

/* Adds a weight of row i of the profile. */
static bool add_row(struct measures *m, size_t weight, size_t i, const struct profile_row *row,
                    struct adding *a)
{
    uint64_t sum = measured_weight(row, weight), *value;
    int64_t place = m->place[weight][row->kind];

    if (sum == 0)
        return true;
    if (a->rows[i] == 0)
        a->rows[i] = place_row(m, row, a) + 1; /* UINT32_MAX + 1 is 0 */
    if (a->rows[i] == 0 || place < 0)
        return a->rows[i] != 0;
    value = (uint64_t *)(void *)m->values.p + (a->rows[i] - 1) * m->n_measures + (size_t)place;
    *value = sums_plus(*value, sum);
    m->measures[place].total = sums_plus(m->measures[place].total, sum);
    return true;
}

#define ROWS_AHEAD 8

/* The row that comes soon, if its stack is that of the one before it. */
static void expect_row(const struct measures *m, const struct final_row *next,
                       const struct adding *a)
{
    uint32_t labels = a->label_sets[next->group];

    if (next->stack == a->last_stack && labels != 0)
        sums_expect(&m->rows, (uint64_t)a->last << 32 | (labels - 1));
}

/* Rows that have the first weight come first, then those that have only the second, and so on. */
static bool add_rows(struct measures *m, struct adding *a)
{
    const struct profile *p = m->profile;

    for (size_t w = 0; w < m->n_weights; w++)
        for (size_t i = 0; i < p->n_final; i++) {
            struct profile_row row = profile_row(p, i);

            if (w == 0 && i + ROWS_AHEAD < p->n_final)
                expect_row(m, &p->final[i + ROWS_AHEAD], a);
            if (!add_row(m, w, i, &row, a))
                return false;
        }
    return true;
}

/* Takes over the names and rows of the profile. */
static bool take_profile(struct measures *m)
{
    const struct profile *p = m->profile;
    size_t n = profile_n_names(p);
    uint32_t *map = malloc((n + 1) * sizeof(*map));
    struct adding a = {.map = map, .last_stack = STACK_FAILED};
    bool ok;

    a.label_sets = calloc(profile_n_groups(p) + 1, sizeof(*a.label_sets));
    a.rows = calloc(p->n_final + 1, sizeof(*a.rows));
    ok = map != NULL && a.label_sets != NULL && a.rows != NULL;
    for (uint32_t i = 0; i < n && ok; i++) {
        size_t len;
        const char *text = profile_name(p, i, &len);

        map[i] = intern_add(&m->names, text, len);
        ok = map[i] <= FRAME_NAME_MASK;
    }
    ok = ok && add_rows(m, &a);
    free(a.rows);
    free(a.label_sets);
    free(map);
    return ok;
}

int measures_finish(struct measures *m)
{
    bool has[N_WEIGHTS][N_KINDS] = {{false}}, ok;

    if (profile_finish(m->profile) != 0 || !find_keys(m, has))
        return JFR_E_NOMEM;
    find_measures(m, has);
    m->facts = profile_facts(m->profile);
    ok = take_profile(m);
    profile_free(m->profile); /* the table has it all */
    m->profile = NULL;
    return ok ? 0 : JFR_E_NOMEM;
}

size_t measures_n(const struct measures *m)
{
    return m->n_measures;
}

const struct measure *measures_get(const struct measures *m, size_t i)
{
    return &m->measures[i];
}

size_t measures_n_keys(const struct measures *m)
{
    return intern_n(&m->keys);
}

const char *measures_key(const struct measures *m, size_t i, size_t *n)
{
    return intern_get(&m->keys, (uint32_t)i, n);
}

void measures_split_by(struct measures *m, const char *label)
{
    m->split = label;
}

const char *measures_split_name(const struct measures *m)
{
    return m->split;
}

size_t measures_split(const struct measures *m)
{
    size_t i = 0;

    while (i < measures_n_keys(m) && strcmp(measures_key(m, i, NULL), measures_split_name(m)) != 0)
        i++;
    return i;
}

size_t measures_n_rows(const struct measures *m)
{
    return m->rows.n;
}

struct measures_row measures_row(const struct measures *m, size_t i)
{
    uint32_t stack = (uint32_t)(m->rows.rows[i].key >> 32);
    uint32_t labels = (uint32_t)m->rows.rows[i].key;

    return (struct measures_row){
        .stack = stack,
        .frames = stackset_frames(&m->stacks, stack),
        .n = m->stacks.stacks[stack].n,
        .label_set = labels,
        .labels = (const uint32_t *)(const void *)m->label_rows.p + labels * measures_n_keys(m),
        .values = (const uint64_t *)(const void *)m->values.p + i * m->n_measures};
}

size_t measures_n_stacks(const struct measures *m)
{
    return m->stacks.n;
}

size_t measures_n_label_sets(const struct measures *m)
{
    return intern_n(&m->labels);
}

size_t measures_n_names(const struct measures *m)
{
    return intern_n(&m->names);
}

const char *measures_name(const struct measures *m, uint32_t id, size_t *n)
{
    return intern_get(&m->names, id, n);
}

bool measures_has_lines(const struct measures *m)
{
    return m->has_lines;
}

struct profile_facts measures_facts(const struct measures *m)
{
    return m->facts;
}
