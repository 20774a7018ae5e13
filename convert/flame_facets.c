#include "convert/flame_facets.h"
#include "convert/jsonw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct dim {
    uint32_t number; /* among the facets' dimensions */
    uint32_t most; /* values kept; those beyond are one: most + 1 */
    bool is_constant;
    unsigned width; /* bytes of a number of its column; 0: no column */
    char section[8];
};

struct flame_facets {
    const struct flame_options *opt;
    const struct facets *f;
    uint32_t *leaf; /* by node: its place among the stacks + 1, or 0 */
    const uint32_t *map;
    size_t n_nodes, n_leaves;
    unsigned leaf_width;
    struct dim dims[FACETS_DIMS];
    size_t n_dims;
    uint32_t *codes; /* of the column at hand */
    uint32_t *last; /* by thread */
    uint64_t sums[N_KINDS]; /* samples of the best rank */
    uint64_t totals[N_KINDS]; /* the same, by the weight asked for */
    int ranks[N_KINDS], start;
    bool *sleeps; /* by value of FACET_STATE */
    uint32_t weights; /* bits of those that any event type has */
};

static const char *const weight_names[FACET_WEIGHTS] = {"count", "bytes", "duration", "cpu-time",
                                                        "field"};

/* --- what is kept ----------------------------------------------------------------------------- */

static bool is_listed(const char *list, const char *name, size_t n)
{
    while (list != NULL && *list != '\0') {
        size_t m = strcspn(list, ",");

        if (m == n && memcmp(list, name, n) == 0)
            return true;
        list += m + (list[m] == ',');
    }
    return false;
}

/* Thread and event type are always there: columns and kinds are told by them. */
static bool is_wanted(const struct flame_facets *ff, uint32_t dim)
{
    size_t n;
    const char *name = facets_dim_name(ff->f, dim, &n);

    if (dim == FACET_THREAD || dim == FACET_EVENT || dim == FACET_STATE)
        return true;
    if (ff->opt->facet_list != NULL)
        return is_listed(ff->opt->facet_list, name, n);
    return dim == FACET_INPUT || facets_n_values(ff->f, dim) <= ff->opt->facet_max;
}

static unsigned width_of(uint64_t most)
{
    unsigned width = 1;

    while (width < 4 && most >> 8 * width != 0)
        width++;
    return width;
}

static void choose_dims(struct flame_facets *ff)
{
    for (uint32_t i = 0; i < facets_n_dims(ff->f); i++) {
        uint32_t n = facets_n_values(ff->f, i);
        struct dim d = {.number = i, .most = n < ff->opt->facet_max ? n : ff->opt->facet_max};

        if (!is_wanted(ff, i) || (i >= FACET_FIXED && n == 0) || (i == FACET_INPUT && n < 2))
            continue;
        if (i == FACET_EVENT || i == FACET_STATE)
            d.most = n;
        d.is_constant = n == 0 || (n == 1 && facets_value_n(ff->f, i, 0) == 0);
        d.width = d.is_constant ? 0 : width_of((uint64_t)d.most + 2);
        snprintf(d.section, sizeof(d.section), "s.%zu", ff->n_dims);
        ff->dims[ff->n_dims++] = d;
    }
}

static uint32_t value_of(const struct flame_facets *ff, size_t i, const struct dim *d)
{
    uint32_t v = facets_value_of(ff->f, i, d->number);

    return v <= d->most ? v : d->most + 1;
}

static uint32_t node_of(const struct flame_facets *ff, size_t i)
{
    uint32_t node = facets_sample(ff->f, i).node;

    return ff->map == NULL ? node : ff->map[node];
}

static void find_leaves(struct flame_facets *ff)
{
    for (size_t i = 0; i < facets_n(ff->f); i++)
        ff->leaf[node_of(ff, i)] = 1;
    for (size_t i = 0; i < ff->n_nodes; i++)
        if (ff->leaf[i] != 0)
            ff->leaf[i] = (uint32_t)++ff->n_leaves;
    ff->leaf_width = width_of((uint64_t)ff->n_leaves + 1);
}

/* --- kinds ------------------------------------------------------------------------------------ */

static bool counts(const struct flame_facets *ff, size_t i, const struct facets_sample *s,
                   const struct kind_use *how)
{
    return s->weight[FACET_COUNT] > 0 && how->rank > 0 &&
           !(how->skips_sleeping && ff->sleeps[facets_value_of(ff->f, i, FACET_STATE)]) &&
           !(how->needs_duration && s->weight[FACET_DURATION] == 0);
}

static void add_to_kinds(struct flame_facets *ff, size_t i)
{
    const struct facets_event *e = facets_event(ff->f, facets_value_of(ff->f, i, FACET_EVENT));
    struct facets_sample s = facets_sample(ff->f, i);

    ff->weights |= e->weights;
    for (int k = 0; k < N_KINDS; k++) {
        const struct kind_use *how = &e->kinds[k];

        if (how->rank < ff->ranks[k] || !counts(ff, i, &s, how))
            continue;
        if (how->rank > ff->ranks[k])
            ff->sums[k] = ff->totals[k] = 0;
        ff->ranks[k] = how->rank;
        ff->sums[k] += s.weight[FACET_COUNT];
        ff->totals[k] += s.weight[ff->opt->facet_weight];
    }
}

/* The kind asked for, or the first that has samples of its own. */
static void choose_kinds(struct flame_facets *ff)
{
    ff->start = ff->opt->facet_kind;
    for (uint32_t v = 0; v <= facets_n_values(ff->f, FACET_STATE); v++)
        ff->sleeps[v] = kind_state_sleeps(facets_value_text(ff->f, FACET_STATE, v, NULL));
    for (size_t i = 0; i < facets_n(ff->f); i++)
        add_to_kinds(ff, i);
    for (int k = 0; k < N_KINDS && ff->start < 0; k++)
        if (ff->totals[k] > 0 && ff->ranks[k] > KIND_RANK_STANDIN)
            ff->start = k;
    if (ff->start < 0)
        ff->start = KIND_CPU;
}

uint64_t flame_facets_total(const struct flame_facets *ff)
{
    return ff->totals[ff->start];
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
    return unit_of(ff, ff->opt->facet_weight);
}

/* --- sections --------------------------------------------------------------------------------- */

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
    ff->codes = malloc((facets_n(ff->f) + 1) * sizeof(*ff->codes));
    ff->last = malloc(((size_t)facets_n_values(ff->f, FACET_THREAD) + 2) * sizeof(*ff->last));
    ff->sleeps = calloc((size_t)facets_n_values(ff->f, FACET_STATE) + 1, 1);
    if (ff->leaf == NULL || ff->codes == NULL || ff->last == NULL || ff->sleeps == NULL) {
        flame_facets_free(ff);
        return NULL;
    }
    choose_dims(ff);
    find_leaves(ff);
    choose_kinds(ff);
    return ff;
}

void flame_facets_free(struct flame_facets *ff)
{
    if (ff == NULL)
        return;
    free(ff->leaf);
    free(ff->codes);
    free(ff->last);
    free(ff->sleeps);
    free(ff);
}

static void put_texts(const struct flame_facets *ff, struct pack *pack, bool sizes)
{
    for (size_t i = 0; i < ff->n_dims; i++)
        for (uint32_t v = 1; v <= ff->dims[i].most; v++, pack_check(pack)) {
            size_t n;
            const char *text = facets_value_text(ff->f, ff->dims[i].number, v, &n);

            if (sizes)
                buf_varint(&pack->raw, n);
            else
                buf_bytes(&pack->raw, text, n);
        }
}

/* Writes ff->codes; where `by_thread`, what the sample before of the thread had is 0. */
static void put_column(struct flame_facets *ff, struct pack *pack, unsigned width, bool by_thread)
{
    size_t n = facets_n(ff->f);

    memset(ff->last, 0xff, ((size_t)facets_n_values(ff->f, FACET_THREAD) + 2) * sizeof(*ff->last));
    for (size_t i = 0; i < n && by_thread; i++) {
        uint32_t *last = &ff->last[value_of(ff, i, &ff->dims[0])], code = ff->codes[i];

        ff->codes[i] = code == *last ? 0 : code + 1;
        *last = code;
    }
    for (unsigned plane = 0; plane < width; plane++)
        for (size_t i = 0; i < n; i++, pack_check(pack))
            buf_byte(&pack->raw, (uint8_t)(ff->codes[i] >> 8 * plane));
}

static void put_dims(struct flame_facets *ff, struct pack *pack)
{
    for (size_t k = 0; k < ff->n_dims; k++) {
        if (ff->dims[k].is_constant)
            continue;
        for (size_t i = 0; i < facets_n(ff->f); i++)
            ff->codes[i] = value_of(ff, i, &ff->dims[k]);
        pack_section(pack, ff->dims[k].section);
        put_column(ff, pack, ff->dims[k].width, k > 0);
    }
}

static void put_weights(const struct flame_facets *ff, struct pack *pack)
{
    static const char *const sections[FACET_WEIGHTS] = {"w.count", "w.bytes", "w.duration",
                                                        "w.cpu-time", "w.field"};

    for (int k = 0; k < FACET_WEIGHTS; k++) {
        if ((ff->weights >> k & 1) == 0)
            continue;
        pack_section(pack, sections[k]);
        for (size_t i = 0; i < facets_n(ff->f); i++, pack_check(pack))
            if ((facets_event(ff->f, facets_value_of(ff->f, i, FACET_EVENT))->weights >> k & 1) !=
                0)
                buf_varint(&pack->raw, facets_sample(ff->f, i).weight[k]);
    }
}

/* What the page opens with, by stack. */
static bool put_self(const struct flame_facets *ff, struct pack *pack)
{
    uint64_t *sums = calloc(ff->n_leaves + 1, sizeof(*sums));

    for (size_t i = 0; i < facets_n(ff->f) && sums != NULL; i++) {
        const struct facets_event *e = facets_event(ff->f, facets_value_of(ff->f, i, FACET_EVENT));
        const struct kind_use *how = &e->kinds[ff->start];
        struct facets_sample s = facets_sample(ff->f, i);

        if (how->rank == ff->ranks[ff->start] && counts(ff, i, &s, how))
            sums[ff->leaf[node_of(ff, i)] - 1] += s.weight[ff->opt->facet_weight];
    }
    pack_section(pack, "leaf.self");
    for (size_t i = 0; i < ff->n_leaves && sums != NULL; i++, pack_check(pack))
        buf_varint(&pack->raw, sums[i]);
    free(sums);
    return sums != NULL;
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

int flame_facets_samples(struct flame_facets *ff, struct pack *pack)
{
    uint32_t before = 0;

    pack_section(pack, "dim.size");
    put_texts(ff, pack, true);
    pack_section(pack, "dim.text");
    put_texts(ff, pack, false);
    pack_section(pack, "s.time");
    for (size_t i = 0; i < facets_n(ff->f); i++, pack_check(pack)) {
        uint32_t tick = facets_sample(ff->f, i).tick;

        buf_varint(&pack->raw, tick - before);
        before = tick;
    }
    put_dims(ff, pack);
    for (size_t i = 0; i < facets_n(ff->f); i++)
        ff->codes[i] = ff->leaf[node_of(ff, i)] - 1;
    pack_section(pack, "s.leaf");
    put_column(ff, pack, ff->leaf_width, true);
    put_weights(ff, pack);
    return buf_ok(&pack->raw) ? 0 : JFR_E_NOMEM;
}

/* --- header ----------------------------------------------------------------------------------- */

static void head_dims(const struct flame_facets *ff, struct buf *b)
{
    buf_str(b, "\"dims\":[");
    for (size_t i = 0; i < ff->n_dims; i++) {
        const struct dim *d = &ff->dims[i];
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
    buf_printf(b, "],\"awake\":%d,\"lasting\":%d}", awake, lasting);
}

static void head_kinds(const struct flame_facets *ff, struct buf *b)
{
    const char *comma = "";

    buf_str(b, "\"kinds\":[");
    for (int k = 0; k < N_KINDS; k++)
        if (ff->sums[k] > 0 || k == ff->start) {
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
    buf_printf(b, "],\n\"weight\":\"%s\",\n", weight_names[ff->opt->facet_weight]);
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
    int64_t first_us = facets_first_ns(ff->f) / 1000; /* no more is shown */

    buf_printf(b,
               "\"facets\":{\"samples\":%zu,\n\"leaves\":%zu,\n\"leafWidth\":%u,\n"
               "\"first\":%.3f,\n\"tick\":%.9g,\n",
               facets_n(ff->f), ff->n_leaves, ff->leaf_width, (double)first_us / 1e3,
               (double)facets_tick_ns(ff->f) / 1e6);
    head_dims(ff, b);
    head_weights(ff, b);
    head_diff(ff, b);
    head_kinds(ff, b);
    if (b->n > 2) /* the last comma */
        b->n -= 2;
    buf_str(b, "},\n");
}
