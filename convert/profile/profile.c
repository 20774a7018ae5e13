/*
 * profile.c - all chunks together: names, stacks and groups get their final numbers.
 *
 * Workers sum up each chunk by numbers that hold in this chunk only (chunk.c, stacks.c). The merge
 * of profile_job() maps them to numbers that hold in all chunks and adds the sums. It runs in the
 * order of the chunks, one at a time, so numbers do not depend on how threads take turns. finish.c
 * sorts the result by content; until then rows have no order.
 */
#include "convert/profile/internal.h"

#include <stdlib.h>

struct profile *profile_new(const struct profile_options *opt)
{
    struct profile *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->opt = *opt;
    p->rows.n_more = opt->n_more;
    p->no_stack = STACK_UNKNOWN;
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
    buf_free(&p->methods);
    free(p->final);
    free(p->more);
    free(p->by_rank);
    free(p);
}

/* --- merging a chunk -------------------------------------------------------------------------- */

/* Local names to global ones. NULL if out of memory or there are too many. */
static uint32_t *map_profile_names(struct profile *p, const struct chunk_sums *sums)
{
    uint32_t *map = profile_numbers(&p->map, intern_n(&sums->names) + 1);

    if (map != NULL && (!intern_add_all(&p->names, &sums->names, map) ||
                        intern_n(&p->names) > (size_t)FRAME_NAME_MASK + 1))
        map = NULL;
    return map;
}

static uint32_t merge_group(struct profile *p, const struct chunk_sums *sums, uint32_t local,
                            const uint32_t *map)
{
    struct group g = profile_group(&sums->groups, local);
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

#define ROWS_AHEAD 16 /* the table of rows is larger than what the processor keeps near */

/* Of a stack of the chunk at hand: the row of one of its groups. */
struct known_row {
    uint32_t group; /* of the chunk, + 1; 0: none */
    uint32_t number;
};

/* The numbers of the chunk at hand, and what they are from here on. */
struct row_map {
    struct profile *p;
    const uint32_t *groups, *stacks;
    struct known_row *known; /* by stack; NULL: not wanted */
};

static uint64_t global_key(const struct row_map *map, uint64_t key)
{
    return (uint64_t)map->groups[key >> 32] << 32 | map->stacks[(uint32_t)key];
}

/* more: the further weights of all rows. */
static int merge_rows(const struct row_map *map, const struct sums_row *rows, const uint64_t *more,
                      size_t n)
{
    size_t n_more = map->p->opt.n_more;

    for (size_t i = 0; i < n; i++) {
        struct sums_row row = rows[i];

        if (i + ROWS_AHEAD < n)
            sums_expect(&map->p->rows, global_key(map, rows[i + ROWS_AHEAD].key));
        if (i + ROWS_AHEAD / 2 < n)
            sums_expect_row(&map->p->rows, global_key(map, rows[i + ROWS_AHEAD / 2].key));
        row.key = global_key(map, row.key);
        if (!sums_merge(&map->p->rows, &row, n_more == 0 ? NULL : more + i * n_more))
            return JFR_E_NOMEM;
        if (map->known != NULL)
            map->known[(uint32_t)rows[i].key] = (struct known_row){
                (uint32_t)(rows[i].key >> 32) + 1, sums_find(&map->p->rows, row.key)};
    }
    return 0;
}

/* The number of the row that has a key in the chunk at hand. Most stacks are of one group only. */
static uint32_t number_of(void *ctx, uint64_t key)
{
    const struct row_map *map = ctx;
    struct known_row known = map->known[(uint32_t)key];

    if (known.group == (uint32_t)(key >> 32) + 1)
        return known.number;
    return sums_find(&map->p->rows, global_key(map, key));
}

/* Groups of the chunk get their global numbers once; then the rows are added. */
static int merge_sums(struct profile *p, struct profile_worker *worker, const struct run_chunk *rc)
{
    struct chunk_sums *sums = profile_worker_sums(worker);
    size_t n_groups = intern_n(&sums->groups), n_stacks = sums->stacks.n / sizeof(uint32_t);
    uint32_t *map = map_profile_names(p, sums), *groups = calloc(n_groups + 1, sizeof(*groups));
    struct row_map rows = {p, groups, (const uint32_t *)(const void *)sums->stacks.p, NULL};
    int code = map == NULL || groups == NULL ? JFR_E_NOMEM : 0;

    p->unit = profile_unit_of_both(p->unit, sums->unit);
    for (uint32_t i = 0; i < n_groups && code == 0; i++) {
        groups[i] = merge_group(p, sums, i, map);
        if (groups[i] == INTERN_FAILED)
            code = JFR_E_NOMEM;
    }
    if (p->opt.facets != NULL) {
        rows.known = calloc(n_stacks + 1, sizeof(*rows.known));
        code = rows.known == NULL ? JFR_E_NOMEM : code;
    }
    if (code == 0)
        code = merge_rows(&rows, sums->rows.rows, sums->rows.more, sums->rows.n);
    if (code == 0)
        code = merge_rows(&rows, (const struct sums_row *)(const void *)sums->firsts.p,
                          (const uint64_t *)(const void *)sums->firsts_more.p,
                          sums->firsts.n / sizeof(struct sums_row));
    if (code == 0 && p->opt.facets != NULL &&
        !facets_merge(p->opt.facets, worker, rc, number_of, &rows))
        code = JFR_E_NOMEM;
    free(rows.known);
    free(groups);
    return code;
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    struct profile *p = shared;
    int code = profile_stacks_finish(worker, p);

    p->is_mixed |= profile_worker_samples(worker) == KIND_SAMPLES_BOTH;
    note_clock(p, jfr_chunk_header(rc->chunk));
    return code != 0 ? code : merge_sums(p, worker, rc);
}

static void *worker_new(void *shared)
{
    struct profile *p = shared;

    return profile_worker_new(&p->opt);
}

static void worker_free(void *worker)
{
    profile_worker_free(worker);
}

static int profile_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    (void)out;
    return profile_worker_chunk(worker, rc->chunk);
}

struct run_job profile_job(struct profile *p)
{
    return (struct run_job){.shared = p,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = profile_chunk,
                            .merge = merge};
}

/* --- the profile ------------------------------------------------------------------------------ */

size_t profile_n_groups(const struct profile *p)
{
    return intern_n(&p->groups);
}

size_t profile_n(const struct profile *p)
{
    return p->n_final;
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
    return profile_unit_of(p, p->opt.weight);
}

const char *profile_unit_of(const struct profile *p, enum profile_weight weight)
{
    switch (weight) {
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
