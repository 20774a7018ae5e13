/*
 * Writes the flame graph page: the parts of the document that embed.sh made of convert/page/, and
 * between them the header, the packed tree and, with facets, the packed samples. Called by
 * tools/output/flame.c. It chooses nothing: what the page has is in struct flame_options and the
 * tree; samples.c and facets.c of this folder pack the samples.
 */
#include "convert/flame/flame.h"
#include "convert/flame/facets.h"
#include "convert/flame/pack.h"
#include "convert/flame/prune.h"
#include "convert/text/jsonw.h"
#include "convert/page.h"

#include <inttypes.h>
#include <stdlib.h>

struct page {
    struct tree tree;
    const uint64_t *hidden; /* NULL: nothing was left out */
    struct flame_facets *facets; /* NULL: sums only */
    struct pack *pack;
};

static uint32_t shared_bytes(const struct tree *t, size_t i)
{
    const struct tree_name *a = i > 0 ? &t->names[i - 1] : NULL, *b = &t->names[i];
    uint32_t n = 0;

    while (a != NULL && n < a->n && n < b->n && a->text[n] == b->text[n])
        n++;
    return n;
}

static void names_keep(const struct page *g)
{
    for (size_t i = 0; i < g->tree.n_names; i++, pack_check(g->pack))
        buf_varint(&g->pack->raw, shared_bytes(&g->tree, i));
}

static void names_more(const struct page *g)
{
    for (size_t i = 0; i < g->tree.n_names; i++, pack_check(g->pack))
        buf_varint(&g->pack->raw, g->tree.names[i].n - shared_bytes(&g->tree, i));
}

static void names_text(const struct page *g)
{
    for (size_t i = 0; i < g->tree.n_names; i++, pack_check(g->pack)) {
        uint32_t keep = shared_bytes(&g->tree, i);
        buf_bytes(&g->pack->raw, g->tree.names[i].text + keep, g->tree.names[i].n - keep);
    }
}

static void tree_up(const struct page *g)
{
    uint32_t before = 0;

    buf_varint(&g->pack->raw, 0);
    for (size_t i = 1; i < g->tree.n_nodes; i++, pack_check(g->pack)) {
        buf_varint(&g->pack->raw, before + 1 - g->tree.depth[i]);
        before = g->tree.depth[i];
    }
}

static void tree_name(const struct page *g)
{
    for (unsigned shift = 0; shift < 32 && (shift == 0 || g->tree.n_names >> shift != 0);
         shift += 8)
        for (size_t i = 0; i < g->tree.n_nodes; i++, pack_check(g->pack))
            buf_byte(&g->pack->raw, (uint8_t)(g->tree.name[i] >> shift));
}

/* Most functions ran as they did before. */
static int tree_type(const struct page *g)
{
    uint8_t *last = calloc(g->tree.n_names + 1, 1);

    if (last == NULL)
        return JFR_E_NOMEM;
    for (size_t i = 0; i < g->tree.n_nodes; i++, pack_check(g->pack)) {
        uint8_t *known = &last[g->tree.name[i]], type = g->tree.type[i];

        buf_byte(&g->pack->raw, type == *known ? 0 : type + 1);
        *known = type;
    }
    free(last);
    return 0;
}

static void numbers(const struct page *g, const uint64_t *v)
{
    for (size_t i = 0; i < g->tree.n_nodes; i++, pack_check(g->pack))
        buf_varint(&g->pack->raw, v[i]);
}

static int put_tree(struct page *g)
{
    static const struct {
        const char *name;
        void (*write)(const struct page *g);
    } sections[] = {
        {"names.keep", names_keep}, {"names.more", names_more}, {"names.text", names_text},
        {"tree.up", tree_up},       {"tree.name", tree_name},
    };

    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        pack_section(g->pack, sections[i].name);
        sections[i].write(g);
    }
    pack_section(g->pack, "tree.type");
    return tree_type(g);
}

static int put_sums(struct page *g)
{
    if (g->facets != NULL)
        return flame_facets_sums(g->facets, g->pack);
    pack_section(g->pack, "tree.self");
    numbers(g, g->tree.self);
    if (g->hidden != NULL) {
        pack_section(g->pack, "tree.hidden");
        numbers(g, g->hidden);
    }
    if (g->tree.samples != NULL) {
        pack_section(g->pack, "tree.samples");
        numbers(g, g->tree.samples);
    }
    return 0;
}

static int put_samples(struct page *g)
{
    return g->facets == NULL ? 0 : flame_facets_samples(g->facets, g->pack);
}

/* Writes one packed text; its directory becomes *directory. */
static int write_packed(struct page *g, struct out *out, int (*first)(struct page *g),
                        int (*then)(struct page *g), struct buf *directory)
{
    int rc;

    g->pack = pack_new(out);
    if (g->pack == NULL)
        return JFR_E_NOMEM;
    rc = first(g);
    if (rc == 0 && then != NULL)
        rc = then(g);
    if (rc == 0)
        rc = pack_end(g->pack);
    pack_directory(g->pack, directory);
    pack_free(g->pack);
    return rc;
}

static void text_member(struct buf *b, const char *key, const char *value)
{
    buf_printf(b, "\"%s\":", key);
    jsonw_script(b, value, strlen(value));
    buf_str(b, ",\n");
}

static const char *or_else(const char *text, const char *standard)
{
    return text != NULL ? text : standard;
}

static void write_head(const struct page *g, const struct flame_options *opt,
                       const struct buf *directory, struct buf *b)
{
    uint64_t total = g->facets != NULL ? flame_facets_total(g->facets) : g->tree.total;
    const char *kind = g->facets != NULL ? flame_facets_kind(g->facets) : opt->kind;
    const char *unit = g->facets != NULL ? flame_facets_unit(g->facets) : opt->unit;

    buf_str(b, "{\"format\":4,\n");
    text_member(b, "title", or_else(opt->title, "Flame graph"));
    text_member(b, "subtitle", or_else(opt->subtitle, ""));
    text_member(b, "kind", or_else(kind, ""));
    text_member(b, "weight", or_else(opt->weight, ""));
    text_member(b, "unit", or_else(unit, "samples"));
    text_member(b, "command", or_else(opt->command, ""));
    text_member(b, "highlight", or_else(opt->highlight, ""));
    text_member(b, "theme", or_else(opt->theme, "auto"));
    text_member(b, "palette", or_else(opt->palette, "origin"));
    text_member(b, "source", or_else(opt->source_url, ""));
    buf_printf(b, "\"icicle\":%s,\n\"reverse\":%s,\n\"report\":%s,\n",
               opt->icicle ? "true" : "false", opt->reverse ? "true" : "false",
               opt->report != NULL ? "true" : "false");
    if (g->facets != NULL)
        flame_facets_head(g->facets, b);
    buf_printf(b, "\"total\":%" PRIu64 ",\n\"names\":%zu,\n\"nodes\":%zu,\n\"sections\":", total,
               g->tree.n_names, g->tree.n_nodes);
    buf_bytes(b, directory->p, directory->n);
    buf_byte(b, '}');
}

/* What a browser can show at once comes first: it need not wait for the samples. */
static int write_page(struct page *g, const struct flame_options *opt, struct out *out)
{
    struct buf directory = {0};
    int rc;

    buf_bytes(&out->b, page_before_report, sizeof(page_before_report));
    if (opt->report != NULL)
        buf_bytes(&out->b, opt->report->p, opt->report->n);
    buf_bytes(&out->b, page_before_data, sizeof(page_before_data));
    rc = write_packed(g, out, put_tree, put_sums, &directory);
    buf_bytes(&out->b, page_before_head, sizeof(page_before_head));
    write_head(g, opt, &directory, &out->b);
    buf_bytes(&out->b, page_before_samples, sizeof(page_before_samples));
    buf_reset(&directory);
    if (rc == 0)
        rc = write_packed(g, out, put_samples, NULL, &directory);
    buf_bytes(&out->b, page_before_directory, sizeof(page_before_directory));
    buf_bytes(&out->b, directory.p, directory.n);
    buf_bytes(&out->b, page_end, sizeof(page_end));
    if (rc == 0)
        rc = buf_ok(&directory) && buf_ok(&out->b) ? out_check(out) : JFR_E_NOMEM;
    buf_free(&directory);
    return rc;
}

int flame_write(const struct tree *t, const struct flame_options *opt, struct out *out)
{
    struct page g = {.tree = *t};
    struct pruned pruned = {0};
    int rc = JFR_E_NOMEM;

    if (opt->min_share > 0) {
        if (prune_tree(t, opt->min_share, &pruned) < 0)
            return JFR_E_NOMEM;
        g.tree = pruned.tree;
        g.hidden = pruned.hidden;
    }
    if (opt->facets != NULL)
        g.facets = flame_facets_new(opt, pruned.map, g.tree.n_nodes);
    if (g.facets != NULL || opt->facets == NULL)
        rc = write_page(&g, opt, out);
    flame_facets_free(g.facets);
    prune_free(&pruned);
    return rc;
}
