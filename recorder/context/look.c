/* look.c - records seen by other threads than their own. */
#include "recorder/context/internal.h"

#include "recorder/capture/virtual_names.h"

#include <string.h>

void context_thread_name(uint32_t number, uint64_t thread_key, char out[CONTEXT_THREAD_NAME])
{
    const struct context_record *r = number == 0 ? NULL : context_record_at(number - 1);

    out[0] = '\0';
    if (r != NULL && atomic_load_explicit(&r->thread_key, memory_order_acquire) == thread_key) {
        memcpy(out, r->thread_name, CONTEXT_THREAD_NAME);
        out[CONTEXT_THREAD_NAME - 1] = '\0';
        atomic_thread_fence(memory_order_acquire);
        if (READ(r->thread_key) != thread_key)
            out[0] = '\0';
    }
    if (out[0] == '\0')
        virtual_names_get(thread_key, out);
}

struct each_thread {
    void (*tell)(int32_t tid, struct context_record *record, void *arg);
    void *arg;
};

static void visit_thread(struct context_record *r, void *arg)
{
    const struct each_thread *to = arg;

    if (r->tid > 0)
        to->tell(r->tid, r, to->arg);
}

void context_each_thread(void (*tell)(int32_t tid, struct context_record *record, void *arg),
                         void *arg)
{
    context_each_record(visit_thread, &(struct each_thread){tell, arg});
}

/* A copy counts only if no change was begun meanwhile: one that had been begun before is made where
 * nobody looks. */
bool context_read_other(struct context_record *r, int32_t tid, uint32_t out[CONTEXT_SLOTS])
{
    for (int tries = 0; tries < 100; tries++) {
        uint32_t before = atomic_load_explicit(&r->changes, memory_order_acquire), any;

        memset(out, 0, CONTEXT_SLOTS * sizeof(*out));
        any = context_copy_out(r, out);
        atomic_thread_fence(memory_order_acquire);
        if (READ(r->changes) != before)
            continue;
        if (any == 0 || r->tid != tid)
            return false;
        atomic_fetch_add_explicit(&r->n_read, 1, memory_order_relaxed);
        return true;
    }
    return false;
}

/* An id that is taken meanwhile is found by the next look before it is forgotten. */
static void mark_values(struct context_record *r, void *mark)
{
    uint32_t depth = atomic_load_explicit(&r->depth, memory_order_acquire);
    void (*f)(uint32_t) = *(void (**)(uint32_t))mark;

    for (uint32_t area = 0; area < 2 * (depth + 1); area++)
        for (int i = 0; i < CONTEXT_SLOTS; i++)
            f(READ(r->areas[area][i])); /* of bytes, too: at worst a value stays longer */
}

void context_each_value(void (*mark)(uint32_t id))
{
    context_each_record(mark_values, &mark);
}

#define OPEN_MAX (CONTEXT_DEPTH + CONTEXT_TYPES)

struct open_scopes {
    bool (*tell)(const struct context_scope *scope, int32_t tid, void *arg);
    int64_t until;
    void *arg;
};

/* How many scopes are open, and in *where their values. A thread may stand between the store that
 * brings a scope into force, or takes it out, and that of the depth: `where` is right then. */
static uint32_t settled(const struct context_record *r, uint64_t *where)
{
    uint32_t depth = atomic_load_explicit(&r->depth, memory_order_acquire), type;

    *where = atomic_load_explicit(&r->where, memory_order_acquire);
    if (depth > CONTEXT_DEPTH)
        return 0;
    while (depth > 0) {
        type = READ(r->scopes[depth - 1].type) % CONTEXT_TYPES;
        if (context_area(*where, type) / 2 >= depth)
            break;
        depth--;
    }
    if (depth < CONTEXT_DEPTH) {
        type = READ(r->scopes[depth].type) % CONTEXT_TYPES;
        if (context_area(*where, type) / 2 == depth + 1)
            *where = context_with_area(*where, type, READ(r->scopes[depth].before));
    }
    return depth;
}

/* Scopes that are open, from the innermost one; how many. */
static uint32_t copy_scopes(struct context_record *r, struct context_scope out[OPEN_MAX])
{
    uint64_t where;
    uint32_t n = 0;

    for (uint32_t d = settled(r, &where); d > 0; d--)
        out[n++] = context_copy_scope(r, d, &where);
    for (size_t t = 0; t < context_n_types(); t++)
        n += context_copy_base(r, t, where, &out[n]);
    return n;
}

/* The thread may end the scope meanwhile: who finds it told of finds until when. */
static void note_reported(struct context_record *r, const struct context_scope *scope,
                          int64_t until)
{
    struct scope *s = context_scope_at(r, scope->depth, scope->type);

    WRITE(s->reported_until, until);
    atomic_store_explicit(&s->reported, context_part(scope), memory_order_release);
}

/* A copy counts only if its thread changed nothing meanwhile. */
static void report_open(struct context_record *r, void *arg)
{
    const struct open_scopes *to = arg;
    struct context_scope scopes[OPEN_MAX];

    for (int tries = 0; tries < 100; tries++) {
        uint32_t before = atomic_load_explicit(&r->changes, memory_order_acquire);
        uint32_t n = copy_scopes(r, scopes);

        atomic_thread_fence(memory_order_acquire);
        if (READ(r->changes) != before)
            continue;
        while (n-- > 0)
            if (to->tell(&scopes[n], r->tid, to->arg))
                note_reported(r, &scopes[n], to->until);
        return;
    }
}

void context_each_open(int64_t until,
                       bool (*tell)(const struct context_scope *scope, int32_t tid, void *arg),
                       void *arg)
{
    context_each_record(report_open, &(struct open_scopes){tell, until, arg});
}

int64_t context_reported(struct context_record *r, const struct context_scope *scope)
{
    const struct scope *s = context_scope_at(r, scope->depth, scope->type);
    int64_t until = atomic_load_explicit(&s->reported, memory_order_acquire) == context_part(scope)
                        ? READ(s->reported_until)
                        : 0;

    return until < READ(context_since) ? 0 : until;
}

/* While it ended it may have been told of once more; since it ended another one may have come in
 * its place, and been told of. */
int64_t context_reported_until(const struct context_scope *scope)
{
    int64_t now = context_reported(context_record_at(scope->record), scope);

    return now > scope->reported ? now : scope->reported;
}
