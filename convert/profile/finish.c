/*
 * finish.c - the rows of a profile after the last chunk: which there are, and their order.
 *
 * In: the sums that chunk.c and measures.c merged. It chooses the kind of samples, drops what
 * filters of names exclude, groups small groups as "(other)", and sorts rows by the texts of their
 * paths, so that the same input gives the same output whichever thread was first.
 */
#include "convert/profile/internal.h"

#include <stdlib.h>

/* The sum of a row for a weight: 0 is the first one, 1 + i further weight i. */
static uint64_t row_weight(const struct profile *p, size_t row, size_t weight)
{
    return weight == 0 ? p->rows.rows[row].weight : p->rows.more[row * p->opt.n_more + weight - 1];
}

/* The highest rank of each kind that counts for something; 0: none does. Samples without a stack
 * speak for a kind only when no sample has one. */
static void find_ranks(const struct profile *p, size_t weight, int *ranks)
{
    bool any = false;

    for (int pass = 0; pass < 2 && !any; pass++)
        for (size_t i = 0; i < p->rows.n; i++) {
            struct group g = profile_group(&p->groups, (uint32_t)(p->rows.rows[i].key >> 32));
            bool has_stack = (uint32_t)p->rows.rows[i].key != p->no_stack;

            if (row_weight(p, i, weight) == 0 || (pass == 0 && !has_stack))
                continue;
            any = true;
            if ((int)g.rank > ranks[g.kind])
                ranks[g.kind] = (int)g.rank;
        }
}

/* The ranks that are wanted for a weight: those of the kind that counts, or of all. Returns that
 * kind. */
static enum kind choose_ranks(struct profile *p, size_t weight, int *ranks)
{
    int asked = p->opt.facets != NULL ? KIND_ALL : p->opt.kind; /* see use.c */
    enum kind kind;

    find_ranks(p, weight, ranks);
    kind = kind_chosen(asked, ranks);
    if (weight == 0)
        p->facts.leaves_out_wall =
            !p->opt.all_kinds && kind_leaves_out_wall(asked, ranks, p->is_mixed);
    for (enum kind k = 0; k < N_KINDS && !p->opt.all_kinds; k++)
        if (k != kind)
            ranks[k] = 0;
    return kind;
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

/* The places of 0..n-1 in the order of `compare`, and that order. False if out of memory. */
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
        struct group g = profile_group(&p->groups, i);

        for (int k = 0; k < PROFILE_ENDS; k++)
            if (g.ends[k] != NO_NAME)
                g.ends[k] = rank[g.ends[k]];
        if (g.labels != NO_NAME)
            g.labels = rank[g.labels];
        memcpy((void *)(uintptr_t)intern_get(&p->groups, i, NULL), &g, sizeof(g));
    }
    if (p->others != NO_NAME)
        p->others = rank[p->others];
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

/* The name of small groups, where there may be any. */
static bool add_others(struct profile *p)
{
    p->others = NO_NAME;
    if (!min_group_is_given(&p->opt.min_group) ||
        (p->opt.n_keys == 0 && !p->opt.threads && !p->opt.states))
        return true;
    p->others = intern_add(&p->names, MIN_GROUP_OTHERS, strlen(MIN_GROUP_OTHERS));
    return p->others <= FRAME_NAME_MASK;
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

    while (i + 8 <= n && frames_have_same_names(a + i, b + i, 8))
        i += 8;
    while (i < n && ((a[i] ^ b[i]) & FRAME_NAME_MASK) == 0)
        i++;
    if (i == n)
        return (na > nb) - (na < nb);
    return frame_name_id(a[i]) < frame_name_id(b[i]) ? -1 : 1;
}

static struct profile_row row_of(const struct profile *p, const struct final_row *r)
{
    struct group g = profile_group(&p->groups, r->group);
    struct profile_row row = {.kind = (enum kind)g.kind,
                              .frames = stackset_frames(&p->stacks, r->stack),
                              .n = p->stacks.stacks[r->stack].n,
                              .stack = r->stack,
                              .group = r->group,
                              .samples = r->samples,
                              .weight = r->weight,
                              .squares = r->squares,
                              .more = p->more == NULL ? NULL : p->more + r->number * p->opt.n_more};

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

/* Stacks of a set differ in their names. */
static int compare_stacks(const void *x, const void *y, void *profile)
{
    const struct profile *p = profile;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return compare_frames(stackset_frames(&p->stacks, a), p->stacks.stacks[a].n,
                          stackset_frames(&p->stacks, b), p->stacks.stacks[b].n);
}

static int compare_rows(const void *x, const void *y, void *profile)
{
    const struct final_row *fa = x, *fb = y;
    const struct profile *p = profile;
    struct profile_row a, b;
    int order;

    if (fa->group == fb->group &&
        profile_group(&p->groups, fa->group).ends[PROFILE_CLASS] == NO_NAME)
        return compare_stacks(&fa->stack, &fb->stack, profile);
    a = row_of(p, fa);
    b = row_of(p, fb);
    order = compare_paths(&a, &b);
    return order != 0 ? order : (fa->group > fb->group) - (fa->group < fb->group);
}

static int compare_groups(const void *x, const void *y, void *profile)
{
    const struct profile *p = profile;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    struct group ga = profile_group(&p->groups, a), gb = profile_group(&p->groups, b);

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
    struct final_row *to = profile_array(NULL, p->n_final, sizeof(*to));
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

/* Makes the sums 0 of weights for which the row's rank does not count. False: of all. */
static bool keep_ranked(struct profile *p, size_t i, const struct group *g,
                        int ranks[1 + PROFILE_MORE][N_KINDS])
{
    struct sums_row *row = &p->rows.rows[i];
    bool any;

    if ((int)g->rank != ranks[0][g->kind] || row->weight == 0)
        *row = (struct sums_row){.key = row->key};
    any = row->weight != 0;
    for (size_t k = 0; k < p->opt.n_more; k++) {
        uint64_t *sum = &p->rows.more[i * p->opt.n_more + k];

        if ((int)g->rank != ranks[1 + k][g->kind])
            *sum = 0;
        any |= *sum != 0;
    }
    return any;
}

/* Fills p->final, and cuts it to its length. False if out of memory. */
static bool gather_rows(struct profile *p, const uint8_t *marks)
{
    struct final_row *exact;
    int ranks[1 + PROFILE_MORE][N_KINDS] = {{0}};

    p->facts.kind = choose_ranks(p, 0, ranks[0]);
    for (size_t k = 1; k <= p->opt.n_more; k++)
        choose_ranks(p, k, ranks[k]);
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct sums_row *row = &p->rows.rows[i];
        struct group g = profile_group(&p->groups, (uint32_t)(row->key >> 32));
        uint32_t stack = (uint32_t)row->key;

        if (!keep_ranked(p, i, &g, ranks) || !is_wanted(p, marks, &g, stack))
            continue;
        p->facts.samples = sums_plus(p->facts.samples, row->samples);
        p->facts.weight = sums_plus(p->facts.weight, row->weight);
        p->facts.squares += row->squares;
        p->final[p->n_final++] = (struct final_row){stack,        (uint32_t)(row->key >> 32),
                                                    row->samples, row->weight,
                                                    row->squares, (uint32_t)i};
    }
    for (uint32_t i = 0; i < intern_n(&p->groups); i++) {
        struct group g = profile_group(&p->groups, i);

        if ((int)g.rank == ranks[0][g.kind])
            p->facts.without_stack += ((const uint64_t *)(const void *)p->without_stack.p)[i];
    }
    exact = profile_array(p->final, p->n_final, sizeof(*exact));
    if (exact != NULL)
        p->final = exact;
    return exact != NULL;
}

int profile_finish(struct profile *p)
{
    uint8_t *marks;
    bool ok;

    buf_free(&p->map);
    buf_free(&p->frames);
    buf_free(&p->methods);
    stack_memo_free(&p->memo);
    p->final = malloc((p->rows.n + 1) * sizeof(*p->final));
    if (p->final == NULL || !add_others(p) || !rank_names(p) || !match_names(p, &marks))
        return JFR_E_NOMEM;
    ok = gather_rows(p, marks);
    p->n_numbers = p->rows.n;
    free(marks);
    p->more = p->rows.more;
    p->rows.more = NULL;
    sums_free(&p->rows);
    if (!ok)
        return JFR_E_NOMEM;
    if (p->others != NO_NAME && !profile_join_small(p))
        return JFR_E_NOMEM;
    if (p->opt.labels)
        return order_rows(p, true) && order_rows(p, false) ? 0 : JFR_E_NOMEM;
    qsort_r(p->final, p->n_final, sizeof(*p->final), compare_rows, p);
    return 0;
}

struct profile_row profile_row(const struct profile *p, size_t i)
{
    return row_of(p, &p->final[i]);
}
