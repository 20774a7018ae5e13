/* profile.c - all chunks together: names and stacks get their final numbers, rows their order. */
#include "convert/facets_internal.h"
#include "convert/profile_internal.h"

#include <stdlib.h>

/* A row of the finished profile. */
struct final_row {
    uint32_t stack, group;
    uint64_t samples, weight;
    double squares;
    uint32_t number; /* of the row of `rows` */
};

struct profile {
    struct profile_options opt;
    struct intern names, groups; /* groups: of struct group */
    struct stackset stacks;
    struct stack_memo memo;
    struct sums rows; /* group << 32 | stack */
    struct buf without_stack; /* of uint64_t by group */
    struct final_row *final;
    size_t n_final, n_numbers;
    uint32_t *by_rank; /* name ids in the order of their texts */
    struct profile_facts facts;
    const char *unit; /* see struct chunk_sums */
    struct buf map, frames; /* of uint32_t: for the merge at hand */
};

struct profile *profile_new(const struct profile_options *opt)
{
    struct profile *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->opt = *opt;
    if (intern_add(&p->names, "", 0) == INTERN_FAILED) { /* sorts first: the tree's root */
        profile_free(p);
        return NULL;
    }
    return p;
}

void profile_free(struct profile *p)
{
    if (p == NULL)
        return;
    intern_free(&p->names);
    intern_free(&p->groups);
    stackset_free(&p->stacks);
    stack_memo_free(&p->memo);
    sums_free(&p->rows);
    buf_free(&p->without_stack);
    buf_free(&p->map);
    buf_free(&p->frames);
    free(p->final);
    free(p->by_rank);
    free(p);
}

/* --- merging a chunk -------------------------------------------------------------------------- */

static uint32_t *numbers(struct buf *b, size_t n)
{
    buf_reset(b);
    return buf_reserve(b, (n + 1) * sizeof(uint32_t)) ? (uint32_t *)(void *)b->p : NULL;
}

/* Local names to global ones. NULL when memory is short or there are too many. */
static uint32_t *map_names(struct profile *p, const struct chunk_sums *sums)
{
    size_t n = intern_n(&sums->names);
    uint32_t *map = numbers(&p->map, n);

    for (uint32_t i = 0; i < n && map != NULL; i++) {
        size_t len;
        const char *text = intern_get(&sums->names, i, &len);

        map[i] = intern_add(&p->names, text, len);
        if (map[i] > FRAME_NAME_MASK)
            map = NULL;
    }
    return map;
}

/* Interned bytes are not aligned. */
static struct group get_group(const struct intern *groups, uint32_t id)
{
    struct group g;

    memcpy(&g, intern_get(groups, id, NULL), sizeof(g));
    return g;
}

static uint32_t merge_group(struct profile *p, const struct chunk_sums *sums, uint32_t local,
                            const uint32_t *map)
{
    struct group g = get_group(&sums->groups, local);
    uint64_t zero = 0;
    uint32_t id;

    for (int i = 0; i < PROFILE_ENDS; i++)
        if (g.ends[i] != NO_NAME)
            g.ends[i] = map[g.ends[i]];
    if (g.labels != NO_NAME)
        g.labels = map[g.labels];
    id = intern_add(&p->groups, &g, sizeof(g));
    if (id == p->without_stack.n / sizeof(zero))
        buf_bytes(&p->without_stack, &zero, sizeof(zero));
    if (id != INTERN_FAILED && buf_ok(&p->without_stack))
        ((uint64_t *)(void *)p->without_stack.p)[id] +=
            ((const uint64_t *)(const void *)sums->without_stack.p)[local];
    return id;
}

static const struct stack *stack_at(const struct chunk_sums *sums, uint32_t local)
{
    return (const struct stack *)(const void *)sums->stacks.p + local;
}

static uint32_t merge_stack(struct profile *p, const struct chunk_sums *sums, uint32_t local,
                            const uint32_t *map)
{
    const struct stack *s = stack_at(sums, local);
    const uint32_t *from;
    uint32_t *frames;

    if (s->n == STACK_KNOWN)
        return (uint32_t)s->start;
    frames = numbers(&p->frames, s->n);
    if (frames == NULL)
        return STACK_FAILED;
    from = (const uint32_t *)(const void *)sums->frames.p + s->start;
    for (uint32_t i = 0; i < s->n; i++)
        frames[i] = map[frame_name_id(from[i])] | (from[i] & ~FRAME_NAME_MASK);
    return stackset_add(&p->stacks, frames, s->n);
}

static void note_clock(struct profile *p, const struct jfr_chunk_header *h)
{
    int64_t end;

    if (__builtin_add_overflow(h->start_nanos, h->duration_nanos, &end))
        end = h->start_nanos;
    if (p->facts.first_ns == 0 || h->start_nanos < p->facts.first_ns)
        p->facts.first_ns = h->start_nanos;
    if (end > p->facts.last_ns)
        p->facts.last_ns = end;
}

static int merge_rows(struct profile *p, const struct sums_row *rows, size_t n,
                      const uint32_t *groups, const uint32_t *stacks)
{
    for (size_t i = 0; i < n; i++) {
        struct sums_row row = rows[i];

        row.key = (uint64_t)groups[row.key >> 32] << 32 | stacks[(uint32_t)row.key];
        if (!sums_merge(&p->rows, &row))
            return JFR_E_NOMEM;
    }
    return 0;
}

struct row_map {
    const struct profile *p;
    const uint32_t *groups, *stacks;
};

/* The number of the row that has a key in the chunk at hand. */
static uint32_t number_of(void *ctx, uint64_t key)
{
    const struct row_map *map = ctx;

    return sums_find(&map->p->rows,
                     (uint64_t)map->groups[key >> 32] << 32 | map->stacks[(uint32_t)key]);
}

static int merge_facets(struct profile *p, struct profile_worker *worker,
                        const struct run_chunk *rc, const uint32_t *groups, const uint32_t *stacks)
{
    struct row_map map = {p, groups, stacks};

    return p->opt.facets == NULL || facets_merge(p->opt.facets, worker, rc, number_of, &map)
               ? 0
               : JFR_E_NOMEM;
}

/* Groups and stacks of the chunk get their global numbers once; then the rows are added. */
static int merge_sums(struct profile *p, struct profile_worker *worker, const struct run_chunk *rc)
{
    struct chunk_sums *sums = profile_worker_sums(worker);
    size_t n_groups = intern_n(&sums->groups), n_stacks = sums->stacks.n / sizeof(struct stack);
    uint32_t *map = map_names(p, sums), *groups = calloc(n_groups + 1, sizeof(*groups));
    uint32_t *stacks = calloc(n_stacks + 1, sizeof(*stacks));
    int code = map == NULL || groups == NULL || stacks == NULL ? JFR_E_NOMEM : 0;

    p->unit = profile_unit_of_both(p->unit, sums->unit);
    for (uint32_t i = 0; i < n_groups && code == 0; i++) {
        groups[i] = merge_group(p, sums, i, map);
        if (groups[i] == INTERN_FAILED)
            code = JFR_E_NOMEM;
    }
    for (uint32_t i = 0; i < n_stacks && code == 0; i++) {
        if (stack_at(sums, i)->n == STACK_UNUSED)
            continue;
        stacks[i] = merge_stack(p, sums, i, map);
        if (stacks[i] == STACK_FAILED)
            code = JFR_E_NOMEM;
    }
    if (code == 0)
        code = merge_rows(p, sums->rows.rows, sums->rows.n, groups, stacks);
    if (code == 0)
        code = merge_rows(p, (const struct sums_row *)(const void *)sums->firsts.p,
                          sums->firsts.n / sizeof(struct sums_row), groups, stacks);
    if (code == 0)
        code = merge_facets(p, worker, rc, groups, stacks);
    if (code == 0 && !profile_worker_learn(worker, stacks))
        code = JFR_E_NOMEM;
    free(groups);
    free(stacks);
    return code;
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    struct profile *p = shared;
    int code = profile_stacks_finish(worker);

    note_clock(p, jfr_chunk_header(rc->chunk));
    return code != 0 ? code : merge_sums(p, worker, rc);
}

static void *worker_new(void *shared)
{
    struct profile *p = shared;

    return profile_worker_new(&p->opt, &p->memo);
}

static void worker_free(void *worker)
{
    profile_worker_free(worker);
}

static int chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct jfr_event ev;
    int code = profile_worker_begin(worker, rc->chunk);

    (void)out;
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0)
        code = profile_worker_event(worker, &ev);
    return code;
}

struct run_job profile_job(struct profile *p)
{
    return (struct run_job){.shared = p,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = chunk,
                            .merge = merge};
}

/* --- finishing -------------------------------------------------------------------------------- */

/* The highest rank of each kind that counts for something; 0: none does. */
static void find_ranks(const struct profile *p, uint32_t *ranks)
{
    bool any = false;

    for (size_t i = 0; i < p->rows.n; i++) {
        struct group g = get_group(&p->groups, (uint32_t)(p->rows.rows[i].key >> 32));

        if (p->rows.rows[i].weight > 0 && g.rank > ranks[g.kind])
            ranks[g.kind] = g.rank;
        any |= p->rows.rows[i].weight > 0;
    }
    /* Samples without a stack speak for a kind only when no sample has one. */
    for (uint32_t i = 0; i < intern_n(&p->groups) && !any; i++) {
        struct group g = get_group(&p->groups, i);

        if (g.rank > ranks[g.kind])
            ranks[g.kind] = g.rank;
    }
}

/* The ranks that are wanted: those of the first kind there is, or of all. Returns that kind. */
static enum kind choose_ranks(const struct profile *p, uint32_t *ranks)
{
    uint32_t first = 0;

    find_ranks(p, ranks);
    while (first < N_KINDS && ranks[first] == 0)
        first++;
    for (uint32_t i = first + 1; i < N_KINDS && !p->opt.all_kinds; i++)
        ranks[i] = 0;
    if (first < N_KINDS)
        return (enum kind)first;
    return p->opt.kind < 0 ? KIND_CPU : (enum kind)p->opt.kind;
}

static int compare_names(const void *a, const void *b, void *profile)
{
    const struct profile *p = profile;
    size_t na, nb;
    const char *ta = intern_get(&p->names, *(const uint32_t *)a, &na);
    const char *tb = intern_get(&p->names, *(const uint32_t *)b, &nb);
    int order = memcmp(ta, tb, na < nb ? na : nb);

    return order != 0 ? order : (na > nb) - (na < nb);
}

/* The places of 0..n-1 in the order of `compare`, and that order. False when memory is short. */
static bool rank_all(struct profile *p, size_t n,
                     int (*compare)(const void *, const void *, void *), uint32_t **order,
                     uint32_t **rank)
{
    *order = malloc((n + 1) * sizeof(**order));
    *rank = malloc((n + 1) * sizeof(**rank));
    if (*order == NULL || *rank == NULL)
        return false;
    for (uint32_t i = 0; i < n; i++)
        (*order)[i] = i;
    qsort_r(*order, n, sizeof(**order), compare, p);
    for (uint32_t i = 0; i < n; i++)
        (*rank)[(*order)[i]] = i;
    return true;
}

/* Exchanges every name id for its place in the order of texts. Only stacks and groups hold any. */
static bool rank_names(struct profile *p)
{
    uint32_t *rank;

    if (!rank_all(p, intern_n(&p->names), compare_names, &p->by_rank, &rank))
        return free(rank), false;
    for (size_t i = 0; i < p->stacks.n_frames; i++)
        p->stacks.frames[i] =
            frame_of(rank[frame_name_id(p->stacks.frames[i])], frame_type(p->stacks.frames[i]));
    for (uint32_t i = 0; i < intern_n(&p->groups); i++) {
        struct group g = get_group(&p->groups, i);

        for (int k = 0; k < PROFILE_ENDS; k++)
            if (g.ends[k] != NO_NAME)
                g.ends[k] = rank[g.ends[k]];
        if (g.labels != NO_NAME)
            g.labels = rank[g.labels];
        memcpy((void *)(uintptr_t)intern_get(&p->groups, i, NULL), &g, sizeof(g));
    }
    free(rank);
    return true;
}

static bool any_matches(struct pattern *const *patterns, size_t n, const char *text, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (pattern_match(patterns[i], text, len))
            return true;
    return false;
}

/* Patterns look at each name once: 1 wanted, 2 unwanted. NULL when there are no patterns. */
static bool match_names(const struct profile *p, uint8_t **marks)
{
    size_t n = intern_n(&p->names);

    *marks = NULL;
    if (p->opt.n_include == 0 && p->opt.n_exclude == 0)
        return true;
    *marks = calloc(n + 1, 1);
    for (uint32_t i = 0; i < n && *marks != NULL; i++) {
        size_t len;
        const char *text = profile_name(p, i, &len);

        if (any_matches(p->opt.include, p->opt.n_include, text, len))
            (*marks)[i] |= 1;
        if (any_matches(p->opt.exclude, p->opt.n_exclude, text, len))
            (*marks)[i] |= 2;
    }
    return *marks != NULL;
}

static bool is_wanted(const struct profile *p, const uint8_t *marks, const struct group *g,
                      uint32_t stack)
{
    const uint32_t *frames = stackset_frames(&p->stacks, stack);
    uint8_t seen = 0;

    if (marks == NULL)
        return true;
    for (uint32_t i = 0; i < p->stacks.stacks[stack].n; i++)
        seen |= marks[frame_name_id(frames[i])];
    for (int i = 0; i < PROFILE_ENDS; i++)
        if (g->ends[i] != NO_NAME)
            seen |= marks[g->ends[i]];
    return (seen & 2) == 0 && ((seen & 1) != 0 || p->opt.n_include == 0);
}

static int compare_frames(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb)
{
    uint32_t n = na < nb ? na : nb, i = 0;

    while (i < n && ((a[i] ^ b[i]) & FRAME_NAME_MASK) == 0)
        i++;
    if (i == n)
        return (na > nb) - (na < nb);
    return frame_name_id(a[i]) < frame_name_id(b[i]) ? -1 : 1;
}

static struct profile_row row_of(const struct profile *p, const struct final_row *r)
{
    struct group g = get_group(&p->groups, r->group);
    struct profile_row row = {.kind = (enum kind)g.kind,
                              .frames = stackset_frames(&p->stacks, r->stack),
                              .n = p->stacks.stacks[r->stack].n,
                              .stack = r->stack,
                              .group = r->group,
                              .samples = r->samples,
                              .weight = r->weight,
                              .squares = r->squares};

    memcpy(row.ends, g.ends, sizeof(row.ends));
    row.labels = g.labels;
    return row;
}

static int compare_paths(const struct profile_row *a, const struct profile_row *b)
{
    uint32_t na = profile_path_n(a), nb = profile_path_n(b);

    for (uint32_t i = 0; i < na && i < nb; i++) {
        uint32_t x = frame_name_id(profile_path_frame(a, i));
        uint32_t y = frame_name_id(profile_path_frame(b, i));

        if (x != y)
            return x < y ? -1 : 1;
    }
    return (na > nb) - (na < nb);
}

static int compare_rows(const void *x, const void *y, void *profile)
{
    const struct final_row *fa = x, *fb = y;
    struct profile_row a = row_of(profile, fa), b = row_of(profile, fb);
    int order;

    if (fa->group == fb->group && a.ends[PROFILE_CLASS] == NO_NAME)
        return compare_frames(a.frames, a.n, b.frames, b.n);
    order = compare_paths(&a, &b);
    return order != 0 ? order : (fa->group > fb->group) - (fa->group < fb->group);
}

/* Stacks of a set differ in their names. */
static int compare_stacks(const void *x, const void *y, void *profile)
{
    const struct profile *p = profile;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return compare_frames(stackset_frames(&p->stacks, a), p->stacks.stacks[a].n,
                          stackset_frames(&p->stacks, b), p->stacks.stacks[b].n);
}

static int compare_groups(const void *x, const void *y, void *profile)
{
    const struct profile *p = profile;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    struct group ga = get_group(&p->groups, a), gb = get_group(&p->groups, b);

    for (int i = 0; i < PROFILE_ENDS; i++)
        if (ga.ends[i] != gb.ends[i])
            return ga.ends[i] < gb.ends[i] ? -1 : 1;
    if (ga.labels != gb.labels)
        return ga.labels < gb.labels ? -1 : 1;
    return (a > b) - (a < b);
}

/* Puts the rows in the order of their stacks, or groups; rows of the same stay as they were. There
 * are many more rows than stacks or groups, and only these are compared. */
static bool order_rows(struct profile *p, bool by_group)
{
    size_t n = by_group ? intern_n(&p->groups) : p->stacks.n,
           *start = calloc(n + 2, sizeof(*start));
    struct final_row *to = malloc((p->n_final + 1) * sizeof(*to));
    uint32_t *order = NULL, *rank = NULL;
    bool ok = start != NULL && to != NULL &&
              rank_all(p, n, by_group ? compare_groups : compare_stacks, &order, &rank);

    for (size_t i = 0; i < p->n_final && ok; i++)
        start[rank[by_group ? p->final[i].group : p->final[i].stack] + 1]++;
    for (size_t i = 1; i <= n && ok; i++)
        start[i] += start[i - 1];
    for (size_t i = 0; i < p->n_final && ok; i++)
        to[start[rank[by_group ? p->final[i].group : p->final[i].stack]]++] = p->final[i];
    free(start);
    free(order);
    free(rank);
    free(ok ? p->final : to);
    if (ok)
        p->final = to;
    return ok;
}

static void gather_rows(struct profile *p, const uint8_t *marks)
{
    uint32_t ranks[N_KINDS] = {0};

    p->facts.kind = choose_ranks(p, ranks);
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct sums_row *row = &p->rows.rows[i];
        struct group g = get_group(&p->groups, (uint32_t)(row->key >> 32));
        struct final_row r = {(uint32_t)row->key, (uint32_t)(row->key >> 32),
                              row->samples,       row->weight,
                              row->squares,       (uint32_t)i};

        if (g.rank != ranks[g.kind] || row->weight == 0 || !is_wanted(p, marks, &g, r.stack))
            continue;
        p->facts.samples = sums_plus(p->facts.samples, r.samples);
        p->facts.weight = sums_plus(p->facts.weight, r.weight);
        p->facts.squares += r.squares;
        p->final[p->n_final++] = r;
    }
    for (uint32_t i = 0; i < intern_n(&p->groups); i++) {
        struct group g = get_group(&p->groups, i);

        if (g.rank == ranks[g.kind])
            p->facts.without_stack += ((const uint64_t *)(const void *)p->without_stack.p)[i];
    }
}

int profile_finish(struct profile *p)
{
    uint8_t *marks;

    buf_free(&p->map);
    buf_free(&p->frames);
    stack_memo_free(&p->memo);
    p->final = malloc((p->rows.n + 1) * sizeof(*p->final));
    if (p->final == NULL || !rank_names(p) || !match_names(p, &marks))
        return JFR_E_NOMEM;
    gather_rows(p, marks);
    p->n_numbers = p->rows.n;
    free(marks);
    sums_free(&p->rows);
    if (p->opt.labels)
        return order_rows(p, true) && order_rows(p, false) ? 0 : JFR_E_NOMEM;
    qsort_r(p->final, p->n_final, sizeof(*p->final), compare_rows, p);
    return 0;
}

size_t profile_n_groups(const struct profile *p)
{
    return intern_n(&p->groups);
}

size_t profile_n(const struct profile *p)
{
    return p->n_final;
}

struct profile_row profile_row(const struct profile *p, size_t i)
{
    return row_of(p, &p->final[i]);
}

size_t profile_row_numbers(const struct profile *p)
{
    return p->n_numbers;
}

void profile_row_places(const struct profile *p, uint32_t *places)
{
    memset(places, 0xff, p->n_numbers * sizeof(*places));
    for (size_t i = 0; i < p->n_final; i++)
        places[p->final[i].number] = (uint32_t)i;
}

const char *profile_name(const struct profile *p, uint32_t id, size_t *n)
{
    return intern_get(&p->names, p->by_rank[id], n);
}

size_t profile_n_names(const struct profile *p)
{
    return intern_n(&p->names);
}

struct profile_facts profile_facts(const struct profile *p)
{
    struct profile_facts facts = p->facts;

    select_clip(p->opt.select, &facts.first_ns, &facts.last_ns);
    return facts;
}

const char *profile_unit(const struct profile *p)
{
    switch (p->opt.weight) {
    case WEIGHT_BYTES:
        return "bytes";
    case WEIGHT_DURATION:
    case WEIGHT_CPU_TIME:
        return "ns";
    case WEIGHT_FIELD:
        return p->unit != NULL && *p->unit != '\0' ? p->unit : p->opt.weight_field;
    default:
        return "samples";
    }
}
