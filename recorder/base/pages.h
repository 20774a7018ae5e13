/*
 * pages.h - large memory that is needed for a moment or in small parts, straight from the system.
 *
 *     char *text = pages_take(n);
 *     ...
 *     pages_give(text, n);
 *
 * malloc() keeps what was large once: after a block of 4 MB is freed, blocks up to that size come
 * from a heap which does not shrink any more, and a JVM has that much more resident memory.
 *
 * Threads: any. Signals: not in handlers.
 */
#ifndef RECORDER_BASE_PAGES_H
#define RECORDER_BASE_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* n bytes of zeros, n > 0, which are resident as far as they are touched; NULL: there is no memory.
 */
static inline void *pages_take(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    madvise(p, n, MADV_NOHUGEPAGE); /* or the first byte costs 2 MB */
    return p;
}

/* Gives them back; p may be NULL. */
static inline void pages_give(void *p, size_t n)
{
    if (p != NULL)
        munmap(p, n);
}

#endif
