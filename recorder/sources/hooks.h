/*
 * hooks.h - the native methods of jfrkit.weave.Hooks, which changed classes of a program call.
 *
 * They set contexts on the calling thread: keys of MDC as attributes of the context "mdc" (and
 * "mdc2" ..., one for the keys that are chosen together), span and baggage as "otel".
 *
 * Threads: the native methods on any; the functions below on the drain thread.
 */
#ifndef RECORDER_SOURCES_HOOKS_H
#define RECORDER_SOURCES_HOOKS_H

#include "recorder/settings/context_source.h"
#include "recorder/context/context.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#define HOOKS_NATIVES 10
#define HOOKS_KEYS CONTEXT_SLOTS
#define HOOKS_OTHER_KEYS 64 /* keys that are not recorded, of which the names are kept */
#define HOOKS_OTEL 4 /* attributes that "otel" always has: trace_id, span_id, name, route */
#define HOOKS_OTEL_SLOTS 8 /* of these: the ids are 16 and 8 bytes */

extern const JNINativeMethod hooks_natives[HOOKS_NATIVES];

/* true: a recording begins; no key is recorded yet. false: the native methods do nothing. */
void hooks_set_on(bool is_on);

/* Clears the contexts of hooks on all threads: after hooks_set_on(false) and a moment in which
 * those that have begun end, and again before hooks_set_on(true). Without the hooks no thread
 * clears what it had set. */
void hooks_clear_all(void);

/* The contexts of both sources, as a bit for each context type (1 << index). Changes when keys or
 * spans are defined. Any thread. */
uint32_t hooks_mdc_types(void);
uint32_t hooks_span_types(void);

/* Are the native methods to do something? */
bool hooks_are_on(void);

/* Returns whether the source has set a value, or a key that is not recorded, since
 * hooks_set_on(true). */
bool hooks_has_delivered(enum source source);

/* Defines a context of n more keys of MDC and records them from now on. hooks is the class
 * jfrkit.weave.Hooks. is_in_place: Java code may set them in the records of threads
 * (tasks_initialize()). Returns 0, or -1 if there is no room for a context with so many attributes.
 */
int hooks_add_keys(JNIEnv *env, jclass hooks, bool is_in_place, const char *const *keys, size_t n);

/* The number of recorded keys, and the name of one. */
size_t hooks_n_keys(void);
const char *hooks_key(size_t i);

/* The number of keys that the program has set before they were recorded, if they ever are, and the
 * name of one, which is copied. They are in the order of their first use. */
size_t hooks_n_other_keys(void);
void hooks_other_key(size_t i, char out[CONTEXT_NAME_MAX]);

/* Defines the context "otel" with n further attributes: baggage ("baggage:user"), "kind", or
 * attributes of the local root span. spans is the class jfrkit.weave.Spans. is_in_place and the
 * result are as above. */
int hooks_define_spans(JNIEnv *env, jclass spans, bool is_in_place,
                       char (*keys)[CONTEXT_SOURCE_KEY], size_t n);

/* From now on Java code sets no values in the records of threads: a recording ends. */
void hooks_leave_records(JNIEnv *env, jclass hooks, jclass spans);

/* Copies the text of the first exception that a hook has caught; "" if there was none. Hooks
 * switch themselves off after a hundred. */
void hooks_failure(char out[CONTEXT_NAME_MAX]);

#endif
