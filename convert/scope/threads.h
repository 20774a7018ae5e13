/*
 * threads.h - the numbers that scopes have for the threads of a chunk, each looked up once.
 *
 *     scope_threads_load(&t, chunk);                        once per chunk
 *     number = scope_threads_number(&t, scopes, cls, key);  for each event
 *
 * Threads: one at a time. Memory comes from the chunk's arena.
 */
#ifndef CONVERT_SCOPE_THREADS_H
#define CONVERT_SCOPE_THREADS_H

#include "convert/scope/scopes.h"

struct scope_threads { /* of the loaded chunk */
    struct jfr_chunk *chunk;
    uint32_t **numbers; /* by class, place in its pool: number + 2, 1: none; 0: not looked up yet */
};

/* Returns 0 or JFR_E_NOMEM. */
int scope_threads_load(struct scope_threads *t, struct jfr_chunk *chunk);

/* Returns the number of the thread with this key among the constants of `cls`, for scopes_covers().
 * SCOPES_NONE if no scope is of it, or out of memory, which the chunk's arena says. */
uint32_t scope_threads_number(struct scope_threads *t, const struct scopes *s,
                              const struct jfr_class *cls, uint64_t key);

#endif
