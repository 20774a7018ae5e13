/*
 * api.c - the functions of jfrkit_context.h, by which C programs set contexts on the calling
 * thread.
 *
 * A program finds them by dlsym(), so they have no other callers. They intern texts (values.c) and
 * set ids (context.c).
 */
#define JFRKIT_CONTEXT_INSIDE
#include "recorder/context/context.h"

#include "recorder/context/values.h"
#include "recorder/capture/emit.h"
#include "recorder/api/jfrkit_context.h"

#include <string.h>

static uint32_t intern(const char *text)
{
    return text == NULL ? VALUE_NULL : values_intern(text, strlen(text));
}

static jk_context_type api_define(const char *name, const char *const *attributes, int n)
{
    return n < 0 ? 0 : context_define(name, attributes, (size_t)n);
}

/* A token that fits in an int: the depth, and as many bits of the serial as fit below the sign. */
static int short_token(int64_t token)
{
    return (int)((token & 0x3f) | (token >> 8 & 0x1ffffff) << 6);
}

static int api_push(jk_context_type type, const char *const *values)
{
    const struct context_type *t = context_type_of(type);
    uint32_t ids[CONTEXT_SLOTS];

    if (t == NULL)
        return 0;
    for (size_t i = 0; i < t->n; i++)
        ids[i] = values == NULL ? VALUE_NULL : intern(values[i]);
    return short_token(context_open(type, ids, t->n));
}

static void api_pop(int token)
{
    uint32_t depth = (uint32_t)token & 0x3f, serial = context_serial(depth);

    if (token > 0 && (serial & 0x1ffffff) == (uint32_t)token >> 6)
        context_close_at(depth, serial);
}

static void api_set(jk_context_type type, int attribute, const char *value)
{
    if (attribute >= 0)
        context_set(type, (size_t)attribute, intern(value));
}

static void api_snapshot(struct jk_context_snapshot *out)
{
    context_get(out->values);
    for (int i = 0; i < CONTEXT_SLOTS; i++)
        if (context_is_text((size_t)i))
            values_pin(out->values[i]);
}

static void api_restore(const struct jk_context_snapshot *in)
{
    context_put(CONTEXT_ALL_TYPES, in->values);
}

static void api_drop(struct jk_context_snapshot *snapshot)
{
    for (int i = 0; i < CONTEXT_SLOTS; i++) {
        if (context_is_text((size_t)i))
            values_unpin(snapshot->values[i]);
        snapshot->values[i] = VALUE_NULL;
    }
}

static int api_is_recording(void)
{
    return emit_wanted();
}

__attribute__((visibility("default"))) const struct jk_context_api *jfrkit_context_api_2(void)
{
    static const struct jk_context_api api = {
        sizeof(api),   api_define,   api_push,    api_pop,  api_set,
        context_clear, api_snapshot, api_restore, api_drop, api_is_recording,
    };

    return context_init() == 0 ? &api : NULL;
}
