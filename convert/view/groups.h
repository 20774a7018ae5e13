/*
 * groups.h - events grouped by the values of their keys: the rows of a table, by number.
 *
 *     struct view_groups g = {.n_keys = 2};
 *     values.texts = &g.texts;
 *     keys[i] = view_key_get(&values, &getters[i], &ev, v)   for each key
 *     group = view_groups_find(&g, keys)                      sums[group] += ...
 *     view_groups_take(&all, &g, &map)                        sums of all[map.groups[i]] += ...
 *
 * Groups count from 0 in the order in which they were met. What is summed up for each is the
 * caller's, in an array by group.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_VIEW_GROUPS_H
#define CONVERT_VIEW_GROUPS_H

#include "convert/view/number.h"
#include "jfrfmt/base/intern.h"

#define VIEW_KEYS 6
#define VIEW_GROUP_FAILED INTERN_FAILED /* out of memory */
#define VIEW_GROUP_MEMO 1024

struct view_group_memo {
    uint32_t ordinals[VIEW_KEYS];
    uint32_t group; /* its number + 1; 0: the slot is free */
};

struct view_groups {
    size_t n_keys; /* set before the first group; at most VIEW_KEYS */
    bool is_each; /* set before the first group: each event has a group of its own */
    struct intern texts; /* that the values refer to */
    struct intern ids; /* of struct view_same, n_keys for each group */
    struct buf values; /* of struct view_value, n_keys for each group */
    struct view_group_memo
        *memo; /* VIEW_GROUP_MEMO by a hash of the ordinals; NULL: not needed yet */
};

/* The numbers that texts and groups of one set have in another. */
struct view_groups_map {
    uint32_t *texts, *groups;
};

size_t view_groups_n(const struct view_groups *g);

/* The n_keys values of a group, valid until the next group is made; NULL without keys. */
const struct view_value *view_groups_values(const struct view_groups *g, uint32_t group);

/* The group of an event with these n_keys values, a new one if there is none. VIEW_GROUP_FAILED if
 * out of memory. Values with an ordinal must be those of one chunk between two resets. */
uint32_t view_groups_find(struct view_groups *g, const struct view_value *keys);

/* Adds all groups of another set with the same keys, in their order. Fills *map, which
 * view_groups_map_free() frees in any case. False if out of memory. */
bool view_groups_take(struct view_groups *g, const struct view_groups *from,
                      struct view_groups_map *map);
void view_groups_map_free(struct view_groups_map *map);

/* A value of the set that was taken, as a value of the set that took it. */
struct view_value view_groups_mapped(const struct view_groups_map *map,
                                     const struct view_value *value);

void view_groups_reset(struct view_groups *g); /* no groups and no texts; keeps the memory */
void view_groups_free(struct view_groups *g);

#endif
