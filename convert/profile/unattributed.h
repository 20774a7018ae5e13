/*
 * unattributed.h - whose events those are that have no user, or no value of another key.
 *
 * In a table for people, one row "-" for all of them says little: much of it is often the JVM's own
 * work, and threads of pools that wait for something to do.
 *
 * Threads: any.
 */
#ifndef CONVERT_PROFILE_UNATTRIBUTED_H
#define CONVERT_PROFILE_UNATTRIBUTED_H

#include "jfrfmt/base/intern.h"
#include "jfrfmt/read/stack.h"

enum unattributed {
    UNATTRIBUTED, /* the program's */
    UNATTRIBUTED_JIT,
    UNATTRIBUTED_GC,
    UNATTRIBUTED_JVM, /* the rest of the JVM, and the recorders in it */
    UNATTRIBUTED_IDLE, /* a thread of a pool, or one like it, waits for work */
    N_UNATTRIBUTED
};

/* By the name of a thread, as the JVM or the system (15 bytes) has it. */
enum unattributed unattributed_thread(const char *name, size_t n);

/* The same by the number of the name in `names`, where each name is looked up once. *memo is an
 * empty buffer to begin with. UNATTRIBUTED if out of memory. */
enum unattributed unattributed_name(struct buf *memo, const struct intern *names, uint32_t name);

/* What is known of the stacks of a field in a chunk; all 0 to begin with. */
struct unattributed_stacks {
    struct jfr_stacks st;
    uint8_t *memo; /* by stack: 0: not known yet, 1: not idle, 2: idle; of the chunk's arena */
};

/* Is a thread that waits with this stack, a value of `field`, idle? False also where it cannot be
 * read. */
bool unattributed_is_idle(struct unattributed_stacks *s, struct jfr_chunk *chunk,
                          const struct jfr_field *field, uint64_t key);

/* "(JVM: GC)", "(idle pool threads)", "(no user)": what a row of `key` is called. */
void unattributed_put(struct buf *b, enum unattributed what, const char *key);

#endif
