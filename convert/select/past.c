/*
 * past.c - tells allocation samples of before the recording from the others, and counts them.
 *
 * select.c asks it for each jdk.ObjectAllocationSample of a profile.
 */
#include "convert/select/past.h"

/* A thread was seen to allocate 5 GB in a second, in large arrays, and may have had a buffer of its
 * own when the recording began. */
#define BYTES_PER_NS 16
#define BYTES_FREE (8 << 20)

bool past_is_possible(int64_t weight, int64_t began_ns, int64_t now_ns)
{
    uint64_t span = now_ns > began_ns ? (uint64_t)now_ns - (uint64_t)began_ns : 0;

    return weight <= BYTES_FREE || (uint64_t)(weight - BYTES_FREE) / BYTES_PER_NS <= span;
}

bool past_add(struct past *p, int64_t weight, int64_t now_ns)
{
    int64_t key[2] = {now_ns, weight};
    uint32_t n, id;

    pthread_mutex_lock(&p->lock);
    n = (uint32_t)intern_n(&p->seen);
    id = intern_add(&p->seen, key, sizeof(key));
    if (id == n)
        p->bytes += (uint64_t)weight;
    pthread_mutex_unlock(&p->lock);
    return id != INTERN_FAILED;
}
