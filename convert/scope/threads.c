/* threads.c - remembers for each thread of a chunk which number the scopes have for it. */
#include "convert/scope/threads.h"

int scope_threads_load(struct scope_threads *t, struct jfr_chunk *chunk)
{
    t->chunk = chunk;
    t->numbers = arena_array(jfr_chunk_arena(chunk), jfr_chunk_metadata(chunk)->n_classes,
                             sizeof(*t->numbers));
    return t->numbers == NULL ? JFR_E_NOMEM : 0;
}

uint32_t scope_threads_number(struct scope_threads *t, const struct scopes *s,
                              const struct jfr_class *cls, uint64_t key)
{
    const struct jfr_pool *pool = jfr_chunk_pool(t->chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    struct thread_id id;
    uint32_t *number;

    if (i >= 0 && t->numbers[cls->index] == NULL)
        t->numbers[cls->index] =
            arena_array(jfr_chunk_arena(t->chunk), jfr_pool_n(pool), sizeof(*number));
    if (i < 0 || t->numbers[cls->index] == NULL)
        return SCOPES_NONE;
    number = &t->numbers[cls->index][i];
    if (*number == 0)
        *number = thread_id_get(t->chunk, cls, key, &id) ? scopes_thread(s, &id) + 2 : 1;
    return *number - 2;
}
