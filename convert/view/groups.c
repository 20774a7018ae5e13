/*
 * groups.c - finds the group of an event by the values of its keys.
 *
 * A group is the bytes of its values, interned. Most events have keys that are constants of the
 * chunk, and are met again: a small memo in front finds these by the ordinals of the constants.
 */
#include "convert/view/groups.h"

#include <stdlib.h>
#include <string.h>

size_t view_groups_n(const struct view_groups *g)
{
    return intern_n(&g->ids);
}

const struct view_value *view_groups_values(const struct view_groups *g, uint32_t group)
{
    const struct view_value *all = (const struct view_value *)(const void *)g->values.p;

    return g->n_keys == 0 ? NULL : all + group * g->n_keys;
}

static uint32_t add_view_group(struct view_groups *g, const struct view_value *keys)
{
    struct view_same bytes[VIEW_KEYS];
    size_t n = view_groups_n(g);
    uint32_t id;

    for (size_t i = 0; i < g->n_keys; i++)
        bytes[i] = view_same_of(&keys[i]);
    if (g->is_each)
        bytes[0].v = n;
    id = intern_add(&g->ids, bytes, g->n_keys * sizeof(*bytes));
    if (id != n) /* met before, or out of memory */
        return id;
    buf_bytes(&g->values, keys, g->n_keys * sizeof(*keys));
    return buf_ok(&g->values) ? id : VIEW_GROUP_FAILED;
}

uint32_t view_groups_find(struct view_groups *g, const struct view_value *keys)
{
    struct view_group_memo *m;
    uint32_t hash = 0, group;
    bool is_known;

    for (size_t i = 0; i < g->n_keys; i++) {
        if (keys[i].ordinal == 0)
            return add_view_group(g, keys);
        hash = hash * 0x9e3779b1u + keys[i].ordinal;
    }
    if (g->memo == NULL)
        g->memo = calloc(VIEW_GROUP_MEMO, sizeof(*g->memo));
    if (g->memo == NULL)
        return VIEW_GROUP_FAILED;
    m = &g->memo[hash % VIEW_GROUP_MEMO];
    is_known = m->group != 0;
    for (size_t i = 0; i < g->n_keys; i++)
        is_known &= m->ordinals[i] == keys[i].ordinal;
    if (is_known)
        return m->group - 1;
    group = add_view_group(g, keys);
    m->group = group + 1; /* 0 if out of memory */
    for (size_t i = 0; i < g->n_keys; i++)
        m->ordinals[i] = keys[i].ordinal;
    return group;
}

struct view_value view_groups_mapped(const struct view_groups_map *map,
                                     const struct view_value *value)
{
    struct view_value mapped = *value;

    if (mapped.kind == VIEW_TEXT)
        mapped.text = map->texts[mapped.text];
    mapped.ordinal = 0;
    return mapped;
}

bool view_groups_take(struct view_groups *g, const struct view_groups *from,
                      struct view_groups_map *map)
{
    size_t n = view_groups_n(from);

    map->texts = malloc((intern_n(&from->texts) + 1) * sizeof(*map->texts));
    map->groups = malloc((n + 1) * sizeof(*map->groups));
    if (map->texts == NULL || map->groups == NULL ||
        !intern_add_all(&g->texts, &from->texts, map->texts))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct view_value *values = view_groups_values(from, i);
        struct view_value keys[VIEW_KEYS];

        for (size_t k = 0; k < g->n_keys; k++)
            keys[k] = view_groups_mapped(map, &values[k]);
        map->groups[i] = add_view_group(g, keys);
        if (map->groups[i] == VIEW_GROUP_FAILED)
            return false;
    }
    return true;
}

void view_groups_map_free(struct view_groups_map *map)
{
    free(map->texts);
    free(map->groups);
}

void view_groups_reset(struct view_groups *g)
{
    intern_reset(&g->texts);
    intern_reset(&g->ids);
    buf_reset(&g->values);
    if (g->memo != NULL)
        memset(g->memo, 0, VIEW_GROUP_MEMO * sizeof(*g->memo));
}

void view_groups_free(struct view_groups *g)
{
    intern_free(&g->texts);
    intern_free(&g->ids);
    buf_free(&g->values);
    free(g->memo);
}
