/*
 * contexts.c - the attributes of events' contexts as columns.
 *
 * Events with the same context share a tuple, whose cells are kept for as long as the table has the
 * columns that it has.
 */
#include "convert/columns/contexts.h"

void contexts_load(struct contexts *c)
{
    buf_reset(&c->ranges);
}

void contexts_free(struct contexts *c)
{
    buf_free(&c->ranges);
}

/* All columns are there before one of them gets its value. */
static bool open_attributes(struct contexts *c, struct fill *fill,
                            const struct context_run *context, uint32_t tuple)
{
    struct parquet_node *root = parquet_root(fill->file);
    bool any = false;

    for (size_t i = 0; i < context_n_attributes(context); i++) {
        const char *name = context_attribute(context, i);

        if (context_attribute_text(context, tuple, i, NULL) == NULL ||
            !fill_wants(fill, root, CONTEXTS_NAME, name))
            continue;
        any = true;
        if (c->node == NULL)
            c->node = fill_group(fill, root, CONTEXTS_NAME);
        if (c->node == NULL || fill_leaf(fill, c->node, name, PARQUET_STRING, true) == NULL)
            fill->values->failed = true;
    }
    return any && !fill->values->failed;
}

static const char *attribute_text(const struct context_run *context, uint32_t tuple,
                                  const char *name, size_t *n)
{
    const char *text;

    for (size_t i = 0; i < context_n_attributes(context); i++) {
        text = context_attribute_text(context, tuple, i, n);
        if (text != NULL && strcmp(context_attribute(context, i), name) == 0)
            return text;
    }
    return NULL;
}

static void put_tuple(struct contexts *c, struct fill *fill, const struct context_run *context,
                      uint32_t tuple)
{
    if (!open_attributes(c, fill, context, tuple)) {
        if (c->node != NULL)
            fill_null(fill, c->node, 0);
        return;
    }
    for (size_t i = 0; i < c->node->n_children; i++) {
        struct parquet_node *leaf = c->node->children[i];
        size_t n;
        const char *text = attribute_text(context, tuple, leaf->name, &n);

        if (text == NULL)
            fill_null(fill, leaf, 0);
        else
            fill_put(fill, leaf, leaf->def, 0, parquet_id_of_text(leaf, text, n));
    }
}

void contexts_put(struct contexts *c, struct fill *fill, struct context_run *context,
                  const struct jfr_event *ev)
{
    uint32_t tuple = context_event(context, ev);
    size_t size = sizeof(struct fill_range), begin, n_leaves = parquet_n_leaves(fill->file);
    struct fill_range range;

    if (tuple == CONTEXT_NONE || !buf_fill(&c->ranges, ((size_t)tuple + 1) * size)) {
        fill->values->failed = true;
        return;
    }
    memcpy(&range, c->ranges.p + tuple * size, size);
    if (fill_again(fill, &range))
        return;
    begin = fill_keep(fill);
    put_tuple(c, fill, context, tuple);
    fill_kept(fill, begin, &range);
    if (n_leaves != parquet_n_leaves(fill->file))
        buf_reset(&c->ranges);
    else
        memcpy(c->ranges.p + tuple * size, &range, size);
}
