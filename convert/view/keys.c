/*
 * keys.c - what rows of a view can be grouped by beside fields: threads, states, types of
 * events, inputs, attributes of contexts, and buckets of time.
 *
 * view.c calls it for every key. A key that is a plain field is value.c's.
 */
#include "convert/view/internal.h"

#include <stdlib.h>

static const char *word_after(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);

    return strncmp(path, prefix, n) == 0 ? path + n : NULL;
}

static struct context_run *contexts_of(const struct view_values *v)
{
    return v->select == NULL ? NULL : select_run_context(v->select);
}

/* A bit for each attribute of the chunk that has the name. */
static uint64_t attributes_called(const struct view_values *v, const char *name)
{
    const struct context_run *c = contexts_of(v);
    uint64_t bits = 0;

    _Static_assert(CONTEXT_ATTRIBUTES <= 64, "a bit for each");
    for (size_t i = 0; c != NULL && i < context_n_attributes(c); i++)
        bits |= (uint64_t)context_attribute_is(c, i, name) << i;
    return bits;
}

/* The field by which a select knows the thread or its state. */
static struct view_getter select_getter(const struct view_values *v, const struct jfr_class *cls,
                                        enum select_slot slot, const char **paths, size_t *n)
{
    const char *path = v->select == NULL ? NULL : select_paths(v->select, cls)[slot];

    return path == NULL ? (struct view_getter){.rest = ""} : view_getter(cls, path, paths, n);
}

struct view_getter view_key_getter(const struct view_values *v, const struct jfr_class *cls,
                                   const char *path, const char **paths, size_t *n)
{
    struct view_getter g = {.rest = ""};
    const char *name, *word = word_after(path, VIEW_WORD);

    if (strcmp(path, VIEW_EVENT) == 0) {
        g.what = VIEW_OF_EVENT;
    } else if (strcmp(path, VIEW_INPUT) == 0) {
        g.what = VIEW_OF_INPUT;
    } else if (strcmp(path, VIEW_STATE) == 0) {
        g = select_getter(v, cls, SELECT_STATE, paths, n);
    } else if (strcmp(path, VIEW_THREAD) == 0) {
        g = select_getter(v, cls, SELECT_THREAD, paths, n);
        g.what = VIEW_OF_THREAD;
    } else if ((name = word_after(path, VIEW_BUCKET)) != NULL) {
        g = view_getter(cls, "startTime", paths, n);
        g.what = VIEW_OF_BUCKET;
        g.bucket_ns = strtoll(name, NULL, 10);
    } else if ((name = word_after(path, VIEW_CONTEXT)) != NULL) {
        g.what = VIEW_OF_CONTEXT;
        g.attributes = attributes_called(v, name);
    } else if (word != NULL && (g.attributes = attributes_called(v, word)) != 0) {
        g.what = VIEW_OF_CONTEXT;
    } else {
        g = view_getter(cls, word == NULL ? path : word, paths, n);
    }
    return g;
}

bool view_key_is_known(const struct view_getter *g)
{
    return g->what == VIEW_OF_CONTEXT
               ? g->attributes != 0
               : g->field != NULL || g->special != NULL || g->what != VIEW_OF_FIELD;
}

static struct view_value make_text(struct view_values *v, const char *text, size_t n)
{
    buf_reset(&v->text);
    buf_bytes(&v->text, text, n);
    return view_text_value(v);
}

/* The first of the attributes that has a value. */
static struct view_value get_attribute(struct view_values *v, uint64_t attributes,
                                       const struct jfr_event *ev)
{
    struct context_run *c = contexts_of(v);
    uint32_t tuple = attributes == 0 ? 0 : context_event(c, ev);

    v->failed |= tuple == CONTEXT_NONE;
    for (; tuple != 0 && tuple != CONTEXT_NONE && attributes != 0; attributes &= attributes - 1) {
        size_t n;
        const char *text =
            context_attribute_text(c, tuple, (size_t)__builtin_ctzll(attributes), &n);

        if (text != NULL)
            return make_text(v, text, n);
    }
    return (struct view_value){.kind = VIEW_NONE};
}

/* The start of the bucket that a time is in. */
static struct view_value cut_time(struct view_value time, int64_t ns)
{
    int64_t rest = time.kind == VIEW_NUMBER ? time.i % ns : 0;

    time.i -= rest < 0 ? rest + ns : rest;
    time.d = (double)time.i;
    time.ordinal = 0;
    return time;
}

struct view_value view_key_get(struct view_values *v, const struct view_getter *g,
                               const struct jfr_event *ev, const union jfr_value *values)
{
    struct view_value value;

    switch (g->what) {
    case VIEW_OF_EVENT:
        return make_text(v, ev->type->name, strlen(ev->type->name));
    case VIEW_OF_INPUT:
        return make_text(v, v->input == NULL ? "" : v->input,
                         v->input == NULL ? 0 : strlen(v->input));
    case VIEW_OF_CONTEXT:
        return get_attribute(v, g->attributes, ev);
    case VIEW_OF_BUCKET:
        return cut_time(view_get(v, g, ev, values), g->bucket_ns);
    case VIEW_OF_THREAD: /* threads of one name are one */
        value = view_get(v, g, ev, values);
        value.identity = 0;
        value.ordinal = 0;
        return value;
    default:
        return view_get(v, g, ev, values);
    }
}
