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

/* Returns the getter of a key that is these attributes. The attributes of a name are the same for
 * all classes of a chunk, so a chunk has at most one set for each key. */
static struct view_getter attributes_getter(struct view_values *v, uint64_t bits)
{
    size_t i = 0;

    while (i < v->n_attributes && v->attributes[i].bits != bits)
        i++;
    if (i == v->n_attributes) {
        v->attributes[i].bits = bits;
        buf_reset(&v->attributes[i].ordinals);
        v->n_attributes++;
    }
    return (struct view_getter){.rest = "", .what = VIEW_OF_CONTEXT, .attributes = i};
}

/* The field by which a select knows the thread or its state. */
static struct view_getter select_getter(const struct view_values *v, const struct jfr_class *cls,
                                        enum select_slot slot, const char **paths, size_t *n)
{
    const char *path = v->select == NULL ? NULL : select_paths(v->select, cls)[slot];

    return path == NULL ? (struct view_getter){.rest = ""} : view_getter(cls, path, paths, n);
}

struct view_getter view_key_getter(struct view_values *v, const struct jfr_class *cls,
                                   const char *path, const char **paths, size_t *n)
{
    struct view_getter g = {.rest = ""};
    const char *name, *word = word_after(path, VIEW_WORD);
    uint64_t bits = word == NULL ? 0 : attributes_called(v, word);

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
        g = attributes_getter(v, attributes_called(v, name));
    } else if (bits != 0) {
        g = attributes_getter(v, bits);
    } else {
        g = view_getter(cls, word == NULL ? path : word, paths, n);
    }
    return g;
}

bool view_key_is_known(const struct view_values *v, const struct view_getter *g)
{
    return g->what == VIEW_OF_CONTEXT
               ? v->attributes[g->attributes].bits != 0
               : g->field != NULL || g->special != NULL || g->what != VIEW_OF_FIELD;
}

static struct view_value make_text(struct view_values *v, const char *text, size_t n)
{
    buf_reset(&v->text);
    buf_bytes(&v->text, text, n);
    return view_text_value(v);
}

/* The first of the attributes that has a value. */
static struct view_value make_of_tuple(struct view_values *v, uint64_t attributes, uint32_t tuple)
{
    for (; attributes != 0; attributes &= attributes - 1) {
        size_t n;
        const char *text =
            context_attribute_text(contexts_of(v), tuple, (size_t)__builtin_ctzll(attributes), &n);

        if (text != NULL)
            return make_text(v, text, n);
    }
    return (struct view_value){.kind = VIEW_NONE};
}

/* Returns the value of a context key, which is made once for each tuple of a chunk. */
static struct view_value get_of_context(struct view_values *v, struct view_attributes *attributes,
                                        const struct jfr_event *ev)
{
    uint32_t tuple = attributes->bits == 0 ? 0 : context_event(contexts_of(v), ev), *ordinal;
    struct view_value value = {.kind = VIEW_NONE};

    if (tuple == CONTEXT_NONE ||
        !buf_fill(&attributes->ordinals, (tuple + (size_t)1) * sizeof(*ordinal))) {
        v->failed = true;
        return value;
    }
    ordinal = (uint32_t *)(void *)attributes->ordinals.p + tuple;
    if (*ordinal != 0)
        return view_remembered(v, *ordinal);
    if (tuple != 0)
        value = make_of_tuple(v, attributes->bits, tuple);
    view_remember(v, &value, ordinal);
    return value;
}

/* Returns a text that is the same for all events that the getter serves, which is made once. */
static struct view_value get_same_text(struct view_values *v, const struct view_getter *g,
                                       const char *text)
{
    struct view_value value;

    if (*g->ordinals != 0)
        return view_remembered(v, *g->ordinals);
    value = make_text(v, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
    view_remember(v, &value, g->ordinals);
    return value;
}

/* The start of the bucket that a time is in. The time of day in seconds, as other times are shown,
 * would not tell buckets of milliseconds or of different days apart. */
static struct view_value cut_time(struct view_value time, int64_t ns)
{
    int64_t rest = time.kind == VIEW_NUMBER ? time.i % ns : 0;

    time.i -= rest < 0 ? rest + ns : rest;
    time.d = (double)time.i;
    time.format = VIEW_INSTANT;
    time.ordinal = 0;
    return time;
}

struct view_value view_key_get(struct view_values *v, const struct view_getter *g,
                               const struct jfr_event *ev, const union jfr_value *values)
{
    switch (g->what) {
    case VIEW_OF_EVENT:
        return get_same_text(v, g, ev->type->name);
    case VIEW_OF_INPUT:
        return get_same_text(v, g, v->input);
    case VIEW_OF_CONTEXT:
        return get_of_context(v, &v->attributes[g->attributes], ev);
    case VIEW_OF_BUCKET:
        return cut_time(view_get(v, g, ev, values), g->bucket_ns);
    default:
        return view_get(v, g, ev, values);
    }
}
