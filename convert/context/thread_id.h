/*
 * thread_id.h - what identifies a thread in all chunks and recorders of its process. The keys by
 * which events refer to threads hold in one chunk only.
 *
 * Threads: like the chunk.
 */
#ifndef CONVERT_CONTEXT_THREAD_ID_H
#define CONVERT_CONTEXT_THREAD_ID_H

#include "jfrfmt/jfr.h"

struct thread_id { /* without padding: equal threads have equal bytes */
    int64_t java_id;
    int64_t os_id; /* 0 for virtual threads: the system has no number for them */
};

/* Returns the field of an event type that says which thread it is about, or NULL. */
const struct jfr_field *thread_id_field(const struct jfr_class *cls);

/* Reads the identity of the thread with this key among the constants of `cls`, java.lang.Thread of
 * the loaded chunk. Returns false if there is no such thread, or if it has no number at all. */
bool thread_id_get(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key,
                   struct thread_id *id);

#endif
