/*
 * collapsed.c - a line for each row of a profile: the names of its path from the root on, and its
 * weight.
 *
 * Rows are in the order of their paths, so most begin as the row before does. The text of what two
 * rows have in common is kept, and only the rest of a line is made of names.
 */
#include "convert/formats/collapsed.h"

#include "convert/formats/format.h"
#include "convert/profile/stackset.h"
#include "convert/text/jsonw.h"

struct line { /* the newest one, without its weight */
    struct buf text;
    struct buf path; /* of uint32_t: its frames */
    struct buf ends; /* of size_t: where each one's name ends in the text */
};

/* The frames with which the line and the path of n frames begin. */
static uint32_t count_common(const struct line *line, const uint32_t *path, uint32_t n)
{
    const uint32_t *last = (const void *)line->path.p;
    size_t n_last = line->path.n / sizeof(*last);
    uint32_t i = 0;

    while (i < n && i < n_last && frame_name_id(path[i]) == frame_name_id(last[i]))
        i++;
    return i;
}

/* False if out of memory. */
static bool make_collapsed_line(struct line *line, const struct profile *p,
                                const struct profile_row *row, struct buf *next)
{
    uint32_t n = profile_path_n(row), common, *path;
    struct buf last = line->path;

    buf_reset(next);
    if (!buf_reserve(next, n * sizeof(*path) + 1))
        return false;
    path = (uint32_t *)(void *)next->p;
    next->n = n * sizeof(*path);
    profile_path(row, path);
    common = count_common(line, path, n);
    line->text.n = common == 0 ? 0 : ((const size_t *)(const void *)line->ends.p)[common - 1];
    line->ends.n = common * sizeof(size_t);
    for (uint32_t i = common; i < n; i++) {
        size_t length;
        const char *name = profile_name(p, frame_name_id(path[i]), &length);

        if (i > 0)
            buf_byte(&line->text, ';');
        buf_bytes(&line->text, name, length);
        buf_bytes(&line->ends, &line->text.n, sizeof(size_t));
    }
    line->path = *next;
    *next = last;
    return buf_ok(&line->text) && buf_ok(&line->ends);
}

int collapsed_write(const struct profile *p, struct out *out)
{
    struct line line = {0};
    struct buf next = {0};
    int rc = 0;

    for (size_t i = 0; i < profile_n(p) && rc == 0; i++) {
        struct profile_row row = profile_row(p, i);

        if (!make_collapsed_line(&line, p, &row, &next)) {
            rc = JFR_E_NOMEM;
            break;
        }
        if (line.path.n == 0)
            buf_str(&out->b, "[no frames]");
        buf_bytes(&out->b, line.text.p, line.text.n);
        buf_byte(&out->b, ' ');
        jsonw_u64(&out->b, row.weight);
        buf_byte(&out->b, '\n');
        rc = out_check(out);
    }
    buf_free(&line.text);
    buf_free(&line.path);
    buf_free(&line.ends);
    buf_free(&next);
    return rc;
}

const struct format format_collapsed = {
    .name = "collapsed", .suffix = ".txt", .profile = collapsed_write};
