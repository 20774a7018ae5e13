/*
 * facets.c - writes the kinds of samples, the filters and their totals as data for the scripts of a
 * flame page that has single samples.
 *
 * flame.c calls it unless --aggregate is given. This file decides which kind the page opens with.
 */
#include "convert/flame/facets_internal.h"
#include "convert/text/jsonw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const weight_names[FACET_WEIGHTS] = {"count", "bytes", "duration", "cpu-time",
                                                        "field"};

/* --- dimensions ------------------------------------------------------------------------------- */

static bool is_listed_facet(const char *list, const char *name, size_t n)
{
    while (list != NULL && *list != '\0') {
        size_t m = strcspn(list, ",");

        if (m == n && memcmp(list, name, n) == 0)
            return true;
        list += m + (list[m] == ',');
    }
    return false;
}

/* The page always needs thread, state and event type: they decide columns and kinds. */
static bool is_wanted(const struct flame_facets *ff, uint32_t dim)
{
    size_t n;
    const char *name = facets_dim_name(ff->f, dim, &n);

    if (dim == FACET_THREAD || dim == FACET_EVENT || dim == FACET_STATE)
        return true;
    if (ff->opt->facet_list != NULL)
        return is_listed_facet(ff->opt->facet_list, name, n);
    return dim == FACET_INPUT || facets_n_values(ff->f, dim) <= ff->opt->facet_max;
}

unsigned flame_width(uint64_t most)
{
    unsigned width = 1;

    while (width < 4 && most >> 8 * width != 0)
        width++;
    return width;
}

/* The number of values of a dimension that are kept. They are sorted by their number of samples. */
static uint32_t n_kept(const struct flame_facets *ff, uint32_t dim)
{
    uint32_t n = facets_n_values(ff->f, dim);

    if (dim == FACET_EVENT || dim == FACET_STATE)
        return n;
    n = n < ff->opt->facet_max ? n : ff->opt->facet_max;
    while (dim != FACET_INPUT && n > 0 &&
           min_group_is_small(&ff->opt->facet_min_group, facets_value_n(ff->f, dim, n),
                              facets_n(ff->f)))
        n--;
    return n;
}

static void choose_dims(struct flame_facets *ff)
{
    for (uint32_t i = 0; i < facets_n_dims(ff->f); i++) {
        uint32_t n = facets_n_values(ff->f, i);
        struct flame_dim d = {.number = i, .most = n_kept(ff, i)};

        if (!is_wanted(ff, i) || (i >= FACET_FIXED && n == 0) || (i == FACET_INPUT && n < 2))
            continue;
        d.is_constant = n == 0 || (n == 1 && d.most == 1 && facets_value_n(ff->f, i, 0) == 0);
        d.width = d.is_constant ? 0 : flame_width((uint64_t)d.most + 2);
        snprintf(d.section, sizeof(d.section), "s.%zu", ff->n_dims);
        ff->dims[ff->n_dims++] = d;
    }
}

static void find_leaves(struct flame_facets *ff)
{
    const struct facets_shape *shapes = facets_shapes(ff->f);

    for (size_t i = 0; i < facets_n_shapes(ff->f); i++)
        if (shapes[i].n > 0)
            ff->leaf[flame_node(ff, &shapes[i])] = 1;
    for (size_t i = 0; i < ff->n_nodes; i++)
        if (ff->leaf[i] != 0)
            ff->leaf[i] = (uint32_t)++ff->n_leaves;
}

#define MS UINT64_C(1000000)
#define FINE 131072 /* ticks: more than a strip shows in a hundred of its windows */

/* A tick is as short as the page can show: 1 to 20 ms, less if the recording is shorter than a
 * second, more if the number of ticks would need more than 31 bits. */
static void choose_tick(struct flame_facets *ff)
{
    static const uint64_t ticks[] = {MS / 100, MS, 2 * MS, 5 * MS, 10 * MS, 20 * MS};
    uint64_t span = (uint64_t)facets_last_ns(ff->f) - (uint64_t)facets_first_ns(ff->f);
    size_t i = 0;

    while (i + 1 < sizeof(ticks) / sizeof(ticks[0]) && span / ticks[i] >= FINE)
        i++;
    ff->tick_ns = ticks[i];
    if (span / ff->tick_ns >= INT32_MAX - 1)
        ff->tick_ns = span / (INT32_MAX - 1) + 1;
    ff->first_ns = facets_first_ns(ff->f);
    if (ff->first_ns > 0)
        ff->first_ns -= ff->first_ns % (int64_t)ff->tick_ns;
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* The sums of the weights of a tuple's samples: of all, and of those with a duration. */
struct tuple_sums {
    uint64_t all[FACET_WEIGHTS], lasting[FACET_WEIGHTS];
};

/* Adds the n samples of a shape, whose weights are those of the bits of `has`. */
static void add_shape(const struct facets *f, uint32_t shape, uint64_t n, uint32_t has,
                      struct tuple_sums *sums)
{
    const uint64_t *weights = facets_weights(f, shape);
    bool lasted = facets_weight(f, shape, FACET_DURATION) > 0;
    uint64_t count = (has >> FACET_COUNT & 1) != 0 ? *weights++ : 1;

    if (count == 0)
        return;
    sums->all[FACET_COUNT] += count * n;
    sums->lasting[FACET_COUNT] += lasted ? count * n : 0;
    for (int k = FACET_COUNT + 1; has >> k != 0; k++)
        if ((has >> k & 1) != 0) {
            sums->all[k] += *weights * n;
            sums->lasting[k] += lasted ? *weights * n : 0;
            weights++;
        }
}

_Static_assert(FACET_COUNT == 0, "the first weight");

/* Samples without weights are counted by tuple. */
static void sum_tuples(const struct flame_facets *ff, struct tuple_sums *sums)
{
    const struct facets_shape *shapes = facets_shapes(ff->f);

    for (uint32_t t = 0; t < facets_n_tuples(ff->f); t++)
        if (facets_tuple_weights(ff->f, t) == 0)
            sums[t].all[FACET_COUNT] = facets_tuple_n(ff->f, t);
    for (uint32_t i = 0; i < facets_n_shapes(ff->f) && ff->weights != 0; i++) {
        uint32_t has = facets_tuple_weights(ff->f, shapes[i].tuple);

        if (has != 0 && shapes[i].n > 0)
            add_shape(ff->f, i, shapes[i].n, has, &sums[shapes[i].tuple]);
    }
}

/* How events with the values of a tuple count for a kind; NULL if they do not. */
static const struct kind_use *use_of(const struct flame_facets *ff, uint32_t t, int kind)
{
    const struct facets_event *e = facets_event(ff->f, facets_tuple_value(ff->f, t, FACET_EVENT));
    const struct kind_use *how = &e->kinds[kind];

    return how->rank == 0 ||
                   (how->skips_sleeping && ff->sleeps[facets_tuple_value(ff->f, t, FACET_STATE)])
               ? NULL
               : how;
}

static void add_to_kinds(struct flame_facets *ff, uint32_t t, const struct tuple_sums *sum)
{
    for (int k = 0; k < N_KINDS; k++) {
        const struct kind_use *how = use_of(ff, t, k);
        const uint64_t *weights = how != NULL && how->needs_duration ? sum->lasting : sum->all;

        if (how == NULL || weights[FACET_COUNT] == 0 || how->rank < ff->ranks[k])
            continue;
        if (how->rank > ff->ranks[k])
            memset(ff->totals[k], 0, sizeof(ff->totals[k]));
        ff->ranks[k] = how->rank;
        for (int w = 0; w < FACET_WEIGHTS; w++)
            ff->totals[k][w] += weights[w];
    }
}

/* The weight that the page shows first for a kind: bytes of allocations, duration of locks, I/O and
 * latency, if the kind has any, else samples. */
static enum facet_weight standard_weight(const struct flame_facets *ff, int kind)
{
    enum facet_weight w = kind == KIND_ALLOC || kind == KIND_LIVE ? FACET_BYTES
                          : kind == KIND_LOCK || kind == KIND_IO || kind == KIND_LATENCY
                              ? FACET_DURATION
                              : FACET_COUNT;

    return ff->totals[kind][w] > 0 ? w : FACET_COUNT;
}

/* Chooses the requested kind, or the first one that has samples. */
static bool choose_kinds(struct flame_facets *ff)
{
    size_t n = facets_n_tuples(ff->f);
    struct tuple_sums *sums = calloc(n + 1, sizeof(*sums));
    int ranks[N_KINDS];

    for (uint32_t v = 0; v <= facets_n_values(ff->f, FACET_STATE); v++)
        ff->sleeps[v] = kind_state_sleeps(facets_value_text(ff->f, FACET_STATE, v, NULL));
    for (uint32_t v = 0; v <= facets_n_values(ff->f, FACET_EVENT); v++)
        if (facets_value_n(ff->f, FACET_EVENT, v) > 0)
            ff->weights |= facets_event(ff->f, v)->weights;
    if (sums != NULL)
        sum_tuples(ff, sums);
    for (uint32_t t = 0; t < n && sums != NULL; t++)
        add_to_kinds(ff, t, &sums[t]);
    ff->weight = ff->opt->is_weight_of_kind ? FACET_COUNT : ff->opt->facet_weight;
    for (int k = 0; k < N_KINDS; k++)
        ranks[k] = ff->totals[k][ff->weight] > 0 ? (int)ff->ranks[k] : 0;
    ff->start = kind_chosen(ff->opt->facet_kind, ranks);
    if (ff->opt->is_weight_of_kind)
        ff->weight = standard_weight(ff, ff->start);
    free(sums);
    return sums != NULL;
}

uint64_t flame_facets_total(const struct flame_facets *ff)
{
    return ff->totals[ff->start][ff->weight];
}

const char *flame_facets_kind(const struct flame_facets *ff)
{
    return kind_title((enum kind)ff->start);
}

static const char *unit_of(const struct flame_facets *ff, int weight)
{
    static const char *const units[FACET_WEIGHTS] = {"samples", "bytes", "ns", "ns", NULL};

    return units[weight] != NULL ? units[weight] : facets_field_unit(ff->f);
}

const char *flame_facets_unit(const struct flame_facets *ff)
{
    return unit_of(ff, ff->weight);
}

/* --- sums ------------------------------------------------------------------------------------- */

struct flame_facets *flame_facets_new(const struct flame_options *opt, const uint32_t *map,
                                      size_t n_nodes)
{
    struct flame_facets *ff = calloc(1, sizeof(*ff));

    if (ff == NULL)
        return NULL;
    ff->opt = opt;
    ff->f = opt->facets;
    ff->map = map;
    ff->n_nodes = n_nodes;
    ff->leaf = calloc(n_nodes + 1, sizeof(*ff->leaf));
    ff->sleeps = calloc((size_t)facets_n_values(ff->f, FACET_STATE) + 1, 1);
    if (ff->leaf == NULL || ff->sleeps == NULL || !choose_kinds(ff)) {
        flame_facets_free(ff);
        return NULL;
    }
    choose_dims(ff);
    choose_tick(ff);
    find_leaves(ff);
    return ff;
}

void flame_facets_free(struct flame_facets *ff)
{
    if (ff == NULL)
        return;
    free(ff->leaf);
    free(ff->sleeps);
    free(ff);
}

/* Sums the weight that the page opens with, by stack. */
static void sum_leaves(const struct flame_facets *ff, const struct kind_use *const *uses,
                       uint64_t *sums)
{
    const struct facets_shape *shapes = facets_shapes(ff->f);

    for (uint32_t i = 0; i < facets_n_shapes(ff->f); i++) {
        const struct kind_use *how = uses[shapes[i].tuple];

        if (shapes[i].n > 0 && how != NULL && facets_weight(ff->f, i, FACET_COUNT) > 0 &&
            (!how->needs_duration || facets_weight(ff->f, i, FACET_DURATION) > 0))
            sums[flame_leaf(ff, &shapes[i])] += facets_weight(ff->f, i, ff->weight) * shapes[i].n;
    }
}

static bool put_self(const struct flame_facets *ff, struct pack *pack)
{
    size_t n = facets_n_tuples(ff->f);
    uint64_t *sums = calloc(ff->n_leaves + 1, sizeof(*sums));
    const struct kind_use **uses = calloc(n + 1, sizeof(*uses));
    bool ok = sums != NULL && uses != NULL;

    for (uint32_t t = 0; t < n && ok; t++) {
        uses[t] = use_of(ff, t, ff->start);
        if (uses[t] != NULL && uses[t]->rank != ff->ranks[ff->start])
            uses[t] = NULL;
    }
    if (ok)
        sum_leaves(ff, uses, sums);
    pack_section(pack, "leaf.self");
    for (size_t i = 0; i < ff->n_leaves && ok; i++, pack_check(pack))
        buf_varint(&pack->raw, sums[i]);
    free(uses);
    free(sums);
    return ok;
}

int flame_facets_sums(struct flame_facets *ff, struct pack *pack)
{
    uint32_t before = 0;

    pack_section(pack, "leaf");
    for (uint32_t i = 0; i < ff->n_nodes; i++)
        if (ff->leaf[i] != 0) {
            buf_varint(&pack->raw, i - before);
            before = i;
        }
    return put_self(ff, pack) && buf_ok(&pack->raw) ? 0 : JFR_E_NOMEM;
}

/* --- header ----------------------------------------------------------------------------------- */

static void head_dims(const struct flame_facets *ff, struct buf *b)
{
    buf_str(b, "\"dims\":[");
    for (size_t i = 0; i < ff->n_dims; i++) {
        const struct flame_dim *d = &ff->dims[i];
        size_t n;
        const char *name = facets_dim_name(ff->f, d->number, &n);

        buf_str(b, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        jsonw_script(b, name, n);
        buf_printf(b, ",\"values\":%" PRIu32 ",\"more\":%" PRIu32 ",\"width\":%u}", d->most,
                   facets_n_values(ff->f, d->number) - d->most, d->width);
    }
    buf_str(b, "],\n");
}

static void head_kind(const struct flame_facets *ff, struct buf *b, int k)
{
    const char *comma = "";
    enum facet_weight weight = standard_weight(ff, k);
    bool awake = false, lasting = false;

    buf_printf(b, "{\"name\":\"%s\",\"title\":\"%s\",\"events\":[", kind_name((enum kind)k),
               kind_title((enum kind)k));
    for (uint32_t v = 1; v <= facets_n_values(ff->f, FACET_EVENT); v++) {
        const struct kind_use *how = &facets_event(ff->f, v)->kinds[k];

        if (how->rank != ff->ranks[k] || how->rank == 0)
            continue;
        buf_printf(b, "%s%" PRIu32, comma, v);
        comma = ",";
        awake |= how->skips_sleeping;
        lasting |= how->needs_duration;
    }
    buf_printf(b, "],\"awake\":%d,\"lasting\":%d,\"weight\":\"%s\",\"total\":%" PRIu64 "}", awake,
               lasting, weight_names[weight], ff->totals[k][weight]);
}

static void head_kinds(const struct flame_facets *ff, struct buf *b)
{
    const char *comma = "";

    buf_str(b, "\"kinds\":[");
    for (int k = 0; k < N_KINDS; k++)
        if (ff->totals[k][FACET_COUNT] > 0 || k == ff->start) {
            buf_printf(b, "%s\n", comma);
            head_kind(ff, b, k);
            comma = ",";
        }
    buf_printf(b, "],\n\"start\":\"%s\",\n\"sleeping\":[", kind_name((enum kind)ff->start));
    comma = "";
    for (uint32_t v = 0; v <= facets_n_values(ff->f, FACET_STATE); v++)
        if (ff->sleeps[v]) {
            buf_printf(b, "%s%" PRIu32, comma, v);
            comma = ",";
        }
    buf_str(b, "],\n");
}

static void head_weights(const struct flame_facets *ff, struct buf *b)
{
    const char *comma = "";

    buf_str(b, "\"weights\":[");
    for (int k = 0; k < FACET_WEIGHTS; k++) {
        const char *unit = unit_of(ff, k);

        if ((ff->weights >> k & 1) == 0)
            continue;
        buf_printf(b, "%s\n{\"name\":\"%s\",\"title\":", comma, weight_names[k]);
        if (k == FACET_FIELD)
            jsonw_script(b, facets_field(ff->f), strlen(facets_field(ff->f)));
        else
            buf_printf(b, "\"%s\"", weight_names[k]);
        buf_str(b, ",\"unit\":");
        jsonw_script(b, unit, strlen(unit));
        buf_str(b, ",\"events\":[");
        comma = "";
        for (uint32_t v = 1; v <= facets_n_values(ff->f, FACET_EVENT); v++)
            if ((facets_event(ff->f, v)->weights >> k & 1) != 0) {
                buf_printf(b, "%s%" PRIu32, comma, v);
                comma = ",";
            }
        buf_str(b, "]}");
        comma = ",";
    }
    buf_printf(b, "],\n\"weight\":\"%s\",\n", weight_names[ff->weight]);
}

static void head_diff(const struct flame_facets *ff, struct buf *b)
{
    const char *norm = ff->opt->norm != NULL ? ff->opt->norm : "samples";

    if (ff->opt->diff[0] == NULL)
        return;
    buf_str(b, "\"diff\":[");
    for (int i = 0; i < 2; i++) {
        buf_str(b, i > 0 ? "," : "");
        jsonw_script(b, ff->opt->diff[i], strlen(ff->opt->diff[i]));
    }
    buf_str(b, "],\n\"norm\":");
    jsonw_script(b, norm, strlen(norm));
    buf_str(b, ",\n");
}

void flame_facets_head(const struct flame_facets *ff, struct buf *b)
{
    int64_t first_us = ff->first_ns / 1000; /* no more is shown */

    buf_printf(b,
               "\"facets\":{\"samples\":%zu,\n\"leaves\":%zu,\n"
               "\"first\":%.3f,\n\"tick\":%.9g,\n",
               facets_n(ff->f), ff->n_leaves, (double)first_us / 1e3, (double)ff->tick_ns / 1e6);
    head_dims(ff, b);
    head_weights(ff, b);
    head_diff(ff, b);
    head_kinds(ff, b);
    if (b->n > 2) /* the last comma */
        b->n -= 2;
    buf_str(b, "},\n");
}
