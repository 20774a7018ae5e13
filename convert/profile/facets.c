/*
 * facets.c - the dimensions of single samples and their values, numbered in the order in which they
 * are added.
 *
 * facets_chunk.c fills them for a chunk, facets_merge.c joins chunks, facets_finish.c gives the
 * values their final numbers.
 */
#include "convert/profile/facets_internal.h"

#include <stdlib.h>

struct facets *facets_new(void)
{
    static const char *const fixed[FACET_FIXED] = {"thread", "state", "event", "input"};
    struct facets *f = calloc(1, sizeof(*f));

    for (int i = 0; i < FACET_FIXED && f != NULL; i++)
        facets_dim(f, fixed[i], strlen(fixed[i]));
    return f;
}

void facets_free(struct facets *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < FACETS_DIMS; i++) {
        intern_free(&f->dims[i].texts);
        free(f->dims[i].rank);
        free(f->dims[i].by_rank);
        free(f->dims[i].count);
    }
    intern_free(&f->dim_names);
    intern_free(&f->tuples);
    buf_free(&f->inputs);
    buf_free(&f->events);
    buf_free(&f->samples);
    buf_free(&f->shapes);
    buf_free(&f->weights);
    free(f->sorted);
    free(f->by_tuple);
    free(f->has);
    free(f);
}

void facets_split_rest(struct facets *f)
{
    f->splits_rest = true;
}

void facets_set_places(struct facets *f, const struct facets_places *places)
{
    f->places = *places;
}

void facets_set_field(struct facets *f, const char *field)
{
    f->field = field;
}

const char *facets_field(const struct facets *f)
{
    return f->field;
}

const char *facets_field_unit(const struct facets *f)
{
    return f->unit != NULL && *f->unit != '\0' ? f->unit : f->field;
}

uint32_t facets_dim(struct facets *f, const char *name, size_t n)
{
    size_t known = intern_n(&f->dim_names);
    uint32_t dim;

    if (known == FACETS_DIMS) { /* those that are known can still be found */
        for (dim = 0; dim < known; dim++) {
            size_t length;
            const char *text = intern_get(&f->dim_names, dim, &length);
            if (length == n && memcmp(text, name, n) == 0)
                return dim;
        }
        return UINT32_MAX;
    }
    dim = intern_add(&f->dim_names, name, n);
    if (dim == INTERN_FAILED ||
        (dim == known && intern_add(&f->dims[dim].texts, "", 0) == INTERN_FAILED))
        f->failed = true;
    return dim;
}

uint32_t facets_value(struct facets *f, uint32_t dim, const char *text, size_t n)
{
    uint32_t value = dim >= FACETS_DIMS ? 0 : intern_add(&f->dims[dim].texts, text, n);

    if (value != INTERN_FAILED)
        return value;
    f->failed = true;
    return FACET_NONE;
}
