/*
 * scopes.c - makes and frees the list of scopes, and finds threads and parts in it.
 *
 * read.c fills the list, join.c joins the parts of each scope, cover.c answers what lies inside.
 */
#include "convert/scope/scopes_internal.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

struct scopes *scopes_new(const struct scopes_options *options)
{
    struct scopes *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->options = *options;
    s->key_rank = options->n_keys;
    return s;
}

void scopes_free(struct scopes *s)
{
    if (s == NULL)
        return;
    free(s->parts);
    intern_free(&s->threads);
    intern_free(&s->types);
    intern_free(&s->keys);
    scope_cover_free(s->cover);
    free(s);
}

void scopes_forget_parts(struct scopes *s)
{
    free(s->parts);
    s->parts = NULL;
    s->n = s->room = 0;
}

uint32_t scopes_thread(const struct scopes *s, const struct thread_id *id)
{
    uint32_t number = intern_find(&s->threads, id, sizeof(*id));

    return number == INTERN_FAILED ? SCOPES_NONE : number;
}

uint32_t scopes_find_part(const struct scopes *s, uint32_t thread, int64_t start_ns, int64_t end_ns,
                          const char *type)
{
    const struct scope *p = s->parts;
    uint32_t number = intern_find(&s->types, type, strlen(type)), longer = SCOPES_NONE;
    size_t i = SORTED_FIRST(
        s->n, k, p[k].thread > thread || (p[k].thread == thread && p[k].start_ns >= start_ns));

    for (; i < s->n && p[i].thread == thread && p[i].start_ns == start_ns; i++) {
        if (p[i].type != number)
            continue;
        if (p[i].end_ns == end_ns)
            return (uint32_t)i;
        if (p[i].end_ns > end_ns && longer == SCOPES_NONE)
            longer = (uint32_t)i; /* a first part, which has the end of the whole */
    }
    return longer;
}
