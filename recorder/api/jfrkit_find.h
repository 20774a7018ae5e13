/*
 * jfrkit_find.h - the recorder's functions, if it is in this process: for jfrkit_context.h and
 * jfrkit_event.h.
 */
#ifndef JFRKIT_FIND_H
#define JFRKIT_FIND_H

#include <dlfcn.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What has been found, and the second in which it was looked for in vain. Zero at first. */
struct jk_found {
    const void *api;
    time_t asked;
};

/* Returns what the recorder's function `name` returns, or NULL if there is no recorder. Looks for
 * it once a second until there is one. Several threads may run the lookup at the same time: the
 * result is cached for that second only after the first of them finishes. */
static inline const void *jk_find(struct jk_found *f, const char *name)
{
    const void *(*get)(void) = 0;
    struct timespec now;
    void *agent;

    if (__atomic_load_n(&f->api, __ATOMIC_ACQUIRE) != 0)
        return __atomic_load_n(&f->api, __ATOMIC_ACQUIRE);
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (__atomic_load_n(&f->asked, __ATOMIC_RELAXED) == now.tv_sec + 1)
        return 0;
    *(void **)&get = dlsym(RTLD_DEFAULT, name);
    if (get == 0) {
        agent = dlopen("libjfrkit.so", RTLD_LAZY | RTLD_NOLOAD);
        if (agent != 0)
            *(void **)&get = dlsym(agent, name);
    }
    if (get != 0)
        __atomic_store_n(&f->api, get(), __ATOMIC_RELEASE);
    else
        __atomic_store_n(&f->asked, now.tv_sec + 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&f->api, __ATOMIC_ACQUIRE);
}

#ifdef __cplusplus
}
#endif

#endif
