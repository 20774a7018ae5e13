/*
 * stacks.h - the stacks of a chunk's events, each read once, and the time of samples by method.
 *
 *     slow_stacks_load(&s, chunk);                                once per chunk
 *     stack = slow_stacks_read(&s, st, key);                      for each event
 *     slow_stacks_add(&s, stack, is_cpu, scope, ns);              for each sample that counts
 *     slow_stacks_to_factors(&s, &factors);                       at the end of the chunk
 *
 * Threads: one at a time. Memory for the loaded chunk comes from its arena.
 */
#ifndef CONVERT_SLOW_STACKS_H
#define CONVERT_SLOW_STACKS_H

#include "convert/slow/slow_internal.h"

struct slow_stacks {
    struct jfr_chunk *chunk;
    const struct jfr_stacks *st; /* that the rest is of; NULL: none was read yet */
    uint32_t *places; /* by trace: its place in `frames` + 1; 0: not read yet */
    struct buf frames; /* uint32_t: number of frames, place of the program's first one, names */
    uint32_t *methods; /* by place in their pool: name + 1; 0: not named; the last: unknown ones */
    size_t n_methods;
    struct buf sums; /* struct slow_name, by number of the name */
    struct intern names;
    struct buf text;
};

void slow_stacks_load(struct slow_stacks *s, struct jfr_chunk *chunk);
void slow_stacks_free(struct slow_stacks *s);

/* Returns the number of the stack with this key; 0 if there is none, it is damaged, or memory is
 * exhausted (which the chunk's arena says). */
uint32_t slow_stacks_read(struct slow_stacks *s, const struct jfr_stacks *st, uint64_t key);

/* The first method of the program on a stack; "" if there is none. Valid until the next call. */
const char *slow_stacks_where(struct slow_stacks *s, uint32_t stack);

/* Adds a sample of a scope to the methods on its stack. */
void slow_stacks_add(struct slow_stacks *s, uint32_t stack, bool is_cpu,
                     const struct slow_scope *scope, double ns);

/* Adds the sums of all methods. Returns false if out of memory. */
bool slow_stacks_to_factors(struct slow_stacks *s, struct factors *f);

/* Is it a method of the JDK, of a native library or of the kernel? */
bool slow_is_platform_method(const char *name);

#endif
