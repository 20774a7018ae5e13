/*
 * alloc.h - lets allocations fail one by one, in a test that is called *alloc_test.c.
 *
 *     alloc_fail(k, forever);  the k-th from here on fails, and with `forever` all behind it
 *     ...
 *     if (alloc_stop()) ...    true when one has failed
 *
 * One file of a program includes it. What libraries allocate among themselves does not count.
 */
#ifndef JFRFMT_TEST_ALLOC_H
#define JFRFMT_TEST_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static atomic_long alloc_left; /* until one fails; far below 0 without `forever`: none does */
static atomic_bool alloc_armed, alloc_forever, alloc_failed;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static inline void alloc_fail(long k, bool forever)
{
    alloc_left = k;
    alloc_forever = forever;
    alloc_failed = false;
    alloc_armed = true;
}

static inline bool alloc_stop(void)
{
    alloc_armed = false;
    return alloc_failed;
}

static inline bool alloc_fails(void)
{
    long left;

    if (!alloc_armed)
        return false;
    left = atomic_fetch_sub(&alloc_left, 1);
    if (left > 1 || (left < 1 && !alloc_forever))
        return false;
    alloc_failed = true;
    return true;
}

void *__wrap_malloc(size_t n)
{
    return alloc_fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return alloc_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return alloc_fails() ? NULL : __real_realloc(p, n);
}

#endif
