/*
 * jfrkit_context.h - say for whom a thread works, so that every event it records says it too.
 *
 *     static const char *const names[] = {"user", "action"};
 *     jk_context_type requests = jk_context_define("requests", names, 2);
 *
 *     const char *const values[] = {user, "store"};
 *     int depth = jk_context_push(requests, values);
 *     ...work...
 *     jk_context_pop(depth);
 *
 * Needs nothing to link with and nothing to run: without the recorder in the process all of this
 * does nothing, quickly. A recorder that is attached later is noticed within a second; types that
 * were defined before are defined again then, on their next use.
 *
 * Limits:  8 types, 16 attributes of a type and 24 of all types together, values of 255 bytes of
 *          UTF-8 (longer ones are cut), 32 nested pushes. Calls over a limit have no effect.
 * Values:  NULL is none. Texts are copied.
 * Threads: all calls are about the calling thread. Types may be defined on any.
 * Signals: not async-signal-safe.
 */
#ifndef JFRKIT_CONTEXT_H
#define JFRKIT_CONTEXT_H

#include "jfrkit_find.h" /* lies beside it, wherever the two are installed */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JK_CONTEXT_ATTRIBUTES 16
#define JK_CONTEXT_WORDS 24

/* 0 and below: not active. */
typedef int jk_context_type;

/* Everything that is set on a thread. To be dropped once; may be restored any number of times, on
 * any thread, before that. */
struct jk_context_snapshot {
    uint32_t values[JK_CONTEXT_WORDS];
};

/* What the recorder offers. Grows at the end only. */
struct jk_context_api {
    uint32_t size; /* of this struct */
    jk_context_type (*define)(const char *name, const char *const *attributes, int n);
    int (*push)(jk_context_type type, const char *const *values);
    void (*pop)(int depth);
    void (*set)(jk_context_type type, int attribute, const char *value);
    void (*clear)(jk_context_type type);
    void (*snapshot)(struct jk_context_snapshot *out);
    void (*restore)(const struct jk_context_snapshot *in);
    void (*drop)(struct jk_context_snapshot *snapshot);
    int (*is_recording)(void);
};

/* The number in its name changes with struct jk_context_snapshot. */
#ifdef JFRKIT_CONTEXT_INSIDE /* the recorder itself */
const struct jk_context_api *jfrkit_context_api_2(void);
#else

/* The recorder's functions, or NULL: there is none. */
static inline const struct jk_context_api *jk_context_find(void)
{
    static struct jk_found found;

    return (const struct jk_context_api *)jk_find(&found, "jfrkit_context_api_2");
}

/* Names a type and its attributes, which appear in events as fields "name_attribute". The same type
 * again is the same type. Not active: there is no recorder (ask again later), it is full, or there
 * is a type of this name with other attributes. */
static inline jk_context_type jk_context_define(const char *name, const char *const *attributes,
                                                int n)
{
    const struct jk_context_api *api = jk_context_find();

    return api == 0 ? 0 : api->define(name, attributes, n);
}

/* Sets all attributes of a type, one value for each, until the pop. What to give to it. */
static inline int jk_context_push(jk_context_type type, const char *const *values)
{
    const struct jk_context_api *api = type <= 0 ? 0 : jk_context_find();

    return api == 0 ? 0 : api->push(type, values);
}

/* Restores what was before that push, and undoes those that came after it. */
static inline void jk_context_pop(int depth)
{
    const struct jk_context_api *api = depth <= 0 ? 0 : jk_context_find();

    if (api != 0)
        api->pop(depth);
}

/* Sets one attribute, counted from 0, until it is set again or a pop restores it. */
static inline void jk_context_set(jk_context_type type, int attribute, const char *value)
{
    const struct jk_context_api *api = type <= 0 ? 0 : jk_context_find();

    if (api != 0)
        api->set(type, attribute, value);
}

/* Sets all attributes of a type to none. */
static inline void jk_context_clear(jk_context_type type)
{
    const struct jk_context_api *api = type <= 0 ? 0 : jk_context_find();

    if (api != 0)
        api->clear(type);
}

/* Takes what is set on this thread, to restore it on another. */
static inline void jk_context_take_snapshot(struct jk_context_snapshot *out)
{
    const struct jk_context_api *api = jk_context_find();

    for (int i = 0; i < JK_CONTEXT_WORDS; i++)
        out->values[i] = 0;
    if (api != 0)
        api->snapshot(out);
}

/* Sets all attributes of all types to those of the snapshot. */
static inline void jk_context_restore(const struct jk_context_snapshot *in)
{
    const struct jk_context_api *api = jk_context_find();

    if (api != 0)
        api->restore(in);
}

static inline void jk_context_drop(struct jk_context_snapshot *snapshot)
{
    const struct jk_context_api *api = jk_context_find();

    if (api != 0)
        api->drop(snapshot);
}

/* Is there a recorder, and does it record? */
static inline int jk_context_is_recording(void)
{
    const struct jk_context_api *api = jk_context_find();

    return api == 0 ? 0 : api->is_recording();
}

#endif /* JFRKIT_CONTEXT_INSIDE */

#ifdef __cplusplus
}
#endif

#endif
