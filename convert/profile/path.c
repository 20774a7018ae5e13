/* path.c - the path of a row as one array, and where two paths part. */
#include "convert/profile/path.h"

#include "convert/profile/stackset.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>

bool path_load(struct path *path, const struct profile_row *row)
{
    path->n = profile_path_n(row);
    if (!array_reserve(&path->frames, &path->room, path->n, sizeof(*path->frames)))
        return false;
    profile_path(row, path->frames);
    return true;
}

uint32_t path_shared_length(const struct path *a, const struct path *b)
{
    uint32_t i = 0;

    while (i < a->n && i < b->n && frame_name_id(a->frames[i]) == frame_name_id(b->frames[i]))
        i++;
    return i;
}

void path_free(struct path *path)
{
    free(path->frames);
    *path = (struct path){0};
}
