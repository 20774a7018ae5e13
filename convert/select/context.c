/*
 * context.c - the filter on contexts: KEY=PATTERN and its variants.
 *
 * select_contexts_fill() reads the options once; select_contexts_match() tests the tuple of an
 * event.
 */
#include "convert/select/internal.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>

static int no_context_memory(struct jfr_error *err)
{
    return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
}

/* KEY, KEY=PATTERN, KEY!=PATTERN. */
static int add_condition(struct select_contexts *list, struct context *context, const char *text,
                         bool negate, struct jfr_error *err)
{
    struct select_context *c;
    const char *equals = strchr(text, '='), *end = equals == NULL ? text + strlen(text) : equals;
    char *key;

    if (!array_add(&list->items, list->n, sizeof(*list->items)))
        return no_context_memory(err);
    c = &list->items[list->n];
    *c = (struct select_context){.negate = negate};
    if (equals != NULL && end > text && end[-1] == '!') {
        c->negate = !negate;
        end--;
    }
    if (end == text)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is not KEY=VALUE", text);
    key = strndup(text, (size_t)(end - text));
    c->key = key == NULL ? CONTEXT_NONE : context_want(context, key);
    free(key);
    if (c->key == CONTEXT_NONE)
        return no_context_memory(err);
    c->is_none = equals != NULL && equals[1] == '\0';
    if (equals != NULL && !c->is_none) {
        c->pattern = pattern_new(equals + 1, err);
        if (c->pattern == NULL)
            return err->code;
    }
    list->n++;
    return 0;
}

int select_contexts_fill(struct select *s, const struct select_spec *spec, struct jfr_error *err)
{
    const struct select_list *lists[] = {&spec->contexts, &spec->not_contexts};
    int rc = 0;

    if (spec->contexts.n + spec->not_contexts.n + spec->keys.n == 0 && !spec->all_keys &&
        (spec->where == NULL || !where_names_context(spec->where)))
        return spec->contexts_from.n == 0
                   ? 0
                   : jfr_fail(err, JFR_E_FORMAT, 0,
                              "--context-from: no other option needs contexts");
    s->contexts_from = spec->contexts_from;
    s->context = context_new();
    if (s->context == NULL)
        return no_context_memory(err);
    if (spec->all_keys)
        context_want_all(s->context);
    for (size_t i = 0; i < spec->keys.n; i++) {
        uint32_t number = context_want(s->context, spec->keys.items[i]);

        if (number == CONTEXT_NONE)
            return no_context_memory(err);
        if (number != i)
            return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is named twice", spec->keys.items[i]);
    }
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->n && rc == 0; i++)
            rc = add_condition(&s->contexts, s->context, lists[l]->items[i], l == 1, err);
    return rc;
}

void select_contexts_free(struct select *s)
{
    for (size_t i = 0; i < s->contexts.n; i++)
        pattern_free(s->contexts.items[i].pattern);
    free(s->contexts.items);
    context_free(s->context);
}

static bool holds(const struct select_context *c, const char *text, size_t n)
{
    if (c->is_none)
        return n == 0;
    return text != NULL && (c->pattern == NULL ? n > 0 : pattern_match(c->pattern, text, n));
}

/* Values of one key are alternatives; keys, and what is excluded, limit one another. */
bool select_contexts_match(const struct select *s, const struct context_run *r, uint32_t tuple)
{
    const struct select_contexts *list = &s->contexts;

    for (size_t i = 0; i < list->n; i++) {
        const struct select_context *c = &list->items[i];
        bool found = false;

        for (size_t k = 0; k < list->n; k++) {
            const struct select_context *other = &list->items[k];
            size_t n = 0;
            const char *text;

            if (other->key != c->key || other->negate != c->negate)
                continue;
            text = context_text(r, tuple, other->key, &n);
            found = found || holds(other, text, n);
        }
        if (found == c->negate)
            return false;
    }
    return true;
}
