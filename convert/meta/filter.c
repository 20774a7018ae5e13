/*
 * filter.c - which event types the reference of jfrmeta shows: by name, category, and use.
 *
 * Patterns are added while options are read; meta_is_shown() applies them when the reference is
 * written. The types themselves are collected by meta.c.
 */
#include "convert/meta/meta.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

static int add(struct meta_patterns *p, const char *text, struct jfr_error *err)
{
    if (!array_add(&p->items, p->n, sizeof(*p->items)))
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    p->items[p->n] = pattern_new(text, err);
    if (p->items[p->n] == NULL)
        return err->code;
    p->n++;
    return 0;
}

int meta_patterns_add(struct meta_patterns *p, const char *list, struct jfr_error *err)
{
    char *copy, *rest, *item;
    int rc = 0;

    if (list[0] == '/')
        return add(p, list, err);
    copy = strdup(list);
    if (copy == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    for (item = strtok_r(copy, ", ", &rest); item != NULL && rc == 0;
         item = strtok_r(NULL, ", ", &rest))
        rc = add(p, item, err);
    free(copy);
    return rc;
}

void meta_patterns_free(struct meta_patterns *p)
{
    for (size_t i = 0; i < p->n; i++)
        pattern_free(p->items[i]);
    free(p->items);
    *p = (struct meta_patterns){0};
}

bool meta_is_filtered(const struct meta *m)
{
    return m->options.events.n + m->options.categories.n > 0;
}

static bool matches(const struct meta_patterns *p, const char *text)
{
    for (size_t i = 0; i < p->n; i++)
        if (pattern_match(p->items[i], text, strlen(text)))
            return true;
    return false;
}

static bool is_chosen(const struct meta_options *o, const struct meta_type *t)
{
    bool event = matches(&o->events, t->name) || matches(&o->events, meta_simple_name(t->name));
    bool category = false;

    for (size_t i = 0; t->category != NULL && i < t->category->n && !category; i++)
        category = matches(&o->categories, t->category->values[i]);
    if (o->events.n == 0 || o->categories.n == 0)
        return event || category;
    return o->compat == 17 ? event || category : event && category;
}

bool meta_is_shown(const struct meta *m, const struct meta_type *t)
{
    const struct meta_options *o = &m->options;

    if (o->used && t->stats.n == 0)
        return false;
    return !meta_is_filtered(m) || (t->kind == META_EVENT && is_chosen(o, t));
}

bool meta_is_empty(const void *meta)
{
    const struct meta *m = meta;

    for (size_t i = 0; i < m->n_types; i++)
        if (meta_is_shown(m, &m->types[i]))
            return false;
    return true;
}
