/* part.c - memory of rendered events: who frees what, and when. */
#include "convert/print/part.h"

#include <stdlib.h>

struct print_traces *print_traces_new(void)
{
    struct print_traces *traces = calloc(1, sizeof(*traces));

    if (traces != NULL)
        atomic_store(&traces->n_users, 1);
    return traces;
}

void print_traces_release(struct print_traces *traces)
{
    if (traces == NULL || atomic_fetch_sub(&traces->n_users, 1) > 1)
        return;
    arena_free(&traces->arena);
    free(traces);
}

struct print_part *print_part_new(struct print_traces *traces)
{
    struct print_part *part = calloc(1, sizeof(*part));

    if (part == NULL)
        return NULL;
    atomic_fetch_add(&traces->n_users, 1);
    part->traces = traces;
    return part;
}

void print_part_free(struct print_part *part)
{
    if (part == NULL)
        return;
    print_traces_release(part->traces);
    buf_free(&part->texts);
    free(part->items);
    free(part);
}

void print_part_release(struct print_part *part)
{
    if (--part->n_left == 0)
        print_part_free(part);
}
