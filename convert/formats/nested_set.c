/* nested_set.c - the tree as rows of (level, value, self, label), root first: the data frame of
 * Grafana's flame graph panel, as CSV. */
#include "convert/formats/format.h"
#include "convert/profile/tree.h"
#include "convert/text/jsonw.h"
#include "convert/text/textw.h"

static int put_nested_tree(const struct tree *t, const uint64_t *totals, struct out *out)
{
    struct buf *b = &out->b;
    int rc = 0;

    buf_str(b, "level,value,self,label\r\n");
    for (size_t i = 0; i < t->n_nodes && rc == 0; i++) {
        const struct tree_name *name = &t->names[t->name[i]];

        jsonw_u64(b, t->depth[i]);
        buf_byte(b, ',');
        jsonw_u64(b, totals[i]);
        buf_byte(b, ',');
        jsonw_u64(b, t->self[i]);
        buf_byte(b, ',');
        if (i == 0)
            buf_str(b, "total");
        else
            textw_cell(b, name->text, name->n, false);
        buf_str(b, "\r\n");
        rc = out_check(out);
    }
    return rc;
}

static int write_nested_profile(const struct profile *p, struct out *out)
{
    return tree_write(p, out, put_nested_tree);
}

const struct format format_nested_set = {.name = "nested-set",
                                         .suffix = ".nested-set.csv",
                                         .opened = "Grafana's flame graph panel",
                                         .profile = write_nested_profile};
