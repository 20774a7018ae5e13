/* queue.c - a binary heap of what waits to be printed. */
#include "convert/print/queue.h"

#include "jfrfmt/base/array.h"

#include <stdlib.h>

static bool is_entry_before(const struct print_entry *a, const struct print_entry *b)
{
    return a->ns != b->ns ? a->ns < b->ns : a->item->is_end < b->item->is_end;
}

bool print_queue_add(struct print_queue *q, struct print_item *item)
{
    struct print_entry entry = {item->ns, item};
    size_t at = q->n;

    if (!array_reserve(&q->entries, &q->room, q->n + 1, sizeof(*q->entries)))
        return false;
    q->n++;
    while (at > 0 && is_entry_before(&entry, &q->entries[(at - 1) / 2])) {
        q->entries[at] = q->entries[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->entries[at] = entry;
    return true;
}

struct print_item *print_queue_take(struct print_queue *q)
{
    struct print_entry first = q->entries[0], last = q->entries[--q->n];
    size_t at = 0;

    for (size_t child = 1; child < q->n; child = 2 * at + 1) {
        if (child + 1 < q->n && is_entry_before(&q->entries[child + 1], &q->entries[child]))
            child++;
        if (!is_entry_before(&q->entries[child], &last))
            break;
        q->entries[at] = q->entries[child];
        at = child;
    }
    if (q->n > 0)
        q->entries[at] = last;
    return first.item;
}

void print_queue_free(struct print_queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        print_part_release(q->entries[i].item->part);
    free(q->entries);
}
