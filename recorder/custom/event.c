/*
 * event.c - accepts an event that a program commits: checks its threshold and its throttle, and
 * makes a record.
 *
 * from_c.c and from_java.c call it on the thread of the program that commits. An event below the
 * threshold or over the throttle costs a few loads and is not counted; one without a valid type,
 * or that is too large, is counted as lost.
 */
#include "recorder/custom/event.h"

#include "recorder/custom/types.h"
#include "recorder/capture/emit.h"
#include "recorder/capture/lost.h"
#include "recorder/capture/threads.h"

#define JFRKIT_EVENT_INSIDE
#include "recorder/api/jfrkit_event.h"

#include <string.h>

_Static_assert(CUSTOM_VALUES_MAX + sizeof(struct custom_head) <= RECORD_DATA_MAX, "fits a record");

int custom_refused(int type)
{
    if (emit_wanted())
        lost_add(type == JK_NO_MEMORY || type == JK_TOO_MANY_TYPES || type == JK_TOO_MANY_FIELDS
                     ? LOST_TYPES
                     : LOST_UNFIT,
                 1);
    return type < 0 ? type : (int)JK_NO_TYPE;
}

void custom_cut(size_t bytes)
{
    lost_record(LOST_CUT, 1, bytes);
}

/* A virtual thread may have run on several carriers, so it is not known: assumed to be used. */
static bool is_used(const struct custom_event *e)
{
    const struct thread *t = e->thread_key != 0 ? NULL : threads_self();

    return t == NULL || atomic_load_explicit(&t->recorded, memory_order_relaxed) >= e->began;
}

int custom_commit(const struct custom_event *e)
{
    struct custom_type *t = custom_type(e->type);
    int64_t threshold;
    struct custom_head head;

    if (t == NULL)
        return custom_refused(e->type);
    /* Pairs with the release in custom_set(). */
    threshold = atomic_load_explicit(&custom_thresholds[e->type], memory_order_acquire);
    if (e->duration < threshold || !emit_wanted())
        return JK_NOT_WANTED;
    if (e->n_values > CUSTOM_VALUES_MAX) {
        lost_record(LOST_TOO_LARGE, 1, e->n_values);
        return JK_TOO_LARGE;
    }
    head = (struct custom_head){e->is_java, threshold == CUSTOM_NEW, is_used(e)};
    if (threshold != CUSTOM_NEW && t->only_used && !head.is_used)
        return JK_NOT_WANTED;
    if (threshold != CUSTOM_NEW && !throttle_take(&t->throttle, e->began + e->duration))
        return JK_NOT_WANTED;
    return emit(&(struct emit){.engine = &engine_custom,
                               .kind = (uint8_t)(e->type - 1),
                               .with_stack = t->with_stack,
                               .skip = e->skip,
                               .ucontext = e->ucontext,
                               .ticks = e->began,
                               .duration = e->duration,
                               .data = &head,
                               .n_data = sizeof(head),
                               .text = e->values,
                               .n_text = e->n_values,
                               .thread_key = e->thread_key})
               ? JK_RECORDED
               : JK_LOST;
}
