#include "recorder/capture/emit.h"

#include "recorder/capture/capture.h"
#include "recorder/capture/lost.h"

int64_t emit_now(void)
{
    return jfr_writer_now();
}

bool emit_wanted(void)
{
    struct thread *t;

    if (!capture_is_on())
        return false;
    t = threads_self();
    return t == NULL || !t->is_ours;
}

bool emit(const struct emit *e)
{
    struct capture c = {
        .head = {.engine = e->engine->id,
                 .kind = e->kind,
                 .state = e->state,
                 .weight = e->is_aside     ? 0
                           : e->weight > 0 ? e->weight
                                           : 1,
                 .n_data = (uint16_t)e->n_data,
                 .ticks = e->ticks != 0 ? e->ticks : emit_now(),
                 .duration = e->duration,
                 .thread_key = e->thread_key},
        .with_stack = e->with_stack,
        .is_aside = e->is_aside,
        .skip = e->skip,
        .ucontext = e->ucontext,
        .data = e->data,
        .text = e->text,
        .n_text = e->n_text,
    };
    struct thread *t;
    bool ok = false;

    if (e->n_data + e->n_text > RECORD_DATA_MAX) {
        lost_record(LOST_TOO_LARGE, c.head.weight, e->n_data + e->n_text);
        return false;
    }
    if (!(e->is_end ? capture_enter_end() : capture_enter()))
        return false;
    t = threads_self();
    if (t == NULL)
        lost_record(LOST_NO_THREAD, c.head.weight, sizeof(c.head));
    else if (!t->is_ours)
        ok = capture(t, &c);
    capture_leave();
    return ok;
}
