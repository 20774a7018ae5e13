/* flame.c - the flame graph page as one of several outputs: as jfr2flame makes it by default.
 */
#include "convert/flame/flame.h"
#include "convert/formats/format.h"
#include "convert/profile/tree.h"

static int write_flame_profile(const struct profile *p, struct out *out)
{
    const char *unit = profile_unit(p);
    struct flame_options opt = {.kind = kind_title(profile_facts(p).kind), .unit = unit};
    struct tree tree = {0};
    int rc = profile_tree(p, &tree);

    if (strcmp(unit, "samples") != 0)
        opt.weight = unit;
    if (rc == 0)
        rc = flame_write(&tree, &opt, out);
    tree_free(&tree);
    return rc;
}

const struct format format_flame = {
    .name = "html", .suffix = ".html", .is_binary = true, .profile = write_flame_profile};
