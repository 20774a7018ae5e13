/*
 * collapsed.c - a line for each row of a profile: the names of its path from the root on, and its
 * weight.
 *
 * Rows are in the order of their paths, so most begin as the row before does. The text of what two
 * rows have in common is kept, and only the rest of a line is made of names.
 */
#include "convert/formats/collapsed.h"

#include "convert/formats/format.h"
#include "convert/profile/path.h"
#include "convert/profile/stackset.h"
#include "convert/text/jsonw.h"

struct line { /* the newest one, without its weight */
    struct buf text;
    struct buf ends; /* of size_t: where the name of each frame ends in the text */
};

/* Makes the line of a path that begins as the last line does. False if out of memory. */
static bool make_collapsed_line(struct line *line, const struct profile *p, const struct path *path,
                                uint32_t n_shared)
{
    const size_t *ends = (const void *)line->ends.p;

    line->text.n = n_shared == 0 ? 0 : ends[n_shared - 1];
    line->ends.n = n_shared * sizeof(*ends);
    for (uint32_t i = n_shared; i < path->n; i++) {
        size_t length;
        const char *name = profile_name(p, frame_name_id(path->frames[i]), &length);

        if (i > 0)
            buf_byte(&line->text, ';');
        buf_bytes(&line->text, name, length);
        buf_bytes(&line->ends, &line->text.n, sizeof(size_t));
    }
    return buf_ok(&line->text) && buf_ok(&line->ends);
}

int collapsed_write(const struct profile *p, struct out *out)
{
    struct line line = {0};
    struct path paths[2] = {{0}};
    int rc = 0;

    for (size_t i = 0; i < profile_n(p) && rc == 0; i++) {
        struct profile_row row = profile_row(p, i);
        struct path *path = &paths[i % 2];

        if (!path_load(path, &row) ||
            !make_collapsed_line(&line, p, path, path_shared_length(&paths[(i + 1) % 2], path))) {
            rc = JFR_E_NOMEM;
            break;
        }
        if (path->n == 0)
            buf_str(&out->b, "[no frames]");
        buf_bytes(&out->b, line.text.p, line.text.n);
        buf_byte(&out->b, ' ');
        jsonw_u64(&out->b, row.weight);
        buf_byte(&out->b, '\n');
        rc = out_check(out);
    }
    buf_free(&line.text);
    buf_free(&line.ends);
    path_free(&paths[0]);
    path_free(&paths[1]);
    return rc;
}

const struct format format_collapsed = {
    .name = "collapsed", .suffix = ".txt", .profile = collapsed_write};
