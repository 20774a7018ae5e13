/*
 * groups.c - the group of an event: its kind, and what stands around its stack (thread, state,
 * contexts, class).
 *
 * chunk.c calls it for each event. A group is made of names, but an event has keys of constants and
 * the tuple of a context. These keys decide the group, so groups are found by them in a small memo,
 * and names are looked up only where an event has keys that were not met lately.
 */
#include "convert/profile/worker.h"

static bool is_key_equal(const struct group_key *a, const struct group_key *b)
{
    return a->use == b->use && a->thread == b->thread && a->state == b->state && a->cls == b->cls &&
           a->tuple == b->tuple;
}

static size_t slot_of_key(const struct group_key *key)
{
    uint64_t h = ((uintptr_t)key->use >> 6) + key->thread * 0x9e3779b97f4a7c15u +
                 key->cls * 0xd6e8feb86659fd93u + key->state * 0xa0761d6478bd642fu +
                 key->tuple * 0xc2b2ae3d27d4eb4fu;

    return (h >> 32) % GROUP_MEMO;
}

static uint32_t intern_group(struct profile_worker *w, const struct group *g)
{
    uint32_t id = intern_add(&w->sums.groups, g, sizeof(*g));
    uint64_t zero = 0;

    if (id == w->sums.without_stack.n / sizeof(zero))
        buf_bytes(&w->sums.without_stack, &zero, sizeof(zero));
    return id;
}

static uint32_t find_group(struct profile_worker *w, const struct group_key *key)
{
    const struct use *u = key->use;
    struct group g = {.kind = u->kind, .rank = (uint32_t)u->how.rank, .labels = NO_NAME};

    profile_no_ends(g.ends);
    if (w->contexts != NULL && w->opt->labels && !profile_label_name(w, key->tuple, &g.labels))
        return INTERN_FAILED;
    if (w->contexts != NULL && w->opt->n_keys > 0 && !profile_key_names(w, key->tuple, g.ends))
        return INTERN_FAILED;
    if (u->state != NULL && (w->opt->states || u->how.skips_sleeping))
        g.ends[PROFILE_STATE] = profile_group_text(w, PROFILE_STATE, u->state, key->state);
    if (u->how.skips_sleeping && g.ends[PROFILE_STATE] != NO_NAME &&
        kind_state_sleeps(intern_get(&w->sums.names, g.ends[PROFILE_STATE], NULL)))
        return PROFILE_NO_GROUP;
    if (!w->opt->states)
        g.ends[PROFILE_STATE] = NO_NAME;
    if (u->thread != NULL)
        g.ends[PROFILE_THREAD] = profile_group_text(w, PROFILE_THREAD, u->thread, key->thread);
    if (u->leaf != NULL)
        g.ends[PROFILE_CLASS] = profile_group_text(w, PROFILE_CLASS, u->leaf, key->cls);
    return intern_group(w, &g);
}

uint32_t profile_group_of(struct profile_worker *w, const struct use *u, const struct jfr_event *ev,
                          const union jfr_value *v)
{
    const struct group_key key = {.use = u,
                                  .thread = u->thread == NULL ? 0 : v[SELECT_THREAD].key,
                                  .state = u->state == NULL ? 0 : v[SELECT_STATE].key,
                                  .cls = u->leaf == NULL ? 0 : v[SLOT_CLASS].key,
                                  .tuple = u->has_context ? context_event(w->contexts, ev) : 0};
    struct group_memo *memo = &w->group_memo[slot_of_key(&key)];

    if (key.tuple == CONTEXT_NONE)
        return INTERN_FAILED;
    if (!is_key_equal(&memo->key, &key))
        *memo = (struct group_memo){key, find_group(w, &key)};
    return memo->group;
}
