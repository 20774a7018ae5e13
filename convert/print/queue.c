/* queue.c - a binary heap of what waits to be printed. */
#include "convert/print/queue.h"

#include "jfrfmt/base/array.h"

#include <stdlib.h>

static bool is_less(const struct print_item *a, const struct print_item *b)
{
    return a->ns != b->ns ? a->ns < b->ns : a->is_end < b->is_end;
}

bool print_queue_add(struct print_queue *q, const struct print_item *item)
{
    size_t at = q->n;

    if (!array_reserve(&q->items, &q->room, q->n + 1, sizeof(*q->items)))
        return false;
    q->n++;
    while (at > 0 && is_less(item, &q->items[(at - 1) / 2])) {
        q->items[at] = q->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->items[at] = *item;
    return true;
}

struct print_item print_queue_take(struct print_queue *q)
{
    struct print_item first = q->items[0], last = q->items[--q->n];
    size_t at = 0;

    for (size_t child = 1; child < q->n; child = 2 * at + 1) {
        if (child + 1 < q->n && is_less(&q->items[child + 1], &q->items[child]))
            child++;
        if (!is_less(&q->items[child], &last))
            break;
        q->items[at] = q->items[child];
        at = child;
    }
    if (q->n > 0)
        q->items[at] = last;
    return first;
}

void print_queue_free(struct print_queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        free(q->items[i].text);
    free(q->items);
}
