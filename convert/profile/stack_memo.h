/*
 * stack_memo.h - stacks that an earlier chunk had already, found by their undecoded bytes.
 *
 * A JVM writes the same stacks into chunk after chunk, with the same method keys. Where a key means
 * the same method as before, equal bytes mean equal stacks, and need not be decoded again. That is
 * checked, not assumed: every method has a number that it keeps as long as its key and strings go
 * together, and a stack counts as known only while all of its methods are defined in the chunk at
 * hand. So the result does not depend on which chunks a worker has seen.
 *
 * Bytes and strings are compared by hashes with a random seed (128 and 64 bits).
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_PROFILE_STACK_MEMO_H
#define CONVERT_PROFILE_STACK_MEMO_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/hashtable.h"

#define STACK_UNKNOWN UINT32_MAX
#define METHOD_UNKNOWN UINT32_MAX

struct stack_hash {
    uint64_t low, high;
};

struct stack_memo {
    uint64_t types; /* for the caller: what frame types meant in the last chunk, as a hash */
    uint32_t epoch; /* of the chunk at hand */
    struct buf methods; /* of struct memo_method, by number */
    struct buf epochs; /* of uint32_t, by number: of the last chunk that defined the method */
    size_t n_defined; /* methods that the chunk at hand defines */
    struct hashtable method_numbers; /* the newest number of each key */
    struct buf stacks; /* of struct memo_stack */
    struct hashtable stack_places;
    struct buf frames; /* of uint32_t: the methods of the stacks */
};

/* Starts with a chunk: no method is defined in it yet. */
void stack_memo_begin(struct stack_memo *m);

/* Forgets all stacks and methods: frames mean something else from here on. */
void stack_memo_clear(struct stack_memo *m);

/* The number of a method that the chunk defines with n bytes that say what it is; METHOD_UNKNOWN
 * if out of memory. */
uint32_t stack_memo_define(struct stack_memo *m, uint64_t key, const void *strings, size_t n);

/* A number that the caller keeps with a method, by the method's number; 0 at first. Valid until the
 * next method is defined. */
uint32_t *stack_memo_note(const struct stack_memo *m, uint32_t method);

struct stack_hash stack_memo_hash(const void *bytes, size_t n);

/* Brings near what stack_memo_find() will look at: first the one for all stacks of a batch, then
 * the next one. Looking for 60 000 stacks takes half as long so. */
void stack_memo_expect(const struct stack_memo *m, struct stack_hash hash);
void stack_memo_expect_more(const struct stack_memo *m, struct stack_hash hash);
void stack_memo_expect_methods(const struct stack_memo *m, struct stack_hash hash);

/* The stack given to stack_memo_learn(), if all methods are those of the chunk; else STACK_UNKNOWN.
 */
uint32_t stack_memo_find(const struct stack_memo *m, struct stack_hash hash);

/* Notes a stack: `methods` are the numbers of its n frames. False if out of memory. */
bool stack_memo_learn(struct stack_memo *m, struct stack_hash hash, uint32_t stack,
                      const uint32_t *methods, uint32_t n);

void stack_memo_free(struct stack_memo *m);

#endif
