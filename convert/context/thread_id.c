/*
 * thread_id.c - identities of threads, by which events of different chunks are joined: contexts of
 * other chunks (carried.c) and scopes (convert/scope).
 */
#include "convert/context/thread_id.h"

const struct jfr_field *thread_id_field(const struct jfr_class *cls)
{
    static const char *const names[] = {"eventThread", "sampledThread"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct jfr_field *f = jfr_class_field(cls, names[i]);

        if (jfr_field_is_key(f))
            return f;
    }
    return NULL;
}

bool thread_id_get(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key,
                   struct thread_id *id)
{
    struct jfr_thread t;

    if (!jfr_thread_get(chunk, cls, key, &t))
        return false;
    *id = (struct thread_id){t.java_id, t.is_virtual ? 0 : t.os_id}; /* some recorders invent one */
    return id->java_id != 0 || id->os_id != 0;
}
