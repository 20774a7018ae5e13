/* thread_names.c - records a new kernel name of a native thread. Signal handlers call it, so it
 * only compares 16 bytes and makes a record. */
#include "recorder/capture/thread_names.h"

#include "recorder/capture/capture.h"

#include <string.h>

/* ASYNC-SIGNAL-SAFE */
void thread_names_native(struct thread *t, const char comm[NAMES_COMM])
{
    uint64_t words[2];

    memcpy(words, comm, sizeof(words));
    if (atomic_load_explicit(&t->comm[0], memory_order_relaxed) == words[0] &&
        atomic_load_explicit(&t->comm[1], memory_order_relaxed) == words[1])
        return;
    if (!capture(t, &(struct capture){.head = {.engine = engine_names.id,
                                               .kind = THREAD_NAME_NATIVE,
                                               .n_data = sizeof(words)},
                                      .is_aside = true,
                                      .is_other = true,
                                      .data = words}))
        return;
    atomic_store_explicit(&t->comm[0], words[0], memory_order_relaxed);
    atomic_store_explicit(&t->comm[1], words[1], memory_order_relaxed);
}
