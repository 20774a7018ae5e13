/*
 * hooks.h - what changed classes tell: the natives of jfrkit.weave.Hooks.
 *
 * A value is set on the thread that tells it, as an attribute of a context: of "mdc" (and "mdc2"
 * ..., one for the keys that are chosen together), and of "otel".
 *
 * Threads: natives on any; the other functions on the drain thread.
 */
#ifndef RECORDER_SOURCES_HOOKS_H
#define RECORDER_SOURCES_HOOKS_H

#include "recorder/settings/context_source.h"
#include "recorder/context/context.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#define HOOKS_NATIVES 6
#define HOOKS_KEYS CONTEXT_SLOTS
#define HOOKS_MET 64 /* keys of a program that are remembered */
#define HOOKS_OTEL 4 /* attributes that "otel" always has: trace_id, span_id, name, route */

extern const JNINativeMethod hooks_natives[HOOKS_NATIVES];

/* true: a recording begins, in which no key is recorded yet. false: nothing is set any more. */
void hooks_set_on(bool is_on);

/* Has a source told anything since hooks_set_on(true)? */
bool hooks_has_told(enum source source);

/* A context of n more keys of MDC, which are recorded from now on, by hooks: jfrkit.weave.Hooks. 0,
 * or -1: there is no room for a context with so many attributes. */
int hooks_add_keys(JNIEnv *env, jclass hooks, const char *const *keys, size_t n);

/* Which ones are recorded: their number, and one. */
size_t hooks_n_keys(void);
const char *hooks_key(size_t i);

/* Keys that a program has set and that are not recorded, in the order of the first time: how many,
 * and one, of CONTEXT_NAME_MAX bytes. */
size_t hooks_n_met(void);
void hooks_met(size_t i, char out[CONTEXT_NAME_MAX]);

/* The context "otel", with further keys as attributes; spans: jfrkit.weave.Spans. 0, or -1 as
 * above. */
int hooks_define_spans(JNIEnv *env, jclass spans, const char (*keys)[CONTEXT_SOURCE_KEY], size_t n);

/* What hooks have failed with, the first time; "" if they have not. A source that fails goes on
 * with what works. */
void hooks_failure(char out[CONTEXT_NAME_MAX]);

#endif
