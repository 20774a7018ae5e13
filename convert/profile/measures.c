/*
 * measures.c - several profiles of one reading: one for each kind and weight of samples.
 *
 * Formats with labels (pprof, OTLP, CSV) run it as a job in place of a single profile.
 */
#include "convert/profile/measures.h"

#include "convert/profile/internal.h"
#include "convert/profile/sums.h"
#include "convert/select/sample_settings.h"
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
    struct profile *profiles[N_WEIGHTS];
    enum profile_weight weights[N_WEIGHTS];
    size_t n_profiles;
    bool is_single, has_lines;
    struct profile_facts facts;
    struct measure measures[MEASURES_MOST];
    int64_t place[N_WEIGHTS][N_KINDS]; /* measure by profile and kind, or -1 */
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

/* What was found out of the rows of a profile so far. */
struct adding {
    const uint32_t *map; /* own number of a name by the profile's */
    uint32_t *label_sets; /* + 1, by group; 0: not made yet */
    uint32_t last_stack, last_class, last; /* the stack made last, and its own number */
};

static bool add_profile(struct measures *m, const struct profile_options *opt,
                        enum profile_weight weight)
{
    struct profile_options own = *opt;

    own.weight = weight;
    own.threads = own.states = own.thread_ids = own.labels = true;
    own.min_group = (struct min_group){0}; /* labels are no groups */
    own.n_keys = 0;
    own.facets = NULL;
    own.all_kinds = own.kind < 0 && !m->is_single;
    m->weights[m->n_profiles] = weight;
    m->profiles[m->n_profiles] = profile_new(&own);
    return m->profiles[m->n_profiles++] != NULL;
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
    bool ok = true;

    if (m == NULL)
        return NULL;
    m->is_single = is_single;
    m->split = "thread";
    m->has_lines = opt->names.lines && !opt->names.bci && !opt->names.tiers;
    if (is_single)
        ok = add_profile(m, opt, opt->weight);
    else if (opt->weight != WEIGHT_SAMPLES)
        ok = add_profile(m, opt, WEIGHT_SAMPLES) && add_profile(m, opt, opt->weight);
    else
        for (size_t i = 0; i < N_WEIGHTS && ok; i++)
            if (opt->kind < 0 || is_known((enum kind)opt->kind, all[i]))
                ok = add_profile(m, opt, all[i]);
    if (opt->weight == WEIGHT_FIELD)
        m->field = strdup(opt->weight_field);
    if (ok && (opt->weight != WEIGHT_FIELD || m->field != NULL))
        return m;
    measures_free(m);
    return NULL;
}

void measures_free(struct measures *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->n_profiles; i++)
        profile_free(m->profiles[i]);
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

/* --- reading ---------------------------------------------------------------------------------- */

struct worker {
    const struct measures *m;
    void *profiles[N_WEIGHTS]; /* workers of them */
};

static void worker_free(void *worker)
{
    struct worker *w = worker;

    for (size_t i = 0; i < w->m->n_profiles; i++)
        profile_worker_free(w->profiles[i]);
    free(w);
}

static void *worker_new(void *shared)
{
    const struct measures *m = shared;
    struct worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->m = m;
    for (size_t i = 0; i < m->n_profiles; i++) {
        struct run_job job = profile_job(m->profiles[i]);

        w->profiles[i] = job.worker_new(job.shared);
        if (w->profiles[i] == NULL) {
            worker_free(w);
            return NULL;
        }
    }
    return w;
}

static int measure_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct worker *w = worker;
    struct jfr_event ev;
    enum kind_samples samples = sample_settings_of_start(rc->chunk).samples;
    int code = 0;

    (void)out;
    for (size_t i = 0; i < w->m->n_profiles && code == 0; i++)
        code = profile_worker_begin(w->profiles[i], rc->chunk, samples);
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0)
        for (size_t i = 0; i < w->m->n_profiles && code == 0; i++)
            code = profile_worker_event(w->profiles[i], &ev);
    return code;
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    const struct measures *m = shared;
    struct worker *w = worker;
    int code = 0;

    for (size_t i = 0; i < m->n_profiles && code == 0; i++) {
        struct run_job job = profile_job(m->profiles[i]);

        code = job.merge(job.shared, w->profiles[i], rc);
    }
    return code;
}

struct run_job measures_job(struct measures *m)
{
    return (struct run_job){.shared = m,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = measure_chunk,
                            .merge = merge};
}

/* --- which measures there are ----------------------------------------------------------------- */

static const char *measure_unit_of(const struct profile *p)
{
    const char *unit = profile_unit(p);

    return strcmp(unit, "ns") == 0 ? "nanoseconds" : strcmp(unit, "bytes") == 0 ? unit : "count";
}

static void add_measure(struct measures *m, size_t profile, enum kind kind)
{
    struct measure *to = &m->measures[m->n_measures];

    if (m->n_measures == MEASURES_MOST)
        return;
    *to = (struct measure){
        .kind = kind, .type = m->field, .unit = measure_unit_of(m->profiles[profile])};
    for (size_t i = 0; i < N_KNOWN; i++)
        if (known[i].kind == kind && known[i].weight == m->weights[profile]) {
            to->type = known[i].type;
            to->unit = known[i].unit;
        }
    if (to->type == NULL)
        to->type = kind_name(kind);
    m->place[profile][kind] = (int64_t)m->n_measures++;
}

/* Kind by kind, in each the weights in the order of the profiles. */
static void find_measures(struct measures *m, const bool has[N_WEIGHTS][N_KINDS])
{
    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t p = 0; p < m->n_profiles; p++) {
            m->place[p][k] = -1;
            if (has[p][k])
                add_measure(m, p, (enum kind)k);
        }
    if (m->n_measures == 0)
        add_measure(m, 0, profile_facts(m->profiles[0]).kind);
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

/* The kinds and keys of a profile. Groups tell them, of which there are far fewer than rows. */
static bool look_at_groups(const struct profile *p, struct intern *keys, bool has[N_KINDS])
{
    size_t n = profile_n_groups(p);
    bool *is_met = calloc(n + 1, sizeof(*is_met)), ok = is_met != NULL;

    for (size_t i = 0; i < p->n_final && ok; i++)
        is_met[p->final[i].group] = true;
    for (uint32_t i = 0; i < n && ok; i++)
        if (is_met[i]) {
            struct group g = profile_group(&p->groups, i);

            has[g.kind] = true;
            ok = gather_keys(p, g.labels, keys);
        }
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
    for (size_t i = 0; i < m->n_profiles && ok; i++)
        ok = look_at_groups(m->profiles[i], &keys, has[i]);
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

static uint32_t label_set_of(struct measures *m, size_t profile, const struct profile_row *row,
                             struct adding *a)
{
    uint32_t *made = &a->label_sets[row->group];

    if (*made == 0)
        *made = add_labels(m, m->profiles[profile], row, a->map) + 1;
    return *made - 1; /* INTERN_FAILED + 1 is 0 */
}

static bool add_row(struct measures *m, size_t profile, const struct profile_row *row,
                    struct adding *a)
{
    int64_t place = m->place[profile][row->kind];
    uint32_t stack = measured_stack_of(m, row, a), labels = label_set_of(m, profile, row, a);
    static const uint64_t none[MEASURES_MOST];
    uint64_t *value;
    uint32_t id;

    if (stack == STACK_FAILED || labels == INTERN_FAILED)
        return false;
    id = sums_place(&m->rows, (uint64_t)stack << 32 | labels);
    if (id == UINT32_MAX)
        return false;
    if (id == m->values.n / (m->n_measures * sizeof(*value)))
        buf_bytes(&m->values, none, m->n_measures * sizeof(*value));
    if (!buf_ok(&m->values) || place < 0)
        return buf_ok(&m->values);
    value = (uint64_t *)(void *)m->values.p + id * m->n_measures + (size_t)place;
    *value = sums_plus(*value, row->weight);
    m->measures[place].total = sums_plus(m->measures[place].total, row->weight);
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

static bool add_rows(struct measures *m, size_t profile)
{
    const struct profile *p = m->profiles[profile];
    size_t n = profile_n_names(p);
    uint32_t *map = malloc((n + 1) * sizeof(*map));
    struct adding a = {.map = map, .last_stack = STACK_FAILED};
    bool ok = map != NULL;

    a.label_sets = calloc(profile_n_groups(p) + 1, sizeof(*a.label_sets));
    ok = ok && a.label_sets != NULL;
    for (uint32_t i = 0; i < n && ok; i++) {
        size_t len;
        const char *text = profile_name(p, i, &len);

        map[i] = intern_add(&m->names, text, len);
        ok = map[i] <= FRAME_NAME_MASK;
    }
    for (size_t i = 0; i < profile_n(p) && ok; i++) {
        struct profile_row row = profile_row(p, i);

        if (i + ROWS_AHEAD < p->n_final)
            expect_row(m, &p->final[i + ROWS_AHEAD], &a);
        ok = add_row(m, profile, &row, &a);
    }
    free(a.label_sets);
    free(map);
    return ok;
}

int measures_finish(struct measures *m)
{
    bool has[N_WEIGHTS][N_KINDS] = {{false}}, ok = true;

    for (size_t i = 0; i < m->n_profiles && ok; i++)
        ok = profile_finish(m->profiles[i]) == 0;
    if (!ok || !find_keys(m, has))
        return JFR_E_NOMEM;
    find_measures(m, has);
    m->facts = profile_facts(m->profiles[0]);
    for (size_t i = 0; i < m->n_profiles && ok; i++) {
        ok = add_rows(m, i);
        profile_free(m->profiles[i]); /* the table has it all */
        m->profiles[i] = NULL;
    }
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
