/* d3.c - the tree as objects with children, as d3-flame-graph and d3.hierarchy() read it. */
#include "convert/formats/format.h"
#include "convert/profile/tree.h"
#include "convert/text/jsonw.h"

static void put_node(const struct tree *t, const uint64_t *totals, size_t i, struct buf *b)
{
    const struct tree_name *name = &t->names[t->name[i]];

    buf_str(b, "{\"name\":");
    if (i == 0)
        buf_str(b, "\"all\"");
    else
        jsonw_str(b, name->text, name->n);
    buf_str(b, ",\"value\":");
    jsonw_u64(b, totals[i]);
}

static int put_d3_tree(const struct tree *t, const uint64_t *totals, struct out *out)
{
    struct buf *b = &out->b;
    int rc = 0;

    for (size_t i = 0; i < t->n_nodes && rc == 0; i++) {
        uint32_t depth = t->depth[i], next = i + 1 < t->n_nodes ? t->depth[i + 1] : 0;

        put_node(t, totals, i, b);
        if (next > depth) {
            buf_str(b, ",\"children\":[\n");
            continue;
        }
        buf_byte(b, '}');
        for (; depth > next; depth--)
            buf_str(b, "]}");
        if (i + 1 < t->n_nodes)
            buf_str(b, ",\n");
        rc = out_check(out);
    }
    buf_byte(b, '\n');
    return rc;
}

static int write_profile(const struct profile *p, struct out *out)
{
    return tree_write(p, out, put_d3_tree);
}

const struct format format_d3 = {.name = "d3", .suffix = ".json", .profile = write_profile};
